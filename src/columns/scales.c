// Shares of inflow where a ceiling is near. The papers' rule lets in at most what is free, whatever
// leaves at the same time; then a passage that is nearly full passes no more than its free height
// in a substep, never fills, and never feels pressure. Here what surely leaves counts as room too.
// Columns that are full are left to passages.c.
#include "columns/columns.h"

#define ROUNDS_DOWN 48
#define ROUNDS_UP 32 // each lets one column more of a row of nearly full ones pass on what it gets

// Sums by side, so that a turned scene adds in the same order.
typedef struct sides {
    float in[RV_SIDES], out[RV_SIDES], asked[RV_SIDES];
} sides;

// A pipe of the column at `slot` to `other`; flux is positive outward. Where not `sure`, what goes
// into a full column does not count and what comes out of one counts whole: passages have the last
// word.
static void add_pipe(const rv_engine *s, sides *sum, int side, uint32_t slot, uint32_t other,
                     float flux, bool sure)
{
    if (flux == 0.0f) return;
    bool beyond = other == RV_NO_SLOT;
    if (flux > 0.0f) {
        if (!sure && !beyond && s->full[other]) return;
        float in = beyond ? 1.0f : s->in_scale[other];
        sum->out[side] += flux * rv_f_min(s->out_scale[slot], in);
    } else {
        bool whole = beyond || (!sure && s->full[other]);
        float out = whole ? 1.0f : s->out_scale[other];
        sum->in[side] -= flux * rv_f_min(out, s->in_scale[slot]);
        sum->asked[side] -= flux;
    }
}

rv_through rv_pipes_through(const rv_engine *s, uint32_t slot, bool sure)
{
    sides sum = {{0}, {0}, {0}};
    ptrdiff_t pitch = rv_plane_of(s->columns, slot)->pitch;
    for (int k = 0; k < rv_ways(s); k++) {
        rv_way way = (rv_way)k;
        const float *flux = s->flux[way];
        uint32_t step = (uint32_t)rv_way_step(way, pitch), low = slot - step;
        add_pipe(s, &sum, (int)rv_side_of(way, false), slot, low, -flux[low], sure);
        add_pipe(s, &sum, (int)rv_side_of(way, true), slot, slot + step, flux[slot], sure);
    }
    const rv_odd_column *column = rv_pipes_odd_column(s, slot);
    for (uint32_t e = 0; column && e < column->count; e++) {
        const rv_odd_entry *entry = &s->odd_of[column->first + e];
        const rv_odd_pipe *p = &s->odd[entry->pipe];
        add_pipe(s, &sum, entry->side, slot, entry->sign > 0 ? p->b : p->a,
                 (float)entry->sign * s->odd_flux[entry->pipe], sure);
    }
    float dt_area = s->law.dt_area;
    return (rv_through){dt_area * rv_sum_sides(sum.in), dt_area * rv_sum_sides(sum.out),
                        dt_area * rv_sum_sides(sum.asked)};
}

static bool reserve_cut(rv_engine *s, uint32_t room)
{
    if (room <= s->cut_capacity) return true;
    rv_cut_column *memory =
        rv_regrow(&s->allocator, s->cut, s->cut_capacity, s->cut_count, room, sizeof *memory);
    if (memory) s->cut = memory, s->cut_capacity = room;
    return memory != NULL;
}

rv_growth rv_pipes_grows(rv_engine *s)
{
    if (s->has_ceilings && s->params.pipes_passages != RV_PASSAGES_NONE) return RV_GROWS;
    if (s->card) return RV_GROWS_NOT;
    // as rv_pipes_lid_near, long before: what a step lifts is little beside what is there
    bool lid =
        rv_pipes_lid_near(s) || (double)s->highest_base + 16.0 * s->deepest >= s->params.grid_top;
    if (!s->has_ceilings && !lid) return RV_GROWS_NOT;
    size_t most = (size_t)s->columns->columns < s->slots ? (size_t)s->columns->columns : s->slots;
    return reserve_cut(s, (uint32_t)most) ? RV_GROWS_NOT : RV_GROWS;
}

static bool add_cut(rv_engine *s, uint32_t slot, bool own)
{
    if (s->cut_count == s->cut_capacity &&
        !reserve_cut(s, s->cut_capacity ? 2 * s->cut_capacity : 256))
        return false;
    s->cut[s->cut_count++] = (rv_cut_column){.slot = slot, .own = own};
    return true;
}

// Full columns are left to passages.
static bool is_cut(const rv_engine *s, uint32_t i)
{
    return s->in_scale[i] < 1.0f && !s->full[i] && rv_column_exists(s->columns, i);
}

static void list_cut(rv_engine *s)
{
    s->cut_count = 0;
    for (uint32_t r = 0; r < s->row_count; r++) {
        if (!s->busy[r] || !(s->row_cut[r] & RV_CUT_IN)) continue;
        for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
            uint32_t first = s->row[r].first + (uint32_t)run.x;
            for (uint32_t i = first; i < first + (uint32_t)run.count; i++)
                if (is_cut(s, i) && !add_cut(s, i, rv_far_owns(s, r))) return;
        }
    }
}

static float room_of(const rv_engine *s, uint32_t slot)
{
    return rv_to_take(s->depth[slot], rv_cap(s, slot));
}

static void apply(rv_engine *s)
{
    for (uint32_t k = 0; k < s->cut_count; k++) s->in_scale[s->cut[k].slot] = s->cut[k].share;
    rv_far_shares(s);
}

// From above: everything enters, and is cut where it finds no room, until all fits. Where liquid
// flows through this is done at once, however long the row of nearly full columns; where something
// blocks it may take a round a column. true: all fits.
static bool cut_down(rv_engine *s)
{
    for (uint32_t k = 0; k < s->cut_count; k++) s->in_scale[s->cut[k].slot] = 1.0f;
    for (int round = 0; round < ROUNDS_DOWN; round++) {
        bool fits = true;
        for (uint32_t k = 0; k < s->cut_count; k++) {
            uint32_t i = s->cut[k].slot;
            rv_through t = rv_pipes_through(s, i, false);
            float room = room_of(s, i) + t.out;
            s->cut[k].share = s->in_scale[i];
            if (t.in <= room) continue;
            s->cut[k].share = rv_f_min(s->in_scale[i], RV_DEPTH_SHARE * room / t.asked);
            fits = !s->cut[k].own && fits;
        }
        if (!rv_far_any(s, !fits)) return true;
        apply(s);
    }
    return false;
}

// From below: the shares start where they are safe and only grow, and what leaves grows with them;
// so what was counted on as leaving does leave, whenever one stops.
static void grow_up(rv_engine *s)
{
    for (uint32_t k = 0; k < s->cut_count; k++) s->in_scale[s->cut[k].slot] = s->cut[k].safe;
    for (int round = 0; round < ROUNDS_UP; round++) {
        bool grown = false;
        for (uint32_t k = 0; k < s->cut_count; k++) {
            uint32_t i = s->cut[k].slot;
            rv_through t = rv_pipes_through(s, i, false);
            float room = room_of(s, i) + t.out;
            float share = t.asked > room ? RV_DEPTH_SHARE * room / t.asked : 1.0f;
            s->cut[k].share = rv_f_max(share, s->in_scale[i]);
            grown |= s->cut[k].own && s->cut[k].share > s->in_scale[i] * 1.0001f;
        }
        apply(s);
        if (!rv_far_any(s, grown)) return;
    }
}

static void relax(rv_engine *s)
{
    for (uint32_t k = 0; k < s->cut_count; k++) s->cut[k].safe = s->in_scale[s->cut[k].slot];
    if (rv_far_any(s, s->cut_count > 0) && !cut_down(s)) grow_up(s);
}

void rv_pipes_relax_scales(rv_engine *s)
{
    list_cut(s);
    relax(s);
}

void rv_pipes_relax_listed(rv_engine *s, const uint32_t *slots, uint32_t count)
{
    s->cut_count = 0;
    for (uint32_t k = 0; k < count; k++)
        if (is_cut(s, slots[k]) && !add_cut(s, slots[k], true)) break;
    relax(s);
}

// Odd pipes, between planes and through borders, and the columns that have them: one by one, with
// the laws' functions for single floats. Most are dry: only columns whose odd pipes carry something
// are looked at (rv_odd_mark).
#include "columns/seams.h"

#include "columns/joints.h"
#include "columns/laws/flow.h"
#include "columns/tension.h"

// A column as a band sees it.
typedef struct spot {
    uint32_t slot;
    int plane, y, x; // x from the plane's first column
} spot;

static spot low_spot(const rv_engine *s, const rv_odd_pipe *p)
{
    return (spot){p->a, p->plane_a, p->y, p->x - s->columns->plane[p->plane_a].x0};
}

static spot high_spot(const rv_engine *s, const rv_odd_pipe *p)
{
    static const int dx[RV_WAYS] = {1, 0, 1, -1}, dy[RV_WAYS] = {0, 1, 1, 1};
    return (spot){p->b, p->plane_b, p->y + dy[p->way],
                  p->x + dx[p->way] - s->columns->plane[p->plane_b].x0};
}

// Where the value of an array stands at a pipe's ends: with the solver, but in rows of other bands.
// `inside`: rows y and y + 1 are the band's own.
static inline float *low_value(const rv_band *t, const rv_odd_pipe *p, int array, bool inside)
{
    if (inside || (p->y >= t->first && p->y < t->end)) return t->array[array] + p->a;
    spot at = low_spot(t->s, p);
    return rv_band_line(t, at.plane, at.y)->array[array] + at.x;
}

static inline float *high_value(const rv_band *t, const rv_odd_pipe *p, int array, bool inside)
{
    if (inside) return t->array[array] + p->b;
    spot at = high_spot(t->s, p);
    return rv_band_line(t, at.plane, at.y)->array[array] + at.x;
}

static bool is_inside(const rv_band *t, int y)
{
    return y >= t->first && (y + 1 < t->end || t->end == t->s->columns->grid.ny);
}

static const rv_law *law_of(const rv_engine *s, const rv_odd_pipe *p)
{
    return p->way >= RV_WAY_NE ? &s->law_diagonal : &s->law;
}

static float slant_of(const rv_engine *s, const rv_odd_pipe *p)
{
    static const float dx[RV_WAYS] = {1.0f, 0.0f, 1.0f, -1.0f},
                       dy[RV_WAYS] = {0.0f, 1.0f, 1.0f, 1.0f};
    float slant = dx[p->way] * s->law.slant[0] + dy[p->way] * s->law.slant[1];
    bool back = p->b == RV_NO_SLOT && (p->side == RV_WEST || p->side == RV_SOUTH);
    return back ? -slant : slant;
}

// ---- The two ends of an odd pipe ----------------------------------------------------------------

typedef struct end {
    float base, depth, press;
} end;

// What lies beyond a border: nothing, or liquid up to the level that is held there.
static end beyond(const rv_engine *s, const rv_odd_pipe *p)
{
    float depth = rv_f_max(rv_pipes_level_beyond(s, p) - p->beyond, 0.0f);
    // the surface goes on as it is, and nothing there costs wetting
    return (end){p->beyond, depth, s->tense ? rv_extra(s, p->a) : 0.0f};
}

// false: both are dry, as most are.
static inline bool ends_of(const rv_band *t, const rv_odd_pipe *p, bool inside, end out[2])
{
    const rv_engine *s = t->s;
    float film = s->law.film, low = *low_value(t, p, RV_DEPTH, inside);
    if (p->b == RV_NO_SLOT) {
        if (!(low > film) && rv_pipes_border(s, (rv_side)p->side) != RV_BORDER_LEVEL) return false;
        out[1] = beyond(s, p);
    } else {
        float high = *high_value(t, p, RV_DEPTH, inside);
        if (!(low > film) && !(high > film)) return false;
        out[1] = (end){s->columns->base[p->b], high, rv_extra(s, p->b)};
    }
    out[0] = (end){s->columns->base[p->a], low, rv_extra(s, p->a)};
    return low > film || out[1].depth > film;
}

// ---- What flows past odd pipes ------------------------------------------------------------------

static rv_side_flow side_flow(const rv_band *t, spot at, rv_side side)
{
    rv_way way = side < RV_SOUTH ? RV_WAY_X : RV_WAY_Y;
    int x = at.x - (side == RV_WEST), y = at.y - (side == RV_SOUTH);
    rv_side_flow regular = {rv_band_flux(t, at.plane, y, way)[x],
                            rv_band_speed(t, at.plane, y, way)[x]};
    return rv_side_sum(t->s, at.slot, side, regular);
}

// Sides of a way, low and high.
static const rv_side along_sides[2][2] = {{RV_WEST, RV_EAST}, {RV_SOUTH, RV_NORTH}};

// What flows past an odd pipe along it; there is nothing across.
static rv_flow_past past_odd(const rv_band *t, uint32_t index)
{
    const rv_engine *s = t->s;
    const rv_odd_pipe *p = &s->odd[index];
    float u = s->odd_last_speed[index], q = s->odd_last_flux[index];
    rv_flow_past past = {0};
    if (p->way >= RV_WAY_NE) return past;
    bool border = p->b == RV_NO_SLOT;
    bool back = border && (p->side == RV_WEST || p->side == RV_SOUTH);
    rv_side_flow low = side_flow(t, low_spot(s, p), along_sides[p->way][back]);
    rv_side_flow high = {q, u};
    if (!border) high = side_flow(t, high_spot(s, p), along_sides[p->way][1]);
    if (back) low.flux = -low.flux, low.speed = -low.speed;
    rv_pass_by(low.flux + q, low.speed, u, &past.in, &past.low);
    rv_pass_by(q + high.flux, u, high.speed, &past.out, &past.high);
    return past;
}

static void set_carried(const rv_law *law, rv_flow_past past, rv_flow_pipe *pipe)
{
    pipe->carried = rv_flow_carried(law, past, pipe->u);
    pipe->both = rv_f_max(pipe->both, rv_flow_comes(law, past));
}

static rv_flow_end flow_end(end e)
{
    return (rv_flow_end){e.base, e.depth, e.depth, 0.0f, e.press};
}

static rv_flow odd_flow(const rv_band *t, uint32_t index, const end ends[2])
{
    const rv_engine *s = t->s;
    const rv_odd_pipe *p = &s->odd[index];
    const rv_law *law = law_of(s, p);
    rv_flow_pipe pipe = {.slope = (float)p->slope,
                         .u = s->odd_last_speed[index],
                         .both = rv_f_max(ends[0].depth + ends[1].depth, law->film),
                         .slant = slant_of(s, p),
                         .opening = p->opening,
                         .share = law->share + (float)p->gaps * law->share_gap};
    if (s->carries && !s->traced) set_carried(law, past_odd(t, index), &pipe);
    return rv_flow_through(law, flow_end(ends[0]), flow_end(ends[1]), pipe,
                           (rv_flow_ease){1, 1, s->tense, 0});
}

// ---- Fluxes -------------------------------------------------------------------------------------

static inline float cell_flux(const rv_engine *s, const rv_odd_pipe *p, const end ends[2],
                              float flux, bool plain)
{
    const rv_law *law = law_of(s, p);
    rv_pipe_end a = {ends[0].depth, ends[0].base + ends[0].depth, ends[0].press};
    rv_pipe_end b = {ends[1].depth, ends[1].base + ends[1].depth, ends[1].press};
    if (plain) return rv_pipe_flux(law, a, b, (rv_pipe){(float)p->slope, 1.0f, 0.0f, flux}, 1);
    rv_pipe pipe = {(float)p->slope, law->share + (float)p->gaps * law->share_gap, slant_of(s, p),
                    flux};
    return rv_pipe_flux(law, a, b, pipe, 0);
}

void rv_odd_mark(const rv_engine *s, const float *flux, uint32_t from, uint32_t to, uint8_t *live)
{
    for (uint32_t i = from; i < to; i++) {
        if (flux[i] == 0.0f) continue;
        live[s->odd_at[s->odd[i].a] - 1] = 1;
        if (s->odd[i].b != RV_NO_SLOT) live[s->odd_at[s->odd[i].b] - 1] = 1;
    }
}

// Whether a column with odd pipes is in a block that sleeps though it is wet.
static bool is_asleep(const rv_engine *s, uint32_t slot)
{
    const rv_odd_column *column = rv_pipes_odd_column(s, slot);
    return column && (s->tension->asleep[column->row] >> column->block & 1);
}

static bool sleeps(const rv_engine *s, const rv_odd_pipe *p)
{
    return is_asleep(s, p->a) || (p->b != RV_NO_SLOT && is_asleep(s, p->b));
}

void rv_odd_fluxes(rv_band *t, int y)
{
    const rv_engine *s = t->s;
    uint32_t first = rv_odd_from(s, y), last = rv_odd_from(s, y + 1);
    bool inside = is_inside(t, y);
    bool plain = !s->eight && !s->heads && !(s->law.quotient > 0.0f) && s->law.slant[0] == 0.0f &&
                 s->law.slant[1] == 0.0f;
    bool asleep = s->tense && s->tension->sleeping;
    for (uint32_t i = first; i < last; i++) {
        const rv_odd_pipe *p = &s->odd[i];
        end ends[2];
        rv_flow f = {0.0f, 0.0f};
        if (ends_of(t, p, inside, ends) && !(asleep && sleeps(s, p))) {
            if (s->flow)
                f = odd_flow(t, i, ends);
            else
                f.flux = cell_flux(s, p, ends, t->odd_flux[i], plain);
        }
        t->odd_flux[i] = f.flux, t->odd_speed[i] = f.speed;
    }
    rv_odd_mark(s, t->odd_flux, first, last, t->live);
}

// ---- Columns with odd pipes ---------------------------------------------------------------------

typedef struct column_sums {
    float out, in, gain;
} column_sums;

// `sides` is 4 or 8, known where this is called; a sum over eight is the same if four of them are
// 0.
RV_INLINE column_sums sums_over(const rv_band *t, const rv_odd_column *column, const rv_line *here,
                                const rv_line *south, int sides)
{
    const rv_engine *s = t->s;
    int x = (int)(column->slot - s->row[column->row].first);
    float regular[RV_SIDES] = {-here->array[RV_FLUX][x - 1], here->array[RV_FLUX][x],
                               -south->array[RV_FLUX + RV_WAY_Y][x],
                               here->array[RV_FLUX + RV_WAY_Y][x]};
    if (sides == RV_SIDES) {
        regular[RV_SOUTH_WEST] = -south->array[RV_FLUX + RV_WAY_NE][x - 1];
        regular[RV_NORTH_EAST] = here->array[RV_FLUX + RV_WAY_NE][x];
        regular[RV_SOUTH_EAST] = -south->array[RV_FLUX + RV_WAY_NW][x + 1];
        regular[RV_NORTH_WEST] = here->array[RV_FLUX + RV_WAY_NW][x];
    }
    float out[RV_SIDES], in[RV_SIDES], net[RV_SIDES]; // net and flux are positive outward
    for (int side = 0; side < sides; side++) {
        out[side] = rv_f_max(regular[side], 0.0f);
        in[side] = rv_f_max(-regular[side], 0.0f);
        net[side] = regular[side];
    }
    for (uint32_t e = column->first; e < column->first + column->count; e++) {
        const rv_odd_entry *entry = &s->odd_of[e];
        float flux = (float)entry->sign * t->odd_flux[entry->pipe];
        out[entry->side] += rv_f_max(flux, 0.0f);
        in[entry->side] += rv_f_max(-flux, 0.0f);
        net[entry->side] += flux;
    }
    if (sides == RV_SIDES)
        return (column_sums){rv_sum_sides(out), rv_sum_sides(in), -rv_sum_sides(net)};
    return (column_sums){(out[0] + out[1]) + (out[2] + out[3]), (in[0] + in[1]) + (in[2] + in[3]),
                         (-net[0] - net[1]) + (-net[2] - net[3])};
}

// Inline, so that sums nobody asks for are left out.
RV_INLINE column_sums sums_of(const rv_band *t, const rv_odd_column *column, const rv_line *here,
                              const rv_line *south)
{
    return t->s->eight ? sums_over(t, column, here, south, RV_SIDES)
                       : sums_over(t, column, here, south, 4);
}

int rv_odd_scales(rv_band *t, rv_line *line, int plane, int y)
{
    rv_engine *s = t->s;
    const rv_pipe_row *row = &s->row[line->row];
    const rv_line *south = rv_band_line(t, plane, y - 1);
    uint32_t stop = row->odd_first + row->odd_count;
    int cut = 0;
    for (uint32_t k = rv_next_live(t->live, row->odd_first, stop); k < stop;
         k = rv_next_live(t->live, k + 1, stop)) {
        const rv_odd_column *column = &s->odd_column[k];
        uint32_t i = column->slot, x = i - row->first;
        column_sums sums = sums_of(t, column, line, south);
        float depth = line->array[RV_DEPTH][x];
        float out = rv_share(rv_to_give(depth), s->law.dt_area * sums.out);
        float in = rv_share(rv_to_take(depth, rv_cap(s, i)), s->law.dt_area * sums.in);
        line->array[RV_OUT][x] = out, line->array[RV_IN][x] = in;
        if (line->own) s->row_limited[line->row] = 1;
        if (out < 1.0f) cut |= RV_CUT_OUT;
        if (in < 1.0f) cut |= RV_CUT_IN;
    }
    return cut;
}

void rv_odd_finish(rv_band *t, int y)
{
    const rv_engine *s = t->s;
    uint32_t last = rv_odd_from(s, y + 1);
    bool inside = is_inside(t, y);
    for (uint32_t i = rv_odd_from(s, y); i < last; i++) {
        const rv_odd_pipe *p = &s->odd[i];
        float flux = t->odd_flux[i], in = 1.0f, out = 1.0f;
        if (flux == 0.0f) continue; // also: its scales may be stale, its blocks asleep
        bool border = p->b == RV_NO_SLOT;
        if (flux > 0.0f) {
            out = *low_value(t, p, RV_OUT, inside);
            if (s->parted && !border) in = *high_value(t, p, RV_IN, inside);
        } else {
            if (!border) out = *high_value(t, p, RV_OUT, inside);
            if (s->parted) in = *low_value(t, p, RV_IN, inside);
        }
        t->odd_flux[i] = flux * rv_f_min(out, in);
        if (s->flow) t->odd_speed[i] *= in;
    }
}

// Less than any change of depth can make up for: the row's loop leaves no depth there.
#define LEFT_OUT (-1e30f)

void rv_odd_depths(rv_band *t, const rv_line *line, int plane, int y)
{
    rv_engine *s = t->s;
    const rv_pipe_row *row = &s->row[line->row];
    const rv_line *south = rv_band_line(t, plane, y - 1);
    uint32_t stop = row->odd_first + row->odd_count;
    for (uint32_t k = rv_next_live(t->live, row->odd_first, stop); k < stop;
         k = rv_next_live(t->live, k + 1, stop)) {
        const rv_odd_column *column = &s->odd_column[k];
        float change = s->law.dt_area * sums_of(t, column, line, south).gain;
        s->odd_depth[k] = rv_depth_after(s->depth[column->slot], change, s->law.salt);
        s->depth[column->slot] = LEFT_OUT;
    }
}

void rv_odd_depths_set(rv_band *t, const rv_line *line, rv_level_result *found)
{
    rv_engine *s = t->s;
    const rv_pipe_row *row = &s->row[line->row];
    uint32_t stop = row->odd_first + row->odd_count;
    for (uint32_t k = rv_next_live(t->live, row->odd_first, stop); k < stop;
         k = rv_next_live(t->live, k + 1, stop)) {
        float depth = s->odd_depth[k];
        s->depth[s->odd_column[k].slot] = depth;
        if (depth > s->law.film) found->wet |= 1ull << s->odd_column[k].block;
        found->most = rv_f_max(depth, found->most);
        found->not_finite |= !(depth - depth == 0.0f);
    }
}

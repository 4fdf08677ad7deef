// Odd pipes, between planes and through borders, and the columns that have them: one by one, with
// the laws' functions for single floats. Most are dry: only columns whose odd pipes carry something
// are looked at (rv_odd_mark).
#include "columns/seams.h"

#include "columns/laws/flow.h"

// A column as a band sees it.
typedef struct spot {
    uint32_t slot;
    int plane, y, x; // x from the plane's first column
} spot;

static spot low_spot(const rv_solver *s, const rv_odd_pipe *p)
{
    return (spot){p->a, p->plane_a, p->y, p->x - s->columns->plane[p->plane_a].x0};
}

static spot high_spot(const rv_solver *s, const rv_odd_pipe *p)
{
    static const int dx[RV_WAYS] = {1, 0, 1, -1}, dy[RV_WAYS] = {0, 1, 1, 1};
    return (spot){p->b, p->plane_b, p->y + dy[p->way],
                  p->x + dx[p->way] - s->columns->plane[p->plane_b].x0};
}

// Where a column's value of an array stands: with the solver, but in rows of other bands.
static inline float *value(const rv_band *t, spot at, int array)
{
    if (at.y >= t->first && at.y < t->end) return t->array[array] + at.slot;
    return rv_band_line(t, at.plane, at.y)->array[array] + at.x;
}

static const rv_law *law_of(const rv_solver *s, const rv_odd_pipe *p)
{
    return p->way >= RV_WAY_NE ? &s->law_diagonal : &s->law;
}

static float slant_of(const rv_solver *s, const rv_odd_pipe *p)
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

static end end_at(const rv_band *t, spot at)
{
    const rv_solver *s = t->s;
    return (end){s->columns->base[at.slot], *value(t, at, RV_DEPTH), rv_press(s, at.slot)};
}

// What lies beyond a border: nothing, or liquid up to the level that is held there.
static end beyond(const rv_solver *s, const rv_odd_pipe *p)
{
    float depth = rv_f_max(rv_pipes_level_beyond(s, p) - p->beyond, 0.0f);
    return (end){p->beyond, depth, 0.0f};
}

// false: both are dry, as most are.
static bool ends_of(const rv_band *t, const rv_odd_pipe *p, end out[2])
{
    const rv_solver *s = t->s;
    bool border = p->b == RV_NO_SLOT;
    float film = s->law.film;
    if (!border && !(*value(t, low_spot(s, p), RV_DEPTH) > film) &&
        !(*value(t, high_spot(s, p), RV_DEPTH) > film))
        return false;
    out[0] = end_at(t, low_spot(s, p));
    out[1] = border ? beyond(s, p) : end_at(t, high_spot(s, p));
    return out[0].depth > film || out[1].depth > film;
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
    const rv_solver *s = t->s;
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
    const rv_solver *s = t->s;
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
                           (rv_flow_ease){1, 1, 0});
}

// ---- Fluxes -------------------------------------------------------------------------------------

static float cell_flux(const rv_solver *s, const rv_odd_pipe *p, const end ends[2], float flux)
{
    const rv_law *law = law_of(s, p);
    rv_pipe_end a = {ends[0].depth, ends[0].base + ends[0].depth, ends[0].press};
    rv_pipe_end b = {ends[1].depth, ends[1].base + ends[1].depth, ends[1].press};
    rv_pipe pipe = {(float)p->slope, law->share + (float)p->gaps * law->share_gap, slant_of(s, p),
                    flux};
    bool plain = !s->eight && !s->press && !(law->quotient > 0.0f) && pipe.slant == 0.0f;
    return plain ? rv_pipe_flux(law, a, b, pipe, 1) : rv_pipe_flux(law, a, b, pipe, 0);
}

void rv_odd_mark(const rv_solver *s, const float *flux, uint32_t from, uint32_t to, uint8_t *live)
{
    for (uint32_t i = from; i < to; i++) {
        if (flux[i] == 0.0f) continue;
        live[s->odd_at[s->odd[i].a] - 1] = 1;
        if (s->odd[i].b != RV_NO_SLOT) live[s->odd_at[s->odd[i].b] - 1] = 1;
    }
}

// Whether both ends of a pipe in the rows of the band are dry, as most are.
static inline bool is_dry(const float *depth, const rv_odd_pipe *p, float film)
{
    return p->b != RV_NO_SLOT && !(depth[p->a] > film) && !(depth[p->b] > film);
}

static rv_flow odd_flux(const rv_band *t, uint32_t i)
{
    const rv_solver *s = t->s;
    end ends[2];
    if (!ends_of(t, &s->odd[i], ends)) return (rv_flow){0.0f, 0.0f};
    if (s->flow) return odd_flow(t, i, ends);
    return (rv_flow){0.0f, cell_flux(s, &s->odd[i], ends, t->odd_flux[i])};
}

void rv_odd_fluxes(rv_band *t, int y)
{
    const rv_solver *s = t->s;
    uint32_t first = rv_odd_from(s, y), last = rv_odd_from(s, y + 1);
    bool inside = y >= t->first && (y + 1 < t->end || t->end == s->columns->grid.ny);
    for (uint32_t i = first; i < last; i++) {
        rv_flow f = {0.0f, 0.0f};
        if (!inside || !is_dry(t->array[RV_DEPTH], &s->odd[i], s->law.film)) f = odd_flux(t, i);
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
RV_INLINE column_sums sums_over(const rv_band *t, const rv_odd_column *column, spot at, int sides)
{
    const rv_solver *s = t->s;
    const rv_line *here = rv_band_line(t, at.plane, at.y);
    const rv_line *south = rv_band_line(t, at.plane, at.y - 1);
    int x = at.x;
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

static column_sums sums_of(const rv_band *t, const rv_odd_column *column, spot at)
{
    return t->s->eight ? sums_over(t, column, at, RV_SIDES) : sums_over(t, column, at, 4);
}

int rv_odd_scales(rv_band *t, rv_line *line, int plane, int y)
{
    rv_solver *s = t->s;
    const rv_pipe_row *row = &s->row[line->row];
    int cut = 0;
    for (uint32_t k = row->odd_first; k < row->odd_first + row->odd_count; k++) {
        if (!t->live[k]) continue;
        const rv_odd_column *column = &s->odd_column[k];
        uint32_t i = column->slot;
        spot at = {i, plane, y, (int)(i - row->first)};
        column_sums sums = sums_of(t, column, at);
        float depth = *value(t, at, RV_DEPTH), *out = value(t, at, RV_OUT),
              *in = value(t, at, RV_IN);
        *out = rv_share(rv_to_give(depth), s->law.dt_area * sums.out);
        *in = rv_share(rv_to_take(depth, rv_cap(s, i)), s->law.dt_area * sums.in);
        if (line->own) s->row_limited[line->row] = 1;
        if (*out < 1.0f) cut |= RV_CUT_OUT;
        if (*in < 1.0f) cut |= RV_CUT_IN;
    }
    return cut;
}

void rv_odd_finish(rv_band *t, int y)
{
    const rv_solver *s = t->s;
    uint32_t last = rv_odd_from(s, y + 1);
    for (uint32_t i = rv_odd_from(s, y); i < last; i++) {
        const rv_odd_pipe *p = &s->odd[i];
        float flux = t->odd_flux[i];
        if (flux == 0.0f) continue; // also: its scales may be stale, its blocks asleep
        spot a = low_spot(s, p);
        bool border = p->b == RV_NO_SLOT;
        float in_a = s->parted ? *value(t, a, RV_IN) : 1.0f, in_b = 1.0f, out_b = 1.0f;
        if (!border) {
            spot b = high_spot(s, p);
            in_b = s->parted ? *value(t, b, RV_IN) : 1.0f, out_b = *value(t, b, RV_OUT);
        }
        float in = flux > 0.0f ? in_b : in_a;
        float out = flux > 0.0f ? *value(t, a, RV_OUT) : out_b;
        t->odd_flux[i] = flux * rv_f_min(out, in);
        if (s->flow) t->odd_speed[i] *= in;
    }
}

// Less than any change of depth can make up for: the row's loop leaves no depth there.
#define LEFT_OUT (-1e30f)

void rv_odd_depths(rv_band *t, const rv_line *line, int plane, int y)
{
    rv_solver *s = t->s;
    const rv_pipe_row *row = &s->row[line->row];
    for (uint32_t k = row->odd_first; k < row->odd_first + row->odd_count; k++) {
        if (!t->live[k]) continue;
        const rv_odd_column *column = &s->odd_column[k];
        spot at = {column->slot, plane, y, (int)(column->slot - row->first)};
        float change = s->law.dt_area * sums_of(t, column, at).gain;
        s->odd_depth[k] = rv_depth_after(s->depth[column->slot], change, s->law.salt);
        s->depth[column->slot] = LEFT_OUT;
    }
}

void rv_odd_depths_set(rv_band *t, const rv_line *line, rv_level_result *found)
{
    rv_solver *s = t->s;
    const rv_pipe_row *row = &s->row[line->row];
    for (uint32_t k = row->odd_first; k < row->odd_first + row->odd_count; k++) {
        if (!t->live[k]) continue;
        float depth = s->odd_depth[k];
        s->depth[s->odd_column[k].slot] = depth;
        if (depth > s->law.film) found->wet |= 1ull << s->odd_column[k].block;
        found->most = rv_f_max(depth, found->most);
        found->not_finite |= !(depth - depth == 0.0f);
    }
}

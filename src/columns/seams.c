// Odd pipes, between planes and through borders, and the columns that have them: one by one, with
// the laws' functions for single floats. Where momentum is carried, the regular pipes of these
// columns are seams: what flows past them may come through odd pipes; they are worked out again,
// to first order.
#include "columns/sweep.h"

#include "columns/laws/flow.h"

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

// Where a column's value of an array stands: with the solver, but in rows of other bands.
static inline float *value(const rv_band *t, spot at, int array)
{
    if (at.y >= t->first && at.y < t->end) return t->array[array] + at.slot;
    return rv_band_line(t, at.plane, at.y)->array[array] + at.x;
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

static end end_at(const rv_band *t, spot at)
{
    const rv_engine *s = t->s;
    return (end){s->columns->base[at.slot], *value(t, at, RV_DEPTH), rv_press(s, at.slot)};
}

// What lies beyond a border: nothing, or liquid up to the level that is held there.
static end beyond(const rv_engine *s, const rv_odd_pipe *p)
{
    float depth = rv_f_max(rv_pipes_level_beyond(s, p) - p->beyond, 0.0f);
    return (end){p->beyond, depth, 0.0f};
}

// false: both are dry, as most are.
static bool ends_of(const rv_band *t, const rv_odd_pipe *p, end out[2])
{
    const rv_engine *s = t->s;
    bool border = p->b == RV_NO_SLOT;
    float film = s->law.film;
    if (!border && !(*value(t, low_spot(s, p), RV_DEPTH) > film) &&
        !(*value(t, high_spot(s, p), RV_DEPTH) > film))
        return false;
    out[0] = end_at(t, low_spot(s, p));
    out[1] = border ? beyond(s, p) : end_at(t, high_spot(s, p));
    return out[0].depth > film || out[1].depth > film;
}

// ---- What flows through the sides of a column ---------------------------------------------------

// Through one side, in the last substep, positive toward high; of several pipes the sum, and the
// mean velocity weighted by what flows.
typedef struct flow {
    float flux, speed;
} flow;

static flow regular_flow(const rv_band *t, spot at, rv_side side)
{
    rv_way way = side < RV_SOUTH ? RV_WAY_X : RV_WAY_Y;
    int x = at.x - (side == RV_WEST), y = at.y - (side == RV_SOUTH);
    return (flow){rv_band_flux(t, at.plane, y, way)[x], rv_band_speed(t, at.plane, y, way)[x]};
}

static flow side_flow(const rv_band *t, spot at, rv_side side)
{
    const rv_engine *s = t->s;
    flow sum = regular_flow(t, at, side);
    const rv_odd_column *column = rv_pipes_odd_column(s, at.slot);
    if (!column) return sum;
    float weight = rv_f_abs(sum.flux), speed = weight * sum.speed;
    for (uint32_t e = column->first; e < column->first + column->count; e++) {
        const rv_odd_entry *entry = &s->odd_of[e];
        const rv_odd_pipe *p = &s->odd[entry->pipe];
        if (entry->side != side) continue;
        float flux = s->odd_last_flux[entry->pipe], own = s->odd_last_speed[entry->pipe];
        bool back = p->b == RV_NO_SLOT && (side == RV_WEST || side == RV_SOUTH);
        if (back) flux = -flux, own = -own;
        sum.flux += flux;
        weight += rv_f_abs(flux), speed += rv_f_abs(flux) * own;
    }
    sum.speed = weight > 0.0f ? speed / weight : 0.0f;
    return sum;
}

// Sides of a way, low and high, and those across it.
static const rv_side along_sides[2][2] = {{RV_WEST, RV_EAST}, {RV_SOUTH, RV_NORTH}};

// To first order: what is half way has the velocity upstream.
static float upstream(float q, float low, float high)
{
    return q > 0.0f ? low : high;
}

// ---- What flows past pipes ----------------------------------------------------------------------

// Sets what flows past at one place, from what is upstream there.
static void pass_by(float q, float low, float high, float *flux, float *product)
{
    *flux = q, *product = q * upstream(q, low, high);
}

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
    flow low = side_flow(t, low_spot(s, p), along_sides[p->way][back]);
    flow high = border ? (flow){q, u} : side_flow(t, high_spot(s, p), along_sides[p->way][1]);
    if (back) low.flux = -low.flux, low.speed = -low.speed;
    pass_by(low.flux + q, low.speed, u, &past.in, &past.low);
    pass_by(q + high.flux, u, high.speed, &past.out, &past.high);
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
                           (rv_flow_ease){1, 1, 0});
}

// What flows past a regular pipe from column a to column b along a way.
static rv_flow_past past_seam(const rv_band *t, spot a, spot b, rv_way way)
{
    bool along_y = way == RV_WAY_Y;
    const rv_side *along = along_sides[way], *side = along_sides[!along_y];
    flow own = regular_flow(t, a, along[1]);
    flow low = side_flow(t, a, along[0]), high = side_flow(t, b, along[1]);
    float south = rv_band_speed(t, a.plane, a.y - !along_y, way)[a.x - along_y];
    float north = rv_band_speed(t, a.plane, a.y + !along_y, way)[a.x + along_y];
    float in_side = side_flow(t, a, side[0]).flux + side_flow(t, b, side[0]).flux;
    float out_side = side_flow(t, a, side[1]).flux + side_flow(t, b, side[1]).flux;
    rv_flow_past past;
    pass_by(low.flux + own.flux, low.speed, own.speed, &past.in, &past.low);
    pass_by(own.flux + high.flux, own.speed, high.speed, &past.out, &past.high);
    pass_by(in_side, south, own.speed, &past.in_side, &past.south);
    pass_by(out_side, own.speed, north, &past.out_side, &past.north);
    return past;
}

static float depth_by(const rv_band *t, spot at, int dx, int dy)
{
    return rv_band_line(t, at.plane, at.y + dy)->array[RV_DEPTH][at.x + dx];
}

// A column at the end of a regular pipe; `back` is the way from the pipe, in cells.
static rv_flow_end seam_end(const rv_band *t, spot at, int back_x, int back_y)
{
    end own = end_at(t, at);
    float along = regular_flow(t, at, RV_EAST).speed - regular_flow(t, at, RV_WEST).speed;
    float side = regular_flow(t, at, RV_NORTH).speed - regular_flow(t, at, RV_SOUTH).speed;
    return (rv_flow_end){own.base, own.depth, depth_by(t, at, back_x, back_y), along + side,
                         own.press};
}

static void seam_flux(rv_band *t, spot a, rv_way way)
{
    const rv_engine *s = t->s;
    const rv_column_set *c = s->columns;
    int dx = way == RV_WAY_X, dy = way == RV_WAY_Y;
    const rv_line *line = rv_band_line(t, a.plane, a.y);
    a.slot = (uint32_t)line->first + (uint32_t)a.x;
    if (!s->slope[way][a.slot]) return;
    spot b = {a.slot + (dy ? (uint32_t)c->plane[a.plane].pitch : 1), a.plane, a.y + dy, a.x + dx};
    rv_flow_end low = seam_end(t, a, -dx, -dy), high = seam_end(t, b, dx, dy);
    rv_flow_pipe pipe = {
        .slope = (float)s->slope[way][a.slot],
        .both = rv_f_max(low.depth + high.depth, s->law.film),
        .rise = (float)s->rise[way][a.slot],
        .side = (depth_by(t, a, dy, dx) - depth_by(t, a, -dy, -dx)) +
                (depth_by(t, b, dy, dx) - depth_by(t, b, -dy, -dx)),
        .slant = s->law.slant[dy],
        .opening = rv_f_min(c->max[a.slot], c->max[b.slot]) - rv_f_max(low.base, high.base),
        .share = s->law.share,
    };
    pipe.u = regular_flow(t, a, along_sides[way][1]).speed;
    set_carried(&s->law, past_seam(t, a, b, way), &pipe);
    rv_flow f = rv_flow_through(&s->law, low, high, pipe, (rv_flow_ease){1, 1, 0});
    line->array[RV_SPEED + way][a.x] = f.speed;
    line->array[RV_FLUX + way][a.x] = f.flux;
}

// Whether anything flowed in its odd pipes; if not, the row's loop has it right already.
static bool was_live(const rv_engine *s, const rv_odd_column *column)
{
    for (uint32_t e = column->first; e < column->first + column->count; e++)
        if (s->odd_last_flux[s->odd_of[e].pipe] != 0.0f) return true;
    return false;
}

void rv_seam_fluxes(rv_band *t, int plane, int y)
{
    const rv_engine *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y), *above = rv_band_line(t, plane, y + 1);
    const rv_pipe_row *row = &s->row[line->row];
    for (uint32_t k = row->odd_first; k < row->odd_first + row->odd_count; k++) {
        const rv_odd_column *column = &s->odd_column[k];
        if (!was_live(s, column)) continue;
        int x = (int)(column->slot - row->first);
        if (x > 0) seam_flux(t, (spot){0, plane, y, x - 1}, RV_WAY_X);
        seam_flux(t, (spot){0, plane, y, x}, RV_WAY_X);
        seam_flux(t, (spot){0, plane, y, x}, RV_WAY_Y);
    }
    if (!above->exists) return;
    row = &s->row[above->row];
    for (uint32_t k = row->odd_first; k < row->odd_first + row->odd_count; k++)
        if (was_live(s, &s->odd_column[k]))
            seam_flux(t, (spot){0, plane, y, (int)(s->odd_column[k].slot - row->first)}, RV_WAY_Y);
}

// ---- Fluxes -------------------------------------------------------------------------------------

static float cell_flux(const rv_engine *s, const rv_odd_pipe *p, const end ends[2], float flux)
{
    const rv_law *law = law_of(s, p);
    rv_pipe_end a = {ends[0].depth, ends[0].base + ends[0].depth, ends[0].press};
    rv_pipe_end b = {ends[1].depth, ends[1].base + ends[1].depth, ends[1].press};
    rv_pipe pipe = {(float)p->slope, law->share + (float)p->gaps * law->share_gap, slant_of(s, p),
                    flux};
    bool plain = !s->eight && !s->press && !(law->quotient > 0.0f) && pipe.slant == 0.0f;
    return plain ? rv_pipe_flux(law, a, b, pipe, 1) : rv_pipe_flux(law, a, b, pipe, 0);
}

void rv_odd_fluxes(rv_band *t, int y)
{
    const rv_engine *s = t->s;
    uint32_t last = rv_odd_from(s, y + 1);
    for (uint32_t i = rv_odd_from(s, y); i < last; i++) {
        end ends[2];
        rv_flow f = {0.0f, 0.0f};
        if (ends_of(t, &s->odd[i], ends)) {
            if (s->flow)
                f = odd_flow(t, i, ends);
            else
                f.flux = cell_flux(s, &s->odd[i], ends, t->odd_flux[i]);
        }
        t->odd_flux[i] = f.flux, t->odd_speed[i] = f.speed;
    }
}

// ---- Columns with odd pipes ---------------------------------------------------------------------

typedef struct column_sums {
    float out, in, gain;
} column_sums;

// `sides` is 4 or 8, known where this is called; a sum over eight is the same if four of them are
// 0.
RV_INLINE column_sums sums_over(const rv_band *t, const rv_odd_column *column, spot at, int sides)
{
    const rv_engine *s = t->s;
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

// Whether anything flows in its odd pipes; if not, the row's loop has it right already.
static bool is_live(const rv_band *t, const rv_odd_column *column)
{
    for (uint32_t e = column->first; e < column->first + column->count; e++)
        if (t->odd_flux[t->s->odd_of[e].pipe] != 0.0f) return true;
    return false;
}

int rv_odd_scales(rv_band *t, rv_line *line, int plane, int y)
{
    rv_engine *s = t->s;
    const rv_pipe_row *row = &s->row[line->row];
    int cut = 0;
    for (uint32_t k = row->odd_first; k < row->odd_first + row->odd_count; k++) {
        const rv_odd_column *column = &s->odd_column[k];
        if (!is_live(t, column)) continue;
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
    const rv_engine *s = t->s;
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

#define NOT_LIVE (-1.0f)

void rv_odd_depths(rv_band *t, const rv_line *line, int plane, int y)
{
    rv_engine *s = t->s;
    const rv_pipe_row *row = &s->row[line->row];
    for (uint32_t k = row->odd_first; k < row->odd_first + row->odd_count; k++) {
        const rv_odd_column *column = &s->odd_column[k];
        s->odd_depth[k] = NOT_LIVE;
        if (!is_live(t, column)) continue;
        spot at = {column->slot, plane, y, (int)(column->slot - row->first)};
        float change = s->law.dt_area * sums_of(t, column, at).gain;
        s->odd_depth[k] = rv_depth_after(s->depth[column->slot], change, s->law.salt);
    }
}

bool rv_odd_depths_set(rv_band *t, const rv_line *line)
{
    rv_engine *s = t->s;
    const rv_pipe_row *row = &s->row[line->row];
    bool any = false;
    for (uint32_t k = row->odd_first; k < row->odd_first + row->odd_count; k++) {
        if (s->odd_depth[k] == NOT_LIVE) continue;
        s->depth[s->odd_column[k].slot] = s->odd_depth[k];
        any = true;
    }
    return any;
}

// One substep pass by pass, for layers, ceilings, borders and passages (SPEC §2: fluxes and
// viscosity, scaling, levels). Each pass runs over rows in parallel and writes only its own row, so
// results do not depend on the number of threads. The plain single layer takes the faster way in
// strips.c.
#include "columns/pipes.h"

#define ROWS_PER_TASK 64 // rows of one task share no cache line of the flags with another's
#define ODDS_PER_TASK 512
#define CELLS_WORTH_THREADS 4096 // under this a pass is shorter than waking a thread

static int row_tasks(const rv_solver *s)
{
    return (int)((s->row_count + ROWS_PER_TASK - 1) / ROWS_PER_TASK);
}

static int odd_tasks(const rv_solver *s)
{
    return (int)((s->odd_count + ODDS_PER_TASK - 1) / ODDS_PER_TASK);
}

// The rows of a task.
typedef struct span {
    uint32_t first, end;
} span;

static span task_rows(const rv_solver *s, int task)
{
    uint32_t first = (uint32_t)task * ROWS_PER_TASK;
    uint32_t end = first + ROWS_PER_TASK;
    return (span){first, end < s->row_count ? end : s->row_count};
}

static span task_odds(const rv_solver *s, int task)
{
    uint32_t first = (uint32_t)(task - row_tasks(s)) * ODDS_PER_TASK;
    uint32_t end = first + ODDS_PER_TASK;
    return (span){first, end < s->odd_count ? end : s->odd_count};
}

static rv_row row_at(const rv_solver *s, size_t slot, ptrdiff_t behind)
{
    const rv_column_set *c = s->columns;
    const float *depth = s->depth + slot;
    return (rv_row){c->base + slot, c->max + slot, depth, depth + behind,
                    s->press ? s->press + slot : NULL};
}

static size_t pitch_of(const rv_solver *s, uint32_t r)
{
    return (size_t)s->columns->plane[s->row[r].plane].pitch;
}

// ---- Fluxes -------------------------------------------------------------------------------------

static void flux_row_tank(rv_solver *s, uint32_t r, ptrdiff_t further)
{
    ptrdiff_t pitch = (ptrdiff_t)pitch_of(s, r);
    bool cell = s->params.pipes_area == RV_AREA_CELL;
    rv_flux_tank *flux = cell ? s->rows->tank_cell : s->rows->tank_wet[s->row[r].kind];
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        size_t i = s->row[r].first + (size_t)run.x, north = i + (size_t)pitch;
        const uint16_t *gaps_x = s->eight ? s->gaps_x + i : NULL;
        const uint16_t *gaps_y = s->eight ? s->gaps_y + i : NULL;
        flux(&s->law, row_at(s, i, -1), row_at(s, i + 1, 1), s->slope_x + i, gaps_x, s->flux_x + i,
             run.count);
        flux(&s->law, row_at(s, i, -pitch), row_at(s, north, further), s->slope_y + i, gaps_y,
             s->flux_y + i, run.count);
        if (!s->eight || s->row[r].above < 0) continue;
        flux(&s->law_diagonal, row_at(s, i, -pitch - 1), row_at(s, north + 1, further + 1),
             s->slope_ne + i, NULL, s->flux_ne + i, run.count);
        flux(&s->law_diagonal, row_at(s, i, -pitch + 1), row_at(s, north - 1, further - 1),
             s->slope_nw + i, NULL, s->flux_nw + i, run.count);
    }
}

static void flux_row(rv_solver *s, uint32_t r)
{
    size_t pitch = pitch_of(s, r);
    bool cell = s->params.pipes_area == RV_AREA_CELL;
    // The last row has no pipes to the ring above it, and beyond the ring there is no memory.
    ptrdiff_t further = s->row[r].above >= 0 ? (ptrdiff_t)pitch : 0;
    if (rv_pipes_is_tank_row(s, r)) {
        flux_row_tank(s, r, further);
        return;
    }
    rv_flux_row *flux = cell ? s->rows->flux_cell : s->rows->flux_wet[s->row[r].kind];
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        size_t i = s->row[r].first + (size_t)run.x;
        flux(&s->law, row_at(s, i, -1), row_at(s, i + 1, 1), row_at(s, i + pitch, further),
             s->depth + i - pitch, s->slope_x + i, s->slope_y + i, s->flux_x + i, s->flux_y + i,
             run.count);
    }
}

static rv_pipe_end end_at(const rv_solver *s, uint32_t slot)
{
    float base = s->columns->base[slot], depth = s->depth[slot];
    return (rv_pipe_end){base, depth, base + depth, depth, rv_press(s, slot)};
}

// What lies beyond a border: nothing, or liquid up to the level that is held there.
static rv_pipe_end beyond(const rv_solver *s, const rv_odd_pipe *p)
{
    float depth = rv_f_max(rv_pipes_level_beyond(s, p) - p->beyond, 0.0f);
    return (rv_pipe_end){p->beyond, depth, p->beyond + depth, depth, 0.0f};
}

static void odd_flux(rv_solver *s, uint32_t index)
{
    const rv_odd_pipe *p = &s->odd[index];
    bool border = p->b == RV_NO_SLOT;
    if (!border && !(s->depth[p->a] > s->law.film) && !(s->depth[p->b] > s->law.film)) {
        s->odd_flux[index] = 0.0f; // most of them
        return;
    }
    rv_pipe_end a = end_at(s, p->a), b = border ? beyond(s, p) : end_at(s, p->b);
    if (!(a.depth > s->law.film) && !(b.depth > s->law.film)) {
        s->odd_flux[index] = 0.0f;
        return;
    }
    const rv_pipe_ease hard = {0, 0, 0}, plain = {0, 0, 1};
    const rv_pipe_law *law = p->way >= RV_WAY_NE ? &s->law_diagonal : &s->law;
    rv_pipe pipe = {p->opening, (float)p->slope, law->share + (float)p->gaps * law->share_gap,
                    s->odd_flux[index]};
    bool cell = s->params.pipes_area == RV_AREA_CELL;
    if (s->eight || s->press || s->law.quotient > 0.0f)
        s->odd_flux[index] = cell ? rv_pipe_flux_cell(law, a, b, pipe, hard)
                                  : rv_pipe_flux_wet(law, a, b, pipe, hard);
    else
        s->odd_flux[index] = cell ? rv_pipe_flux_cell(law, a, b, pipe, plain)
                                  : rv_pipe_flux_wet(law, a, b, pipe, plain);
}

static void flux_task(void *context, int task)
{
    rv_solver *s = context;
    if (task < row_tasks(s)) {
        span rows = task_rows(s, task);
        for (uint32_t r = rows.first; r < rows.end; r++) flux_row(s, r);
    } else {
        span odds = task_odds(s, task);
        for (uint32_t i = odds.first; i < odds.end; i++) odd_flux(s, i);
    }
}

// ---- Columns with odd pipes ---------------------------------------------------------------------

typedef struct column_sums {
    float out, in, gain;
} column_sums;

// `sides` is 4 or 8, known where this is called; a sum over eight is the same if four of them are
// 0.
RV_INLINE column_sums sums_over(const rv_solver *s, const rv_odd_column *column, size_t pitch,
                                int sides)
{
    uint32_t i = column->slot;
    float regular[RV_SIDES] = {-s->flux_x[i - 1], s->flux_x[i], -s->flux_y[i - pitch],
                               s->flux_y[i]};
    if (sides == RV_SIDES) {
        regular[RV_SOUTH_WEST] = -s->flux_ne[i - pitch - 1];
        regular[RV_NORTH_EAST] = s->flux_ne[i];
        regular[RV_SOUTH_EAST] = -s->flux_nw[i - pitch + 1];
        regular[RV_NORTH_WEST] = s->flux_nw[i];
    }
    float out[RV_SIDES], in[RV_SIDES], net[RV_SIDES]; // net and flux are positive outward
    for (int side = 0; side < sides; side++) {
        out[side] = rv_f_max(regular[side], 0.0f);
        in[side] = rv_f_max(-regular[side], 0.0f);
        net[side] = regular[side];
    }
    for (uint32_t e = column->first; e < column->first + column->count; e++) {
        const rv_odd_entry *entry = &s->odd_of[e];
        float flux = (float)entry->sign * s->odd_flux[entry->pipe];
        out[entry->side] += rv_f_max(flux, 0.0f);
        in[entry->side] += rv_f_max(-flux, 0.0f);
        net[entry->side] += flux;
    }
    if (sides == RV_SIDES)
        return (column_sums){rv_sum_sides(out), rv_sum_sides(in), -rv_sum_sides(net)};
    return (column_sums){(out[0] + out[1]) + (out[2] + out[3]), (in[0] + in[1]) + (in[2] + in[3]),
                         (-net[0] - net[1]) + (-net[2] - net[3])};
}

static column_sums sums_of(const rv_solver *s, const rv_odd_column *column, size_t pitch)
{
    return s->eight ? sums_over(s, column, pitch, RV_SIDES) : sums_over(s, column, pitch, 4);
}

// Whether anything flows in its odd pipes; if not, the row's loop has it right already.
static bool is_live(const rv_solver *s, const rv_odd_column *column)
{
    for (uint32_t e = column->first; e < column->first + column->count; e++)
        if (s->odd_flux[s->odd_of[e].pipe] != 0.0f) return true;
    return false;
}

// ---- Scales -------------------------------------------------------------------------------------

// Shares of inflow are 1 in rows without ceilings unless the lid is near.
static void no_ceiling_in_reach(rv_solver *s, uint32_t r)
{
    if (!s->row_limited[r]) return;
    s->row_limited[r] = 0;
    for (uint32_t i = s->row[r].first; i < s->row[r].first + s->row[r].count; i++)
        s->in_scale[i] = 1.0f;
}

static void scale_row(rv_solver *s, uint32_t r)
{
    size_t pitch = pitch_of(s, r);
    bool limited = s->row[r].ceilings || s->lid_near;
    int cut = 0;
    if (limited)
        s->row_limited[r] = 1;
    else
        no_ceiling_in_reach(s, r);
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        size_t i = s->row[r].first + (size_t)run.x;
        if (s->eight && limited)
            cut |= s->rows->scale_eight(&s->law, row_at(s, i, 0), rv_pipes_eight_at(s, i, pitch),
                                        s->out_scale + i, s->in_scale + i, run.count);
        else if (s->eight)
            cut |= s->rows->scale_out_eight(&s->law, s->depth + i, rv_pipes_eight_at(s, i, pitch),
                                            s->out_scale + i, run.count);
        else if (limited)
            cut |= s->rows->scale(&s->law, row_at(s, i, 0), s->flux_x + i, s->flux_y + i - pitch,
                                  s->flux_y + i, s->out_scale + i, s->in_scale + i, run.count);
        else
            cut |= s->rows->scale_out(&s->law, s->depth + i, s->flux_x + i, s->flux_y + i - pitch,
                                      s->flux_y + i, s->out_scale + i, run.count);
    }
    for (uint32_t k = s->row[r].odd_first; k < s->row[r].odd_first + s->row[r].odd_count; k++) {
        const rv_odd_column *column = &s->odd_column[k];
        if (!is_live(s, column)) continue;
        uint32_t i = column->slot;
        column_sums sums = sums_of(s, column, pitch);
        s->out_scale[i] = rv_share(rv_to_give(s->depth[i]), s->law.dt_area * sums.out);
        s->in_scale[i] = rv_share(rv_to_take(s->depth[i], rv_cap(s, i)), s->law.dt_area * sums.in);
        s->row_limited[r] = 1;
        if (s->out_scale[i] < 1.0f) cut |= RV_CUT_OUT;
        if (s->in_scale[i] < 1.0f) cut |= RV_CUT_IN;
    }
    s->row_cut[r] = (uint8_t)cut;
}

static void scale_task(void *context, int task)
{
    rv_solver *s = context;
    span rows = task_rows(s, task);
    for (uint32_t r = rows.first; r < rows.end; r++)
        if (s->awake[r]) scale_row(s, r);
}

// ---- Scaled fluxes and levels -------------------------------------------------------------------

static bool is_cut(const rv_solver *s, int32_t r)
{
    return r >= 0 && s->awake[r] && s->row_cut[r];
}

static void finish_row(rv_solver *s, uint32_t r)
{
    size_t pitch = pitch_of(s, r);
    const float *out = s->out_scale, *in = s->in_scale;
    bool here = is_cut(s, (int32_t)r), above = is_cut(s, s->row[r].above);
    if (!here && !above) return;
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        size_t i = s->row[r].first + (size_t)run.x;
        if (here)
            s->rows->finish(s->flux_x + i, out + i, in + i, out + i + 1, in + i + 1, run.count);
        size_t north = i + pitch;
        s->rows->finish(s->flux_y + i, out + i, in + i, out + north, in + north, run.count);
        if (!s->eight) continue;
        s->rows->finish(s->flux_ne + i, out + i, in + i, out + north + 1, in + north + 1,
                        run.count);
        s->rows->finish(s->flux_nw + i, out + i, in + i, out + north - 1, in + north - 1,
                        run.count);
    }
}

static void finish_odd(rv_solver *s, uint32_t index)
{
    const rv_odd_pipe *p = &s->odd[index];
    float flux = s->odd_flux[index];
    if (flux == 0.0f) return; // also: its scales may be stale, its blocks asleep
    float share;
    if (p->b == RV_NO_SLOT)
        share = flux > 0.0f ? s->out_scale[p->a] : s->in_scale[p->a];
    else if (flux > 0.0f)
        share = rv_f_min(s->out_scale[p->a], s->in_scale[p->b]);
    else
        share = rv_f_min(s->out_scale[p->b], s->in_scale[p->a]);
    s->odd_flux[index] = flux * share;
}

static void finish_task(void *context, int task)
{
    rv_solver *s = context;
    if (task < row_tasks(s)) {
        span rows = task_rows(s, task);
        for (uint32_t r = rows.first; r < rows.end; r++)
            if (s->awake[r]) finish_row(s, r);
    } else {
        span odds = task_odds(s, task);
        for (uint32_t i = odds.first; i < odds.end; i++) finish_odd(s, i);
    }
}

#define NOT_LIVE (-1.0f)

// New depths of the row's odd columns, from the depths before the row's loop.
static void odd_depths(rv_solver *s, span odd, size_t pitch)
{
    for (uint32_t k = odd.first; k < odd.end; k++) {
        const rv_odd_column *column = &s->odd_column[k];
        s->odd_depth[k] = NOT_LIVE;
        if (!is_live(s, column)) continue;
        float change = s->law.dt_area * sums_of(s, column, pitch).gain;
        s->odd_depth[k] = rv_depth_after(s->depth[column->slot], change, s->law.salt);
    }
}

// A row's loop over its runs; the columns with odd pipes come out wrong and are set right by the
// caller.
static rv_level_result level_runs(rv_solver *s, uint32_t r)
{
    size_t pitch = pitch_of(s, r);
    rv_level_result all = {0};
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        size_t i = s->row[r].first + (size_t)run.x;
        rv_level_result found =
            s->eight ? s->rows->level_eight(&s->law, s->depth + i, rv_pipes_eight_at(s, i, pitch),
                                            run.count, s->block_width)
                     : s->rows->level(&s->law, s->depth + i, s->flux_x + i, s->flux_y + i - pitch,
                                      s->flux_y + i, run.count, s->block_width);
        rv_pipes_merge(&all, found, run.x / s->block_width);
    }
    return all;
}

static void level_row(rv_solver *s, uint32_t r)
{
    span odd = {s->row[r].odd_first, s->row[r].odd_first + s->row[r].odd_count};
    odd_depths(s, odd, pitch_of(s, r));
    rv_level_result found = level_runs(s, r);
    bool again = false;
    for (uint32_t k = odd.first; k < odd.end; k++) {
        if (s->odd_depth[k] == NOT_LIVE) continue;
        s->depth[s->odd_column[k].slot] = s->odd_depth[k];
        again = true;
    }
    if (again)
        rv_pipes_scan_row(s, r);
    else
        rv_pipes_note_row(s, r, found);
}

static void level_task(void *context, int task)
{
    rv_solver *s = context;
    span rows = task_rows(s, task);
    for (uint32_t r = rows.first; r < rows.end; r++)
        if (s->awake[r]) level_row(s, r);
}

// ---- The whole ----------------------------------------------------------------------------------

static void count_borders(rv_solver *s, double dt)
{
    for (uint32_t i = 0; i < s->odd_count; i++) {
        if (s->odd[i].b != RV_NO_SLOT) continue;
        double volume = dt * (double)s->odd_flux[i];
        if (volume > 0.0)
            s->totals.border_out += volume;
        else
            s->totals.border_in -= volume;
    }
}

static bool worth_threads(const rv_solver *s)
{
    int64_t cells = s->odd_count;
    for (uint32_t r = 0; r < s->row_count; r++)
        cells += (int64_t)__builtin_popcountll(s->awake[r]) * s->block_width;
    return cells >= CELLS_WORTH_THREADS;
}

void rv_pipes_substep_split(rv_solver *s, double dt)
{
    rv_pool *pool = worth_threads(s) ? s->pool : NULL;
    int rows = row_tasks(s), odds = odd_tasks(s);
    rv_passages_prepare(s);
    s->lid_near = rv_pipes_lid_near(s);
    rv_parallel_for(pool, rows + odds, flux_task, s);
    rv_passages_fluxes(s);
    rv_parallel_for(pool, rows, scale_task, s);
    rv_pipes_relax_scales(s);
    rv_passages_scales(s);
    rv_parallel_for(pool, rows + odds, finish_task, s);
    rv_passages_finish(s);
    rv_parallel_for(pool, rows, level_task, s);
    rv_passages_levels(s);
    if (s->has_borders) count_borders(s, dt);
    rv_pipes_gather(s);
}

// One substep pass by pass, for layers, ceilings, borders and passages (SPEC §2: heads, fluxes, viscosity,
// scaling, levels). Each pass runs over rows in parallel and writes only its own row, so results do not
// depend on the number of threads. The plain single layer takes the faster way in strips.c.
#include "solvers/pipes/pipes.h"

#define ROWS_PER_TASK 16
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

static rv_row row_at(const rv_solver *s, size_t slot)
{
    const rv_column_set *c = s->columns;
    return (rv_row){c->base + slot, c->max + slot, s->depth + slot, s->head + slot};
}

static size_t pitch_of(const rv_solver *s, uint32_t r)
{
    return (size_t)s->columns->plane[s->row[r].plane].pitch;
}

// ---- Heads and fluxes ----------------------------------------------------------------------------

static void head_task(void *context, int task)
{
    rv_solver *s = context;
    span rows = task_rows(s, task);
    for (uint32_t r = rows.first; r < rows.end; r++) {
        for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
            size_t i = s->row[r].first + (size_t)run.x;
            s->rows->head(s->columns->base + i, s->depth + i, s->head + i, run.count);
        }
    }
}

static void flux_row(rv_solver *s, uint32_t r)
{
    size_t pitch = pitch_of(s, r);
    bool cell = s->params.pipes_area == RV_AREA_CELL;
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        size_t i = s->row[r].first + (size_t)run.x;
        rv_flux_row *flux = cell ? s->rows->flux_cell : s->rows->flux_wet;
        flux(&s->law, row_at(s, i), row_at(s, i + 1), row_at(s, i + pitch), s->slope_x + i,
             s->slope_y + i, s->flux_x + i, s->flux_y + i, run.count);
    }
}

static rv_pipe_end end_at(const rv_solver *s, uint32_t slot)
{
    return (rv_pipe_end){s->columns->base[slot], s->depth[slot], s->head[slot]};
}

// What lies beyond a border: nothing, or liquid up to the level that is held there.
static rv_pipe_end beyond(const rv_solver *s, const rv_odd_pipe *p)
{
    const rv_params *q = &s->params;
    const rv_border kinds[] = {q->border_west, q->border_east, q->border_south, q->border_north};
    const double levels[] = {q->border_west_level, q->border_east_level, q->border_south_level,
                             q->border_north_level};
    float depth = 0.0f;
    if (kinds[p->side] == RV_BORDER_LEVEL) depth = rv_f_max((float)levels[p->side] - p->beyond, 0.0f);
    return (rv_pipe_end){p->beyond, depth, p->beyond + depth};
}

static void odd_flux(rv_solver *s, uint32_t index)
{
    const rv_odd_pipe *p = &s->odd[index];
    rv_pipe_end a = end_at(s, p->a);
    rv_pipe_end b = p->b == RV_NO_SLOT ? beyond(s, p) : end_at(s, p->b);
    if (!(a.depth > s->law.film) && !(b.depth > s->law.film)) {
        s->odd_flux[index] = 0.0f;
        return;
    }
    float slope = (float)p->slope * (1.0f / RV_SLOPE_ONE);
    s->odd_flux[index] =
        s->params.pipes_area == RV_AREA_CELL
            ? rv_pipe_flux_cell(&s->law, a, b, slope, s->odd_flux[index])
            : rv_pipe_flux_wet(&s->law, a, b, p->opening, slope, s->odd_flux[index]);
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

// ---- Scales --------------------------------------------------------------------------------------

rv_column_sums rv_pipes_sums(const rv_solver *s, const rv_odd_column *column, size_t pitch)
{
    uint32_t i = column->slot;
    const float regular[4] = {-s->flux_x[i - 1], s->flux_x[i], -s->flux_y[i - pitch], s->flux_y[i]};
    float out[4], in[4], net[4]; // by side; net and flux are positive outward
    for (int side = 0; side < 4; side++) {
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
    return (rv_column_sums){(out[0] + out[1]) + (out[2] + out[3]), (in[0] + in[1]) + (in[2] + in[3]),
                            (-net[0] - net[1]) + (-net[2] - net[3])};
}

static bool is_awake(const rv_solver *s, const rv_odd_column *column)
{
    return s->awake[column->row] >> column->block & 1;
}

static void scale_row(rv_solver *s, uint32_t r)
{
    size_t pitch = pitch_of(s, r);
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        size_t i = s->row[r].first + (size_t)run.x;
        s->rows->scale(&s->law, row_at(s, i), s->flux_x + i, s->flux_y + i - pitch, s->flux_y + i,
                       s->out_scale + i, s->in_scale + i, run.count);
    }
    for (uint32_t k = s->row[r].odd_first; k < s->row[r].odd_first + s->row[r].odd_count; k++) {
        const rv_odd_column *column = &s->odd_column[k];
        if (!is_awake(s, column)) continue;
        uint32_t i = column->slot;
        rv_column_sums sums = rv_pipes_sums(s, column, pitch);
        s->out_scale[i] = rv_out_scale(s->depth[i], s->law.dt_area * sums.out);
        s->in_scale[i] = rv_in_scale(s->depth[i], rv_cap(s, i), s->law.dt_area * sums.in);
    }
    s->row_cut[r] = 0;
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run))
        s->row_cut[r] |= (uint8_t)s->rows->any_cut(s->in_scale + s->row[r].first + run.x, run.count);
}

static void scale_task(void *context, int task)
{
    rv_solver *s = context;
    span rows = task_rows(s, task);
    for (uint32_t r = rows.first; r < rows.end; r++)
        if (s->awake[r]) scale_row(s, r);
}

// ---- Scaled fluxes and levels --------------------------------------------------------------------

static void finish_row(rv_solver *s, uint32_t r)
{
    size_t pitch = pitch_of(s, r);
    const float *out = s->out_scale, *in = s->in_scale;
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        size_t i = s->row[r].first + (size_t)run.x;
        s->rows->finish(s->flux_x + i, out + i, in + i, out + i + 1, in + i + 1, run.count);
        s->rows->finish(s->flux_y + i, out + i, in + i, out + i + pitch, in + i + pitch, run.count);
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
        for (uint32_t r = rows.first; r < rows.end; r++) finish_row(s, r);
    } else {
        span odds = task_odds(s, task);
        for (uint32_t i = odds.first; i < odds.end; i++) finish_odd(s, i);
    }
}

static void level_row(rv_solver *s, uint32_t r)
{
    int32_t most[64]; // by block
    size_t pitch = pitch_of(s, r);
    uint32_t first = s->row[r].odd_first, end = first + s->row[r].odd_count;
    for (uint32_t k = first; k < end; k++) {
        const rv_odd_column *column = &s->odd_column[k];
        float gain = rv_pipes_sums(s, column, pitch).gain;
        s->odd_depth[k] =
            rv_depth_after(s->depth[column->slot], s->law.dt_area * gain, s->law.salt);
    }
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        size_t i = s->row[r].first + (size_t)run.x;
        s->rows->level(&s->law, s->depth + i, s->flux_x + i, s->flux_y + i - pitch, s->flux_y + i,
                       run.count, s->block_width, most + run.x / s->block_width);
    }
    for (uint32_t k = first; k < end; k++)
        if (is_awake(s, &s->odd_column[k])) s->depth[s->odd_column[k].slot] = s->odd_depth[k];
    if (end > first)
        rv_pipes_scan_row(s, r);
    else
        rv_pipes_note_row(s, r, most);
}

static void level_task(void *context, int task)
{
    rv_solver *s = context;
    span rows = task_rows(s, task);
    for (uint32_t r = rows.first; r < rows.end; r++)
        if (s->awake[r]) level_row(s, r);
}

// ---- The whole -----------------------------------------------------------------------------------

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
    rv_parallel_for(pool, rows, head_task, s);
    rv_passages_heads(s);
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

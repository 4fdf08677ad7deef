// One substep (SPEC §9; physics.h has the equations): velocities, fluxes, scaling, depths. Each
// pass writes only its own row. With one thread the passes go over the grid together, with several
// one after the other over rows in parallel; the result is the same. Rows know where they are wet;
// what is dry and has dry neighbours sleeps, with velocities and fluxes of zero.
#include "solvers/swe/swe.h"

#include <math.h>
#include <string.h>

#define ROWS_PER_TASK 16
#define CELLS_WORTH_THREADS 8192 // under this a pass is shorter than waking a thread
#define INNER_MOST 64            // parts of a substep in which the liquid became faster

// ---- What sleeps --------------------------------------------------------------------------------

static rv_swe_span join(rv_swe_span a, rv_swe_span b)
{
    if (a.end == 0) return b;
    if (b.end == 0) return a;
    return (rv_swe_span){a.first < b.first ? a.first : b.first, a.end > b.end ? a.end : b.end};
}

static void put_to_sleep(rv_solver *s, int y, int first, int end)
{
    if (end <= first) return;
    size_t i = rv_swe_at(s, first, y), bytes = (size_t)(end - first) * sizeof(float);
    float *arrays[] = {s->speed_x, s->speed_y, s->last_x, s->last_y, s->flux_x, s->flux_y};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) memset(arrays[k] + i, 0, bytes);
}

static bool holds_level(const rv_solver *s, int side)
{
    return s->passable[side] && rv_swe_border(s, side) == RV_BORDER_LEVEL;
}

static rv_swe_span awake_of(const rv_solver *s, int y)
{
    int width = rv_swe_width(s);
    rv_swe_span span = s->wet[y];
    if (y > 0) span = join(span, s->wet[y - 1]);
    if (y + 1 < s->ny) span = join(span, s->wet[y + 1]);
    // a level that is held beyond a border can flood dry cells
    if (holds_level(s, 0)) span = join(span, (rv_swe_span){0, RV_SWE_BLOCK});
    if (holds_level(s, 1)) span = join(span, (rv_swe_span){width - RV_SWE_BLOCK, width});
    if ((y == 0 && holds_level(s, 2)) || (y == s->ny - 1 && holds_level(s, 3)))
        span = (rv_swe_span){0, width};
    if (span.end == 0) return span;
    span.first -= span.first > 0 ? RV_SWE_BLOCK : 0;
    span.end += span.end < width ? RV_SWE_BLOCK : 0;
    return span;
}

static void wake(rv_solver *s)
{
    for (int y = 0; y < s->ny; y++) {
        rv_swe_span was = s->awake[y], now = awake_of(s, y);
        s->awake[y] = now;
        if (was.end == 0) continue;
        if (now.end == 0) {
            put_to_sleep(s, y, was.first, was.end);
            continue;
        }
        put_to_sleep(s, y, was.first, now.first < was.end ? now.first : was.end);
        put_to_sleep(s, y, now.end > was.first ? now.end : was.first, was.end);
    }
}

// ---- Velocities ---------------------------------------------------------------------------------

// Cells and run of a row's faces along x: one more, in the ring, where the west border is passable.
static rv_swe_span faces_x(const rv_solver *s, int y)
{
    rv_swe_span span = s->awake[y];
    if (span.end > 0 && span.first == 0 && s->passable[0]) span.first = -1;
    if (span.first < 0 && span.end > s->nx) span.end = s->nx; // stays inside the row
    return span;
}

static rv_swe_cells cells_at(const rv_solver *s, size_t i)
{
    const float *press = rv_swe_pressed(s);
    return (rv_swe_cells){s->bed + i, s->depth + i, press ? press + i : NULL};
}

static rv_swe_around around_x(const float *u)
{
    return (rv_swe_around){u - 2, u - 1, u, u + 1, u + 2};
}

static rv_swe_around around_y(const rv_solver *s, const float *u, size_t i, int y)
{
    return (rv_swe_around){rv_swe_row_by(s, u, i, y, -2), rv_swe_row_by(s, u, i, y, -1), u + i,
                           rv_swe_row_by(s, u, i, y, 1), rv_swe_row_by(s, u, i, y, 2)};
}

static rv_swe_around alone(const float *u)
{
    return (rv_swe_around){u, u, u, u, u};
}

// NULL: all beds of the row are level.
static const uint16_t *tilts(const rv_solver *s, const uint16_t *tilt, size_t i, int y)
{
    return y >= 0 && s->row_tilted[y] ? tilt + i : NULL;
}

static void velocity_x(rv_solver *s, int y)
{
    rv_swe_span run = faces_x(s, y);
    if (run.end <= run.first) return;
    size_t i = rv_swe_at(s, run.first, y), south = i - (size_t)s->pitch;
    bool semi = s->params.swe_advection == RV_SWE_SEMI;
    const float *u = semi ? s->speed_x : s->last_x;
    const float *f = s->flux_x + i, *side = s->flux_y;
    rv_swe_ends ends = {f - 1, f, f + 1, side + south, side + south + 1, side + i, side + i + 1};
    s->rows->velocity[s->bare][s->limited](
        &s->law, cells_at(s, i), cells_at(s, i + 1), semi ? alone(u + i) : around_x(u + i),
        semi ? alone(u + i) : around_y(s, u, i, y), ends, tilts(s, s->tilt_x, i, y), s->speed_x + i,
        run.end - run.first);
}

// Faces to the row above; y is -1 for those of the south border.
static void velocity_y(rv_solver *s, int y)
{
    rv_swe_span run = s->awake[y < 0 ? 0 : y];
    if (run.end == 0) return;
    size_t i = rv_swe_at(s, run.first, y), north = i + (size_t)s->pitch;
    bool semi = s->params.swe_advection == RV_SWE_SEMI;
    const float *u = semi ? s->speed_y : s->last_y;
    const float *f = s->flux_y, *side = s->flux_x;
    rv_swe_ends ends = {rv_swe_row_by(s, f, i, y, -1),
                        f + i,
                        f + north,
                        side + i - 1,
                        side + north - 1,
                        side + i,
                        side + north};
    s->rows->velocity[s->bare][s->limited](
        &s->law, cells_at(s, i), cells_at(s, north), semi ? alone(u + i) : around_y(s, u, i, y),
        semi ? alone(u + i) : around_x(u + i), ends, tilts(s, s->tilt_y, i, y), s->speed_y + i,
        run.end - run.first);
    // the loop goes on past the row's end: what stands beyond the east border is at rest along it,
    // as beyond the west one
    s->speed_y[rv_swe_at(s, s->nx, y)] = 0.0f;
}

static void velocity_row(rv_solver *s, int y)
{
    if (s->params.swe_advection == RV_SWE_SEMI) {
        rv_swe_span run = y < 0 ? s->awake[0] : faces_x(s, y);
        rv_swe_trace(s, y, run.first, run.end - run.first);
    }
    if (y >= 0) velocity_x(s, y);
    velocity_y(s, y);
}

// ---- Fluxes -------------------------------------------------------------------------------------

static void flux_x(rv_solver *s, int y)
{
    rv_swe_span run = faces_x(s, y);
    if (run.end <= run.first) return;
    size_t i = rv_swe_at(s, run.first, y), south = i - (size_t)s->pitch;
    const float *u = s->speed_x + i, *v = s->speed_y;
    rv_swe_sweep a = {s->depth + i, s->depth + i - 1, s->bed + i, {u - 1, u, v + south, v + i}};
    rv_swe_sweep b = {
        s->depth + i + 1, s->depth + i + 2, s->bed + i + 1, {u, u + 1, v + south + 1, v + i + 1}};
    s->rows->flux(&s->law, a, b, u, s->flux_x + i, run.end - run.first);
}

static void flux_y(rv_solver *s, int y)
{
    rv_swe_span run = s->awake[y < 0 ? 0 : y];
    if (run.end == 0) return;
    size_t i = rv_swe_at(s, run.first, y), north = i + (size_t)s->pitch;
    const float *u = s->speed_x, *v = s->speed_y;
    rv_swe_sweep a = {s->depth + i,
                      rv_swe_row_by(s, s->depth, i, y, -1),
                      s->bed + i,
                      {rv_swe_row_by(s, v, i, y, -1), v + i, u + i - 1, u + i}};
    rv_swe_sweep b = {s->depth + north,
                      rv_swe_row_by(s, s->depth, i, y, 2),
                      s->bed + north,
                      {v + i, v + north, u + north - 1, u + north}};
    s->rows->flux(&s->law, a, b, v + i, s->flux_y + i, run.end - run.first);
    s->flux_y[rv_swe_at(s, s->nx, y)] = 0.0f;
}

static void flux_row(rv_solver *s, int y)
{
    if (y >= 0) flux_x(s, y);
    flux_y(s, y);
}

// ---- Scaling and depths -------------------------------------------------------------------------

static void scale_row(rv_solver *s, int y)
{
    rv_swe_span run = s->awake[y];
    s->row_cut[y] = 0;
    if (run.end == 0) return;
    size_t i = rv_swe_at(s, run.first, y);
    const float *low = s->flux_y + i - s->pitch, *high = s->flux_y + i;
    int count = run.end - run.first;
    int cut = s->lid_near ? s->rows->scale(&s->law, s->depth + i, s->bed + i,
                                           (float)s->columns->grid.top, s->flux_x + i, low, high,
                                           s->out_scale + i, s->in_scale + i, count)
                          : s->rows->scale_out(&s->law, s->depth + i, s->flux_x + i, low, high,
                                               s->out_scale + i, count);
    // what stands beyond a border gives and takes all
    s->out_scale[rv_swe_at(s, s->nx, y)] = s->in_scale[rv_swe_at(s, s->nx, y)] = 1.0f;
    s->row_cut[y] = (uint8_t)cut;
}

static void finish_run(rv_solver *s, float *flux, size_t i, size_t to, int count)
{
    const float *out = s->out_scale, *in = s->in_scale;
    s->rows->finish(flux + i, out + i, in + i, out + to, in + to, count);
}

static void finish_row(rv_solver *s, int y)
{
    bool here = y >= 0 && s->row_cut[y], above = y + 1 < s->ny && s->row_cut[y + 1];
    rv_swe_span run = s->awake[y < 0 ? 0 : y];
    if ((!here && !above) || run.end == 0) return;
    size_t i = rv_swe_at(s, run.first, y);
    finish_run(s, s->flux_y, i, i + (size_t)s->pitch, run.end - run.first);
    if (!here) return;
    run = faces_x(s, y);
    i = rv_swe_at(s, run.first, y);
    finish_run(s, s->flux_x, i, i + 1, run.end - run.first);
}

static rv_swe_spread spread_at(const rv_solver *s, size_t i)
{
    return (rv_swe_spread){s->speed_x + i - 1, s->speed_x + i, s->speed_y + i - s->pitch,
                           s->speed_y + i};
}

static void note(rv_solver *s, int y, int first, rv_swe_found found)
{
    s->wet[y] =
        found.end > 0 ? (rv_swe_span){first + found.first, first + found.end} : (rv_swe_span){0, 0};
    s->row_most[y] = found.not_finite ? INFINITY : found.most;
    s->row_pace[y] = found.pace;
}

static void level_row(rv_solver *s, int y)
{
    rv_swe_span run = s->awake[y];
    rv_swe_found found = {0};
    size_t i = rv_swe_at(s, run.first, y), beyond = rv_swe_at(s, s->nx, y);
    s->depth[beyond] = -1.0f; // what is found in the row does not count it
    if (run.end > 0)
        found = s->rows->level(&s->law, s->depth + i, s->flux_x + i, s->flux_y + i - s->pitch,
                               s->flux_y + i, spread_at(s, i), run.end - run.first);
    s->depth[beyond] = 0.0f;
    note(s, y, run.first, found);
}

// ---- Passes and sweep ---------------------------------------------------------------------------

typedef void row_pass(rv_solver *s, int y);

// The passes in their order. Those over faces have a row in the ring where the south border is
// passable.
static const struct {
    row_pass *row;
    bool faces;
    int lag; // rows behind the first pass in a sweep
} passes[] = {{velocity_row, true, 0},
              {flux_row, true, 1},
              {scale_row, false, 1},
              {finish_row, true, 2},
              {level_row, false, 2}};
enum { PASSES = sizeof passes / sizeof *passes };

typedef struct pass_rows {
    rv_solver *s;
    int pass;
} pass_rows;

static void pass_task(void *context, int task)
{
    const pass_rows *p = context;
    rv_solver *s = p->s;
    int first = task * ROWS_PER_TASK, end = first + ROWS_PER_TASK;
    if (end > s->ny) end = s->ny;
    if (first == 0 && passes[p->pass].faces && s->passable[2]) first = -1;
    for (int y = first; y < end; y++) passes[p->pass].row(s, y);
}

// All passes at once, each some rows behind the one before, so that the arrays go through the
// caches once. A row's flux needs the velocities of the next row, its depth changes only when the
// next row's flux is known, and no pass needs what a later one has changed.
static void sweep(rv_solver *s)
{
    int lowest = s->passable[2] ? -1 : 0;
    for (int y = lowest; y < s->ny + passes[PASSES - 1].lag; y++)
        for (int k = 0; k < PASSES; k++) {
            int row = y - passes[k].lag;
            if (row >= (passes[k].faces ? lowest : 0) && row < s->ny) passes[k].row(s, row);
        }
}

// ---- What is known of the whole -----------------------------------------------------------------

// Sets cells that are not finite dry, and counts them.
static void mend(rv_solver *s)
{
    for (int y = 0; y < s->ny; y++)
        for (int x = 0; x < s->nx; x++) {
            size_t i = rv_swe_at(s, x, y);
            float *flow[] = {&s->speed_x[i], &s->speed_y[i], &s->flux_x[i], &s->flux_y[i]};
            for (int k = 0; k < 4; k++)
                if (!(fabsf(*flow[k]) < 3e38f)) *flow[k] = 0.0f;
            if (s->depth[i] >= 0.0f && s->depth[i] < 3e38f) continue;
            s->depth[i] = 0.0f;
            s->totals.not_finite++;
        }
}

static void scan_rows(rv_solver *s)
{
    for (int y = 0; y < s->ny; y++) {
        size_t i = rv_swe_at(s, 0, y);
        note(s, y, 0, s->rows->survey(&s->law, s->depth + i, spread_at(s, i), rv_swe_width(s)));
        s->awake[y] = (rv_swe_span){0, rv_swe_width(s)}; // lets what sleeps be cleared
    }
}

static float gather(rv_solver *s)
{
    float most = 0.0f, pace = 0.0f;
    for (int y = 0; y < s->ny; y++) {
        most = rv_f_max(s->row_most[y], most);
        pace = rv_f_max(s->row_pace[y], pace);
    }
    s->deepest = most > s->law.film ? (double)most : 0.0;
    s->pace = (double)pace;
    return most;
}

void rv_swe_scan(rv_solver *s)
{
    scan_rows(s);
    if (gather(s) < 3e38f) return;
    mend(s);
    scan_rows(s);
    gather(s);
}

void rv_swe_touch(rv_solver *s, uint32_t flat)
{
    int y = (int)((flat - s->first) / (size_t)s->pitch);
    int x = (int)(flat - rv_swe_at(s, 0, y)) / RV_SWE_BLOCK * RV_SWE_BLOCK;
    float depth = s->depth[flat];
    if (!(depth > s->law.film)) return;
    s->wet[y] = join(s->wet[y], (rv_swe_span){x, x + RV_SWE_BLOCK});
    rv_swe_spread u = spread_at(s, flat);
    float along = rv_f_max(rv_f_abs(*u.low), rv_f_abs(*u.high));
    float side = rv_f_max(rv_f_abs(*u.low_side), rv_f_abs(*u.high_side));
    float pace = rv_swe_pace(&s->law, depth, along, side);
    s->row_most[y] = rv_f_max(s->row_most[y], depth);
    s->row_pace[y] = rv_f_max(s->row_pace[y], pace);
    if ((double)depth > s->deepest) s->deepest = (double)depth;
    if ((double)pace > s->pace) s->pace = (double)pace;
}

// ---- Borders ------------------------------------------------------------------------------------

// The ring's velocities and fluxes stand in the rim between substeps.
static void take_rim(rv_solver *s)
{
    for (int y = 0; s->passable[0] && y < s->ny; y++) {
        size_t i = rv_swe_at(s, -1, y);
        s->speed_x[i] = s->rim[s->y0 + y].speed, s->flux_x[i] = s->rim[s->y0 + y].flux;
    }
    const rv_swe_rim *south = s->rim + s->columns->grid.ny;
    for (int x = 0; s->passable[2] && x < s->nx; x++) {
        size_t i = rv_swe_at(s, x, -1);
        s->speed_y[i] = south[s->x0 + x].speed, s->flux_y[i] = south[s->x0 + x].flux;
    }
}

static void put_rim(rv_solver *s)
{
    for (int y = 0; s->passable[0] && y < s->ny; y++) {
        size_t i = rv_swe_at(s, -1, y);
        s->rim[s->y0 + y] = (rv_swe_rim){s->speed_x[i], s->flux_x[i]};
    }
    rv_swe_rim *south = s->rim + s->columns->grid.ny;
    for (int x = 0; s->passable[2] && x < s->nx; x++) {
        size_t i = rv_swe_at(s, x, -1);
        south[s->x0 + x] = (rv_swe_rim){s->speed_y[i], s->flux_y[i]};
    }
}

static void count_flow(rv_solver *s, double volume)
{
    if (volume > 0.0)
        s->totals.border_out += volume;
    else
        s->totals.border_in -= volume;
}

static void count_borders(rv_solver *s, double dt)
{
    for (int y = 0; y < s->ny; y++) {
        if (s->passable[0]) count_flow(s, -dt * (double)s->flux_x[rv_swe_at(s, -1, y)]);
        if (s->passable[1]) count_flow(s, dt * (double)s->flux_x[rv_swe_at(s, s->nx - 1, y)]);
    }
    for (int x = 0; x < s->nx; x++) {
        if (s->passable[2]) count_flow(s, -dt * (double)s->flux_y[rv_swe_at(s, x, -1)]);
        if (s->passable[3]) count_flow(s, dt * (double)s->flux_y[rv_swe_at(s, x, s->ny - 1)]);
    }
}

// ---- The whole ----------------------------------------------------------------------------------

void rv_swe_set_law(rv_solver *s, double dt)
{
    const rv_params *p = &s->params;
    double dx = p->grid_dx, g = rv_gravity_down(p), last = (double)s->clock.last;
    // velocities go from the middle of the last substep to the middle of this one
    double time = 0.5 * (last + dt), nu = p->liquid_viscosity;
    s->law = (rv_swe_law){
        .push = (float)(time * g / dx),
        .kept = (float)pow(p->swe_kept, time),
        .drag = (float)(3.0 * time * nu),
        .film = rv_f_max((float)p->pipes_film, 1e-25f), // something to divide by
        .fall = (float)(dx * tan(60.0 * 3.14159265358979323846 / 180.0)),
        .carried = (float)(last / (dx * dx)),
        .courant = (float)(dt / dx),
        .width = (float)dx,
        .dt_area = (float)(dt / (dx * dx)),
        .second = p->swe_order == 2 ? 1.0f : 0.0f,
        .deepest = g > 0.0 ? (float)(dx * dx / (2.0 * g * dt * dt)) : INFINITY,
        .fastest = (float)(dx / dt),
        .held = g > 0.0 ? (float)fmin(pow(90.0 * nu * nu / g, 2.0), 1e30) : 0.0f,
        .free = p->swe_slope == RV_SWITCH_ON ? 0.0f : 1.0f,
        .tilt = p->swe_slope == RV_SWITCH_OFF ? 0.0f : 1.0f / RV_TILT_ONE,
        .gravity = (float)(2.0 * g),
        .salt = rv_salt(s->clock.substeps),
    };
    s->bare = nu == 0.0 && p->swe_slope != RV_SWITCH_ON;
}

static void swap(float **a, float **b)
{
    float *kept = *a;
    *a = *b, *b = kept;
}

static bool worth_threads(const rv_solver *s)
{
    int64_t cells = 0;
    for (int y = 0; y < s->ny; y++) cells += s->awake[y].end - s->awake[y].first;
    return cells >= CELLS_WORTH_THREADS;
}

static void advance(rv_solver *s, double dt)
{
    bool borders = s->passable[0] || s->passable[1] || s->passable[2] || s->passable[3];
    rv_swe_set_law(s, dt);
    wake(s);
    if (borders) rv_swe_set_ring(s), take_rim(s);
    // even all neighbours' liquid together cannot lift a cell to the lid
    s->lid_near = borders || (double)s->highest_bed + 5.0 * s->deepest >= s->columns->grid.top;
    if (!s->lid_near && s->in_cut)
        for (size_t i = 0; i < s->slots; i++) s->in_scale[i] = 1.0f;
    s->in_cut = s->lid_near;
    swap(&s->speed_x, &s->last_x), swap(&s->speed_y, &s->last_y);
    if (rv_pool_threads(s->pool) > 1 && worth_threads(s)) {
        for (int k = 0; k < PASSES; k++)
            rv_parallel_for(s->pool, (s->ny + ROWS_PER_TASK - 1) / ROWS_PER_TASK, pass_task,
                            &(pass_rows){s, k});
    } else {
        sweep(s);
    }
    if (borders) count_borders(s, dt), put_rim(s);
    s->clock.substeps++, s->clock.last = (float)dt;
    if (!(gather(s) < 3e38f)) rv_swe_scan(s);
}

// A step's substeps are counted when it begins; where the liquid becomes faster on the way, a
// substep is divided again.
void rv_swe_step(rv_solver *s, double dt)
{
    double parts = ceil(dt * s->pace / s->params.grid_dx);
    int n = parts > 1.0 ? (int)fmin(parts, INNER_MOST) : 1;
    s->limited = s->clipped || parts > INNER_MOST;
    if (s->clipped) n = 1;
    for (int i = 0; i < n && s->ny > 0; i++) advance(s, dt / n);
}

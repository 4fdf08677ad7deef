// The solver `swe`: the shallow water equations on a staggered grid (SPEC §9; papers 000 and 003
// §7). This file is what the world sees of it: making, stepping, changing, asking. The physics is
// in physics.h, the passes are in step.c.
#include "solvers/swe/swe.h"

#include "solvers/stream.h"

#include <math.h>

static void release(rv_solver *s)
{
    rv_allocator allocator = s->allocator;
    rv_swe_release(s);
    rv_free(&allocator, s, 1, sizeof *s);
}

static rv_result create(const rv_solver_setup *setup, rv_solver **out)
{
    rv_solver *s = rv_new(setup->allocator, 1, sizeof *s);
    if (!s) return RV_OUT_OF_MEMORY;
    s->columns = setup->columns, s->params = *setup->params;
    s->pool = setup->pool, s->allocator = *setup->allocator;
    s->rows = rv_swe_rows_best();
    rv_result result = rv_swe_build(s);
    if (result != RV_OK) {
        release(s);
        return result;
    }
    rv_swe_set_law(s, s->params.time_step);
    rv_swe_scan(s);
    *out = s;
    return RV_OK;
}

static void set_params(rv_solver *s, const rv_params *params)
{
    s->params = *params;
    rv_swe_set_sides(s);
    rv_swe_set_law(s, s->params.time_step);
    rv_swe_scan(s);
}

// The rate goes up at once but down only when much lower: a number of substeps that changes in time
// with a wave would feed it, as a child pumps a swing.
static int substeps(rv_solver *s, double dt)
{
    const rv_params *p = &s->params;
    double rate = s->pace / (p->grid_dx * p->time_safety); // 1/s
    double held = (double)s->clock.rate;
    if (rate > held || rate < 0.75 * held) s->clock.rate = (float)rate;
    double count = ceil(dt * (double)s->clock.rate);
    s->clipped = count > p->time_substeps_max;
    if (s->clipped) {
        s->totals.clipped++;
        count = p->time_substeps_max;
    }
    s->totals.substeps = count > 1.0 ? (int)count : 1;
    return s->totals.substeps;
}

// Heads by slot of the columns; where cells have several, those of the topmost ones.
static void gather_press(rv_solver *s)
{
    if (!s->press || s->raised_count == 0) return;
    float *own = s->seen + 3 * s->slots;
    for (size_t i = 0; i < s->slots; i++) own[i] = s->press[i];
    for (uint32_t k = 0; k < s->raised_count; k++)
        own[s->raised[k].flat] = s->press[s->raised[k].top];
}

static void substep(rv_solver *s, double dt)
{
    gather_press(s);
    rv_swe_step(s, dt);
    rv_swe_see(s);
}

static double add(rv_solver *s, size_t slot, double depth)
{
    uint32_t i = rv_swe_flat(s, slot);
    if (i == RV_NO_SLOT) return 0.0;
    float before = s->depth[i], after = (float)((double)before + depth), cap = rv_swe_cap(s, i);
    if (!(after > 0.0f)) after = 0.0f;
    if (after > cap) after = before > cap ? before : cap;
    s->depth[i] = after;
    if (s->raised_count > 0) s->seen[slot] = after;
    rv_swe_touch(s, i);
    return (double)after - (double)before;
}

static void press(rv_solver *s, const float *head, rv_rect cells)
{
    (void)cells; // the head is 0 elsewhere, and reading it there costs little
    s->press = head;
}

static void changed(rv_solver *s)
{
    rv_swe_scan(s);
    rv_swe_see(s);
}

static void mean_speed(const rv_solver *s, size_t i, float out[2])
{
    out[0] = 0.5f * (s->speed_x[i - 1] + s->speed_x[i]);
    out[1] = 0.5f * (s->speed_y[i - (size_t)s->pitch] + s->speed_y[i]);
}

static void velocity(const rv_solver *s, size_t slot, float out[2])
{
    uint32_t i = rv_swe_flat(s, slot);
    out[0] = out[1] = 0.0f;
    if (i != RV_NO_SLOT && s->depth[i] > s->law.film) mean_speed(s, i, out);
}

static void stats(const rv_solver *s, rv_solver_stats *out)
{
    *out = s->totals;
    out->volume = 0.0, out->wet = 0, out->deepest = 0.0, out->fastest = 0.0;
    size_t pitch = (size_t)s->pitch;
    double area = s->params.grid_dx * s->params.grid_dx, energy = 0.0; // m³/s², over dx²
    for (int y = 0; y < s->ny; y++) {
        double volume = 0.0;
        for (size_t i = rv_swe_at(s, 0, y); i < rv_swe_at(s, s->nx, y); i++) {
            float d = s->depth[i], u[2], speed_x = s->speed_x[i], speed_y = s->speed_y[i];
            volume += (double)d;
            energy += 0.25 * (double)((d + s->depth[i + 1]) * speed_x * speed_x);
            energy += 0.25 * (double)((d + s->depth[i + pitch]) * speed_y * speed_y);
            if (!(d > s->law.film)) continue;
            out->wet++;
            out->deepest = fmax(out->deepest, (double)d);
            mean_speed(s, i, u);
            out->fastest = fmax(out->fastest, sqrt((double)(u[0] * u[0] + u[1] * u[1])));
        }
        out->volume += volume;
    }
    out->volume *= area;
    out->kinetic = s->params.liquid_density * area * energy;
    out->potential = rv_potential(s->columns, &s->params, s->raised_count > 0 ? s->seen : s->depth);
}

static void info(const rv_solver *s, rv_solver_info *out)
{
    out->pipes = 0, out->odd = 0;
    for (int y = 0; y < s->ny; y++)
        for (int x = 0; x < s->nx; x++) {
            size_t i = rv_swe_at(s, x, y);
            if (!(s->bed[i] < RV_SWE_WALL)) continue;
            out->pipes += x + 1 < s->nx && s->bed[i + 1] < RV_SWE_WALL;
            out->pipes += y + 1 < s->ny && s->bed[i + (size_t)s->pitch] < RV_SWE_WALL;
        }
    out->bytes = rv_swe_bytes(s);
    out->instructions = s->rows->name;
}

static int fields(rv_solver *s, rv_state_field *out)
{
    size_t n = s->slots, rim = (size_t)s->columns->grid.nx + (size_t)s->columns->grid.ny;
    int count = 0;
    out[count++] = (rv_state_field){"depth", s->depth, n, 4, true};
    out[count++] = (rv_state_field){"speed_x", s->speed_x, n, 4, true};
    out[count++] = (rv_state_field){"speed_y", s->speed_y, n, 4, true};
    out[count++] = (rv_state_field){"flux_x", s->flux_x, n, 4, true};
    out[count++] = (rv_state_field){"flux_y", s->flux_y, n, 4, true};
    out[count++] = (rv_state_field){"rim", s->rim, 2 * rim, 4, false};
    out[count++] = (rv_state_field){"clock", &s->clock, sizeof s->clock / 4, 4, false};
    return count;
}

static void view(const rv_solver *s, const float **depth, const float **flux_x,
                 const float **flux_y, const float **head)
{
    bool raised = s->raised_count > 0;
    *depth = raised ? s->seen : s->depth;
    *flux_x = raised ? s->seen + s->slots : s->flux_x;
    *flux_y = raised ? s->seen + 2 * s->slots : s->flux_y;
    *head = NULL;
}

const rv_solver_api rv_swe_api;
const rv_solver_api rv_swe_api = {
    .name = "swe",
    .check = rv_solver_check_down,
    .create = create,
    .destroy = release,
    .set_params = set_params,
    .substeps = substeps,
    .substep = substep,
    .add = add,
    .press = press,
    .push = rv_swe_push,
    .calm = rv_swe_calm,
    .changed = changed,
    .stats = stats,
    .info = info,
    .fields = fields,
    .edited = rv_swe_edited,
    .relaid = rv_swe_relaid,
    .view = view,
    .velocity = velocity,
};

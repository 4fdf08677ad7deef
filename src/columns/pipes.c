// The solver `pipes`: layered virtual pipes (SPEC §2; papers 000 and 003 §3). This file is what the
// world sees of it: making, stepping, changing, asking. The physics is in physics.h, the passes in
// step.c and strips.c, passages that are full to the ceiling in passages.c.
#include "columns/pipes.h"

#include "solvers/stream.h"

#include <math.h>

static void release(rv_solver *s)
{
    rv_allocator allocator = s->allocator;
    rv_passages_free(s);
    rv_pipes_free_edit(s);
    rv_pipes_release(s);
    rv_free(&allocator, s, 1, sizeof *s);
}

static rv_result create(const rv_solver_setup *setup, rv_solver **out)
{
    const rv_params *params = setup->params;
    rv_solver *s = rv_new(setup->allocator, 1, sizeof *s);
    if (!s) return RV_OUT_OF_MEMORY;
    s->columns = setup->columns, s->params = *params;
    s->pool = setup->pool, s->allocator = *setup->allocator;
    s->rows = rv_pipes_rows_best();
    s->eight = params->pipes_neighbours == RV_NEIGHBOURS_EIGHT;
    s->law.film = (float)params->pipes_film;
    rv_result result = rv_pipes_build(s);
    if (result != RV_OK) {
        release(s);
        return result;
    }
    rv_pipes_scan(s);
    *out = s;
    return RV_OK;
}

static void set_params(rv_solver *s, const rv_params *params)
{
    bool slopes =
        s->params.pipes_slope != params->pipes_slope || s->params.pipes_area != params->pipes_area;
    s->params = *params;
    s->law.film = (float)params->pipes_film;
    if (slopes) rv_pipes_build_slopes(s);
    rv_pipes_scan(s);
}

// Shares of the push (see joints.h), and the greatest share of it that a pattern of the grid's own
// size feels, over that of four neighbours: a chessboard, or stripes where the diagonals are
// strong.
static double set_shares(rv_solver *s)
{
    bool wet = s->params.pipes_area == RV_AREA_WET;
    s->share_axial = 1.0, s->share_diagonal = 0.0;
    if (!s->eight) return 1.0;
    s->share_axial = wet ? 2.0 / 3.0 : 1.0, s->share_diagonal = wet ? 1.0 / 6.0 : sqrt(0.5);
    // beside gaps the wet pipes are as strong as those of four neighbours
    return wet ? 1.0 : 0.5 * s->share_axial + s->share_diagonal;
}

// The bound dt = dx √(l / (2 g A)) of the explicit step (SPEC §2), with a share of it for safety.
// The rate goes up at once but down only when much lower: a number of substeps that changes in time
// with a wave would feed it, as a child pumps a swing.
static int substeps(rv_solver *s, double dt)
{
    const rv_params *p = &s->params;
    double height = p->pipes_area == RV_AREA_CELL ? p->grid_dx : s->deepest;
    double stiff = 2.0 * set_shares(s) * rv_pipe_reach(s);
    double rate = sqrt(stiff * rv_gravity_down(p) * height) / (p->grid_dx * p->time_safety); // 1/s
    double held = (double)s->clock.rate;
    if (rate > held || rate < 0.75 * held) s->clock.rate = (float)rate;
    double count = ceil(dt * (double)s->clock.rate);
    if (count > p->time_substeps_max) {
        s->totals.clipped++;
        count = p->time_substeps_max;
    }
    s->totals.substeps = count > 1.0 ? (int)count : 1;
    s->totals.iterations = 0;
    s->substeps_left = s->totals.substeps;
    return s->totals.substeps;
}

void rv_pipes_set_law(rv_solver *s, double dt)
{
    const rv_params *p = &s->params;
    double push = dt * rv_gravity_down(p) * rv_pipe_reach(s) / (double)RV_SLOPE_ONE;
    double weight = p->liquid_density * rv_gravity_down(p); // Pa/m
    set_shares(s);
    s->law = (rv_pipe_law){
        .push = (float)push,
        .push_cell = (float)(push * p->grid_dx),
        .share = (float)s->share_axial,
        .share_gap = p->pipes_area == RV_AREA_WET ? (float)(0.5 * s->share_diagonal) : 0.0f,
        .quotient = (float)(p->pipes_quotient * weight * weight),
        .kept = (float)(pow(p->pipes_kept, dt) * pow(p->pipes_kept_step, dt / p->time_step)),
        .drag = (float)(3.0 * dt * p->liquid_viscosity * (double)RV_SLOPE_ONE),
        .dt_area = (float)(dt / (p->grid_dx * p->grid_dx)),
        .film = (float)p->pipes_film,
        .salt = rv_salt(s->clock.substeps),
        .fall = (float)(p->grid_dx * tan(60.0 * 3.14159265358979323846 / 180.0)),
    };
    s->law_diagonal = s->law;
    s->law_diagonal.share = (float)s->share_diagonal, s->law_diagonal.share_gap = 0.0f;
    s->law_diagonal.fall = s->law.fall * 1.41421356f;
}

// Even all neighbours' liquid together cannot lift a column to the lid.
bool rv_pipes_lid_near(const rv_solver *s)
{
    double most = (s->eight ? 9.0 : 5.0) * s->deepest;
    return (double)s->highest_base + most >= s->params.grid_top || s->odd_count > 0;
}

static bool is_plain(const rv_solver *s)
{
    return s->columns->planes == 1 && s->odd_count == 0 && !s->has_ceilings &&
           !rv_pipes_lid_near(s);
}

static void substep(rv_solver *s, double dt)
{
    rv_pipes_set_law(s, dt);
    s->dt = dt;
    rv_pipes_wake(s);
    if (is_plain(s))
        rv_pipes_substep_strips(s);
    else
        rv_pipes_substep_split(s, dt);
    s->clock.substeps++;
    if (s->eight && --s->substeps_left <= 0) rv_pipes_see(s);
}

static void changed(rv_solver *s)
{
    rv_pipes_scan(s);
    if (s->eight) rv_pipes_see(s);
}

static double add(rv_solver *s, size_t slot, double depth)
{
    if (slot >= s->slots || !rv_column_exists(s->columns, slot)) return 0.0;
    float before = s->depth[slot];
    float after = (float)((double)before + depth);
    float cap = rv_cap(s, (uint32_t)slot);
    if (!(after > 0.0f)) after = 0.0f;
    if (after > cap) after = before > cap ? before : cap;
    s->depth[slot] = after;
    rv_pipes_touch(s, (uint32_t)slot);
    return (double)after - (double)before;
}

static void press(rv_solver *s, const float *head, rv_rect cells)
{
    s->press = head, s->pressed = head ? cells : (rv_rect){0, 0, 0, 0};
}

static rv_stream stream(const rv_solver *s)
{
    return (rv_stream){s->columns,
                       &s->params,
                       s->depth,
                       s->eight ? s->seen_x : s->flux_x,
                       s->eight ? s->seen_y : s->flux_y,
                       s->law.film};
}

static void velocity(const rv_solver *s, size_t slot, float out[2])
{
    rv_stream flow = stream(s);
    rv_stream_velocity(&flow, slot, out);
}

static void stats(const rv_solver *s, rv_solver_stats *out)
{
    rv_stream flow = stream(s);
    *out = s->totals;
    out->volume = 0.0, out->wet = 0, out->deepest = 0.0, out->fastest = 0.0, out->flooded = 0;
    for (uint32_t r = 0; r < s->row_count; r++) {
        double volume = 0.0;
        for (uint32_t i = s->row[r].first; i < s->row[r].first + s->row[r].count; i++) {
            float d = s->depth[i];
            volume += (double)d;
            if (!(d > s->law.film)) continue;
            out->wet++;
            out->flooded += s->full[i];
            if ((double)d > out->deepest) out->deepest = (double)d;
        }
        out->volume += volume;
    }
    out->volume *= s->params.grid_dx * s->params.grid_dx;
    rv_stream_measure(&flow, out);
}

static void info(const rv_solver *s, rv_solver_info *out)
{
    out->pipes = s->pipe_count;
    out->odd = 0;
    for (uint32_t i = 0; i < s->odd_count; i++) out->odd += s->odd[i].b != RV_NO_SLOT;
    out->bytes = s->slots * ((s->eight ? 13 : 7) * sizeof(float) + 2) +
                 s->odd_capacity * (sizeof *s->odd + sizeof(float) + sizeof *s->link) +
                 s->odd_column_count * (sizeof *s->odd_column + sizeof(float)) +
                 s->odd_of_count * sizeof *s->odd_of + s->halo_count * sizeof(float) +
                 s->row_count * (sizeof *s->row + 2 * sizeof(uint64_t) + sizeof(float) + 3) +
                 sizeof *s + rv_passages_bytes(s) + rv_pipes_edit_bytes(s);
    out->instructions = s->rows->name;
}

static int fields(rv_solver *s, rv_state_field *out)
{
    size_t n = s->slots;
    int count = 0;
    out[count++] = (rv_state_field){"depth", s->depth, n, 4, true};
    out[count++] = (rv_state_field){"flux_x", s->flux_x, n, 4, true};
    out[count++] = (rv_state_field){"flux_y", s->flux_y, n, 4, true};
    if (s->eight) {
        out[count++] = (rv_state_field){"flux_ne", s->flux_ne, n, 4, true};
        out[count++] = (rv_state_field){"flux_nw", s->flux_nw, n, 4, true};
    }
    out[count++] = (rv_state_field){"head", s->head, n, 4, true};
    out[count++] = (rv_state_field){"full", s->full, n, 1, true};
    out[count++] = (rv_state_field){"odd_flux", s->odd_flux, s->odd_count, 4, false};
    out[count++] = (rv_state_field){"clock", &s->clock, sizeof s->clock / 4, 4, false};
    return count;
}

static void view(const rv_solver *s, const float **depth, const float **flux_x,
                 const float **flux_y, const float **head)
{
    *depth = s->depth, *head = s->head;
    *flux_x = s->eight ? s->seen_x : s->flux_x, *flux_y = s->eight ? s->seen_y : s->flux_y;
}

const rv_solver_api rv_pipes_api;
const rv_solver_api rv_pipes_api = {
    .name = "pipes",
    .check = rv_solver_check_down,
    .create = create,
    .destroy = release,
    .set_params = set_params,
    .set_borders = rv_pipes_set_borders,
    .substeps = substeps,
    .substep = substep,
    .add = add,
    .press = press,
    .push = rv_pipes_push,
    .calm = rv_pipes_calm,
    .falls = rv_pipes_falls,
    .changed = changed,
    .stats = stats,
    .info = info,
    .fields = fields,
    .edited = rv_pipes_edited,
    .relaid = rv_pipes_relaid,
    .view = view,
    .velocity = velocity,
};

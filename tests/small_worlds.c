// Small worlds that many tests start from, and what most of them do with a world.
#include "small_worlds.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Worlds -------------------------------------------------------------------------------------

rv_world_def grid_def(rv_solver_kind solver, int nx, int ny, double dx)
{
    rv_world_def def = rv_default_world_def();
    def.params.solver = solver, def.params.tension_on = false;
    def.params.grid_nx = nx, def.params.grid_ny = ny, def.params.grid_dx = dx;
    return def;
}

rv_world_def cube_def(rv_splat_form form, int n)
{
    rv_world_def def = grid_def(RV_SOLVER_SPLAT, n, form == RV_SPLAT_2D ? 1 : n, 1.0 / n);
    def.params.splat_form = form, def.params.grid_top = 1;
    return def;
}

void small_grid(small_world *s, rv_solver_kind solver, int nx, int ny, double dx)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 4; i++) s->solid[i] = rv_default_solid_def();
    for (int i = 0; i < 2; i++) s->fill[i] = rv_default_fill_def();
    for (int i = 0; i < 8; i++) s->body[i] = rv_default_body_def();
    for (int i = 0; i < 3; i++) s->event[i] = rv_default_event_def();
    s->source = rv_default_source_def();
    s->drain = rv_default_drain_def();
    s->emitter = rv_default_emitter_def();
    s->def = grid_def(solver, nx, ny, dx);
    s->def.solids = s->solid, s->def.fills = s->fill, s->def.bodies = s->body;
    s->def.sources = &s->source, s->def.drains = &s->drain, s->def.emitters = &s->emitter;
    s->def.events = s->event;
}

void small_floor(small_world *s, int nx, int ny)
{
    small_grid(s, RV_SOLVER_PIPES, nx, ny, 0.01);
    s->def.params.grid_top = 0.6;
    s->solid[0].shape = RV_SHAPE_PLANE, s->solid[0].at.z = 0.1;
    s->def.solid_count = 1;
}

void small_spray(small_world *s)
{
    small_floor(s, 40, 40);
    s->def.params.spray_on = true, s->def.params.spray_drag = 0;
    s->def.params.drips_on = false;
}

void small_table(small_world *s)
{
    small_spray(s);
    s->solid[1].shape = RV_SHAPE_BOX, s->solid[1].at = (rv_vec3){0.005, 0, 0.35};
    s->solid[1].size = (rv_vec3){0.16, 0.16, 0.02};
    s->def.solid_count = 2;
    s->source.at = (rv_vec3){0, 0, 0.5}, s->source.radius = 0.02, s->source.rate = 1e-4;
    s->def.source_count = 1;
}

void small_collapse(small_world *s)
{
    small_spray(s);
    s->def.params.pipes_area = RV_AREA_CELL, s->def.params.pipes_kept = 0.9;
    s->fill[0].level = 0.13;
    s->fill[1].level = 0.33;
    s->fill[1].from = (rv_vec3){-0.07, -0.07, 0}, s->fill[1].to = (rv_vec3){0.07, 0.07, 1};
    s->def.fill_count = 2;
}

void small_tray(small_world *s, rv_solver_kind solver, rv_splat_form form)
{
    small_grid(s, solver, 60, form == RV_SPLAT_2D ? 1 : 40, 0.01);
    rv_params *p = &s->def.params;
    p->splat_form = form, p->grid_top = 0.3;
    p->pipes_kept = p->swe_kept = 1, p->liquid_viscosity = 0;
    s->fill[0].kind = RV_FILL_DEPTH, s->fill[0].depth = 0.06;
    s->fill[0].from = (rv_vec3){-0.1, -0.1, -1}, s->fill[0].to = (rv_vec3){0.1, 0.1, 1};
    s->fill[0].velocity = (rv_vec3){0.4, -0.1, 0};
    s->def.fill_count = 1;
}

void small_basin(small_world *s)
{
    small_grid(s, RV_SOLVER_PIPES, 22, 20, 1e-3);
    s->def.params.tension_on = true;
    s->solid[0].size = (rv_vec3){0.012, 0.008, 2e-3}, s->solid[0].at.z = 5e-3;
    s->solid[1].shape = RV_SHAPE_SPHERE, s->solid[1].at = (rv_vec3){6e-3, 5e-3, 0};
    s->fill[0].level = 6e-3, s->fill[0].to.x = 0;
    s->source.at = (rv_vec3){-4e-3, 3e-3, 0.02}, s->source.rate = 2e-7;
    s->drain.from.x = 7e-3, s->drain.rate = 1e-7;
    s->def.params.grid_top = 0.02;
    s->def.params.border_north = RV_BORDER_OPEN;
    s->def.solid_count = 2, s->def.fill_count = 1;
    s->def.source_count = 1, s->def.drain_count = 1;
}

void small_tanks(small_world *s, rv_solver_kind solver)
{
    small_grid(s, solver, 60, 8, 0.01);
    rv_params *p = &s->def.params;
    p->pipes_kept = p->swe_kept = 1, p->liquid_viscosity = 0;
    p->grid_top = 0.5, p->grid_bottom = -0.01;
    s->solid[0] = box_between(RV_UNION, -1, 1, -0.1, 0.5);
    s->solid[1] = box_between(RV_SUBTRACT, -0.3, -0.1, 0, 1);
    s->solid[2] = box_between(RV_SUBTRACT, 0.1, 0.3, 0, 1);
    s->solid[3] = box_between(RV_SUBTRACT, -0.11, 0.11, 0, 0.03);
    s->fill[0].level = 0.06;
    s->fill[1].level = 0.16, s->fill[1].to.x = -0.1;
    s->def.solid_count = 4, s->def.fill_count = 2;
}

void small_layers(small_world *s, rv_solver_kind solver)
{
    small_grid(s, solver, 40, 120, 1e-3);
    s->def.params.tension_on = true;
    rv_params *p = &s->def.params;
    p->pipes_kept = p->swe_kept = 1, p->liquid_viscosity = 1e-6;
    p->grid_top = 0.04, p->grid_bottom = -0.02;
    p->border_east = RV_BORDER_LEVEL, p->border_east_level = 0.005;
    p->border_south = RV_BORDER_OPEN;
    s->solid[0] = box_between(RV_UNION, -1, 1, -0.1, 0.002);
    s->solid[1] = box_between(RV_UNION, -0.008, 0.004, 0.006, 0.008);
    s->solid[2] = box_between(RV_UNION, -0.002, 0.012, 0.012, 0.014);
    s->solid[2].rotate.y = 0.2;
    s->fill[0].level = 0.009, s->fill[0].to.x = -0.004;
    s->def.solid_count = 3, s->def.fill_count = 1;
}

rv_solid_def box_between(rv_operation op, double x1, double x2, double z1, double z2)
{
    rv_solid_def solid = rv_default_solid_def();
    solid.shape = RV_SHAPE_BOX, solid.op = op;
    solid.at = (rv_vec3){0.5 * (x1 + x2), 0, 0.5 * (z1 + z2)};
    solid.size = (rv_vec3){x2 - x1, 1, z2 - z1};
    return solid;
}

rv_emitter_def block_between(rv_vec3 from, rv_vec3 to)
{
    rv_emitter_def e = rv_default_emitter_def();
    e.kind = RV_EMITTER_BLOCK, e.from = from, e.to = to;
    return e;
}

// ---- What tests do with them --------------------------------------------------------------------

rv_world *make(const rv_world_def *def)
{
    rv_messages messages = {0};
    rv_world *world = NULL;
    if (rv_world_create(def, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    assert_non_null(world);
    return world;
}

void expect_refused(const rv_world_def *def, const char *text)
{
    rv_messages messages = {0};
    rv_world *world = NULL;
    assert_int_equal(rv_world_create(def, &world, &messages), RV_BAD_ARGUMENT);
    assert_null(world);
    assert_string_equal(messages.text, text);
}

void run(rv_world *world, int steps, double dt)
{
    for (int i = 0; i < steps; i++) assert_int_equal(rv_world_step(world, dt), RV_OK);
}

rv_stats stats_of(const rv_world *world)
{
    rv_stats stats;
    assert_int_equal(rv_world_get_stats(world, &stats), RV_OK);
    return stats;
}

double balance(const rv_world *world)
{
    rv_stats s = stats_of(world);
    return s.volume + s.airborne + s.dew + s.held - s.sourced + s.drained;
}

unsigned char *save(const rv_world *world, size_t *size)
{
    *size = rv_world_snapshot_size(world);
    assert_true(*size > 0);
    unsigned char *buffer = malloc(*size);
    assert_non_null(buffer);
    assert_int_equal(rv_world_save(world, buffer, *size), RV_OK);
    return buffer;
}

void near(double measured, double exact, double tolerance)
{
    if (!(fabs(measured - exact) <= tolerance * fabs(exact)))
        fail_msg("%.9g is not %.9g to %g", measured, exact, tolerance);
}

void reseal(unsigned char *snapshot, size_t size)
{
    uint64_t sum = rv_hash_bytes(RV_HASH_START, snapshot, size - sizeof sum);
    memcpy(snapshot + size - sizeof sum, &sum, sizeof sum);
}

// What the tests of columns on a card share: a card, and worlds that are stepped both here and
// there.
#ifndef TESTS_CARD_WORLDS_H
#define TESTS_CARD_WORLDS_H

#include "small_worlds.h"

#include "driver_leaks.h"
#include "rivulet_gl/device_gl.h"

#include <stdlib.h>

typedef struct shared {
    rv_target *target;
    rv_device_gl *card;
    const rv_device *device;
} shared;

static int open_card(void **state, bool computes)
{
    shared *s = calloc(1, sizeof *s);
    rv_target_def def = {
        .kind = RV_TARGET_HEADLESS, .width = 16, .height = 16, .computes = computes};
    rv_messages messages = {0};
    *state = s;
    if (!s || rv_target_create(&def, &s->target, &messages) != RV_OK ||
        rv_device_gl_create(s->target, &s->card, &messages) != RV_OK) {
        print_error("%s\n", messages.text);
        return -1;
    }
    s->device = rv_device_gl_table(s->card);
    return 0;
}

// OpenGL ES, whose kernels have no doubles.
static inline int enter(void **state)
{
    return open_card(state, false);
}

// OpenGL 4.5, whose kernels have.
static inline int enter_doubles(void **state)
{
    int result = open_card(state, true);
    return result == 0 && !((shared *)*state)->device->doubles ? -1 : result;
}

static int leave(void **state)
{
    shared *s = *state;
    rv_device_gl_destroy(s->card);
    rv_target_destroy(s->target);
    free(s);
    return 0;
}

// The same world on the processor and on the card, step by step.
static inline void same_after(rv_world_def *def, const rv_device *device, int steps, double dt)
{
    def->device = NULL;
    rv_world *here = make(def);
    def->device = device;
    rv_world *there = make(def);
    for (int i = 0; i < steps; i++) {
        assert_int_equal(rv_world_step(here, dt), RV_OK);
        assert_int_equal(rv_world_step(there, dt), RV_OK);
        if (i % 5 != 4 && i + 1 < steps) continue;
        if (rv_world_hash(here) != rv_world_hash(there))
            fail_msg("other bits after %d steps", i + 1);
    }
    rv_stats a = stats_of(here), b = stats_of(there);
    assert_int_equal(a.all_substeps, b.all_substeps);
    assert_true(a.sourced == b.sourced && a.drained == b.drained && a.volume == b.volume);
    assert_true(a.kinetic == b.kinetic && a.deepest == b.deepest);
    rv_world_destroy(here);
    rv_world_destroy(there);
}

static const rv_device *device_of(void **state)
{
    return ((shared *)*state)->device;
}

// A slope with a source, a drain and a wall.
static inline void slope_world(small_world *s, rv_solver_kind solver)
{
    small_grid(s, solver, 45, 38, 0.002);
    s->def.params.grid_top = 0.2;
    s->solid[0] = rv_default_solid_def();
    s->solid[0].shape = RV_SHAPE_PLANE, s->solid[0].at = (rv_vec3){0, 0, 0.04};
    s->solid[0].rotate = (rv_vec3){0.2, -0.15, 0};
    s->source = rv_default_source_def();
    s->source.at = (rv_vec3){0, 0.01, 0.15}, s->source.radius = 0.01, s->source.rate = 3e-5;
    s->drain = rv_default_drain_def();
    s->drain.from = (rv_vec3){-1, -1, -1}, s->drain.to = (rv_vec3){0.02, 0, 1};
    s->drain.rate = 4e-6;
    s->def.solids = s->solid, s->def.solid_count = 1;
    s->def.sources = &s->source, s->def.source_count = 1;
    s->def.drains = &s->drain, s->def.drain_count = 1;
    s->def.params.tension_on = false;
}

#endif

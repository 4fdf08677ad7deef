// Pictures by compute: as they are drawn, whichever passes are kernels, with and without choosing
// triangles, while liquid moves.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app/bench_large.h"
#include "card_worlds.h"
#include "render/renderer_parts.h"

#include <string.h>

enum { WIDE = 75, HIGH = 53 };

typedef uint8_t picture[WIDE * HIGH][3];

typedef struct scene {
    rv_large_world large;
    rv_world *world;
    rv_surface *surface;
} scene;

// Three decks: layers, curtains through their openings, triangles smaller than a pixel.
static void open_decks(scene *s, const rv_device *device)
{
    assert_true(rv_large_make("decks-64", 64, NULL, NULL, &s->large, NULL));
    s->large.def.device = device;
    s->world = make(&s->large.def);
    assert_int_equal(rv_surface_create(s->world, &s->surface), RV_OK);
}

static void close_decks(scene *s)
{
    rv_surface_destroy(s->surface);
    rv_world_destroy(s->world);
    rv_large_free(&s->large);
}

static void step(scene *s)
{
    for (int n = 0; n < 3; n++)
        assert_int_equal(rv_world_step(s->world, s->large.def.params.time_step), RV_OK);
    assert_int_equal(rv_surface_update_drawn(s->surface, s->world), RV_OK);
}

static void draw(rv_renderer *r, rv_target *target, const scene *s, picture out)
{
    rv_messages messages = {0};
    if (rv_renderer_update(r, s->world, s->surface, &messages) != RV_OK)
        fail_msg("%s", messages.text);
    assert_int_equal(rv_renderer_draw(r, rv_world_params(s->world)), RV_OK);
    assert_int_equal(rv_target_read(target, &out[0][0]), RV_OK);
}

static int most_between(picture a, picture b)
{
    int most = 0;
    for (int n = 0; n < WIDE * HIGH; n++)
        for (int c = 0; c < 3; c++) {
            int by = abs(a[n][c] - b[n][c]);
            most = by > most ? by : most;
        }
    return most;
}

static rv_renderer *renderer_of(rv_target *target)
{
    rv_renderer *r = NULL;
    rv_messages messages = {0};
    if (rv_renderer_create(target, NULL, &r, &messages) != RV_OK) fail_msg("%s", messages.text);
    return r;
}

// The same frames by kernels and without, one after the other: what one frame leaves for the next
// is in it too.
static void computed_as_drawn(void **state)
{
    shared *s = *state;
    static picture computed, drawn, before;
    scene decks = {0};
    open_decks(&decks, device_of(state));
    assert_int_equal(rv_target_resize(s->target, WIDE, HIGH), RV_OK);
    rv_renderer *a = renderer_of(s->target), *b = renderer_of(s->target);
    assert_true(a->kernels.can);
    b->kernels.can = false;
    for (int n = 0; n < 4; n++) {
        step(&decks);
        draw(a, s->target, &decks, computed);
        assert_true(a->tiled && a->frame.shape[1].framebuffer);
        draw(b, s->target, &decks, drawn);
        assert_false(b->tiled || b->frame.over_read);
        assert_in_range(most_between(computed, drawn), 0, 2);
        if (n > 0) assert_true(most_between(computed, before) > 20); // something is seen to move
        memcpy(before, computed, sizeof before);
    }
    rv_renderer_destroy(a);
    rv_renderer_destroy(b);
    close_decks(&decks);
}

// From near by, then from afar, where what is cleared is a small part of the picture; then with a
// mark, for which all samples count, not only those of tiles with liquid.
static void marked_as_drawn(void **state)
{
    static const double zooms[] = {4, 0.3, 0.3, 0.3};
    shared *s = *state;
    static picture computed, drawn;
    scene decks = {0};
    open_decks(&decks, device_of(state));
    assert_int_equal(rv_target_resize(s->target, WIDE, HIGH), RV_OK);
    rv_renderer *a = renderer_of(s->target), *b = renderer_of(s->target);
    b->kernels.can = false;
    step(&decks);
    for (int n = 0; n < 4; n++) {
        rv_params p = *rv_world_params(decks.world);
        p.view_zoom = zooms[n];
        assert_int_equal(rv_world_set_params(decks.world, &p, NULL), RV_OK);
        const rv_mark mark = {n == 3, {0, 0, p.grid_top}, {0, 0, 1}, p.grid_dx, {1, 1, 1}};
        rv_renderer_set_mark(a, &mark);
        rv_renderer_set_mark(b, &mark);
        draw(a, s->target, &decks, computed);
        assert_int_equal(a->tiled, n < 3);
        draw(b, s->target, &decks, drawn);
        assert_in_range(most_between(computed, drawn), 0, 2);
    }
    rv_renderer_destroy(a);
    rv_renderer_destroy(b);
    close_decks(&decks);
}

// How many corners were chosen.
static GLuint chosen_of(const rv_renderer *r)
{
    GLuint count = 0;
    glBindBuffer(GL_COPY_READ_BUFFER, r->cull.work);
    const void *from = glMapBufferRange(GL_COPY_READ_BUFFER, 0, sizeof count, GL_MAP_READ_BIT);
    assert_non_null(from);
    memcpy(&count, from, sizeof count);
    glUnmapBuffer(GL_COPY_READ_BUFFER);
    return count;
}

// Of many small triangles few are chosen, and the picture is the same to the bit; from afar, from
// near by and from the side.
static void chosen_as_all(void **state)
{
    static const double elevations[] = {0.9, 0.2, 1.5}, zooms[] = {1, 4, 0.5};
    shared *s = *state;
    static picture chosen, all;
    scene decks = {0};
    open_decks(&decks, device_of(state));
    assert_int_equal(rv_target_resize(s->target, WIDE, HIGH), RV_OK);
    rv_renderer *a = renderer_of(s->target), *b = renderer_of(s->target);
    a->cull.least = 1, b->cull.least = SIZE_MAX;
    for (int n = 0; n < 3; n++) {
        rv_params p = *rv_world_params(decks.world);
        p.view_elevation = elevations[n], p.view_zoom = zooms[n];
        assert_int_equal(rv_world_set_params(decks.world, &p, NULL), RV_OK);
        step(&decks);
        GLint bound[4], after[4];
        for (GLuint k = 0; k < 4; k++)
            glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, k, &bound[k]);
        draw(a, s->target, &decks, chosen);
        for (GLuint k = 0; k < 4; k++)
            glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, k, &after[k]);
        assert_memory_equal(bound, after, sizeof bound); // the world's own kernels go on with them
        size_t corners = 3 * a->sheet.card.triangle_count;
        assert_int_equal(a->cull.samples, a->frame.samples);
        assert_true(chosen_of(a) < corners * 3 / 4 && chosen_of(a) > 0);
        draw(b, s->target, &decks, all);
        assert_int_equal(b->cull.work, 0);
        assert_int_equal(most_between(chosen, all), 0);
    }
    rv_renderer_destroy(a);
    rv_renderer_destroy(b);
    close_decks(&decks);
}

// Particles that fall beside a ball: rays through their density, edges and all, drawn from the
// card's memory while they move.
static void rays_as_drawn(void **state)
{
    shared *s = *state;
    static picture computed, drawn, before;
    small_world w;
    small_grid(&w, RV_SOLVER_SPLAT, 14, 11, 0.01);
    w.def.params.splat_form = RV_SPLAT_3D, w.def.params.grid_top = 0.13;
    w.emitter = block_between((rv_vec3){-1, -1, 0}, (rv_vec3){-0.01, 1, 0.1});
    w.def.emitters = &w.emitter, w.def.emitter_count = 1;
    w.solid[0] = rv_default_solid_def();
    w.solid[0].shape = RV_SHAPE_SPHERE, w.solid[0].at = (rv_vec3){0.02, 0, 0.02};
    w.solid[0].radius = 0.03;
    w.def.solids = w.solid, w.def.solid_count = 1, w.def.device = device_of(state);
    scene dam = {.world = make(&w.def)};
    assert_int_equal(rv_target_resize(s->target, WIDE, HIGH), RV_OK);
    rv_renderer *a = renderer_of(s->target), *b = renderer_of(s->target);
    b->kernels.can = false;
    for (int n = 0; n < 3; n++) {
        for (int k = 0; k < 4; k++) assert_int_equal(rv_world_step(dam.world, 0.006), RV_OK);
        draw(a, s->target, &dam, computed);
        draw(b, s->target, &dam, drawn);
        assert_true(a->kernels.rays && !a->program.density);
        assert_true(b->program.density && !b->kernels.rays);
        assert_in_range(most_between(computed, drawn), 0, 2);
        if (n > 0) assert_true(most_between(computed, before) > 20);
        memcpy(before, computed, sizeof before);
    }
    rv_renderer_destroy(a);
    rv_renderer_destroy(b);
    rv_world_destroy(dam.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computed_as_drawn),
        cmocka_unit_test(marked_as_drawn),
        cmocka_unit_test(chosen_as_all),
        cmocka_unit_test(rays_as_drawn),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}

// What is drawn of particles that are thin, and foam: films and threads without holes, drops that
// stay alone; foam where liquid strikes, which fades, is saved and does not depend on threads. Who
// looks changes nothing.
#include "small_worlds.h"

#include "mesh_check.h"
#include "particles/splat.h"
#include "world/world_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 24, FILM = 8 };

#define LEVEL 0.25
#define STEP 0.01

// ---- What is thin -------------------------------------------------------------------------------

// A world of FILM² particles in space, a cell apart at rest.
static rv_world *make_few(void)
{
    static rv_emitter_def block;
    rv_world_def def = grid_def(RV_SOLVER_SPLAT, N, N, 0.01);
    def.params.splat_form = RV_SPLAT_3D, def.params.splat_spacing = 1;
    def.params.grid_top = 0.01 * N, def.params.surface_level = LEVEL;
    block = block_between((rv_vec3){-0.04, -0.04, 0.1}, (rv_vec3){0.04, 0.04, 0.11});
    def.emitters = &block, def.emitter_count = 1;
    rv_world *world = make(&def);
    run(world, 1, 1e-5);
    return world;
}

// Puts particle n at (x, y, z), cells; those from `count` on far away into a corner.
typedef void layout(int n, float p[3]);

static void lay(rv_world *world, layout *where)
{
    rv_splat *s = (rv_splat *)world->solver;
    assert_int_equal(s->count, FILM * FILM);
    for (int n = 0; n < FILM * FILM; n++) where(n, rv_splat_particle(s, n));
    s->sorted = 0, s->density_fresh = s->shown.fresh = false;
}

// A film, two cells apart, that lies askew.
static void in_a_film(int n, float p[3])
{
    int i = n % FILM, j = n / FILM;
    p[0] = 4.3f + 2.0f * (float)i + 0.15f * sinf((float)(7 * n));
    p[1] = 4.3f + 2.0f * (float)j + 0.15f * cosf((float)(5 * n));
    p[2] = 9.0f + 0.15f * p[0] + 0.1f * p[1];
}

static void in_a_thread(int n, float p[3])
{
    int i = n < 9 ? n : 0;
    p[0] = 3.2f + 2.1f * (float)i, p[1] = 11.4f + 0.2f * sinf((float)i), p[2] = 12.1f;
}

static void in_two_places(int n, float p[3])
{
    p[0] = n % 2 ? 8.3f : 14.6f, p[1] = 12.2f, p[2] = 12.4f;
    if (n > 1) p[0] = p[1] = p[2] = 1.0f;
}

static float greatest_over(const rv_density *d, int i, int j)
{
    float most = 0.0f;
    for (int k = 0; k < d->nz; k++)
        most = fmaxf(most,
                     d->value[((size_t)k * (size_t)d->ny + (size_t)j) * (size_t)d->nx + (size_t)i]);
    return most;
}

// Columns of cells from 5 … 18 that have liquid.
static int columns_with(const rv_density *d)
{
    int count = 0;
    for (int j = 5; j <= 18; j++)
        for (int i = 5; i <= 18; i++) count += (double)greatest_over(d, i, j) >= LEVEL;
    return count;
}

static void films_have_no_holes(void **state)
{
    (void)state;
    rv_world *world = make_few();
    rv_density plain, drawn;
    lay(world, in_a_film);
    assert_int_equal(rv_world_get_density(world, &plain), RV_OK);
    assert_int_equal(rv_world_get_drawn_density(world, LEVEL, &drawn), RV_OK);
    assert_true(columns_with(&plain) < 100); // else this test is of nothing
    assert_int_equal(columns_with(&drawn), 14 * 14);
    assert_null(drawn.froth);
    // and it is a sheet, no thicker than three cells anywhere
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            int thick = 0;
            for (int k = 0; k < N; k++) thick += (double)drawn.value[(k * N + j) * N + i] >= LEVEL;
            assert_true(thick <= 3);
        }
    // its mesh is one closed piece without handles, which every hole would add one of
    rv_surface *surface;
    rv_surface_mesh got;
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    assert_int_equal(rv_surface_get_mesh(surface, &got), RV_OK);
    rv_mesh mesh = {.vertex_count = got.vertex_count,
                    .triangle_count = got.triangle_count,
                    .positions = (float *)(uintptr_t)got.positions,
                    .indices = (uint32_t *)(uintptr_t)got.indices};
    check_closed(&mesh, "a film");
    assert_int_equal((int)mesh.vertex_count - (int)mesh.triangle_count / 2, 2);
    double cells = volume_of(&mesh) / 1e-6; // a plate of about 15² cells
    assert_true(cells > 150 && cells < 600);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

static void rows_are_threads_and_single_ones_are_not_joined(void **state)
{
    (void)state;
    rv_world *world = make_few();
    rv_density drawn;
    lay(world, in_a_thread);
    assert_int_equal(rv_world_get_drawn_density(world, LEVEL, &drawn), RV_OK);
    for (int i = 4; i <= 19; i++) {
        float most = fmaxf(greatest_over(&drawn, i, 11), greatest_over(&drawn, i, 10));
        if ((double)most < LEVEL) fail_msg("torn at cell %d: %g", i, (double)most);
    }
    lay(world, in_two_places);
    assert_int_equal(rv_world_get_drawn_density(world, LEVEL, &drawn), RV_OK);
    for (int i = 10; i <= 12; i++) assert_true((double)greatest_over(&drawn, i, 12) < LEVEL);
    rv_world_destroy(world);
}

// Each level has an array of its own, as long as the particles stay and no more than four were
// asked for.
static void levels_do_not_overwrite_each_other(void **state)
{
    (void)state;
    rv_world *world = make_few();
    rv_density one, other, again;
    size_t bytes = (size_t)N * N * N * sizeof(float);
    float *kept = malloc(bytes);
    lay(world, in_a_film);
    assert_int_equal(rv_world_get_drawn_density(world, LEVEL, &one), RV_OK);
    memcpy(kept, one.value, bytes);
    for (int i = 1; i < 4; i++) {
        assert_int_equal(rv_world_get_drawn_density(world, (1 + i) * LEVEL, &other), RV_OK);
        assert_ptr_not_equal(other.value, one.value);
        assert_memory_not_equal(other.value, kept, bytes);
    }
    assert_memory_equal(one.value, kept, bytes);
    assert_int_equal(rv_world_get_drawn_density(world, LEVEL, &again), RV_OK);
    assert_ptr_equal(again.value, one.value);
    for (int i = 4; i < 8; i++) // more than are kept: the one asked for longest ago makes room
        assert_int_equal(rv_world_get_drawn_density(world, (1 + i) * LEVEL, &other), RV_OK);
    assert_int_equal(rv_world_get_drawn_density(world, LEVEL, &again), RV_OK);
    assert_memory_equal(again.value, kept, bytes);
    lay(world, in_a_thread);
    assert_int_equal(rv_world_get_drawn_density(world, LEVEL, &again), RV_OK);
    assert_memory_not_equal(again.value, kept, bytes);
    free(kept);
    rv_world_destroy(world);
}

// ---- Foam ---------------------------------------------------------------------------------------

static const rv_splat_form all_forms[] = {RV_SPLAT_2D, RV_SPLAT_3D, RV_SPLAT_HEIGHT};

// A block falls into a pool in the middle of a tank; as a height it is a heap that breaks.
static void falling(small_world *s, rv_splat_form form, double foam)
{
    small_grid(s, RV_SOLVER_SPLAT, N, form == RV_SPLAT_2D ? 1 : 16, 0.02);
    rv_params *p = &s->def.params;
    p->splat_form = form, p->splat_spacing = 1, p->grid_top = 0.02 * N;
    p->splat_foam = foam, p->splat_foam_life = 0.5;
    s->fill[0] = rv_default_fill_def();
    s->fill[0].kind = RV_FILL_LEVEL, s->fill[0].level = 0.1;
    s->def.fills = s->fill, s->def.fill_count = 1;
    s->emitter = block_between((rv_vec3){-0.06, -0.06, 0.22}, (rv_vec3){0.06, 0.06, 0.4});
    s->def.emitters = &s->emitter, s->def.emitter_count = 1;
}

// Mean and greatest of all particles.
static double foam_of(const rv_world *world, double *most)
{
    rv_particles p;
    double sum = 0;
    *most = 0;
    assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
    assert_non_null(p.air);
    for (int64_t i = 0; i < p.count; i++) {
        assert_true(p.air[i] >= 0.0f && p.air[i] <= 1.0f);
        sum += (double)p.air[i], *most = fmax(*most, (double)p.air[i]);
    }
    return sum / (double)p.count;
}

static void comes_and_fades(rv_splat_form form)
{
    small_world s;
    double most;
    falling(&s, form, 5);
    rv_world *world = make(&s.def);
    run(world, form == RV_SPLAT_HEIGHT ? 1 : 10, STEP); // still falling
    double before = foam_of(world, &most);
    run(world, 20, STEP);
    double struck = foam_of(world, &most);
    assert_true(before < 1e-4 && struck > 0.02 && most > (form == RV_SPLAT_HEIGHT ? 0.4 : 0.5));
    run(world, form == RV_SPLAT_3D ? 200 : 400, STEP);
    assert_true(foam_of(world, &most) < 0.2 * struck);
    rv_world_destroy(world);
    // liquid at rest has none
    falling(&s, form, 5);
    s.def.emitter_count = 0;
    world = make(&s.def);
    run(world, form == RV_SPLAT_HEIGHT ? 400 : 30, STEP); // a level must even out first
    assert_true(foam_of(world, &most) < 1e-3);
    rv_world_destroy(world);
}

static void foam_comes_where_liquid_strikes_and_fades(void **state)
{
    (void)state;
    for (int f = 0; f < 3; f++) comes_and_fades(all_forms[f]);
}

static void switch_foam(rv_world *world, double foam)
{
    rv_params p = *rv_world_params(world);
    p.splat_foam = foam;
    assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
}

static void moves_nothing(rv_splat_form form)
{
    small_world s;
    rv_world *world[2];
    rv_particles p[2];
    for (int k = 0; k < 2; k++) {
        falling(&s, form, 5 * k);
        world[k] = make(&s.def);
        run(world[k], 25, STEP);
        assert_int_equal(rv_world_get_particles(world[k], &p[k]), RV_OK);
    }
    assert_null(p[0].air);
    assert_int_equal(p[0].count, p[1].count);
    size_t bytes = (size_t)p[0].count * sizeof(float);
    assert_memory_equal(p[0].x, p[1].x, bytes);
    assert_memory_equal(p[0].u, p[1].u, bytes);
    if (p[0].y) assert_memory_equal(p[0].y, p[1].y, bytes);
    if (p[0].z) assert_memory_equal(p[0].z, p[1].z, bytes);
    assert_true(rv_world_hash(world[0]) != rv_world_hash(world[1]));
    // switched off, what there was is forgotten, and the two are one
    switch_foam(world[1], 0);
    if (form != RV_SPLAT_3D) assert_true(rv_world_hash(world[0]) == rv_world_hash(world[1]));
    for (int k = 0; k < 2; k++) run(world[k], 1, STEP);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(rv_world_get_particles(world[k], &p[k]), RV_OK);
        assert_null(p[k].air);
    }
    assert_true(rv_world_hash(world[0]) == rv_world_hash(world[1]));
    // and switched on again it begins with none
    for (int k = 0; k < 2; k++) switch_foam(world[k], 5);
    for (int k = 0; k < 2; k++) run(world[k], 3, STEP);
    assert_true(rv_world_hash(world[0]) == rv_world_hash(world[1]));
    for (int k = 0; k < 2; k++) rv_world_destroy(world[k]);
}

// Foam is carried and no more: it moves nothing.
static void foam_moves_nothing(void **state)
{
    (void)state;
    for (int f = 0; f < 3; f++) moves_nothing(all_forms[f]);
}

// A height is drawn as its columns are; its foam comes with the density.
static void look(const rv_world *world, rv_splat_form form, rv_density *out)
{
    if (form == RV_SPLAT_HEIGHT)
        assert_int_equal(rv_world_get_density(world, out), RV_OK);
    else
        assert_int_equal(rv_world_get_drawn_density(world, LEVEL, out), RV_OK);
}

static void is_state(rv_splat_form form)
{
    small_world s;
    rv_world *world[3];
    rv_density drawn;
    size_t size;
    rv_pool *pool = rv_pool_create(3);
    for (int k = 0; k < 3; k++) {
        falling(&s, form, 5);
        s.def.pool = k == 1 ? pool : NULL;
        world[k] = make(&s.def);
    }
    run(world[0], 24, STEP);
    for (int i = 0; i < 24; i++) {
        run(world[1], 1, STEP);
        look(world[1], form, &drawn);
    }
    assert_true(rv_world_hash(world[0]) == rv_world_hash(world[1]));
    assert_non_null(drawn.froth);
    float most = 0.0f;
    for (size_t i = 0; i < (size_t)drawn.nx * (size_t)drawn.ny * (size_t)drawn.nz; i++) {
        assert_true(drawn.froth[i] >= 0.0f && drawn.froth[i] <= 1.0f);
        most = fmaxf(most, drawn.froth[i]);
    }
    assert_true(most > 0.3f);
    unsigned char *saved = save(world[0], &size);
    assert_int_equal(rv_world_restore(world[2], saved, size, NULL), RV_OK);
    free(saved);
    for (int k = 0; k < 3; k++) run(world[k], 3, STEP);
    for (int k = 1; k < 3; k++) assert_true(rv_world_hash(world[0]) == rv_world_hash(world[k]));
    for (int k = 0; k < 3; k++) rv_world_destroy(world[k]);
    rv_pool_destroy(pool);
}

// Threads, who looks, and a snapshot in the middle change no bit.
static void foam_is_state(void **state)
{
    (void)state;
    for (int f = 0; f < 3; f++) is_state(all_forms[f]);
}

static void the_wide_form_refuses_it(void **state)
{
    (void)state;
    for (int f = 0; f < 3; f++) {
        small_world s;
        falling(&s, all_forms[f], 1);
        s.def.params.splat_method = RV_SPLAT_WIDE;
        expect_refused(&s.def, "splat.foam: only splat.method narrow has it");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(films_have_no_holes),
        cmocka_unit_test(rows_are_threads_and_single_ones_are_not_joined),
        cmocka_unit_test(levels_do_not_overwrite_each_other),
        cmocka_unit_test(foam_comes_where_liquid_strikes_and_fades),
        cmocka_unit_test(foam_moves_nothing),
        cmocka_unit_test(foam_is_state),
        cmocka_unit_test(the_wide_form_refuses_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

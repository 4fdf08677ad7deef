// A surface that is kept from update to update is, to the bit, the one that is made from scratch;
// what did not change is really not made again, and what changed is named (docs/surface.md, What is
// kept).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "surface_check.h"

// ---- Worlds -------------------------------------------------------------------------------------

// Three spills on a plate, far from each other, one of them under a slab and over its edge.
typedef struct plate {
    rv_solid_def solid[2];
    rv_world_def def;
} plate;

static void make_plate(plate *p, bool tension)
{
    *p = (plate){.def = rv_default_world_def()};
    p->solid[0] = p->solid[1] = rv_default_solid_def();
    p->solid[0].shape = RV_SHAPE_PLANE, p->solid[0].at.z = 2 * MM;
    p->solid[1].shape = RV_SHAPE_BOX, p->solid[1].at = (rv_vec3){34 * MM, -30 * MM, 8 * MM};
    p->solid[1].size = (rv_vec3){16 * MM, 14 * MM, 3 * MM};
    p->def.solids = p->solid, p->def.solid_count = 2;
    rv_params *q = &p->def.params;
    q->grid_nx = 130, q->grid_ny = 110, q->grid_dx = MM, q->grid_bottom = 0, q->grid_top = 20 * MM;
    q->tension_on = tension, q->liquid_viscosity = tension ? 2e-6 : 2e-5;
    if (!tension) return;
    // puddles that come to rest, and on the plate alone
    q->liquid_advancing = 0.73, q->liquid_receding = 0.21, q->liquid_contact = 0.7;
    p->def.solid_count = 1;
}

static void pour_spills(rv_world *world)
{
    rv_world_pour(world, (rv_vec3){-40 * MM, -30 * MM, 15 * MM}, 6 * MM, 4e-7);
    rv_world_pour(world, (rv_vec3){34 * MM, -30 * MM, 15 * MM}, 7 * MM, 6e-7);
    rv_world_pour(world, (rv_vec3){-5 * MM, 35 * MM, 15 * MM}, 6 * MM, 4e-7);
}

static void run(rv_world *world, int frames)
{
    for (int i = 0; i < frames; i++) assert_int_equal(rv_world_step(world, 0.01), RV_OK);
}

// ---- Kept and fresh -----------------------------------------------------------------------------

enum { ARRAYS = 8 };

static void arrays_of(const rv_surface_mesh *m, const float *of[ARRAYS], size_t width[ARRAYS])
{
    const float *const all[ARRAYS] = {m->positions, m->normals,   m->velocity, m->opacity,
                                      m->depth,     m->roughness, m->drop,     m->contact};
    const size_t widths[ARRAYS] = {3, 3, 3, 1, 1, 1, 1, 4};
    memcpy(of, all, sizeof all), memcpy(width, widths, sizeof widths);
}

static void assert_same(const rv_surface_mesh *a, const rv_surface_mesh *b, const char *what)
{
    const float *of_a[ARRAYS], *of_b[ARRAYS];
    size_t width[ARRAYS];
    if (a->vertex_count != b->vertex_count || a->triangle_count != b->triangle_count)
        fail_msg("%s: %zu vertices and %zu triangles, fresh %zu and %zu", what, a->vertex_count,
                 a->triangle_count, b->vertex_count, b->triangle_count);
    arrays_of(a, of_a, width), arrays_of(b, of_b, width);
    for (int k = 0; k < ARRAYS; k++) {
        if (!of_a[k] != !of_b[k]) fail_msg("%s: array %d is there or not", what, k);
        if (of_a[k] && a->vertex_count > 0 &&
            memcmp(of_a[k], of_b[k], a->vertex_count * width[k] * sizeof(float)) != 0)
            fail_msg("%s: array %d differs", what, k);
    }
    if (a->triangle_count > 0 &&
        memcmp(a->indices, b->indices, 3 * a->triangle_count * sizeof *a->indices) != 0)
        fail_msg("%s: triangles differ", what);
}

// A surface, and a copy of it that is only told what changed, as a card is.
typedef struct kept {
    rv_surface *surface;
    float *places;
    uint32_t *corners;
    size_t vertex_room, corner_room;
    uint64_t version;
    int64_t islands, made; // of all updates
} kept;

static kept begin(const rv_world *world)
{
    kept k = {.vertex_room = 60000, .corner_room = 300000};
    k.places = test_malloc(3 * k.vertex_room * sizeof *k.places);
    k.corners = test_malloc(k.corner_room * sizeof *k.corners);
    assert_int_equal(rv_surface_create(world, &k.surface), RV_OK);
    return k;
}

static void end(kept *k)
{
    rv_surface_destroy(k->surface);
    test_free(k->places), test_free(k->corners);
}

// Follows what an update says that it changed.
static void copy_changes(kept *k, const rv_surface_mesh *m, const char *what)
{
    size_t v0 = m->changed_vertices[0], v1 = m->changed_vertices[1];
    size_t t0 = m->changed_triangles[0], t1 = m->changed_triangles[1];
    assert_true(m->vertex_count <= k->vertex_room && 3 * m->triangle_count <= k->corner_room);
    assert_true(v1 <= m->vertex_count && t1 <= m->triangle_count);
    if (m->version != k->version && v1 > v0)
        memcpy(k->places + 3 * v0, m->positions + 3 * v0, 3 * (v1 - v0) * sizeof *k->places);
    if (m->version != k->version && t1 > t0)
        memcpy(k->corners + 3 * t0, m->indices + 3 * t0, 3 * (t1 - t0) * sizeof *k->corners);
    k->version = m->version;
    if (m->triangle_count == 0) return;
    if (memcmp(k->places, m->positions, 3 * m->vertex_count * sizeof *k->places) != 0 ||
        memcmp(k->corners, m->indices, 3 * m->triangle_count * sizeof *k->corners) != 0)
        fail_msg("%s: more changed than was told", what);
}

// Updates it, compares it with one made from scratch, and returns how many islands were made anew.
static int64_t check(kept *k, const rv_world *world, const char *what)
{
    rv_surface_mesh own, want;
    rv_surface_stats stats, other;
    rv_surface *fresh;
    assert_int_equal(rv_surface_update(k->surface, world), RV_OK);
    assert_int_equal(rv_surface_create(world, &fresh), RV_OK);
    assert_int_equal(rv_surface_update(fresh, world), RV_OK);
    rv_surface_get_mesh(k->surface, &own), rv_surface_get_mesh(fresh, &want);
    rv_surface_get_stats(k->surface, &stats), rv_surface_get_stats(fresh, &other);
    assert_same(&own, &want, what);
    assert_true(stats.columns == other.columns && stats.extra == other.extra &&
                stats.edge == other.edge && stats.curtain == other.curtain &&
                stats.islands == other.islands && other.made == other.islands);
    assert_int_equal(rv_surface_get_counters(k->surface, &other), RV_OK);
    assert_true(other.columns == stats.columns && other.ms == stats.ms && other.volume == 0.0);
    copy_changes(k, &own, what);
    k->islands += stats.islands, k->made += stats.made;
    rv_surface_destroy(fresh);
    return stats.made;
}

// ---- Tests --------------------------------------------------------------------------------------

static void only_what_changed_is_made(void **state)
{
    (void)state;
    static plate p;
    make_plate(&p, false);
    rv_world *world = make_world(&p.def);
    pour_spills(world);
    run(world, 4);
    kept k = begin(world);
    rv_surface_mesh mesh;
    assert_int_equal(check(&k, world, "first"), 3);
    rv_surface_get_mesh(k.surface, &mesh);
    uint64_t version = mesh.version;
    assert_int_equal(check(&k, world, "again"), 0);
    rv_surface_get_mesh(k.surface, &mesh);
    assert_true(mesh.version == version);
    rv_world_pour(world, (rv_vec3){-40 * MM, -30 * MM, 15 * MM}, 3 * MM, 1e-8);
    assert_int_equal(check(&k, world, "more in the first"), 1);
    rv_surface_get_mesh(k.surface, &mesh);
    assert_true(mesh.version == version + 1);
    rv_world_pour(world, (rv_vec3){-5 * MM, 35 * MM, 15 * MM}, 9 * MM, 1e-7);
    assert_int_equal(check(&k, world, "more in the last"), 1);
    rv_surface_get_mesh(k.surface, &mesh);
    assert_true(mesh.changed_vertices[0] > 0); // those before it stay where they are
    rv_world_pour(world, (rv_vec3){-40 * MM, 20 * MM, 15 * MM}, 3 * MM, 1e-8);
    assert_int_equal(check(&k, world, "a fourth"), 1);
    run(world, 1);
    assert_int_equal(check(&k, world, "all move"), 4);
    end(&k);
    rv_world_destroy(world);
}

// Droplets that fly stand behind the columns' mesh, which stays as it was where nothing moved.
static void droplets_stand_behind(void **state)
{
    (void)state;
    static plate p;
    make_plate(&p, false);
    p.def.params.spray_on = true;
    rv_world *world = make_world(&p.def);
    pour_spills(world);
    run(world, 2);
    kept k = begin(world);
    rv_surface_mesh mesh, with;
    check(&k, world, "before");
    rv_surface_get_mesh(k.surface, &mesh);
    double grain = p.def.params.spray_grain * MM;
    rv_params params = *rv_world_params(world);
    params.surface_droplets = true;
    assert_int_equal(rv_world_set_params(world, &params, NULL), RV_OK);
    for (int n = 0; n < 3; n++)
        rv_world_throw(world, (rv_vec3){5 * MM + n * grain, 0, 15 * MM}, (rv_vec3){0, 0, 0.1},
                       grain * grain * grain);
    assert_int_equal(check(&k, world, "with droplets"), 0);
    rv_surface_get_mesh(k.surface, &with);
    assert_true(with.vertex_count > mesh.vertex_count && with.version == mesh.version + 1);
    assert_int_equal(with.changed_vertices[0], mesh.vertex_count); // only these are sent
    assert_int_equal(with.changed_triangles[0], mesh.triangle_count);
    for (int frame = 0; frame < 8; frame++) {
        run(world, 1);
        check(&k, world, "while they fly and land");
    }
    params.surface_droplets = false;
    assert_int_equal(rv_world_set_params(world, &params, NULL), RV_OK);
    assert_int_equal(check(&k, world, "none is seen"), 0);
    rv_surface_get_mesh(k.surface, &mesh);
    check(&k, world, "again");
    rv_surface_get_mesh(k.surface, &with);
    assert_true(with.version == mesh.version);
    end(&k);
    rv_world_destroy(world);
}

static void sleeping_puddles_are_kept(void **state)
{
    (void)state;
    static plate p;
    make_plate(&p, true);
    p.def.pool = rv_pool_create(2);
    rv_world *world = make_world(&p.def);
    pour_spills(world);
    kept k = begin(world);
    int frame = 0, rests = 0, some = 0;
    for (; frame < 1200 && rests < 2; frame += 5) {
        run(world, 5);
        rests += check(&k, world, "coming to rest") == 0;
    }
    assert_int_equal(rests, 2);
    for (int i = 0; i < 12; i++) {
        rv_world_pour(world, (rv_vec3){-5 * MM, 35 * MM, 15 * MM}, 2 * MM, 2e-9);
        run(world, 2);
        some += check(&k, world, "one is stirred") == 1;
    }
    print_message("at rest after %d frames; %lld of %lld islands made\n", frame, (long long)k.made,
                  (long long)k.islands);
    assert_true(some >= 10);
    end(&k);
    rv_world_destroy(world);
    rv_pool_destroy(p.def.pool);
}

static void carve_at(rv_world *world, double x, double y)
{
    rv_solid_def tool = rv_default_solid_def();
    rv_event_def e = rv_default_event_def();
    rv_vec3 at = {x * MM, y * MM, 3 * MM};
    tool.shape = RV_SHAPE_SPHERE, tool.radius = 3 * MM;
    e.kind = RV_EVENT_CARVE, e.tool = &tool, e.tool_count = 1, e.path = &at, e.path_count = 1;
    assert_int_equal(rv_world_edit(world, &e, NULL, NULL), RV_OK);
}

static void edits_and_snapshots_are_followed(void **state)
{
    (void)state;
    static plate p;
    make_plate(&p, false);
    rv_world *world = make_world(&p.def);
    pour_spills(world);
    run(world, 5);
    kept k = begin(world);
    size_t size = rv_world_snapshot_size(world);
    void *snapshot = test_malloc(size);
    check(&k, world, "first");
    assert_int_equal(rv_world_save(world, snapshot, size), RV_OK);
    for (int i = 0; i < 6; i++) {
        if (i == 1) carve_at(world, -40, -30);
        if (i == 2) carve_at(world, 10, 0); // far from all liquid
        if (i == 4) carve_at(world, 34, -22);
        if (i % 2) run(world, 2);
        check(&k, world, "edited");
    }
    rv_world_destroy(world);
    end(&k);
    world = make_world(&p.def);
    assert_int_equal(rv_world_restore(world, snapshot, size, NULL), RV_OK);
    k = begin(world);
    check(&k, world, "restored");
    for (int i = 0; i < 3; i++) {
        run(world, 3);
        check(&k, world, "gone on");
        assert_int_equal(rv_world_restore(world, snapshot, size, NULL), RV_OK);
        check(&k, world, "restored again");
    }
    test_free(snapshot);
    end(&k);
    rv_world_destroy(world);
}

static void bodies_and_settings_are_followed(void **state)
{
    (void)state;
    static plate p;
    rv_body_def body = rv_default_body_def();
    make_plate(&p, false);
    rv_world *world = make_world(&p.def);
    pour_spills(world);
    run(world, 3);
    kept k = begin(world);
    check(&k, world, "first");
    body.radius = 2 * MM, body.at = (rv_vec3){-40 * MM, -30 * MM, 5 * MM};
    assert_int_equal(rv_world_add_body(world, &body, NULL, NULL), RV_OK);
    for (int i = 0; i < 8; i++) {
        run(world, 1);
        check(&k, world, "a body moves");
    }
    for (int i = 0; i < 14; i++) {
        rv_params q = *rv_world_params(world);
        q.surface_over = i % 3 ? 0.05 : 0.1, q.surface_film = i % 4 ? 1e-5 : 1e-4;
        q.surface_edge = i % 5 != 1, q.surface_curtain = i % 5 != 2;
        q.surface_meniscus = i % 7 != 3, q.view_opaque = i % 2 ? 1e-3 : 2e-3;
        q.surface_meniscus_length = i % 6 ? 2.8e-3 : 4e-3, q.surface_average = i % 9 == 4;
        assert_int_equal(rv_world_set_params(world, &q, NULL), RV_OK);
        check(&k, world, "other settings");
        assert_int_equal(check(&k, world, "the same settings"), 0);
    }
    end(&k);
    rv_world_destroy(world);
}

// Random layered worlds, wet at random, with threads; some liquid is added here and there.
static void random_layers_are_kept(void **state)
{
    (void)state;
    int64_t islands = 0, made = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        random_scene s;
        random_scene_of(&s, seed);
        s.def.params.grid_nx += 70, s.def.params.border_west = s.def.params.border_north = 0;
        s.def.pool = rv_pool_create(1 + (int)(seed % 3));
        rv_world *world = make_world(&s.def);
        kept k = begin(world);
        for (int i = 0; i < 12; i++) {
            double x = between(&s.random, -45, 45) * MM + s.def.params.grid_x;
            double y = between(&s.random, -10, 10) * MM, z = between(&s.random, 1, 15) * MM;
            rv_world_pour(world, (rv_vec3){x, y, z}, 1.5 * MM, between(&s.random, 0, 2e-8));
            if (i % 5 == 4) run_steps(world, 1);
            check(&k, world, "random");
        }
        islands += k.islands, made += k.made;
        end(&k);
        rv_world_destroy(world);
        rv_pool_destroy(s.def.pool);
    }
    print_message("%lld of %lld islands made\n", (long long)made, (long long)islands);
    assert_true(made < islands && made > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_changed_is_made),
        cmocka_unit_test(droplets_stand_behind),
        cmocka_unit_test(sleeping_puddles_are_kept),
        cmocka_unit_test(edits_and_snapshots_are_followed),
        cmocka_unit_test(bodies_and_settings_are_followed),
        cmocka_unit_test(random_layers_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

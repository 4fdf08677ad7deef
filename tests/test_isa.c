// Every instruction set gives the same bits: each shipped scene, made small, is run on all sets
// that this machine has, and the hashes of its state and of its surface are compared. And
// RIVULET_ISA takes no other word.
#define _POSIX_C_SOURCE 200809L // setenv
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/isa.h"
#include "io/scene_file.h"
#include "rivulet/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 24   // bodies are in the liquid by then, and it has met walls
#define CELLS 48.0 // along the longer side of a grid

static const char *const sets[] = {"baseline", "avx2", "avx512"};

typedef struct hashes {
    uint64_t state, surface;
} hashes;

// The same scene in fewer cells: what is to be found is in the loops, not in the shapes.
static void make_small(rv_params *p)
{
    int longer = p->grid_nx > p->grid_ny ? p->grid_nx : p->grid_ny;
    double by = fmax(1, longer / CELLS);
    if (p->solver == RV_SOLVER_SPLAT)
        by = fmax(1, longer / (p->splat_form == RV_SPLAT_3D ? 24 : 48));
    p->grid_nx = (int)fmax(1, round(p->grid_nx / by)), p->grid_dx *= by;
    if (p->solver != RV_SOLVER_SPLAT || p->splat_form != RV_SPLAT_2D)
        p->grid_ny = (int)fmax(1, round(p->grid_ny / by));
}

static uint64_t surface_hash(const rv_world *world)
{
    rv_surface *surface = NULL;
    rv_surface_mesh mesh = {0};
    uint64_t hash = RV_HASH_START;
    if (rv_surface_create(world, &surface) != RV_OK) return 0; // a pane has none
    if (rv_surface_update(surface, world) == RV_OK &&
        rv_surface_get_mesh(surface, &mesh) == RV_OK) {
        hash = rv_hash_bytes(hash, mesh.positions, 3 * mesh.vertex_count * sizeof *mesh.positions);
        hash = rv_hash_bytes(hash, mesh.indices, 3 * mesh.triangle_count * sizeof *mesh.indices);
    }
    rv_surface_destroy(surface);
    return hash;
}

static hashes run(const char *name, const char *set)
{
    rv_scene_file scene;
    rv_messages m = {0};
    rv_form_work work = rv_default_form_work();
    assert_int_equal(setenv("RIVULET_ISA", set, 1), 0);
    if (!rv_scene_load(name, &scene, &m)) fail_msg("%s", m.text);
    make_small(&scene.params);
    if (!rv_scene_load_forms(&scene, &work, &m)) fail_msg("%s: %s", name, m.text);
    rv_world_def def = rv_scene_world_def(&scene);
    rv_world *world = NULL;
    if (rv_world_create(&def, &world, &m) != RV_OK) fail_msg("%s: %s", name, m.text);
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(rv_world_step(world, scene.params.time_step), RV_OK);
    hashes found = {rv_world_hash(world), surface_hash(world)};
    rv_world_destroy(world);
    rv_scene_free(&scene);
    return found;
}

static void every_scene_has_one_hash(void **state)
{
    (void)state;
    rv_scene_names names;
    rv_messages m = {0};
    if (!rv_scene_names_list(&names, &m)) fail_msg("%s", m.text);
    for (int i = 0; i < names.count; i++) {
        hashes first = run(names.name[i], sets[0]);
        for (int s = 1; s < RV_ISA_COUNT; s++) {
            if (rv_isa_named(sets[s]) == RV_ISA_COUNT) continue;
            hashes other = run(names.name[i], sets[s]);
            if (other.state != first.state || other.surface != first.surface)
                fail_msg("%s: another %s with %s", names.name[i],
                         other.state != first.state ? "state" : "surface", sets[s]);
        }
    }
    rv_scene_names_free(&names);
}

static void the_environment_chooses(void **state)
{
    (void)state;
    rv_messages m = {0};
    for (int s = 0; s < RV_ISA_COUNT; s++) {
        setenv("RIVULET_ISA", sets[s], 1);
        bool here = rv_isa_named(sets[s]) != RV_ISA_COUNT;
        m = (rv_messages){0};
        assert_int_equal(rv_instructions_check(&m), here);
        assert_int_equal(m.count, here ? 0 : 1);
        if (here) assert_int_equal(rv_isa_best(), s);
    }
    setenv("RIVULET_ISA", "", 1); // as if it were not set
    assert_true(rv_instructions_check(NULL));
}

static void another_word_is_refused(void **state)
{
    (void)state;
    rv_messages m = {0};
    rv_world_def def = rv_default_world_def();
    rv_world *world = NULL;
    setenv("RIVULET_ISA", "sse9", 1);
    assert_int_equal(rv_world_create(&def, &world, &m), RV_BAD_ARGUMENT);
    assert_null(world);
    assert_int_equal(m.count, 1);
    assert_string_equal(m.text, "RIVULET_ISA=sse9: not one of avx512, avx2, baseline");
}

int main(void)
{
    setenv("RIVULET_SCENES", RV_SCENES_BUILD_DIR, 1); // not those of an installed rivulet
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_has_one_hash),
        cmocka_unit_test(the_environment_chooses),
        cmocka_unit_test(another_word_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

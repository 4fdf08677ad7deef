// Rims of what edits carve, as triangles: how far the mesh is from the solids and the tools
// themselves.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mesh_check.h"
#include "small_worlds.h"
#include "terrain/terrain.h"

#include <math.h>

#define MM 1e-3
#define OFF 0.2 // cells; without the tools it is 0.55 and more

typedef struct seen {
    int triangles; // near the tool
    double worst;  // cells: how far one of them is off the surface
} seen;

// How far the middle of a triangle and those of its edges are from the surface.
static double off_surface(const rv_vec3 p[3], const rv_solid_def *all, int count)
{
    double worst = fabs(
        rv_solids_distance(all, count,
                           (rv_vec3){(p[0].x + p[1].x + p[2].x) / 3, (p[0].y + p[1].y + p[2].y) / 3,
                                     (p[0].z + p[1].z + p[2].z) / 3}));
    for (int c = 0; c < 3; c++) {
        rv_vec3 a = p[c], b = p[(c + 1) % 3];
        rv_vec3 middle = {0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
        worst = fmax(worst, fabs(rv_solids_distance(all, count, middle)));
    }
    return worst / MM;
}

// Of all triangles within two cells of the tool's surface, over the ground.
static seen look(const rv_mesh *mesh, const rv_solid_def *all, int count, const rv_solid_def *tool,
                 int tools)
{
    seen s = {0};
    for (size_t n = 0; n < mesh->triangle_count; n++) {
        rv_vec3 p[3];
        bool near = true;
        for (int c = 0; c < 3; c++) {
            const float *v = mesh->positions + 3 * (size_t)mesh->indices[3 * n + (size_t)c];
            p[c] = (rv_vec3){(double)v[0], (double)v[1], (double)v[2]};
            near &= fabs(rv_solids_distance(tool, tools, p[c])) < 2 * MM && p[c].z > 1.5 * MM;
        }
        if (!near) continue;
        s.worst = fmax(s.worst, off_surface(p, all, count)), s.triangles++;
    }
    return s;
}

// A lump, smooth or rough, of which a tool is carved along a line that leans.
static rv_solid_def lump(bool rough)
{
    rv_solid_def s = rv_default_solid_def();
    s.shape = RV_SHAPE_ELLIPSOID, s.size = (rv_vec3){40 * MM, 30 * MM, 24 * MM};
    s.at = (rv_vec3){0.3 * MM, 0.1 * MM, 14.2 * MM}, s.rotate = (rv_vec3){0.3, 0.2, 0.5};
    if (rough) s.noise = 0.5 * MM, s.noise_size = 7 * MM, s.noise_octaves = 2;
    return s;
}

static rv_world *make_lump(const rv_solid_def *solids, int count)
{
    rv_world_def def = rv_default_world_def();
    rv_messages m = {0};
    rv_world *world = NULL;
    def.params.grid_nx = 56, def.params.grid_ny = 48, def.params.grid_dx = MM;
    def.params.grid_bottom = 0, def.params.grid_top = 34 * MM;
    def.solids = solids, def.solid_count = count;
    if (rv_world_create(&def, &world, &m) != RV_OK) fail_msg("%s", m.text);
    return world;
}

static void carve(rv_world *world, const rv_solid_def *tool, const rv_vec3 *path, int points)
{
    rv_messages m = {0};
    rv_event_def cut = rv_default_event_def();
    cut.tool = tool, cut.tool_count = 1, cut.path = path, cut.path_count = points;
    if (rv_world_edit(world, &cut, NULL, &m) != RV_OK) fail_msg("%s", m.text);
}

static double rim_of(const rv_world *world, const rv_solid_def *all, int count)
{
    rv_mesh mesh;
    rv_messages m = {0};
    if (rv_world_terrain_mesh(world, &mesh, &m) != RV_OK) fail_msg("%s", m.text);
    check_closed(&mesh, "hole");
    assert_true(volume_of(&mesh) > 0);
    rv_solid_def tool = all[1];
    tool.op = RV_UNION;
    seen s = look(&mesh, all, count, &tool, count - 1);
    print_message("%d triangles, at most %.3f cells off\n", s.triangles, s.worst);
    assert_true(s.triangles > 150);
    rv_mesh_free(&mesh);
    return s.worst;
}

// In pieces, as an event carves from frame to frame.
static void a_drilled_hole_has_a_clean_rim(void **state)
{
    (void)state;
    for (int turn = 0; turn < 12; turn++) {
        double a = 0.7 * (turn % 6), lean = 0.3 * (turn % 6);
        rv_vec3 way = {-cos(a) * sin(lean), sin(a) * sin(lean), -cos(lean)};
        rv_vec3 at = {6 * MM, 2 * MM, 30 * MM};
        rv_solid_def ball = rv_default_solid_def(), all[2] = {lump(turn >= 6), ball};
        ball.shape = RV_SHAPE_SPHERE, ball.radius = 5 * MM;
        all[1].shape = RV_SHAPE_CAPSULE, all[1].op = RV_SUBTRACT, all[1].radius = 5 * MM;
        rv_world *world = make_lump(all, 1);
        all[1].from = at;
        for (int n = 0; n < 9; n++) {
            rv_vec3 path[2] = {at, {at.x + 4 * MM * way.x, at.y + 4 * MM * way.y, 0}};
            path[1].z = at.z + 4 * MM * way.z;
            carve(world, &ball, path, 2);
            all[1].to = at = path[1];
        }
        assert_true(rim_of(world, all, 2) < OFF);
        rv_world_destroy(world);
    }
}

// Any other tool, once.
static void a_punched_hole_has_a_clean_rim(void **state)
{
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        rv_solid_def all[2] = {lump(turn % 2 == 1), rv_default_solid_def()};
        all[1].shape = RV_SHAPE_CYLINDER, all[1].radius = 5 * MM, all[1].height = 30 * MM;
        all[1].at = (rv_vec3){3 * MM, -1.2 * MM, 22.3 * MM};
        all[1].rotate = (rv_vec3){0.2 * turn, 0.15 * turn, 0};
        rv_world *world = make_lump(all, 1);
        carve(world, &all[1], NULL, 0);
        all[1].op = RV_SUBTRACT;
        assert_true(rim_of(world, all, 2) < OFF);
        rv_world_destroy(world);
    }
}

// After a snapshot the mesh is the same, to the bit, and goes on being it.
static void a_restored_world_has_the_same_rims(void **state)
{
    (void)state;
    rv_solid_def solid = lump(true), ball = rv_default_solid_def();
    ball.shape = RV_SHAPE_SPHERE, ball.radius = 4 * MM;
    rv_world *world = make_lump(&solid, 1), *other = make_lump(&solid, 1);
    rv_vec3 path[3] = {{0, 0, 30 * MM}, {2 * MM, 0, 20 * MM}, {4 * MM, 0, 10 * MM}};
    carve(world, &ball, path, 2);
    size_t size = rv_world_snapshot_size(world);
    unsigned char *bytes = test_malloc(size);
    assert_int_equal(rv_world_save(world, bytes, size), RV_OK);
    assert_int_equal(rv_world_restore(other, bytes, size, NULL), RV_OK);
    carve(world, &ball, path + 1, 2), carve(other, &ball, path + 1, 2);
    rv_mesh a, b;
    assert_int_equal(rv_world_terrain_mesh(world, &a, NULL), RV_OK);
    assert_int_equal(rv_world_terrain_mesh(other, &b, NULL), RV_OK);
    assert_int_equal(a.vertex_count, b.vertex_count);
    assert_memory_equal(a.positions, b.positions, 3 * a.vertex_count * sizeof *a.positions);
    rv_mesh_free(&a), rv_mesh_free(&b);
    test_free(bytes);
    rv_world_destroy(world), rv_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drilled_hole_has_a_clean_rim),
        cmocka_unit_test(a_punched_hole_has_a_clean_rim),
        cmocka_unit_test(a_restored_world_has_the_same_rims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Tiles of the terrain's mesh against the whole and against themselves after changes, and the
// materials of vertices: of simple constructions at known points, and of a random one against the
// solids asked one by one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mesh_check.h"
#include "terrain/looks.h"

#include <stdio.h>

#define MM 1e-3

static double random_in(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * ((double)(*seed >> 11) / 9007199254740992.0);
}

// ---- Worlds -------------------------------------------------------------------------------------

static rv_solid_def box(double x, double y, double z, double width, double length, double height,
                        rv_solid_material material)
{
    rv_solid_def s = rv_default_solid_def();
    s.shape = RV_SHAPE_BOX, s.material = material;
    s.at = (rv_vec3){x * MM, y * MM, z * MM};
    s.size = (rv_vec3){width * MM, length * MM, height * MM};
    return s;
}

static rv_solid_def ball(double x, double y, double z, double radius, rv_solid_material material)
{
    rv_solid_def s = rv_default_solid_def();
    s.shape = RV_SHAPE_SPHERE, s.radius = radius * MM, s.material = material;
    s.at = (rv_vec3){x * MM, y * MM, z * MM};
    return s;
}

static rv_solid_def cut(rv_solid_def s)
{
    s.op = RV_SUBTRACT;
    return s;
}

static rv_solid_def group(int children, rv_solid_material material)
{
    rv_solid_def s = rv_default_solid_def();
    s.shape = RV_SHAPE_GROUP, s.children = children, s.material = material;
    return s;
}

// A world of 1 mm cells around the origin, from 0 to 24 mm; what says nothing is of tissue.
static rv_world_def definition(int nx, int ny, const rv_solid_def *solids, int count)
{
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = nx, def.params.grid_ny = ny, def.params.grid_dx = MM;
    def.params.grid_bottom = 0, def.params.grid_top = 24 * MM;
    def.params.view_material = RV_MATERIAL_TISSUE;
    def.solids = solids, def.solid_count = count;
    return def;
}

static rv_world *create(const rv_world_def *def)
{
    rv_world *world = NULL;
    rv_messages m = {0};
    if (rv_world_create(def, &world, &m) != RV_OK) fail_msg("%s", m.text);
    return world;
}

static rv_world *make_world(const rv_solid_def *solids, int count)
{
    rv_world_def def = definition(60, 40, solids, count);
    return create(&def);
}

static void edit(rv_world *world, rv_event_kind kind, const rv_solid_def *tool, int count,
                 const rv_vec3 *path, int points)
{
    rv_event_def e = rv_default_event_def();
    rv_messages m = {0};
    e.kind = kind, e.tool = tool, e.tool_count = count, e.path = path, e.path_count = points;
    if (rv_world_edit(world, &e, NULL, &m) != RV_OK) fail_msg("%s", m.text);
}

static int64_t changes_of(const rv_world *world)
{
    rv_world_info info;
    assert_int_equal(rv_world_get_info(world, &info), RV_OK);
    return info.changes;
}

// ---- Tiles against the whole --------------------------------------------------------------------

typedef struct facet {
    float corner[3][6]; // position and normal
    uint32_t material[3];
} facet;

static int compare_facets(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(facet));
}

static size_t append(const rv_mesh *mesh, facet *out)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        for (size_t c = 0; c < 3; c++) {
            size_t v = mesh->indices[3 * t + c];
            memcpy(out[t].corner[c], mesh->positions + 3 * v, 3 * sizeof(float));
            memcpy(out[t].corner[c] + 3, mesh->normals + 3 * v, 3 * sizeof(float));
            out[t].material[c] = mesh->materials[v];
        }
    }
    return mesh->triangle_count;
}

static void check_tiles(const rv_world *world, int want_across, int want_along)
{
    int across, along;
    rv_mesh whole, tile;
    rv_messages m = {0};
    assert_int_equal(rv_world_get_terrain_tiles(world, &across, &along), RV_OK);
    assert_int_equal(across, want_across);
    assert_int_equal(along, want_along);
    assert_int_equal(rv_world_terrain_mesh(world, &whole, &m), RV_OK);
    check_closed(&whole, "whole");
    assert_true(volume_of(&whole) > 0);
    facet *one = test_malloc(whole.triangle_count * sizeof *one);
    facet *parts = test_malloc(whole.triangle_count * sizeof *parts);
    size_t count = 0;
    append(&whole, one);
    for (int n = 0; n < across * along; n++) {
        assert_int_equal(rv_world_terrain_tile(world, n % across, n / across, &tile, &m), RV_OK);
        check_triangles(&tile, "tile");
        if (count + tile.triangle_count > whole.triangle_count) fail_msg("too many triangles");
        count += append(&tile, parts + count);
        rv_mesh_free(&tile);
    }
    assert_int_equal(count, whole.triangle_count);
    qsort(one, count, sizeof *one, compare_facets);
    qsort(parts, count, sizeof *parts, compare_facets);
    assert_memory_equal(one, parts, count * sizeof *one);
    test_free(one), test_free(parts);
    rv_mesh_free(&whole);
}

#define COUNTRY 8

// Hills, a tunnel, a ball that leaves the grid, a moving solid of two materials.
static void make_country(rv_solid_def solid[COUNTRY])
{
    solid[0] = box(0, 0, 2, 300, 300, 6, RV_SOLID_SCENE);
    solid[0].noise = 0.7 * MM, solid[0].noise_size = 9 * MM;
    solid[1] = ball(-30, 5, 6, 9, RV_SOLID_WOOD);
    solid[1].blend = 4 * MM;
    solid[2] = box(10, -4, 8, 40, 12, 10, RV_SOLID_BONE);
    solid[3] = cut(box(10, -4, 8, 60, 4, 4, RV_SOLID_SCENE));
    solid[4] = ball(44, 18, 12, 8, RV_SOLID_STEEL);
    solid[5] = group(2, RV_SOLID_STEEL);
    solid[5].mover = 1;
    solid[6] = box(-6, 12, 12, 12, 4, 4, RV_SOLID_SCENE);
    solid[7] = ball(0, 12, 12, 3.3, RV_SOLID_CERAMIC);
}

static void tiles_together_are_the_whole(void **state)
{
    (void)state;
    rv_solid_def solid[COUNTRY];
    make_country(solid);
    const int size[][4] = {{90, 45, 3, 2}, {64, 32, 2, 1}, {33, 65, 2, 3}, {3, 1, 1, 1}};
    for (size_t n = 0; n < sizeof size / sizeof size[0]; n++) {
        rv_world_def def = definition(size[n][0], size[n][1], solid, COUNTRY);
        def.params.grid_stretch = n == 1 ? 1.6 : 1;
        rv_world *world = create(&def);
        check_tiles(world, size[n][2], size[n][3]);
        rv_solid_def tool = ball(0, 0, 0, 4, RV_SOLID_CERAMIC);
        const rv_vec3 path[2] = {{-0.02, 0.001, 0.004}, {0.01, 0.002, 0.008}};
        edit(world, RV_EVENT_CARVE, &tool, 1, path, 2);
        check_tiles(world, size[n][2], size[n][3]);
        rv_world_destroy(world);
    }
}

static void heights_have_tiles_too(void **state)
{
    (void)state;
    rv_world_def def = definition(70, 64, NULL, 0);
    float *heights = test_malloc(70 * 64 * sizeof *heights);
    uint64_t seed = 3;
    for (int i = 0; i < 70 * 64; i++) heights[i] = (float)random_in(&seed, 0.001, 0.009);
    def.heights = heights;
    rv_world *world = create(&def);
    check_tiles(world, 3, 2);
    rv_mesh mesh;
    assert_int_equal(rv_world_terrain_mesh(world, &mesh, NULL), RV_OK);
    for (size_t i = 0; i < mesh.vertex_count; i++)
        assert_int_equal(mesh.materials[i], RV_MATERIAL_TISSUE);
    rv_mesh_free(&mesh);
    rv_tile_range range;
    assert_int_equal(rv_world_get_changed_tiles(world, 0, &range), RV_OK);
    assert_true(range.i0 == range.i1 && range.j0 == range.j1);
    rv_world_destroy(world);
    test_free(heights);
}

// ---- Changes ------------------------------------------------------------------------------------

static bool same_mesh(const rv_mesh *a, const rv_mesh *b)
{
    size_t v = a->vertex_count, t = a->triangle_count;
    if (v != b->vertex_count || t != b->triangle_count) return false;
    return v == 0 || (memcmp(a->positions, b->positions, 3 * v * sizeof(float)) == 0 &&
                      memcmp(a->normals, b->normals, 3 * v * sizeof(float)) == 0 &&
                      memcmp(a->materials, b->materials, v) == 0 &&
                      memcmp(a->indices, b->indices, 3 * t * sizeof(uint32_t)) == 0);
}

typedef struct follower {
    rv_world *world;
    rv_mesh tile[8 * 8];
    int across, along;
    int64_t seen;
    int made, changed; // tiles made again, and of these other than before
} follower;

// Makes those again that may have changed; all must then be as if made now.
static void follow(follower *f, int change)
{
    rv_tile_range range;
    assert_int_equal(rv_world_get_changed_tiles(f->world, f->seen, &range), RV_OK);
    assert_true(range.i0 >= 0 && range.i1 <= f->across && range.j0 >= 0 && range.j1 <= f->along);
    f->seen = changes_of(f->world);
    for (int j = 0; j < f->along; j++) {
        for (int i = 0; i < f->across; i++) {
            rv_mesh *old = &f->tile[j * f->across + i], now;
            bool listed = i >= range.i0 && i < range.i1 && j >= range.j0 && j < range.j1;
            assert_int_equal(rv_world_terrain_tile(f->world, i, j, &now, NULL), RV_OK);
            bool same = same_mesh(old, &now);
            if (!same && !listed) fail_msg("change %d: tile (%d, %d) was not told", change, i, j);
            f->made += listed, f->changed += !same;
            rv_mesh_free(old);
            *old = now;
        }
    }
}

static void random_change(rv_world *world, uint64_t *seed, int n)
{
    rv_vec3 path[2];
    for (int i = 0; i < 2; i++) // some of them outside of the grid
        path[i] = (rv_vec3){random_in(seed, -0.075, 0.075), random_in(seed, -0.055, 0.055),
                            random_in(seed, -0.002, 0.02)};
    if (n % 4 == 2) {
        rv_pose pose = {.shift = path[0], .rotate = {0.3 * n, 0.1 * n, n}};
        assert_int_equal(rv_world_move(world, 1, &pose, NULL, NULL), RV_OK);
        return;
    }
    rv_solid_def tool[2] = {ball(0, 0, 0, random_in(seed, 0.6, 4), RV_SOLID_SCENE),
                            box(1, 1, 1, 4, 3, 3, RV_SOLID_SCENE)};
    if (n % 5 == 1) tool[0].material = RV_SOLID_CERAMIC;
    path[1] = (rv_vec3){0.9 * path[0].x + 0.1 * path[1].x, 0.9 * path[0].y + 0.1 * path[1].y,
                        0.9 * path[0].z + 0.1 * path[1].z}; // not too long
    edit(world, n % 3 == 0 ? RV_EVENT_ADD : RV_EVENT_CARVE, tool, n % 4 == 0 ? 2 : 1, path, 2);
}

static void what_changed_is_told(void **state)
{
    (void)state;
    rv_solid_def solid[COUNTRY];
    make_country(solid);
    for (int stretched = 0; stretched < 2; stretched++) {
        rv_world_def def = definition(140, 100, solid, COUNTRY);
        def.params.grid_stretch = stretched ? 2.5 : 1;
        follower f = {.world = create(&def)};
        rv_world_get_terrain_tiles(f.world, &f.across, &f.along);
        f.seen = -1; // nothing is known: all
        follow(&f, -1);
        assert_int_equal(f.made, f.across * f.along);
        uint64_t seed = 11;
        f.made = f.changed = 0;
        for (int n = 0; n < 60; n++) {
            random_change(f.world, &seed, n);
            if (n % 6 != 5) follow(&f, n);
        }
        print_message("%d tiles made again of which %d changed, %d in all\n", f.made, f.changed,
                      50 * f.across * f.along);
        assert_true(f.changed > 30 && f.made < 50 * f.across * f.along / 2);
        for (int i = 0; i < f.across * f.along; i++) rv_mesh_free(&f.tile[i]);
        rv_world_destroy(f.world);
    }
}

static void count_told(const rv_world *world, int64_t then, int want)
{
    rv_tile_range r;
    assert_int_equal(rv_world_get_changed_tiles(world, then, &r), RV_OK);
    assert_int_equal((r.i1 - r.i0) * (r.j1 - r.j0), want);
}

static void long_ago_and_other_looks_change_all(void **state)
{
    (void)state;
    rv_solid_def solid = box(0, 0, 2, 300, 300, 6, RV_SOLID_SCENE), tool = ball(-50, 0, 5, 2, 0);
    rv_world_def def = definition(140, 40, &solid, 1);
    rv_world *world = create(&def);
    int64_t then = changes_of(world);
    count_told(world, then, 0);
    count_told(world, then + 1, 10); // from another world
    edit(world, RV_EVENT_CARVE, &tool, 1, NULL, 0);
    count_told(world, then, 1);
    count_told(world, changes_of(world), 0);
    for (int n = 0; n < 200; n++) edit(world, RV_EVENT_CARVE, &tool, 1, NULL, 0);
    count_told(world, then, 10);
    then = changes_of(world);
    rv_params p = *rv_world_params(world);
    p.view_azimuth += 1;
    assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
    count_told(world, then, 0);
    p.view_material = RV_MATERIAL_STEEL;
    assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
    count_told(world, then, 10);
    rv_world_destroy(world);
}

static void what_cannot_be_asked_is_refused(void **state)
{
    (void)state;
    rv_solid_def solid = box(0, 0, 2, 300, 300, 6, RV_SOLID_SCENE);
    rv_world *world = make_world(&solid, 1);
    rv_mesh mesh;
    rv_messages m = {0};
    rv_tile_range range;
    int across, along;
    assert_int_equal(rv_world_terrain_tile(world, 2, 0, &mesh, &m), RV_BAD_ARGUMENT);
    assert_string_equal(m.text, "tile (2, 0): there are 2 x 2");
    assert_true(!mesh.positions && mesh.vertex_count == 0);
    assert_int_equal(rv_world_terrain_tile(world, 0, -1, &mesh, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_terrain_tile(NULL, 0, 0, &mesh, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_terrain_tile(world, 0, 0, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_get_terrain_tiles(NULL, &across, &along), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_get_terrain_tiles(world, NULL, &along), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_get_changed_tiles(NULL, 0, &range), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_get_changed_tiles(world, 0, NULL), RV_BAD_ARGUMENT);
    rv_world_destroy(world);
}

// ---- Materials ----------------------------------------------------------------------------------

// The material of the vertex nearest to a point (mm), which must be there.
static int seen_at(const rv_world *world, double x, double y, double z)
{
    rv_mesh mesh;
    assert_int_equal(rv_world_terrain_mesh(world, &mesh, NULL), RV_OK);
    double nearest = INFINITY;
    int material = -1;
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        const float *p = mesh.positions + 3 * i;
        double dx = (double)p[0] - x * MM, dy = (double)p[1] - y * MM, dz = (double)p[2] - z * MM;
        double d = dx * dx + dy * dy + dz * dz;
        if (d < nearest) nearest = d, material = mesh.materials[i];
    }
    rv_mesh_free(&mesh);
    if (nearest > MM * MM) fail_msg("no vertex at (%g, %g, %g)", x, y, z);
    return material;
}

#define expect(world, x, y, z, what) assert_int_equal(seen_at(world, x, y, z), RV_MATERIAL_##what)

static void the_nearer_solid_of_a_union_is_seen(void **state)
{
    (void)state;
    rv_solid_def solid[5] = {box(0, 0, 2, 300, 300, 4, RV_SOLID_SCENE),
                             box(-15, 0, 6, 10, 10, 6, RV_SOLID_WOOD),
                             ball(0, 0, 6, 4, RV_SOLID_STEEL), ball(6, 0, 6, 4, RV_SOLID_BONE),
                             ball(20, 0, 7, 4, RV_SOLID_CERAMIC)};
    solid[3].blend = 2 * MM, solid[4].mirror = RV_MIRROR_Y, solid[4].at.y = 9 * MM;
    rv_world *world = make_world(solid, 5);
    expect(world, -25, 0, 4, TISSUE);
    expect(world, -15, 0, 9, WOOD);
    expect(world, -10, 0, 7, WOOD);
    expect(world, 0, 0, 10, STEEL);
    expect(world, 2, 3, 7.6, STEEL); // the seam
    expect(world, 4, 3, 7.6, BONE);
    expect(world, 6, 0, 10, BONE);
    expect(world, 20, 9, 11, CERAMIC);
    expect(world, 20, -9, 11, CERAMIC);
    rv_world_destroy(world);
}

static void the_ground_is_the_scenes(void **state)
{
    (void)state;
    rv_solid_def solid[2] = {ball(0, 0, 0, 5, RV_SOLID_STEEL), rv_default_solid_def()};
    rv_world *world = make_world(solid, 1);
    expect(world, 12, 0, 0, TISSUE);
    expect(world, 0, 0, 5, STEEL);
    rv_world_destroy(world);
    solid[1].shape = RV_SHAPE_PLANE,
    solid[1].material = RV_SOLID_WOOD; // ends where the ground does
    world = make_world(solid, 2);
    expect(world, 12, 0, 0, WOOD);
    expect(world, 0, 0, 5, STEEL);
    rv_world_destroy(world);
}

static void walls_of_a_cut_are_of_what_is_cut(void **state)
{
    (void)state;
    rv_solid_def solid[9] = {box(0, 0, 6, 50, 30, 12, RV_SOLID_WOOD),
                             box(18, 0, 6, 14, 34, 13, RV_SOLID_BONE),
                             cut(box(-18, 0, 12, 4, 4, 10, RV_SOLID_SCENE)),
                             cut(box(-8, 0, 12, 4, 4, 10, RV_SOLID_STEEL)),
                             cut(box(18, 0, 12, 4, 4, 10, RV_SOLID_SCENE)),
                             cut(group(2, RV_SOLID_SCENE)),
                             box(4, 0, 12, 4, 4, 10, RV_SOLID_SCENE),
                             ball(4, 0, 7, 3, RV_SOLID_CERAMIC),
                             box(0, 0, 6, 60, 24, 30, RV_SOLID_SCENE)};
    solid[8].op = RV_INTERSECT;
    rv_world *world = make_world(solid, 9);
    expect(world, -18, 0, 7, WOOD); // its floor, deep in the wood
    expect(world, -20, 0, 10, WOOD);
    expect(world, -8, 0, 7, STEEL);
    expect(world, -6, 0, 10, STEEL);
    expect(world, 18, 0, 7, BONE);
    expect(world, 6, 0, 11, WOOD); // the part of the cutting group that says nothing
    expect(world, 4, 0, 4, CERAMIC);
    expect(world, -18, 12, 6, WOOD); // where the last one cuts off the sides
    expect(world, 18, 12, 6, BONE);
    solid[8].material = RV_SOLID_STEEL;
    rv_world *steel = make_world(solid, 9);
    expect(steel, 18, 12, 6, STEEL);
    expect(steel, 18, 0, 7, BONE);
    rv_world_destroy(world);
    rv_world_destroy(steel);
}

static void groups_hand_their_word_down(void **state)
{
    (void)state;
    rv_solid_def solid[8] = {group(6, RV_SOLID_WOOD),
                             box(-20, 0, 4, 8, 8, 8, RV_SOLID_SCENE),
                             box(-8, 0, 4, 8, 8, 8, RV_SOLID_STEEL),
                             group(2, RV_SOLID_SCENE),
                             box(4, 0, 4, 8, 8, 8, RV_SOLID_SCENE),
                             cut(box(4, 0, 8, 4, 4, 6, RV_SOLID_SCENE)),
                             box(15, 0, 4, 8, 8, 8, RV_SOLID_BONE),
                             box(15, 12, 4, 8, 8, 8, RV_SOLID_SCENE)};
    solid[0].at.x = 2 * MM;
    rv_world *world = make_world(solid, 8);
    expect(world, -18, 0, 8, WOOD);
    expect(world, -6, 0, 8, STEEL);
    expect(world, 3, 0, 8, WOOD);
    expect(world, 6, 0, 5, WOOD);
    expect(world, 17, 0, 8, BONE);
    expect(world, 15, 12, 8, TISSUE);
    rv_world_destroy(world);
}

static void moving_solids_take_their_material_along(void **state)
{
    (void)state;
    rv_solid_def solid[5] = {box(0, 0, 2, 300, 300, 4, RV_SOLID_WOOD), group(2, RV_SOLID_STEEL),
                             box(-3, 0, 12, 6, 6, 6, RV_SOLID_SCENE),
                             box(3, 0, 12, 6, 6, 6, RV_SOLID_CERAMIC),
                             ball(-20, 0, 14, 3, RV_SOLID_SCENE)};
    solid[1].mover = 1, solid[4].mover = 2;
    rv_world *world = make_world(solid, 5);
    expect(world, -3, 0, 15, STEEL);
    expect(world, 3, 0, 15, CERAMIC);
    expect(world, -20, 0, 17, TISSUE);
    expect(world, 0, 0, 4, WOOD);
    rv_pose pose = {.shift = {0.015, 0, -0.007}, .rotate = {0, 0, 3.14159265358979}};
    pose.pivot = (rv_vec3){0, 0, 0.012};
    assert_int_equal(rv_world_move(world, 1, &pose, NULL, NULL), RV_OK);
    expect(world, 18, 0, 8, STEEL); // half of it sunk in the wood
    expect(world, 12, 0, 8, CERAMIC);
    expect(world, 9, 0, 6, CERAMIC);
    expect(world, 0, 0, 4, WOOD);
    expect(world, 7, 0, 4, WOOD);
    rv_world_destroy(world);
}

static void edits_show_their_tool(void **state)
{
    (void)state;
    rv_solid_def solid[2] = {box(0, 0, 6, 300, 300, 12, RV_SOLID_WOOD),
                             box(-15, 0, 16, 3, 3, 3, RV_SOLID_BONE)};
    solid[1].mover = 1;
    rv_world *world = make_world(solid, 2);
    const rv_vec3 left[2] = {{-0.01, 0, 0.012}, {-0.005, 0, 0.012}}, right = {0.01, 0, 0.012},
                  back = {0, 0.012, 0.012};
    rv_solid_def steel = ball(0, 0, 0, 4, RV_SOLID_STEEL), none = ball(0, 0, 0, 4, RV_SOLID_SCENE);
    rv_solid_def two[2] = {box(-3, 0, 0, 6, 6, 20, RV_SOLID_CERAMIC),
                           box(3, 0, 0, 6, 6, 20, RV_SOLID_STEEL)};
    edit(world, RV_EVENT_CARVE, &none, 1, left, 2);
    expect(world, -7, 0, 8, WOOD);
    edit(world, RV_EVENT_CARVE, &steel, 1, &right, 1);
    expect(world, 10, 0, 8, STEEL);
    expect(world, 13, 0, 10, STEEL);
    expect(world, 16, 0, 12, WOOD);
    edit(world, RV_EVENT_ADD, two, 2, &back, 1); // a whole brick of it and more
    expect(world, -3, 12, 22, CERAMIC);
    expect(world, 3, 12, 22, STEEL);
    expect(world, 3, 9, 17, STEEL);
    rv_solid_def shaft = box(0, 0, 0, 2, 2, 14, RV_SOLID_SCENE);
    const rv_vec3 down = {-0.003, 0.012, 0.022};
    edit(world, RV_EVENT_CARVE, &shaft, 1, &down, 1); // into what was added
    expect(world, -3, 12, 15, CERAMIC);
    edit(world, RV_EVENT_ADD, &none, 1, &right, 1); // a patch
    expect(world, 10, 0, 16, TISSUE);
    const rv_vec3 deep = {0.01, 0, 0.0065};
    edit(world, RV_EVENT_CARVE, &none, 1, &right, 1);
    edit(world, RV_EVENT_CARVE, &none, 1, &deep, 1); // beyond what the first one had stamped
    expect(world, 10, 0, 2.5, WOOD);
    expect(world, -15, 0, 17.5, BONE);
    rv_world_destroy(world);
}

static void snapshots_keep_what_edits_look_like(void **state)
{
    (void)state;
    rv_solid_def solid[COUNTRY];
    make_country(solid);
    rv_world_def def = definition(60, 40, solid, COUNTRY);
    rv_world *world = create(&def), *other = create(&def);
    uint64_t seed = 4;
    for (int n = 0; n < 12; n++) random_change(world, &seed, n);
    size_t size = rv_world_snapshot_size(world), again;
    unsigned char *bytes = test_malloc(size);
    assert_int_equal(rv_world_save(world, bytes, size), RV_OK);
    for (int n = 12; n < 20; n++) random_change(other, &seed, n); // not as it was made
    assert_int_equal(rv_world_restore(other, bytes, size, NULL), RV_OK);
    rv_mesh a, b;
    assert_int_equal(rv_world_terrain_mesh(world, &a, NULL), RV_OK);
    assert_int_equal(rv_world_terrain_mesh(other, &b, NULL), RV_OK);
    assert_true(same_mesh(&a, &b));
    again = rv_world_snapshot_size(other);
    assert_int_equal(again, size);
    unsigned char *twice = test_malloc(size);
    assert_int_equal(rv_world_save(other, twice, size), RV_OK);
    assert_memory_equal(bytes, twice, size);
    test_free(bytes), test_free(twice);
    rv_mesh_free(&a), rv_mesh_free(&b);
    rv_world_destroy(world), rv_world_destroy(other);
}

// ---- Against the solids, asked one by one -------------------------------------------------------

#define MANY 60

// Boxes and balls in groups of three, joined and cut, sharply and smoothly, of any material.
static void make_many(uint64_t *seed, rv_solid_def solid[MANY])
{
    for (int i = 0; i < MANY; i++) {
        double size = random_in(seed, 2, 9);
        rv_solid_material material =
            (rv_solid_material)random_in(seed, 0, 1.6 * RV_SOLID_STEEL); // often none
        if (material > RV_SOLID_STEEL) material = RV_SOLID_SCENE;
        double x = random_in(seed, -32, 32), y = random_in(seed, -22, 22);
        double z = random_in(seed, 2, 18);
        solid[i] = i % 2 ? ball(x, y, z, 0.5 * size, material)
                         : box(x, y, z, size, 1.4 * size, 0.8 * size, material);
        if (i % 4 == 0) {
            solid[i] = group(3, material);
            solid[i].at = (rv_vec3){0.1 * x * MM, 0.1 * y * MM, 0.1 * z * MM};
            solid[i].rotate.z = random_in(seed, 0, 6);
        }
        double what = random_in(seed, 0, 1);
        if (i > 8) solid[i].op = what < 0.6 ? RV_UNION : RV_SUBTRACT;
        if (what > 0.3 && what < 0.7) solid[i].blend = random_in(seed, 0, 3) * MM;
        if (i % 7 == 3) solid[i].mirror = RV_MIRROR_X;
    }
}

static uint8_t look_at(const rv_looks *looks, rv_vec3 p)
{
    uint8_t look;
    rv_nodes_look(looks->nodes, looks->node_count, p, &look);
    return look == RV_LOOK_CLEAR ? RV_LOOK_SCENE : look;
}

// Whether all that is up to a third of a cell away along an axis looks the same.
static bool is_clear(const rv_looks *looks, rv_vec3 p, uint8_t look)
{
    for (int k = -10; k <= 10; k++) {
        double by = k / 30.0 * MM;
        if (look_at(looks, (rv_vec3){p.x + by, p.y, p.z}) != look ||
            look_at(looks, (rv_vec3){p.x, p.y + by, p.z}) != look ||
            look_at(looks, (rv_vec3){p.x, p.y, p.z + by}) != look)
            return false;
    }
    return true;
}

static void culling_changes_no_material(void **state)
{
    (void)state;
    rv_allocator a = rv_default_allocator();
    for (uint64_t n = 0; n < 4; n++) {
        rv_solid_def solid[MANY];
        uint64_t seed = n;
        make_many(&seed, solid);
        rv_world *world = make_world(solid, MANY);
        rv_looks looks = {0};
        rv_mesh mesh;
        size_t compared = 0, other = 0, kinds[RV_LOOKS] = {0};
        assert_true(rv_looks_make(&looks, solid, MANY, NULL, &a));
        assert_int_equal(rv_world_terrain_mesh(world, &mesh, NULL), RV_OK);
        for (size_t i = 0; i < mesh.vertex_count; i++) {
            const float *p = mesh.positions + 3 * i;
            if (!(p[2] > 1e-6f)) continue; // the ground's
            rv_vec3 at = {(double)p[0], (double)p[1], (double)p[2]};
            uint8_t look = look_at(&looks, at);
            int want = look == RV_LOOK_SCENE ? RV_MATERIAL_TISSUE : look - 1;
            // Where samples place a vertex off the surface, beside an inner edge, it is of the
            // solid whose surface is there.
            bool same = mesh.materials[i] == want;
            if (!same && is_clear(&looks, at, look))
                fail_msg("%d: vertex %zu is of %d, not %d", (int)n, i, mesh.materials[i], want);
            other += !same;
            kinds[look]++, compared++;
        }
        assert_true(100 * other < compared);
        print_message("%zu vertices, %zu off the surface and of another solid:", compared, other);
        for (int k = 0; k < RV_LOOKS; k++) print_message(" %zu", kinds[k]);
        print_message("\n");
        rv_mesh_free(&mesh);
        rv_looks_free(&looks, &a);
        rv_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_together_are_the_whole),
        cmocka_unit_test(heights_have_tiles_too),
        cmocka_unit_test(what_changed_is_told),
        cmocka_unit_test(long_ago_and_other_looks_change_all),
        cmocka_unit_test(what_cannot_be_asked_is_refused),
        cmocka_unit_test(the_nearer_solid_of_a_union_is_seen),
        cmocka_unit_test(the_ground_is_the_scenes),
        cmocka_unit_test(walls_of_a_cut_are_of_what_is_cut),
        cmocka_unit_test(groups_hand_their_word_down),
        cmocka_unit_test(moving_solids_take_their_material_along),
        cmocka_unit_test(edits_show_their_tool),
        cmocka_unit_test(snapshots_keep_what_edits_look_like),
        cmocka_unit_test(culling_changes_no_material),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The terrain's tiles for pictures from close by: finer where the surface is bent, without cracks.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rivulet/rivulet.h"
#include "terrain/terrain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MM 1e-3

typedef struct side {
    float from[3], to[3];
} side;

typedef struct pile {
    float (*corner)[9]; // of triangles
    size_t count, room;
} pile;

static void add(pile *p, const rv_mesh *m)
{
    for (size_t t = 0; t < m->triangle_count; t++) {
        if (p->count == p->room) {
            p->room = 2 * p->room + 1000;
            p->corner = realloc(p->corner, p->room * sizeof *p->corner);
            assert_non_null(p->corner);
        }
        for (size_t c = 0; c < 3; c++)
            memcpy(p->corner[p->count] + 3 * c, m->positions + 3 * (size_t)m->indices[3 * t + c],
                   3 * sizeof(float));
        p->count++;
    }
}

static int by_place(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(side));
}

// Edges that no other triangle has the other way.
static size_t open_edges(const pile *p)
{
    side *all = malloc(3 * p->count * sizeof *all);
    size_t open = 0;
    assert_non_null(all);
    for (size_t t = 0; t < p->count; t++)
        for (size_t c = 0; c < 3; c++) {
            memcpy(all[3 * t + c].from, p->corner[t] + 3 * c, 3 * sizeof(float));
            memcpy(all[3 * t + c].to, p->corner[t] + 3 * ((c + 1) % 3), 3 * sizeof(float));
        }
    qsort(all, 3 * p->count, sizeof *all, by_place);
    for (size_t n = 0; n < 3 * p->count; n++) {
        side back;
        memcpy(back.from, all[n].to, sizeof back.from),
            memcpy(back.to, all[n].from, sizeof back.to);
        if (!bsearch(&back, all, 3 * p->count, sizeof *all, by_place)) {
            if (open < 5)
                printf("open: %.4f %.4f %.4f – %.4f %.4f %.4f mm\n", 1e3 * (double)back.from[0],
                       1e3 * (double)back.from[1], 1e3 * (double)back.from[2],
                       1e3 * (double)back.to[0], 1e3 * (double)back.to[1],
                       1e3 * (double)back.to[2]);
            open++;
        }
    }
    free(all);
    return open;
}

static rv_solid_def solid(rv_shape shape, double x, double y, double z)
{
    rv_solid_def s = rv_default_solid_def();
    s.shape = shape, s.at = (rv_vec3){x * MM, y * MM, z * MM};
    return s;
}

enum { SOLIDS = 5 };

// A cup with a handle on a board, in tiles that part it.
static void make_cup(rv_solid_def s[SOLIDS])
{
    s[0] = solid(RV_SHAPE_BOX, 0, 0, 2);
    s[0].size = (rv_vec3){300 * MM, 300 * MM, 6 * MM};
    s[1] = solid(RV_SHAPE_CONE, 1.3, 0.4, 18);
    s[1].radius = 10 * MM, s[1].radius2 = 14 * MM, s[1].height = 28 * MM;
    s[2] = solid(RV_SHAPE_TORUS, 14, 0.4, 18);
    s[2].radius = 7 * MM, s[2].radius2 = 2 * MM, s[2].rotate = (rv_vec3){1.5707963, 0, 0};
    s[2].blend = 2 * MM;
    s[3] = solid(RV_SHAPE_CONE, 1.3, 0.4, 20);
    s[3].op = RV_SUBTRACT, s[3].radius = 8.5 * MM, s[3].radius2 = 12.6 * MM;
    s[3].height = 26 * MM;
    s[4] = solid(RV_SHAPE_CYLINDER, -22, -17, 5);
    s[4].radius = 7 * MM, s[4].height = 3 * MM, s[4].round = 1.2 * MM;
}

static rv_world *make_world(const rv_solid_def *solids, int count)
{
    rv_world_def def = rv_default_world_def();
    rv_messages m = {0};
    rv_world *world = NULL;
    def.params.grid_nx = 72, def.params.grid_ny = 66, def.params.grid_dx = MM;
    def.params.grid_bottom = 0, def.params.grid_top = 44 * MM;
    def.solids = solids, def.solid_count = count;
    if (rv_world_create(&def, &world, &m) != RV_OK) fail_msg("%s", m.text);
    return world;
}

// How many triangles have their middle farther off the surface than so many cells, over the board.
static size_t off_by(const pile *p, const rv_solid_def *solids, int count, double cells)
{
    size_t off = 0;
    for (size_t t = 0; t < p->count; t++) {
        const float *v = p->corner[t];
        rv_vec3 at = {(double)(v[0] + v[3] + v[6]) / 3, (double)(v[1] + v[4] + v[7]) / 3,
                      (double)(v[2] + v[5] + v[8]) / 3};
        off += at.z > 6 * MM && fabs(rv_solids_distance(solids, count, at)) > cells * MM;
    }
    return off;
}

static void take_tiles(const rv_world *world, bool fine, pile *out)
{
    int across, along;
    rv_messages m = {0};
    rv_mesh mesh;
    assert_int_equal(rv_world_get_terrain_tiles(world, &across, &along), RV_OK);
    for (int n = 0; n < across * along; n++) {
        rv_result r = fine ? rv_world_terrain_tile_fine(world, n % across, n / across, &mesh, &m)
                           : rv_world_terrain_tile(world, n % across, n / across, &mesh, &m);
        assert_int_equal(r, RV_OK);
        add(out, &mesh);
        rv_mesh_free(&mesh);
    }
}

static void tiles_fit_and_lie_on_the_solids(void **state)
{
    (void)state;
    rv_solid_def solids[SOLIDS];
    make_cup(solids);
    rv_world *world = make_world(solids, SOLIDS);
    pile coarse = {0}, fine = {0};
    take_tiles(world, false, &coarse), take_tiles(world, true, &fine);
    size_t was = off_by(&coarse, solids, SOLIDS, 0.05), is = off_by(&fine, solids, SOLIDS, 0.05);
    printf("%zu triangles, %zu of them off; fine %zu, %zu off\n", coarse.count, was, fine.count,
           is);
    assert_true(was > 100 && is < was / 15);
    assert_true(fine.count < 2 * coarse.count);
    assert_int_equal(open_edges(&coarse), 0);
    assert_int_equal(open_edges(&fine), 0);
    free(coarse.corner), free(fine.corner);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_fit_and_lie_on_the_solids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

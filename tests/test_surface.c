// The liquid's surface, over random layered terrains with liquid at rest, in motion, and as no
// solver would leave it: a proper mesh without holes, steady, the same however it was made; memory
// taken once, and never lost.
//
// A failure prints the seed; `test_surface SEED` runs that one alone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "surface_check.h"

#define SCENES 200

static uint64_t first_seed = 1, last_seed = SCENES;

// Settings by number: both, no curtain, no edge, neither.
static void set_surface(rv_world *world, int number)
{
    rv_params p = *rv_world_params(world);
    p.surface_curtain = !(number & 1), p.surface_edge = !(number & 2);
    assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
}

// ---- No holes -----------------------------------------------------------------------------------

// Films up to four times the thinnest are on their way to dry, and the surface may end beside them.
static bool is_wet(const rv_columns *c, size_t slot, double film)
{
    return (double)c->depth[slot] > 4 * film;
}

// Whether the end of the liquid is out of reach: all that is linked to the column is wet.
static bool far_from_end(const rv_columns *c, size_t slot, int x, int y, double film)
{
    for (int j = y - 1; j <= y + 1; j++)
        for (int i = x - 1; i <= x + 1; i++) {
            if (i == x && j == y) continue;
            size_t o = linked_in(c, slot, i, j);
            if (o != NOTHING && !is_wet(c, o, film)) return false;
        }
    return true;
}

// Four wet columns around a corner of cells, each linked to each.
static bool find_quartet(const rv_columns *c, size_t first, int x, int y, double film,
                         size_t slot[4])
{
    slot[0] = first;
    for (int k = 1; k < 4; k++) slot[k] = linked_in(c, first, x + k % 2, y + k / 2);
    for (int k = 0; k < 4; k++) {
        if (slot[k] == NOTHING || !is_wet(c, slot[k], film)) return false;
        if (!far_from_end(c, slot[k], x + k % 2, y + k / 2, film)) return false;
        for (int n = 0; n < k; n++)
            if (!linked(c, slot[k], slot[n])) return false;
    }
    return true;
}

// Area in plan of the triangles between four columns, in cells.
static double covered(const surface_view *v, const size_t slot[4], const uint32_t *first,
                      const uint32_t *next)
{
    double sum = 0;
    size_t a = v->vertex[slot[0]];
    // triangles between them have the first or the last column as a corner
    size_t b = v->vertex[slot[3]];
    for (int k = 0; k < 2; k++)
        for (uint32_t i = first[k == 0 ? a : b]; i != UINT32_MAX; i = next[i]) {
            const uint32_t *t = v->mesh.indices + 3 * (i / 3);
            int among = 0;
            bool seen = false;
            for (int n = 0; n < 3; n++) {
                seen = seen || (k == 1 && t[n] == a);
                for (int m = 0; m < 4; m++) among += v->column[t[n]] == slot[m];
            }
            if (among == 3 && !seen) sum += 0.5 * plan_of(v, i / 3);
        }
    return sum;
}

// Corners of triangles by vertex: first[vertex], then next[corner].
static void list_corners(const surface_view *v, uint32_t **first, uint32_t **next)
{
    size_t corners_ = 3 * v->mesh.triangle_count;
    *first = test_malloc((v->mesh.vertex_count + 1) * sizeof **first);
    *next = test_malloc((corners_ + 1) * sizeof **next);
    memset(*first, 0xff, v->mesh.vertex_count * sizeof **first);
    for (size_t i = 0; i < corners_; i++) {
        (*next)[i] = (*first)[v->mesh.indices[i]];
        (*first)[v->mesh.indices[i]] = (uint32_t)i;
    }
}

// Exactly once: edges do not let triangles overlap, so that the area tells.
static void check_quartet(const surface_view *v, const size_t slot[4], const uint32_t *first,
                          const uint32_t *next, int x, int y, int l)
{
    for (int k = 0; k < 4; k++)
        if (v->vertex[slot[k]] == NOTHING) {
            complain(v, "cells from %d %d, layer %d: column %d has no vertex", x, y, l, k);
            return;
        }
    double area = covered(v, slot, first, next);
    if (!(fabs(area - 1) < 1e-3))
        complain(v, "cells from %d %d, layer %d: %g of 1 covered", x, y, l, area);
}

static int64_t check_cover(const surface_view *v, double film)
{
    const rv_columns *c = v->c;
    uint32_t *first, *next;
    int64_t count = 0;
    list_corners(v, &first, &next);
    for (int l = 0; l < c->planes; l++)
        for (int y = 0; y + 1 < c->ny; y++)
            for (int x = 0; x + 1 < c->nx; x++) {
                size_t slot[4];
                if (!column_at(c, l, x, y, &slot[0])) continue;
                if (!find_quartet(c, slot[0], x, y, film, slot)) continue;
                check_quartet(v, slot, first, next, x, y, l);
                count++;
            }
    test_free(first), test_free(next);
    return count;
}

static void random_surfaces_are_whole(void **state)
{
    (void)state;
    int64_t triangles = 0, quartets = 0, curtains = 0, extra = 0, layered = 0;
    int problems = 0;
    for (uint64_t seed = first_seed; seed <= last_seed; seed++) {
        random_scene s;
        rv_fill_def fill;
        random_scene_of(&s, seed);
        random_fill(&s, &fill);
        rv_world *world = make_world(&s.def);
        random_liquid(&s, world);
        rv_surface *surface;
        assert_int_equal(rv_surface_create(world, &surface), RV_OK);
        for (int k = 0; k < 4; k++) {
            char what[64];
            rv_columns c;
            surface_view v;
            snprintf(what, sizeof what, "seed %llu, settings %d", (unsigned long long)seed, k);
            set_surface(world, k);
            assert_int_equal(rv_surface_update(surface, world), RV_OK);
            rv_world_columns(world, &c);
            open_view(&v, &c, surface, s.def.params.surface_film, &problems, what);
            check_surface(&v);
            quartets += check_cover(&v, s.def.params.surface_film);
            triangles += (int64_t)v.mesh.triangle_count, curtains += v.stats.curtain;
            extra += v.stats.extra, layered += c.planes > 1;
            close_view(&v);
        }
        rv_surface_destroy(surface);
        rv_world_destroy(world);
    }
    print_message(
        "%lld triangles, %lld of them hanging, %lld extra vertices, %lld whole quartets\n",
        (long long)triangles, (long long)curtains, (long long)extra, (long long)quartets);
    assert_int_equal(problems, 0);
    if (last_seed > first_seed)
        assert_true(layered > 2 * SCENES && curtains > SCENES && extra > SCENES &&
                    quartets > 100 * SCENES);
}

int main(int argc, char **argv)
{
    if (argc > 1) first_seed = last_seed = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_surfaces_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

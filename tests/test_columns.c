// The sampled field and the columns cast from it: exact crossings, layers, culling, threads, turned
// scenes, rays, and memory that runs out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "terrain/field.h"

#include <math.h>

#define PI 3.14159265358979323846
#define DX 1e-3

typedef struct scene {
    rv_solid_def solid[64];
    int count;
    rv_grid grid;
} scene;

typedef struct built {
    rv_terrain *terrain;
    rv_column_set columns;
} built;

static double random_in(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * ((double)(*seed >> 11) / 9007199254740992.0);
}

static rv_grid grid_of(int nx, int ny, double bottom, double top, double stretch)
{
    rv_params p = rv_default_params();
    p.grid_nx = nx, p.grid_ny = ny, p.grid_dx = DX, p.grid_bottom = bottom, p.grid_top = top;
    p.grid_stretch = stretch;
    return rv_grid_of(&p);
}

static rv_solid_def *add(scene *s, rv_shape shape)
{
    rv_solid_def *solid = &s->solid[s->count++];
    *solid = rv_default_solid_def();
    solid->shape = shape;
    return solid;
}

static built build(const scene *s, bool keep, rv_pool *pool)
{
    built b;
    rv_allocator a = rv_default_allocator();
    rv_messages m = {0};
    if (!rv_solids_check(s->solid, s->count, "solids", &m)) fail_msg("%s", m.text);
    assert_int_equal(rv_terrain_build(s->solid, s->count, &s->grid, keep, pool, &a, NULL, NULL,
                                      &b.terrain, &b.columns),
                     RV_OK);
    assert_true(keep == (b.terrain != NULL));
    return b;
}

static void end(built *b)
{
    rv_terrain_free(b->terrain);
    rv_columns_free(&b->columns);
}

static void assert_same_columns(const rv_column_set *a, const rv_column_set *b)
{
    assert_true(a->slots == b->slots && a->planes == b->planes && a->columns == b->columns);
    assert_true(a->dropped == b->dropped);
    assert_memory_equal(a->plane, b->plane, sizeof a->plane);
    assert_memory_equal(a->cells_with, b->cells_with, sizeof a->cells_with);
    assert_memory_equal(a->min, b->min, a->slots * sizeof(float));
    assert_memory_equal(a->base, b->base, a->slots * sizeof(float));
    assert_memory_equal(a->max, b->max, a->slots * sizeof(float));
}

static int count_at(const rv_column_set *c, int x, int y)
{
    int n = 0;
    while (n < c->planes && rv_plane_has(&c->plane[n], x, y) &&
           rv_column_exists(c, rv_slot(&c->plane[n], x, y)))
        n++;
    return n;
}

static void assert_column(const rv_column_set *c, int x, int y, int layer, double min, double base,
                          double max, double tolerance)
{
    size_t slot = rv_slot(&c->plane[layer], x, y);
    double got[3] = {(double)c->min[slot], (double)c->base[slot], (double)c->max[slot]};
    if (layer < count_at(c, x, y) && fabs(got[0] - min) <= tolerance &&
        fabs(got[1] - base) <= tolerance && fabs(got[2] - max) <= tolerance)
        return;
    fail_msg("column %d, %d, %d: %.9g %.9g %.9g, expected %.9g %.9g %.9g", x, y, layer, got[0],
             got[1], got[2], min, base, max);
}

static rv_vec3 middle_of(const rv_grid *g, int x, int y)
{
    return (rv_vec3){g->x0 + (x + 0.5) * g->dx, g->y0 + (y + 0.5) * g->dx, 0};
}

// ---- Crossings ----------------------------------------------------------------------------------

static void tilted_planes(void **state)
{
    (void)state;
    const double stretches[3] = {1, 0.37, 2.3};
    for (int n = 0; n < 12; n++) {
        scene s = {.grid = grid_of(21, 33, -0.004, 0.05, stretches[n % 3])};
        rv_solid_def *plane = add(&s, RV_SHAPE_PLANE);
        plane->at.z = 0.02, plane->normal = (rv_vec3){0.1 * n, -0.07 * n, 1};
        built b = build(&s, false, NULL);
        for (int y = 0; y < 33; y++) {
            for (int x = 0; x < 21; x++) {
                rv_vec3 p = middle_of(&s.grid, x, y);
                double z = 0.02 - 0.1 * n * p.x + 0.07 * n * p.y;
                assert_column(&b.columns, x, y, 0, -0.004, z, 0.05, 1e-6 * DX + 1e-8);
            }
        }
        end(&b);
    }
}

static void spheres(void **state)
{
    (void)state;
    scene s = {.grid = grid_of(40, 40, 0, 0.04, 1)};
    rv_solid_def *sphere = add(&s, RV_SHAPE_SPHERE);
    double r = sphere->radius = 0.0123, h = 0.0201;
    sphere->at = (rv_vec3){0.0007, -0.0004, h};
    built b = build(&s, true, NULL);
    for (int y = 0; y < 40; y++) {
        for (int x = 0; x < 40; x++) {
            rv_vec3 p = middle_of(&s.grid, x, y);
            double a = p.x - sphere->at.x, c = p.y - sphere->at.y, left = r * r - a * a - c * c;
            if (left <= 0) {
                assert_int_equal(count_at(&b.columns, x, y), 1);
            } else if (left > 0.2 * r * r) {
                double half = sqrt(left);
                assert_column(&b.columns, x, y, 0, 0, 0, h - half, 0.02 * DX);
                assert_column(&b.columns, x, y, 1, h - half, h + half, 0.04, 0.02 * DX);
            }
        }
    }
    end(&b);
}

// What reaches the lid leaves no column; what is above it, or below the ground, does not count.
static void lid_and_ground(void **state)
{
    (void)state;
    scene s = {.grid = grid_of(20, 10, 0, 0.0203, 1)};
    rv_solid_def *pillar = add(&s, RV_SHAPE_BOX), *roof, *cellar, *block;
    pillar->at.x = -0.006, pillar->size = (rv_vec3){0.004, 0.1, 0.1};
    roof = add(&s, RV_SHAPE_BOX), roof->at = (rv_vec3){0, 0, 0.0305};
    roof->size = (rv_vec3){0.004, 0.1, 0.02}; // from just above the lid, within the last sample
    cellar = add(&s, RV_SHAPE_BOX), cellar->at = (rv_vec3){0.004, 0, -0.01};
    cellar->size = (rv_vec3){0.002, 0.1, 0.012};
    block = add(&s, RV_SHAPE_BOX), block->at = (rv_vec3){0.008, 0, 0.025};
    block->size = (rv_vec3){0.002, 0.1, 0.02}; // from 15 mm to beyond the lid
    built b = build(&s, true, NULL);
    double top = (double)(float)rv_grid_snap(&s.grid, 0.0203);
    assert_int_equal(count_at(&b.columns, 4, 5), 0);
    assert_column(&b.columns, 10, 5, 0, 0, 0, top, 0);
    assert_column(&b.columns, 14, 5, 0, 0, 0, top, 0);
    assert_column(&b.columns, 18, 5, 0, 0, 0, 0.015, 1e-8);
    assert_int_equal(count_at(&b.columns, 18, 5), 1);
    end(&b);
}

static void no_solids(void **state)
{
    (void)state;
    scene s = {.grid = grid_of(9, 9, 0.01, 0.02, 1)};
    built b = build(&s, true, NULL);
    assert_column(&b.columns, 8, 8, 0, 0.01, 0.01, 0.02, 1e-9);
    assert_true(fabsf(rv_terrain_distance(b.terrain, (rv_vec3){0, 0, 0.013}) - 0.003f) < 1e-9f);
    assert_true(rv_terrain_distance(b.terrain, (rv_vec3){0, 0, 0.009}) < 0);
    double t = rv_terrain_cast(b.terrain, (rv_vec3){0, 0, 0.015}, (rv_vec3){0, 0, -1});
    assert_true(fabs(t - 0.005) < 1e-12);
    end(&b);
}

static void stack_of_slabs(void **state)
{
    (void)state;
    for (int slabs = 15; slabs <= 18; slabs++) {
        scene s = {.grid = grid_of(12, 12, 0, 0.08, 1)};
        for (int i = 0; i < slabs; i++) {
            rv_solid_def *slab = add(&s, RV_SHAPE_BOX);
            slab->at.z = 0.004 * i + 0.004, slab->size = (rv_vec3){0.006, 0.006, 0.0015};
        }
        built b = build(&s, false, NULL);
        int kept = slabs + 1 < 16 ? slabs + 1 : 16;
        assert_int_equal(b.columns.planes, kept);
        assert_int_equal(count_at(&b.columns, 6, 6), kept);
        assert_int_equal(count_at(&b.columns, 0, 0), 1);
        assert_int_equal(b.columns.dropped, 36 * (slabs + 1 - kept));
        assert_int_equal(b.columns.cells_with[kept], 36);
        assert_int_equal(b.columns.cells_with[1], 144 - 36);
        assert_int_equal(b.columns.columns, 36 * kept + 144 - 36);
        for (int i = 1; i < kept; i++) {
            double middle = 0.004 * i, next = middle + 0.004 - 0.00075;
            assert_column(&b.columns, 6, 6, i, middle - 0.00075, middle + 0.00075,
                          i < slabs ? next : 0.08, 1e-8);
        }
        end(&b);
    }
}

static void slivers(void **state)
{
    (void)state;
    scene s = {.grid = grid_of(8, 8, 0, 0.02, 1)};
    add(&s, RV_SHAPE_BOX)->size = (rv_vec3){1, 1, 0.01 - 1e-7}; // up to 5 mm less a hair
    rv_solid_def *above = add(&s, RV_SHAPE_BOX), *cap;
    above->size = (rv_vec3){1, 1, 0.004}, above->at.z = 0.007;
    cap = add(&s, RV_SHAPE_BOX), cap->size = (rv_vec3){1, 1, 0.01}, cap->at.z = 0.02 + 0.005 - 1e-7;
    built b = build(&s, false, NULL);
    assert_column(&b.columns, 3, 3, 0, 0, 0.009, 0.02, 2e-7);
    assert_int_equal(b.columns.columns, 64);
    end(&b);
}

static void heights(void **state)
{
    (void)state;
    rv_grid g = grid_of(3, 2, 0, 0.01, 1);
    float bed[6] = {0.001f, 0.01f, -1, 0.00999f, 0.02f, 0.009999999f};
    rv_column_set c;
    rv_allocator a = rv_default_allocator();
    assert_int_equal(rv_columns_from_heights(&c, &g, bed, NULL, &a), RV_OK);
    int64_t found = 0;
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 3; x++) found += count_at(&c, x, y);
    assert_int_equal(found, c.columns);
    assert_int_equal(c.cells_with[1], c.columns);
    assert_int_equal(count_at(&c, 0, 0) + count_at(&c, 2, 0) + count_at(&c, 0, 1), 3);
    assert_int_equal(count_at(&c, 1, 0) + count_at(&c, 1, 1), 0);
    assert_column(&c, 2, 0, 0, 0, 0, 0.01, 1e-9);
    assert_int_equal(rv_columns_below(&c, 0, 0, 0.005), 0);
    assert_int_equal(rv_columns_below(&c, 0, 0, 0.0005), -1);
    rv_columns_free(&c);
}

// ---- Culling, keeping, threads, turning ---------------------------------------------------------

static rv_vec3 vector_in(uint64_t *seed, double low, double high)
{
    double x = random_in(seed, low, high), y = random_in(seed, low, high);
    return (rv_vec3){x, y, random_in(seed, low, high)};
}

// Every kind of thing at once, groups in groups included.
static scene random_scene(uint64_t seed)
{
    scene s = {.grid = grid_of(30, 25, 0, 0.03, 1)};
    int open[2] = {0, 0};
    rv_solid_def *ground = add(&s, RV_SHAPE_PLANE);
    ground->at.z = 0.004, ground->noise = 5e-4, ground->noise_size = 4e-3;
    while (s.count < 28) {
        rv_solid_def *a = add(&s, (rv_shape)(1 + (int)random_in(&seed, 0, 7.999)));
        a->op = (rv_operation)fmax(random_in(&seed, -3, 2.999), 0);
        if (a->op == RV_INTERSECT) a->size = (rv_vec3){0.05, 0.05, 0.05}, a->shape = RV_SHAPE_BOX;
        if (random_in(&seed, 0, 1) < 0.6) a->blend = random_in(&seed, 0, 3e-3);
        a->at = vector_in(&seed, -0.012, 0.012), a->at.z += 0.012;
        a->rotate = vector_in(&seed, -2, 2), a->scale = random_in(&seed, 0.5, 2);
        a->mirror = (rv_mirror)fmax(random_in(&seed, -6, 3.999), 0);
        if (a->op != RV_INTERSECT) a->size = vector_in(&seed, 1e-3, 8e-3);
        a->radius = random_in(&seed, 2e-3, 5e-3), a->radius2 = random_in(&seed, 5e-4, 1.5e-3);
        a->height = random_in(&seed, 1e-3, 8e-3), a->to = vector_in(&seed, -6e-3, 6e-3);
        if (a->shape == RV_SHAPE_PLANE) a->at.z = 0.003, a->op = RV_UNION;
        if (random_in(&seed, 0, 1) < 0.4) a->noise = 3e-4, a->noise_size = 2e-3;
        if (s.count == 8 || s.count == 12) {
            a->shape = RV_SHAPE_GROUP, a->op = RV_UNION, a->children = 28 - s.count;
            if (s.count == 12) a->children = 6;
            open[0]++;
        }
    }
    assert_int_equal(open[0], 2);
    return s;
}

static bool solid_at(const rv_terrain *t, int i, int j, int k)
{
    const rv_brick *brick = rv_field_brick(t, i, j, k);
    return (brick->samples ? brick->samples[rv_brick_index(i, j, k)] : brick->middle) < 0;
}

// The distance at a sample far from the surface is a bound: within it all samples have its sign.
static void assert_alone(const rv_terrain *t, int i, int j, int k)
{
    const rv_grid *g = &t->grid;
    double d = (double)rv_terrain_distance(t, rv_field_point(g, i, j, k));
    int reach = (int)fmin(fabs(d) / DX, 6);
    if (k == 0) return; // on the ground
    assert_true((d < 0) == solid_at(t, i, j, k));
    for (int z = -reach; z <= reach; z++) {
        for (int y = -reach; y <= reach; y++) {
            for (int x = -reach; x <= reach; x++) {
                int a = i + x, b = j + y, c = k + z;
                if (a < 0 || b < 0 || c < 0 || a > g->nx + 1 || b > g->ny + 1 || c >= g->nz)
                    continue;
                if (sqrt(x * x + y * y + z * z) * DX < fabs(d))
                    assert_true(solid_at(t, a, b, c) == (d < 0));
            }
        }
    }
    // and unless the ground is near, not a needlessly small one
    if (k >= 2) assert_true(fabs(d) >= 1.99 * DX);
}

static void culled_is_unculled(void **state)
{
    (void)state;
    size_t sampled = 0, far = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        scene s = random_scene(seed);
        built b = build(&s, true, NULL);
        const rv_terrain *t = b.terrain;
        for (int k = 0; k < t->grid.nz; k++) {
            for (int j = 0; j < t->grid.ny + 2; j++) {
                for (int i = (int)seed % 2; i < t->grid.nx + 2; i += 2) {
                    rv_vec3 p = rv_field_point(&t->grid, i, j, k);
                    const rv_brick *brick = rv_field_brick(t, i, j, k);
                    float whole = (float)rv_solids_distance(s.solid, s.count, p);
                    if (brick->samples) {
                        float own = brick->samples[rv_brick_index(i, j, k)];
                        assert_memory_equal(&own, &whole, sizeof own);
                        sampled++;
                        continue;
                    }
                    // elsewhere the bound has the right sign and is no more than the value
                    assert_true((brick->middle < 0) == (whole < 0));
                    assert_true(brick->least > 0 && brick->least <= fabsf(whole));
                    if (far++ % 5 == 0) assert_alone(t, i, j, k);
                }
            }
        }
        end(&b);
    }
    assert_true(sampled > 10000 && far > 1000);
}

static void keeping_and_threads(void **state)
{
    (void)state;
    rv_pool *pool[2] = {rv_pool_create(2), rv_pool_create(5)};
    for (uint64_t seed = 1; seed <= 3; seed++) {
        scene s = random_scene(seed);
        built one = build(&s, true, NULL);
        for (int n = 0; n < 4; n++) {
            built other = build(&s, n & 1, pool[n >> 1]);
            assert_same_columns(&one.columns, &other.columns);
            end(&other);
        }
        end(&one);
    }
    rv_pool_destroy(pool[0]), rv_pool_destroy(pool[1]);
}

// (x, y) goes to (-y, x).
static rv_vec3 turned(rv_vec3 p)
{
    return (rv_vec3){-p.y, p.x, p.z};
}

// Moved by a turn about z by a quarter; solids that carry noise are turned by their own angle.
static scene turned_scene(const scene *s)
{
    scene r = *s;
    r.grid = grid_of(s->grid.ny, s->grid.nx, s->grid.bottom, s->grid.top, 1);
    for (int i = 0; i < s->count; i++) {
        rv_solid_def *a = &r.solid[i];
        a->at = turned(a->at), a->normal = turned(a->normal);
        if (a->noise > 0) {
            a->rotate.z = PI / 2;
            continue;
        }
        a->from = turned(a->from), a->to = turned(a->to);
        a->size = (rv_vec3){a->size.y, a->size.x, a->size.z};
        if (a->mirror == RV_MIRROR_X || a->mirror == RV_MIRROR_Y)
            a->mirror = a->mirror == RV_MIRROR_X ? RV_MIRROR_Y : RV_MIRROR_X;
    }
    return r;
}

static void turned_scenes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint64_t random = seed;
        scene s = {.grid = grid_of(29, 22, 0, 0.03, 1)};
        for (int n = 0; n < 20; n++) {
            rv_solid_def *a = add(&s, (rv_shape)(1 + n % 8));
            a->at = vector_in(&random, -0.012, 0.012), a->at.z += 0.012;
            a->size = vector_in(&random, 1e-3, 8e-3), a->to = vector_in(&random, -6e-3, 6e-3);
            a->radius = 4e-3, a->radius2 = 1e-3, a->height = 5e-3;
            a->op = n % 5 == 4 ? RV_SUBTRACT : RV_UNION, a->blend = n % 3 * 1e-3;
            if (a->shape == RV_SHAPE_PLANE) a->at.z = 0.002, a->normal = (rv_vec3){0.1, 0.3, 1};
            if (n % 7 == 6) a->noise = 4e-4, a->noise_size = 3e-3;
            if (n % 6 == 5 && a->noise == 0) a->mirror = RV_MIRROR_Y;
        }
        scene r = turned_scene(&s);
        built a = build(&s, false, NULL), b = build(&r, false, NULL);
        assert_int_equal(a.columns.columns, b.columns.columns);
        for (int y = 0; y < s.grid.ny; y++) {
            for (int x = 0; x < s.grid.nx; x++) {
                int u = s.grid.ny - 1 - y, v = x, n = count_at(&a.columns, x, y);
                assert_int_equal(n, count_at(&b.columns, u, v));
                for (int l = 0; l < n; l++) {
                    size_t i = rv_slot(&a.columns.plane[l], x, y);
                    size_t j = rv_slot(&b.columns.plane[l], u, v);
                    assert_memory_equal(&a.columns.min[i], &b.columns.min[j], sizeof(float));
                    assert_memory_equal(&a.columns.base[i], &b.columns.base[j], sizeof(float));
                    assert_memory_equal(&a.columns.max[i], &b.columns.max[j], sizeof(float));
                }
            }
        }
        end(&a), end(&b);
    }
}

// ---- Distances and rays -------------------------------------------------------------------------

static rv_vec3 unit(rv_vec3 v)
{
    double length = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    return (rv_vec3){v.x / length, v.y / length, v.z / length};
}

static rv_vec3 on_ray(rv_vec3 p, rv_vec3 d, double t)
{
    return (rv_vec3){p.x + t * d.x, p.y + t * d.y, p.z + t * d.z};
}

static bool in_grid(const rv_grid *g, rv_vec3 p)
{
    return fabs(p.x) <= 0.5 * g->nx * g->dx && fabs(p.y) <= 0.5 * g->ny * g->dx &&
           p.z >= g->bottom && p.z <= g->top;
}

// A slow and sure cast: tiny steps through rv_terrain_distance.
static double slow_cast(const rv_terrain *t, rv_vec3 from, rv_vec3 d)
{
    for (double s = 0; s < 0.15; s += 0.01 * DX) {
        rv_vec3 p = on_ray(from, d, s);
        if (in_grid(&t->grid, p) && rv_terrain_distance(t, p) < 0) return s;
    }
    return INFINITY;
}

static void rays_meet_a_sphere(void **state)
{
    (void)state;
    scene s = {.grid = grid_of(50, 40, 0, 0.04, 1)};
    rv_solid_def *sphere = add(&s, RV_SHAPE_SPHERE);
    double r = sphere->radius = 0.01;
    rv_vec3 c = sphere->at = (rv_vec3){0.003, -0.002, 0.02};
    built b = build(&s, true, NULL);
    uint64_t seed = 9;
    int met = 0, missed = 0;
    for (int n = 0; n < 3000; n++) {
        rv_vec3 from = vector_in(&seed, -0.08, 0.08), to = vector_in(&seed, -0.012, 0.012);
        from.z = fabs(from.z) + 0.041;
        to.x += c.x, to.y += c.y, to.z += c.z;
        rv_vec3 d = unit((rv_vec3){to.x - from.x, to.y - from.y, to.z - from.z});
        rv_vec3 o = {from.x - c.x, from.y - c.y, from.z - c.z};
        double middle = -(o.x * d.x + o.y * d.y + o.z * d.z);
        double left = r * r - (o.x * o.x + o.y * o.y + o.z * o.z - middle * middle);
        double t = rv_terrain_cast(b.terrain, from, d);
        if (left < -0.02 * r * r) {
            if (isfinite(t)) assert_true(on_ray(from, d, t).z < 1e-9); // the ground
            missed++;
        } else if (left > 0.1 * r * r) {
            assert_true(fabs(t - (middle - sqrt(left))) < 0.1 * DX);
            rv_vec3 p = on_ray(from, d, t), normal = rv_terrain_normal(b.terrain, p);
            rv_vec3 exact = unit((rv_vec3){p.x - c.x, p.y - c.y, p.z - c.z});
            double dot = normal.x * exact.x + normal.y * exact.y + normal.z * exact.z;
            assert_true(dot > 0.9995);
            met++;
        }
    }
    assert_true(met > 500 && missed > 100);
    end(&b);
}

static void rays_along_axes(void **state)
{
    (void)state;
    scene s = {.grid = grid_of(30, 30, 0, 0.03, 1)};
    rv_solid_def *box = add(&s, RV_SHAPE_BOX);
    box->size = (rv_vec3){0.01, 0.008, 0.006}, box->at.z = 0.0152;
    built b = build(&s, true, NULL);
    const rv_vec3 way[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    const double half[3] = {0.005, 0.004, 0.003};
    for (int n = 0; n < 6; n++) {
        for (int far = 0; far < 2; far++) { // from inside the grid, and from outside
            double back = n == 4 && far ? 0.0151 : far ? 0.1 : 0.012;
            rv_vec3 from = on_ray((rv_vec3){0.0005, 0, 0.0152}, way[n], -back);
            double shift = n == 0   ? 0.0005
                           : n == 1 ? -0.0005
                                    : 0,
                   expected = back - half[n / 2] - shift;
            double t = rv_terrain_cast(b.terrain, from, way[n]);
            if (fabs(t - expected) > 1e-3 * DX) fail_msg("axis %d: %.9g, not %.9g", n, t, expected);
        }
    }
    // past it, on the border of cells, on the border of the grid, away from it
    assert_true(rv_terrain_cast(b.terrain, (rv_vec3){-0.1, 0.01, 0.015}, way[0]) == INFINITY);
    assert_true(rv_terrain_cast(b.terrain, (rv_vec3){-0.1, 0.015, 0.015}, way[0]) == INFINITY);
    assert_true(rv_terrain_cast(b.terrain, (rv_vec3){-0.1, 0, 0.015}, way[1]) == INFINITY);
    assert_true(rv_terrain_cast(b.terrain, (rv_vec3){0, 0, 0.029}, way[4]) == INFINITY);
    assert_true(fabs(rv_terrain_cast(b.terrain, (rv_vec3){0.0145, 0, 1}, way[5]) - 1) < 1e-12);
    // from the ground, from inside, from nowhere, to nowhere
    assert_true(fabs(rv_terrain_cast(b.terrain, (rv_vec3){0, 0, -0.5}, way[4]) - 0.5) < 1e-12);
    assert_true(rv_terrain_cast(b.terrain, box->at, way[2]) == 0);
    assert_true(rv_terrain_cast(b.terrain, (rv_vec3){0, 0, -0.5}, way[5]) == INFINITY);
    assert_true(rv_terrain_cast(b.terrain, box->at, (rv_vec3){0, 0, 0}) == 0);
    assert_true(rv_terrain_cast(b.terrain, (rv_vec3){0, 0, 0.028}, (rv_vec3){0, 0, 0}) == INFINITY);
    assert_true(rv_terrain_cast(b.terrain, (rv_vec3){NAN, 0, 0}, way[0]) == INFINITY);
    end(&b);
}

static void rays_meet_anything(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        scene s = random_scene(seed);
        built b = build(&s, true, NULL);
        uint64_t random = seed;
        for (int n = 0; n < 60; n++) {
            rv_vec3 from = vector_in(&random, -0.02, 0.02), to = vector_in(&random, -0.01, 0.01);
            from.z += 0.021, to.z += 0.01;
            if (n % 4 == 0) to.x = from.x; // along faces of cells
            rv_vec3 d = unit((rv_vec3){to.x - from.x, to.y - from.y, to.z - from.z});
            double t = rv_terrain_cast(b.terrain, from, d), slow = slow_cast(b.terrain, from, d);
            bool ground = isfinite(t) && on_ray(from, d, t).z < 1e-6;
            // the fast one may see a graze that the steps passed over, never the reverse
            assert_true(t <= slow + 1e-9);
            if (isfinite(slow) && slow - t > 0.011 * DX && !ground) {
                rv_vec3 p = on_ray(from, d, t);
                assert_true(fabsf(rv_terrain_distance(b.terrain, p)) < 1e-3f * (float)DX);
            }
        }
        end(&b);
    }
}

static void distances(void **state)
{
    (void)state;
    scene s = {.grid = grid_of(40, 40, 0, 0.04, 0.8)};
    rv_solid_def *sphere = add(&s, RV_SHAPE_SPHERE);
    sphere->radius = 0.008, sphere->at.z = 0.02;
    built b = build(&s, true, NULL);
    uint64_t seed = 4;
    for (int n = 0; n < 20000; n++) {
        rv_vec3 p = vector_in(&seed, -0.05, 0.05);
        p.z += 0.03;
        double x = p.x, y = p.y, z = p.z - 0.02, exact = sqrt(x * x + y * y + z * z) - 0.008;
        double all = fmin(exact, p.z), d = (double)rv_terrain_distance(b.terrain, p);
        assert_true(isfinite(d));
        if (fabs(all) > 0.05 * DX) assert_true((d < 0) == (all < 0));
        if (fabs(exact) < 1.5 * DX && p.z > 2 * DX && in_grid(&s.grid, p))
            assert_true(fabs(d - exact) < 0.05 * DX);
        if (all > 0 ? d > all + 0.05 * DX : d < all - 0.05 * DX) // a bound
            fail_msg("%g for %g at (%g, %g, %g)", d, all, p.x, p.y, p.z);
        if (p.z < 0) assert_true(d <= p.z + 1e-9);
    }
    assert_true(rv_terrain_bytes(b.terrain) < 41 * 42 * 42 * 4 * 2);
    end(&b);
}

// ---- Memory and progress ------------------------------------------------------------------------

typedef struct counter {
    int left; // calls until it fails
    int held;
    size_t bytes, most;
} counter;

static void *counted(size_t bytes, void *user)
{
    counter *c = user;
    if (c->left-- == 0) return NULL;
    c->held++, c->bytes += bytes;
    if (c->bytes > c->most) c->most = c->bytes;
    return aligned_alloc(64, bytes);
}

static void uncounted(void *memory, size_t bytes, void *user)
{
    counter *c = user;
    c->held--, c->bytes -= bytes;
    free(memory);
}

static rv_result build_counted(const scene *s, bool keep, counter *c, rv_pool *pool)
{
    rv_allocator a = {counted, uncounted, c};
    rv_terrain *t;
    rv_column_set columns;
    rv_result r =
        rv_terrain_build(s->solid, s->count, &s->grid, keep, pool, &a, NULL, NULL, &t, &columns);
    assert_true(r == RV_OK || t == NULL);
    rv_terrain_free(t), rv_columns_free(&columns);
    assert_int_equal(c->held, 0);
    assert_int_equal(c->bytes, 0);
    return r;
}

static void memory_runs_out(void **state)
{
    (void)state;
    scene s = random_scene(2);
    rv_pool *pool = rv_pool_create(2);
    for (int keep = 0; keep < 2; keep++) {
        int calls = 0;
        for (rv_result r = RV_OUT_OF_MEMORY; r != RV_OK; calls++) {
            counter c = {.left = calls};
            r = build_counted(&s, keep, &c, pool);
            assert_true(r == RV_OK || r == RV_OUT_OF_MEMORY);
        }
        assert_true(calls > 10);
    }
    rv_pool_destroy(pool);
}

static void streams(void **state)
{
    (void)state;
    scene s = {.grid = grid_of(16, 2000, 0, 0.02, 1)};
    add(&s, RV_SHAPE_PLANE)->at.z = 0.01;
    counter kept = {.left = -1}, streamed = {.left = -1};
    assert_int_equal(build_counted(&s, true, &kept, NULL), RV_OK);
    assert_int_equal(build_counted(&s, false, &streamed, NULL), RV_OK);
    size_t field = (size_t)18 * 2002 * 8 * sizeof(float); // one brick high at least
    assert_true(streamed.most + field < kept.most);
    assert_true(streamed.most < (size_t)16 * 2000 * 64);
}

static void remember(double share, void *user)
{
    double *last = user;
    assert_true(share > last[0] && share <= 1);
    last[0] = share, last[1]++;
}

static void tells_progress(void **state)
{
    (void)state;
    scene s = random_scene(1);
    rv_allocator a = rv_default_allocator();
    double last[2] = {0, 0};
    built b;
    assert_int_equal(rv_terrain_build(s.solid, s.count, &s.grid, true, NULL, &a, remember, last,
                                      &b.terrain, &b.columns),
                     RV_OK);
    assert_true(last[0] == 1 && last[1] >= 3);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tilted_planes),
        cmocka_unit_test(spheres),
        cmocka_unit_test(lid_and_ground),
        cmocka_unit_test(no_solids),
        cmocka_unit_test(stack_of_slabs),
        cmocka_unit_test(slivers),
        cmocka_unit_test(heights),
        cmocka_unit_test(culled_is_unculled),
        cmocka_unit_test(keeping_and_threads),
        cmocka_unit_test(turned_scenes),
        cmocka_unit_test(rays_meet_a_sphere),
        cmocka_unit_test(rays_along_axes),
        cmocka_unit_test(rays_meet_anything),
        cmocka_unit_test(distances),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(streams),
        cmocka_unit_test(tells_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

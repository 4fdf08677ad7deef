// Marching cubes: the table of cases, random lattices, shapes with known volume and normals, the
// mesh of a terrain against its columns and against its parts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/scene_file.h"
#include "mesh_check.h"
#include "terrain/field.h"
#include "terrain/marching.h"

#include <limits.h>
#include <stdio.h>
#include <time.h>

#define PI 3.14159265358979323846

static double random_in(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * ((double)(*seed >> 11) / 9007199254740992.0);
}

static int random_int(uint64_t *seed, int low, int high)
{
    return low + (int)random_in(seed, 0, high - low + 0.999999);
}

// ---- The table ----------------------------------------------------------------------------------

typedef struct lines {
    int next[12];       // lines of the loops: from each edge to the next
    bool found[12][12]; // directed edges of triangles
} lines;

// What the triangles of a case leave when what they share with each other is taken away.
static lines outline(const rv_march_case *c, int solid)
{
    lines l;
    memset(&l, 0, sizeof l);
    for (int e = 0; e < 12; e++) l.next[e] = -1;
    for (int n = 0; n < 3 * c->triangles; n++) {
        int a = c->edge[n], b = c->edge[n % 3 == 2 ? n - 2 : n + 1];
        if (a == b || l.found[a][b]) fail_msg("case %d: %d → %d twice", solid, a, b);
        l.found[a][b] = true;
    }
    for (int a = 0; a < 12; a++) {
        for (int b = 0; b < 12; b++) {
            if (!l.found[a][b] || l.found[b][a]) continue;
            if (l.next[a] >= 0) fail_msg("case %d: edge %d is in two loops", solid, a);
            l.next[a] = b;
        }
    }
    return l;
}

// Bits: faces an edge lies in; low x, high x, low y, ….
static int faces_of(int edge)
{
    int faces = 0, start = rv_march_start(edge);
    for (int axis = 0; axis < 3; axis++)
        if (axis != edge >> 2) faces |= 1 << (2 * axis + (start >> axis & 1));
    return faces;
}

static void loops_are_closed_and_pass_every_crossed_edge(void **state)
{
    (void)state;
    rv_march_table table;
    rv_march_table_make(&table);
    for (int solid = 0; solid < 256; solid++) {
        assert_true(table.of[solid].triangles <= RV_MARCH_TRIANGLES);
        lines l = outline(&table.of[solid], solid);
        int entered[12] = {0};
        for (int e = 0; e < 12; e++)
            if (l.next[e] >= 0) entered[l.next[e]]++;
        for (int e = 0; e < 12; e++) {
            int a = rv_march_start(e), b = a | 1 << (e >> 2);
            bool crossed = (solid >> a & 1) != (solid >> b & 1);
            if ((l.next[e] >= 0) != crossed || entered[e] != crossed)
                fail_msg("case %d: edge %d is left %d times", solid, e, entered[e]);
            // a line of the outline lies in a face, the others inside the cell
            for (int to = 0; to < 12; to++)
                if (l.found[e][to] &&
                    ((faces_of(e) & faces_of(to)) != 0) != (l.next[e] == to || l.next[to] == e))
                    fail_msg("case %d: %d → %d", solid, e, to);
        }
    }
}

// The lines of a case in one face, as bits a * 12 + b … with edges named as the cell on the other
// side does.
static bool line_in_face(const lines *l, int a, int b, int face)
{
    return l->next[a] == b && (faces_of(a) & faces_of(b)) >> face & 1;
}

// Edge of the cell on the other side of a face of this axis.
static int seen_from_beyond(int edge, int axis)
{
    int across = (axis - (edge >> 2) + 3) % 3; // 1 or 2: which of the edge's two bits
    return edge ^ across;
}

static void both_cells_beside_a_face_see_the_same_lines(void **state)
{
    (void)state;
    rv_march_table table;
    rv_march_table_make(&table);
    int compared = 0;
    for (int one = 0; one < 256; one++) {
        lines l = outline(&table.of[one], one);
        for (int other = 0; other < 256; other++) {
            for (int axis = 0; axis < 3; axis++) {
                bool fit = true; // other is beyond the high face
                for (int c = 0; c < 8; c++)
                    if (c >> axis & 1)
                        fit = fit && (one >> c & 1) == (other >> (c ^ 1 << axis) & 1);
                if (!fit) continue;
                lines m = outline(&table.of[other], other);
                for (int a = 0; a < 12; a++) {
                    for (int b = 0; b < 12; b++) {
                        if (a >> 2 == axis || b >> 2 == axis ||
                            !(faces_of(a) & faces_of(b) & 1 << (2 * axis + 1)))
                            continue;
                        int c = seen_from_beyond(a, axis), d = seen_from_beyond(b, axis);
                        if (line_in_face(&l, a, b, 2 * axis + 1) !=
                            line_in_face(&m, d, c, 2 * axis))
                            fail_msg("cases %d and %d, axis %d", one, other, axis);
                        compared++;
                    }
                }
            }
        }
    }
    assert_true(compared > 100000);
}

// ---- Lattices in memory -------------------------------------------------------------------------

typedef struct lump {
    rv_lattice l;
    float *f;
    double low[3]; // m, of sample (0, 0, 0)
} lump;

static void lump_slice(void *user, int k, float *out)
{
    const lump *u = user;
    size_t flat = (size_t)u->l.n[0] * (size_t)u->l.n[1];
    memcpy(out, u->f + (size_t)k * flat, flat * sizeof *out);
}

static void lump_place(void *user, const int at[3], int axis, double share, float out[3])
{
    const lump *u = user;
    for (int a = 0; a < 3; a++)
        out[a] = (float)(u->low[a] + (at[a] + (a == axis ? share : 0)) * u->l.spacing[a]);
}

static lump make_lump(int nx, int ny, int nz)
{
    lump u = {.l = {.n = {nx, ny, nz},
                    .slice = lump_slice,
                    .place = lump_place,
                    .inset = 1e-4,
                    .normals = true,
                    .spacing = {1, 1, 1},
                    .ground = INT_MIN}};
    for (int a = 0; a < 6; a++) u.l.cut[a / 2][a % 2] = true;
    u.f = test_malloc((size_t)nx * (size_t)ny * (size_t)nz * sizeof *u.f);
    return u;
}

static rv_mesh march(lump *u)
{
    rv_mesh mesh;
    rv_allocator a = rv_default_allocator();
    u->l.user = u;
    assert_int_equal(rv_march(&u->l, &a, &mesh), RV_OK);
    return mesh;
}

static float random_sample(uint64_t *seed, int kind)
{
    double r = random_in(seed, 0, 1);
    switch (kind) {
    case 0:
        return (float)random_in(seed, -1, 1);
    case 1: // few solid corners
        return (float)(r < 0.1 ? -0.5 : 0.5);
    case 2: // touching samples
        return (float)(r < 0.4 ? 0 : random_in(seed, -1, 1));
    case 3:
        return r < 0.2 ? -1e-30f : r < 0.4 ? 0 : r < 0.6 ? 1e-30f : r < 0.8 ? -1 : 1;
    case 4: // few free corners
        return (float)(r < 0.1 ? 0 : -1);
    default:
        return r < 0.3 ? INFINITY : r < 0.6 ? -INFINITY : (float)random_in(seed, -1, 1);
    }
}

static void random_lattices_give_closed_meshes(void **state)
{
    (void)state;
    uint64_t seed = 1;
    size_t triangles = 0;
    for (int n = 0; n < 300; n++) {
        int wide = n % 10 == 0 ? 140 : 9; // more than one word of signs
        lump u =
            make_lump(random_int(&seed, 2, wide), random_int(&seed, 2, 9), random_int(&seed, 2, 9));
        size_t count = (size_t)u.l.n[0] * (size_t)u.l.n[1] * (size_t)u.l.n[2];
        for (size_t i = 0; i < count; i++) u.f[i] = random_sample(&seed, n % 6);
        rv_mesh mesh = march(&u);
        char what[64];
        snprintf(what, sizeof what, "lattice %d (%d %d %d)", n, u.l.n[0], u.l.n[1], u.l.n[2]);
        check_closed(&mesh, what);
        triangles += mesh.triangle_count;
        rv_mesh_free(&mesh);
        test_free(u.f);
    }
    assert_true(triangles > 100000);
}

// Solid and free samples on the right sides: the volume is near to the count of solid samples.
static void all_of_a_block_is_solid(void **state)
{
    (void)state;
    lump u = make_lump(5, 4, 3);
    for (int i = 0; i < 60; i++) u.f[i] = -1;
    rv_mesh mesh = march(&u);
    check_closed(&mesh, "block");
    assert_true(fabs(volume_of(&mesh) - 4 * 3 * 2) < 1e-5);
    for (size_t i = 0; i < 3 * mesh.vertex_count; i++)
        assert_true(mesh.positions[i] == floorf(mesh.positions[i]));
    rv_mesh_free(&mesh);
    for (int i = 0; i < 60; i++) u.f[i] = 1;
    mesh = march(&u);
    assert_true(mesh.vertex_count == 0 && mesh.triangle_count == 0);
    rv_mesh_free(&mesh);
    test_free(u.f);
}

// ---- Known shapes -------------------------------------------------------------------------------

static double sphere(const double p[3], double n[3])
{
    double r = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    for (int a = 0; a < 3; a++) n[a] = p[a] / r;
    return r - 0.8;
}

static double torus(const double p[3], double n[3])
{
    double r = sqrt(p[0] * p[0] + p[1] * p[1]), a = r - 0.65, d = sqrt(a * a + p[2] * p[2]);
    n[0] = a / d * p[0] / r, n[1] = a / d * p[1] / r, n[2] = p[2] / d;
    return d - 0.25;
}

typedef double shape(const double p[3], double n[3]);

// Relative error of the volume; checks normals to `degrees`.
static double volume_error(shape *f, double exact, int size, double degrees)
{
    lump u = make_lump(size, size - 1, size + 3);
    double n[3];
    for (int a = 0; a < 3; a++) u.low[a] = -1.02, u.l.spacing[a] = 2.04 / (u.l.n[a] - 1);
    size_t s = 0;
    for (int k = 0; k < u.l.n[2]; k++)
        for (int j = 0; j < u.l.n[1]; j++)
            for (int i = 0; i < u.l.n[0]; i++)
                u.f[s++] = (float)f((double[3]){u.low[0] + i * u.l.spacing[0],
                                                u.low[1] + j * u.l.spacing[1],
                                                u.low[2] + k * u.l.spacing[2]},
                                    n);
    rv_mesh mesh = march(&u);
    check_closed(&mesh, "shape");
    double worst = 1;
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        const float *p = mesh.positions + 3 * i, *m = mesh.normals + 3 * i;
        f((double[3]){(double)p[0], (double)p[1], (double)p[2]}, n);
        worst = fmin(worst, (double)m[0] * n[0] + (double)m[1] * n[1] + (double)m[2] * n[2]);
    }
    if (worst < cos(degrees * PI / 180))
        fail_msg("size %d: a normal is %g degrees off", size, acos(worst) * 180 / PI);
    double error = fabs(volume_of(&mesh) / exact - 1);
    rv_mesh_free(&mesh);
    test_free(u.f);
    return error;
}

static void volumes_and_normals_are_right(void **state)
{
    (void)state;
    double ball = 4 / 3.0 * PI * 0.8 * 0.8 * 0.8, ring = 2 * PI * PI * 0.65 * 0.25 * 0.25;
    double coarse = volume_error(sphere, ball, 24, 1), fine = volume_error(sphere, ball, 48, 0.3);
    print_message("sphere: %.4f, %.4f\n", coarse, fine);
    assert_true(coarse < 0.01 && fine < 0.3 * coarse);
    coarse = volume_error(torus, ring, 32, 4), fine = volume_error(torus, ring, 64, 1);
    print_message("torus: %.4f, %.4f\n", coarse, fine);
    assert_true(coarse < 0.015 && fine < 0.01 && fine < 0.3 * coarse);
}

// ---- Terrain ------------------------------------------------------------------------------------

typedef struct ground {
    rv_terrain *t;
    rv_column_set columns;
} ground;

// A block with a tunnel and a pit down to the ground, a ball over it that leaves the grid, a thin
// wall, and planes that run exactly through samples.
static ground make_ground(void)
{
    rv_solid_def solid[6];
    for (int i = 0; i < 6; i++) solid[i] = rv_default_solid_def();
    solid[0].shape = RV_SHAPE_BOX, solid[0].at.z = 0.004,
    solid[0].size = (rv_vec3){0.02, 0.04, 0.012};
    solid[1].shape = RV_SHAPE_CYLINDER, solid[1].op = RV_SUBTRACT, solid[1].radius = 0.003;
    solid[1].height = 0.05, solid[1].at.z = 0.006, solid[1].rotate.x = PI / 2;
    solid[2].shape = RV_SHAPE_CYLINDER, solid[2].op = RV_SUBTRACT, solid[2].radius = 0.002;
    solid[2].height = 0.05, solid[2].at.y = 0.005;
    solid[3].shape = RV_SHAPE_SPHERE, solid[3].radius = 0.006,
    solid[3].at = (rv_vec3){0.012, 0.003, 0.018};
    solid[4].shape = RV_SHAPE_BOX, solid[4].at = (rv_vec3){-0.0124, 0, 0.005};
    solid[4].size = (rv_vec3){0.0007, 0.02, 0.01};
    solid[5].shape = RV_SHAPE_TORUS, solid[5].radius = 0.005, solid[5].radius2 = 0.0013;
    solid[5].at = (rv_vec3){-0.006, -0.007, 0.014}, solid[5].noise = 0.0004,
    solid[5].noise_size = 0.002;
    solid[0].material = RV_SOLID_WOOD, solid[3].material = RV_SOLID_STEEL;
    rv_params p = rv_default_params();
    p.grid_nx = 33, p.grid_ny = 27, p.grid_dx = 0.001, p.grid_bottom = 0, p.grid_top = 0.0225;
    p.grid_stretch = 0.75;
    rv_grid g = rv_grid_of(&p);
    rv_allocator a = rv_default_allocator();
    ground out;
    assert_int_equal(
        rv_terrain_build(solid, 6, &g, true, NULL, &a, NULL, NULL, &out.t, &out.columns), RV_OK);
    return out;
}

static void free_ground(ground *g)
{
    rv_terrain_free(g->t);
    rv_columns_free(&g->columns);
}

// Heights of all vertices over each cell's middle.
typedef struct over_cells {
    const rv_grid *grid;
    float (*z)[64];
    int *count;
} over_cells;

static int index_of(double at, double first, double dx, int n)
{
    double c = (at - first) / dx - 0.5, nearest = round(c);
    return fabs(c - nearest) < 1e-5 && nearest >= 0 && nearest < n ? (int)nearest : -1;
}

static over_cells collect(const rv_mesh *mesh, const rv_grid *g)
{
    size_t cells = (size_t)g->nx * (size_t)g->ny;
    over_cells o = {g, test_malloc(cells * sizeof *o.z), test_calloc(cells, sizeof *o.count)};
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const float *p = mesh->positions + 3 * i;
        int x = index_of((double)p[0], g->x0, g->dx, g->nx),
            y = index_of((double)p[1], g->y0, g->dx, g->ny);
        if (x < 0 || y < 0) continue;
        size_t cell = (size_t)y * (size_t)g->nx + (size_t)x;
        assert_true(o.count[cell] < 64);
        o.z[cell][o.count[cell]++] = p[2];
    }
    return o;
}

// A vertex stands at this height; vertices that were kept away from a sample may be off by that
// much.
static int misses(const over_cells *o, int x, int y, float z)
{
    const rv_grid *g = o->grid;
    size_t cell = (size_t)y * (size_t)g->nx + (size_t)x;
    double nearest = INFINITY,
           step = ldexp(1.0, ilogb(fmax(fabs(g->bottom), fabs(g->top))) + 1 - 24);
    for (int n = 0; n < o->count[cell]; n++)
        nearest = fmin(nearest, fabs((double)o->z[cell][n] - (double)z));
    double sample = ((double)z - g->bottom) / g->dz;
    bool kept_away = fabs(sample - round(sample)) < 1e-4;
    return !(nearest <= step + (kept_away ? 1.01e-4 * g->dz : 0));
}

// All but so many of a thousand do.
static int check_columns(const rv_mesh *mesh, const rv_grid *g, const rv_columns *c, int but,
                         const char *what)
{
    over_cells o = collect(mesh, g);
    int checked = 0, missed = 0;
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *plane = &c->plane[l];
        for (int y = plane->y0; y < plane->y0 + plane->ny; y++) {
            for (int x = plane->x0; x < plane->x0 + plane->nx; x++) {
                size_t s = rv_slot(plane, x, y);
                if (!(c->max[s] > c->base[s])) continue;
                missed += misses(&o, x, y, c->base[s]);
                if ((double)c->max[s] < g->top - 1e-7) missed += misses(&o, x, y, c->max[s]);
                checked++;
            }
        }
    }
    test_free(o.z), test_free(o.count);
    if (missed * 1000 > but * checked) fail_msg("%s: %d of %d", what, missed, checked);
    return checked;
}

static rv_columns view_of(const rv_column_set *set)
{
    return (rv_columns){.planes = set->planes,
                        .plane = set->plane,
                        .min = set->min,
                        .base = set->base,
                        .max = set->max};
}

static void a_terrain_is_closed_and_meets_its_columns(void **state)
{
    (void)state;
    ground g = make_ground();
    rv_allocator a = rv_default_allocator();
    rv_mesh mesh;
    assert_int_equal(rv_terrain_mesh(g.t, &a, &mesh), RV_OK);
    check_closed(&mesh, "terrain");
    rv_mesh_free(&mesh);
    // where solids meet, and at their edges, columns are as samples have them
    assert_int_equal(rv_terrain_mesh_plain(g.t, &a, &mesh), RV_OK);
    check_closed(&mesh, "plain");
    rv_columns view = view_of(&g.columns);
    assert_true(g.columns.planes >= 3);
    assert_true(check_columns(&mesh, &g.t->grid, &view, 0, "terrain") > 33 * 27);
    free_ground(&g);
    rv_mesh_free(&mesh);
}

// After each of many edits, on bricks that were near the surface before and on others.
static void an_edited_terrain_is_closed_and_meets_its_columns(void **state)
{
    (void)state;
    ground g = make_ground();
    rv_allocator a = rv_default_allocator();
    uint64_t seed = 9;
    for (int n = 0; n < 12; n++) {
        rv_solid_def tool = rv_default_solid_def();
        tool.shape = RV_SHAPE_SPHERE, tool.radius = random_in(&seed, 0.001, 0.004);
        rv_vec3 path[2];
        for (int i = 0; i < 2; i++)
            path[i] = (rv_vec3){random_in(&seed, -0.017, 0.017), random_in(&seed, -0.014, 0.014),
                                random_in(&seed, -0.001, 0.024)};
        rv_terrain_change change;
        assert_int_equal(rv_terrain_edit(g.t, &tool, 1, path, 2, n % 3 != 0, NULL, &change), RV_OK);
        rv_columns_free(&g.columns);
        g.columns = (rv_column_set){.grid = g.t->grid, .allocator = a};
        assert_int_equal(rv_terrain_columns(g.t, NULL, &g.columns), RV_OK);
        rv_mesh mesh;
        assert_int_equal(rv_terrain_mesh(g.t, &a, &mesh), RV_OK);
        check_closed(&mesh, "edited");
        rv_mesh_free(&mesh);
        assert_int_equal(rv_terrain_mesh_plain(g.t, &a, &mesh), RV_OK);
        rv_columns view = view_of(&g.columns);
        assert_true(check_columns(&mesh, &g.t->grid, &view, 0, "edited") > 33 * 27 / 2);
        rv_mesh_free(&mesh);
    }
    free_ground(&g);
}

// Away from edges, normals are those of the triangles around.
static void normals_of_a_terrain_agree_with_its_triangles(void **state)
{
    (void)state;
    ground g = make_ground();
    rv_allocator a = rv_default_allocator();
    rv_mesh mesh;
    assert_int_equal(rv_terrain_mesh(g.t, &a, &mesh), RV_OK);
    size_t good = 0;
    for (size_t t = 0; t < mesh.triangle_count; t++) {
        rv_vec3 n = spread_of(&mesh, t), sum = {0, 0, 0};
        for (int c = 0; c < 3; c++) {
            const float *m = mesh.normals + 3 * (size_t)mesh.indices[3 * t + (size_t)c];
            sum.x += (double)m[0], sum.y += (double)m[1], sum.z += (double)m[2];
        }
        good += dot_product(n, sum) > 0.8 * sqrt(dot_product(n, n) * dot_product(sum, sum));
    }
    print_message("%zu of %zu triangles agree with their normals\n", good, mesh.triangle_count);
    assert_true(good > 0.9 * (double)mesh.triangle_count);
    // the ground's own surface, where nothing stands near
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        const float *p = mesh.positions + 3 * i, *n = mesh.normals + 3 * i;
        if (p[0] < -0.0145f && p[2] == 0) assert_true(n[2] > 0.99999f);
    }
    free_ground(&g);
    rv_mesh_free(&mesh);
}

// ---- Edges between samples ----------------------------------------------------------------------

static const rv_vec3 box_size = {0.0093, 0.0071, 0.0082};
static const rv_vec3 box_turn = {0.3, 0.5, 0.7};

// A box over the ground, turned; as a moving solid, or as one that stays.
static ground make_box(bool moves)
{
    rv_solid_def box = rv_default_solid_def();
    box.shape = RV_SHAPE_BOX, box.size = box_size;
    rv_params p = rv_default_params();
    p.grid_nx = 27, p.grid_ny = 25, p.grid_dx = 0.001, p.grid_bottom = 0, p.grid_top = 0.024;
    rv_grid g = rv_grid_of(&p);
    rv_allocator a = rv_default_allocator();
    ground out;
    if (!moves) box.rotate = box_turn, box.at.z = 0.012;
    assert_int_equal(
        rv_terrain_build(&box, moves ? 0 : 1, &g, true, NULL, &a, NULL, NULL, &out.t, &out.columns),
        RV_OK);
    if (moves) {
        rv_solid_def there = rv_default_solid_def(); // its part has the turn that is wanted
        there.rotate = box_turn;
        rv_part part = rv_part_of(&there);
        rv_motion motion = {.at = {0, 0, 0.012}};
        memcpy(motion.row, part.row, sizeof motion.row);
        rv_terrain_change change;
        assert_int_equal(rv_terrain_add_mover(out.t, 1, &box, 1, NULL), RV_OK);
        assert_int_equal(rv_terrain_move(out.t, 1, &motion, NULL, &change), RV_OK);
    }
    return out;
}

// From the nearest vertex of the mesh.
static double from_vertices(const rv_mesh *mesh, rv_vec3 p)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const float *v = mesh->positions + 3 * i;
        double x = (double)v[0] - p.x, y = (double)v[1] - p.y, z = (double)v[2] - p.z;
        nearest = fmin(nearest, x * x + y * y + z * z);
    }
    return sqrt(nearest);
}

// How far a vertex that is said to be on an edge is from one, in cells, at most.
static double off_edges(const rv_mesh *mesh, const rv_part *part)
{
    double worst = 0;
    int marked = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const float *v = mesh->positions + 3 * i;
        if (!mesh->creases[i]) continue;
        rv_vec3 q =
            rv_part_frame(part, (rv_vec3){(double)v[0], (double)v[1], (double)v[2] - 0.012}, 0);
        double a = fabs(fabs(q.x) - 0.5 * box_size.x), b = fabs(fabs(q.y) - 0.5 * box_size.y);
        double c = fabs(fabs(q.z) - 0.5 * box_size.z);
        double most = fmax(a, fmax(b, c)), least = fmin(a, fmin(b, c));
        worst = fmax(worst, (a + b + c - most - least) / 0.001); // of two sides, the farther
        marked++;
    }
    assert_true(marked > 100);
    return worst;
}

static void edges_and_corners_stay_sharp(void **state)
{
    (void)state;
    rv_solid_def there = rv_default_solid_def();
    there.rotate = box_turn;
    rv_part part = rv_part_of(&there);
    rv_allocator a = rv_default_allocator();
    for (int moves = 0; moves < 2; moves++) {
        ground g = make_box(moves);
        rv_mesh mesh;
        assert_int_equal(rv_terrain_mesh(g.t, &a, &mesh), RV_OK);
        check_closed(&mesh, moves ? "moved box" : "box");
        assert_non_null(mesh.creases);
        double below = 28 * 26 * 1e-9; // the ground's block: half a cell beside, one below
        double box = box_size.x * box_size.y * box_size.z;
        double error = (volume_of(&mesh) - below) / box - 1;
        double worst = 0, off = off_edges(&mesh, &part);
        for (int c = 0; c < 8; c++) {
            rv_vec3 q = {(c & 1 ? 0.5 : -0.5) * box_size.x, (c & 2 ? 0.5 : -0.5) * box_size.y,
                         (c & 4 ? 0.5 : -0.5) * box_size.z};
            rv_vec3 p = {q.x * part.row[0].x + q.y * part.row[1].x + q.z * part.row[2].x,
                         q.x * part.row[0].y + q.y * part.row[1].y + q.z * part.row[2].y,
                         0.012 + q.x * part.row[0].z + q.y * part.row[1].z + q.z * part.row[2].z};
            worst = fmax(worst, from_vertices(&mesh, p) / 0.001);
        }
        print_message("%s: volume %.4f, corners %.3f, edges %.3f cells off\n",
                      moves ? "moved" : "stays", error, worst, off);
        rv_mesh_free(&mesh);
        free_ground(&g);
        assert_true(fabs(error) < 0.01); // vertices over cells' middles stay where columns are
        assert_true(worst < 0.05 && off < 0.12);
    }
}

// A post on a table that leans: where the two meet every vertex lies on one of them and looks like
// that one, and the post's rim is round.
static void solids_that_meet_have_no_teeth(void **state)
{
    (void)state;
    const double radius = 0.00813, top = 0.0163, dx = 0.001, slope = 0.013;
    rv_solid_def solid[2] = {rv_default_solid_def(), rv_default_solid_def()};
    solid[0].shape = RV_SHAPE_PLANE, solid[0].at.z = 0.0082, solid[0].material = RV_SOLID_WOOD;
    solid[0].normal = (rv_vec3){slope, 2 * slope, 1};
    solid[1].shape = RV_SHAPE_CYLINDER, solid[1].radius = radius, solid[1].height = 0.02;
    solid[1].at.z = top - 0.01, solid[1].material = RV_SOLID_CERAMIC;
    rv_params p = rv_default_params();
    p.grid_nx = 27, p.grid_ny = 27, p.grid_dx = dx, p.grid_bottom = 0, p.grid_top = 0.024;
    rv_grid g = rv_grid_of(&p);
    rv_allocator a = rv_default_allocator();
    ground out;
    rv_mesh mesh;
    assert_int_equal(
        rv_terrain_build(solid, 2, &g, true, NULL, &a, NULL, NULL, &out.t, &out.columns), RV_OK);
    assert_int_equal(rv_terrain_mesh(out.t, &a, &mesh), RV_OK);
    check_closed(&mesh, "post");
    int seen[2] = {0}, rim = 0;
    double off = 0, off_rim = 0;
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        const float *v = mesh.positions + 3 * i;
        double r = sqrt((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1]),
               z = (double)v[2];
        double table =
            (z - 0.0082 + slope * ((double)v[0] + 2 * (double)v[1])) / sqrt(1 + 5 * slope * slope);
        double side = fabs(r - radius), lid = fabs(z - top);
        if (z < 0.006 || r > radius + 2 * dx) continue;
        off = fmax(off, fmin(fabs(table), fmin(side, lid)) / dx);
        bool flat = mesh.normals[3 * i + 2] > 0.9f, crease = mesh.creases[i];
        if (crease && z > top - dx) off_rim = fmax(off_rim, fmax(side, lid) / dx), rim++;
        if (crease || (flat && lid < 0.1 * dx)) continue;
        assert_int_equal(mesh.materials[i], flat ? RV_SOLID_WOOD : RV_SOLID_CERAMIC);
        seen[flat]++;
    }
    print_message("post: %d on the table, %d on the post, %.3f cells off; %d on the rim, %.3f\n",
                  seen[1], seen[0], off, rim, off_rim);
    assert_true(seen[0] > 100 && seen[1] > 50 && rim > 50);
    assert_true(off < 0.1 && off_rim < 0.1);
    rv_mesh_free(&mesh);
    free_ground(&out);
}

typedef struct facet {
    float corner[3][6]; // position and normal
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
        }
    }
    return mesh->triangle_count;
}

static void check_union(const rv_terrain *t, const rv_mesh *whole, int cut[3][4])
{
    rv_allocator a = rv_default_allocator();
    facet *one = test_malloc(whole->triangle_count * sizeof *one);
    facet *parts = test_malloc(whole->triangle_count * sizeof *parts);
    size_t count = 0;
    append(whole, one);
    for (int n = 0; n < 27; n++) {
        int at[3] = {n % 3, n / 3 % 3, n / 9};
        rv_cell_box box;
        for (int d = 0; d < 3; d++) box.low[d] = cut[d][at[d]], box.high[d] = cut[d][at[d] + 1];
        rv_mesh part;
        assert_int_equal(rv_terrain_mesh_box(t, &box, &a, &part), RV_OK);
        size_t open;
        check_triangles(&part, "box");
        check_edges(&part, &open, "box");
        if (count + part.triangle_count > whole->triangle_count) fail_msg("too many triangles");
        count += append(&part, parts + count);
        rv_mesh_free(&part);
    }
    assert_int_equal(count, whole->triangle_count);
    qsort(one, count, sizeof *one, compare_facets);
    qsort(parts, count, sizeof *parts, compare_facets);
    assert_memory_equal(one, parts, count * sizeof *one);
    test_free(one), test_free(parts);
}

static void boxes_together_are_the_whole(void **state)
{
    (void)state;
    ground g = make_ground();
    rv_allocator a = rv_default_allocator();
    rv_mesh whole;
    assert_int_equal(rv_terrain_mesh(g.t, &a, &whole), RV_OK);
    rv_cell_box all = rv_terrain_mesh_cells(g.t);
    uint64_t seed = 5;
    for (int n = 0; n < 12; n++) {
        int cut[3][4];
        for (int d = 0; d < 3; d++) {
            cut[d][0] = n % 2 ? -7 : all.low[d], cut[d][3] = n % 3 ? all.high[d] : all.high[d] + 3;
            cut[d][1] = random_int(&seed, all.low[d] + 1, all.high[d] - 2);
            cut[d][2] = random_int(&seed, cut[d][1], all.high[d] - 1);
        }
        check_union(g.t, &whole, cut);
    }
    free_ground(&g);
    rv_mesh_free(&whole);
}

// ---- Memory -------------------------------------------------------------------------------------

typedef struct meter {
    int left;      // calls until it fails
    int64_t bytes; // out now
    rv_allocator real;
} meter;

static void *metered_allocate(size_t bytes, void *user)
{
    meter *m = user;
    if (m->left-- <= 0) return NULL;
    m->bytes += (int64_t)bytes;
    return m->real.allocate(bytes, m->real.user);
}

static void metered_release(void *memory, size_t bytes, void *user)
{
    meter *m = user;
    m->bytes -= (int64_t)bytes;
    m->real.release(memory, bytes, m->real.user);
}

static void running_out_of_memory_leaves_nothing(void **state)
{
    (void)state;
    ground g = make_ground();
    int tries = 0;
    for (rv_result r = RV_OUT_OF_MEMORY; r != RV_OK; tries++) {
        meter m = {.left = tries, .real = rv_default_allocator()};
        rv_allocator a = {metered_allocate, metered_release, &m};
        rv_mesh mesh;
        r = rv_terrain_mesh(g.t, &a, &mesh);
        if (r != RV_OK) {
            assert_int_equal(r, RV_OUT_OF_MEMORY);
            assert_true(!mesh.positions && !mesh.normals && !mesh.indices && !mesh.materials &&
                        mesh.vertex_count == 0);
        }
        rv_mesh_free(&mesh);
        assert_int_equal(m.bytes, 0);
    }
    assert_true(tries > 10);
    free_ground(&g);
}

// ---- Worlds -------------------------------------------------------------------------------------

static rv_world *make_world(const rv_world_def *def)
{
    rv_world *world = NULL;
    rv_messages m = {0};
    if (rv_world_create(def, &world, &m) != RV_OK) fail_msg("%s", m.text);
    return world;
}

static double now_ms(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void the_vertebra_is_closed_and_meets_its_columns(void **state)
{
    (void)state;
    rv_scene_file scene;
    rv_messages m = {0};
    if (!rv_scene_load("surgery", &scene, &m)) fail_msg("%s", m.text);
    rv_world_def def = rv_scene_world_def(&scene);
    rv_world *world = make_world(&def);
    rv_mesh mesh;
    double best = INFINITY;
    for (int n = 0; n < 3; n++) {
        double start = now_ms();
        assert_int_equal(rv_world_terrain_mesh(world, &mesh, &m), RV_OK);
        best = fmin(best, now_ms() - start);
        if (n < 2) rv_mesh_free(&mesh);
    }
    print_message("surgery: %zu vertices, %zu triangles, %.1f ms\n", mesh.vertex_count,
                  mesh.triangle_count, best);
    check_closed(&mesh, "surgery");
    rv_columns columns;
    rv_grid g = rv_grid_of(&def.params);
    assert_int_equal(rv_world_get_columns(world, &columns), RV_OK);
    // but for edges, and where solids meet
    assert_true(check_columns(&mesh, &g, &columns, 5, "surgery") > 40000);
    rv_mesh_free(&mesh);
    rv_world_destroy(world);
    rv_scene_free(&scene);
}

static void heights_have_a_mesh_too(void **state)
{
    (void)state;
    enum { NX = 7, NY = 5 };
    float heights[NX * NY];
    uint64_t seed = 3;
    for (int i = 0; i < NX * NY; i++)
        heights[i] = (float)random_in(&seed, -0.002,
                                      0.012); // some at or under the bottom, some over the top
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = NX, def.params.grid_ny = NY, def.params.grid_dx = 0.001;
    def.params.grid_bottom = 0, def.params.grid_top = 0.01, def.heights = heights;
    rv_world *world = make_world(&def);
    rv_mesh mesh;
    assert_int_equal(rv_world_terrain_mesh(world, &mesh, NULL), RV_OK);
    check_closed(&mesh, "heights");
    rv_columns columns;
    rv_grid g = rv_grid_of(&def.params);
    assert_int_equal(rv_world_get_columns(world, &columns), RV_OK);
    assert_true(check_columns(&mesh, &g, &columns, 0, "heights") > 20);
    rv_mesh_free(&mesh);
    rv_world_destroy(world);
}

static void a_mesh_that_cannot_be_is_refused(void **state)
{
    (void)state;
    rv_solid_def solid[2] = {rv_default_solid_def(), rv_default_solid_def()};
    solid[0].shape = RV_SHAPE_SPHERE, solid[0].radius = 0.003, solid[0].at.z = 0.006;
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = 12, def.params.grid_dx = 0.001,
    def.params.grid_top = 0.012;
    def.params.terrain_keep = false, def.solids = solid, def.solid_count = 1;
    rv_world *world = make_world(&def);
    rv_messages m = {0};
    rv_mesh mesh;
    assert_int_equal(rv_world_terrain_mesh(world, &mesh, &m), RV_BAD_ARGUMENT);
    assert_non_null(strstr(m.text, "terrain.keep"));
    rv_mesh_free(&mesh);
    assert_int_equal(rv_world_terrain_mesh(world, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_terrain_mesh(NULL, &mesh, NULL), RV_BAD_ARGUMENT);
    rv_mesh_free(&mesh);
    rv_mesh_free(NULL);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_closed_and_pass_every_crossed_edge),
        cmocka_unit_test(both_cells_beside_a_face_see_the_same_lines),
        cmocka_unit_test(random_lattices_give_closed_meshes),
        cmocka_unit_test(all_of_a_block_is_solid),
        cmocka_unit_test(volumes_and_normals_are_right),
        cmocka_unit_test(a_terrain_is_closed_and_meets_its_columns),
        cmocka_unit_test(an_edited_terrain_is_closed_and_meets_its_columns),
        cmocka_unit_test(normals_of_a_terrain_agree_with_its_triangles),
        cmocka_unit_test(edges_and_corners_stay_sharp),
        cmocka_unit_test(solids_that_meet_have_no_teeth),
        cmocka_unit_test(boxes_together_are_the_whole),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
        cmocka_unit_test(the_vertebra_is_closed_and_meets_its_columns),
        cmocka_unit_test(heights_have_a_mesh_too),
        cmocka_unit_test(a_mesh_that_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

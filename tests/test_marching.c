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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_closed_and_pass_every_crossed_edge),
        cmocka_unit_test(both_cells_beside_a_face_see_the_same_lines),
        cmocka_unit_test(random_lattices_give_closed_meshes),
        cmocka_unit_test(all_of_a_block_is_solid),
        cmocka_unit_test(volumes_and_normals_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Volumes: voxels become triangles by marching cubes, and the triangles a form, as those of a mesh
// would.
//
// By threshold the surface lies where the value, linear between voxel centres, is the threshold.
// Around the volume, and where there is no value (NaN), nothing is solid and nothing is known: the
// surface stands half-way from the last solid centre.
//
// A label is yes or no, and its surface a staircase. Its steps are smoothed by what share of the
// neighbourhood has the label, weighted -1 4 10 4 -1 along each axis: weights without a second
// moment, so that round things do not shrink. Between a centre with more than half and one with
// less, the surface is where the share is half. No voxel changes sides: where something is so sharp
// that it would, or nearly, or one voxel thin, the surface stays half-way between the centres.
// Tried on balls of 2.5 to 14 voxels, vertices are 0.12 to 0.15 voxels off, against 0.20 half-way
// everywhere.
#include "terrain/volume_form.h"

#include "base/memory.h"
#include "terrain/marching.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define EDGE_MIN 2
#define EDGE_MAX 4096
#define VOXELS_MAX ((int64_t)1 << 31)
#define REACH_MAX 1e15 // largest coordinate, in the data's unit
#define FLATTEST 1e-6  // of three steps' volume over the product of their lengths
#define WHOLE 4096     // sum of the weights around a voxel
#define SURE 256       // of WHOLE, over or under half
#define REACH 2        // voxels that the weights go either way
#define SUMS (2 * REACH + 1)

// The lattice has one sample more than the volume on every side.
typedef struct filler {
    const rv_volume *v;
    int nx, ny; // samples of a slice
    double threshold;
    bool labelled;
    float label;
    const rv_allocator *allocator;
    // Of a label: weighted along x and y, voxel slice k at k mod SUMS, and a row weighted along x
    // only.
    int16_t *sums, *row;
} filler;

// ---- Samples ------------------------------------------------------------------------------------

static float by_threshold(const filler *f, float value)
{
    if (isnan(value)) return INFINITY;
    float d = (float)(f->threshold - (double)value);
    // what is equal is solid, and samples of 0 are not
    return (double)value >= f->threshold && !(d < 0) ? -FLT_MIN : d;
}

static void threshold_slice(const filler *f, int k, float *out)
{
    const rv_volume *v = f->v;
    for (int i = 0; i < f->nx * f->ny; i++) out[i] = INFINITY;
    if (k < 1 || k > v->nz) return;
    const float *from = v->values + (size_t)(k - 1) * (size_t)v->nx * (size_t)v->ny;
    for (int j = 0; j < v->ny; j++) {
        float *row = out + (size_t)(j + 1) * (size_t)f->nx + 1;
        for (int i = 0; i < v->nx; i++) row[i] = by_threshold(f, *from++);
    }
}

static const int16_t weight[SUMS] = {-1, 4, 10, 4, -1};

static int16_t *sums_of(const filler *f, int k)
{
    return f->sums + (size_t)((k + SUMS) % SUMS) * (size_t)f->nx * (size_t)f->ny;
}

// What the voxels of a row give to the samples of that row; there is room for one more at both its
// ends.
static void sum_row(const filler *f, const float *from)
{
    memset(f->row, 0, (size_t)(f->nx + 2) * sizeof *f->row);
    for (int i = 0; i < f->v->nx; i++)
        for (int d = 0; from[i] == f->label && d < SUMS; d++)
            f->row[i + d] = (int16_t)(f->row[i + d] + weight[d]);
}

// The sums of voxel slice k; none beyond the last one.
static void sum_slice(const filler *f, int k)
{
    const rv_volume *v = f->v;
    int16_t *sums = sums_of(f, k);
    memset(sums, 0, (size_t)f->nx * (size_t)f->ny * sizeof *sums);
    if (k >= v->nz) return;
    const float *from = v->values + (size_t)k * (size_t)v->nx * (size_t)v->ny;
    for (int y = 0; y < v->ny; y++, from += v->nx) {
        sum_row(f, from);
        for (int d = 0; d < SUMS; d++) {
            int j = y + 1 + d - REACH;
            if (j < 0 || j >= f->ny) continue;
            int16_t *out = sums + (size_t)j * (size_t)f->nx;
            for (int i = 0; i < f->nx; i++) out[i] = (int16_t)(out[i] + weight[d] * f->row[i + 1]);
        }
    }
}

static bool has_label(const filler *f, int i, int j, int k)
{
    const rv_volume *v = f->v;
    if (i < 1 || i > v->nx || j < 1 || j > v->ny || k < 1 || k > v->nz) return false;
    return v->values[((size_t)(k - 1) * (size_t)v->ny + (size_t)(j - 1)) * (size_t)v->nx +
                     (size_t)(i - 1)] == f->label;
}

// Whether what a sample belongs to, solid or free, is one voxel thin there.
static bool is_thin(const filler *f, int i, int j, int k, bool solid)
{
    return (has_label(f, i - 1, j, k) != solid && has_label(f, i + 1, j, k) != solid) ||
           (has_label(f, i, j - 1, k) != solid && has_label(f, i, j + 1, k) != solid) ||
           (has_label(f, i, j, k - 1) != solid && has_label(f, i, j, k + 1) != solid);
}

static float by_label(const filler *f, int i, int j, int k, int sum)
{
    bool solid = has_label(f, i, j, k);
    int over = WHOLE / 2 - sum, own = solid ? -over : over;
    bool clear = own >= WHOLE / 2, sure = own >= SURE; // far from the surface: none is asked for
    if (clear || (sure && !is_thin(f, i, j, k, solid))) return (float)over;
    return solid ? -INFINITY : INFINITY;
}

static void label_slice(const filler *f, int k, float *out)
{
    // sample slice k is voxel slice k - 1, and sees REACH either way
    if (k == 0) sum_slice(f, 0);
    sum_slice(f, k + 1);
    const int16_t *sums[SUMS];
    for (int d = 0; d < SUMS; d++) sums[d] = sums_of(f, k - 1 + d - REACH);
    for (int j = 0; j < f->ny; j++) {
        for (int i = 0; i < f->nx; i++) {
            int sum = 0;
            for (int d = 0; d < SUMS; d++) sum += weight[d] * *sums[d]++;
            *out++ = by_label(f, i, j, k, sum);
        }
    }
}

static void slice(void *user, int k, float *out)
{
    const filler *f = user;
    if (f->labelled)
        label_slice(f, k, out);
    else
        threshold_slice(f, k, out);
}

static void place(void *user, const int at[3], int axis, double share, float out[3])
{
    const rv_volume *v = ((const filler *)user)->v;
    double n[3] = {at[0] - 1, at[1] - 1, at[2] - 1};
    n[axis] += share;
    const rv_vec3 *s = v->step;
    out[0] = (float)(v->first.x + n[0] * s[0].x + n[1] * s[1].x + n[2] * s[2].x);
    out[1] = (float)(v->first.y + n[0] * s[0].y + n[1] * s[1].y + n[2] * s[2].y);
    out[2] = (float)(v->first.z + n[0] * s[0].z + n[1] * s[1].z + n[2] * s[2].z);
}

// ---- Checks -------------------------------------------------------------------------------------

static double length(rv_vec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

// Volume of the three steps; negative when they are left-handed.
static double spanned(const rv_vec3 s[3])
{
    return s[0].x * (s[1].y * s[2].z - s[1].z * s[2].y) +
           s[0].y * (s[1].z * s[2].x - s[1].x * s[2].z) +
           s[0].z * (s[1].x * s[2].y - s[1].y * s[2].x);
}

// Largest coordinate that a vertex can have.
static double reach(const rv_volume *v)
{
    return length(v->first) + v->nx * length(v->step[0]) + v->ny * length(v->step[1]) +
           v->nz * length(v->step[2]);
}

static bool check_size(const rv_volume *v, rv_messages *messages)
{
    const int n[3] = {v->nx, v->ny, v->nz};
    for (int a = 0; a < 3; a++) {
        if (n[a] >= EDGE_MIN && n[a] <= EDGE_MAX) continue;
        rv_messages_add(messages, "volume: %d × %d × %d voxels; must be %d to %d each way", v->nx,
                        v->ny, v->nz, EDGE_MIN, EDGE_MAX);
        return false;
    }
    if ((int64_t)v->nx * v->ny * v->nz > VOXELS_MAX) {
        rv_messages_add(messages, "volume: %d × %d × %d voxels; must be at most %lld together",
                        v->nx, v->ny, v->nz, (long long)VOXELS_MAX);
        return false;
    }
    if (!v->values) rv_messages_add(messages, "volume: there are no values");
    return v->values != NULL;
}

static bool check_steps(const rv_volume *v, rv_messages *messages)
{
    if (!(reach(v) <= REACH_MAX)) { // also when not finite
        rv_messages_add(messages, "volume: its place or its steps are not finite, or beyond %g",
                        REACH_MAX);
        return false;
    }
    double product = length(v->step[0]) * length(v->step[1]) * length(v->step[2]);
    if (fabs(spanned(v->step)) > FLATTEST * product && product > DBL_MIN) return true;
    rv_messages_add(messages, "volume: the steps between voxels lie in a plane");
    return false;
}

static bool is_solid(const filler *f, float value)
{
    return f->labelled ? value == f->label : (double)value >= f->threshold;
}

static void count(const filler *f, rv_form_report *report)
{
    const rv_volume *v = f->v;
    size_t all = (size_t)v->nx * (size_t)v->ny * (size_t)v->nz;
    float least = INFINITY, most = -INFINITY;
    int64_t solid = 0;
    for (size_t i = 0; i < all; i++) {
        float value = v->values[i];
        if (value < least) least = value;
        if (value > most) most = value;
        solid += is_solid(f, value);
    }
    report->voxels = (int64_t)all, report->solid = solid;
    // nothing but NaN leaves them the wrong way round
    report->least = least <= most ? (double)least : NAN;
    report->most = least <= most ? (double)most : NAN;
}

static void say_nothing_solid(const filler *f, const rv_form_def *def, const rv_form_report *report,
                              rv_messages *messages)
{
    if (isnan(report->least))
        rv_messages_add(messages, "volume: no voxel has a value");
    else if (f->labelled)
        rv_messages_add(messages, "label: no voxel is %d; values run from %g to %g", def->label,
                        report->least, report->most);
    else
        rv_messages_add(messages, "threshold: no voxel reaches %g; values run from %g to %g",
                        def->threshold, report->least, report->most);
}

// ---- Triangles ----------------------------------------------------------------------------------

static bool take_sums(filler *f)
{
    f->sums = rv_new(f->allocator, SUMS * (size_t)f->nx * (size_t)f->ny, sizeof *f->sums);
    f->row = rv_new(f->allocator, (size_t)f->nx + 2, sizeof *f->row);
    return f->sums && f->row;
}

static void free_sums(filler *f)
{
    rv_free(f->allocator, f->sums, SUMS * (size_t)f->nx * (size_t)f->ny, sizeof *f->sums);
    rv_free(f->allocator, f->row, (size_t)f->nx + 2, sizeof *f->row);
}

static void turn_all(rv_mesh *mesh)
{
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        uint32_t *t = mesh->indices + 3 * i, first = t[0];
        t[0] = t[1], t[1] = first;
    }
}

static rv_result make_triangles(filler *f, rv_mesh *out)
{
    const rv_volume *v = f->v;
    const double size[3] = {length(v->step[0]), length(v->step[1]), length(v->step[2])};
    double span = spanned(v->step), longest = fmax(fmax(size[0], size[1]), size[2]);
    rv_lattice l = {
        .n = {v->nx + 2, v->ny + 2, v->nz + 2},
        .slice = slice,
        .place = place,
        .user = f,
        // however the steps lean, this is no more than the distance between opposite planes
        .inset = rv_march_inset(reach(v), fabs(span) / (longest * longest)),
        .ground = INT_MIN};
    if (f->labelled && !take_sums(f)) {
        free_sums(f);
        return RV_OUT_OF_MEMORY;
    }
    rv_result r = rv_march(&l, f->allocator, out);
    free_sums(f);
    if (r == RV_OK && span < 0) turn_all(out);
    return r;
}

rv_result rv_volume_triangles(const rv_volume *v, const rv_form_def *def,
                              const rv_allocator *allocator, rv_mesh *out, rv_form_report *report,
                              rv_messages *messages)
{
    *out = (rv_mesh){.allocator = *allocator};
    bool good = check_size(v, messages);
    if (!check_steps(v, messages)) good = false;
    if (!good) return RV_BAD_ARGUMENT;
    filler f = {.v = v,
                .nx = v->nx + 2,
                .ny = v->ny + 2,
                .threshold = def->threshold,
                .labelled = def->label >= 0,
                .label = (float)def->label,
                .allocator = allocator};
    count(&f, report);
    if (report->solid == 0) {
        say_nothing_solid(&f, def, report, messages);
        return RV_BAD_ARGUMENT;
    }
    rv_result r = make_triangles(&f, out);
    if (r == RV_BAD_ARGUMENT)
        rv_messages_add(messages, "volume: its surface has more vertices than 32 bits can count");
    else if (r != RV_OK)
        rv_messages_add(messages, "%s for the surface of the volume", rv_result_text(r));
    return r;
}

// ---- The form -----------------------------------------------------------------------------------

static rv_result make_form(const rv_volume *v, const rv_form_def *def, const rv_form_work *work,
                           rv_form **out, rv_form_report *report, rv_messages *messages)
{
    rv_mesh mesh;
    rv_result r = rv_volume_triangles(v, def, &work->allocator, &mesh, report, messages);
    if (r != RV_OK) return r;
    rv_form_report found = *report;
    rv_form_def resolved = *def;
    if (def->unit == RV_UNIT_AUTO) resolved.unit = RV_UNIT_MM;
    rv_triangles triangles = {.positions = mesh.positions,
                              .vertex_count = mesh.vertex_count,
                              .indices = mesh.indices,
                              .triangle_count = mesh.triangle_count};
    r = rv_form_from_triangles(&triangles, &resolved, work, out, report, messages);
    rv_mesh_free(&mesh);
    report->voxels = found.voxels, report->solid = found.solid;
    report->least = found.least, report->most = found.most;
    return r;
}

rv_result rv_form_from_volume(const rv_volume *volume, const rv_form_def *def,
                              const rv_form_work *work, rv_form **out, rv_form_report *report,
                              rv_messages *messages)
{
    rv_form_report unused;
    if (!report) report = &unused;
    *report = (rv_form_report){0};
    if (out) *out = NULL;
    if (!volume || !def || !work || !out) {
        rv_messages_add(messages, "%s: missing",
                        !volume ? "volume"
                        : !def  ? "def"
                        : !work ? "work"
                                : "out");
        return RV_BAD_ARGUMENT;
    }
    if (!rv_table_check(rv_form_table(), def, "", messages)) return RV_BAD_ARGUMENT;
    return make_form(volume, def, work, out, report, messages);
}

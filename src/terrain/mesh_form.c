// The mesh form: the signed distance of a repaired triangle mesh (mesh_repair.h), found with a tree
// of its triangles (mesh_tree.h).
//
// The size is the distance to the nearest triangle, the sign says whether the surface winds around
// the point: a winding number above one half, and never outside the mesh's box. Where the mesh is
// steady, the winding number is a whole number that changes at the surface only: it is counted
// exactly, and one count serves all points that are nearer to its own than the surface is.
// Elsewhere it is a sum of solid angles, and has a slope, which is bounded: it depends on the loose
// edges alone, as the field of a current in them would, |∇w| ≤ length / (4π distance²).
//
// With a thickness there is no inside; the distance is less by half of it.
#include "base/memory.h"
#include "terrain/form.h"
#include "terrain/mesh_repair.h"
#include "terrain/mesh_tree.h"
#include "terrain/parts.h"

#include <math.h>

#define PI 3.14159265358979323846
#define FAR 1e6      // local; beyond it the distance is that of the box
#define MARGIN 1e-4f // local; nearer to the surface the sign is asked for each point

typedef struct mesh_form {
    rv_form form;
    rv_mesh_tree tree;
    const rv_mesh_walks *walks;
    rv_vec3 middle;    // m, local origin
    double unit;       // m, local 1
    double per_unit;   // 1/m
    float half[3];     // local, half edges of the box
    double half_plate; // m, half the thickness
    bool plate, steady;
} mesh_form;

// ---- Points -------------------------------------------------------------------------------------

static rv_vec3 local_of(const mesh_form *f, rv_vec3 p)
{
    return (rv_vec3){(p.x - f->middle.x) * f->per_unit, (p.y - f->middle.y) * f->per_unit,
                     (p.z - f->middle.z) * f->per_unit};
}

static bool is_far(rv_vec3 q)
{
    return !(fabs(q.x) < FAR && fabs(q.y) < FAR && fabs(q.z) < FAR);
}

static double beyond(double x, float half)
{
    return fmax(fabs(x) - (double)half, 0);
}

// m, from the box, of a local point outside it.
static double box_distance(const mesh_form *f, rv_vec3 q)
{
    double x = beyond(q.x, f->half[0]), y = beyond(q.y, f->half[1]), z = beyond(q.z, f->half[2]);
    return sqrt(x * x + y * y + z * z) * f->unit;
}

static bool outside_box(const mesh_form *f, const rv_mesh_points *p, int i)
{
    return !(fabsf(p->x[i]) <= f->half[0] && fabsf(p->y[i]) <= f->half[1] &&
             fabsf(p->z[i]) <= f->half[2]);
}

static void put(rv_mesh_points *p, int i, rv_vec3 q)
{
    p->x[i] = (float)q.x, p->y[i] = (float)q.y, p->z[i] = (float)q.z;
}

// Whole vectors: the last point again.
static int fill_up(rv_mesh_points *p, int n)
{
    int whole = (n + 15) & ~15;
    for (int i = n; i < whole; i++)
        p->x[i] = p->x[n - 1], p->y[i] = p->y[n - 1], p->z[i] = p->z[n - 1];
    return whole;
}

// ---- The sign -----------------------------------------------------------------------------------

// Whether point k is nearer to point i than the surface is.
static bool within_reach(const rv_mesh_points *p, int i, int k, float reach)
{
    float x = p->x[k] - p->x[i], y = p->y[k] - p->y[i], z = p->z[k] - p->z[i];
    return reach > 0 && x * x + y * y + z * z < reach * reach;
}

// Starts from the point farthest from the surface, which serves the most others.
static void find_signs_steady(const mesh_form *f, const rv_mesh_points *p, const float *away, int n,
                              bool *inside)
{
    bool known[RV_MESH_BATCH];
    int left = 0;
    for (int i = 0; i < n; i++) {
        known[i] = outside_box(f, p, i), inside[i] = false;
        left += !known[i];
    }
    while (left > 0) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (!known[i] && (best < 0 || away[i] > away[best])) best = i;
        bool in = rv_mesh_tree_winding(&f->tree, (float[]){p->x[best], p->y[best], p->z[best]}) > 0;
        inside[best] = in, known[best] = true, left--;
        for (int k = 0; k < n; k++) {
            if (known[k] || !within_reach(p, best, k, away[best] - MARGIN)) continue;
            inside[k] = in, known[k] = true, left--;
        }
    }
}

static void find_signs(const mesh_form *f, const rv_mesh_points *p, const float *away, int n,
                       bool *inside)
{
    if (f->steady) {
        find_signs_steady(f, p, away, n, inside);
        return;
    }
    rv_mesh_points in_box;
    int which[RV_MESH_BATCH], count = 0;
    float angle[RV_MESH_BATCH];
    for (int i = 0; i < n; i++) {
        inside[i] = false;
        if (outside_box(f, p, i)) continue;
        in_box.x[count] = p->x[i], in_box.y[count] = p->y[i], in_box.z[count] = p->z[i];
        which[count++] = i;
    }
    if (count == 0) return;
    f->walks->angle(&f->tree, &in_box, fill_up(&in_box, count), angle);
    for (int i = 0; i < count; i++) inside[which[i]] = (double)angle[i] > 2 * PI;
}

// ---- What every form offers ---------------------------------------------------------------------

// At most RV_MESH_BATCH points.
static void sample_batch(const mesh_form *f, const rv_vec3 *points, int n, double *out)
{
    rv_mesh_points p;
    float away[RV_MESH_BATCH];
    bool inside[RV_MESH_BATCH] = {false}, any_far = false;
    for (int i = 0; i < n; i++) {
        rv_vec3 q = local_of(f, points[i]);
        bool far = is_far(q);
        any_far |= far;
        put(&p, i, far ? (rv_vec3){FAR, FAR, FAR} : q);
    }
    f->walks->nearest(&f->tree, &p, fill_up(&p, n), away);
    for (int i = 0; i < n; i++) away[i] = sqrtf(away[i]);
    if (!f->plate) find_signs(f, &p, away, n, inside);
    for (int i = 0; i < n; i++) {
        double d = (double)away[i] * f->unit;
        out[i] = inside[i] ? -d : d - f->half_plate;
    }
    for (int i = 0; any_far && i < n; i++) {
        rv_vec3 q = local_of(f, points[i]);
        if (is_far(q)) out[i] = box_distance(f, q) - f->half_plate;
    }
}

static void sample(const rv_form *form, rv_ball ball, const rv_vec3 *points, int n, double *out)
{
    (void)ball;
    for (int i = 0; i < n; i += RV_MESH_BATCH) {
        int count = n - i < RV_MESH_BATCH ? n - i : RV_MESH_BATCH;
        sample_batch((const mesh_form *)form, points + i, count, out + i);
    }
}

static double distance(const rv_form *form, rv_vec3 p)
{
    double d;
    sample_batch((const mesh_form *)form, &p, 1, &d);
    return d;
}

// Whether the sign is the same all over a ball that the surface is `away` from the middle of.
static bool one_sign(const mesh_form *f, rv_vec3 q, double away, double radius)
{
    if (!(away > radius)) return false;
    rv_mesh_points p;
    float angle[16];
    put(&p, 0, q);
    f->walks->angle(&f->tree, &p, fill_up(&p, 1), angle);
    double change = radius * rv_mesh_tree_slope(&f->tree, q, radius) + RV_MESH_ANGLE_ERROR;
    if ((double)angle[0] + change < 2 * PI) return true;
    bool boxed = beyond(fabs(q.x) + radius, f->half[0]) == 0 &&
                 beyond(fabs(q.y) + radius, f->half[1]) == 0 &&
                 beyond(fabs(q.z) + radius, f->half[2]) == 0;
    return boxed && (double)angle[0] - change > 2 * PI;
}

static rv_range range(const rv_form *form, rv_ball ball)
{
    const mesh_form *f = (const mesh_form *)form;
    rv_vec3 q = local_of(f, ball.at);
    double radius = ball.radius * f->per_unit, d = distance(form, ball.at), reach = ball.radius;
    rv_vec3 edge = {fabs(q.x) + radius, fabs(q.y) + radius, fabs(q.z) + radius};
    if (is_far(edge)) { // box and mesh are told apart by less than the box
        double box = box_distance(f, q) - f->half_plate, slack = 1e-6 * (fabs(box) + reach);
        return (rv_range){box - reach - slack, box + reach + slack + 8 * f->unit};
    }
    double size = fabs(d) + f->half_plate;
    // twice what single precision may do (mesh_tree.c), here and at the other point
    double slack = 2 * ((2e-6 * (size + reach)) + (6e-6 * f->tree.longest + 5e-7) * f->unit);
    reach += slack;
    bool whole =
        f->plate || f->steady || one_sign(f, q, size * f->per_unit, radius + slack * f->per_unit);
    if (whole) return (rv_range){d - reach, d + reach};
    return (rv_range){-fabs(d) - reach, fabs(d) + reach};
}

static void release(rv_form *form)
{
    mesh_form *f = (mesh_form *)form;
    rv_mesh_tree_free(&f->tree);
    rv_allocator allocator = form->allocator;
    rv_free(&allocator, f, 1, sizeof *f);
}

static const rv_form_kind mesh_kind = {distance, sample, range, release};

// ---- Placement ----------------------------------------------------------------------------------

static rv_vec3 upright(rv_up_axis up, rv_vec3 p)
{
    if (up == RV_UP_Y) return (rv_vec3){p.x, -p.z, p.y};
    if (up == RV_UP_X) return (rv_vec3){p.y, p.z, p.x};
    return p;
}

static double metres(rv_length_unit unit)
{
    static const double length[] = {1, 1, 1e-2, 1e-3, 1e-6, 0.0254, 0.3048};
    return length[unit];
}

static double fit_factor(rv_vec3 fit, rv_vec3 size)
{
    const double want[3] = {fit.x, fit.y, fit.z}, have[3] = {size.x, size.y, size.z};
    double factor = INFINITY;
    for (int i = 0; i < 3; i++)
        if (want[i] > 0 && have[i] > 0) factor = fmin(factor, want[i] / have[i]);
    return isfinite(factor) ? factor : 1;
}

typedef struct placement {
    const rv_faces *mesh;
    rv_up_axis up;
    rv_vec3 middle;  // of the data
    double per_unit; // from the data's unit to local
    rv_vec3 half;    // m, half edges of the box
    rv_vec3 at;      // m, middle of the box
    double scale;    // m, the data's unit
} placement;

static placement place_mesh(const rv_faces *m, const rv_form_def *def)
{
    placement p = {.mesh = m, .up = def->up, .scale = metres(def->unit)};
    rv_vec3 low = m->low, high = m->high;
    p.middle = (rv_vec3){0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0.5 * (low.z + high.z)};
    rv_vec3 half =
        upright(def->up, (rv_vec3){high.x - p.middle.x, high.y - p.middle.y, high.z - p.middle.z});
    half = (rv_vec3){fabs(half.x), fabs(half.y), fabs(half.z)};
    double s = 2 * p.scale;
    p.scale *= fit_factor(def->fit, (rv_vec3){s * half.x, s * half.y, s * half.z});
    p.per_unit = 1 / fmax(half.x, fmax(half.y, half.z));
    p.half = (rv_vec3){half.x * p.scale, half.y * p.scale, half.z * p.scale};
    rv_vec3 at = upright(def->up, p.middle);
    if (def->origin == RV_ORIGIN_FILE)
        p.at = (rv_vec3){at.x * p.scale, at.y * p.scale, at.z * p.scale};
    else if (def->origin == RV_ORIGIN_BASE)
        p.at = (rv_vec3){0, 0, p.half.z};
    return p;
}

// A triangle in local lengths, for the tree.
static void get_triangle(const void *user, size_t index, rv_mesh_triangle *out)
{
    const placement *p = user;
    const rv_faces *m = p->mesh;
    out->loose = m->loose ? (double)m->loose[index] * p->per_unit : 0;
    for (int k = 0; k < 3; k++) {
        rv_vec3 q = rv_mesh_place(m, m->corner[index][k]);
        q = (rv_vec3){(q.x - p->middle.x) * p->per_unit, (q.y - p->middle.y) * p->per_unit,
                      (q.z - p->middle.z) * p->per_unit};
        out->corner[k] = upright(p->up, q);
    }
}

static void finish_report(const placement *p, rv_form_report *report)
{
    double s = p->scale;
    report->low = (rv_vec3){p->at.x - p->half.x, p->at.y - p->half.y, p->at.z - p->half.z};
    report->high = (rv_vec3){p->at.x + p->half.x, p->at.y + p->half.y, p->at.z + p->half.z};
    report->scale = s, report->area *= s * s, report->volume *= s * s * s;
}

// ---- Making it ----------------------------------------------------------------------------------

static float up_to(double x)
{
    return nextafterf((float)x, INFINITY);
}

static void fill_form(mesh_form *f, const placement *p, const rv_form_def *def)
{
    f->middle = p->at, f->unit = p->scale / p->per_unit, f->per_unit = 1 / f->unit;
    f->half[0] = up_to(p->half.x * f->per_unit), f->half[1] = up_to(p->half.y * f->per_unit);
    f->half[2] = up_to(p->half.z * f->per_unit);
    f->plate = def->thickness > 0, f->half_plate = 0.5 * def->thickness;
    f->steady = p->mesh->steady;
    double room = f->half_plate + 1e-6 * f->unit;
    rv_vec3 h = {p->half.x + room, p->half.y + room, p->half.z + room};
    f->form.box.low = (rv_vec3){p->at.x - h.x, p->at.y - h.y, p->at.z - h.z};
    f->form.box.high = (rv_vec3){p->at.x + h.x, p->at.y + h.y, p->at.z + h.z};
}

// The first half of the progress is the repair, the second the tree.
static void tell_first(double share, void *user)
{
    const rv_form_work *work = user;
    work->progress(0.5 * share, work->progress_user);
}

static void tell_second(double share, void *user)
{
    const rv_form_work *work = user;
    work->progress(0.5 + 0.5 * share, work->progress_user);
}

static rv_result make(const rv_faces *m, const rv_form_def *def, const rv_form_work *work,
                      mesh_form *f, rv_form_report *report)
{
    placement p = place_mesh(m, def);
    finish_report(&p, report);
    fill_form(f, &p, def);
    f->form.box = rv_box_grow((rv_box){report->low, report->high}, 0.5 * def->thickness);
    rv_mesh_source source = {get_triangle, &p, m->triangles};
    rv_form_work part = *work;
    if (work->progress) part.progress = tell_second, part.progress_user = (void *)(uintptr_t)work;
    return rv_mesh_tree_build(&source, m->steady, &part, &f->tree);
}

static bool check(const rv_triangles *mesh, const rv_form_def *def, rv_messages *messages)
{
    bool good = rv_table_check(rv_form_table(), def, "", messages);
    if (mesh->vertex_count > 0 && !mesh->positions) {
        rv_messages_add(messages, "mesh: positions are missing");
        good = false;
    }
    return good;
}

rv_result rv_form_from_triangles(const rv_triangles *mesh, const rv_form_def *def,
                                 const rv_form_work *work, rv_form **out, rv_form_report *report,
                                 rv_messages *messages)
{
    rv_form_report unread;
    if (!report) report = &unread;
    *report = (rv_form_report){.scale = 1};
    if (out) *out = NULL;
    if (!mesh || !def || !work || !out) {
        rv_messages_add(messages, "%s: missing",
                        !mesh   ? "mesh"
                        : !def  ? "def"
                        : !work ? "work"
                                : "out");
        return RV_BAD_ARGUMENT;
    }
    if (!check(mesh, def, messages)) return RV_BAD_ARGUMENT;
    mesh_form *f = rv_new(&work->allocator, 1, sizeof *f);
    if (!f) return RV_OUT_OF_MEMORY;
    f->form.kind = &mesh_kind, f->form.allocator = f->tree.allocator = work->allocator;
    f->walks = rv_mesh_walks_best();
    rv_faces repaired;
    rv_form_work part = *work;
    if (work->progress) part.progress = tell_first, part.progress_user = (void *)(uintptr_t)work;
    rv_result result = rv_mesh_repair(mesh, def, &part, &repaired, report, messages);
    if (result == RV_OK) result = make(&repaired, def, work, f, report);
    rv_faces_free(&repaired);
    if (result == RV_OK)
        *out = &f->form;
    else
        release(&f->form);
    return result;
}

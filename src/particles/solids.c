// Solids among particles (splat paper §1.6): the distance to the terrain at the middles of cells,
// read when the solver is made and where the terrain is edited, joined in every substep by the
// distance to bodies. From it follow what density means beside a solid, which cells must not send
// liquid into one, and where particles are pushed out. The floor, lid and sides of the grid are no
// solids: they are mirrors (grid.c).
#include "particles/splat.h"

#include <math.h>
#include <string.h>

#define DEEP (-1.0f) // cells; nothing flows deeper in a solid
#define NEAR 0.5f    // cells; velocity of cells nearer than this must not point into it
#define LEAST_SHARE 0.2f
#define PI 3.14159265358979323846
#define NARROW_RADIUS 2.6f // cells; how far the narrow form's kernel feels a solid
#define RAMP 0.70710678f // 1/cells; a ramp of this slope spreads as the narrow form's linear kernel

static double place(const rv_splat *s, int axis, double cells)
{
    return s->low[axis] + cells * s->dx;
}

// A place of the grid in the world, m.
static rv_vec3 world_place(const rv_splat *s, const double at[3])
{
    rv_vec3 p = {place(s, 0, at[0]), s->params.grid_y, 0};
    if (s->grid.up == 1)
        p.z = place(s, 1, at[1]);
    else
        p.y = place(s, 1, at[1]);
    if (s->grid.up == 2) p.z = place(s, 2, at[2]);
    return p;
}

static int clamped(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

// ---- Distances ----------------------------------------------------------------------------------

// Between the beds and ceilings of a cell's columns, m; the ground and the lid left out.
static double column_distance(const rv_splat *s, int x, int y, double z)
{
    float column[RV_LAYERS_MAX][3];
    const rv_column_set *set = s->columns;
    int count = rv_columns_get(set, x, y, column);
    double outside = INFINITY;
    for (int i = 0; i < count; i++) {
        double low = (double)column[i][1], high = (double)column[i][2];
        double down = low > set->grid.bottom ? z - low : INFINITY;
        double over = high < set->grid.top ? high - z : INFINITY;
        double in = fmin(down, over);
        if (in >= 0) return in;
        outside = fmin(outside, -in);
    }
    return count > 0 ? -outside : -s->height;
}

// Of the terrain alone, without the ground under the grid. Where the ground is nearest the
// terrain's own distance is not known: it is taken to be that of the cell above.
static double still_distance(const rv_splat *s, rv_vec3 p, int x, int y, double above)
{
    if (!s->terrain) return column_distance(s, x, y, p.z);
    double d = (double)rv_terrain_distance(s->terrain, p), ground = p.z - s->params.grid_bottom;
    return d >= (double)(float)ground ? fmax(d, above) : d;
}

static void read_column(rv_splat *s, int x, int y)
{
    const rv_splat_grid *g = &s->grid;
    int high = g->n[g->up];
    double above = INFINITY;
    for (int k = high - 1; k >= 0; k--) {
        int a = g->axes == 3 ? y : k, b = g->axes == 3 ? k : 0;
        const double at[3] = {x + 0.5, a + 0.5, b + 0.5};
        above = still_distance(s, world_place(s, at), x, g->axes == 3 ? y : 0, above);
        double cells = fmin(fmax(above / s->dx, -(double)RV_SPLAT_FAR), (double)RV_SPLAT_FAR);
        s->still[rv_splat_slot(g, x, a, b)] = (float)cells;
    }
}

// Form height: cells without a column that is open to the sky are solid.
static bool closed(const rv_splat *s, int x, int y)
{
    return !s->columns || s->sky[(size_t)y * (size_t)s->grid.n[0] + (size_t)x] == SIZE_MAX;
}

static void read_flat(rv_splat *s, int x, int y)
{
    const rv_splat_grid *g = &s->grid;
    bool own = closed(s, x, y);
    double nearest = (double)RV_SPLAT_FAR;
    for (int j = -3; j <= 3; j++)
        for (int i = -3; i <= 3; i++) {
            int u = x + i, v = y + j;
            if (u < 0 || v < 0 || u >= g->n[0] || v >= g->n[1] || closed(s, u, v) == own) continue;
            nearest = fmin(nearest, sqrt((double)(i * i + j * j)) - 0.5);
        }
    s->still[rv_splat_slot(g, x, y, 0)] = (float)(own ? -nearest : nearest);
    size_t slot = s->sky[(size_t)y * (size_t)g->n[0] + (size_t)x];
    double bed = slot == SIZE_MAX ? s->params.grid_top : (double)s->columns->base[slot];
    bed -= s->params.grid_bottom;
    s->bed_height[(size_t)y * (size_t)g->n[0] + (size_t)x] = (float)bed;
    s->bed[rv_splat_slot(g, x, y, 0)] = (float)(bed * rv_gravity_down(&s->params));
}

void rv_splat_read_solids(rv_splat *s, rv_rect cells)
{
    const rv_splat_grid *g = &s->grid;
    int rows = g->up == 1 ? 1 : g->n[1];
    if (g->up < 0) rv_splat_find_sky(s, cells);
    for (int y = clamped(cells.y0, rows); y < rows && y < cells.y1; y++)
        for (int x = cells.x0 > 0 ? cells.x0 : 0; x < g->n[0] && x < cells.x1; x++) {
            if (g->up < 0)
                read_flat(s, x, y);
            else
                read_column(s, x, y);
        }
}

// ---- Bodies -------------------------------------------------------------------------------------

// From the body's middle to a place, in the plane of form 2d.
static void from_middle(const rv_splat *s, const rv_solver_body *b, rv_vec3 p, double r[3])
{
    r[0] = p.x - b->at.x, r[1] = s->grid.up == 1 ? 0 : p.y - b->at.y, r[2] = p.z - b->at.z;
}

static double body_distance(const rv_splat *s, const rv_solver_body *b, rv_vec3 p)
{
    double r[3], outside = 0, inside = -INFINITY;
    from_middle(s, b, p, r);
    if (b->shape == RV_BODY_SPHERE)
        return sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) - b->radius;
    const double half[3] = {b->half.x, b->half.y, b->half.z};
    for (int k = 0; k < 3; k++) {
        double along = r[0] * b->axes[k][0] + r[1] * b->axes[k][1] + r[2] * b->axes[k][2];
        double over = fabs(along) - half[k];
        if (over > 0) outside += over * over;
        inside = fmax(inside, over);
    }
    return outside > 0 ? sqrt(outside) : inside;
}

// Velocity of a body at a place, m/s, along the grid's axes.
void rv_splat_body_velocity(const rv_splat *s, const rv_solver_body *b, rv_vec3 p, float out[3])
{
    double r[3];
    from_middle(s, b, p, r);
    double v[3] = {b->velocity.x + b->spin.y * r[2] - b->spin.z * r[1],
                   b->velocity.y + b->spin.z * r[0] - b->spin.x * r[2],
                   b->velocity.z + b->spin.x * r[1] - b->spin.y * r[0]};
    for (int w = 0; w < 3; w++)
        if (s->axis_of[w] >= 0) out[s->axis_of[w]] = (float)v[w];
}

// An impulse (N s, along the grid's axes) at a place.
void rv_splat_push_body(const rv_splat *s, rv_solver_body *b, rv_vec3 p, const double push[3])
{
    double r[3], f[3] = {0};
    from_middle(s, b, p, r);
    for (int w = 0; w < 3; w++)
        if (s->axis_of[w] >= 0) f[w] = push[s->axis_of[w]];
    b->impulse.x += f[0], b->impulse.y += f[1], b->impulse.z += f[2];
    b->twist.x += r[1] * f[2] - r[2] * f[1];
    b->twist.y += r[2] * f[0] - r[0] * f[2];
    b->twist.z += r[0] * f[1] - r[1] * f[0];
}

// Cells around a body that may feel it.
rv_splat_box rv_splat_body_box(const rv_splat *s, const rv_solver_body *b)
{
    double size = b->radius;
    if (b->shape != RV_BODY_SPHERE)
        size = sqrt(b->half.x * b->half.x + b->half.y * b->half.y + b->half.z * b->half.z);
    const double at[3] = {b->at.x, b->at.y, b->at.z};
    rv_splat_box box = {{0, 0, 0},
                        {s->grid.n[0], s->grid.n[1], s->grid.axes == 3 ? s->grid.n[2] : 1}};
    for (int w = 0; w < 3; w++) {
        int c = s->axis_of[w];
        if (c < 0) continue;
        double middle = (at[w] - s->low[c]) / s->dx, wide = size / s->dx + s->law.reach + 2;
        box.low[c] = (int)fmin(fmax(middle - wide, 0), s->grid.n[c]);
        box.high[c] = (int)fmin(fmax(middle + wide + 1, 0), s->grid.n[c]);
    }
    return box;
}

// ---- What follows from the distance -------------------------------------------------------------

// Share of a kernel on the liquid's side of a plane at distance t (in radii).
static float share_of(float t)
{
    if (t <= -1.0f) return 0.0f;
    if (t >= 1.0f) return 1.0f;
    float t2 = t * t;
    float odd = t * (1.0f + t2 * (-4.0f / 3.0f + t2 * (1.2f + t2 * (-4.0f / 7.0f + t2 / 9.0f))));
    return 0.5f + 315.0f / 256.0f * odd;
}

static void normal_at(const rv_splat *s, size_t slot, float n[3])
{
    const float *d = s->solid;
    const size_t step[3] = {1, s->grid.pitch, s->grid.layer};
    float length = 0.0f;
    for (int c = 0; c < s->grid.axes; c++) {
        n[c] = d[slot + step[c]] - d[slot - step[c]];
        length += n[c] * n[c];
    }
    length = length > 0.0f ? 1.0f / sqrtf(length) : 0.0f;
    for (int c = 0; c < s->grid.axes; c++) n[c] *= length;
}

// Distances one cell beyond the walls are those before them.
static void spread_edges(rv_splat *s)
{
    const rv_splat_grid *g = &s->grid;
    int beyond = g->axes == 3 ? 1 : 0;
    for (int b = -beyond; b < (g->axes == 3 ? g->n[2] : 1) + beyond; b++)
        for (int a = -1; a <= g->n[1]; a++) {
            bool row = a < 0 || a >= g->n[1] || b < 0 || (g->axes == 3 && b >= g->n[2]);
            int ca = clamped(a, g->n[1]), cb = g->axes == 3 ? clamped(b, g->n[2]) : 0;
            for (int x = -1; x <= g->n[0]; x += row ? 1 : g->n[0] + 1)
                s->solid[rv_splat_slot(g, x, a, b)] =
                    s->solid[rv_splat_slot(g, clamped(x, g->n[0]), ca, cb)];
        }
}

static void add_near(rv_splat *s, size_t slot, int body, const float normal[3])
{
    float d = s->solid[slot];
    if (s->near_count == s->near_room) {
        size_t room = s->near_room * 2 > 256 ? s->near_room * 2 : 256;
        rv_splat_near *fresh =
            rv_regrow(&s->allocator, s->near, s->near_room, s->near_count, room, sizeof *fresh);
        if (!fresh) {
            s->trouble = RV_OUT_OF_MEMORY;
            return;
        }
        s->near = fresh, s->near_room = room;
    }
    rv_splat_near *n = &s->near[s->near_count++];
    *n = (rv_splat_near){.slot = (uint32_t)slot, .body = body, .inside = d <= DEEP};
    memcpy(n->normal, normal, sizeof n->normal);
}

// Wide form: cells whose velocity must not point into a solid.
static void add_wall(rv_splat *s, size_t slot, int body)
{
    float normal[3] = {0};
    if (!(s->solid[slot] < NEAR)) return;
    normal_at(s, slot, normal);
    add_near(s, slot, body, normal);
}

// Narrow form: cells whose liquid a body displaces, with the difference of its share over them. At
// walls of the grid it does not change.
static void add_skin(rv_splat *s, int x, int a, int b, int body)
{
    const rv_splat_grid *g = &s->grid;
    const int at[3] = {x, a, b};
    const size_t step[3] = {1, g->pitch, g->layer};
    size_t slot = rv_splat_slot(g, x, a, b);
    float change[3] = {0}, own = s->share[slot];
    if (!(own > RV_NARROW_CLOSED)) return;
    for (int c = 0; c < g->axes; c++) {
        float low = at[c] > 0 ? s->share[slot - step[c]] : own;
        float high = at[c] < g->n[c] - 1 ? s->share[slot + step[c]] : own;
        low = low > RV_NARROW_CLOSED ? 0.5f * (own + low) : 0.0f;
        high = high > RV_NARROW_CLOSED ? 0.5f * (own + high) : 0.0f;
        change[c] = high - low;
    }
    if (change[0] != 0.0f || change[1] != 0.0f || change[2] != 0.0f)
        add_near(s, slot, body, change);
}

// Share of a cell that is free of solids, from the distance of its middle: as a ramp as wide as the
// narrow form's linear kernel spreads.
static float free_part(float distance)
{
    float part = 0.5f + distance * RAMP;
    return part < 0.0f ? 0.0f : part > 1.0f ? 1.0f : part;
}

// Narrow form: share of its kernel that is free of solids, made as the kernel is: the cells around
// are smoothed by (¼, ½, ¼) along each axis. So liquid as dense as at rest up to a solid of
// any shape has just this share of the weight at rest.
static float smooth_share(const rv_splat *s, size_t at)
{
    const rv_splat_grid *g = &s->grid;
    const ptrdiff_t pitch = (ptrdiff_t)g->pitch, layer = (ptrdiff_t)g->layer;
    const int deep = g->axes == 3 ? 1 : 0;
    const float *d = s->solid + at;
    float sum = 0.0f;
    if (d[0] > NARROW_RADIUS) return 1.0f;
    if (d[0] < -NARROW_RADIUS) return 0.0f;
    for (int k = -deep; k <= deep; k++)
        for (int j = -1; j <= 1; j++) {
            const float *o = d + j * pitch + k * layer;
            float row = 0.25f * (free_part(o[-1]) + free_part(o[1])) + 0.5f * free_part(o[0]);
            sum += (j ? 0.25f : 0.5f) * (deep ? (k ? 0.25f : 0.5f) : 1.0f) * row;
        }
    return sum;
}

// What the cells of a row mean, from their distance.
static void derive_row(rv_splat *s, int a, int b, int x0, int x1)
{
    size_t row = rv_splat_slot(&s->grid, 0, a, b);
    float per = 1.0f / (float)s->params.splat_radius;
    bool mirror = s->params.splat_mirror && !s->params.splat_plain, flat = s->grid.up < 0;
    // narrow: rows beside those where the share is not 1 must know it too
    float near = s->narrow ? NARROW_RADIUS + 1.4f : (float)s->law.reach + 1.0f;
    for (int x = x0; x < x1; x++) {
        float d = s->solid[row + (size_t)x];
        float share = s->narrow && !flat ? smooth_share(s, row + (size_t)x) : share_of(d * per);
        if (d < near) s->solid_row[rv_splat_row(&s->grid, a, b)] = 1;
        bool scale = mirror && !flat;
        s->share[row + (size_t)x] =
            scale ? 1.0f / (share > LEAST_SHARE ? share : LEAST_SHARE) : 1.0f;
        if (s->narrow) s->share[row + (size_t)x] = flat ? d > 0.0f : share;
        s->extra[row + (size_t)x] = mirror || flat ? 0.0f : 1.0f - share;
        s->open[row + (size_t)x] = d > DEEP ? 1.0f : 0.0f;
    }
}

// Shares one cell beyond the walls are those before them, for borders that are open.
static void spread_shares(rv_splat *s)
{
    const rv_splat_grid *g = &s->grid;
    int beyond = g->axes == 3 ? 1 : 0;
    for (int b = -beyond; b < (g->axes == 3 ? g->n[2] : 1) + beyond && s->narrow; b++)
        for (int a = -1; a <= g->n[1]; a++) {
            bool row = a < 0 || a >= g->n[1] || b < 0 || (g->axes == 3 && b >= g->n[2]);
            int ca = clamped(a, g->n[1]), cb = g->axes == 3 ? clamped(b, g->n[2]) : 0;
            for (int x = -1; x <= g->n[0]; x += row ? 1 : g->n[0] + 1)
                s->share[rv_splat_slot(g, x, a, b)] =
                    s->share[rv_splat_slot(g, clamped(x, g->n[0]), ca, cb)];
        }
}

// All of it anew, without bodies.
void rv_splat_use_solids(rv_splat *s)
{
    const rv_splat_grid *g = &s->grid;
    int layers = g->axes == 3 ? g->n[2] : 1;
    memcpy(s->solid, s->still, g->slots * sizeof *s->solid);
    memset(s->solid_row, 0, s->span_count);
    memset(s->boxes, 0, sizeof s->boxes);
    s->box_count = 0;
    spread_edges(s);
    for (int b = 0; b < layers; b++)
        for (int a = 0; a < g->n[1]; a++) derive_row(s, a, b, 0, g->n[0]);
    spread_shares(s);
    s->near_count = 0, s->any_still = false;
    for (int b = 0; b < layers; b++)
        for (int a = 0; a < g->n[1]; a++) {
            size_t row = rv_splat_slot(g, 0, a, b);
            s->any_still = s->any_still || s->solid_row[rv_splat_row(g, a, b)];
            for (int x = 0; x < g->n[0] && !s->narrow; x++) add_wall(s, row + (size_t)x, -1);
        }
    s->near_still = s->near_count;
    s->any_solid = s->any_still;
}

rv_result rv_splat_make_solids(rv_splat *s)
{
    rv_splat_read_solids(s, (rv_rect){0, 0, s->grid.n[0], s->grid.n[1]});
    rv_splat_use_solids(s);
    return s->trouble;
}

// ---- Bodies on the grid -------------------------------------------------------------------------

typedef void on_cells(rv_splat *s, int a, int b, int x0, int x1, int body);

static void over_box(rv_splat *s, const rv_splat_box *box, on_cells *each, int body)
{
    for (int b = box->low[2]; b < box->high[2]; b++)
        for (int a = box->low[1]; a < box->high[1]; a++)
            each(s, a, b, box->low[0], box->high[0], body);
}

static void put_back(rv_splat *s, int a, int b, int x0, int x1, int body)
{
    (void)body;
    for (int x = x0; x < x1; x++) {
        size_t slot = rv_splat_slot(&s->grid, x, a, b);
        s->solid[slot] = s->still[slot];
    }
}

static void join_body(rv_splat *s, int a, int b, int x0, int x1, int body)
{
    for (int x = x0; x < x1; x++) {
        const double at[3] = {x + 0.5, a + 0.5, b + 0.5};
        size_t slot = rv_splat_slot(&s->grid, x, a, b);
        float d = (float)(body_distance(s, &s->body[body], world_place(s, at)) / s->dx);
        if (d < s->solid[slot]) s->solid[slot] = d;
    }
}

static void derive_body(rv_splat *s, int a, int b, int x0, int x1, int body)
{
    (void)body;
    derive_row(s, a, b, x0, x1);
}

static void near_body(rv_splat *s, int a, int b, int x0, int x1, int body)
{
    for (int x = x0; x < x1; x++) {
        size_t slot = rv_splat_slot(&s->grid, x, a, b);
        const double at[3] = {x + 0.5, a + 0.5, b + 0.5};
        float reach = s->narrow ? NARROW_RADIUS + 1.0f : NEAR;
        if (!(s->solid[slot] < reach) || s->solid[slot] >= s->still[slot]) continue;
        float d = (float)(body_distance(s, &s->body[body], world_place(s, at)) / s->dx);
        if (d > s->solid[slot]) continue;
        if (s->narrow)
            add_skin(s, x, a, b, body);
        else
            add_wall(s, slot, body);
    }
}

// What the liquid gave a body in the last substep.
static void clear_given(rv_solver_body *b)
{
    b->impulse = b->twist = (rv_vec3){0, 0, 0};
    b->submerged = 0;
}

// Puts the bodies onto the grid as they are now, in place of where they were.
void rv_splat_place_bodies(rv_splat *s)
{
    if (s->grid.up < 0) { // they are no solids there, but float: floating.c
        for (int i = 0; i < s->body_count; i++) clear_given(&s->body[i]);
        return;
    }
    if (s->body_count == 0 && s->box_count == 0) return;
    for (int i = 0; i < s->box_count; i++) over_box(s, &s->boxes[i], put_back, i);
    int old = s->box_count,
        count = s->body_count < RV_SPLAT_BODIES ? s->body_count : RV_SPLAT_BODIES;
    rv_splat_box before[RV_SPLAT_BODIES];
    memcpy(before, s->boxes, sizeof before);
    s->box_count = count, s->near_count = s->near_still;
    for (int i = 0; i < count; i++) s->boxes[i] = rv_splat_body_box(s, &s->body[i]);
    for (int i = 0; i < count; i++) over_box(s, &s->boxes[i], join_body, i);
    spread_edges(s);
    for (int i = 0; i < old; i++) over_box(s, &before[i], derive_body, i);
    for (int i = 0; i < count; i++) over_box(s, &s->boxes[i], derive_body, i);
    spread_shares(s);
    for (int i = 0; i < count; i++) over_box(s, &s->boxes[i], near_body, i);
    for (int i = 0; i < s->body_count; i++) clear_given(&s->body[i]);
    s->any_solid = s->any_still || count > 0;
}

// Share of a cell that a solid takes, as a ramp over its surface that differences can be taken of.
static double solid_share(float distance)
{
    return fmin(fmax(0.5 - 0.5 * (double)distance, 0), 1);
}

// What an impulse against gravity in this substep lifts, as a volume, by the grid's axes: m³/(N s).
static void lift_along(const rv_splat *s, double out[3])
{
    const rv_vec3 g = s->params.gravity;
    const double pull[3] = {g.x, g.y, g.z};
    double size = rv_gravity_size(&s->params), weight = s->params.liquid_density * size * s->dt;
    out[0] = out[1] = out[2] = 0;
    for (int world = 0; world < 3; world++)
        if (s->axis_of[world] >= 0 && weight > 0)
            out[s->axis_of[world]] = (0.0 - pull[world]) / size * (1 / weight);
}

// Pressure on a body: ρ Σ P ∇(share) dx³. What it lifts, as a volume of liquid, is what is
// submerged.
static void press_body(rv_splat *s, int a, int b, int x0, int x1, int body)
{
    const rv_splat_grid *g = &s->grid;
    const size_t step[3] = {1, g->pitch, g->layer};
    double cell = s->dx * s->dx * s->dx;
    double scale = s->params.liquid_density * cell / (2 * s->dx) * s->dt;
    double lift[3];
    lift_along(s, lift);
    for (int x = x0; x < x1; x++) {
        size_t slot = rv_splat_slot(g, x, a, b);
        float d = s->solid[slot];
        if (!(d < 2.0f) || d >= s->still[slot]) continue;
        if (!(d > -2.0f) || !(s->f.weight[slot] > RV_SPLAT_TINY)) continue;
        double push[3] = {0}, pressure = (double)s->f.pressure[slot];
        for (int c = 0; c < g->axes; c++)
            push[c] =
                scale * pressure *
                (solid_share(s->solid[slot + step[c]]) - solid_share(s->solid[slot - step[c]]));
        const double at[3] = {x + 0.5, a + 0.5, b + 0.5};
        rv_splat_push_body(s, &s->body[body], world_place(s, at), push);
        for (int c = 0; c < g->axes; c++) s->body[body].submerged += push[c] * lift[c];
    }
}

// ---- Velocities ---------------------------------------------------------------------------------

// Takes what points into a solid that moves with `v` out of u; returns how much, m/s.
static float turn_away(float *u, const float *v, const float *n, int axes)
{
    float into = 0.0f;
    for (int c = 0; c < axes; c++) into += (u[c] - v[c]) * n[c];
    if (!(into < 0.0f)) return 0.0f;
    for (int c = 0; c < axes; c++) u[c] -= into * n[c];
    return -into;
}

static void cell_of(const rv_splat_grid *g, size_t slot, double at[3])
{
    size_t from = slot - g->origin + (size_t)g->pad * (g->pitch + (g->axes == 3 ? g->layer : 0));
    size_t b = g->axes == 3 ? from / g->layer : 0, rest = g->axes == 3 ? from % g->layer : from;
    // margins before a row's first cell belong to the row before: slots of cells never lie there
    at[0] = (double)(rest % g->pitch) + 0.5, at[1] = (double)(rest / g->pitch) - g->pad + 0.5;
    at[2] = (double)b - (g->axes == 3 ? g->pad : 0) + 0.5;
}

static double off_rod(const rv_solver_rod *rod, rv_vec3 p, bool flat)
{
    double w[3] = {rod->to.x - rod->from.x, rod->to.y - rod->from.y, rod->to.z - rod->from.z};
    double r[3] = {p.x - rod->from.x, p.y - rod->from.y, p.z - rod->from.z};
    if (flat) w[2] = r[2] = 0;
    double length = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    double t = length > 0 ? (r[0] * w[0] + r[1] * w[1] + r[2] * w[2]) / length : 0;
    t = fmin(fmax(t, 0), 1);
    for (int c = 0; c < 3; c++) r[c] -= t * w[c];
    return sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
}

// Liquid near a rod is pulled toward its velocity.
static void stir(rv_splat *s)
{
    const rv_splat_grid *g = &s->grid;
    rv_solver_rod rod = s->rod;
    int size = rv_splat_size(s);
    if (g->up == 1) rod.from.y = rod.to.y = s->params.grid_y;
    double way[3] = {rod.to.x - rod.from.x, rod.to.y - rod.from.y, rod.to.z - rod.from.z};
    double speed = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) / rod.seconds;
    double pull = fmin(1, 4 * s->dt * speed / rod.radius);
    for (int b = 0; b < (g->axes == 3 ? g->n[2] : 1); b++)
        for (int a = 0; a < g->n[1]; a++)
            for (int x = 0; x < g->n[0]; x++) {
                const double at[3] = {x + 0.5, a + 0.5, b + 0.5};
                double d = off_rod(&rod, world_place(s, at), g->up < 0) / rod.radius;
                size_t slot = rv_splat_slot(g, x, a, b);
                if (!(d < 1) || !(s->f.weight[slot] > RV_SPLAT_TINY)) continue;
                float *u = s->f.node + slot * 2 * (size_t)size + size;
                for (int w = 0; w < 3; w++) {
                    int c = s->axis_of[w];
                    if (c >= 0)
                        u[c] += (float)((1 - d * d) * pull * (way[w] / rod.seconds - (double)u[c]));
                }
            }
}

// Velocities beside solids and under a rod.
void rv_splat_project(rv_splat *s)
{
    int size = rv_splat_size(s), axes = s->grid.axes;
    if (s->stirring) stir(s);
    for (size_t i = 0; i < s->near_count; i++) {
        const rv_splat_near *n = &s->near[i];
        if (!(s->f.weight[n->slot] > RV_SPLAT_TINY)) continue;
        float *u = s->f.node + (size_t)n->slot * 2 * (size_t)size + size, v[3] = {0};
        if (n->body >= 0) {
            double at[3];
            cell_of(&s->grid, n->slot, at);
            rv_splat_body_velocity(s, &s->body[n->body], world_place(s, at), v);
        }
        turn_away(u, v, n->normal, axes);
        if (n->inside > 0.0f)
            for (int c = 0; c < axes; c++) u[c] = v[c];
    }
    for (int i = 0; i < s->box_count && i < s->body_count; i++)
        over_box(s, &s->boxes[i], press_body, i);
    for (int i = 0; i < s->body_count; i++) s->body[i].submerged = fmax(s->body[i].submerged, 0);
}

// ---- Bodies of the narrow form ------------------------------------------------------------------

// How the pressure as it is changes each body's velocity: what it will be at the end of the
// substep, from that the liquid is asked to make room for. A body that is lighter than the liquid
// it would drag along is led there in smaller steps.
static void lead_body(rv_splat *s, int i, const double impulse[3], double *off)
{
    const rv_solver_body *b = &s->body[i];
    double volume = b->shape == RV_BODY_SPHERE ? 4.0 / 3.0 * PI * b->radius * b->radius * b->radius
                                               : 8 * b->half.x * b->half.y * b->half.z;
    if (s->grid.up == 1)
        volume = s->dx * (b->shape == RV_BODY_SPHERE ? PI * b->radius * b->radius
                                                     : 4 * b->half.x * b->half.z);
    double share = b->mass / (b->mass + s->params.liquid_density * volume);
    const double own[3] = {b->velocity.x, b->velocity.y, b->velocity.z};
    for (int w = 0; w < 3; w++) {
        int c = s->axis_of[w];
        if (c < 0) continue;
        double fall = (double)s->narrow_law.fall[c];
        double change = own[w] + fall + impulse[c] / b->mass - s->led[i][c];
        s->led[i][c] += share * change;
        *off = fmax(*off, fabs(share * change));
    }
}

// Velocity that a body's skin has at a cell, along the grid's axes.
static void skin_velocity(const rv_splat *s, const rv_splat_near *n, float out[3])
{
    rv_solver_body b = s->body[n->body];
    double at[3];
    const double *led = s->led[n->body];
    cell_of(&s->grid, n->slot, at);
    for (int w = 0; w < 3; w++)
        if (s->axis_of[w] >= 0)
            *(w == 0 ? &b.velocity.x : w == 1 ? &b.velocity.y : &b.velocity.z) = led[s->axis_of[w]];
    rv_splat_body_velocity(s, &b, world_place(s, at), out);
}

// What a body asks of the liquid in one of its cells, to make room for it, m/s.
float rv_splat_skin_asks(const rv_splat *s, const rv_splat_near *n)
{
    float v[3] = {0}, sum = 0.0f;
    skin_velocity(s, n, v);
    for (int c = 0; c < s->grid.axes; c++) sum += v[c] * n->normal[c];
    return sum;
}

// Asks the liquid around bodies to make room for them, or takes that back.
static void ask_skins(rv_splat *s, float sign)
{
    for (size_t i = 0; i < s->near_count; i++)
        if (s->near[i].body >= 0)
            s->f.dense[s->near[i].slot] += sign * rv_splat_skin_asks(s, &s->near[i]);
}

// Bodies are led from the velocities that they have.
void rv_splat_start_leads(rv_splat *s)
{
    int count = s->body_count < RV_SPLAT_BODIES ? s->body_count : RV_SPLAT_BODIES;
    for (int i = 0; i < count; i++) {
        const double v[3] = {s->body[i].velocity.x, s->body[i].velocity.y, s->body[i].velocity.z};
        for (int w = 0; w < 3; w++)
            if (s->axis_of[w] >= 0) s->led[i][s->axis_of[w]] = v[w];
    }
}

void rv_splat_begin_bodies(rv_splat *s)
{
    rv_splat_start_leads(s);
    ask_skins(s, 1.0f);
}

// Leads the bodies by the pressure as it is. Returns how far their velocities still are from what
// it makes them, m/s.
double rv_splat_lead(rv_splat *s)
{
    double impulse[RV_SPLAT_BODIES][3] = {{0}}, off = 0;
    double mass = s->params.liquid_density * s->dx * s->dx * s->dx;
    int count = s->body_count < RV_SPLAT_BODIES ? s->body_count : RV_SPLAT_BODIES;
    for (size_t i = 0; i < s->near_count; i++) {
        const rv_splat_near *n = &s->near[i];
        for (int c = 0; c < s->grid.axes && n->body >= 0; c++)
            impulse[n->body][c] -= mass * (double)s->f.pressure[n->slot] * (double)n->normal[c];
    }
    for (int i = 0; i < count; i++)
        if (s->body[i].mass > 0) lead_body(s, i, impulse[i], &off);
    return off;
}

double rv_splat_lead_bodies(rv_splat *s)
{
    ask_skins(s, -1.0f);
    double off = rv_splat_lead(s);
    ask_skins(s, 1.0f);
    return off;
}

// What the pressure gave the bodies. What lifts one, as a volume of liquid, is what is submerged.
void rv_splat_press_bodies(rv_splat *s)
{
    double mass = s->params.liquid_density * s->dx * s->dx * s->dx;
    double lift[3];
    lift_along(s, lift);
    for (size_t i = 0; i < s->near_count; i++) {
        const rv_splat_near *n = &s->near[i];
        double push[3] = {0}, at[3];
        if (n->body < 0) continue;
        for (int c = 0; c < s->grid.axes; c++)
            push[c] = -mass * (double)s->f.pressure[n->slot] * (double)n->normal[c];
        cell_of(&s->grid, n->slot, at);
        rv_splat_push_body(s, &s->body[n->body], world_place(s, at), push);
        for (int c = 0; c < s->grid.axes && s->grid.up >= 0; c++)
            s->body[n->body].submerged += push[c] * lift[c];
    }
    for (int i = 0; i < s->body_count; i++) s->body[i].submerged = fmax(s->body[i].submerged, 0);
}

// ---- Particles ----------------------------------------------------------------------------------

// The distances that a place lies between, and its shares of them.
typedef struct between {
    float value[8], part[3][2];
    int axes;
} between;

static inline between between_at(const rv_splat *s, const float *p, int axes)
{
    const rv_splat_grid *g = &s->grid;
    between out = {.part = {{1.0f, 1.0f}, {1.0f, 1.0f}, {1.0f, 1.0f}}, .axes = axes};
    int at[3] = {0, 0, 0};
    for (int c = 0; c < axes; c++) {
        float x = p[c] - 0.5f, low = floorf(x), f = x - low;
        at[c] = (int)low, out.part[c][0] = 1.0f - f, out.part[c][1] = f;
    }
    const float *d = s->solid + rv_splat_slot(g, at[0], at[1], at[2]);
    for (int corner = 0; corner < (1 << axes); corner++)
        out.value[corner] =
            d[(size_t)(corner & 1) + (corner & 2 ? g->pitch : 0) + (corner & 4 ? g->layer : 0)];
    return out;
}

static inline float distance_of(const between *b, int axes)
{
    float d = 0.0f;
    for (int i = 0; i < (1 << axes); i++)
        d += b->value[i] * b->part[0][i & 1] * b->part[1][i >> 1 & 1] * b->part[2][i >> 2];
    return d;
}

static void gradient_of(const between *b, float normal[3])
{
    normal[0] = normal[1] = normal[2] = 0.0f;
    for (int i = 0; i < (1 << b->axes); i++) {
        const int o[3] = {i & 1, i >> 1 & 1, i >> 2};
        for (int c = 0; c < b->axes; c++) {
            int next = (c + 1) % 3, last = (c + 2) % 3;
            float others = b->part[next][o[next]] * b->part[last][o[last]];
            normal[c] += (o[c] ? b->value[i] : -b->value[i]) * others;
        }
    }
}

// Distance to solids at a place, cells, between the middles of cells; its gradient where it is less
// than `near`.
static float distance_near(const rv_splat *s, const float *p, float near, float normal[3])
{
    bool space = s->grid.axes == 3;
    between b = space ? between_at(s, p, 3) : between_at(s, p, 2);
    float d = space ? distance_of(&b, 3) : distance_of(&b, 2);
    if (d < near) gradient_of(&b, normal);
    return d;
}

float rv_splat_distance(const rv_splat *s, const float *p)
{
    return distance_near(s, p, -INFINITY, NULL);
}

// The body that is nearest to a place; -1: the terrain is.
static int nearest_body(const rv_splat *s, rv_vec3 at, float distance)
{
    int nearest = -1;
    double least = ((double)distance + 0.75) * s->dx; // what is sampled is not exact
    for (int i = 0; i < s->box_count && i < s->body_count; i++) {
        double d = body_distance(s, &s->body[i], at);
        if (d < least) least = d, nearest = i;
    }
    return nearest;
}

// Moves a particle out of solids, takes the velocity into them from it, and gives that to a body.
void rv_splat_push_out(rv_splat *s, float *p)
{
    const rv_splat_grid *g = &s->grid;
    const int axes = g->axes, size = rv_splat_size(s);
    for (int c = 0; c < axes; c++)
        if (!(p[c] >= 0.0f && p[c] < (float)g->n[c])) return; // leaves over an open border
    size_t own = rv_splat_slot(g, (int)p[0], (int)p[1], axes == 3 ? (int)p[2] : 0);
    if (s->solid[own] > RV_SPLAT_NEAR) return;
    for (int again = 0; again < 2; again++) {
        float n[3], length = 0.0f, d = distance_near(s, p, RV_SPLAT_CLEAR, n);
        if (!(d < RV_SPLAT_CLEAR)) return;
        for (int c = 0; c < axes; c++) length += n[c] * n[c];
        if (!(length > 1e-8f)) return;
        length = 1.0f / sqrtf(length);
        for (int c = 0; c < axes; c++) n[c] *= length;
        float v[3] = {0};
        const double at[3] = {(double)p[0], (double)p[1], axes == 3 ? (double)p[2] : 0};
        rv_vec3 world = world_place(s, at);
        int body = s->body_count > 0 ? nearest_body(s, world, d) : -1;
        if (body >= 0) rv_splat_body_velocity(s, &s->body[body], world, v);
        float lost = turn_away(p + size, v, n, axes);
        if (body >= 0 && lost > 0.0f) {
            double mass = s->params.liquid_density * s->each, push[3] = {0};
            for (int c = 0; c < axes; c++) push[c] = -mass * (double)(lost * n[c]);
            rv_splat_push_body(s, &s->body[body], world, push);
        }
        for (int c = 0; c < axes; c++) {
            float x = p[c] + (RV_SPLAT_CLEAR - d) * n[c], high = (float)g->n[c] - RV_SPLAT_INSET;
            p[c] = x < RV_SPLAT_INSET ? RV_SPLAT_INSET : x > high ? high : x;
        }
    }
}

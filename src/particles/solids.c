// Solids among particles (splat paper §1.6): the distance to the terrain at the middles of cells,
// read when the solver is made and where the terrain is edited, joined in every substep by the
// distance to bodies (bodies.c). From it follow what density means beside a solid, which cells must not send
// liquid into one, and where particles are pushed out. The floor, lid and sides of the grid are no
// solids: they are mirrors (grid.c).
#include "particles/solids.h"

#include <math.h>
#include <string.h>

#define DEEP (-1.0f) // cells; nothing flows deeper in a solid
#define LEAST_SHARE 0.2f
#define RAMP 0.70710678f // 1/cells; a ramp of this slope spreads as the narrow form's linear kernel

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
        above = still_distance(s, rv_splat_world_place(s, at), x, g->axes == 3 ? y : 0, above);
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

// What an array has one cell beyond the walls is what it has before them.
static void spread(rv_splat *s, float *array)
{
    const rv_splat_grid *g = &s->grid;
    int beyond = g->axes == 3 ? 1 : 0;
    for (int b = -beyond; b < (g->axes == 3 ? g->n[2] : 1) + beyond; b++)
        for (int a = -1; a <= g->n[1]; a++) {
            bool row = a < 0 || a >= g->n[1] || b < 0 || (g->axes == 3 && b >= g->n[2]);
            int ca = clamped(a, g->n[1]), cb = g->axes == 3 ? clamped(b, g->n[2]) : 0;
            for (int x = -1; x <= g->n[0]; x += row ? 1 : g->n[0] + 1)
                array[rv_splat_slot(g, x, a, b)] =
                    array[rv_splat_slot(g, clamped(x, g->n[0]), ca, cb)];
        }
}

void rv_splat_spread_edges(rv_splat *s)
{
    spread(s, s->solid);
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
void rv_splat_add_wall(rv_splat *s, size_t slot, int body)
{
    float normal[3] = {0};
    if (!(s->solid[slot] < RV_SPLAT_BESIDE)) return;
    normal_at(s, slot, normal);
    add_near(s, slot, body, normal);
}

// Narrow form: cells whose liquid a body displaces, with the difference of its share over them. At
// walls of the grid it does not change.
void rv_splat_add_skin(rv_splat *s, int x, int a, int b, int body)
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
    if (d[0] > RV_SPLAT_FELT) return 1.0f;
    if (d[0] < -RV_SPLAT_FELT) return 0.0f;
    for (int k = -deep; k <= deep; k++)
        for (int j = -1; j <= 1; j++) {
            const float *o = d + j * pitch + k * layer;
            float row = 0.25f * (free_part(o[-1]) + free_part(o[1])) + 0.5f * free_part(o[0]);
            sum += (j ? 0.25f : 0.5f) * (deep ? (k ? 0.25f : 0.5f) : 1.0f) * row;
        }
    return sum;
}

// What the cells of a row mean, from their distance.
void rv_splat_derive_row(rv_splat *s, int a, int b, int x0, int x1)
{
    size_t row = rv_splat_slot(&s->grid, 0, a, b);
    float per = 1.0f / (float)s->params.splat_radius;
    bool mirror = s->params.splat_mirror && !s->params.splat_plain, flat = s->grid.up < 0;
    // narrow: rows beside those where the share is not 1 must know it too
    float near = s->narrow ? RV_SPLAT_FELT + 1.4f : (float)s->law.reach + 1.0f;
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

void rv_splat_spread_shares(rv_splat *s)
{
    if (s->narrow) spread(s, s->share);
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
    rv_splat_spread_edges(s);
    for (int b = 0; b < layers; b++)
        for (int a = 0; a < g->n[1]; a++) rv_splat_derive_row(s, a, b, 0, g->n[0]);
    rv_splat_spread_shares(s);
    s->near_count = 0, s->any_still = false;
    for (int b = 0; b < layers; b++)
        for (int a = 0; a < g->n[1]; a++) {
            size_t row = rv_splat_slot(g, 0, a, b);
            s->any_still = s->any_still || s->solid_row[rv_splat_row(g, a, b)];
            for (int x = 0; x < g->n[0] && !s->narrow; x++)
                rv_splat_add_wall(s, row + (size_t)x, -1);
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
                double d = off_rod(&rod, rv_splat_world_place(s, at), g->up < 0) / rod.radius;
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
            rv_splat_cell_of(&s->grid, n->slot, at);
            rv_splat_body_velocity(s, &s->body[n->body], rv_splat_world_place(s, at), v);
        }
        turn_away(u, v, n->normal, axes);
        if (n->inside > 0.0f)
            for (int c = 0; c < axes; c++) u[c] = v[c];
    }
    rv_splat_press_boxes(s);
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
        double d = rv_splat_body_distance(s, &s->body[i], at);
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
        rv_vec3 world = rv_splat_world_place(s, at);
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

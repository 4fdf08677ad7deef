// One substep of particles on a grid (docs/splat.md; the splat paper). Cells have their middles at
// i + ½ along each axis, in cells from the low corner of the grid; axes are x, z in form 2d, x, y,
// z in form 3d, x, y in form height. u: velocity, m/s. In this order:
//
//  1. Splat (§1.3), for all particles p and all cells i nearer than r = splat.radius:
//         w = (1 - d²/r²)³,  W_i += w,  M_i += w u_p.
//  2. Walls of the grid (splat.mirror): what fell beyond a wall is added to the mirrored cell, the
//     component of M along the wall's normal with its sign changed; x first, then the other axes.
//     Without: it is lost. Beyond an open border: lost.
//  3. u_i = M_i/W_i, 0 where W_i <= 1e-6. Density q_i = W_i/W_rest, W_rest = splat.rest ∫w/s^axes,
//     s = splat.spacing. Near solids, φ their distance in cells and S(φ) the share of a kernel on
//     the liquid's side of a plane at distance φ,
//         S(t r) = ½ + 315/256 (t - 4t³/3 + 6t⁵/5 - 4t⁷/7 + t⁹/9), 0 and 1 beyond t = ±1:
//     with splat.mirror q_i ← min(q_i / max(S, 0.2), max(q_i, 1.25)); without, q_i += 1 - S, the
//     paper's obstacles (§1.6).
//  4. splat.smooth: along x, then the second, then the third axis,
//         q_i += ¼ (o₋(q₋ - q_i) + o₊(q₊ - q_i)),
//     o = 0 for a neighbour beyond a wall or deeper than a cell in a solid (φ <= -1), else 1.
//  5. Pressure P = k (q^γ - 1) + κ where q >= 1, κ q^γ where less; k = splat.stiffness g H, H the
//     height of the grid (g 9.81 m/s² where there is no gravity), κ = min(splat.slack g H, k). The
//     paper's is κ = k. Form height: P = g (bed + splat.depth dx q), g the downward part.
//     splat.calm: where the density before step 4 is over 0.9,
//         P_i -= min(splat.calm c dx, dx²/(2 dt)) Σ_axes (u₊ - u₋)/(2 dx),
//     c = √(γ k); a neighbour with o = 0 has the own component with its sign changed. Not in form
//     height.
//  6. Forces (§1.4): u'_i = u_i - dt (P₊ - P₋)/(2 dx) + dt g, g along each axis of the grid (form
//     height: x and y only); a neighbour with o = 0 has the own P; u' = 0 where W_i <= 1e-6.
//  7. Walls: in the cells along a wall u' does not point into it (splat.plain: it has no component
//     along the normal). Solids: in cells with φ < ½ u' does not point into them, seen from their
//     own velocity, n = ∇φ by central differences; with φ <= -1 it is their velocity. A rod at
//     distance d < R with velocity v: u' += (1 - d²/R²) min(1, 4 dt |v|/R) (v - u').
//  8. Nodes one cell beyond a wall: those before it, the component along the normal turned around.
//  9. Particles (§1.5), with velocities between cell middles bilinear or trilinear:
//         u_p ← a u'(x) + (1 - a)(u_p + u'(x) - u(x)),  x_h = x + dt/2 u'(x),  x ← x + dt u'(x_h),
//     both places kept 0.01 cells inside the walls, where u_p then does not point outward. The
//     share a = 1 - (1 - splat.pic)^(c dt/dx) b, where b = max(0, 1 - 2 ν dt/(σ dx²)), σ = r²/(8 +
//     axes), is what viscosity ν keeps; splat.plain: a = splat.pic. In form height c = √(g H).
// 10. Solids: a particle with φ(x) < 0.1 is moved along ∇φ to 0.1 (twice), and its velocity, seen
//     from the solid's, does not point into it.
#include "particles/splat.h"

#include <math.h>
#include <string.h>

#define CHUNK 2048      // particles of a task
#define WEIGHTLESS 9.81 // m/s², what stands for gravity in the stiffness where there is none
#define PI 3.14159265358979323846

// Speed of sound at rest, m/s: of waves, in form height.
double rv_splat_sound(const rv_splat *s)
{
    const rv_params *p = &s->params;
    double weight = s->grid.up < 0 ? rv_gravity_down(p) : rv_gravity_size(p);
    double g = weight > 0 ? weight : WEIGHTLESS;
    if (s->grid.up < 0) return sqrt(g * s->height);
    return sqrt(p->splat_gamma * p->splat_stiffness * g * s->height);
}

static float pic_share(const rv_splat *s, double dt)
{
    const rv_params *p = &s->params;
    if (p->splat_plain) return (float)p->splat_pic;
    double spread = p->splat_radius * p->splat_radius / (8 + s->grid.axes);
    double kept = 1 - 2 * p->liquid_viscosity * dt / (spread * s->dx * s->dx);
    double share = pow(1 - p->splat_pic, rv_splat_sound(s) * dt / s->dx);
    return (float)(1 - share * fmax(kept, 0));
}

static void set_walls(rv_splat *s)
{
    const rv_params *p = &s->params;
    const rv_border side[2][2] = {{p->border_west, p->border_east},
                                  {p->border_south, p->border_north}};
    for (int world = 0; world < 2; world++) {
        int axis = s->axis_of[world];
        for (int i = 0; i < 2 && axis >= 0; i++)
            s->law.open[axis][i] = side[world][i] == RV_BORDER_OPEN;
    }
}

void rv_splat_set_law(rv_splat *s, double dt)
{
    const rv_params *p = &s->params;
    bool plain = p->splat_plain;
    double sound = rv_splat_sound(s), stiff = sound * sound / p->splat_gamma;
    double slack = p->splat_slack * stiff / p->splat_stiffness;
    double calm = plain || s->grid.up < 0 ? 0 : p->splat_calm * sound * s->dx;
    s->law = (rv_splat_law){
        .axes = s->grid.axes,
        .up = s->grid.up,
        .reach = (int)ceil(p->splat_radius),
        .gamma = p->splat_gamma,
        .mirror = p->splat_mirror && !plain,
        .smooth = p->splat_smooth && !plain,
        .plain = plain,
        .per_radius2 = (float)(1 / (p->splat_radius * p->splat_radius)),
        .per_rest = (float)(1 / s->rest),
        .stiff = (float)stiff,
        .slack = (float)(plain ? stiff : fmin(stiff, slack)),
        .depth = (float)(rv_gravity_down(p) * p->splat_depth * s->dx * p->splat_rest),
        .calm = (float)(fmin(calm, 0.5 * s->dx * s->dx / dt) / (2 * s->dx)),
        .push = (float)(dt / (2 * s->dx)),
        .move = (float)(dt / s->dx),
        .pic = pic_share(s, dt),
    };
    const double pull[3] = {p->gravity.x, p->gravity.y, p->gravity.z};
    for (int world = 0; world < 3; world++)
        if (s->axis_of[world] >= 0)
            s->law.fall[s->axis_of[world]] = (float)(0.0 - dt * pull[world]);
    for (int c = 0; c < s->grid.axes; c++) s->law.high[c] = (float)s->grid.n[c];
    set_walls(s);
    if (s->narrow) rv_narrow_set_law(s, dt);
}

// ---- Splat --------------------------------------------------------------------------------------

// What the last substep left on the grid.
static void clear_rows(void *context, int item)
{
    rv_splat *s = context;
    const rv_splat_grid *g = &s->grid;
    size_t node = 2 * (size_t)rv_splat_size(s) * sizeof(float);
    int a = item - g->pad, pad = g->axes == 3 ? g->pad : 0;
    for (int b = -pad; b < (g->axes == 3 ? g->n[2] : 1) + pad; b++) {
        rv_splat_span span = s->span[rv_splat_row(g, a, b)];
        if (span.low >= span.high) continue;
        size_t at = rv_splat_slot(g, span.low, a, b), count = (size_t)(span.high - span.low);
        memset(s->f.weight + at, 0, count * sizeof(float));
        for (int c = 0; c < g->axes; c++) memset(s->f.motion[c] + at, 0, count * sizeof(float));
        if (s->narrow)
            memset(s->sum + at * RV_NARROW_SUM, 0, count * RV_NARROW_SUM * sizeof(float));
        else
            memset((char *)s->f.node + at * node, 0, count * node);
    }
}

void rv_splat_clear(rv_splat *s)
{
    rv_parallel_for(s->pool, s->grid.n[1] + 2 * s->grid.pad, clear_rows, s);
}

typedef struct colour {
    rv_splat *s;
    int first; // 0 or 1
} colour;

static void splat_slab(void *context, int item)
{
    const colour *c = context;
    rv_splat *s = c->s;
    const rv_splat_grid *g = &s->grid;
    int slab = 2 * item + c->first, size = 2 * rv_splat_size(s);
    size_t wide = ((size_t)g->n[0] + RV_SPLAT_BIN - 1) / RV_SPLAT_BIN;
    for (int b = 0; b < (g->axes == 3 ? g->n[2] : 1); b++) {
        size_t row = (size_t)b * (size_t)g->n[1];
        size_t bin = (row + (size_t)s->slab[slab]) * wide;
        size_t end = (row + (size_t)s->slab[slab + 1]) * wide;
        if (s->narrow) { // their rows lie one after the other
            uint32_t from = s->first[bin], count = s->first[end] - from;
            s->narrow->splat(g, s->particle + (size_t)from * (size_t)size, (int)count, s->sum);
            continue;
        }
        for (; bin < end; bin++) {
            uint32_t from = s->first[bin], count = s->first[bin + 1] - from;
            if (count > 0)
                s->rows->splat(&s->law, g, s->particle + (size_t)from * (size_t)size, (int)count,
                               s->f.weight, s->f.motion);
        }
    }
}

void rv_splat_splat_slabs(rv_splat *s)
{
    for (int first = 0; first < 2; first++) {
        colour c = {s, first};
        rv_parallel_for(s->pool, (s->slabs + 1 - first) / 2, splat_slab, &c);
    }
}

// Particles must be sorted.
void rv_splat_gather(rv_splat *s)
{
    if (s->narrow) {
        rv_narrow_gather(s);
        return;
    }
    rv_splat_clear(s);
    rv_splat_spans(s);
    rv_splat_slabs(s);
    rv_splat_splat_slabs(s);
    if (s->law.mirror) rv_splat_fold(s);
}

// ---- Particles ----------------------------------------------------------------------------------

// Most particles are not near a solid, and need not be looked at closer.
static void push_out(rv_splat *s, int64_t from, int64_t to)
{
    uint32_t near[CHUNK];
    for (; from < to; from += CHUNK) {
        int count = (int)(to - from < CHUNK ? to - from : CHUNK);
        count = s->rows->near(&s->grid, s->solid, rv_splat_particle(s, from), count, near);
        for (int i = 0; i < count; i++) rv_splat_push_out(s, rv_splat_particle(s, from + near[i]));
    }
}

static void move_chunk(void *context, int item)
{
    rv_splat *s = context;
    int64_t from = (int64_t)item * CHUNK, to = from + CHUNK < s->count ? from + CHUNK : s->count;
    rv_splat_moved *moved = &s->moved[item];
    *moved = (rv_splat_moved){0};
    float *first = rv_splat_particle(s, from);
    bool apart = rv_splat_foams(s) && rv_splat_air_apart(s);
    rv_narrow_foaming own = {s->f.weight, apart ? s->air + from : NULL};
    const rv_narrow_foaming *foaming = apart ? &own : NULL;
    if (s->narrow && s->grid.up < 0)
        s->narrow->flow(&s->narrow_law, &s->grid, s->f.node, foaming, first, (int)(to - from),
                        moved);
    else if (s->narrow)
        s->narrow->move(&s->narrow_law, &s->grid, s->f.node, foaming, first, (int)(to - from),
                        moved);
    else
        s->rows->move(&s->law, &s->grid, s->f.node, first, (int)(to - from), moved);
    if (s->any_solid && s->binned) push_out(s, from, to);
    if (s->binned) s->rows->bins(&s->grid, first, (int)(to - from), s->bin + from);
}

static bool moved_room(rv_splat *s, int64_t chunks)
{
    if (chunks <= s->moved_room) return true;
    rv_splat_moved *fresh = rv_new(&s->allocator, (size_t)chunks, sizeof *fresh);
    if (!fresh) return false;
    rv_free(&s->allocator, s->moved, (size_t)s->moved_room, sizeof *s->moved);
    s->moved = fresh, s->moved_room = chunks;
    return true;
}

void rv_splat_move_particles(rv_splat *s)
{
    int64_t chunks = (s->count + CHUNK - 1) / CHUNK;
    float fastest = 0.0f;
    if (!moved_room(s, (s->room + CHUNK - 1) / CHUNK)) {
        s->trouble = RV_OUT_OF_MEMORY;
        return;
    }
    // bodies get what each particle loses, so there these are taken in order
    bool in_order = s->any_solid && s->body_count > 0 && s->grid.up >= 0;
    s->binned = !in_order;
    rv_parallel_for(s->pool, (int)chunks, move_chunk, s);
    for (int64_t i = 0; i < chunks; i++) {
        fastest = fastest > s->moved[i].fastest ? fastest : s->moved[i].fastest;
        s->totals.not_finite += s->moved[i].not_finite;
    }
    if (in_order) push_out(s, 0, s->count);
    s->clock.fastest = sqrtf(fastest);
}

// Particles beyond an open border left the world.
static void leave(rv_splat *s, int64_t before)
{
    s->totals.border_out += (double)(before - s->count) * s->each;
}

void rv_splat_step(rv_splat *s, double dt)
{
    if (s->narrow) {
        rv_narrow_step(s, dt);
        return;
    }
    s->dt = dt;
    rv_splat_set_law(s, dt);
    rv_splat_place_bodies(s); // before liquid is put beside them, which stays out of them
    rv_splat_settle(s, false);
    if (s->sorted != s->count) rv_splat_sort(s);
    rv_splat_gather(s);
    rv_splat_grid_pass(s);
    rv_splat_move_particles(s);
    int64_t before = s->count;
    rv_splat_sort(s);
    leave(s, before);
    s->clock.substeps++;
}

// Bodies in form height, where particles have no depth that a body could be among. Each cell knows
// how much of a body's chord over it, from its lowest point up, is under the level of the liquid
// around the body: c, m. What the body displaces so stands in the cell as if it were liquid,
//
//     level = bed + depth + c,
//
// and particles slide down that level: they leave until the level under the body is that around it.
//
//  - What c makes particles slide by, the body gets back, particle by particle: momentum along the
//    ground is kept to rounding. On a bed that is not level the bed takes part, ρ g c ∇bed.
//  - The liquid lifts it by ρ g c for each cell; what presses down in return stands on the bed.
//  - Where a body moves up or down through the level, or rocks, it makes waves, which a height does
//  not have
//    while they are shorter than the body is wide: HEAVE of critical damping stands for them.
//  - Liquid that passes a body is dragged along by the share of its way that the body takes:
//    u += a (v - u), a = c/(c + depth) min(1, |v - u| dt/(2 R)), and the body gets the rest.
#include "particles/splat.h"

#include <math.h>

#define HEAVE 0.3
#define RIM 2       // cells around a body's own where the level around it is taken
#define SPLITS 4    // of a cell each way, where the chord is looked for
#define UPRIGHT 0.5 // of a box's axis: its part along z, under which its two sides stand upright
#define WET 0.02f   // of the depth of a layer of particles, that counts as liquid

// ---- The shape ----------------------------------------------------------------------------------

// The part of the vertical line through (x, y) that is in a body, m. Returns how much of a square
// of side h (m) around that is over the body: 0 to 1, without steps, or a body would be pushed
// about by the grid as it moves. Sides of a box that stand upright count by that, the others by the
// line.
static double chord(const rv_solver_body *b, double x, double y, double h, double *low,
                    double *high)
{
    double rx = x - b->at.x, ry = y - b->at.y, share = 1;
    if (b->shape == RV_BODY_SPHERE) {
        double square = b->radius * b->radius - rx * rx - ry * ry;
        if (!(square > 0)) return 0;
        *high = b->at.z + sqrt(square), *low = b->at.z - sqrt(square);
        return 1;
    }
    const double half[3] = {b->half.x, b->half.y, b->half.z};
    *low = -INFINITY, *high = INFINITY;
    for (int k = 0; k < 3; k++) {
        double off = rx * b->axes[k][0] + ry * b->axes[k][1], way = b->axes[k][2];
        if (fabs(way) < UPRIGHT) {
            share *= fmin(fmax(0.5 + (half[k] - fabs(off)) / h, 0), 1);
            continue;
        }
        double one = (-half[k] - off) / way, other = (half[k] - off) / way;
        *low = fmax(*low, fmin(one, other)), *high = fmin(*high, fmax(one, other));
    }
    *low += b->at.z, *high += b->at.z;
    return *high > *low ? share : 0;
}

// How much of the chord over a cell is under a level, its mean, m; and how much of the cell that
// is.
static double under(const rv_splat *s, const rv_solver_body *b, int x, int y, double level,
                    double *share)
{
    double sum = 0, hit = 0, low, high, h = s->dx / SPLITS;
    for (int k = 0; k < SPLITS * SPLITS; k++) {
        double px = s->low[0] + (x + (k % SPLITS + 0.5) / SPLITS) * s->dx;
        double py = s->low[1] + (y + (k / SPLITS + 0.5) / SPLITS) * s->dx;
        double part = chord(b, px, py, h, &low, &high);
        if (!(part > 0) || !(level > low)) continue;
        sum += part * (fmin(level, high) - low);
        hit += level < high ? part : 0;
    }
    *share = hit / (SPLITS * SPLITS);
    return sum / (SPLITS * SPLITS);
}

// ---- Levels -------------------------------------------------------------------------------------

// Depth of the liquid in a cell, m.
static double depth_at(const rv_splat *s, size_t slot)
{
    return (double)(s->f.weight[slot] * s->law.per_rest) * s->params.splat_depth *
           s->params.splat_rest * s->dx;
}

// Mean level of the liquid around a body, m; -INFINITY: there is none.
static double level_around(const rv_splat *s, const rv_solver_body *b, const rv_splat_box *box)
{
    double sum = 0, low, high, thin = (double)WET * s->params.splat_depth * s->dx;
    int count = 0;
    for (int y = box->low[1]; y < box->high[1]; y++)
        for (int x = box->low[0]; x < box->high[0]; x++) {
            size_t slot = rv_splat_slot(&s->grid, x, y, 0);
            double px = s->low[0] + (x + 0.5) * s->dx, py = s->low[1] + (y + 0.5) * s->dx;
            if (chord(b, px, py, s->dx, &low, &high) > 0 || !(s->still[slot] > 0.0f)) continue;
            double depth = depth_at(s, slot);
            if (!(depth > thin)) continue;
            size_t cell = (size_t)y * (size_t)s->grid.n[0] + (size_t)x;
            sum += s->params.grid_bottom + (double)s->bed_height[cell] + depth, count++;
        }
    return count > 0 ? sum / count : -INFINITY;
}

// The cells that a body may be over, with a rim.
rv_splat_box rv_splat_rim_box(const rv_splat *s, const rv_solver_body *b)
{
    rv_splat_box box = rv_splat_body_box(s, b); // with law.reach + 2 around
    int more = RIM > s->law.reach + 2 ? RIM - s->law.reach - 2 : 0;
    for (int c = 0; c < 2; c++) {
        box.low[c] = box.low[c] > more ? box.low[c] - more : 0;
        box.high[c] = box.high[c] + more < s->grid.n[c] ? box.high[c] + more : s->grid.n[c];
    }
    return box;
}

// Slope of the bed at a cell, along an axis.
static double bed_slope(const rv_splat *s, int x, int y, int axis)
{
    int at[2] = {x, y}, low = at[axis] > 0 ? -1 : 0, high = at[axis] + 1 < s->grid.n[axis] ? 1 : 0;
    ptrdiff_t step = axis == 0 ? 1 : (ptrdiff_t)s->grid.n[0];
    const float *bed = s->bed_height + (size_t)y * (size_t)s->grid.n[0] + (size_t)x;
    if (high == low) return 0;
    return (double)(bed[high * step] - bed[low * step]) / ((high - low) * s->dx);
}

static void lift(rv_solver_body *b, rv_vec3 p, double up)
{
    b->impulse.z += up;
    b->twist.x += (p.y - b->at.y) * up, b->twist.y -= (p.x - b->at.x) * up;
}

// What one cell does: its level, and what the body gets of it. Returns the area (m²) that the level
// cuts through the body there.
static double float_cell(rv_splat *s, rv_solver_body *b, int x, int y, double level)
{
    double share, g = rv_gravity_down(&s->params), area = s->dx * s->dx;
    double c = under(s, b, x, y, level, &share),
           weigh = s->params.liquid_density * g * area * s->dt;
    if (!(c > 0)) return 0;
    size_t slot = rv_splat_slot(&s->grid, x, y, 0);
    float head = (float)((double)s->narrow_law.move * g * c);
    s->cell[4 * slot] += head, s->cell[4 * slot + 1] += head;
    rv_vec3 p = {s->low[0] + (x + 0.5) * s->dx, s->low[1] + (y + 0.5) * s->dx, b->at.z};
    lift(b, p, weigh * c);
    b->submerged += c * area;
    const double push[3] = {-weigh * c * bed_slope(s, x, y, 0), -weigh * c * bed_slope(s, x, y, 1)};
    rv_splat_push_body(s, b, p, push);
    return share * area;
}

// Takes from how fast a body goes up or down where the level cuts through it; calm: N s/m for each
// m/s and m².
static void calm_cell(const rv_splat *s, rv_solver_body *b, int x, int y, double level, double calm)
{
    double share;
    if (!(under(s, b, x, y, level, &share) > 0) || !(share > 0)) return;
    rv_vec3 p = {s->low[0] + (x + 0.5) * s->dx, s->low[1] + (y + 0.5) * s->dx, b->at.z};
    // of its weight a body at rest has half a substep's speed now
    double fall = 0.5 * rv_gravity_down(&s->params) * s->dt;
    double rise = b->velocity.z + fall + b->spin.x * (p.y - b->at.y) - b->spin.y * (p.x - b->at.x);
    lift(b, p, -calm * share * s->dx * s->dx * rise);
}

static void float_body(rv_splat *s, rv_solver_body *b)
{
    const rv_splat_box box = rv_splat_rim_box(s, b);
    double level = level_around(s, b, &box), cut = 0, g = rv_gravity_down(&s->params);
    if (!isfinite(level)) return;
    for (int y = box.low[1]; y < box.high[1]; y++)
        for (int x = box.low[0]; x < box.high[0]; x++) cut += float_cell(s, b, x, y, level);
    if (!(b->mass > 0 && cut > 0)) return;
    double spring = s->params.liquid_density * g * cut; // N/m
    double calm = fmin(2 * HEAVE * sqrt(spring * b->mass) * s->dt, 0.5 * b->mass) / cut;
    for (int y = box.low[1]; y < box.high[1]; y++)
        for (int x = box.low[0]; x < box.high[0]; x++) calm_cell(s, b, x, y, level, calm);
}

void rv_splat_float_bodies(rv_splat *s)
{
    for (int y = 0; y < s->grid.n[1]; y++)
        for (int x = 0; x < s->grid.n[0]; x++)
            s->cell[4 * rv_splat_slot(&s->grid, x, y, 0) + 1] = 0.0f; // marks of closed cells
    for (int i = 0; i < s->body_count; i++) float_body(s, &s->body[i]);
}

// ---- Answers ------------------------------------------------------------------------------------

// How the bodies' part of the level makes a particle slide, m/s: as flow() of narrow_simd.c does.
static void slide_of(const rv_splat *s, const float *p, double out[2])
{
    const int at[2] = {(int)p[0], (int)p[1]};
    float w[2][3], d[2][3];
    for (int c = 0; c < 2; c++) {
        float f = p[c] - (float)at[c] - 0.5f, low = 0.5f - f, high = 0.5f + f;
        w[c][0] = 0.5f * low * low, w[c][1] = 0.75f - f * f, w[c][2] = 0.5f * high * high;
        d[c][0] = -low, d[c][1] = -2.0f * f, d[c][2] = high;
    }
    out[0] = out[1] = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            size_t slot = rv_splat_slot(&s->grid, at[0] + i - 1, at[1] + j - 1, 0);
            double v = (double)s->f.node[4 * slot + 1];
            out[0] -= (double)(d[0][i] * w[1][j]) * v, out[1] -= (double)(w[0][i] * d[1][j]) * v;
        }
}

// The body that a particle answers to: the nearest.
static rv_solver_body *nearest(const rv_splat *s, rv_vec3 at)
{
    rv_solver_body *found = NULL;
    double least = INFINITY;
    for (int i = 0; i < s->body_count; i++) {
        rv_solver_body *b = &s->body[i];
        double size = b->shape == RV_BODY_SPHERE ? b->radius : fmax(b->half.x, b->half.y);
        double x = at.x - b->at.x, y = at.y - b->at.y, off = sqrt(x * x + y * y) - size;
        if (off < least) least = off, found = b;
    }
    return found;
}

// Drags a particle along with a body over it, whose part of the way it passes is `share`.
static void drag(rv_splat *s, rv_solver_body *b, rv_vec3 at, float *p, double share)
{
    double size = b->shape == RV_BODY_SPHERE ? b->radius : fmax(b->half.x, b->half.y);
    float v[3] = {0};
    rv_splat_body_velocity(s, b, at, v);
    double off[2] = {(double)(v[0] - p[2]), (double)(v[1] - p[3])};
    double pull = share * fmin(1, sqrt(off[0] * off[0] + off[1] * off[1]) * s->dt / (2 * size));
    // of a particle's own motion the step keeps this share
    double kept = 1 - (double)s->narrow_law.pic, push[3] = {0};
    double mass = kept * s->params.liquid_density * s->each;
    for (int c = 0; c < 2; c++) {
        float before = p[2 + c];
        p[2 + c] += (float)(pull * off[c]);
        push[c] = -mass * ((double)p[2 + c] - (double)before);
    }
    rv_splat_push_body(s, b, at, push);
}

// In order, so that any number of threads gives the same bits.
void rv_splat_answer_bodies(rv_splat *s, float *particle, int64_t count)
{
    double mass = s->params.liquid_density * s->each;
    double weigh = (double)s->narrow_law.move * rv_gravity_down(&s->params);
    for (int64_t i = 0; i < count; i++) {
        float *p = particle + 4 * i;
        double slide[2];
        slide_of(s, p, slide);
        if (slide[0] == 0 && slide[1] == 0) continue;
        rv_vec3 at = {s->low[0] + (double)p[0] * s->dx, s->low[1] + (double)p[1] * s->dx, 0};
        rv_solver_body *b = nearest(s, at);
        if (!b) return;
        at.z = b->at.z;
        const double push[3] = {-mass * slide[0], -mass * slide[1]};
        rv_splat_push_body(s, b, at, push);
        size_t slot = rv_splat_slot(&s->grid, (int)p[0], (int)p[1], 0);
        double c = (double)s->f.node[4 * slot + 1] / weigh, depth = depth_at(s, slot);
        if (weigh > 0 && c > 0) drag(s, b, at, p, c / (c + depth));
    }
}

// What a drop looks like from above (paper 001 §5.1, §5.3), and how high it must be for its volume.
//
// A cap of contact radius a and contact angle t has the height
//     a χ(u),  χ(u) = (√(cos² t + sin² t u) - cos t) / sin t,  u = 1 - d²/a²
// A drop at rest is the smooth union of 1 to 5 of them. One that runs has a round head and a rear
// that is drawn out and narrows. Both are heavier at the lower end. Heights are then scaled so that
// all cells of the drop, with those of its trail, sum to its volume.
#include "solvers/glass/glass.h"

#define BLEND 0.35f    // width of the smooth union, in u
#define APART_LOW 0.35 // distance of caps over their radius
#define APART_HIGH 0.8
#define SMALLER_LOW 0.55 // radius of a cap over the first one's
#define SMALLER_HIGH 0.95
#define NARROWS 0.55f // by how much of its width the rear narrows
#define LOWERS 0.35f  // and of its height
#define STRETCH_MAX 3.0
#define HEAD_LEAST 0.1 // of the volume, whatever the trail holds
#define NEWTON 4
#define EVENS 0.2 // of glass.drain: how fast a head evens out

// Directions from a cap to the next, seen with gravity down: sideways and down (§5.3).
static const double ways[5][2] = {
    {1.0, 0.0}, {-1.0, 0.0}, {-0.70710678, -0.70710678}, {0.0, -1.0}, {0.70710678, -0.70710678}};

// A number that follows from the drop's key and does not change.
static double trait(const rv_solver *s, const rv_drop *d, int n)
{
    return rv_chance(s->params.seed, d->key | 0x40000000u, (uint32_t)n);
}

// The paper's caps are equal (§5.3), which makes pills; here each after the first is smaller.
// Returns how many of the largest would hold as much.
static double size_caps(const rv_solver *s, const rv_drop *d, rv_outline *shape)
{
    double sum = 0.0;
    for (int k = 0; k < shape->caps; k++) {
        double size =
            k == 0 ? 1.0 : SMALLER_LOW + (SMALLER_HIGH - SMALLER_LOW) * trait(s, d, k + 32);
        shape->size[k] = (float)size;
        sum += size * size * size;
    }
    return sum;
}

// Places of caps around their common middle, each beside the one before.
static void place_caps(const rv_solver *s, const rv_drop *d, rv_outline *shape)
{
    double x[RV_CAPS_MAX] = {0}, y[RV_CAPS_MAX] = {0}, mean_x = 0.0, mean_y = 0.0;
    int n = shape->caps;
    for (int k = 1; k < n; k++) {
        const double *way = ways[(int)(trait(s, d, k) * 5.0)];
        double apart = APART_LOW + (APART_HIGH - APART_LOW) * trait(s, d, k + 16);
        apart *= (double)(shape->radius * shape->size[k]);
        // the second component of a way is up
        x[k] = x[k - 1] + apart * (-way[0] * s->down_y - way[1] * s->down_x);
        y[k] = y[k - 1] + apart * (way[0] * s->down_x - way[1] * s->down_y);
        mean_x += x[k] / n, mean_y += y[k] / n;
    }
    for (int k = 0; k < n; k++)
        shape->x[k] = (float)(x[k] - mean_x), shape->y[k] = (float)(y[k] - mean_y);
}

// Cells of the box that are on the pane.
static rv_rect cut(const rv_solver *s, const rv_outline *q)
{
    rv_rect r = {q->x0 > 0 ? q->x0 : 0, q->y0 > 0 ? q->y0 : 0, q->x1 < s->nx ? q->x1 : s->nx,
                 q->y1 < s->ny ? q->y1 : s->ny};
    return r.x0 < r.x1 && r.y0 < r.y1 ? r : (rv_rect){0, 0, 0, 0};
}

static void set_box(const rv_solver *s, const rv_drop *d, rv_outline *shape)
{
    double reach = (double)(shape->radius * shape->stretch), far = 0.0;
    for (int k = 0; k < shape->caps; k++)
        far = fmax(far, fmax(fabs((double)shape->x[k]), fabs((double)shape->y[k])));
    reach = 1.1 * reach + far + s->dx;
    shape->x0 = (int)floor((d->x - reach - s->x0) / s->dx);
    shape->y0 = (int)floor((d->y - reach - s->y0) / s->dx);
    shape->x1 = (int)ceil((d->x + reach - s->x0) / s->dx);
    shape->y1 = (int)ceil((d->y + reach - s->y0) / s->dx);
    shape->seen = cut(s, shape);
}

rv_outline rv_glass_shape(const rv_solver *s, int drop)
{
    const rv_params *p = &s->params;
    const rv_drop *d = &s->drops[drop];
    rv_outline shape = {.drop = drop, .runs = d->state == RV_DROP_RUNS, .stretch = 1.0f};
    double volume = rv_drop_volume(d);
    double head = fmax(volume - rv_units_volume(s, d->tail), HEAD_LEAST * volume);
    double cosine = rv_glass_contact(s, rv_glass_affinity_at(s, d->x, d->y));
    shape.caps = shape.runs ? 1 : d->caps;
    double radius = rv_cap_radius(head, size_caps(s, d, &shape), cosine);
    double stretch = shape.runs ? fmin(p->glass_stretch * d->speed / radius, STRETCH_MAX) : 0.0;
    // a drawn-out rear holds water, too
    radius /= rv_cube_root(1.0 + 0.3 * stretch);
    shape.stretch = (float)(1.0 + stretch);
    shape.radius = (float)radius;
    shape.cosine = (float)cosine, shape.sine = (float)sqrt(1.0 - cosine * cosine);
    shape.way_x = (float)(shape.runs ? d->way_x : s->down_x);
    shape.way_y = (float)(shape.runs ? d->way_y : s->down_y);
    // small drops are round: surface tension holds them against their weight
    double size = fmin(1.0, volume / p->glass_static);
    shape.sag = (float)(p->glass_sag * rv_cube_root(size) * rv_cube_root(size));
    shape.soft = (float)rv_decay(s->dt / (EVENS * p->glass_drain));
    place_caps(s, d, &shape);
    set_box(s, d, &shape);
    return shape;
}

// ---- Profile ------------------------------------------------------------------------------------

static float smooth_most(float a, float b)
{
    float apart = a > b ? a - b : b - a, over = apart < BLEND ? BLEND - apart : 0.0f;
    return (a > b ? a : b) + over * over * (0.25f / BLEND);
}

static float cap_height(const rv_outline *q, float u)
{
    return (sqrtf(q->cosine * q->cosine + q->sine * q->sine * u) - q->cosine) / q->sine;
}

// The profile over the radius at a place from the drop's middle (m); 0 outside. Negative: in the
// rear, which is drawn but does not touch other drops.
static float profile(const rv_outline *q, float x, float y)
{
    float over = 1.0f / q->radius;
    float along = (x * q->way_x + y * q->way_y) * over,
          across = (y * q->way_x - x * q->way_y) * over;
    if (!q->runs) {
        float u = -1.0f;
        for (int k = 0; k < q->caps; k++) {
            float dx = (x - q->x[k]) * over, dy = (y - q->y[k]) * over;
            float one = q->size[k] * q->size[k] - (dx * dx + dy * dy);
            u = k == 0 ? one : smooth_most(u, one);
        }
        if (!(u > 0.0f)) return 0.0f;
        float lean = 1.0f + q->sag * along;
        return cap_height(q, u) * (lean > 0.1f ? lean : 0.1f);
    }
    float back = along < 0.0f ? -along / q->stretch : 0.0f;
    float width = 1.0f - NARROWS * back * (q->stretch - 1.0f) / q->stretch;
    float side = across / width, ahead = along > 0.0f ? along : back;
    float u = 1.0f - (ahead * ahead + side * side);
    if (!(u > 0.0f)) return 0.0f;
    float lean = 1.0f + q->sag * (along > 0.0f ? along : -back);
    float height = cap_height(q, u) * lean * (1.0f - LOWERS * back);
    return along < -1.0f ? -height : height;
}

typedef struct sums {
    double profile; // of all cells
    int64_t under;  // RV_HEIGHT_UNIT, of the drop's own cells there
    int64_t lost;   // by which those were lowered
} sums;

// Fills the shape's part of `next` with the profile, row by row. What was there of the drop itself
// gives way to it quickly, as surface tension evens out a drop much faster than a trail drains.
static sums sample(rv_solver *s, const rv_outline *q)
{
    const rv_drop *d = &s->drops[q->drop];
    rv_rect r = q->seen;
    sums sum = {0.0, 0, 0};
    float *to = s->next + q->first, dx = (float)s->dx;
    float x_first = (float)(s->x0 + (q->x0 + 0.5) * s->dx - d->x);
    for (int y = q->y0; y < q->y1; y++) {
        float down = (float)(s->y0 + (y + 0.5) * s->dx - d->y);
        double row = 0.0;
        bool inside = y >= r.y0 && y < r.y1;
        for (int x = q->x0; x < q->x1; x++) {
            float v = profile(q, x_first + (float)(x - q->x0) * dx, down);
            row += (double)fabsf(v);
            if (!inside || x < r.x0 || x >= r.x1) continue;
            *to++ = v;
            size_t cell = rv_cell(s, x, y);
            if (v == 0.0f || s->id[cell] != q->drop) continue;
            int64_t before = rv_height_units(s->height[cell]);
            if (v > 0.0f) s->height[cell] *= q->soft;
            int64_t now = rv_height_units(s->height[cell]);
            sum.under += now, sum.lost += before - now;
        }
        sum.profile += row;
    }
    return sum;
}

// A drop that is smaller than a cell.
static void sample_one(rv_solver *s, rv_outline *q)
{
    const rv_drop *d = &s->drops[q->drop];
    int x = (int)floor((d->x - s->x0) / s->dx), y = (int)floor((d->y - s->y0) / s->dx);
    rv_rect r = q->seen;
    if (x < r.x0 || x >= r.x1 || y < r.y0 || y >= r.y1) return;
    s->next[q->first + (size_t)(y - r.y0) * (size_t)(r.x1 - r.x0) + (size_t)(x - r.x0)] = 1.0f;
}

// Σ max(trail, scale · profile) = target, by Newton's method: the sum is convex and grows with the
// scale, so from above it falls to the root.
static double solve_scale(const rv_solver *s, rv_outline *q, sums sum, double target)
{
    double scale = target / sum.profile;
    rv_rect r = q->seen;
    q->covers = true;
    if (sum.under == 0) return scale;
    for (int n = 0; n < NEWTON; n++) {
        double all = scale * sum.profile, slope = sum.profile, most = 0.0;
        const float *from = s->next + q->first;
        for (int y = r.y0; y < r.y1; y++) {
            for (int x = r.x0; x < r.x1; x++, from++) {
                size_t cell = rv_cell(s, x, y);
                if (*from == 0.0f || s->id[cell] != q->drop) continue;
                double mine = (double)fabsf(*from), trail = (double)s->height[cell];
                if (!(trail > scale * mine)) continue;
                all += trail - scale * mine, slope -= mine;
                most = fmax(most, trail - scale * mine);
            }
        }
        q->covers = most < 0.01 * s->params.glass_film;
        if (q->covers || !(slope > 0.0)) break;
        scale = fmax(0.0, scale - (all - target) / slope);
    }
    return scale;
}

void rv_glass_profile(rv_solver *s, rv_outline *q)
{
    rv_drop *d = &s->drops[q->drop];
    sums sum = sample(s, q);
    if (!(sum.profile > 0.0)) {
        sample_one(s, q);
        sum.profile = 1.0;
    }
    d->drawn -= sum.lost;
    q->tail = d->drawn - sum.under;
    double all = rv_drop_volume(d) / (s->dx * s->dx); // m, over all cells
    double target = fmax(all - (double)q->tail * RV_HEIGHT_UNIT, HEAD_LEAST * all);
    q->scale = solve_scale(s, q, sum, target);
}

// What a drop looks like from above (glass paper §5.1, §5.3), and how high it must be for its
// volume.
//
// A cap of contact radius a and contact angle t has the height
//     a χ(u),  χ(u) = (√(cos² t + sin² t u) - cos t) / sin t,  u = 1 - d²/a²
// A drop at rest is the smooth union of 1 to 5 of them. One that runs has a round head and a rear
// that is drawn out and narrows. Both are heavier at the lower end. Heights are then scaled so that
// all cells of the drop, with those of its trail, sum to its volume.
//
// A puddle on glass that lies is no higher than 2 l sin(t/2), l the capillary length of its weight
// into the glass: where a cap would come near that it is flattened, and as much wider.
#include "pane/glass.h"

#define APART_LOW 0.35 // distance of caps over their radius
#define APART_HIGH 0.8
#define SMALLER_LOW 0.55 // radius of a cap over the first one's
#define SMALLER_HIGH 0.95
#define SWELLS 0.12 // by how much the square of a cap may grow in a smooth union
#define STRETCH_MAX 3.0
#define HEAD_LEAST 0.1 // of the volume, whatever the trail holds
#define NEWTON 4
#define SPILL_MOST 0.9 // of a drop that stands too high, in a substep
#define FLATTENS 0.75  // of the greatest height: caps that are lower stay caps
#define FLATTEST 0.02  // of the cap's radius, that a puddle is high: less is lost in PROFILE_UNIT
#define FLAT_SAMPLES 32
#define BISECTIONS 24
#define LARGEST 10.0 // m, radius of a drop
#define COVERED 1e-4 // share of a head over which a trail may still rise when it comes to rest
#define PROFILE_UNIT 65536.0f // in which profiles are summed
#define EVENS 0.2             // of glass.drain: how fast a head evens out

// Directions from a cap to the next, seen with gravity down: sideways and down (§5.3).
static const double ways[5][2] = {
    {1.0, 0.0}, {-1.0, 0.0}, {-0.70710678, -0.70710678}, {0.0, -1.0}, {0.70710678, -0.70710678}};

// A number that follows from the drop's key and does not change.
static double trait(const rv_glass *s, const rv_drop *d, int n)
{
    return rv_chance(s->params.seed, d->key | 0x40000000u, (uint32_t)n);
}

// The paper's caps are equal (§5.3), which makes pills; here each after the first is smaller.
// Returns how many of the largest would hold as much.
static double size_caps(const rv_glass *s, const rv_drop *d, rv_profile *shape)
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
static void place_caps(const rv_glass *s, const rv_drop *d, rv_profile *shape)
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
static rv_rect cut(const rv_glass *s, const rv_outline *q)
{
    rv_rect r = {q->x0 > 0 ? q->x0 : 0, q->y0 > 0 ? q->y0 : 0, q->x1 < s->nx ? q->x1 : s->nx,
                 q->y1 < s->ny ? q->y1 : s->ny};
    return r.x0 < r.x1 && r.y0 < r.y1 ? r : (rv_rect){0, 0, 0, 0};
}

// A blade may have swept a drop to where no number of a cell reaches.
static int bounded(double cell)
{
    return (int)fmin(fmax(cell, -1e8), 1e8);
}

static void widen(rv_outline *q, const rv_glass *s, double x, double y, double radius)
{
    int x0 = bounded(floor((x - radius - s->x0) / s->dx));
    int y0 = bounded(floor((y - radius - s->y0) / s->dx));
    int x1 = bounded(ceil((x + radius - s->x0) / s->dx));
    int y1 = bounded(ceil((y + radius - s->y0) / s->dx));
    if (x0 < q->x0) q->x0 = x0;
    if (y0 < q->y0) q->y0 = y0;
    if (x1 > q->x1) q->x1 = x1;
    if (y1 > q->y1) q->y1 = y1;
}

static size_t whole_groups(int cells)
{
    return (size_t)(cells + RV_GLASS_GROUP - 1) / RV_GLASS_GROUP * RV_GLASS_GROUP;
}

static void set_box(const rv_glass *s, const rv_drop *d, rv_outline *q)
{
    const rv_profile *f = &q->profile;
    double radius = (double)f->radius, back = radius * (double)(f->stretch - 1.0f);
    q->x0 = q->y0 = INT32_MAX, q->x1 = q->y1 = INT32_MIN;
    widen(q, s, d->x, d->y, f->runs ? radius : 0.0);
    if (f->runs) widen(q, s, d->x - back * d->way_x, d->y - back * d->way_y, radius);
    for (int k = 0; k < f->caps && !f->runs; k++) {
        double size = (double)f->size[k], swells = f->caps > 1 ? SWELLS : 0.0;
        widen(q, s, d->x + (double)f->x[k], d->y + (double)f->y[k],
              radius * sqrt(size * size + swells));
    }
    q->seen = cut(s, q);
    q->wide = whole_groups(q->x1 - q->x0);
    if (q->wide * (size_t)(q->y1 - q->y0) <= s->next_size) return;
    // larger than the pane: what is outside is left out
    q->x0 = q->seen.x0, q->y0 = q->seen.y0, q->x1 = q->seen.x1, q->y1 = q->seen.y1;
    q->wide = whole_groups(q->x1 - q->x0);
}

// ---- Puddles ------------------------------------------------------------------------------------

// m, over which no puddle rises; 0: its weight does not press it on the glass.
static double highest(const rv_glass *s, double cosine)
{
    const rv_params *p = &s->params;
    double sine, other;
    rv_sine(p->glass_tilt, &sine, &other);
    // z of the pane is out of it: in the room, -sin of the tilt along y, cos along z
    double press = -(rv_glass_gravity(p, sine, other).z);
    if (!(press > 1e-9) || !(p->liquid_tension > 0.0)) return 0.0;
    double length2 = p->liquid_tension / (p->liquid_density * press);
    return 2.0 * sqrt(length2 * 0.5 * (1.0 - cosine));
}

// Volume under a cap of radius a that is no higher than `most`, as rows_simd.c flattens it.
static double flat_volume(double a, double most, double cosine)
{
    double sine2 = 1.0 - cosine * cosine, sine = sqrt(sine2), sum = 0.0;
    for (int k = 0; k < FLAT_SAMPLES; k++) { // rings of equal area
        double u = (k + 0.5) / FLAT_SAMPLES;
        double y = a * (sqrt(cosine * cosine + sine2 * u) - cosine) / sine, r = y / most;
        double r2 = r * r, r4 = r2 * r2;
        sum += y / sqrt(sqrt(sqrt(1.0 + r4 * r4)));
    }
    return sum * RV_PI * a * a / FLAT_SAMPLES;
}

// The radius of a puddle that holds as much as a cap of radius `cap` would.
static double puddle_radius(double cap, double most, double cosine)
{
    double sine2 = 1.0 - cosine * cosine, sine = sqrt(sine2);
    double unit = RV_PI * (2.0 - 3.0 * cosine + cosine * cosine * cosine) / (3.0 * sine * sine2);
    double volume = unit * cap * cap * cap, low = cap, high = 2.0 * cap;
    while (flat_volume(high, most, cosine) < volume && high < LARGEST) high *= 2.0;
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = 0.5 * (low + high);
        if (flat_volume(middle, most, cosine) < volume)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

rv_outline rv_glass_shape(const rv_glass *s, int drop)
{
    const rv_params *p = &s->params;
    const rv_drop *d = &s->drops[drop];
    bool runs = d->state == RV_DROP_RUNS;
    rv_outline q = {.drop = drop};
    rv_profile *f = &q.profile;
    double volume = rv_drop_volume(d);
    double head = fmax(volume - rv_units_volume(s, d->tail), HEAD_LEAST * volume);
    double cosine = rv_glass_contact(s, rv_glass_affinity_at(s, d->x, d->y));
    f->runs = runs, f->caps = runs ? 1 : d->caps;
    double radius = fmin(rv_cap_radius(head, size_caps(s, d, f), cosine), LARGEST);
    double most = highest(s, cosine), sine = sqrt(1.0 - cosine * cosine);
    if (most > 0.0 && radius * (1.0 - cosine) / sine > FLATTENS * most) {
        most = fmax(most, FLATTEST * radius);
        radius = fmin(puddle_radius(radius, most, cosine), LARGEST);
        f->most = (float)(most / radius);
    }
    double stretch = runs ? fmin(p->glass_stretch * d->speed / radius, STRETCH_MAX) : 0.0;
    // a drawn-out rear holds water, too
    radius /= rv_cube_root(1.0 + 0.3 * stretch);
    f->stretch = (float)(1.0 + stretch);
    f->radius = (float)radius;
    f->cosine = (float)cosine, f->sine = (float)sqrt(1.0 - cosine * cosine);
    f->way_x = (float)(runs ? d->way_x : s->down_x);
    f->way_y = (float)(runs ? d->way_y : s->down_y);
    // small drops are round: surface tension holds them against their weight
    double size = rv_cube_root(fmin(1.0, volume / p->glass_static));
    f->sag = (float)(p->glass_sag * size * size);
    q.soft = (float)rv_decay(s->dt / (EVENS * p->glass_drain));
    place_caps(s, d, f);
    set_box(s, d, &q);
    return q;
}

// ---- Heights ------------------------------------------------------------------------------------

typedef struct sums {
    double profile; // of all cells
    int64_t under;  // RV_HEIGHT_UNIT, of the drop's own cells there
    int64_t lost;   // by which those were lowered
} sums;

// What was there of the drop itself gives way to the head quickly, as surface tension evens out a
// drop much faster than a trail drains. What is left is copied beside the profile, 0 where it is
// others'.
static void give_way(rv_glass *s, const rv_outline *q, int y, sums *sum)
{
    const float *profile = rv_outline_row(s, q, q->seen.x0, y);
    float *trail = s->trail + (profile - s->next);
    size_t cell = rv_cell(s, q->seen.x0, y);
    for (int x = q->seen.x0; x < q->seen.x1; x++, cell++, profile++, trail++) {
        *trail = 0.0f;
        if (s->id[cell] != q->drop || *profile == 0.0f) continue;
        float before = s->height[cell], now = *profile > 0.0f ? before * q->soft : before;
        int64_t units = rv_height_units(now);
        sum->under += units, sum->lost += rv_height_units(before) - units;
        s->height[cell] = *trail = now;
    }
}

// Fills the outline's part of `next` with the profile, row by row.
static sums sample(rv_glass *s, const rv_outline *q)
{
    const rv_drop *d = &s->drops[q->drop];
    sums sum = {0.0, 0, 0};
    float *to = s->next + q->first;
    float x = (float)(s->x0 + (q->x0 + 0.5) * s->dx - d->x);
    int64_t units = 0;
    for (int row = q->y0; row < q->y1; row++, to += q->wide) {
        float y = (float)(s->y0 + (row + 0.5) * s->dx - d->y);
        s->rows->profile(&q->profile, x, y, (float)s->dx, to, (int)q->wide);
        // whole numbers: the same sum in any order, so that the compiler may choose one
        int32_t part = 0;
        for (int i = 0; i < q->x1 - q->x0; i++) part += (int32_t)(fabsf(to[i]) * PROFILE_UNIT);
        units += part;
        if (d->drawn > 0 && row >= q->seen.y0 && row < q->seen.y1) give_way(s, q, row, &sum);
    }
    sum.profile = (double)units / (double)PROFILE_UNIT;
    return sum;
}

// A drop that is smaller than a cell.
static void sample_one(rv_glass *s, rv_outline *q)
{
    const rv_drop *d = &s->drops[q->drop];
    int x = bounded(floor((d->x - s->x0) / s->dx)), y = bounded(floor((d->y - s->y0) / s->dx));
    rv_rect r = q->seen;
    if (x < r.x0 || x >= r.x1 || y < r.y0 || y >= r.y1) return;
    s->next[q->first + (size_t)(y - q->y0) * q->wide + (size_t)(x - q->x0)] = 1.0f;
}

// Where the trail is higher than the scaled profile: by how much in all, and the profile there.
typedef struct excess {
    int64_t height;  // RV_HEIGHT_UNIT
    int64_t profile; // 1/PROFILE_UNIT
} excess;

static excess excess_over(const rv_glass *s, const rv_outline *q, float scale)
{
    excess sum = {0, 0};
    for (int y = q->seen.y0; y < q->seen.y1; y++) {
        const float *profile = rv_outline_row(s, q, q->seen.x0, y);
        const float *trail = s->trail + (profile - s->next);
        int wide = q->seen.x1 - q->seen.x0;
        for (int from = 0; from < wide; from += RV_GLASS_GROUP) {
            int end = from + RV_GLASS_GROUP < wide ? from + RV_GLASS_GROUP : wide;
            int32_t height = 0, part = 0; // of a group: at most 2 m
            for (int i = from; i < end; i++) {
                float size = fabsf(profile[i]), over = trail[i] - scale * size;
                height += (int32_t)((over > 0.0f ? over : 0.0f) * (float)(1.0 / RV_HEIGHT_UNIT));
                part += (int32_t)((over > 0.0f ? size : 0.0f) * PROFILE_UNIT);
            }
            sum.height += height, sum.profile += part;
        }
    }
    return sum;
}

// Σ max(trail, scale · profile) = target, by Newton's method: the sum is convex and grows with the
// scale, so from above it falls to the root.
static double solve_scale(const rv_glass *s, rv_outline *q, sums sum, double target)
{
    double scale = target / sum.profile;
    q->covers = true;
    if (sum.under == 0) return scale;
    for (int n = 0; n < NEWTON; n++) {
        excess over = excess_over(s, q, (float)scale);
        double above = (double)over.height * RV_HEIGHT_UNIT;
        double slope = sum.profile - (double)over.profile / (double)PROFILE_UNIT;
        double change = (scale * sum.profile + above - target) / fmax(slope, 1e-3 * sum.profile);
        q->covers = above < COVERED * target;
        if (q->covers || change < 1e-6 * scale) break;
        scale = fmax(0.0, scale - change);
    }
    return scale;
}

void rv_glass_profile(rv_glass *s, rv_outline *q)
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
    if (q->scale <= RV_HEAD_MOST) return;
    double over = (q->scale - RV_HEAD_MOST) * sum.profile * s->dx * s->dx / RV_QUANTUM;
    q->spill = (int64_t)fmin(over, SPILL_MOST * (double)d->volume);
    q->scale = RV_HEAD_MOST;
}

// The loops of lists.h.
#define RV_SIMD
#include "surface/lists.h"

#include "base/simd.h"
#include "surface/rows.h"

#include <math.h>
#include <string.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

_Static_assert(RV_LIST_GROUP % RV_LANES == 0, "a group is some vectors");

// ---- Ends ---------------------------------------------------------------------------------------

typedef struct points {
    rv_f x, y, z;
} points;

RV_INLINE points between(points a, points b)
{
    return (points){b.x - a.x, b.y - a.y, b.z - a.z};
}

RV_INLINE rv_f dot(points a, points b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// `a` on by some of `by`.
RV_INLINE points on_by(points a, points by, rv_f part)
{
    return (points){a.x + by.x * part, a.y + by.y * part, a.z + by.z * part};
}

// `a` less what of it is along the unit `c`.
RV_INLINE points across(points a, points c)
{
    rv_f along = dot(a, c);
    return (points){a.x - along * c.x, a.y - along * c.y, a.z - along * c.z};
}

RV_INLINE points pick(rv_mask m, points a, points b)
{
    return (points){rv_f_pick(m, a.x, b.x), rv_f_pick(m, a.y, b.y), rv_f_pick(m, a.z, b.z)};
}

RV_INLINE points load(const float *x, const float *y, const float *z, uint32_t i)
{
    return (points){rv_f_load(x + i), rv_f_load(y + i), rv_f_load(z + i)};
}

// The place on the line so far on from ends, in one of its directions; no number where the line
// ends before: there the next place is infinitely far. A place and no end of the line: which ends
// there are changes as it passes nodes, and the place does not.
RV_INLINE points along(const rv_list_line *l, int step, uint32_t i, points at)
{
    const rv_f none = rv_f_set(NAN), zero = rv_f_set(0.0f);
    rv_f left = rv_f_load(l->reach + i); // no number: it is there
    ptrdiff_t next = (ptrdiff_t)i;
    points found = at;
    for (int k = 0; k < RV_LIST_BESIDE; k++) {
        next += step;
        points to = load(l->x + next, l->y + next, l->z + next, 0), by = between(at, to);
        rv_f length = rv_f_sqrt(dot(by, by));
        // at least what is left, that is more than the number before it
        rv_mask there = rv_f_above(length, rv_f_of(rv_i_sub(rv_i_of(left), rv_i_set(1))));
        if (rv_any(there)) found = pick(there, on_by(at, by, left / length), found);
        left = rv_f_pick(there, none, left - length);
        rv_mask on = rv_f_above(left, zero);
        if (!rv_any(on)) return found;
        at = to;
    }
    return pick(rv_f_above(left, zero), at, found);
}

RV_INLINE rv_f within(rv_f v, rv_f low, rv_f high)
{
    return rv_f_min(rv_f_max(v, low), high);
}

// Where ends slide to. Places are those on the bed: on a steep one a line that looks straight from
// above is a saw.
RV_INLINE rv_f slid(const rv_list_line *l, uint32_t i)
{
    const rv_f zero = rv_f_set(0.0f), one = rv_f_set(1.0f), stays = rv_f_set(l->stays);
    points way = load(l->way_x, l->way_y, l->way_z, i), own = load(l->x, l->y, l->z, i);
    rv_f t = rv_f_load(l->t + i), free = rv_f_load(l->free + i);
    rv_mask may = rv_f_above(free, zero);
    if (!rv_any(may)) return t;
    points a = along(l, -1, i, own), b = along(l, 1, i, own), chord = between(a, b);
    rv_f length = rv_f_sqrt(dot(chord, chord)), per = one / length;
    rv_mask tells = rv_f_above(length, rv_f_set(l->least));
    chord = (points){chord.x * per, chord.y * per, chord.z * per};
    points off = across(between(own, a), chord), over = across(way, chord);
    rv_f stiff = rv_f_load(l->stiff + i);
    rv_f by = rv_f_set(l->share) * free * dot(off, over) / (dot(over, over) + stiff);
    // a shore at rest is smooth as it is
    by = by * within((rv_f_sqrt(dot(off, off)) / rv_f_set(l->dx) - stays) / stays, zero, one);
    rv_f first = rv_f_load(l->first + i), most = rv_f_load(l->most + i);
    rv_f to = within(t + by, first - most, first + most);
    to = within(to, rv_f_set(l->nearest), rv_f_set(1.0f - l->nearest));
    return rv_f_pick(may, rv_f_pick(tells, to, t), t);
}

static void slide(const rv_list_line *line, uint32_t from, uint32_t to)
{
    const rv_list_line l = *line;
    for (uint32_t i = from; i < to; i += RV_LANES) {
        rv_f t = slid(&l, i);
        rv_f share = t + rv_f_load(l.wall + i) * (rv_f_set(1.0f - l.nearest) - t);
        points place = load(l.from_x, l.from_y, l.from_z, i);
        points way = load(l.way_x, l.way_y, l.way_z, i);
        rv_f_store(l.new_t + i, t);
        rv_f_store(l.new_x + i, place.x + share * way.x);
        rv_f_store(l.new_y + i, place.y + share * way.y);
        rv_f_store(l.new_z + i, place.z + share * way.z);
    }
}

// The highest of all stretches of ends with an end in them, each as high as its lowest end: how
// high the line reaches over more than a few ends.
RV_INLINE rv_f broad_height(const float *z)
{
    enum { ALL = 2 * RV_LIST_SPAN };
    rv_f most = rv_f_set(-INFINITY);
    for (int k = -ALL; k <= 0; k++) {
        rv_f least = rv_f_load(z + k);
        for (int j = 1; j <= ALL; j++) least = rv_f_min(least, rv_f_load(z + k + j));
        most = rv_f_max(least, most);
    }
    return most;
}

// What is left high up a steep bed by some column alone would be a spike: its end goes down into
// the bed, to a little over those beside it. The bed is as steep as on its own way, or on those of
// the ends beside it.
static void spikes(const rv_list_spikes *line, uint32_t from, uint32_t to)
{
    const rv_list_spikes l = *line;
    for (uint32_t i = from; i < to; i += RV_LANES) {
        const float *way = l.way_z + i;
        rv_f z = rv_f_load(l.z + i), rise = rv_f_abs(rv_f_load(way));
        rise = rv_f_max(rv_f_max(rise, rv_f_abs(rv_f_load(way - 1))), rv_f_abs(rv_f_load(way + 1)));
        rv_mask steep = rv_f_above(rise, rv_f_set(l.steep));
        if (rv_any(steep))
            z = rv_f_pick(steep, rv_f_min(z, broad_height(l.z + i) + rv_f_set(l.over)), z);
        rv_f_store(l.to + i, z);
    }
}

// ---- Columns ------------------------------------------------------------------------------------

static void even(const rv_list_fair *fair, uint32_t from, uint32_t to)
{
    const rv_list_fair f = *fair;
    const rv_f most = rv_f_set(f.most), far = rv_f_set(f.far), other_far = rv_f_set(-f.far);
    for (uint32_t i = from; i < to; i += RV_LANES) {
        rv_f sum = rv_f_set(0.0f), own = rv_f_load(f.own + RV_FAIR_FIRST + i);
        for (uint32_t d = 0; d < 8; d++) {
            rv_f there = rv_f_gather(f.own, rv_i_load(f.beside + d * f.stride + i));
            sum = sum + rv_f_load(f.weight + d * f.stride + i) * there;
        }
        rv_f v = own + rv_f_set(f.share) * (sum / rv_f_load(f.all + i) - own);
        rv_f first = rv_f_load(f.first + i);
        v = rv_f_min(within(v, first - most, first + most), rv_f_load(f.top + i));
        rv_f_store(f.to + RV_FAIR_FIRST + i, within(v, other_far, far));
    }
}

// ---- Walls --------------------------------------------------------------------------------------

#define LOOSE 0.05f // cells²: a row of columns alone tells no slope across it

// Sums over the columns around, each by its share.
typedef struct fit {
    rv_f weight, x, y, xx, xy, yy, h, xh, yh;
    rv_f low, high;
} fit;

RV_INLINE void add_level(fit *f, int x, int y, rv_f share, rv_f h)
{
    rv_f fx = rv_f_set((float)x), fy = rv_f_set((float)y), sx = share * fx, sy = share * fy;
    f->weight = f->weight + share, f->x = f->x + sx, f->y = f->y + sy;
    f->xx = f->xx + sx * fx, f->xy = f->xy + sx * fy, f->yy = f->yy + sy * fy;
    f->h = f->h + share * h, f->xh = f->xh + sx * h, f->yh = f->yh + sy * h;
    f->low = rv_f_min(h, f->low), f->high = rv_f_max(h, f->high);
}

RV_INLINE rv_f height_of(const fit *f)
{
    rv_f one = rv_f_set(1.0f), loose = rv_f_set(LOOSE);
    rv_f per = one / f->weight, x = f->x * per, y = f->y * per, h = f->h * per;
    rv_f xx = f->xx * per - x * x + loose, yy = f->yy * per - y * y + loose;
    rv_f xy = f->xy * per - x * y, xh = f->xh * per - x * h, yh = f->yh * per - y * h;
    rv_f whole = one / (xx * yy - xy * xy);
    rv_f along_x = (xh * yy - yh * xy) * whole, along_y = (yh * xx - xh * xy) * whole;
    return within(h - along_x * x - along_y * y, f->low, f->high);
}

// By how much a plane through the levels around is over the columns' own, m. A column counts if it
// is wet and linked; those that do not are added as nothing, which changes no sum.
RV_INLINE rv_f wall_rise(const rv_list_walls *r, int at)
{
    const rv_f zero = rv_f_set(0.0f), one = rv_f_set(1.0f), film = rv_f_set(r->film);
    rv_f level = rv_f_load(r->base + at) + rv_f_load(r->depth + at);
    rv_f min = rv_f_load(r->min + at), max = rv_f_load(r->max + at);
    fit f = {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
    for (int y = -r->below; y <= r->above; y++) {
        for (int x = -RV_WALL_AROUND; x <= RV_WALL_AROUND; x++) {
            ptrdiff_t o = at + x + y * r->pitch;
            rv_f depth = rv_f_load(r->depth + o), other = rv_f_load(r->base + o) + depth;
            rv_f is = rv_f_pick(rv_f_above(depth, film), one, zero);
            is = rv_f_pick(rv_f_above(rv_f_load(r->min + o), level), zero, is);
            is = rv_f_pick(rv_f_above(rv_f_load(r->max + o), level), is, zero);
            is = rv_f_pick(rv_f_above(min, other), zero, is);
            is = rv_f_pick(rv_f_above(max, other), is, zero);
            rv_mask counts = rv_f_above(is, zero);
            if (!rv_any(counts)) continue;
            int tent =
                (RV_WALL_AROUND + 1 - (x < 0 ? -x : x)) * (RV_WALL_AROUND + 1 - (y < 0 ? -y : y));
            rv_f share = rv_f_set((float)tent) * within(depth * rv_f_set(r->per_dx), zero, one);
            add_level(&f, x, y, rv_f_pick(counts, share, zero),
                      rv_f_pick(counts, other - level, zero));
        }
    }
    return rv_f_pick(rv_f_above(f.weight, rv_f_set(0.5f)), height_of(&f), zero);
}

// How far even columns are at a wall, by the most that the bed rises or falls to one beside them.
RV_INLINE rv_f at_wall(const rv_list_walls *r, int at)
{
    const rv_f zero = rv_f_set(0.0f), one = rv_f_set(1.0f), per_dx = rv_f_set(r->per_dx);
    const float *b = r->base + at;
    rv_f own = rv_f_load(b), sides = zero, corners = zero;
    for (int k = -1; k <= 1; k += 2) {
        const float *row = b + k * r->pitch;
        sides = rv_f_max(sides, rv_f_abs(rv_f_load(b + k) - own));
        sides = rv_f_max(sides, rv_f_abs(rv_f_load(row) - own));
        corners = rv_f_max(corners, rv_f_abs(rv_f_load(row - 1) - own));
        corners = rv_f_max(corners, rv_f_abs(rv_f_load(row + 1) - own));
    }
    rv_f steep = rv_f_max(sides * per_dx, corners * per_dx * rv_f_set(0.70710678f));
    return rv_f_pick(rv_f_above(sides, rv_f_set(r->dx)), within(steep - one, zero, one), zero);
}

static void walls(const rv_list_walls *row, int n)
{
    const rv_list_walls r = *row;
    for (int g = 0; g < n; g += RV_LIST_GROUP) {
        uint64_t kinds[2];
        memcpy(kinds, r.kind + g, sizeof kinds);
        if ((kinds[0] | kinds[1]) == 0) continue;
        float even[RV_LIST_GROUP], recorded[RV_LIST_GROUP];
        for (int x = 0; x < RV_LIST_GROUP; x++) {
            even[x] = r.kind[g + x] == RV_NODE_EVEN ? 1.0f : 0.0f;
            recorded[x] = r.kind[g + x] == RV_NODE_WET ? 1.0f : 0.0f;
        }
        for (int x = 0; x < RV_LIST_GROUP; x += RV_LANES) {
            const rv_f zero = rv_f_set(0.0f);
            int at = g + x;
            rv_f wall = rv_f_pick(rv_f_above(rv_f_load(even + x), zero), at_wall(&r, at), zero);
            rv_mask has = rv_f_above(rv_f_load(recorded + x), zero);
            wall = rv_f_pick(has, rv_f_load(r.wall + at), wall);
            rv_mask is = rv_f_above(wall, zero);
            if (!rv_any(is)) continue;
            rv_f z = rv_f_load(r.z + at), rise = wall_rise(&r, at);
            rv_f least = rv_f_load(r.base + at) + rv_f_load(r.over + at);
            rv_f to = z + wall * (rv_f_load(r.level + at) + rise - z);
            rv_f_store(r.z + at, rv_f_pick(is, rv_f_max(to, least), z));
        }
    }
}

const rv_surface_lists PASTE(rv_surface_lists_, RV_ISA);
const rv_surface_lists PASTE(rv_surface_lists_, RV_ISA) = {
    .name = TEXT(RV_ISA), .slide = slide, .spikes = spikes, .even = even, .walls = walls};

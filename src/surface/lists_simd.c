// The loops of lists.h.
#define RV_SIMD
#include "surface/lists.h"

#include "base/simd.h"

#include <math.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

#define STEPS 12 // ends along a line, at most, to the end of a chord

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

// The place on the line so far on from ends, in one of its directions; no number where the line
// ends before: there the next place is infinitely far. A place and no end of the line: which ends
// there are changes as it passes nodes, and the place does not.
RV_INLINE points along(const rv_list_line *l, const int32_t *beside, uint32_t i, points at)
{
    const rv_f none = rv_f_set(NAN), zero = rv_f_set(0.0f);
    rv_f left = rv_f_load(l->reach + i); // no number: it is there
    rv_i next = rv_i_load(beside + i);
    points found = at;
    for (int k = 0; k < STEPS; k++) {
        points to = {rv_f_gather(l->x, next), rv_f_gather(l->y, next), rv_f_gather(l->z, next)};
        points by = between(at, to);
        rv_f length = rv_f_sqrt(dot(by, by));
        // at least what is left, that is more than the number before it
        rv_mask there = rv_f_above(length, rv_f_of(rv_i_sub(rv_i_of(left), rv_i_set(1))));
        if (rv_any(there)) found = pick(there, on_by(at, by, left / length), found);
        left = rv_f_pick(there, none, left - length);
        rv_mask on = rv_f_above(left, zero);
        if (!rv_any(on)) return found;
        at = to, next = rv_i_gather(beside, next);
    }
    return pick(rv_f_above(left, zero), at, found);
}

RV_INLINE points load(const float *x, const float *y, const float *z, uint32_t i)
{
    return (points){rv_f_load(x + i), rv_f_load(y + i), rv_f_load(z + i)};
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
    points a = along(l, l->last, i, own), b = along(l, l->next, i, own), chord = between(a, b);
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

const rv_surface_lists PASTE(rv_surface_lists_, RV_ISA);
const rv_surface_lists PASTE(rv_surface_lists_,
                             RV_ISA) = {.name = TEXT(RV_ISA), .slide = slide, .even = even};

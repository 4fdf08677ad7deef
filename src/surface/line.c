// The line along which the surface ends, made smooth (docs/surface.md).
//
// What columns tell of an end is right to some tenths of a cell, and wrong by another tenth in each
// column: drawn as it is, the line has teeth. Tension keeps no bend that short. So each end slides
// between its two nodes toward the chord between the places some way before and after it on the
// line, and then back by a little more, in turn: waves of a cell or two vanish, and what is longer
// keeps its place and its size (G. Taubin, A Signal Processing Approach to Fair Surface Design,
// 1995). An end never leaves the way between its two nodes, so that all that is promised of
// triangles holds; and an end in a wall stays, since the eye sees where the sheet meets the wall,
// and not where it ends. Without tension nothing holds a line together, and it is drawn as columns
// have it.
#include "surface/mesher.h"

#include <math.h>

#define ROUNDS 4
// Shares of the way to the chord, and back: what is longer than about ten cells stays (tried on
// rims of puddles and films on slopes).
#define THERE 0.5f
#define BACK -0.53f
#define CHORD 1.25f  // cells along the line to either side
#define STRETCH 3.0f // cells on a steep bed between the middles of two: more counts as that
#define MOST 0.3f    // cells that an end may slide in all
#define STAYS 0.03f  // cells off the chord that are no tooth; from twice that on all counts
#define ACROSS 0.1f  // of the way between nodes: the less a line crosses it, the less an end slides

typedef struct smoothing {
    const rv_surface_pass *p;
    int from; // which of the two places of an end is read; the other is written
    float share;
} smoothing;

static rv_line_end *end_of(const rv_surface_work *w, uint32_t vertex)
{
    return w->line + (vertex - w->band[0].vertices);
}

static const rv_surface_band *band_of(const smoothing *s, int task)
{
    return &s->p->w->band[task];
}

static bool is_end(const rv_surface_work *w, uint32_t vertex)
{
    return vertex >= w->band[0].vertices && end_of(w, vertex)->is;
}

// Ends in one triangle are beside each other on the line, the liquid on its left.
static void join_band(void *context, int task)
{
    const smoothing *s = context;
    const rv_surface_work *w = s->p->w;
    const rv_surface_band *band = band_of(s, task);
    const uint32_t *corner = w->indices + 3 * (size_t)band->triangles;
    for (uint32_t i = 0; i < band->loose_count; i++, corner += 3) {
        for (int k = 0; k < 3; k++) {
            uint32_t a = corner[k], b = corner[(k + 1) % 3];
            if (!is_end(w, a) || !is_end(w, b)) continue;
            end_of(w, a)->next = b, end_of(w, b)->last = a; // each is written once
        }
    }
}

typedef struct point {
    float x, y, z;
} point;

static point place(const rv_line_end *e, int which)
{
    float t = rv_end_share(e, e->t[which]);
    return (point){e->x + t * e->way_x, e->y + t * e->way_y, e->z + t * e->way_z};
}

static point between(point a, point b)
{
    return (point){b.x - a.x, b.y - a.y, b.z - a.z};
}

static float dot(point a, point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// `a` less what of it is along the unit `c`.
static point across(point a, point c)
{
    float along = dot(a, c);
    return (point){a.x - along * c.x, a.y - along * c.y, a.z - along * c.z};
}

// The place on the line so far on from an end; false: the line ends before. A place and no end of
// the line: which ends there are changes as it passes nodes, and the place does not.
static bool along(const smoothing *s, const rv_line_end *e, bool on, float left, point *at)
{
    const rv_surface_work *w = s->p->w;
    *at = place(e, s->from);
    for (int k = 0; k < 12; k++) {
        uint32_t beyond = on ? e->next : e->last;
        if (beyond == RV_NO_NODE) return false;
        e = end_of(w, beyond);
        point to = place(e, s->from), by = between(*at, to);
        float length = sqrtf(dot(by, by));
        if (length >= left) {
            float part = left / length;
            *at = (point){at->x + by.x * part, at->y + by.y * part, at->z + by.z * part};
            return true;
        }
        *at = to, left -= length;
    }
    return true;
}

// Places are those on the bed: on a steep one a line that looks straight from above is a saw.
static float slid(const smoothing *s, const rv_line_end *e)
{
    const point way = {e->way_x, e->way_y, e->way_z};
    float t = e->t[s->from], dx = s->p->dx, plan = way.x * way.x + way.y * way.y;
    point a, b, own = place(e, s->from);
    if (!(e->free > 0.0f)) return t;
    // columns on a steep bed are farther apart
    float cells = fminf(sqrtf(dot(way, way) / plan), STRETCH) * dx;
    if (!along(s, e, false, CHORD * cells, &a) || !along(s, e, true, CHORD * cells, &b)) return t;
    point chord = between(a, b);
    float length = sqrtf(dot(chord, chord));
    if (!(length > 0.1f * dx)) return t;
    float per = 1.0f / length;
    chord = (point){chord.x * per, chord.y * per, chord.z * per};
    point off = across(between(own, a), chord), over = across(way, chord);
    float by = s->share * e->free * dot(off, over) / (dot(over, over) + ACROSS * dot(way, way));
    // a shore at rest is smooth as it is
    by *= fminf(fmaxf((sqrtf(dot(off, off)) / dx - STAYS) / STAYS, 0.0f), 1.0f);
    float most = MOST * dx / sqrtf(plan);
    t = fminf(fmaxf(t + by, e->first - most), e->first + most);
    return fminf(fmaxf(t, RV_END_NEAREST), 1.0f - RV_END_NEAREST);
}

static void slide_band(void *context, int task)
{
    const smoothing *s = context;
    const rv_surface_band *band = band_of(s, task);
    rv_line_end *e = end_of(s->p->w, band->vertices), *after = e + band->fresh_count;
    for (; e < after; e++)
        if (e->is) e->t[!s->from] = slid(s, e);
}

static void put_band(void *context, int task)
{
    const smoothing *s = context;
    const rv_surface_work *w = s->p->w;
    const rv_surface_band *band = band_of(s, task);
    for (uint32_t i = 0; i < band->fresh_count; i++) {
        const rv_line_end *e = end_of(w, band->vertices + i);
        if (e->is) rv_surface_move_end(s->p, w->fresh[band->fresh + i], e, band->vertices + i);
    }
}

void rv_surface_smooth_line(const rv_surface_pass *p)
{
    const rv_surface_work *w = p->w;
    smoothing s = {.p = p};
    if (!p->in->edge || !p->in->bends || w->stats.edge == 0) return;
    rv_parallel_for(w->pool, w->bands, join_band, &s);
    for (int k = 0; k < 2 * ROUNDS; k++) {
        s.share = k % 2 ? BACK : THERE;
        rv_parallel_for(w->pool, w->bands, slide_band, &s);
        s.from = !s.from;
    }
    rv_parallel_for(w->pool, w->bands, put_band, &s); // an even number of turns: t[0] is the last
}

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
//
// Last, spikes: where a column high up a steep bed kept some liquid that those beside it have not.
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
#define SPAN 5       // ends to either side: what is narrower and high up a steep bed is a spike
#define SPIKE 0.15f  // cells that it may stand over the line beside it
#define STEEP 0.7f   // cells that a bed rises or falls on the way between nodes, to be steep

// By end, one array behind the other: what a turn reads and writes (lists.h). LAST and NEXT hold
// whole numbers; of T and the place there are two, of which a turn reads one and writes the other.
enum { LAST, NEXT, T, X = T + 2, Y = X + 2, Z = Y + 2, FROM_X = Z + 2, FROM_Y, FROM_Z };
enum { WAY_X = FROM_Z + 1, WAY_Y, WAY_Z, WALL, FREE, FIRST, MOST_OF, REACH, STIFF, PARTS };
_Static_assert(PARTS == RV_LINE_PARTS, "as many as there is room for");

typedef struct smoothing {
    const rv_surface_pass *p;
    uint32_t count; // ends, and what else is among them
    int from;       // which of the two places of an end is read; the other is written
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

static float *part(const smoothing *s, int which)
{
    return s->p->w->laid + (size_t)which * s->p->w->laid_room;
}

// What is no end stays where it is; behind the last stands what ends have beside them where their
// line ends, infinitely far.
static void lay_none(const smoothing *s, uint32_t i)
{
    for (int k = T; k < PARTS; k++) part(s, k)[i] = k >= X && k <= FROM_Z ? INFINITY : 0.0f;
    ((int32_t *)(void *)part(s, LAST))[i] = ((int32_t *)(void *)part(s, NEXT))[i] =
        (int32_t)s->count;
}

static int32_t number_of(const smoothing *s, uint32_t vertex)
{
    return (int32_t)(vertex == RV_NO_NODE ? s->count : vertex - s->p->w->band[0].vertices);
}

static void lay_end(const smoothing *s, const rv_line_end *e, uint32_t i)
{
    float dx = s->p->dx, plan = e->way_x * e->way_x + e->way_y * e->way_y;
    float square = plan + e->way_z * e->way_z, share = rv_end_share(e, e->t);
    // columns on a steep bed are farther apart
    float cells = fminf(sqrtf(square / plan), STRETCH) * dx;
    const float value[PARTS] = {[T] = e->t,
                                [X] = e->x + share * e->way_x,
                                [Y] = e->y + share * e->way_y,
                                [Z] = e->z + share * e->way_z,
                                [FROM_X] = e->x,
                                [FROM_Y] = e->y,
                                [FROM_Z] = e->z,
                                [WAY_X] = e->way_x,
                                [WAY_Y] = e->way_y,
                                [WAY_Z] = e->way_z,
                                [WALL] = e->wall,
                                [FREE] = e->free,
                                [FIRST] = e->first,
                                [MOST_OF] = MOST * dx / sqrtf(plan),
                                [REACH] = CHORD * cells,
                                [STIFF] = ACROSS * square};
    for (int k = T; k < PARTS; k++) part(s, k)[i] = value[k];
    ((int32_t *)(void *)part(s, LAST))[i] = number_of(s, e->last);
    ((int32_t *)(void *)part(s, NEXT))[i] = number_of(s, e->next);
}

static void lay_piece(void *context, int task)
{
    const smoothing *s = context;
    uint32_t from = (uint32_t)task * RV_LIST_PIECE, to = from + RV_LIST_PIECE;
    if (to > rv_list_room(s->count + 1)) to = rv_list_room(s->count + 1);
    for (uint32_t i = from; i < to; i++) {
        const rv_line_end *e = &s->p->w->line[i];
        if (i < s->count && e->is)
            lay_end(s, e, i);
        else
            lay_none(s, i);
    }
}

static void slide_piece(void *context, int task)
{
    const smoothing *s = context;
    int a = s->from, b = !a;
    const rv_list_line line = {.last = (const int32_t *)(void *)part(s, LAST),
                               .next = (const int32_t *)(void *)part(s, NEXT),
                               .t = part(s, T + a),
                               .x = part(s, X + a),
                               .y = part(s, Y + a),
                               .z = part(s, Z + a),
                               .new_t = part(s, T + b),
                               .new_x = part(s, X + b),
                               .new_y = part(s, Y + b),
                               .new_z = part(s, Z + b),
                               .from_x = part(s, FROM_X),
                               .from_y = part(s, FROM_Y),
                               .from_z = part(s, FROM_Z),
                               .way_x = part(s, WAY_X),
                               .way_y = part(s, WAY_Y),
                               .way_z = part(s, WAY_Z),
                               .wall = part(s, WALL),
                               .free = part(s, FREE),
                               .first = part(s, FIRST),
                               .most = part(s, MOST_OF),
                               .reach = part(s, REACH),
                               .stiff = part(s, STIFF),
                               .share = s->share,
                               .least = 0.1f * s->p->dx,
                               .dx = s->p->dx,
                               .stays = STAYS,
                               .nearest = RV_END_NEAREST};
    uint32_t from = (uint32_t)task * RV_LIST_PIECE, to = from + RV_LIST_PIECE;
    if (to > rv_list_room(s->count + 1)) to = rv_list_room(s->count + 1);
    s->p->w->lists->slide(&line, from, to);
}

static void put_band(void *context, int task)
{
    const smoothing *s = context;
    const rv_surface_work *w = s->p->w;
    const rv_surface_band *band = band_of(s, task);
    for (uint32_t i = 0; i < band->fresh_count; i++) {
        rv_line_end *e = end_of(w, band->vertices + i);
        if (!e->is) continue;
        e->t = part(s, T)[band->vertices + i - w->band[0].vertices]; // turns are even in number
        rv_surface_move_end(s->p, w->fresh[band->fresh + i], e, band->vertices + i);
    }
}

// ---- Spikes -------------------------------------------------------------------------------------

static float height_of(const smoothing *s, uint32_t vertex)
{
    return s->p->w->positions[3 * (size_t)vertex + 2];
}

// The least heights from an end on to one side, by how many ends that is.
static void least_beside(const smoothing *s, uint32_t vertex, bool on, float least[2 * SPAN + 1])
{
    const rv_surface_work *w = s->p->w;
    least[0] = height_of(s, vertex);
    for (int k = 1; k <= 2 * SPAN; k++) {
        least[k] = least[k - 1];
        if (vertex == RV_NO_NODE) continue;
        const rv_line_end *e = end_of(w, vertex);
        vertex = on ? e->next : e->last;
        if (vertex != RV_NO_NODE) least[k] = fminf(least[k], height_of(s, vertex));
    }
}

// How high the line reaches here over more than a few ends: the highest of all stretches with this
// end in them, each as high as its lowest end.
static float broad_height(const smoothing *s, uint32_t vertex)
{
    float before[2 * SPAN + 1], after[2 * SPAN + 1], most = -INFINITY;
    least_beside(s, vertex, false, before), least_beside(s, vertex, true, after);
    for (int k = 0; k <= 2 * SPAN; k++) most = fmaxf(most, fminf(before[k], after[2 * SPAN - k]));
    return most;
}

// By how much the bed rises or falls at an end: on its own way, or on those of the ends beside it.
static float rise_at(const smoothing *s, const rv_line_end *e)
{
    const rv_surface_work *w = s->p->w;
    float most = fabsf(e->way_z);
    if (e->last != RV_NO_NODE) most = fmaxf(most, fabsf(end_of(w, e->last)->way_z));
    if (e->next != RV_NO_NODE) most = fmaxf(most, fabsf(end_of(w, e->next)->way_z));
    return most;
}

// What is left high up a steep bed by some column alone would be a spike: its end goes down into
// the bed, to a little over those beside it.
static void find_spikes(void *context, int task)
{
    const smoothing *s = context;
    const rv_surface_work *w = s->p->w;
    const rv_surface_band *band = band_of(s, task);
    for (uint32_t i = 0; i < band->fresh_count; i++) {
        uint32_t vertex = band->vertices + i;
        const rv_line_end *e = end_of(w, vertex);
        if (!e->is) continue;
        float z = height_of(s, vertex);
        if (rise_at(s, e) > STEEP * s->p->dx)
            z = fminf(z, broad_height(s, vertex) + SPIKE * s->p->dx);
        part(s, Z)[vertex - w->band[0].vertices] = z;
    }
}

static void lower_band(void *context, int task)
{
    const smoothing *s = context;
    const rv_surface_work *w = s->p->w;
    const rv_surface_band *band = band_of(s, task);
    for (uint32_t i = 0; i < band->fresh_count; i++) {
        uint32_t vertex = band->vertices + i;
        if (end_of(w, vertex)->is)
            w->positions[3 * (size_t)vertex + 2] = part(s, Z)[vertex - w->band[0].vertices];
    }
}

bool rv_surface_smooth_line(const rv_surface_pass *p)
{
    rv_surface_work *w = p->w;
    smoothing s = {.p = p, .count = w->band[w->bands].vertices - w->band[0].vertices};
    if (!p->in->edge || !p->in->bends || w->stats.edge == 0) return true;
    uint32_t room = rv_list_room(s.count + 1);
    int pieces = (int)((room + RV_LIST_PIECE - 1) / RV_LIST_PIECE);
    if (!rv_surface_grow(w, (void **)&w->laid, &w->laid_room, room, PARTS * sizeof *w->laid))
        return false;
    rv_parallel_for(w->pool, w->bands, join_band, &s);
    rv_parallel_for(w->pool, pieces, lay_piece, &s);
    for (int k = 0; k < 2 * ROUNDS; k++) {
        s.share = k % 2 ? BACK : THERE;
        rv_parallel_for(w->pool, pieces, slide_piece, &s);
        s.from = !s.from;
    }
    rv_parallel_for(w->pool, w->bands, put_band, &s);
    rv_parallel_for(w->pool, w->bands, find_spikes, &s);
    rv_parallel_for(w->pool, w->bands, lower_band, &s);
    return true;
}

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
#define SPIKE 0.15f  // cells that it may stand over the line beside it
#define STEEP 0.7f   // cells that a bed rises or falls on the way between nodes, to be steep

// By place, one array behind the other: what a turn reads and writes (lists.h). Of T and the place
// there are two, of which a turn reads one and writes the other.
enum { T, X = T + 2, Y = X + 2, Z = Y + 2, FROM_X = Z + 2, FROM_Y, FROM_Z };
enum { WAY_X = FROM_Z + 1, WAY_Y, WAY_Z, WALL, FREE, FIRST, MOST_OF, REACH, STIFF, PARTS };
_Static_assert(PARTS == RV_LINE_PARTS, "as many as there is room for");

// By end: those beside it on the line, RV_NO_NODE where there are none, and its place.
enum { LAST, NEXT, PLACE, LINKS };
_Static_assert(LINKS == RV_LINE_LINKS, "as many as there is room for");

// Places before the first line and behind the last: what is beside an end, or in one vector with
// it.
#define MARGIN (RV_LIST_BESIDE + RV_LIST_GROUP)

typedef struct smoothing {
    const rv_surface_pass *p;
    uint32_t count;          // ends, and what else is among them
    uint32_t chains, places; // lines, and the places that they take, in whole groups
    int from;                // which of the two places of an end is read; the other is written
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

static float *part(const smoothing *s, int which)
{
    return s->p->w->laid + (size_t)which * s->p->w->laid_room;
}

static uint32_t *links(const smoothing *s, int which)
{
    return s->p->w->line_links + (size_t)which * s->p->w->line_links_room;
}

// ---- Lines --------------------------------------------------------------------------------------

// Ends in one triangle are beside each other on the line, the liquid on its left.
static void join_band(void *context, int task)
{
    const smoothing *s = context;
    const rv_surface_work *w = s->p->w;
    const rv_surface_band *band = band_of(s, task);
    const uint32_t *corner = w->indices + 3 * (size_t)band->triangles;
    uint32_t first = w->band[0].vertices, *last = links(s, LAST), *next = links(s, NEXT);
    for (uint32_t i = 0; i < band->loose_count; i++, corner += 3) {
        bool is[3];
        for (int k = 0; k < 3; k++) is[k] = is_end(w, corner[k]);
        for (int k = 0; k < 3; k++) {
            int on = (k + 1) % 3;
            if (!is[k] || !is[on]) continue;
            uint32_t a = corner[k] - first, b = corner[on] - first;
            next[a] = b, last[b] = a; // each is written once
        }
    }
}

// Gives a line, from an end on, its places.
static void place_line(smoothing *s, uint32_t from, bool closed)
{
    uint32_t *next = links(s, NEXT), *place = links(s, PLACE);
    uint32_t at = s->places + RV_LIST_BESIDE, count = 0;
    for (uint32_t i = from; i != RV_NO_NODE && place[i] == RV_NO_NODE; i = next[i])
        place[i] = at + count++;
    s->p->w->chain[s->chains++] = (rv_line_chain){at, count, closed};
    s->places = at + count + RV_LIST_BESIDE;
}

// Puts the ends of each line behind each other. In one go: a step is a few instructions. false: no
// memory.
static bool place_lines(smoothing *s)
{
    rv_surface_work *w = s->p->w;
    const uint32_t *last = links(s, LAST), *next = links(s, NEXT), *place = links(s, PLACE);
    s->chains = 0, s->places = RV_LIST_GROUP;
    for (int closed = 0; closed < 2; closed++)
        for (uint32_t i = 0; i < s->count; i++)
            if (next[i] != RV_NO_NODE && place[i] == RV_NO_NODE &&
                (closed || last[i] == RV_NO_NODE))
                place_line(s, i, closed);
    s->places = rv_list_room(s->places + RV_LIST_GROUP);
    return rv_surface_grow(w, (void **)&w->laid_end, &w->laid_end_room, s->places,
                           sizeof *w->laid_end) &&
           rv_surface_grow(w, (void **)&w->laid, &w->laid_room, s->places + MARGIN,
                           PARTS * sizeof *w->laid);
}

// Which end each place has, those beside lines too.
static void list_places(const smoothing *s)
{
    const rv_surface_work *w = s->p->w;
    const uint32_t *place = links(s, PLACE);
    memset(w->laid_end, 0xff, s->places * sizeof *w->laid_end); // RV_NO_NODE
    for (uint32_t i = 0; i < s->count; i++)
        if (place[i] != RV_NO_NODE) w->laid_end[place[i]] = i;
    for (uint32_t c = 0; c < s->chains; c++) {
        const rv_line_chain *chain = &w->chain[c];
        uint32_t *end = w->laid_end + chain->place, n = chain->count;
        for (uint32_t k = 0; chain->closed && k < RV_LIST_BESIDE; k++)
            end[n + k] = end[k % n], *(end - 1 - k) = end[n - 1 - k % n];
    }
}

// ---- Turns --------------------------------------------------------------------------------------

// Nothing is beside the ends where their line ends: it is infinitely far.
static void lay_none(const smoothing *s, uint32_t i)
{
    for (int k = T; k < PARTS; k++) part(s, k)[i] = k >= X && k <= FROM_Z ? INFINITY : 0.0f;
}

// `own`: it is the end's own place, and not one beside its closed line, where it does not move.
static void lay_end(const smoothing *s, const rv_line_end *e, uint32_t i, bool own)
{
    float dx = s->p->dx, plan = e->way_x * e->way_x + e->way_y * e->way_y;
    float square = plan + e->way_z * e->way_z, share = rv_end_share(e, e->t);
    // columns on a steep bed are farther apart
    float cells = rv_lesser_f(sqrtf(square / plan), STRETCH) * dx;
    part(s, T)[i] = part(s, T + 1)[i] = e->t;
    part(s, X)[i] = e->x + share * e->way_x;
    part(s, Y)[i] = e->y + share * e->way_y;
    part(s, Z)[i] = e->z + share * e->way_z;
    part(s, FROM_X)[i] = e->x, part(s, FROM_Y)[i] = e->y, part(s, FROM_Z)[i] = e->z;
    part(s, WAY_X)[i] = e->way_x, part(s, WAY_Y)[i] = e->way_y, part(s, WAY_Z)[i] = e->way_z;
    part(s, WALL)[i] = e->wall, part(s, FREE)[i] = own ? e->free : 0.0f;
    part(s, FIRST)[i] = e->first, part(s, MOST_OF)[i] = MOST * dx / sqrtf(plan);
    part(s, REACH)[i] = own ? CHORD * cells : 0.0f, part(s, STIFF)[i] = ACROSS * square;
}

static void piece_of(const smoothing *s, int task, uint32_t *from, uint32_t *to)
{
    *from = RV_LIST_GROUP + (uint32_t)task * RV_LIST_PIECE, *to = *from + RV_LIST_PIECE;
    if (*to > s->places) *to = s->places;
}

static void lay_piece(void *context, int task)
{
    const smoothing *s = context;
    const rv_surface_work *w = s->p->w;
    uint32_t from, to;
    piece_of(s, task, &from, &to);
    for (uint32_t i = from; i < to; i++) {
        uint32_t end = w->laid_end[i];
        if (end == RV_NO_NODE)
            lay_none(s, i);
        else
            lay_end(s, &w->line[end], i, links(s, PLACE)[end] == i);
    }
}

static void slide_piece(void *context, int task)
{
    const smoothing *s = context;
    int a = s->from, b = !a;
    const rv_list_line line = {.t = part(s, T + a),
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
    uint32_t from, to;
    piece_of(s, task, &from, &to);
    s->p->w->lists->slide(&line, from, to);
}

// Of closed lines, what stands beside the first and the last is what stands at the other side.
static void close_lines(const smoothing *s, const int *parts, int count)
{
    const rv_surface_work *w = s->p->w;
    for (uint32_t c = 0; c < s->chains; c++) {
        const rv_line_chain *chain = &w->chain[c];
        uint32_t n = chain->count;
        for (int j = 0; j < count && chain->closed; j++) {
            float *v = part(s, parts[j]) + chain->place;
            for (uint32_t k = 0; k < RV_LIST_BESIDE; k++)
                v[n + k] = v[n > k ? k : k % n], *(v - 1 - k) = v[n - 1 - (n > k ? k : k % n)];
        }
    }
}

static void put_band(void *context, int task)
{
    const smoothing *s = context;
    const rv_surface_work *w = s->p->w;
    const rv_surface_band *band = band_of(s, task);
    uint32_t first = band->vertices - w->band[0].vertices;
    for (uint32_t i = 0; i < band->fresh_count; i++) {
        rv_line_end *e = &w->line[first + i];
        uint32_t place = links(s, PLACE)[first + i];
        if (place == RV_NO_NODE) continue; // no end, or one alone
        e->t = part(s, T)[place];          // turns are even in number
        rv_surface_move_end(w, e, band->vertices + i);
        part(s, Z)[place] = w->positions[3 * (size_t)(band->vertices + i) + 2];
    }
}

// ---- Spikes -------------------------------------------------------------------------------------

// By ends high up a steep bed: those of stretches of ends beside them, by their lowest.
static void spikes_piece(void *context, int task)
{
    const smoothing *s = context;
    const rv_surface_work *w = s->p->w;
    const rv_list_spikes line = {.z = part(s, Z),
                                 .way_z = part(s, WAY_Z),
                                 .to = part(s, Z + 1),
                                 .steep = STEEP * s->p->dx,
                                 .over = SPIKE * s->p->dx};
    uint32_t from, to;
    piece_of(s, task, &from, &to);
    w->lists->spikes(&line, from, to);
    for (uint32_t i = from; i < to; i++) {
        uint32_t end = w->laid_end[i];
        if (end != RV_NO_NODE && links(s, PLACE)[end] == i)
            w->positions[3 * (size_t)(w->band[0].vertices + end) + 2] = line.to[i];
    }
}

// ---- All of it ----------------------------------------------------------------------------------

static bool begin_lines(smoothing *s)
{
    rv_surface_work *w = s->p->w;
    if (!rv_surface_grow(w, (void **)&w->line_links, &w->line_links_room, s->count,
                         LINKS * sizeof *w->line_links) ||
        !rv_surface_grow(w, (void **)&w->chain, &w->chain_room, s->count, sizeof *w->chain))
        return false;
    for (int k = 0; k < LINKS; k++)
        memset(links(s, k), 0xff, s->count * sizeof *w->line_links); // RV_NO_NODE
    rv_parallel_for(w->pool, w->bands, join_band, s);
    if (!place_lines(s)) return false;
    list_places(s);
    for (uint32_t i = 0; i < RV_LIST_GROUP; i++) lay_none(s, i);
    for (uint32_t i = s->places; i < s->places + MARGIN; i++) lay_none(s, i);
    return true;
}

bool rv_surface_smooth_line(const rv_surface_pass *p)
{
    rv_surface_work *w = p->w;
    smoothing s = {.p = p, .count = w->band[w->bands].vertices - w->band[0].vertices};
    if (!p->in->edge || !p->in->bends || w->stats.edge == 0) return true;
    if (!begin_lines(&s)) return false;
    int pieces = (int)((s.places - RV_LIST_GROUP + RV_LIST_PIECE - 1) / RV_LIST_PIECE);
    rv_parallel_for(w->pool, pieces, lay_piece, &s);
    for (int k = 0; k < 2 * ROUNDS; k++) {
        const int written[3] = {X + !s.from, Y + !s.from, Z + !s.from};
        s.share = k % 2 ? BACK : THERE;
        rv_parallel_for(w->pool, pieces, slide_piece, &s);
        close_lines(&s, written, 3);
        s.from = !s.from;
    }
    rv_parallel_for(w->pool, w->bands, put_band, &s);
    close_lines(&s, (const int[1]){Z}, 1);
    rv_parallel_for(w->pool, pieces, spikes_piece, &s);
    return true;
}

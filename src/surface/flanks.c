// How the side of a solid stands under an edge that drips: what clings there is drawn over it
// (docs/surface.md). The columns know a solid's top and its underside; between them its field says
// how far out it reaches. And gaps in films along such edges.
#include "base/memory.h"
#include "surface/surface.h"

#include <math.h>

#define TRIES 6        // places looked at on the way out
#define FARTHEST 1.5f  // cells, that a side is believed to be away from the middle of its column
#define FLATTEST 0.15f // of the field's slope over two cells, that tells where outside is

static const float HEIGHT[RV_FLANK_ROWS] = RV_FLANK_HEIGHTS;

// The way out of the solid, level, from the middle of a column: 0 where there is none, as in the
// middle of something thin.
static void way_out(const rv_terrain *t, rv_vec3 at, double dx, float out[2])
{
    const double step[2][2] = {{dx, 0}, {0, dx}};
    float slope[2], size;
    for (int a = 0; a < 2; a++) {
        rv_vec3 to = {at.x + step[a][0], at.y + step[a][1], at.z};
        rv_vec3 from = {at.x - step[a][0], at.y - step[a][1], at.z};
        slope[a] = (rv_terrain_distance(t, to) - rv_terrain_distance(t, from)) / (float)dx;
    }
    size = sqrtf(slope[0] * slope[0] + slope[1] * slope[1]);
    bool known = size > FLATTEST;
    for (int a = 0; a < 2; a++) out[a] = known ? slope[a] / size : 0.0f;
}

// Cells from the middle of a column to the side of its solid.
static float reach(const rv_terrain *t, rv_vec3 at, double dx, const float out[2])
{
    float before = rv_terrain_distance(t, at), last = 0.0f;
    if (before >= 0.0f) return 0.0f;
    for (int k = 1; k <= TRIES; k++) {
        float far = FARTHEST * (float)k / TRIES;
        double way = (double)far * dx;
        rv_vec3 p = {at.x + way * (double)out[0], at.y + way * (double)out[1], at.z};
        float now = rv_terrain_distance(t, p);
        if (now >= 0.0f) return last + (far - last) * before / (before - now);
        before = now, last = far;
    }
    return FARTHEST;
}

void rv_flank_find(const rv_column_set *set, const rv_terrain *terrain, rv_flank *out)
{
    size_t slot = out->slot;
    const rv_grid *g = &set->grid;
    const rv_plane *p = rv_surface_plane(set, out->slot);
    size_t off = slot - p->offset, pitch = (size_t)p->pitch;
    int x = p->x0 + (int)(off % pitch), y = p->y0 + (int)(off / pitch);
    double top = (double)set->base[slot], tall = top - (double)set->min[slot];
    rv_vec3 at = {g->x0 + (x + 0.5) * g->dx, g->y0 + (y + 0.5) * g->dx, top - 0.5 * tall};
    way_out(terrain, at, g->dx, out->out);
    for (int k = 0; k < RV_FLANK_ROWS; k++) {
        at.z = top - (double)HEIGHT[k] * tall;
        out->reach[k] = reach(terrain, at, g->dx, out->out);
    }
}

// ---- Brims --------------------------------------------------------------------------------------

// Edges around one: in cells from it, and after how many steps.
typedef struct place {
    int32_t edge;
    int8_t x, y, steps;
} place;

#define PLACES 40

// What was found along an edge: where a film is, and its depths.
typedef struct brim {
    place at[PLACES];
    int count;
    float sum;
} brim;

// Whether a cell was not looked at before; from here on it was.
static bool is_new(uint32_t seen[4], int x, int y)
{
    int bit = (2 * RV_BRIM_FAR + 1) * (y + RV_BRIM_FAR) + x + RV_BRIM_FAR;
    uint32_t *word = &seen[bit / 32], mask = 1u << bit % 32;
    bool fresh = !(*word & mask);
    *word |= mask;
    return fresh;
}

// Up to so many steps from an edge, as long as the columns between are dry. Most have nothing wet
// around them, so nothing is cleared that is not read.
static void look_along(const rv_flank *flank, size_t edge, const float *depth, float least, int gap,
                       brim *b)
{
    place dry[PLACES];
    uint32_t seen[4] = {0};
    int from = 0, to = 1;
    dry[0] = (place){(int32_t)edge, 0, 0, 0};
    b->count = 0, b->sum = 0.0f;
    is_new(seen, 0, 0);
    for (int ring = 0; ring < gap; ring++) {
        for (int end = to; from < end; from++) {
            const place at = dry[from];
            for (int k = 0; k < RV_DIRECTIONS; k++) {
                int32_t next = flank[at.edge].next[k];
                if (next < 0) continue;
                int x = at.x + rv_step_x(k), y = at.y + rv_step_y(k);
                if (!is_new(seen, x, y)) continue;
                float own = depth[flank[next].slot];
                place there = {next, (int8_t)x, (int8_t)y, (int8_t)(ring + 1)};
                if (!(own > least) && to < PLACES) dry[to++] = there;
                if (own > least && b->count < PLACES) b->at[b->count++] = there, b->sum += own;
            }
        }
    }
}

// Whether two of the places lie on opposite sides of a gap that is no wider than that.
static bool on_both_sides(const brim *b, int gap)
{
    for (int i = 0; i < b->count; i++)
        for (int k = 0; k < i; k++)
            if (b->at[i].steps + b->at[k].steps - 1 <= gap &&
                b->at[i].x * b->at[k].x + b->at[i].y * b->at[k].y < 0)
                return true;
    return false;
}

// Along an edge some columns run dry, because what comes over them falls at once, and tension would
// not let the film part there: with enough of it on both sides of a gap of so many columns it goes
// on.
float rv_flank_brim(const rv_flank *flank, size_t edge, const float *depth, float least, int gap)
{
    brim b;
    look_along(flank, edge, depth, least, gap, &b);
    return on_both_sides(&b, gap) ? RV_BRIM_SHARE * b.sum / (float)b.count : 0.0f;
}

#define EDGE_PIECE 128 // edges: one task

typedef struct asking {
    rv_brims *b;
    const rv_flank *flank;
    const float *depth;
    float film, least;
    int gap;
} asking;

static size_t end_of_piece(const rv_brims *b, size_t from)
{
    return from + EDGE_PIECE < b->count ? from + EDGE_PIECE : b->count;
}

static void look_piece(void *context, int task)
{
    const asking *a = context;
    size_t from = (size_t)task * EDGE_PIECE, to = end_of_piece(a->b, from);
    for (size_t k = from; k < to; k++) {
        float depth = a->depth[a->flank[k].slot];
        a->b->brim[k] = depth; // until it is known
        a->b->wet[k] = depth > a->least;
    }
}

// Whether a square of cells or one beside it has a film.
static bool film_near(const rv_brims *b, uint32_t square)
{
    const uint8_t *at = b->film + square, *below = at - b->across, *above = at + b->across;
    return at[-1] | at[0] | at[1] | below[-1] | below[0] | below[1] | above[-1] | above[0] |
           above[1];
}

static void ask_piece(void *context, int task)
{
    const asking *a = context;
    rv_brims *b = a->b;
    size_t from = (size_t)task * EDGE_PIECE, to = end_of_piece(b, from);
    for (size_t k = from; k < to; k++) {
        bool asked = !(b->brim[k] > a->film) && film_near(b, b->square[k]);
        b->brim[k] = asked ? rv_flank_brim(a->flank, k, a->depth, a->least, a->gap) : 0.0f;
    }
}

void rv_brims_find(rv_brims *b, const rv_flank *flank, const float *depth, float film, float least,
                   int gap, rv_pool *pool)
{
    asking a = {b, flank, depth, film, least, gap};
    int pieces = (int)((b->count + EDGE_PIECE - 1) / EDGE_PIECE);
    rv_parallel_for(pool, pieces, look_piece, &a);
    memset(b->film, 0, b->squares);
    for (size_t k = 0; k < b->count; k++) b->film[b->square[k]] |= b->wet[k];
    rv_parallel_for(pool, pieces, ask_piece, &a);
}

// ---- Memory for them ----------------------------------------------------------------------------

#define BY_EDGE(DO) DO(square) DO(wet) DO(brim)

void rv_brims_free(rv_brims *b, const rv_allocator *allocator)
{
#define FREE(array) rv_free(allocator, b->array, b->room, sizeof *b->array);
    BY_EDGE(FREE)
#undef FREE
    rv_free(allocator, b->film, b->squares, sizeof *b->film);
    *b = (rv_brims){0};
}

bool rv_brims_take(rv_brims *b, const rv_allocator *allocator, size_t count, int nx, int ny)
{
    int across = nx / RV_BRIM_FAR + 3;
    size_t squares = (size_t)across * (size_t)(ny / RV_BRIM_FAR + 3);
    if (count > b->room || squares != b->squares) {
        rv_brims_free(b, allocator);
        bool good = (b->film = rv_new(allocator, squares, sizeof *b->film)) != NULL;
#define TAKE(array) good = (b->array = rv_new(allocator, count, sizeof *b->array)) && good;
        BY_EDGE(TAKE)
#undef TAKE
        b->room = count, b->squares = squares;
        if (!good) {
            rv_brims_free(b, allocator);
            return false;
        }
    }
    b->count = count, b->across = across;
    return true;
}

void rv_brims_put(rv_brims *b, size_t edge, int x, int y)
{
    b->square[edge] = (uint32_t)((y / RV_BRIM_FAR + 1) * b->across + x / RV_BRIM_FAR + 1);
}

size_t rv_brims_bytes(const rv_brims *b)
{
    size_t bytes = b->squares * sizeof *b->film;
#define ADD(array) bytes += b->room * sizeof *b->array;
    BY_EDGE(ADD)
#undef ADD
    return bytes;
}

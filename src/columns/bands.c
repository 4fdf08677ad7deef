// Sharing rows out among threads, see bands.h.
#include "columns/bands.h"

#include <string.h>

#define ROWS_MIN 16 // thinner bands would mostly work for their neighbours
#define LEAD 16     // floats before and after a row

static size_t row_floats(const rv_bands *b)
{
    return b->pitch + 2 * LEAD;
}

static int arrays_of(const rv_engine *s, int out[RV_ARRAYS])
{
    int n = 0, ways = rv_ways(s);
    out[n++] = RV_DEPTH;
    for (int way = 0; way < ways; way++) out[n++] = RV_FLUX + way;
    for (int way = 0; s->flow && way < ways; way++) out[n++] = RV_SPEED + way;
    out[n++] = RV_OUT, out[n++] = RV_IN;
    return n;
}

static float *array_of(const rv_engine *s, int array)
{
    if (array == RV_DEPTH) return s->depth;
    if (array == RV_OUT) return s->out_scale;
    if (array == RV_IN) return s->in_scale;
    return array < RV_SPEED ? s->flux[array - RV_FLUX] : s->speed[array - RV_SPEED];
}

// ---- Memory -------------------------------------------------------------------------------------

// Rows of floats that a band needs: ghosts; per plane 16 of the last flow, 8 between rows, 2 ahead
// and 10 around columns; scratch. Law `cell` needs fewer, but the law may change while it runs.
static size_t band_rows(const rv_engine *s)
{
    size_t planes = (size_t)s->columns->planes, arrays = 3 + 2 * (size_t)rv_ways(s);
    return (2 * RV_GHOSTS * arrays + 36) * planes + 4;
}

// Marks of odd columns, of which an odd pipe has two at most: as they were, one set a band, and one
// of what is near.
static size_t mark_count(const rv_bands *b)
{
    return ((size_t)b->capacity + 2) * 2 * b->odd_room;
}

static bool take(rv_engine *s, rv_bands *b)
{
    const rv_allocator *a = &s->allocator;
    size_t n = (size_t)b->capacity, planes = (size_t)s->columns->planes;
    size_t rows = (size_t)s->columns->grid.ny + n * 2 * RV_GHOSTS;
    b->memory_count = n * band_rows(s) * row_floats(b) + (n + 1) * 2 * b->odd_room;
    b->memory = rv_new(a, b->memory_count, sizeof(float));
    b->line_count = rows * planes;
    b->line = rv_new(a, b->line_count, sizeof *b->line);
    b->ring_count = n * planes;
    b->ring = rv_new(a, b->ring_count, sizeof *b->ring);
    b->band = rv_new(a, n, sizeof *b->band);
    b->edge = rv_new(a, n + 1, sizeof *b->edge);
    b->zero_count = row_floats(b) + 64;
    b->zeros = rv_new(a, b->zero_count, sizeof(float));
    b->was_live = rv_new(a, mark_count(b), 1);
    if (b->was_live) b->near = b->was_live + (n + 1) * 2 * b->odd_room;
    b->batch = rv_new(a, 2 * n, sizeof *b->batch);
    bool lines = b->line || b->line_count == 0, rings = b->ring || planes == 0;
    bool marks = b->was_live || b->odd_room == 0;
    return b->memory && lines && rings && b->band && b->edge && b->zeros && marks && b->batch;
}

static void release(rv_engine *s, rv_bands *b)
{
    if (!b) return;
    const rv_allocator *a = &s->allocator;
    size_t n = (size_t)b->capacity;
    if (b->memory) rv_free(a, b->memory, b->memory_count, sizeof(float));
    if (b->line) rv_free(a, b->line, b->line_count, sizeof *b->line);
    if (b->ring) rv_free(a, b->ring, b->ring_count, sizeof *b->ring);
    if (b->band) rv_free(a, b->band, n, sizeof *b->band);
    if (b->edge) rv_free(a, b->edge, n + 1, sizeof *b->edge);
    if (b->zeros) rv_free(a, b->zeros, b->zero_count, sizeof(float));
    if (b->was_live) rv_free(a, b->was_live, mark_count(b), 1);
    if (b->batch) rv_free(a, b->batch, 2 * n, sizeof *b->batch);
    rv_free(a, b, 1, sizeof *b);
}

static rv_bands *make(rv_engine *s, size_t odd)
{
    rv_bands *b = rv_new(&s->allocator, 1, sizeof *b);
    if (!b) return NULL;
    b->capacity = rv_pool_threads(s->pool), b->odd_room = odd;
    if (s->columns->grid.cut) b->capacity += 2; // what is sent first
    for (int p = 0; p < s->columns->planes; p++)
        if ((size_t)s->columns->plane[p].pitch > b->pitch)
            b->pitch = (size_t)s->columns->plane[p].pitch;
    if (take(s, b)) return b;
    release(s, b);
    return NULL;
}

bool rv_bands_reserve(rv_engine *s, uint64_t odd)
{
    if (s->bands && odd <= s->bands->odd_room) return true;
    rv_bands *fresh = make(s, (size_t)(odd + odd / 4));
    if (!fresh) return false;
    release(s, s->bands);
    s->bands = fresh;
    s->odd_last_flux = fresh->memory, s->odd_last_speed = fresh->memory + fresh->odd_room;
    return true;
}

rv_result rv_bands_make(rv_engine *s)
{
    return rv_bands_reserve(s, s->odd_count) ? RV_OK : RV_OUT_OF_MEMORY;
}

void rv_bands_free(rv_engine *s)
{
    release(s, s->bands);
    s->bands = NULL;
}

void rv_bands_forget(rv_engine *s)
{
    if (s->bands) s->bands->valid = false;
}

size_t rv_bands_bytes(const rv_engine *s)
{
    const rv_bands *b = s->bands;
    size_t n = (size_t)b->capacity;
    return sizeof *b + (b->memory_count + b->zero_count) * sizeof(float) +
           b->line_count * sizeof *b->line + b->ring_count * sizeof *b->ring + n * sizeof *b->band +
           (n + 1) * sizeof *b->edge + mark_count(b) + 2 * n * sizeof *b->batch;
}

// ---- Lines --------------------------------------------------------------------------------------

// The next row of a band's memory.
static float *next_row(const rv_bands *b, float **memory)
{
    float *row = *memory + LEAD;
    *memory += row_floats(b);
    return row;
}

static rv_line line_of(const rv_band *t, int plane, int y, float **memory)
{
    rv_engine *s = t->s;
    const rv_plane *p = &s->columns->plane[plane];
    int arrays[RV_ARRAYS], n = arrays_of(s, arrays), at = y - p->y0;
    rv_line line = {.exists = at >= 0 && at < p->ny, .own = y >= t->first && y < t->end};
    int near = at < -1 ? -1 : at > p->ny ? p->ny : at; // rows next to the plane have slots too
    line.first = (size_t)((ptrdiff_t)p->offset + near * (ptrdiff_t)p->pitch);
    if (line.exists) line.row = s->plane_row[plane] + (uint32_t)at;
    for (int k = 0; k < n; k++) {
        if (!line.exists)
            line.array[arrays[k]] = s->bands->zeros + LEAD;
        else if (line.own)
            line.array[arrays[k]] = array_of(s, arrays[k]) + line.first;
        else
            line.array[arrays[k]] = next_row(s->bands, memory);
    }
    return line;
}

static void set_ring(const rv_bands *b, rv_band_ring *ring, float **memory)
{
    for (int way = 0; way < 2; way++) {
        for (int k = 0; k < 4; k++) ring->speed[way][k] = next_row(b, memory);
        for (int k = 0; k < 4; k++) ring->flux[way][k] = next_row(b, memory);
        for (int k = 0; k < 4; k++) ring->between[way][k / 2][k % 2] = next_row(b, memory);
        ring->ahead[way] = next_row(b, memory);
        for (int k = 0; k < 5; k++) ring->around[way][k] = next_row(b, memory);
    }
}

static void set_band(rv_engine *s, int index, rv_line **line)
{
    rv_bands *b = s->bands;
    rv_band *t = &b->band[index];
    int planes = s->columns->planes;
    float *memory = b->memory + 2 * b->odd_room; // first, what odd pipes were before the substep
    memory += (size_t)index * (band_rows(s) * row_floats(b) + 2 * b->odd_room);
    *t = (rv_band){.s = s,
                   .planes = planes,
                   .first = b->edge[index],
                   .end = b->edge[index + 1],
                   .line = *line};
    int arrays[RV_ARRAYS], n = arrays_of(s, arrays);
    for (int k = 0; k < n; k++) t->array[arrays[k]] = array_of(s, arrays[k]);
    t->odd_flux = s->odd_flux, t->odd_speed = s->odd_speed;
    if (b->ghosts) t->odd_flux = memory, t->odd_speed = memory + b->odd_room;
    memory += 2 * b->odd_room;
    t->live = b->was_live + (size_t)(index + 1) * 2 * b->odd_room;
    t->batch = b->batch + 2 * (size_t)index;
    t->ring = b->ring + (size_t)index * (size_t)planes;
    for (int p = 0; s->flow && p < planes; p++) set_ring(b, &t->ring[p], &memory);
    for (int k = 0; k < 4; k++) t->scratch[k] = next_row(b, &memory);
    for (int y = t->first - RV_GHOSTS; y < t->end + RV_GHOSTS; y++)
        for (int p = 0; p < planes; p++) *(*line)++ = line_of(t, p, y, &memory);
}

// What there is to do in a row of the grid.
static int64_t work_in(const rv_engine *s, int y)
{
    int64_t work = 0;
    for (int p = 0; p < s->columns->planes; p++) {
        int at = y - s->columns->plane[p].y0;
        if (at >= 0 && at < s->columns->plane[p].ny)
            work += 1 + 2 * __builtin_popcountll(s->busy[s->plane_row[p] + (uint32_t)at]);
    }
    return work;
}

// Where bands of some rows would begin so that each has as much to do.
static void find_edges(const rv_engine *s, rv_rows rows, int count, int *edge)
{
    int64_t all = 0, sum = 0;
    int n = 1;
    for (int y = rows.from; y < rows.to; y++) all += work_in(s, y);
    edge[0] = rows.from;
    for (int y = rows.from; y < rows.to && n < count; y++) {
        sum += work_in(s, y);
        int least = edge[n - 1] + ROWS_MIN, most = rows.to - (count - n) * ROWS_MIN;
        if ((sum * count >= all * n && y + 1 >= least) || y + 1 >= most) edge[n++] = y + 1;
    }
    edge[count] = rows.to;
}

void rv_bands_share(rv_engine *s, int threads, bool own)
{
    rv_bands *b = s->bands;
    rv_rows all = {0, s->columns->grid.ny}, rows = all;
    int low = 0, high = 0, most = rv_pool_threads(s->pool);
    if (own) {
        rv_rows inner = rows = rv_grid_own(&s->columns->grid);
        if (rv_far_inner(s, &inner))
            low = inner.from > rows.from, high = inner.to < rows.to, rows = inner;
    }
    int inside = threads < most ? threads : most;
    if (inside > (rows.to - rows.from) / ROWS_MIN) inside = (rows.to - rows.from) / ROWS_MIN;
    if (inside < 1) inside = 1;
    int count = low + inside + high;
    bool often = s->clock.substeps % 16 != 0; // what is awake changes slowly
    if (b->valid && b->own == own && b->count == count && (inside == 1 || often)) return;
    b->count = count, b->own = own, b->low = low, b->high = high;
    find_edges(s, rows, inside, b->edge + low);
    if (own) b->edge[0] = rv_grid_own(&s->columns->grid).from;
    if (own) b->edge[count] = rv_grid_own(&s->columns->grid).to;
    b->ghosts = count > 1 || b->edge[0] > all.from || b->edge[count] < all.to;
    rv_line *line = b->line;
    for (int i = 0; i < count; i++) set_band(s, i, &line);
    b->valid = true;
}

void rv_band_refresh(const rv_band *t, unsigned sets)
{
    const rv_engine *s = t->s;
    int arrays[RV_ARRAYS], n = arrays_of(s, arrays);
    if (!s->bands->ghosts) return;
    for (int k = 0; k < 2 * RV_GHOSTS; k++) {
        int y = k < RV_GHOSTS ? t->first - RV_GHOSTS + k : t->end + k - RV_GHOSTS;
        for (int p = 0; p < s->columns->planes; p++) {
            const rv_line *line = rv_band_line(t, p, y);
            size_t bytes = ((size_t)s->columns->plane[p].pitch) * sizeof(float);
            for (int i = 0; line->exists && i < n; i++)
                if (sets & RV_SET(arrays[i]))
                    memcpy(line->array[arrays[i]] - LEAD,
                           array_of(s, arrays[i]) + line->first - LEAD, bytes);
        }
    }
}

// Height maps: a surface z = h(x, y), bilinear between the middles of pixels, solid below.
//
// The distance is told as
//     d(x, y, z) = c(x, y) (z - h(x, y)),
// linear along every vertical line with its zero at h, so that columns, cast by interpolating
// between two samples of such a line, meet h exactly. How large may c be? A point of the surface at
// the horizontal distance r and the height h ± s r is nearest, for its size, to the point of the
// line where the two are seen at right angles: there its distance is |z - h| / √(1 + s²). So with
// S(x, y) the steepest straight way from here to any point of the surface,
//     c = 1 / √(1 + S²)
// is the largest factor for which |d| is never more than the true distance, however far up or down.
// One bound of the slope for the whole map would do too, but then one cliff would shrink distances
// everywhere, and with them blends, noise and strides.
//
// S is bounded block by block (4×4 squares between pixels) with the help of a pyramid: blocks
// around are no steeper from here than the steepest slope between, nor than their difference in
// height over the gap. Shares c stand at the corners of blocks, the smallest of the blocks around,
// and are bilinear between: continuous, and never more than the block's own. Beyond the outermost
// pixels a point has the height and the share of the nearest point of the map: ways only get
// longer, so no steeper.
#include "base/memory.h"
#include "terrain/form.h"

#include <math.h>
#include <string.h>

#define PIXELS_MAX 16384
#define HEIGHT_MAX 1e6 // m, as of the keys low and high
#define SIZE_MIN 1e-6  // m, of the whole map
#define SIZE_MAX_M 1e6
#define BLOCK 4       // squares between pixels along a block's edge, level 0
#define LEVELS_MAX 13 // blocks of 4 … 16384 squares
#define SPAN 6        // blocks looked at along each axis for the bounds over a ball
#define BAND 64       // rows of blocks between two reports of progress
// Factors that make up for rounding to single precision.
#define FLOAT_UP (1 + 2e-7)
#define FLOAT_DOWN (1 - 2e-7)

// Bounds over a block.
typedef struct block {
    float low, high;   // m, height
    float slope;       // most, 1
    float least, most; // share
} block;

typedef struct level {
    int nx, ny;
    block *blocks;
} level;

typedef struct height_form {
    rv_form form;
    int nx, ny;               // pixels
    int squares_x, squares_y; // between their middles; at least 1
    double width, length;     // m, of a pixel
    float *heights;           // [ny][nx], m
    int levels;
    level level[LEVELS_MAX];
    float *share; // [level[0].ny + 1][level[0].nx + 1], at the corners of blocks
} height_form;

// ---- The surface --------------------------------------------------------------------------------

static double clamped(double value, double low, double high)
{
    return value > low ? (value < high ? value : high) : low;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static double mixed(double a, double b, double t)
{
    return a + t * (b - a);
}

static double height_of(const height_form *f, int i, int j)
{
    return (double)f->heights[(size_t)j * (size_t)f->nx + (size_t)i];
}

// A place on the map, counted in squares from the first pixel's middle.
typedef struct place {
    double u, v;
} place;

static place place_of(const height_form *f, double x, double y)
{
    return (place){clamped(x / f->width + 0.5 * (f->nx - 1), 0, f->nx - 1),
                   clamped(y / f->length + 0.5 * (f->ny - 1), 0, f->ny - 1)};
}

static double height_at(const height_form *f, place p)
{
    int i = smaller((int)p.u, f->squares_x - 1), j = smaller((int)p.v, f->squares_y - 1);
    int i1 = smaller(i + 1, f->nx - 1), j1 = smaller(j + 1, f->ny - 1);
    double s = p.u - i, t = p.v - j;
    return mixed(mixed(height_of(f, i, j), height_of(f, i1, j), s),
                 mixed(height_of(f, i, j1), height_of(f, i1, j1), s), t);
}

static double share_at(const height_form *f, place p)
{
    const level *l = &f->level[0];
    double u = p.u / BLOCK, v = p.v / BLOCK;
    int i = smaller((int)u, l->nx - 1), j = smaller((int)v, l->ny - 1);
    const float *low = f->share + (size_t)j * (size_t)(l->nx + 1) + i, *high = low + l->nx + 1;
    double s = u - i;
    return mixed(mixed((double)low[0], (double)low[1], s),
                 mixed((double)high[0], (double)high[1], s), v - j);
}

static double distance(const rv_form *form, rv_vec3 p)
{
    const height_form *f = (const height_form *)form;
    place at = place_of(f, p.x, p.y);
    return share_at(f, at) * (p.z - height_at(f, at));
}

static void sample(const rv_form *form, rv_ball ball, const rv_vec3 *points, int n, double *out)
{
    (void)ball;
    for (int i = 0; i < n; i++) out[i] = distance(form, points[i]);
}

// ---- Bounds over a ball -------------------------------------------------------------------------

static block join(block a, block b)
{
    return (block){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high,
                   a.slope > b.slope ? a.slope : b.slope, a.least < b.least ? a.least : b.least,
                   a.most > b.most ? a.most : b.most};
}

static const block *block_at(const level *l, int i, int j)
{
    return &l->blocks[(size_t)j * (size_t)l->nx + (size_t)i];
}

// Bounds over blocks i0 … i1, j0 … j1 of level 0, or a little more.
static block over(const height_form *f, int i0, int i1, int j0, int j1)
{
    int up = 0;
    while (i1 - i0 >= SPAN || j1 - j0 >= SPAN) i0 >>= 1, i1 >>= 1, j0 >>= 1, j1 >>= 1, up++;
    const level *l = &f->level[up];
    block all = *block_at(l, i0, j0);
    for (int j = j0; j <= j1; j++)
        for (int i = i0; i <= i1; i++) all = join(all, *block_at(l, i, j));
    return all;
}

static block under_ball(const height_form *f, rv_ball ball)
{
    const level *l = &f->level[0];
    place a = place_of(f, ball.at.x - ball.radius, ball.at.y - ball.radius);
    place b = place_of(f, ball.at.x + ball.radius, ball.at.y + ball.radius);
    return over(f, smaller((int)(a.u / BLOCK), l->nx - 1), smaller((int)(b.u / BLOCK), l->nx - 1),
                smaller((int)(a.v / BLOCK), l->ny - 1), smaller((int)(b.v / BLOCK), l->ny - 1));
}

// The height over the surface is bounded twice: by the least and most height under the ball, good
// over broken ground, and by the slope, good over smooth flanks.
static rv_range range(const rv_form *form, rv_ball ball)
{
    const height_form *f = (const height_form *)form;
    block b = under_ball(f, ball);
    double z = ball.at.z, r = ball.radius, slope = (double)b.slope;
    double over_middle = z - height_at(f, place_of(f, ball.at.x, ball.at.y));
    double reach = r * sqrt(1 + slope * slope);
    double low = fmax(z - r - (double)b.high, over_middle - reach);
    double high = fmin(z + r - (double)b.low, over_middle + reach);
    double size = fabs(ball.at.x) + fabs(ball.at.y) + fabs(z) + f->width * f->nx +
                  f->length * f->ny + fabs((double)b.low) + fabs((double)b.high);
    // a place a little off is a height much off on a cliff
    double rounding = (1e-9 * r + 1e-13 * size) * (1 + slope);
    low -= rounding, high += rounding;
    double least = (double)b.least * (1 - 1e-9), most = (double)b.most * (1 + 1e-9);
    return (rv_range){low * (low > 0 ? least : most), high * (high > 0 ? most : least)};
}

// ---- The pyramid --------------------------------------------------------------------------------

static double larger_size(double a, double b)
{
    return fmax(fabs(a), fabs(b));
}

// Bounds of one square between pixels. Its slope along x depends on y only and the other way round,
// so the two are largest together in some corner.
static block square(const height_form *f, int i, int j)
{
    int i1 = smaller(i + 1, f->nx - 1), j1 = smaller(j + 1, f->ny - 1);
    double a = height_of(f, i, j), b = height_of(f, i1, j);
    double c = height_of(f, i, j1), d = height_of(f, i1, j1);
    double x = larger_size(b - a, d - c) / f->width, y = larger_size(c - a, d - b) / f->length;
    return (block){.low = (float)fmin(fmin(a, b), fmin(c, d)),
                   .high = (float)fmax(fmax(a, b), fmax(c, d)),
                   .slope = (float)(sqrt(x * x + y * y) * FLOAT_UP)};
}

// Bounds of heights and slope over one row of the smallest blocks.
static void bound_row(void *context, int j)
{
    height_form *f = context;
    level *l = &f->level[0];
    for (int i = 0; i < l->nx; i++) {
        block all = square(f, i * BLOCK, j * BLOCK);
        for (int y = j * BLOCK; y < smaller((j + 1) * BLOCK, f->squares_y); y++)
            for (int x = i * BLOCK; x < smaller((i + 1) * BLOCK, f->squares_x); x++)
                all = join(all, square(f, x, y));
        l->blocks[(size_t)j * (size_t)l->nx + (size_t)i] = all;
    }
}

static void raise_pyramid(height_form *f)
{
    for (int k = 1; k < f->levels; k++) {
        const level *from = &f->level[k - 1];
        level *to = &f->level[k];
        for (int j = 0; j < to->ny; j++) {
            for (int i = 0; i < to->nx; i++) {
                int i1 = smaller(2 * i + 1, from->nx - 1), j1 = smaller(2 * j + 1, from->ny - 1);
                block low = join(*block_at(from, 2 * i, 2 * j), *block_at(from, i1, 2 * j));
                block high = join(*block_at(from, 2 * i, j1), *block_at(from, i1, j1));
                to->blocks[(size_t)j * (size_t)to->nx + (size_t)i] = join(low, high);
            }
        }
    }
}

// ---- Shares -------------------------------------------------------------------------------------

// The steepest slope in a block and the eight around it: no straight way within them is steeper.
static double slope_around(const level *l, int i, int j)
{
    float most = 0;
    for (int y = larger(j - 1, 0); y <= smaller(j + 1, l->ny - 1); y++)
        for (int x = larger(i - 1, 0); x <= smaller(i + 1, l->nx - 1); x++) {
            float slope = block_at(l, x, y)->slope;
            if (slope > most) most = slope;
        }
    return (double)most;
}

// Squares between [a, a + wide_a) and [b, b + wide_b).
static int gap(int a, int wide_a, int b, int wide_b)
{
    return larger(larger(b - a - wide_a, a - b - wide_b), 0);
}

// Bound of the steepest way from block (i, j) of level 0 to the shell: what is around its block of
// level k + 1, but not around the one of level k. `enough`: no more is of interest.
static double slope_to_shell(const height_form *f, int i, int j, int k, double enough)
{
    const level *l = &f->level[k];
    const block *from = block_at(&f->level[0], i, j);
    int own_x = i >> k, own_y = j >> k, first_x = 2 * ((own_x >> 1) - 1);
    int first_y = 2 * ((own_y >> 1) - 1), wide = BLOCK << k;
    double most = 0, plenty = enough * enough; // squares of slopes
    for (int y = larger(first_y, 0); y <= smaller(first_y + 5, l->ny - 1) && most < plenty; y++) {
        double across = gap(j * BLOCK, BLOCK, y * wide, wide) * f->length;
        for (int x = larger(first_x, 0); x <= smaller(first_x + 5, l->nx - 1); x++) {
            if (x >= own_x - 1 && x <= own_x + 1 && y >= own_y - 1 && y <= own_y + 1) continue;
            const block *to = block_at(l, x, y);
            double along = gap(i * BLOCK, BLOCK, x * wide, wide) * f->width;
            double rise =
                fmax((double)to->high - (double)from->low, (double)from->high - (double)to->low);
            most = fmax(most, rise * rise / (along * along + across * across));
        }
    }
    return most < plenty ? sqrt(most) : enough;
}

// Bound of the steepest way from block (i, j) to anywhere.
static double steepest_from(const height_form *f, int i, int j)
{
    const block *from = block_at(&f->level[0], i, j);
    const block *all = f->level[f->levels - 1].blocks;
    double rise =
        fmax((double)all->high - (double)from->low, (double)from->high - (double)all->low);
    double steepest = slope_around(&f->level[0], i, j);
    for (int k = 0; k + 1 < f->levels; k++) {
        // what is left is at least one block of this level away
        if (rise <= steepest * (BLOCK << k) * fmin(f->width, f->length)) break;
        double between = slope_around(&f->level[k + 1], i >> (k + 1), j >> (k + 1));
        if (between > steepest) steepest = fmax(steepest, slope_to_shell(f, i, j, k, between));
    }
    return steepest;
}

typedef struct band {
    height_form *form;
    int first; // row
} band;

// Each block's own share, as its `least`, until the corners are known.
static void share_row(void *context, int row)
{
    const band *b = context;
    height_form *f = b->form;
    level *l = &f->level[0];
    int j = b->first + row;
    for (int i = 0; i < l->nx; i++) {
        double steepest = steepest_from(f, i, j);
        l->blocks[(size_t)j * (size_t)l->nx + (size_t)i].least =
            (float)(FLOAT_DOWN / sqrt(1 + steepest * steepest));
    }
}

static void share_corners(height_form *f)
{
    level *l = &f->level[0];
    for (int j = 0; j <= l->ny; j++) {
        for (int i = 0; i <= l->nx; i++) {
            float least = 1;
            for (int y = larger(j - 1, 0); y <= smaller(j, l->ny - 1); y++)
                for (int x = larger(i - 1, 0); x <= smaller(i, l->nx - 1); x++)
                    if (block_at(l, x, y)->least < least) least = block_at(l, x, y)->least;
            f->share[(size_t)j * (size_t)(l->nx + 1) + (size_t)i] = least;
        }
    }
    for (int j = 0; j < l->ny; j++) {
        const float *low = f->share + (size_t)j * (size_t)(l->nx + 1), *high = low + l->nx + 1;
        for (int i = 0; i < l->nx; i++) {
            block *b = &l->blocks[(size_t)j * (size_t)l->nx + (size_t)i];
            b->least = fminf(fminf(low[i], low[i + 1]), fminf(high[i], high[i + 1]));
            b->most = fmaxf(fmaxf(low[i], low[i + 1]), fmaxf(high[i], high[i + 1]));
        }
    }
}

static void prepare(height_form *f, const rv_form_work *work)
{
    int rows = f->level[0].ny;
    rv_parallel_for(work->pool, rows, bound_row, f);
    raise_pyramid(f);
    for (int first = 0; first < rows; first += BAND) {
        band b = {f, first};
        int count = smaller(rows - first, BAND);
        rv_parallel_for(work->pool, count, share_row, &b);
        if (work->progress) work->progress((double)(first + count) / rows, work->progress_user);
    }
    share_corners(f);
    raise_pyramid(f);
}

// ---- Checks -------------------------------------------------------------------------------------

static bool complain(rv_messages *messages, const char *key, const char *why)
{
    rv_messages_add(messages, "%s: %s", key, why);
    return false;
}

// Keys that a height map has no use for stay as they are by default, rather than being passed over.
static bool check_def(const rv_form_def *def, rv_messages *messages)
{
    rv_form_def plain = rv_default_form_def();
    const struct {
        bool good;
        const char *key, *why;
    } rows[] = {
        {def->unit == RV_UNIT_AUTO || def->unit == RV_UNIT_M, "unit",
         "a height map's size and heights are in metres already; only auto and m"},
        {def->up == RV_UP_AUTO || def->up == RV_UP_Z, "up",
         "a height map's heights go up; only auto and z"},
        {def->fit.x == 0 && def->fit.y == 0 && def->fit.z == 0, "fit",
         "a height map is as large as `size`, `low` and `high` say"},
        {def->origin == RV_ORIGIN_FILE, "origin",
         "a height map has its middle at `at`, and no underside; only file"},
        {def->thickness == plain.thickness, "thickness", "of a mesh, not of a height map"},
        {def->fill_holes == plain.fill_holes, "fill_holes", "of a mesh, not of a height map"},
        {def->threshold == plain.threshold, "threshold", "of a volume, not of a height map"},
        {def->label == plain.label, "label", "of a volume, not of a height map"},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!rows[i].good) good = complain(messages, rows[i].key, rows[i].why);
    return good;
}

static bool check_map(const rv_height_map *map, rv_messages *messages)
{
    bool good = true;
    if (map->nx < 1 || map->ny < 1 || map->nx > PIXELS_MAX || map->ny > PIXELS_MAX) {
        rv_messages_add(messages, "heights: %d × %d pixels; must be 1 to %d each way", map->nx,
                        map->ny, PIXELS_MAX);
        good = false;
    }
    if (!(map->size_x >= SIZE_MIN && map->size_x <= SIZE_MAX_M && map->size_y >= SIZE_MIN &&
          map->size_y <= SIZE_MAX_M)) {
        rv_messages_add(messages, "size: %g × %g m; must be %g to %g m each way", map->size_x,
                        map->size_y, SIZE_MIN, SIZE_MAX_M);
        good = false;
    }
    if (!map->heights) good = complain(messages, "heights", "there are none");
    return good;
}

static bool check_heights(const rv_height_map *map, rv_form_report *report, rv_messages *messages)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0, n = (size_t)map->nx * (size_t)map->ny; i < n; i++) {
        double h = (double)map->heights[i];
        if (!(fabs(h) <= HEIGHT_MAX)) {
            rv_messages_add(messages, "heights: pixel (%d, %d) is %g m; must be within ±%g m",
                            (int)(i % (size_t)map->nx), (int)(i / (size_t)map->nx), h, HEIGHT_MAX);
            return false;
        }
        least = fmin(least, h), most = fmax(most, h);
    }
    report->low = (rv_vec3){-0.5 * map->size_x, -0.5 * map->size_y, least};
    report->high = (rv_vec3){0.5 * map->size_x, 0.5 * map->size_y, most};
    report->least = least, report->most = most, report->scale = 1;
    return true;
}

// ---- Making and freeing -------------------------------------------------------------------------

static size_t corners(const height_form *f)
{
    return (size_t)(f->level[0].nx + 1) * (size_t)(f->level[0].ny + 1);
}

static void release(rv_form *form)
{
    height_form *f = (height_form *)form;
    rv_allocator a = form->allocator;
    rv_free(&a, f->heights, (size_t)f->nx * (size_t)f->ny, sizeof *f->heights);
    rv_free(&a, f->share, corners(f), sizeof *f->share);
    for (int k = 0; k < f->levels; k++)
        rv_free(&a, f->level[k].blocks, (size_t)f->level[k].nx * (size_t)f->level[k].ny,
                sizeof *f->level[k].blocks);
    rv_free(&a, f, 1, sizeof *f);
}

static const rv_form_kind height_kind = {distance, sample, range, release};

static bool take_memory(height_form *f)
{
    const rv_allocator *a = &f->form.allocator;
    int nx = (f->squares_x + BLOCK - 1) / BLOCK, ny = (f->squares_y + BLOCK - 1) / BLOCK;
    bool good = true;
    for (f->levels = 0; f->levels == 0 || nx * ny > 1; f->levels++) {
        if (f->levels > 0) nx = (nx + 1) / 2, ny = (ny + 1) / 2;
        level *l = &f->level[f->levels];
        l->nx = nx, l->ny = ny;
        l->blocks = rv_new(a, (size_t)nx * (size_t)ny, sizeof *l->blocks);
        good = good && l->blocks;
    }
    f->heights = rv_new(a, (size_t)f->nx * (size_t)f->ny, sizeof *f->heights);
    f->share = rv_new(a, corners(f), sizeof *f->share);
    return good && f->heights && f->share;
}

rv_result rv_form_from_heights(const rv_height_map *map, const rv_form_def *def,
                               const rv_form_work *work, rv_form **out, rv_form_report *report,
                               rv_messages *messages)
{
    rv_form_report unwanted;
    if (!report) report = &unwanted;
    memset(report, 0, sizeof *report);
    if (out) *out = NULL;
    if (!map || !def || !work || !out) {
        complain(messages, !map ? "map" : !def ? "def" : !work ? "work" : "out", "missing");
        return RV_BAD_ARGUMENT;
    }
    bool good = check_def(def, messages);
    if (!check_map(map, messages) || !check_heights(map, report, messages) || !good)
        return RV_BAD_ARGUMENT;

    height_form *f = rv_new(&work->allocator, 1, sizeof *f);
    if (!f) return RV_OUT_OF_MEMORY;
    f->form = (rv_form){.kind = &height_kind, .allocator = work->allocator};
    f->form.box = (rv_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    f->form.box = (rv_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, report->most}};
    f->nx = map->nx, f->ny = map->ny;
    f->squares_x = larger(f->nx - 1, 1), f->squares_y = larger(f->ny - 1, 1);
    f->width = map->size_x / map->nx, f->length = map->size_y / map->ny;
    if (!take_memory(f)) {
        release(&f->form);
        return RV_OUT_OF_MEMORY;
    }
    memcpy(f->heights, map->heights, (size_t)f->nx * (size_t)f->ny * sizeof *f->heights);
    prepare(f, work);
    *out = &f->form;
    return RV_OK;
}

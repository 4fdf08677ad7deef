// `rivulet inspect`: a map of the columns of each cell, as digits and as a
// picture. The picture is a relief of the highest beds, lit from the upper
// left, and its colours tell how many columns a cell has: where there is more
// than one, liquid can stand under something.
#include "app/inspect.h"
#include "render/letters.h"
#include "io/image.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAP_WIDTH 80 // characters

static void range_of_tops(const rv_inspection *f, double *low, double *high)
{
    *low = INFINITY, *high = -INFINITY;
    for (size_t i = 0; i < (size_t)f->columns.nx * (size_t)f->columns.ny; i++) {
        *low = fmin(*low, (double)f->tops[i]);
        *high = fmax(*high, (double)f->tops[i]);
    }
}

// ---- Letters ------------------------------------------------------------------------------------

// Most columns and the highest bed among the cells of one letter, whose first is (x0, y0).
typedef struct patch {
    int columns;
    double top; // m
} patch;

static patch look_at(const rv_inspection *f, int x0, int y0, int wide, int high)
{
    patch p = {0, -INFINITY};
    for (int y = y0; y < y0 + high && y < f->columns.ny; y++)
        for (int x = x0; x < x0 + wide && x < f->columns.nx; x++) {
            size_t cell = (size_t)y * (size_t)f->columns.nx + (size_t)x;
            if (f->counts[cell] > p.columns) p.columns = f->counts[cell];
            p.top = fmax(p.top, (double)f->tops[cell]);
        }
    return p;
}

static char digit(int columns)
{
    if (columns < 2) return columns == 1 ? '.' : ' ';
    return columns > 9 ? '+' : (char)('0' + columns);
}

void rv_inspect_print_map(const rv_inspection *f)
{
    static const char shades[] = " .:-=+*#%@";
    int nx = f->columns.nx, ny = f->columns.ny;
    int wide = (nx + MAP_WIDTH - 1) / MAP_WIDTH, high = 2 * wide; // letters are taller than wide
    bool one = f->info.layers <= 1; // everywhere: then heights tell more
    double low, top;
    range_of_tops(f, &low, &top);
    printf("\n%s; %d x %d cells a letter, x to the right, y up\n",
           one ? "one column in each cell, shaded by height"
               : "most columns of a cell: . one, + ten or more",
           wide, high);
    for (int y = (ny - 1) / high * high; y >= 0; y -= high) {
        char line[MAP_WIDTH + 1];
        int used = 0;
        for (int x = 0; x < nx && used < MAP_WIDTH; x += wide) {
            patch p = look_at(f, x, y, wide, high);
            double rise = top > low ? (p.top - low) / (top - low) : 0;
            line[used++] = one ? shades[(int)(9.999 * rise)] : digit(p.columns);
        }
        line[used] = '\0';
        printf("%s\n", line);
    }
}

// ---- The picture --------------------------------------------------------------------------------

#define MAP_PIXELS 800 // of its longer side, or one a cell where there are more cells
#define EDGE 28
#define HEAD 76
#define FOOT 56
#define LEGEND 340
#define LEGEND_ROW 34
#define SWATCHES 9 // colours; more columns than that share the last one

static const rv_colour paper = {250, 249, 246}, ink = {38, 42, 48}, faint = {120, 126, 134};
// From one column on: neutral ground, then hues far apart, from cool to hot.
static const rv_colour swatches[SWATCHES] = {{206, 200, 188}, {74, 144, 196}, {62, 172, 140},
                                             {232, 184, 66},  {226, 122, 58}, {202, 66, 72},
                                             {160, 76, 158},  {98, 72, 150},  {48, 44, 76}};

static rv_colour swatch(int columns)
{
    return columns < 1 ? paper : swatches[(columns < SWATCHES ? columns : SWATCHES) - 1];
}

// Slope of the highest beds along x or y, from the two cells around, at the border from one.
static double slope(const rv_inspection *f, int x, int y, int ax, int ay)
{
    int nx = f->columns.nx, ny = f->columns.ny;
    int x0 = x - ax < 0 ? x : x - ax, x1 = x + ax < nx ? x + ax : x;
    int y0 = y - ay < 0 ? y : y - ay, y1 = y + ay < ny ? y + ay : y;
    int apart = x1 - x0 + y1 - y0;
    float low = f->tops[(size_t)y0 * (size_t)nx + (size_t)x0];
    float high = f->tops[(size_t)y1 * (size_t)nx + (size_t)x1];
    return apart > 0 ? (double)(high - low) / (apart * f->columns.dx) : 0;
}

// Light from the upper left, 45 degrees up: 1 for level ground, never so dark that a colour of the
// legend is not known again.
static double light(const rv_inspection *f, int x, int y)
{
    double sx = slope(f, x, y, 1, 0), sy = slope(f, x, y, 0, 1);
    double share = (1 + (sx - sy) * 0.7071) / sqrt(1 + sx * sx + sy * sy);
    return fmin(0.68 + 0.32 * fmax(share, 0), 1.1);
}

static uint8_t scaled(uint8_t value, double by)
{
    double v = by * value;
    return (uint8_t)(v > 255 ? 255 : v + 0.5);
}

static void draw_map(const rv_inspection *f, rv_canvas *canvas, int x0, int y0, int pixel)
{
    double low, high;
    int nx = f->columns.nx, ny = f->columns.ny;
    range_of_tops(f, &low, &high);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            size_t cell = (size_t)y * (size_t)nx + (size_t)x;
            double rise = high > low ? ((double)f->tops[cell] - low) / (high - low) : 1;
            double by = light(f, x, y) * (0.9 + 0.1 * rise);
            rv_colour c = swatch(f->counts[cell]);
            rv_colour lit = {scaled(c.r, by), scaled(c.g, by), scaled(c.b, by)};
            rv_canvas_fill(canvas, x0 + x * pixel, y0 + (ny - 1 - y) * pixel, pixel, pixel, lit);
        }
}

static int text_width(const char *text, int size)
{
    return (int)strlen(text) * RV_LETTER_ADVANCE * size;
}

static void draw_legend(const rv_inspection *f, rv_canvas *canvas, int x, int y)
{
    double cells = (double)f->columns.nx * (double)f->columns.ny;
    int64_t count[SWATCHES + 1] = {0};
    for (int n = 1; n < 17; n++) count[n < SWATCHES ? n : SWATCHES] += f->info.cells_with[n];
    rv_canvas_write(canvas, x, y, 2, ink, "columns in a cell");
    y += LEGEND_ROW;
    for (int n = 1; n <= SWATCHES; n++) {
        if (count[n] == 0) continue;
        char name[16], share[48];
        snprintf(name, sizeof name, "%d%s", n, n == SWATCHES ? "+" : "");
        snprintf(share, sizeof share, "%" PRId64 " cells", count[n]);
        rv_canvas_fill(canvas, x, y, 26, 26, swatch(n));
        rv_canvas_write(canvas, x + 38, y + 6, 2, ink, name);
        rv_canvas_write(canvas, x + 74, y + 6, 2, faint, share);
        double percent = 100 * (double)count[n] / cells;
        if (percent < 0.05)
            snprintf(share, sizeof share, "under 0.1%%");
        else
            snprintf(share, sizeof share, "%.1f%%", percent);
        rv_canvas_write(canvas, x + LEGEND - text_width(share, 2), y + 6, 2, faint, share);
        y += LEGEND_ROW;
    }
    char all[48];
    snprintf(all, sizeof all, "%" PRId64 " columns in all", f->info.columns);
    rv_canvas_write(canvas, x, y + 6, 2, faint, all);
}

// A bar of 1, 2 or 5 times a power of ten, about a quarter of the map long.
static void draw_scale(const rv_inspection *f, rv_canvas *canvas, int x, int y, int pixel)
{
    double quarter = 0.25 * f->columns.nx * f->columns.dx;
    double power = pow(10, floor(log10(quarter)));
    double length = quarter >= 5 * power ? 5 * power : quarter >= 2 * power ? 2 * power : power;
    int width = (int)lround(length / f->columns.dx * pixel);
    char text[32];
    rv_canvas_fill(canvas, x, y + 4, width, 4, ink);
    rv_canvas_fill(canvas, x, y, 2, 12, ink);
    rv_canvas_fill(canvas, x + width - 2, y, 2, 12, ink);
    rv_canvas_write(canvas, x + width + 12, y - 2, 2, ink,
                    rv_length_text(length, text, sizeof text));
}

// The end of a name that is too long for the picture.
static const char *tail(const char *name, int most)
{
    size_t length = strlen(name);
    return length > (size_t)most ? name + length - (size_t)most : name;
}

static void draw_head(const rv_inspection *f, rv_canvas *canvas)
{
    const char *slash = strrchr(f->path, '/');
    const char *name = slash ? slash + 1 : f->path;
    char text[160], dx[32], low[32], high[32];
    int room = canvas->width - 2 * EDGE;
    rv_canvas_write(canvas, EDGE, EDGE - 6, 3, ink, tail(name, room / (3 * RV_LETTER_ADVANCE)));
    rv_length_text(f->columns.dx, dx, sizeof dx);
    rv_length_text(f->columns.bottom, low, sizeof low);
    rv_length_text(f->columns.top, high, sizeof high);
    snprintf(text, sizeof text, "%d x %d cells of %s, from %s to %s", f->columns.nx, f->columns.ny,
             dx, low, high);
    rv_canvas_write(canvas, EDGE, EDGE + 26, 2, faint, text);
}

bool rv_inspect_write_image(const rv_inspection *f, const char *path, rv_messages *messages)
{
    int nx = f->columns.nx, ny = f->columns.ny, longer = nx > ny ? nx : ny;
    int pixel = MAP_PIXELS / longer > 1 ? MAP_PIXELS / longer : 1;
    int rows = 2, map_height = ny * pixel;
    for (int n = 1; n < 17; n++) rows += f->info.cells_with[n] > 0;
    int height = map_height > rows * LEGEND_ROW ? map_height : rows * LEGEND_ROW;
    rv_canvas canvas = {NULL, nx * pixel + 3 * EDGE + LEGEND, height + HEAD + FOOT};
    size_t pixels = (size_t)canvas.width * (size_t)canvas.height;
    canvas.rgb = malloc(3 * pixels);
    if (!canvas.rgb) {
        rv_messages_add(messages, "%s: not enough memory", path);
        return false;
    }
    rv_canvas_fill(&canvas, 0, 0, canvas.width, canvas.height, paper);
    draw_head(f, &canvas);
    rv_canvas_fill(&canvas, EDGE - 1, HEAD - 1, nx * pixel + 2, map_height + 2, faint);
    draw_map(f, &canvas, EDGE, HEAD, pixel);
    draw_legend(f, &canvas, 2 * EDGE + nx * pixel, HEAD);
    draw_scale(f, &canvas, EDGE, HEAD + map_height + 20, pixel);
    bool good = rv_image_write_png(path, canvas.rgb, canvas.width, canvas.height, messages);
    free(canvas.rgb);
    return good;
}

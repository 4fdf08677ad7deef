// Plots of a study as .svg: points over a parameter, a series for each value of another one. Drawn
// here, as machines that have many cores seldom have a plotting program.
#include "io/study_file.h"

#include "io/atomic_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 640
#define HEIGHT 440
#define LEFT 86.0
#define RIGHT 24.0
#define TOP 40.0
#define BOTTOM 60.0
#define KEY_WIDTH 150.0 // of the list of series
#define KEY_LINES 20    // of it that fit

// An axis: where values lie on it, and which are written beside it.
typedef struct axis {
    bool log;
    double low, high; // of the logarithm where it is one
    double from, to;  // pixels
} axis;

// Colours of Okabe and Ito, which the colour-blind can tell apart.
static const char *const hue[8] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000", "#7f7f7f"};

static double place(const axis *a, double value)
{
    double v = a->log ? log10(value) : value;
    return a->from + (v - a->low) / (a->high - a->low) * (a->to - a->from);
}

static bool shown(const axis *a, double value)
{
    return isfinite(value) && (!a->log || value > 0);
}

static axis make_axis(const rv_study_point *points, int count, bool log, bool y, double from,
                      double to)
{
    axis a = {.log = log, .low = INFINITY, .high = -INFINITY, .from = from, .to = to};
    for (int i = 0; i < count; i++) {
        double value = y ? points[i].y : points[i].x;
        if (!shown(&a, value)) continue;
        double v = log ? log10(value) : value;
        a.low = fmin(a.low, v), a.high = fmax(a.high, v);
    }
    if (!(a.low <= a.high)) a.low = 0, a.high = 1;
    double room = 0.05 * (a.high - a.low);
    if (!(room > 1e-12 * fmax(fabs(a.low), fabs(a.high))))
        room = a.log || a.low == 0 ? 0.5 : 0.05 * fabs(a.low);
    // an axis that comes near 0 begins there
    bool at_zero = !log && a.low >= 0 && a.low < 0.3 * a.high;
    a.low = at_zero ? 0 : a.low - room;
    a.high += room;
    return a;
}

// ---- Text ---------------------------------------------------------------------------------------

static void put_text(FILE *out, double x, double y, const char *how, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, how);
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            putc(*text, out);
    }
    fputs("</text>\n", out);
}

// ---- Axes ---------------------------------------------------------------------------------------

static void put_tick(FILE *out, const axis *x, const axis *y, bool upright, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", fabs(value) < 1e-300 ? 0 : value);
    if (upright) {
        double at = place(y, value);
        fprintf(out, "<path d=\"M%.1f %.1fH%.1f\" class=\"grid\"/>\n", x->from, at, x->to);
        put_text(out, x->from - 8, at + 4.5, "text-anchor=\"end\"", text);
    } else {
        double at = place(x, value);
        fprintf(out, "<path d=\"M%.1f %.1fV%.1f\" class=\"grid\"/>\n", at, y->from, y->to);
        put_text(out, at, y->from + 20, "text-anchor=\"middle\"", text);
    }
}

// 1, 2 or 5 times a power of ten, about six of them.
static double tick_step(double span)
{
    double step = pow(10, floor(log10(span / 6)));
    if (span / step > 30) return 5 * step;
    return span / step > 12 ? 2 * step : step;
}

static void put_ticks(FILE *out, const axis *x, const axis *y, bool upright)
{
    const axis *a = upright ? y : x;
    if (!a->log) {
        double step = tick_step(a->high - a->low);
        for (double n = ceil(a->low / step - 1e-9); n * step <= a->high + 1e-9 * step; n++)
            put_tick(out, x, y, upright, n * step);
        return;
    }
    static const double parts[] = {1, 2, 5};
    double span = a->high - a->low, skip = span > 8 ? ceil(span / 8) : 1;
    int most = span < 2.5 ? 3 : 1;
    for (double n = floor(a->low); n <= a->high; n += skip)
        for (int i = 0; i < most; i++) {
            double value = parts[i] * pow(10, n), v = log10(value);
            if (v >= a->low && v <= a->high) put_tick(out, x, y, upright, value);
        }
}

static void put_frame(FILE *out, const axis *x, const axis *y, const char *x_label,
                      const char *y_label)
{
    char turn[96];
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"Helvetica,Arial,sans-serif\" font-size=\"13\" "
            "fill=\"#202020\">\n"
            "<style>.grid{stroke:#e4e4e4;fill:none}.axis{stroke:#404040;fill:none}</style>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_ticks(out, x, y, false);
    put_ticks(out, x, y, true);
    fprintf(out, "<path d=\"M%.1f %.1fV%.1fH%.1f\" class=\"axis\"/>\n", x->from, y->to, y->from,
            x->to);
    put_text(out, 0.5 * (x->from + x->to), HEIGHT - 16, "text-anchor=\"middle\"", x_label);
    snprintf(turn, sizeof turn, "text-anchor=\"middle\" transform=\"rotate(-90 18 %.1f)\"",
             0.5 * (y->from + y->to));
    put_text(out, 18, 0.5 * (y->from + y->to), turn, y_label);
}

// ---- Points -------------------------------------------------------------------------------------

static int by_series_and_x(const void *a, const void *b)
{
    const rv_study_point *p = a, *q = b;
    if (p->series != q->series) return p->series < q->series ? -1 : 1;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

static void put_points(FILE *out, const axis *x, const axis *y, const rv_study_point *points,
                       int count, bool lines)
{
    for (int i = 0; lines && i < count; i++) {
        if (!shown(x, points[i].x) || !shown(y, points[i].y)) continue;
        bool first = i == 0 || points[i - 1].series != points[i].series ||
                     !shown(x, points[i - 1].x) || !shown(y, points[i - 1].y);
        if (first)
            fprintf(out, "<path fill=\"none\" stroke-width=\"1.6\" stroke=\"%s\" d=\"M",
                    hue[points[i].series & 7]);
        fprintf(out, "%.1f %.1f ", place(x, points[i].x), place(y, points[i].y));
        bool last = i + 1 == count || points[i + 1].series != points[i].series ||
                    !shown(x, points[i + 1].x) || !shown(y, points[i + 1].y);
        if (last) fputs("\"/>\n", out);
    }
    for (int i = 0; i < count; i++)
        if (shown(x, points[i].x) && shown(y, points[i].y))
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.4\" fill=\"%s\"/>\n",
                    place(x, points[i].x), place(y, points[i].y), hue[points[i].series & 7]);
}

static void put_key(FILE *out, const char *by, char (*labels)[RV_STUDY_TEXT], int series)
{
    double x = WIDTH - KEY_WIDTH, y = TOP + 10;
    put_text(out, x, y, "font-size=\"12\"", by);
    for (int i = 0; i < series && i < KEY_LINES; i++) {
        char text[40];
        bool more = i == KEY_LINES - 1 && series > KEY_LINES;
        snprintf(text, sizeof text, "%.30s", more ? "…" : labels[i]);
        y += 18;
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.4\" fill=\"%s\"/>\n", x + 6, y - 4.5,
                more ? "none" : hue[i & 7]);
        put_text(out, x + 16, y, "font-size=\"12\"", text);
    }
}

bool rv_study_draw_plot(const char *path, const rv_study_chart *what, rv_messages *messages)
{
    rv_atomic_file file;
    if (!rv_atomic_open(&file, path, messages)) return false;
    qsort(what->points, (size_t)what->count, sizeof *what->points, by_series_and_x);
    bool keyed = what->series > 1;
    axis x = make_axis(what->points, what->count, what->log_x, false, LEFT,
                       WIDTH - (keyed ? KEY_WIDTH + 16 : RIGHT));
    axis y = make_axis(what->points, what->count, what->log_y, true, HEIGHT - BOTTOM, TOP);
    put_frame(file.stream, &x, &y, what->x_label, what->y_label);
    put_text(file.stream, 0.5 * (x.from + x.to), 22, "text-anchor=\"middle\" font-size=\"15\"",
             what->title);
    put_points(file.stream, &x, &y, what->points, what->count, what->lines);
    if (keyed) put_key(file.stream, what->by, what->labels, what->series);
    fputs("</svg>\n", file.stream);
    return rv_atomic_commit(&file, messages);
}

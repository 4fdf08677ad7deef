// Collects what the cases want drawn. gnuplot.c draws it.
#include "plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

rv_plot *rv_plot_begin(rv_report *report, const char *word, const char *title, const char *x_label,
                       const char *y_label)
{
    rv_plot *plot = report->plotted ? calloc(1, sizeof *plot) : NULL;
    if (!plot) return NULL;
    snprintf(plot->name, sizeof plot->name, "%s-%s", report->name, word);
    snprintf(plot->title, sizeof plot->title, "%s", title);
    snprintf(plot->x_label, sizeof plot->x_label, "%s", x_label);
    snprintf(plot->y_label, sizeof plot->y_label, "%s", y_label);
    plot->owner = report->name, plot->key = "top right";
    plot->x_low = plot->x_high = plot->y_low = plot->y_high = NAN;
    if (report->last)
        report->last->next = plot;
    else
        report->first = plot;
    report->last = plot;
    return plot;
}

void rv_plot_log(rv_plot *plot)
{
    if (plot) plot->log = true;
}

void rv_plot_range_x(rv_plot *plot, double low, double high)
{
    if (plot) plot->x_low = low, plot->x_high = high;
}

void rv_plot_range_y(rv_plot *plot, double low, double high)
{
    if (plot) plot->y_low = low, plot->y_high = high;
}

void rv_plot_key(rv_plot *plot, const char *place)
{
    if (plot) plot->key = place;
}

rv_series *rv_plot_series(rv_plot *plot, rv_plot_mark mark, int hue, const char *label, ...)
{
    rv_series *series = plot ? calloc(1, sizeof *series) : NULL;
    if (!series) return NULL;
    va_list arguments;
    va_start(arguments, label);
    vsnprintf(series->label, sizeof series->label, label, arguments);
    va_end(arguments);
    series->mark = mark, series->hue = hue;
    rv_series **end = &plot->series;
    while (*end) end = &(*end)->next;
    *end = series;
    return series;
}

void rv_plot_unlisted(rv_series *series)
{
    if (series) series->unlisted = true;
}

void rv_plot_point(rv_series *series, double x, double y)
{
    if (!series || !isfinite(x) || !isfinite(y)) return;
    if (series->count == series->capacity) {
        int capacity = series->capacity > 0 ? 2 * series->capacity : 64;
        double(*moved)[2] = realloc(series->point, (size_t)capacity * sizeof *moved);
        if (!moved) return;
        series->point = moved, series->capacity = capacity;
    }
    series->point[series->count][0] = x, series->point[series->count++][1] = y;
}

// Slope and height at 0 of the straight line through the logarithms.
static bool fit(const double *dx, const double *error, int count, double *order, double *at_one)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; i++) {
        if (!(dx[i] > 0) || !(error[i] > 0)) continue;
        double x = log(dx[i]), y = log(error[i]);
        n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    double spread = n * sxx - sx * sx;
    if (n < 2 || !(spread > 0)) return false;
    *order = (n * sxy - sx * sy) / spread, *at_one = (sy - *order * sx) / n;
    return true;
}

double rv_fit_order(const double *dx, const double *error, int count)
{
    double order, at_one;
    return fit(dx, error, count, &order, &at_one) ? order : NAN;
}

void rv_plot_order(rv_plot *plot, int hue, const char *label, const double *dx, const double *error,
                   int count)
{
    double order, at_one, low = INFINITY, high = 0;
    rv_series *points = rv_plot_series(plot, RV_MARK_POINTS, hue, "%s", label);
    if (plot) plot->cells = true;
    for (int i = 0; i < count; i++) {
        rv_plot_point(points, dx[i] * 1e3, error[i]);
        low = fmin(low, dx[i]), high = fmax(high, dx[i]);
    }
    if (!fit(dx, error, count, &order, &at_one)) return;
    rv_series *line = rv_plot_series(plot, RV_MARK_DASHES, hue, "order %.2f", order);
    rv_plot_point(line, low * 1e3, exp(at_one + order * log(low)));
    rv_plot_point(line, high * 1e3, exp(at_one + order * log(high)));
}

void rv_plots_of(const rv_report *report, const char *name,
                 void (*each)(const char *file, const char *title, void *user), void *user)
{
    for (const rv_plot *plot = report->first; plot; plot = plot->next)
        if (plot->owner == name) each(plot->name, plot->title, user);
}

void rv_plots_free(rv_report *report)
{
    for (rv_plot *plot = report->first, *next; plot; plot = next) {
        next = plot->next;
        for (rv_series *s = plot->series, *after; s; s = after) {
            after = s->next;
            free(s->point);
            free(s);
        }
        free(plot);
    }
    report->first = report->last = NULL;
}

// The checks of `rivulet verify`: small worlds whose exact solution is known, one file per family.
//
// A case is a function that makes its worlds, runs them and adds rows: measured, exact, error,
// tolerance. Tolerances are those of the project's list of promises; a row without one (NAN) only
// informs.
#ifndef APP_VERIFY_VERIFY_H
#define APP_VERIFY_VERIFY_H

#include "rivulet/rivulet.h"

typedef struct rv_verify_row {
    const char *name; // of the case
    char quantity[96];
    double measured, exact, error, tolerance; // error: relative where exact is not 0, else absolute
    bool informs;                             // no tolerance: it cannot fail
    bool pass;
} rv_verify_row;

typedef struct rv_plot rv_plot;
typedef struct rv_series rv_series;

typedef struct rv_report {
    rv_pool *pool;
    const rv_device *device; // where columns live; NULL: the CPU
    bool quick;   // small grids and short times, for tests: the same physics, the same tolerances
    bool plotted; // somebody wants plots: without, rv_plot_begin gives NULL
    const char *name; // of the running case
    rv_verify_row *rows;
    int count, capacity;
    rv_plot *first, *last;                              // plots so far, in their order
    void (*show)(const rv_verify_row *row, void *user); // called with each row; may be NULL
    void (*progress)(const char *name, double share, void *user); // may be NULL
    void *user;
} rv_report;

// A case says in its own file what it shows: docs/validation.md is made of these texts, its rows
// and its plots.
typedef struct rv_case {
    const char *name;
    const char *title; // heading of its chapter
    const char *about; // one line, for --list
    // Markdown: what is built and what is exact, where the model ends, what a user may rely on. An
    // empty line starts a new paragraph.
    const char *text;
    void (*run)(rv_report *report);
} rv_case;

// Every case, in the order in which they run. A new one is a line in cases.c.
const rv_case *const *rv_verify_cases(int *count);

// A row with the relative error |measured - exact| / |exact|, or the absolute one where exact is 0.
// tolerance NAN: the row only informs.
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void rv_report_add(rv_report *report, double measured, double exact, double tolerance,
                   const char *quantity, ...);

// Where the cases start from: all parameters as by default but surface tension, which the exact
// solutions of films, waves and fronts know nothing of. Cases of tension switch it on.
rv_world_def rv_verify_def(void);
// A world of the definition, or NULL after adding a failed row that says why.
rv_world *rv_verify_world(rv_report *report, rv_world_def *def);
// Steps for `time` seconds, telling progress; false when a step failed.
bool rv_verify_run(rv_report *report, rv_world *world, double dt, double time);
rv_stats rv_verify_stats(const rv_world *world);

// Level (m) of the lowest column of a cell; its depth.
double rv_verify_level(const rv_world *world, int x, int y);
double rv_verify_depth(const rv_world *world, int x, int y);

// A box as a solid, from its corners.
rv_solid_def rv_verify_box(rv_operation op, double x1, double x2, double y1, double y2, double z1,
                           double z2);

// Times at which a signal crosses zero, by straight lines between samples.
typedef struct rv_crossings {
    double last_time, last_value, first, latest;
    int count;
    bool started;
} rv_crossings;
void rv_crossings_add(rv_crossings *c, double time, double value);
double rv_crossings_period(const rv_crossings *c); // NAN with less than two

// ---- Plots --------------------------------------------------------------------------------------
//
//     rv_plot *plot = rv_plot_begin(report, "front", "Front of the drop", "time, s", "radius, mm");
//     rv_series *exact = rv_plot_series(plot, RV_MARK_LINE, 0, "theory");
//     rv_series *ours = rv_plot_series(plot, RV_MARK_POINTS, 1, "dx %g mm", dx * 1e3);
//     for (…) rv_plot_point(exact, t, r), rv_plot_point(ours, t, measured);
//
// Becomes CASE-front.svg, drawn by gnuplot, with its numbers in CASE-front.csv. Without --plots
// there is no plot: everything below takes NULL and does nothing.

typedef enum rv_plot_mark { RV_MARK_LINE, RV_MARK_DASHES, RV_MARK_POINTS } rv_plot_mark;

// `word` names the plot among those of the running case; letters, digits and '-'.
rv_plot *rv_plot_begin(rv_report *report, const char *word, const char *title, const char *x_label,
                       const char *y_label);
// Both axes logarithmic: points at 0 and below are left out.
void rv_plot_log(rv_plot *plot);
// Ends of an axis; NAN: as the points have it.
void rv_plot_range_x(rv_plot *plot, double low, double high);
void rv_plot_range_y(rv_plot *plot, double low, double high);
// Where the key stands, in gnuplot's words: "top right" (by default), "bottom left", "outside".
void rv_plot_key(rv_plot *plot, const char *place);
// Exact solutions are lines, what was computed is points. Series of one hue belong together; 0 is
// black, 1 to 7 are colours that differ for everybody's eyes. An empty label is not in the key.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
rv_series *
rv_plot_series(rv_plot *plot, rv_plot_mark mark, int hue, const char *label, ...);
void rv_plot_point(rv_series *series, double x, double y);
// Its label stands in the file of numbers only, because another series of the key explains it.
void rv_plot_unlisted(rv_series *series);

// Order p of error = c dx^p, fitted by least squares in the logarithms; NAN with less than two
// grids.
double rv_fit_order(const double *dx, const double *error, int count);
// The errors over the cell's side (m), with the line that fits them, added to a plot.
void rv_plot_order(rv_plot *plot, int hue, const char *label, const double *dx, const double *error,
                   int count);

// The plots of a case, for a page that shows them: calls `each` with the name and title of each.
void rv_plots_of(const rv_report *report, const char *name,
                 void (*each)(const char *file, const char *title, void *user), void *user);
// Draws all plots into a folder, which is made where needed; all of them appear, or none.
bool rv_plots_write(const rv_report *report, const char *folder, rv_messages *messages);
// Whether that can work: tells before any case runs.
bool rv_plots_check(const char *folder, rv_messages *messages);
void rv_plots_free(rv_report *report);

// Writes the page docs/validation.md of what was run: each case's text, rows and plots. `plots` is
// the folder they are in, NULL: there are none.
bool rv_page_write(const rv_report *report, const char *path, const char *plots,
                   rv_messages *messages);

// ---- The cases ----------------------------------------------------------------------------------

extern const rv_case rv_case_lake, rv_case_volume, rv_case_wave, rv_case_film, rv_case_drop,
    rv_case_sheet, rv_case_incline, rv_case_tanks, rv_case_period, rv_case_turned, rv_case_threads,
    rv_case_edits, rv_case_draught, rv_case_sinking, rv_case_momentum, rv_case_energy,
    rv_case_response, rv_case_dam, rv_case_bowl, rv_case_shallow, rv_case_glass, rv_case_splat,
    rv_case_whole, rv_case_froude, rv_case_disc, rv_case_slope, rv_case_layers, rv_case_slosh,
    rv_case_tilt, rv_case_splat_energy, rv_case_tension_drops, rv_case_tension_waves,
    rv_case_tension_slopes, rv_case_tension_rest, rv_case_tension_brim, rv_case_press,
    rv_case_drips, rv_case_landing;

#endif

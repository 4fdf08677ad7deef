// The checks of `rivulet verify`: small worlds whose exact solution is known, one file per family.
//
// A case is a function that makes its worlds, runs them and adds rows: measured, exact, error,
// tolerance. Tolerances are those of the project's list of promises; a row without one (NAN) only
// informs.
#ifndef APP_VERIFY_VERIFY_H
#define APP_VERIFY_VERIFY_H

#include "rivulet/rivulet.h"

typedef struct rv_row {
    const char *name; // of the case
    char quantity[96];
    double measured, exact, error, tolerance; // error: relative where exact is not 0, else absolute
    bool informs;                             // no tolerance: it cannot fail
    bool pass;
} rv_row;

typedef struct rv_report {
    rv_pool *pool;
    bool quick; // small grids and short times, for tests: the same physics, the same tolerances
    const char *name; // of the running case
    rv_row *rows;
    int count, capacity;
    void (*show)(const rv_row *row, void *user); // called with each row; may be NULL
    void (*progress)(const char *name, double share, void *user); // may be NULL
    void *user;
} rv_report;

typedef struct rv_case {
    const char *name;
    const char *about;
    void (*run)(rv_report *report);
} rv_case;

// Every case, in the order in which they run.
const rv_case *rv_verify_cases(int *count);

// A row with the relative error |measured - exact| / |exact|, or the absolute one where exact is 0.
// tolerance NAN: the row only informs.
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void rv_report_add(rv_report *report, double measured, double exact, double tolerance,
                   const char *quantity, ...);

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

// The families.
void rv_case_lake(rv_report *report);
void rv_case_volume(rv_report *report);
void rv_case_wave(rv_report *report);
void rv_case_film(rv_report *report);
void rv_case_drop(rv_report *report);
void rv_case_sheet(rv_report *report);
void rv_case_tanks(rv_report *report);
void rv_case_period(rv_report *report);
void rv_case_turned(rv_report *report);
void rv_case_threads(rv_report *report);
void rv_case_edits(rv_report *report);
void rv_case_draught(rv_report *report);
void rv_case_sinking(rv_report *report);
void rv_case_momentum(rv_report *report);
void rv_case_energy(rv_report *report);
void rv_case_response(rv_report *report);

#endif

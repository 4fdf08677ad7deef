// Studies inside: what a study file says, what its runs leave, and what of it is where on the disk.
// Used by the files io/study_*.c only. docs/study.md is the user's page.
#ifndef IO_STUDY_FILE_H
#define IO_STUDY_FILE_H

#include "io/scene_file.h"
#include "rivulet_io/study.h"

#include <stdio.h>

#define RV_STUDY_RUNS_MAX 1000000
#define RV_STUDY_PARAMETERS_MAX 64
#define RV_STUDY_TEXT 160     // bytes of a value's text
#define RV_STUDY_PATH 4096    // bytes of a path
#define RV_STUDY_COLUMNS 64   // most columns of the statistics
#define RV_STUDY_SETS_MAX 256 // fixed settings

typedef enum rv_study_way {
    RV_WAY_GRID, // each of a list of values, with each of all others
    RV_WAY_UNIFORM,
    RV_WAY_LOG_UNIFORM,
    RV_WAY_NORMAL,
} rv_study_way;

typedef struct rv_study_param {
    char *key;
    const char *unit; // "" for words
    int line;
    rv_study_way way;
    char **texts; // of a grid: values as they stand in scene files, in SI units
    int count;
    double a, b;      // of a draw: from and to; of a normal one mean and deviation
    double low, high; // of a draw: what the parameter may be
    bool whole;       // whole numbers only
    bool log;         // spread over powers: the plots' axis is so too
    int *order;       // of a Latin hypercube: which stripe a draw is in
} rv_study_param;

// What of a column, over the frames of a run.
typedef enum rv_study_part { RV_PART_LAST, RV_PART_MIN, RV_PART_MAX, RV_PART_MEAN } rv_study_part;
#define RV_STUDY_PARTS 4

typedef struct rv_study_column {
    int column; // of the statistics
    rv_study_part part;
} rv_study_column;

typedef struct rv_study_plot {
    rv_study_column y;
    int x, by; // parameters; by −1: all in one series
    bool log_x, log_y;
} rv_study_plot;

typedef struct rv_study_keep {
    char state[8], mesh[8], terrain[8]; // extensions; "": none
    bool picture, film, snapshot;
    double every; // s, simulated, between snapshots to go on from; 0: none
} rv_study_keep;

// The columns of the statistics file.
typedef struct rv_study_names {
    int count;
    char name[RV_STUDY_COLUMNS][32];
    bool clock[RV_STUDY_COLUMNS]; // wall clock, which no two runs have alike
} rv_study_names;

struct rv_study {
    char *path, *title, *scene, *folder;
    char *scene_path; // what rv_scene_load takes
    bool scene_file;  // it is a file, not a name
    double time;      // s
    char **sets;      // "key=value", in their order
    int set_count;
    rv_study_param *params; // grids before draws
    int param_count, grid_count;
    int grid_total; // combinations of the grids
    int draws;      // 1 where nothing is drawn
    uint64_t seed;
    bool latin;
    int runs;
    rv_study_keep keep;
    rv_study_column *extra; // columns of the table besides the last values
    int extra_count;
    rv_study_plot *plots;
    int plot_count;
    rv_study_names names;
    uint64_t scene_hash; // of the scene's file
};

// ---- io/study_read.c ----------------------------------------------------------------------------

// "deepest", "deepest.max"; false: no such column.
bool rv_study_find_column(const rv_study *study, const char *text, rv_study_column *out);
const char *rv_study_part_text(rv_study_part part);

// ---- io/study_values.c --------------------------------------------------------------------------

// The shortest text that gives the number back, bit for bit.
void rv_study_number_text(double value, char out[32]);
// A grid from a to b. false: no memory.
bool rv_study_fill_range(rv_study_param *param, double a, double b, int count);
// The orders of a Latin hypercube. false: no memory.
bool rv_study_shuffle(rv_study *study);
// Of a run from 1.
void rv_study_value(const rv_study *study, int run, int param, char out[RV_STUDY_TEXT]);
// What makes a run from the scene, "key=value", in the order in which it holds: set_count +
// param_count of them.
void rv_study_assignment(const rv_study *study, int run, int number, char *out, size_t size);
// A number that the settings of a run have, and its scene: runs that have the same are the same.
uint64_t rv_study_settings(const rv_study *study, int run);
uint64_t rv_study_hash(uint64_t hash, const void *bytes, size_t count);

// ---- io/study_folder.c --------------------------------------------------------------------------

// "FOLDER/0012/NAME"; `name` NULL: the run's folder. false: too long.
bool rv_study_path(const char *folder, int run, const char *name, char out[RV_STUDY_PATH]);
const char *rv_study_folder(const rv_study *study, const rv_study_work *work);
// Makes a folder and those it lies in.
bool rv_study_make_folder(const char *path, rv_messages *messages);
// The file that makes the run again. false: a message.
bool rv_study_write_again(const rv_study *study, const char *folder, int run,
                          rv_messages *messages);
// Whether that file is there and has these settings.
bool rv_study_same_again(const rv_study *study, const char *folder, int run);
void rv_study_remove(const char *folder, int run, const char *name);
// Takes a run for this process. −1: another one has it, or a message says why it cannot be had. Let
// it go with rv_study_unlock.
int rv_study_lock(const char *folder, int run, rv_messages *messages);
void rv_study_unlock(const char *folder, int run, int lock);
// Whether a process has it.
bool rv_study_locked(const char *folder, int run);

// What a run came to.
typedef struct rv_study_result {
    rv_study_state state; // RV_STUDY_DONE, RV_STUDY_NOT_FINITE
    uint64_t settings, hash;
    int count; // of columns
    char name[RV_STUDY_COLUMNS][32];
    double value[RV_STUDY_COLUMNS][RV_STUDY_PARTS];
} rv_study_result;

// The mark of a finished run: written last.
bool rv_study_write_result(const char *folder, int run, const rv_study_result *result,
                           rv_messages *messages);
// false: there is none, or it cannot be read.
bool rv_study_read_result(const char *folder, int run, rv_study_result *result);

// ---- io/study_sums.c ----------------------------------------------------------------------------

// The statistics of a run as a file that grows, and what becomes of each column. Sums are made of
// the numbers as the file has them, so that a run that was cut short comes to the same bits.
typedef struct rv_study_sums {
    const rv_study_names *names;
    double last[RV_STUDY_COLUMNS], low[RV_STUDY_COLUMNS], high[RV_STUDY_COLUMNS];
    double sum[RV_STUDY_COLUMNS];
    int64_t rows;
    FILE *file; // stats.csv.part
    FILE *line; // a row in memory
    char *text; // of that row
    size_t size;
    char path[RV_STUDY_PATH], final[RV_STUDY_PATH];
} rv_study_sums;

void rv_study_read_names(rv_study_names *names);
bool rv_study_sums_open(rv_study_sums *sums, const rv_study_names *names, const char *folder,
                        int run, rv_messages *messages);
// Goes on in a file that was left, after its row at that time. false: there is none; open it anew.
bool rv_study_sums_resume(rv_study_sums *sums, const rv_study_names *names, const char *folder,
                          int run, double time);
bool rv_study_sums_row(rv_study_sums *sums, const rv_stats *stats, double ms_surface,
                       double ms_rendering, rv_messages *messages);
// Brings all rows to the disk.
bool rv_study_sums_flush(rv_study_sums *sums, rv_messages *messages);
// Closes it; `keep`: and gives it its name.
bool rv_study_sums_close(rv_study_sums *sums, bool keep, rv_messages *messages);
void rv_study_sums_result(const rv_study_sums *sums, rv_study_result *out);

// ---- io/study_run.c -----------------------------------------------------------------------------

typedef struct rv_study_watch {
    const rv_study_work *work;
    const char *folder;
    _Atomic bool *stop;      // somebody asked for an end
    _Atomic int *thousandth; // how far this run is
} rv_study_watch;

// Makes one run. *warned: it left warnings. On failure messages say why.
rv_study_state rv_study_make_run(const rv_study *study, int run, const rv_study_watch *watch,
                                 bool *warned, rv_messages *messages);

// ---- io/study_plot.c ----------------------------------------------------------------------------

// One point of a plot.
typedef struct rv_study_point {
    double x, y;
    int series;
} rv_study_point;

typedef struct rv_study_chart {
    const char *title; // "": none
    const char *x_label, *y_label;
    bool log_x, log_y;
    bool lines;             // join the points of a series
    rv_study_point *points; // are sorted
    int count;
    const char *by; // what tells the series apart
    char (*labels)[RV_STUDY_TEXT];
    int series; // 1 at most: they have no key
} rv_study_chart;

// Draws an .svg.
bool rv_study_draw_plot(const char *path, const rv_study_chart *what, rv_messages *messages);

#endif

// rivulet_io/study.h: many worlds from one scene (docs/study.md): grids and random draws of parameters, each run in a
// folder of its own, a table of results and plots at the end.
//
//     rv_study *study;
//     rv_study_report report;
//     rv_messages messages = {0};
//     rv_study_work work = rv_default_study_work(); // all cores, one thread for each world
//     if (rv_study_open("reach.yaml", &study, &messages) != RV_OK ||
//         rv_study_run(study, &work, &report, &messages) != RV_OK ||
//         rv_study_write_table(study, &work, &messages) != RV_OK) puts(messages.text);
//     rv_study_close(study);
//
// Runs have numbers from 1. What is finished is on the disk and is not made again, so a study that was stopped goes on
// when it is run again, and several processes may work at one folder. Every problem of a file is one line
// `FILE:LINE: KEY: what is wrong`. `messages` may be NULL everywhere.
#ifndef RIVULET_IO_STUDY_H
#define RIVULET_IO_STUDY_H

#include "files.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rv_study rv_study;

RV_API rv_result rv_study_open(const char *path, rv_study **out, rv_messages *messages);
// The same from memory; `path` stands in messages, and the scene and the folder lie beside it.
RV_API rv_result rv_study_open_memory(const char *text, size_t size, const char *path,
                                      rv_study **out, rv_messages *messages);
RV_API void rv_study_close(rv_study *study);

// Borrowed until the study is closed.
typedef struct rv_study_info {
    const char *path, *title; // of the study; title "" where it has none
    const char *scene;        // as the file names it
    const char *folder;       // where the runs are left
    double time;              // s, simulated, of each run
    int runs;                 // 1 to this
    int parameters;           // that differ between them
    bool pictures;            // runs leave some: rv_study_work.draw is needed
} rv_study_info;

RV_API rv_result rv_study_get_info(const rv_study *study, rv_study_info *out);
// The key of a parameter, 0 to parameters - 1; NULL: there is none.
RV_API const char *rv_study_parameter(const rv_study *study, int parameter);
// Its value in a run, as it stands in a scene file; *number may be NULL, and is NAN where it is no number.
RV_API rv_result rv_study_get_value(const rv_study *study, int run, int parameter, char *text,
                                    size_t text_size, double *number);

typedef enum rv_study_state {
    RV_STUDY_TO_DO,
    RV_STUDY_DONE,
    RV_STUDY_NOT_FINITE, // done, but liquid was found NaN or infinite and taken out
    RV_STUDY_FAILED,     // could not be made; it is tried again the next time
    RV_STUDY_STOPPED,    // cut short; it goes on from where it was
    RV_STUDY_ELSEWHERE,  // another process is at it
    RV_STUDY_OTHER,      // its folder holds a run with other settings
} rv_study_state;

// "done", "failed", …; never NULL.
RV_API const char *rv_study_state_text(rv_study_state state);

// A picture that a run wants: the library has no drawing of its own.
typedef struct rv_study_picture {
    const rv_world *world;
    const rv_surface *surface; // of the world as it is now; NULL: it has none
    int width, height;         // pixels
    const rv_light *environment, *backdrop; // NULL: none is named
    uint64_t surroundings; // the same number where those two are the same, as rv_painting has it
} rv_study_picture;

// How runs are made; start from the default. The functions may be NULL. `progress` and `ended` are called in the
// thread that called rv_study_run, the others in threads of the study's own, several at once.
typedef struct rv_study_work {
    int jobs;           // worlds at the same time; 0: one for each core
    int threads;        // of each world
    int first, last;    // runs to make; 0: the first and the last there are
    bool again;         // make runs anew whose folder holds other settings, instead of refusing
    const char *folder; // instead of the study's; NULL: that one
    bool (*progress)(double share, int ended, int runs, void *user); // false: stop
    void (*ended)(int run, rv_study_state state, const char *why, void *user);
    // Draws width × height × 4 bytes, rows from the top.
    rv_result (*draw)(const rv_study_picture *what, uint8_t *rgba, rv_messages *messages,
                      void *user);
    void (*forget)(const rv_world *world, void *user); // a world that was drawn goes
    void *user;
} rv_study_work;

RV_API rv_study_work rv_default_study_work(void);

// How runs ended, or how they are on the disk.
typedef struct rv_study_report {
    int runs;       // of the study
    int made;       // in this call, well
    int done;       // of all, now or before
    int not_finite; // the same
    int failed;
    int stopped, elsewhere, to_do;
    int warned; // that left a file of warnings
} rv_study_report;

// Makes the runs that are not finished yet. A run that fails is counted and told, and the rest goes on: that is RV_OK.
// `work` NULL: the default.
RV_API rv_result rv_study_run(rv_study *study, const rv_study_work *work, rv_study_report *out,
                              rv_messages *messages);
// How a run is on the disk.
RV_API rv_study_state rv_study_look(const rv_study *study, const rv_study_work *work, int run);
// Counts that for all runs.
RV_API rv_result rv_study_count(const rv_study *study, const rv_study_work *work,
                                rv_study_report *out);
// table.csv, table.npz and the plots, of the runs that have ended.
RV_API rv_result rv_study_write_table(const rv_study *study, const rv_study_work *work,
                                      rv_messages *messages);

#ifdef __cplusplus
}
#endif
#endif

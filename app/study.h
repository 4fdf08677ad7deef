// What `rivulet study` and `rivulet-mpi study` share: they differ in who makes the runs.
#ifndef APP_STUDY_H
#define APP_STUDY_H

#include "app/options.h"
#include "app/progress.h"
#include "app/signals.h"
#include "rivulet_gl/painter.h"
#include "rivulet_io/study.h"

#include <pthread.h>

typedef struct rv_study_session {
    // The program; before rv_study_begin.
    const char *program; // NULL: rivulet
    const char *jobs;    // what --jobs means; NULL: runs at the same time
    const char *about;   // NULL: as it is for rivulet
    // As rv_study_run; `user` is run_user.
    rv_result (*run)(rv_study *study, const rv_study_work *work, rv_study_report *report,
                     rv_messages *messages, void *user);
    void *run_user;

    // The options.
    rv_command command;
    rv_option options[12];
    const char *file;
    rv_study_work work;
    bool table, dry, quiet;

    // The study, and what is shown of it.
    rv_study *study;
    rv_study_info info;
    rv_progress progress;
    const volatile sig_atomic_t *signal;
    int failures; // told so far
    pthread_mutex_t painting;
    rv_painter *painter; // NULL until the first picture
} rv_study_session;

// Reads the options and the study. −1: go on; else the exit code, and all is said.
int rv_study_begin(rv_study_session *session, int argc, char **argv);
// Does what the options ask for and prints what came of it; returns the exit code.
int rv_study_go(rv_study_session *session);
// Makes runs and prints nothing but why it cannot: for processes beside the one that has the word.
int rv_study_help_out(rv_study_session *session);
void rv_study_end(rv_study_session *session);

#endif

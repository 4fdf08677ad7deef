// What `rivulet run` and `rivulet-mpi run` share of their command lines.
#ifndef APP_RUN_OPTIONS_H
#define APP_RUN_OPTIONS_H

#include "app/settings.h"
#include "io/scene_file.h"

typedef struct rv_run_options {
    const rv_command *command; // whose line it is
    const char *scene;
    double time; // < 0: not given
    long steps;  // < 0: not given
    rv_settings sets;
    long threads;
    const char *stats, *state, *mesh, *terrain, *save, *resume, *image, *video;
    double save_every; // 0: only at the end
    bool traffic, quiet;
    bool has_window;
    double window[4]; // m: x0, y0, x1, y1
    // What only one of them has; false when it printed an error. NULL: nothing.
    bool (*take)(void *user, const char *name, const char *value);
    void *user;
} rv_run_options;

// −1: go on; else the exit code.
int rv_run_options_read(rv_run_options *options, int argc, char **argv);
// Whether all files can be written; prints what is wrong.
bool rv_run_options_check(const rv_run_options *options);
// Whether none of them takes the place of a file that the scene is made from; prints which do.
bool rv_run_options_spare(const rv_run_options *options, const rv_scene_file *scene);
// How many frames are to do, from where the world is.
int64_t rv_run_frames(const rv_run_options *options, const rv_params *params, double now);

#endif

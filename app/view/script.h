// Scripts for the viewer: what a user would do, line by line. docs/viewer.md lists the commands.
#ifndef APP_VIEW_SCRIPT_H
#define APP_VIEW_SCRIPT_H

#include "rivulet/rivulet.h"

struct rv_view; // view.h
typedef struct rv_script_line rv_script_line;

typedef struct rv_script {
    rv_script_line *lines;
    int count, next;
    int wait;              // frames
    double pull_x, pull_y; // pixels that the mouse is moved by in each of them
    double until;          // s of wall clock; 0: not
    bool release;          // the button, after waiting
} rv_script;

// Reads and checks all of it. false: messages, `FILE:LINE: what is wrong`.
bool rv_script_load(rv_script *script, const char *path, rv_messages *messages);
void rv_script_free(rv_script *script);
bool rv_script_runs(const rv_script *script);
// Before each frame: does what is due until a line that waits.
void rv_script_advance(struct rv_view *view, double now);

#endif

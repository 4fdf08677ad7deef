// The panel beside the scene. It draws what stands here and changes what the user changes, nothing
// else: what a change means is decided elsewhere.
#ifndef APP_VIEW_PANEL_H
#define APP_VIEW_PANEL_H

#include "app/view/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RV_PANEL_PLOTS 6
#define RV_PANEL_TOOLS 7

typedef struct rv_panel_plot {
    const char *name;
    char now[32]; // the last value, as text
    float low, high;
    float (*at)(const void *source, int which, int back); // value `back` frames ago
    const void *source;
    int which;
    int count, room; // values that are there, and at most
} rv_panel_plot;

typedef struct rv_panel_key {
    const char *key, *meaning;
} rv_panel_key;

typedef struct rv_panel {
    // ---- Shown; the panel may change these
    bool shown, help;
    bool paused;
    double speed; // simulated seconds in a real one that are wanted
    int tool;
    double radius, rate;         // m, m³/s
    double affinity;             // 0 … 1: that is painted
    double density, restitution; // kg/m³, 1: of what is thrown
    bool box;                    // it is one, and no ball
    int scene;                   // which of `scenes`; -1: none of them
    int liquid;                  // which of `liquids`
    rv_params params;
    char search[64];

    // ---- Shown
    const char *scene_name, *scene_title;
    const char *const *scenes;
    int scene_count;
    const char *liquids[16];
    int liquid_count;
    const rv_panel_rows *rows;
    const char *const *tools;
    double radius_low, radius_high, rate_low, rate_high;
    int bodies;                   // in the world
    char state[96], numbers[160]; // "12.3 s", "0.98 x real time, 60 frames/s"
    rv_panel_plot plot[RV_PANEL_PLOTS];
    char note[1024];
    bool note_bad;
    bool filming;
    const char *busy; // what takes long; NULL: nothing
    double busy_share;
    const rv_panel_key *keys; // of the help; ends with a NULL key
    // A script's mouse, in place of the real one.
    bool puppet;
    float puppet_x, puppet_y;
    bool puppet_down[3];

    // ---- The panel's own
    int editing;    // row whose value is being typed, from 1; 0: none
    char edit[96];  // what is typed
    bool edit_born; // since this frame

    // ---- Asked for by the user in this frame
    bool step, reset, picture, film, home, clear;
    int changed; // row of `params` that has another value; -1: none
    char typed[96];
    int typed_row; // a text was typed for this row; -1: none

    // ---- How things stand with the panel
    float width;                  // of the window, that it covers at the right; in its own unit
    bool wants_mouse, wants_keys; // what comes now is the panel's
    bool moving;                  // it wants to be drawn again soon
} rv_panel;

// On a window of GLFW whose context is current. false: it cannot be.
bool rv_panel_start(void *window, float scale);
void rv_panel_stop(void);
// Draws over what is there. With `busy` it only shows, and changes nothing.
void rv_panel_draw(rv_panel *panel);

#ifdef __cplusplus
}
#endif
#endif

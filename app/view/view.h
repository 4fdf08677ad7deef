// The viewer: what its files share.
//
// All that can happen comes in through the functions under "Input", whether it is from the window,
// the panel or a script; rv_view_frame then does what a frame needs: simulation, surface, picture,
// panel.
#ifndef APP_VIEW_VIEW_H
#define APP_VIEW_VIEW_H

#include "app/backend.h"
#include "rivulet_gl/aim.h"
#include "app/view/capture.h"
#include "app/view/clock.h"
#include "app/view/fly.h"
#include "app/view/history.h"
#include "app/view/panel.h"
#include "app/view/script.h"
#include "app/view/stage.h"
#include "app/view/tools.h"

#include <signal.h>

typedef enum rv_drag {
    RV_DRAG_NONE,
    RV_DRAG_ORBIT,
    RV_DRAG_PAN,
    RV_DRAG_TILT,
    RV_DRAG_TOOL
} rv_drag;
typedef enum rv_button { RV_BUTTON_LEFT, RV_BUTTON_RIGHT, RV_BUTTON_MIDDLE } rv_button;
enum { RV_MOD_SHIFT = 1, RV_MOD_CTRL = 2, RV_MOD_ALT = 4 };

typedef struct rv_mouse {
    double x, y; // pixels of the picture
    bool inside; // it is over the window
    rv_drag drag;
    rv_button button; // that drags
    rv_vec3 grabbed;  // the point that a pan holds
} rv_mouse;

typedef struct rv_view {
    rv_target *target;
    rv_renderer *renderer;
    rv_backend backend;
    rv_pool *pool;
    rv_stage stage;
    rv_params params; // what is drawn; the world has the same, but for the camera
    rv_panel_rows rows;
    rv_scene_names scenes;
    int scene_now; // which of them is shown; -1: none
    rv_clock clock;
    rv_mouse mouse;
    rv_tools tools;
    rv_fly fly;
    rv_history history;
    rv_capture capture;
    rv_panel panel;
    bool has_panel;
    bool blocks;   // nothing can be shown while something takes long: in a page
    bool software; // the driver draws without a GPU
    rv_script script;
    double fit;         // share of the zoom that leaves room for the panel
    double fit_covered; // what it was found for
    int fit_width, fit_height;
    int width, height;                // of the picture, pixels
    double pixel;                     // pixels of the picture in a unit of the panel
    bool stale;                       // the liquid's surface is older than the world
    bool hold;                        // no time passes in this frame
    int redraw;                       // frames to draw although nothing moves
    bool picture;                     // take one in this frame
    char picture_path[4096];          // under this name; "": the next free one
    char window_path[4096];           // write the window with its panel; "": do not
    double ms_simulation, ms_drawing; // of the last frame
    rv_stats stats;                   // as last looked at; see rv_view_get_stats
    bool on_card;                     // the surface is made on a card
    int64_t remembered;               // frames
    double passed;                    // s, since the last frame, as it counts
    double film_passed;               // s of film that the last frame was
    double busy_shown;                // s, when progress was last drawn
    int64_t frames;
    bool quit;
    const volatile sig_atomic_t *signal; // not 0: one that asks for an end
    int status;                          // exit code
} rv_view;

// ---- Input (input.c) ----------------------------------------------------------------------------

// What all columns are looked at for is, on a card, as it was some frames ago: it takes bringing them.
void rv_view_get_stats(rv_view *view, rv_stats *out);
void rv_view_mouse(rv_view *view, double x, double y);
void rv_view_aim(rv_view *view); // the tool at what is under the mouse now
void rv_view_leave(rv_view *view);
void rv_view_press(rv_view *view, rv_button button, int mods);
void rv_view_release(rv_view *view, rv_button button);
void rv_view_wheel(rv_view *view, double amount, int mods);
// "space", "f1", "escape", or the character on the key. repeat: it is held down. false: it means
// nothing.
bool rv_view_key(rv_view *view, const char *key, int mods, bool repeat);
extern const rv_panel_key rv_view_keys[];

// ---- What can be done (actions.c) ---------------------------------------------------------------

// A shipped scene, a YAML file or a mesh; or a .hdr, which becomes the surroundings. What goes
// wrong is said in the panel.
bool rv_view_open(rv_view *view, const char *name);
void rv_view_adopt(rv_view *view, rv_stage *stage);      // takes over a stage that was just opened
bool rv_view_set(rv_view *view, const char *assignment); // "key=value"
bool rv_view_apply(rv_view *view, const rv_row *row, const rv_params *params);
bool rv_view_liquid(rv_view *view, int which);
bool rv_view_surround(rv_view *view, const char *path); // NULL: the studio
bool rv_view_behind(rv_view *view, const char *path);   // a pane; NULL: the street
void rv_view_reset(rv_view *view);
void rv_view_throw(rv_view *view); // a body, as the mouse was dragged
void rv_view_clear(rv_view *view); // all bodies out of the world
void rv_view_home(rv_view *view);  // the camera as the scene has it
void rv_view_fly(rv_view *view);   // begins to fly over the scene, or ends it
// Tilts the tray by so much, rad: gravity turns to the right and away from who looks.
bool rv_view_tilt(rv_view *view, double right, double away);
void rv_view_level(rv_view *view);                          // gravity as the scene has it
void rv_view_take_picture(rv_view *view, const char *path); // NULL: the next free name
void rv_view_film(rv_view *view);                           // starts or ends one
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void rv_view_say(rv_view *view, bool bad, const char *format, ...);
void rv_view_say_all(rv_view *view, const rv_messages *messages);
rv_params rv_view_drawn(const rv_view *view); // what the window is drawn with
// To be shown while something takes long.
rv_prepare_progress rv_view_progress(rv_view *view);

// ---- Frames (frame.c) ---------------------------------------------------------------------------

void rv_view_frame(rv_view *view);
// Whether the next frame would be like the last unless something comes in.
bool rv_view_still(const rv_view *view);
void rv_view_show(rv_view *view); // only draws

// ---- The rest -----------------------------------------------------------------------------------

void rv_view_fill_panel(rv_view *view); // gather.c: what the panel shows
void rv_view_take_panel(rv_view *view); // and what was changed in it
bool rv_view_report(const rv_view *view, const char *path, rv_messages *messages); // report.c
void rv_window_listen(rv_view *view);       // window.c: callbacks
float rv_window_scale(const rv_view *view); // how large the panel shall be, 1 on an ordinary screen
void rv_window_title(rv_view *view);
void rv_window_run(rv_view *view); // until somebody closes it
// to view.width × view.height
void rv_window_resize(rv_view *view); // to view.width × view.height

#endif

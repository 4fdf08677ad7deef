// Mouse and keys. A button that goes down decides what its drag does until it comes up.
#include "app/view/vectors.h"
#include "app/view/view.h"

#include <math.h>
#include <string.h>

#define ZOOM_NOTCH 1.12 // a notch of the wheel
#define RADIUS_NOTCH 1.15
#define SPEED_NOTCH 1.4142135623730951
#define SPEED_LOW (1.0 / 64)
#define SPEED_HIGH 8.0
#define TILT_KEY 0.03490658503988659 // rad, 2 degrees: one press of an arrow key
#define TILT_DRAG 2.5e-3             // rad, for one pixel of a drag

const rv_panel_key rv_view_keys[] = {
    {"left button", "use the tool; beside the scene: turn"},
    {"right button", "turn (also ctrl + left)"},
    {"middle button", "shift (also shift + left or right)"},
    {"arrows", "tilt the tray: gravity turns; also ctrl + shift + drag"},
    {"t", "gravity as the scene has it"},
    {"g", "fly, land; then arrows steer, w and x: faster, slower"},
    {"wheel", "zoom to the mouse; with ctrl: size of the tool"},
    {"1 2 3 4 5 6 7", "look, pour, drill, add, throw (drag where it shall fly), stir, paint"},
    {"[  ]", "size of the tool"},
    {"space", "pause, go on"},
    {".  n", "a single step"},
    {"r", "back to the start"},
    {"-  +", "slower, faster"},
    {"0", "real time"},
    {"f", "the scene's own view"},
    {"m", "next way to draw: shaded, wire, depth, ..."},
    {"l", "next liquid"},
    {"s  F12", "save a picture"},
    {"v  F9", "start and stop a film"},
    {"Tab", "hide or show the panel"},
    {"F1  ?", "this help"},
    {"Ctrl Q", "leave"},
    {"drop a file", "open a scene (.yaml) or a mesh (.obj .stl .ply .glb .gltf)"},
    {NULL, NULL},
};

static void redraw(rv_view *v)
{
    v->redraw = v->redraw > 3 ? v->redraw : 3;
}

void rv_view_aim(rv_view *v)
{
    if (!v->mouse.inside || (v->mouse.drag == RV_DRAG_NONE && v->panel.wants_mouse)) {
        rv_tools_nowhere(&v->tools);
        return;
    }
    rv_params drawn = rv_view_drawn(v);
    rv_ray ray = rv_renderer_ray(v->renderer, &drawn, v->mouse.x, v->mouse.y);
    rv_tools_point(&v->tools, v->stage.world, &ray);
}

// What lies under the mouse; beside everything, the point on its ray next to the grid's middle.
static rv_vec3 point_under(rv_view *v)
{
    rv_params drawn = rv_view_drawn(v);
    rv_ray ray = rv_renderer_ray(v->renderer, &drawn, v->mouse.x, v->mouse.y);
    rv_tools t = v->tools;
    rv_tools_point(&t, v->stage.world, &ray);
    if (t.over) return t.at;
    const rv_params *p = &v->params;
    rv_vec3 middle = {p->grid_x, p->grid_y, 0.5 * (p->grid_bottom + p->grid_top)};
    double s =
        rv_aim_dot(rv_plus(middle, ray.from, -1), ray.toward) / rv_aim_dot(ray.toward, ray.toward);
    return rv_plus(ray.from, ray.toward, s);
}

static void pin(rv_view *v, rv_vec3 point)
{
    rv_params drawn = rv_view_drawn(v);
    rv_aim aim = rv_aim_of(v->renderer, &drawn, v->width, v->height);
    rv_camera_pin(&v->params, &aim, point, v->mouse.x, v->mouse.y);
}

void rv_view_mouse(rv_view *v, double x, double y)
{
    double dx = x - v->mouse.x, dy = y - v->mouse.y;
    v->mouse.x = x, v->mouse.y = y;
    v->mouse.inside = true;
    if (v->mouse.drag == RV_DRAG_ORBIT) rv_camera_orbit(&v->params, dx / v->pixel, dy / v->pixel);
    if (v->mouse.drag == RV_DRAG_PAN) pin(v, v->mouse.grabbed);
    double turn = TILT_DRAG / v->pixel;
    if (v->mouse.drag == RV_DRAG_TILT && (dx != 0 || dy != 0))
        rv_view_tilt(v, turn * dx, -turn * dy);
    redraw(v);
}

void rv_view_leave(rv_view *v)
{
    v->mouse.inside = v->mouse.drag != RV_DRAG_NONE;
    redraw(v);
}

void rv_view_press(rv_view *v, rv_button button, int mods)
{
    redraw(v);
    if (v->mouse.drag != RV_DRAG_NONE || v->panel.wants_mouse) return;
    v->mouse.button = button;
    rv_view_aim(v);
    if (mods & RV_MOD_SHIFT && mods & RV_MOD_CTRL) {
        v->mouse.drag = RV_DRAG_TILT;
    } else if (button == RV_BUTTON_MIDDLE || mods & RV_MOD_SHIFT) {
        v->mouse.drag = RV_DRAG_PAN;
        v->mouse.grabbed = point_under(v);
    } else if (button == RV_BUTTON_RIGHT || mods & (RV_MOD_CTRL | RV_MOD_ALT) ||
               v->tools.tool == RV_TOOL_LOOK || !v->tools.over) {
        v->mouse.drag = RV_DRAG_ORBIT;
    } else {
        v->mouse.drag = RV_DRAG_TOOL;
        rv_tools_begin(&v->tools);
    }
}

void rv_view_release(rv_view *v, rv_button button)
{
    redraw(v);
    if (v->mouse.drag == RV_DRAG_NONE || v->mouse.button != button) return;
    if (v->mouse.drag == RV_DRAG_TOOL && v->tools.tool == RV_TOOL_THROW)
        rv_view_throw(v);
    else if (v->mouse.drag == RV_DRAG_TOOL)
        rv_tools_end(&v->tools);
    v->mouse.drag = RV_DRAG_NONE;
}

static void scale_radius(rv_view *v, double notches)
{
    rv_tools *t = &v->tools;
    double r = t->radius[t->tool] * pow(RADIUS_NOTCH, notches);
    t->radius[t->tool] = fmin(fmax(r, t->radius_low), t->radius_high);
}

void rv_view_wheel(rv_view *v, double amount, int mods)
{
    redraw(v);
    if (v->panel.wants_mouse || !isfinite(amount)) return;
    if (mods & RV_MOD_CTRL) {
        scale_radius(v, amount);
        return;
    }
    rv_vec3 point = point_under(v);
    double zoom = v->params.view_zoom * pow(ZOOM_NOTCH, amount);
    v->params.view_zoom = fmin(fmax(zoom, 0.1), 60);
    pin(v, point);
    if (v->mouse.drag == RV_DRAG_PAN) v->mouse.grabbed = point;
}

// ---- Keys ---------------------------------------------------------------------------------------

static void scale_speed(rv_view *v, double factor)
{
    double speed = v->params.view_speed * factor;
    v->params.view_speed = fmin(fmax(speed, SPEED_LOW), SPEED_HIGH);
    if (fabs(v->params.view_speed - 1) < 0.01) v->params.view_speed = 1;
}

static void next_mode(rv_view *v)
{
    char word[32];
    const rv_field_info *field = rv_table_find(rv_params_table(), "view.mode");
    int next = (int)v->params.view_mode + 1;
    if (!rv_word_at(field->words, next, word, sizeof word)) next = 0;
    v->params.view_mode = (rv_view_mode)next;
    rv_word_at(field->words, next, word, sizeof word);
    rv_view_say(v, false, "view.mode: %s", word);
}

static bool is(const char *key, const char *a, const char *b)
{
    return strcmp(key, a) == 0 || strcmp(key, b) == 0;
}

// Keys that steer a flight.
static bool steering_key(rv_view *v, const char *key)
{
    int right = is(key, "right", "left") ? (key[0] == 'r' ? 1 : -1) : 0;
    int up = is(key, "up", "down") ? (key[0] == 'u' ? 1 : -1) : 0;
    int faster = is(key, "w", "x") ? (key[0] == 'w' ? 1 : -1) : 0;
    if (!v->fly.on || (right == 0 && up == 0 && faster == 0)) return false;
    rv_fly_steer(&v->fly, right, up, faster);
    return true;
}

// Keys that do something again and again while held.
static bool repeating_key(rv_view *v, const char *key)
{
    if (is(key, ".", "n")) {
        v->clock.paused = true;
        v->clock.singles++;
    } else if (strcmp(key, "-") == 0) {
        scale_speed(v, 1 / SPEED_NOTCH);
    } else if (is(key, "+", "=")) {
        scale_speed(v, SPEED_NOTCH);
    } else if (strcmp(key, "[") == 0) {
        scale_radius(v, -1);
    } else if (strcmp(key, "]") == 0) {
        scale_radius(v, 1);
    } else if (strcmp(key, "left") == 0) {
        rv_view_tilt(v, -TILT_KEY, 0);
    } else if (strcmp(key, "right") == 0) {
        rv_view_tilt(v, TILT_KEY, 0);
    } else if (strcmp(key, "up") == 0) {
        rv_view_tilt(v, 0, TILT_KEY);
    } else if (strcmp(key, "down") == 0) {
        rv_view_tilt(v, 0, -TILT_KEY);
    } else {
        return false;
    }
    return true;
}

bool rv_view_key(rv_view *v, const char *key, int mods, bool repeat)
{
    redraw(v);
    if (steering_key(v, key) || repeating_key(v, key)) return true;
    if (repeat) return false;
    if (key[0] >= '1' && key[0] < '1' + RV_TOOLS && key[1] == '\0') {
        // A throw that is not finished is none.
        if (v->mouse.drag == RV_DRAG_TOOL) rv_tools_end(&v->tools), v->mouse.drag = RV_DRAG_NONE;
        v->tools.tool = (rv_tool)(key[0] - '1');
    } else if (strcmp(key, "space") == 0) {
        v->clock.paused = !v->clock.paused;
        rv_clock_forget(&v->clock);
    } else if (strcmp(key, "r") == 0) {
        rv_view_reset(v);
    } else if (strcmp(key, "0") == 0) {
        v->params.view_speed = 1;
    } else if (is(key, "f", "home")) {
        rv_view_home(v);
    } else if (strcmp(key, "g") == 0) {
        rv_view_fly(v);
    } else if (strcmp(key, "t") == 0) {
        rv_view_level(v);
    } else if (strcmp(key, "m") == 0) {
        next_mode(v);
    } else if (strcmp(key, "l") == 0) {
        rv_view_liquid(v, ((int)v->params.liquid_look + 1) % rv_liquid_count());
    } else if (is(key, "s", "f12")) {
        rv_view_take_picture(v, NULL);
    } else if (is(key, "v", "f9")) {
        rv_view_film(v);
    } else if (is(key, "tab", "h")) {
        v->panel.shown = !v->panel.shown;
    } else if (is(key, "f1", "?")) {
        v->panel.help = !v->panel.help;
    } else if (strcmp(key, "escape") == 0) {
        v->panel.help = false;
    } else if (strcmp(key, "q") == 0 && mods & RV_MOD_CTRL) {
        v->quit = true;
    } else {
        return false;
    }
    return true;
}

// The window: its events become those of the viewer, and its loop draws as often as the screen
// shows pictures, or not at all while nothing changes.
#include "app/view/view.h"

#include "app/progress.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#define RATE 60     // frames a second where the screen does not say how many
#define IDLE_WAIT 1 // s, at most, without looking whether a signal has come

static GLFWwindow *window_of(const rv_view *v)
{
    return rv_target_window(v->target);
}

static int mods_of(int mods)
{
    return (mods & GLFW_MOD_SHIFT ? RV_MOD_SHIFT : 0) |
           (mods & GLFW_MOD_CONTROL ? RV_MOD_CTRL : 0) | (mods & GLFW_MOD_ALT ? RV_MOD_ALT : 0);
}

static void on_move(GLFWwindow *window, double x, double y)
{
    rv_view *v = glfwGetWindowUserPointer(window);
    rv_view_mouse(v, x * v->pixel, y * v->pixel);
}

static void on_enter(GLFWwindow *window, int entered)
{
    if (!entered) rv_view_leave(glfwGetWindowUserPointer(window));
}

static void on_button(GLFWwindow *window, int button, int action, int mods)
{
    rv_view *v = glfwGetWindowUserPointer(window);
    rv_button which = button == GLFW_MOUSE_BUTTON_LEFT    ? RV_BUTTON_LEFT
                      : button == GLFW_MOUSE_BUTTON_RIGHT ? RV_BUTTON_RIGHT
                                                          : RV_BUTTON_MIDDLE;
    if (button > GLFW_MOUSE_BUTTON_MIDDLE) return;
    if (action == GLFW_PRESS)
        rv_view_press(v, which, mods_of(mods));
    else
        rv_view_release(v, which);
}

static void on_wheel(GLFWwindow *window, double x, double y)
{
    (void)x;
    bool control = glfwGetKey(window, GLFW_KEY_LEFT_CONTROL) == GLFW_PRESS ||
                   glfwGetKey(window, GLFW_KEY_RIGHT_CONTROL) == GLFW_PRESS;
    rv_view_wheel(glfwGetWindowUserPointer(window), y, control ? RV_MOD_CTRL : 0);
}

// Keys without a character of their own.
static const char *key_name(int key)
{
    switch (key) {
    case GLFW_KEY_SPACE:
        return "space";
    case GLFW_KEY_TAB:
        return "tab";
    case GLFW_KEY_ESCAPE:
        return "escape";
    case GLFW_KEY_HOME:
        return "home";
    case GLFW_KEY_F1:
        return "f1";
    case GLFW_KEY_F9:
        return "f9";
    case GLFW_KEY_F12:
        return "f12";
    case GLFW_KEY_LEFT:
        return "left";
    case GLFW_KEY_RIGHT:
        return "right";
    case GLFW_KEY_UP:
        return "up";
    case GLFW_KEY_DOWN:
        return "down";
    case GLFW_KEY_KP_ADD:
        return "+";
    case GLFW_KEY_KP_SUBTRACT:
        return "-";
    default:
        return NULL;
    }
}

static void on_key(GLFWwindow *window, int key, int scancode, int action, int mods)
{
    rv_view *v = glfwGetWindowUserPointer(window);
    if (action == GLFW_RELEASE) return;
    const char *name = key_name(key);
    if (!name) name = glfwGetKeyName(key, scancode); // as the user's keyboard has it
    if (!name || (v->panel.wants_keys && key != GLFW_KEY_F1)) return;
    bool shift = mods & GLFW_MOD_SHIFT;
    if (shift && strcmp(name, "/") == 0) name = "?";
    rv_view_key(v, name, mods_of(mods), action == GLFW_REPEAT);
}

static void on_drop(GLFWwindow *window, int count, const char **paths)
{
    if (count > 0) rv_view_open(glfwGetWindowUserPointer(window), paths[0]);
}

static void on_change(GLFWwindow *window)
{
    ((rv_view *)glfwGetWindowUserPointer(window))->redraw = 3;
}

static void on_size(GLFWwindow *window, int width, int height)
{
    rv_view *v = glfwGetWindowUserPointer(window);
    int w, h;
    glfwGetWindowSize(window, &w, &h);
    if (w > 0 && width > 0) v->pixel = (double)width / w;
    (void)height;
    v->redraw = 3;
}

void rv_window_listen(rv_view *v)
{
    GLFWwindow *window = window_of(v);
    int width, height;
    glfwSetWindowUserPointer(window, v);
    glfwSetCursorPosCallback(window, on_move);
    glfwSetCursorEnterCallback(window, on_enter);
    glfwSetMouseButtonCallback(window, on_button);
    glfwSetScrollCallback(window, on_wheel);
    glfwSetKeyCallback(window, on_key);
    glfwSetDropCallback(window, on_drop);
    glfwSetWindowRefreshCallback(window, on_change);
    glfwSetFramebufferSizeCallback(window, on_size);
    glfwSetWindowSizeLimits(window, 320, 240, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwGetFramebufferSize(window, &width, &height);
    on_size(window, width, height);
}

float rv_window_scale(const rv_view *v)
{
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_of(v), &x, &y);
    float scale = x / (float)v->pixel;
    return scale < 0.5f ? 0.5f : scale > 4 ? 4 : scale;
}

void rv_window_title(rv_view *v)
{
    char title[256];
    snprintf(title, sizeof title, "%s - rivulet", v->stage.scene.name);
    if (v->target) glfwSetWindowTitle(window_of(v), title);
}

void rv_window_resize(rv_view *v)
{
    glfwSetWindowSize(window_of(v), (int)(v->params.view_width / v->pixel),
                      (int)(v->params.view_height / v->pixel));
}

static double screen_rate(void)
{
    GLFWmonitor *monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode *mode = monitor ? glfwGetVideoMode(monitor) : NULL;
    return mode && mode->refreshRate >= 24 ? mode->refreshRate : RATE;
}

void rv_window_run(rv_view *v)
{
    GLFWwindow *window = window_of(v);
    double interval = 1 / screen_rate();
    while (!v->quit && !*v->signal && !glfwWindowShouldClose(window)) {
        double began = rv_seconds();
        if (glfwGetWindowAttrib(window, GLFW_ICONIFIED) && !rv_script_runs(&v->script)) {
            glfwWaitEventsTimeout(0.25);
            rv_clock_forget(&v->clock);
            continue;
        }
        if (rv_view_still(v)) {
            glfwWaitEventsTimeout(IDLE_WAIT);
            rv_clock_forget(&v->clock);
            if (rv_view_still(v)) continue;
        } else {
            glfwPollEvents();
        }
        rv_view_frame(v);
        // Where presenting does not wait for the screen, this does. A script does not wait at all.
        double left = interval - (rv_seconds() - began);
        for (; left > 1e-3 && !rv_script_runs(&v->script); left = interval - (rv_seconds() - began))
            glfwWaitEventsTimeout(left);
    }
}

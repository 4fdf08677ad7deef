// A window of GLFW with a context of OpenGL ES 3.0, or of OpenGL 4.5 if kernels are to run in it:
// through EGL where the window system has it, else in the system's own way.
#include "render/target_kinds.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

typedef struct window {
    GLFWwindow *window;
} window;

static GLFWwindow *make_window(const rv_target_def *def, int way, bool desktop)
{
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_CLIENT_API, desktop ? GLFW_OPENGL_API : GLFW_OPENGL_ES_API);
    glfwWindowHint(GLFW_CONTEXT_CREATION_API, way);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, desktop ? 4 : 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, desktop ? 5 : 0);
    if (desktop) glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_VISIBLE, def->hidden ? GLFW_FALSE : GLFW_TRUE);
    // Pictures are finished when they get here: neither depth nor samples are needed.
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    return glfwCreateWindow(def->width, def->height, def->title ? def->title : "rivulet", NULL,
                            NULL);
}

// Its context is current then; NULL: there is none, or not a whole one.
static GLFWwindow *try_window(const rv_target_def *def, int way, bool desktop)
{
    GLFWwindow *made = make_window(def, way, desktop);
    if (!made) return NULL;
    glfwMakeContextCurrent(made);
    if (!desktop || rv_target_is_whole()) return made;
    glfwDestroyWindow(made);
    return NULL;
}

static bool window_open(void *room, const rv_target_def *def, rv_messages *messages)
{
    window *w = room;
    const char *why = NULL;
    if (!rv_target_has_libraries("window", messages)) return false;
    if (!glfwInit()) {
        glfwGetError(&why);
        rv_messages_add(messages,
                        "window: no display (%s); DISPLAY or WAYLAND_DISPLAY must name one",
                        why ? why : "unknown");
        return false;
    }
    static const int ways[] = {GLFW_EGL_CONTEXT_API, GLFW_NATIVE_CONTEXT_API};
    bool desktop = def->computes && rv_target_has_desktop();
    for (int k = desktop ? 0 : 2; k < 4 && !w->window; k++)
        w->window = try_window(def, ways[k % 2], k < 2);
    if (!w->window) {
        glfwGetError(&why);
        rv_messages_add(messages,
                        "window: no OpenGL ES 3.0 on this display (%s); a newer driver would help",
                        why ? why : "unknown");
        glfwTerminate();
        return false;
    }
    glfwSwapInterval(1);
    return true;
}

static void window_close(void *room)
{
    window *w = room;
    glfwDestroyWindow(w->window);
    glfwTerminate();
}

static void window_use(void *room)
{
    window *w = room;
    if (glfwGetCurrentContext() != w->window) glfwMakeContextCurrent(w->window);
}

static void window_size(const void *room, int *width, int *height)
{
    glfwGetFramebufferSize(((const window *)room)->window, width, height);
}

static bool window_resize(void *room, int width, int height)
{
    glfwSetWindowSize(((window *)room)->window, width, height);
    return true;
}

static unsigned window_framebuffer(const void *room)
{
    (void)room;
    return 0;
}

static void window_present(void *room)
{
    glfwSwapBuffers(((window *)room)->window);
}

static void *window_window(const void *room)
{
    return ((const window *)room)->window;
}

const rv_target_functions rv_target_of_window = {.open = window_open,
                                                 .close = window_close,
                                                 .use = window_use,
                                                 .size = window_size,
                                                 .resize = window_resize,
                                                 .framebuffer = window_framebuffer,
                                                 .present = window_present,
                                                 .window = window_window,
                                                 .room_size = sizeof(window),
                                                 .draws = true};

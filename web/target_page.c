// The page's canvas as a target: WebGL 2 on the element with the id "rivulet-canvas". It has the
// role of the window; there is none without a display.
#include "render/target_kinds.h"

#include <emscripten/html5.h>

#define CANVAS "#rivulet-canvas"

typedef struct page_target {
    EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context;
} page_target;

static bool page_open(void *room, const rv_target_def *def, rv_messages *messages)
{
    page_target *t = room;
    EmscriptenWebGLContextAttributes how;
    emscripten_webgl_init_context_attributes(&how);
    how.majorVersion = 2, how.minorVersion = 0;
    // Pictures are finished when they get here: neither depth nor samples are needed.
    how.alpha = how.depth = how.stencil = how.antialias = false;
    how.powerPreference = EM_WEBGL_POWER_PREFERENCE_HIGH_PERFORMANCE;
    emscripten_set_canvas_element_size(CANVAS, def->width, def->height);
    t->context = emscripten_webgl_create_context(CANVAS, &how);
    if (t->context > 0 && emscripten_webgl_make_context_current(t->context) == 0) return true;
    rv_messages_add(messages, "this browser has no WebGL 2, or it is switched off");
    return false;
}

static void page_close(void *room)
{
    emscripten_webgl_destroy_context(((page_target *)room)->context);
}

static void page_use(void *room)
{
    emscripten_webgl_make_context_current(((page_target *)room)->context);
}

static void page_size(const void *room, int *width, int *height)
{
    (void)room;
    emscripten_get_canvas_element_size(CANVAS, width, height);
}

static bool page_resize(void *room, int width, int height)
{
    (void)room;
    return emscripten_set_canvas_element_size(CANVAS, width, height) == 0;
}

static unsigned page_framebuffer(const void *room)
{
    (void)room;
    return 0;
}

static void page_present(void *room)
{
    (void)room; // the browser shows what is there when it is called back
}

static void *page_window(const void *room)
{
    (void)room;
    return NULL;
}

static bool no_headless(void *room, const rv_target_def *def, rv_messages *messages)
{
    (void)room, (void)def;
    rv_messages_add(messages, "a page has only its canvas to draw on");
    return false;
}

const rv_target_functions rv_target_of_window = {.open = page_open,
                                                 .close = page_close,
                                                 .use = page_use,
                                                 .size = page_size,
                                                 .resize = page_resize,
                                                 .framebuffer = page_framebuffer,
                                                 .present = page_present,
                                                 .window = page_window,
                                                 .room_size = sizeof(page_target),
                                                 .draws = true};
const rv_target_functions rv_target_of_headless = {.open = no_headless,
                                                   .room_size = sizeof(page_target)};

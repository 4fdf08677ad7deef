// Targets: one table of functions per kind, and what all kinds share: checks, reading back, the
// driver's name.
#include "rivulet_gl/target.h"

#include "render/driver.h"
#include "render/target_kinds.h"

#include <dlfcn.h>
#include <epoxy/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_PX = 16384 };

struct rv_target {
    const rv_target_functions *kind;
    void *room;
    char driver[256];
};

// ---- Nowhere -----------------------------------------------------------------------------------

typedef struct nowhere {
    int width, height;
} nowhere;

static bool nowhere_open(void *room, const rv_target_def *def, rv_messages *messages)
{
    (void)messages;
    *(nowhere *)room = (nowhere){def->width, def->height};
    return true;
}

static void nowhere_close(void *room)
{
    (void)room;
}

static void nowhere_size(const void *room, int *width, int *height)
{
    const nowhere *n = room;
    *width = n->width, *height = n->height;
}

static bool nowhere_resize(void *room, int width, int height)
{
    *(nowhere *)room = (nowhere){width, height};
    return true;
}

static unsigned nowhere_framebuffer(const void *room)
{
    (void)room;
    return 0;
}

static void *nowhere_window(const void *room)
{
    (void)room;
    return NULL;
}

static const rv_target_functions target_of_nowhere = {.open = nowhere_open,
                                                      .close = nowhere_close,
                                                      .use = nowhere_close,
                                                      .size = nowhere_size,
                                                      .resize = nowhere_resize,
                                                      .framebuffer = nowhere_framebuffer,
                                                      .present = nowhere_close,
                                                      .window = nowhere_window,
                                                      .room_size = sizeof(nowhere)};

// ---- All kinds ---------------------------------------------------------------------------------

static const rv_target_functions *kind_of(rv_target_kind kind)
{
    switch (kind) {
    case RV_TARGET_WINDOW:
        return &rv_target_of_window;
    case RV_TARGET_HEADLESS:
        return &rv_target_of_headless;
    case RV_TARGET_NONE:
        return &target_of_nowhere;
    }
    return NULL;
}

bool rv_target_has_libraries(const char *who, rv_messages *messages)
{
    static const char *const names[] = {"libEGL.so.1", "libGLESv2.so.2"};
    for (int n = 0; n < 2; n++) {
        void *library =
            dlopen(names[n], RTLD_LAZY | RTLD_LOCAL); // stays open until the program ends
        if (library) continue;
        rv_messages_add(messages, "%s: there is no %s (Debian: libegl1, libgles2)", who, names[n]);
        return false;
    }
    return true;
}

bool rv_target_has_desktop(void)
{
    return dlopen("libOpenGL.so.0", RTLD_LAZY | RTLD_LOCAL) ||
           dlopen("libGL.so.1", RTLD_LAZY | RTLD_LOCAL);
}

bool rv_target_is_whole(void)
{
    return epoxy_is_desktop_gl() && epoxy_gl_version() >= 45 &&
           epoxy_has_gl_extension("GL_ARB_ES3_2_compatibility");
}

// OpenGL ES 3.0 or newer, and a size that the driver can do.
static bool check_driver(rv_target *t, const rv_target_def *def, rv_messages *messages)
{
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    const char *version = (const char *)glGetString(GL_VERSION);
    snprintf(t->driver, sizeof t->driver, "%s, %s", renderer ? renderer : "unknown",
             version ? version : "unknown version");
    if (!rv_target_is_whole() && (epoxy_is_desktop_gl() || epoxy_gl_version() < 30)) {
        rv_messages_add(messages,
                        "target: the driver (%s) has no OpenGL ES 3.0; a newer Mesa or vendor's "
                        "driver would",
                        t->driver);
        return false;
    }
    rv_driver_begin();
    GLint largest = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
    if (def->width <= largest && def->height <= largest) return true;
    rv_messages_add(messages, "target: %d x %d is more than the driver's largest picture, %d",
                    def->width, def->height, largest);
    return false;
}

rv_result rv_target_create(const rv_target_def *def, rv_target **out, rv_messages *messages)
{
    if (out) *out = NULL;
    const rv_target_functions *kind = def ? kind_of(def->kind) : NULL;
    if (!out || !kind || def->width < 1 || def->height < 1 || def->width > SIZE_MAX_PX ||
        def->height > SIZE_MAX_PX) {
        rv_messages_add(messages, "target: its size must be 1 to %d pixels each way", SIZE_MAX_PX);
        return RV_BAD_ARGUMENT;
    }
    rv_target *t = calloc(1, sizeof *t);
    void *room = calloc(1, kind->room_size);
    if (!t || !room) {
        free(t), free(room);
        return RV_OUT_OF_MEMORY;
    }
    t->kind = kind, t->room = room;
    strcpy(t->driver, "none");
    if (!kind->open(room, def, messages)) {
        free(t), free(room);
        return RV_BAD_ARGUMENT;
    }
    if (kind->draws && !check_driver(t, def, messages)) {
        rv_target_destroy(t);
        return RV_BAD_ARGUMENT;
    }
    *out = t;
    return RV_OK;
}

void rv_target_destroy(rv_target *t)
{
    if (!t) return;
    t->kind->close(t->room);
    free(t->room);
    free(t);
}

bool rv_target_use(rv_target *t)
{
    if (!t || !t->kind->draws) return false;
    t->kind->use(t->room);
    return true;
}

void rv_target_get_size(const rv_target *t, int *width, int *height)
{
    int size[2] = {0, 0};
    if (t) t->kind->size(t->room, &size[0], &size[1]);
    if (width) *width = size[0];
    if (height) *height = size[1];
}

rv_result rv_target_resize(rv_target *t, int width, int height)
{
    if (!t || width < 1 || height < 1 || width > SIZE_MAX_PX || height > SIZE_MAX_PX)
        return RV_BAD_ARGUMENT;
    return t->kind->resize(t->room, width, height) ? RV_OK : RV_BAD_ARGUMENT;
}

unsigned rv_target_framebuffer(const rv_target *t)
{
    return t ? t->kind->framebuffer(t->room) : 0;
}

unsigned rv_target_image(const rv_target *t)
{
    return t && t->kind->image ? t->kind->image(t->room) : 0;
}

void rv_target_present(rv_target *t)
{
    if (t) t->kind->present(t->room);
}

// The driver gives rows from the bottom, four bytes a pixel.
static void turn_rows(const uint8_t *rgba, int width, int height, size_t channels, uint8_t *out)
{
    for (int y = 0; y < height; y++) {
        const uint8_t *from = rgba + (size_t)(height - 1 - y) * (size_t)width * 4;
        for (int x = 0; x < width; x++, from += 4, out += channels) memcpy(out, from, channels);
    }
}

static rv_result read_back(rv_target *t, size_t channels, uint8_t *out)
{
    int width, height;
    rv_target_get_size(t, &width, &height);
    if (!t || !out) return RV_BAD_ARGUMENT;
    size_t pixels = (size_t)width * (size_t)height;
    if (!rv_target_use(t)) {
        memset(out, 0, channels * pixels);
        return RV_OK;
    }
    uint8_t *rgba = malloc(4 * pixels);
    if (!rgba) return RV_OUT_OF_MEMORY;
    glBindFramebuffer(GL_FRAMEBUFFER, rv_target_framebuffer(t));
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    bool good = glGetError() == GL_NO_ERROR;
    if (good) turn_rows(rgba, width, height, channels, out);
    free(rgba);
    return good ? RV_OK : RV_BAD_DATA;
}

rv_result rv_target_read(rv_target *t, uint8_t *rgb)
{
    return read_back(t, 3, rgb);
}

rv_result rv_target_read_alpha(rv_target *t, uint8_t *rgba)
{
    return read_back(t, 4, rgba);
}

const char *rv_target_driver(const rv_target *t)
{
    return t ? t->driver : "none";
}

void *rv_target_window(const rv_target *t)
{
    return t ? t->kind->window(t->room) : NULL;
}

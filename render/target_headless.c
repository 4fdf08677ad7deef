// Pictures without a display: an EGL context that is tied to no window system, and a framebuffer of
// our own. Tried in this order: each device that EGL lists (a graphics card, then Mesa's software
// one), Mesa's platform without surfaces, EGL's default display.
#include "render/target_kinds.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <string.h>

enum { DEVICES = 16 };

typedef struct headless {
    EGLDisplay display;
    EGLContext context;
    EGLSurface surface; // EGL_NO_SURFACE where contexts need none
    EGLenum api;
    bool computes; // OpenGL is tried before OpenGL ES
    GLuint framebuffer, colour;
    int width, height;
} headless;

// Extensions come as one list of words, and a word may begin with another.
static bool lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) return true;
    return false;
}

// Of OpenGL ES 3, or of OpenGL 4.5.
static bool make_of(headless *h, EGLDisplay display, bool desktop)
{
    const EGLint wanted[] = {EGL_SURFACE_TYPE,
                             EGL_PBUFFER_BIT,
                             EGL_RENDERABLE_TYPE,
                             desktop ? EGL_OPENGL_BIT : EGL_OPENGL_ES3_BIT,
                             EGL_RED_SIZE,
                             8,
                             EGL_GREEN_SIZE,
                             8,
                             EGL_BLUE_SIZE,
                             8,
                             EGL_NONE};
    const EGLint es[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
    const EGLint whole[] = {EGL_CONTEXT_MAJOR_VERSION,
                            4,
                            EGL_CONTEXT_MINOR_VERSION,
                            5,
                            EGL_CONTEXT_OPENGL_PROFILE_MASK,
                            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                            EGL_NONE};
    const EGLint tiny[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    h->display = display, h->context = EGL_NO_CONTEXT, h->surface = EGL_NO_SURFACE;
    h->api = desktop ? EGL_OPENGL_API : EGL_OPENGL_ES_API;
    if (!eglBindAPI(h->api)) return false;
    if (eglChooseConfig(display, wanted, &config, 1, &count) && count > 0)
        h->context = eglCreateContext(display, config, EGL_NO_CONTEXT, desktop ? whole : es);
    if (h->context == EGL_NO_CONTEXT) return false;
    const char *words = eglQueryString(display, EGL_EXTENSIONS);
    if (!lists(words, "EGL_KHR_surfaceless_context"))
        h->surface = eglCreatePbufferSurface(display, config, tiny);
    if (eglMakeCurrent(display, h->surface, h->surface, h->context) &&
        (!desktop || rv_target_is_whole()))
        return true;
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (h->surface != EGL_NO_SURFACE) eglDestroySurface(display, h->surface);
    eglDestroyContext(display, h->context);
    return false;
}

static bool make_context(headless *h, EGLDisplay display)
{
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL)) return false;
    if ((h->computes && make_of(h, display, true)) || make_of(h, display, false)) return true;
    eglTerminate(display);
    return false;
}

static bool try_devices(headless *h, const char *words)
{
    if (!lists(words, "EGL_EXT_platform_device") && !lists(words, "EGL_EXT_platform_base"))
        return false;
    PFNEGLQUERYDEVICESEXTPROC query =
        (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDeviceEXT device[DEVICES];
    EGLint count = 0;
    if (!query || !get || !query(DEVICES, device, &count)) return false;
    for (EGLint n = 0; n < count; n++)
        if (make_context(h, get(EGL_PLATFORM_DEVICE_EXT, device[n], NULL))) return true;
    return false;
}

static bool try_surfaceless(headless *h, const char *words)
{
    if (!lists(words, "EGL_MESA_platform_surfaceless")) return false;
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    return get &&
           make_context(h, get(EGL_PLATFORM_SURFACELESS_MESA, (void *)EGL_DEFAULT_DISPLAY, NULL));
}

// A texture, so that kernels can write into it. false: none of that size can be had, and the one
// before stays.
static bool take_size(headless *h, int width, int height)
{
    GLuint colour;
    while (glGetError() != GL_NO_ERROR) continue;
    glGenTextures(1, &colour);
    glBindTexture(GL_TEXTURE_2D, colour);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, width, height);
    glBindTexture(GL_TEXTURE_2D, 0);
    bool good = glGetError() == GL_NO_ERROR;
    if (good) {
        glBindFramebuffer(GL_FRAMEBUFFER, h->framebuffer);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
        good = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
        if (!good)
            glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, h->colour,
                                   0);
    }
    GLuint gone = good ? h->colour : colour;
    glDeleteTextures(1, &gone);
    if (good) h->colour = colour, h->width = width, h->height = height;
    return good;
}

static void headless_use(void *room)
{
    headless *h = room;
    eglBindAPI(h->api);
    if (eglGetCurrentContext() != h->context)
        eglMakeCurrent(h->display, h->surface, h->surface, h->context);
}

static void headless_close(void *room)
{
    headless *h = room;
    headless_use(h);
    glDeleteFramebuffers(1, &h->framebuffer);
    glDeleteTextures(1, &h->colour);
    eglMakeCurrent(h->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (h->surface != EGL_NO_SURFACE) eglDestroySurface(h->display, h->surface);
    eglDestroyContext(h->display, h->context);
    // The display is left as it is: EGL shares one among all who ask for it.
}

static bool headless_open(void *room, const rv_target_def *def, rv_messages *messages)
{
    headless *h = room;
    if (!rv_target_has_libraries("headless", messages)) return false;
    h->computes = def->computes && rv_target_has_desktop();
    const char *words = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    if (!try_devices(h, words) && !try_surfaceless(h, words) &&
        !make_context(h, eglGetDisplay(EGL_DEFAULT_DISPLAY))) {
        rv_messages_add(messages, "headless: EGL has no device that offers OpenGL ES 3.0; Mesa's "
                                  "software driver does (Debian: libegl1, libgl1-mesa-dri)");
        return false;
    }
    glGenFramebuffers(1, &h->framebuffer);
    if (take_size(h, def->width, def->height)) return true;
    rv_messages_add(messages, "headless: no framebuffer of %d x %d can be had", def->width,
                    def->height);
    headless_close(h);
    return false;
}

static void headless_size(const void *room, int *width, int *height)
{
    const headless *h = room;
    *width = h->width, *height = h->height;
}

static bool headless_resize(void *room, int width, int height)
{
    headless *h = room;
    GLint largest = 0;
    headless_use(h);
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
    if (width > largest || height > largest) return false;
    return (width == h->width && height == h->height) || take_size(h, width, height);
}

static unsigned headless_framebuffer(const void *room)
{
    return ((const headless *)room)->framebuffer;
}

static unsigned headless_image(const void *room)
{
    return ((const headless *)room)->colour;
}

static void headless_present(void *room)
{
    (void)room;
}

static void *headless_window(const void *room)
{
    (void)room;
    return NULL;
}

const rv_target_functions rv_target_of_headless = {.open = headless_open,
                                                   .close = headless_close,
                                                   .use = headless_use,
                                                   .size = headless_size,
                                                   .resize = headless_resize,
                                                   .framebuffer = headless_framebuffer,
                                                   .image = headless_image,
                                                   .present = headless_present,
                                                   .window = headless_window,
                                                   .room_size = sizeof(headless),
                                                   .draws = true};

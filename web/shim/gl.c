// The questions of shim/epoxy/gl.h, and the calls of OpenGL ES 3.0 that WebGL 2 lacks.
#include <epoxy/gl.h>

#include <emscripten.h>
#include <emscripten/html5.h>
#include <stdlib.h>
#include <string.h>

bool epoxy_is_desktop_gl(void)
{
    return false;
}

int epoxy_gl_version(void)
{
    return 30;
}

bool epoxy_has_gl_extension(const char *name)
{
    // Timers have another name and another form there; drawing is timed by the wall clock then.
    if (strcmp(name, "GL_EXT_disjoint_timer_query") == 0) return false;
    const char *plain = strncmp(name, "GL_", 3) == 0 ? name + 3 : name;
    return emscripten_webgl_enable_extension(emscripten_webgl_get_current_context(), plain);
}

// clang-format off
EM_JS(void, read_buffer, (GLenum target, int offset, void *out, int bytes), {
    GLctx.getBufferSubData(target, offset, HEAPU8, out, bytes);
})
// clang-format on

// A page's buffers are not in its memory: reading one is a copy of it. One at a time.
static void *mapped;

void *glMapBufferRange(GLenum target, GLintptr offset, GLsizeiptr bytes, GLbitfield access)
{
    if (access != GL_MAP_READ_BIT || mapped) return NULL;
    mapped = malloc((size_t)bytes);
    if (mapped) read_buffer(target, (int)offset, mapped, (int)bytes);
    return mapped;
}

GLboolean glUnmapBuffer(GLenum target)
{
    (void)target;
    free(mapped);
    mapped = NULL;
    return GL_TRUE;
}

void glGetQueryObjectui64vEXT(GLuint query, GLenum name, GLuint64 *value)
{
    (void)query, (void)name;
    *value = 0;
}

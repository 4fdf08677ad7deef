// Questions to the driver, of OpenGL ES or of OpenGL.
#include "render/driver.h"

int rv_driver_version(void)
{
    return epoxy_is_desktop_gl() ? 32 : epoxy_gl_version();
}

bool rv_driver_draws_floats(void)
{
    return epoxy_is_desktop_gl() || epoxy_has_gl_extension("GL_EXT_color_buffer_float");
}

bool rv_driver_draws_halves(void)
{
    return rv_driver_draws_floats() || epoxy_has_gl_extension("GL_EXT_color_buffer_half_float");
}

bool rv_driver_blends_floats(void)
{
    return epoxy_is_desktop_gl() || epoxy_has_gl_extension("GL_EXT_float_blend");
}

bool rv_driver_times(void)
{
    return epoxy_is_desktop_gl() || epoxy_has_gl_extension("GL_EXT_disjoint_timer_query");
}

GLuint64 rv_driver_time(GLuint query)
{
    GLuint64 ns = 0;
#ifndef __EMSCRIPTEN__
    if (epoxy_is_desktop_gl()) {
        glGetQueryObjectui64v(query, GL_QUERY_RESULT, &ns);
        return ns;
    }
#endif
    glGetQueryObjectui64vEXT(query, GL_QUERY_RESULT, &ns);
    return ns;
}

bool rv_driver_was_disturbed(void)
{
    GLint broken = 0;
    if (!epoxy_is_desktop_gl()) glGetIntegerv(GL_GPU_DISJOINT_EXT, &broken);
    return broken;
}

void rv_driver_begin(void)
{
#ifndef __EMSCRIPTEN__
    if (!epoxy_is_desktop_gl()) return;
    glEnable(GL_PROGRAM_POINT_SIZE);
    glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
#endif
}

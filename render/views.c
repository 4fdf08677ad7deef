// Views besides the shaded one: the edges of triangles, quantities as colours on the liquid, the
// columns; a legend for each; and the mark of a tool.
#include "render/colours.h"
#include "render/renderer_parts.h"

#include <string.h>

bool rv_views_make(rv_renderer *r)
{
    uint8_t rgb[RV_COLOURS * 3];
    for (int n = 0; n < RV_COLOURS; n++) {
        rv_colour c = rv_colour_of((double)n / (RV_COLOURS - 1));
        rgb[3 * n] = c.r, rgb[3 * n + 1] = c.g, rgb[3 * n + 2] = c.b;
    }
    glGenTextures(1, &r->colours);
    glBindTexture(GL_TEXTURE_2D, r->colours);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, RV_COLOURS, 1, 0, GL_RGB, GL_UNSIGNED_BYTE, rgb);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return glGetError() == GL_NO_ERROR;
}

void rv_views_free(rv_renderer *r)
{
    glDeleteTextures(1, &r->colours);
    rv_legend_free(&r->legend);
    rv_overlay_list_free(&r->ring);
    rv_overlay_free(&r->overlay);
}

bool rv_views_of_columns(rv_view_mode mode)
{
    return mode == RV_VIEW_LAYERS || mode == RV_VIEW_PASSAGES || mode == RV_VIEW_LINKS ||
           mode == RV_VIEW_AFFINITY;
}

bool rv_views_hide_liquid(rv_view_mode mode)
{
    return mode == RV_VIEW_LAYERS; // its plates stand where the surface is
}

bool rv_views_mapped(rv_view_mode mode)
{
    return mode == RV_VIEW_DEPTH || mode == RV_VIEW_SPEED || mode == RV_VIEW_BOUNDARY;
}

// Whether a quantity is shown in colours: what is drawn from particles has no boundary, all else no
// particles.
static bool in_colours(const rv_renderer *r, rv_view_mode mode)
{
    bool dense = r->box.there || r->flat.there;
    if (mode == (dense ? RV_VIEW_BOUNDARY : RV_VIEW_PARTICLES)) return false;
    return rv_views_mapped(mode) || mode == RV_VIEW_PARTICLES;
}

rv_result rv_views_update(rv_renderer *r, const rv_columns *columns, rv_view_mode mode)
{
    if (!rv_views_of_columns(mode)) return RV_OK;
    return rv_overlay_columns(&r->overlay, columns, &r->extent, mode);
}

// ---- Numbers -----------------------------------------------------------------------------------

// Which quantity the shader shows: 2 depth, 3 speed, 4 distance to the boundary.
static double fill_scale(rv_renderer *r, const rv_params *p, rv_legend_def *def, float *which)
{
    double dx = r->extent.dx;
    switch (p->view_mode) {
    case RV_VIEW_DEPTH:
        *which = 2;
        if (r->flat.there) // in a cut that has no depth
            return dx * rv_legend_scale(def, "density", "1", (double)r->sheet.deepest);
        return rv_legend_scale(def, "depth", "m", (double)r->sheet.deepest * dx);
    case RV_VIEW_SPEED:
    case RV_VIEW_PARTICLES:
        *which = 3;
        return rv_legend_scale(def, "speed", "m/s", (double)r->sheet.fastest * dx);
    default:
        *which = 4;
        return rv_legend_scale(def, "boundary", "m", p->surface_meniscus_length);
    }
}

void rv_views_numbers(rv_renderer *r, const rv_params *p, int width, int height)
{
    rv_frame_numbers *n = &r->numbers;
    rv_legend_def def = {.scale = false};
    float which = 0, high = 1;
    if (in_colours(r, p->view_mode)) high = (float)(fill_scale(r, p, &def, &which) / r->extent.dx);
    if (rv_views_of_columns(p->view_mode)) def = r->overlay.legend;
    bool grey = which > 0 || rv_views_of_columns(p->view_mode);
    memcpy(n->mode, (float[4]){which, 0, high, grey ? 0.85f : 0}, sizeof n->mode);
    memset(n->legend, 0, sizeof n->legend);
    int size = height / 360 > 1 ? height / 360 : 1, margin = 8 * size;
    if (!def.title[0] || !rv_legend_update(&r->legend, &def, size)) return;
    // The shader counts rows from the bottom.
    float corner[4] = {(float)(width - margin - r->legend.width), (float)margin,
                       (float)r->legend.width, (float)r->legend.height};
    memcpy(n->legend, corner, sizeof corner);
}

// ---- Drawing -----------------------------------------------------------------------------------

static void draw_list(const rv_overlay_list *l, GLenum kind)
{
    if (l->count == 0 || !l->array) return;
    glBindVertexArray(l->array);
    glDrawArrays(kind, 0, (GLsizei)l->count);
    glBindVertexArray(0);
}

static void use_overlay(const rv_renderer *r, float alpha)
{
    glUseProgram(r->program.overlay);
    glUniform1f(glGetUniformLocation(r->program.overlay, "alpha"), alpha);
}

static void draw_columns(rv_renderer *r, rv_view_mode mode)
{
    // Passages lie inside the solid: seen through it, faintly, and clearly where nothing is before
    // them.
    if (mode == RV_VIEW_PASSAGES) {
        glDisable(GL_DEPTH_TEST);
        use_overlay(r, 0.7f);
        draw_list(&r->overlay.faces, GL_TRIANGLES);
        glEnable(GL_DEPTH_TEST);
    }
    use_overlay(r, 1);
    draw_list(&r->overlay.faces, GL_TRIANGLES);
    draw_list(&r->overlay.lines, GL_LINES);
}

static void draw_wire(rv_renderer *r, const rv_eye *eye)
{
    if (!r->wide.on && !rv_programs_take(r, RV_PROGRAMS_WIRES)) return;
    GLuint program = rv_liquid_programs(r)->wire;
    GLint ink = glGetUniformLocation(program, "ink");
    glUseProgram(program);
    glUniform1f(glGetUniformLocation(program, "alpha"), 1);
    glUniform4f(ink, 0.02f, 0.02f, 0.03f, 0.35f);
    if (r->wide.on) {
        GLint wet = glGetUniformLocation(program, "wet_too");
        glUniform1i(wet, 0);
        rv_wide_draw_wire(&r->wide);
        glUniform4f(ink, 0.85f, 0.95f, 1, 0.35f);
        glUniform1i(wet, 1);
        rv_wide_draw_wire(&r->wide);
        return;
    }
    rv_tiles_draw_wire(&r->tiles, eye);
    glUniform4f(ink, 0.85f, 0.95f, 1, 0.35f);
    rv_sheet_draw_wire(&r->sheet);
}

// The hidden part of a tool's ring shows faintly.
static void draw_mark(rv_renderer *r, const rv_eye *eye)
{
    const rv_mark *m = &r->mark;
    const rv_extent *e = &r->extent;
    uint8_t rgba[4] = {0, 0, 0, 255};
    for (int n = 0; n < 3; n++) rgba[n] = (uint8_t)lrintf(255 * clamp(m->rgb[n], 0, 1));
    vec3 at = rv_extent_cells(e, m->at.x, m->at.y, m->at.z);
    vec3 normal = v3((float)m->normal.x, (float)m->normal.y, (float)m->normal.z);
    float radius = (float)(m->radius / e->dx);
    // Two pixels and a half wide, however far away.
    float pixel = 2 * eye->sy * dot(sub(at, eye->at), eye->forward) / (float)eye->height;
    if (rv_overlay_ring(&r->ring, at, normal, radius, maxf(2.5f * pixel, 0.04f * radius), rgba) !=
        RV_OK)
        return;
    glDisable(GL_DEPTH_TEST);
    use_overlay(r, 0.3f);
    draw_list(&r->ring, GL_TRIANGLES);
    glEnable(GL_DEPTH_TEST);
    use_overlay(r, 0.9f);
    draw_list(&r->ring, GL_TRIANGLES);
}

void rv_views_draw(rv_renderer *r, const rv_params *p, const rv_eye *eye)
{
    glEnable(GL_BLEND);
    // What is under these has its share in their alpha already.
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    if (rv_views_of_columns(p->view_mode)) draw_columns(r, p->view_mode);
    if (p->view_mode == RV_VIEW_WIRE) draw_wire(r, eye);
    if (r->mark.shown && r->mark.radius > 0) draw_mark(r, eye);
    glDisable(GL_BLEND);
}

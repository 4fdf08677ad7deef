// Follows a pane and draws it. The maps go to the card as the world has them; the water's shape is
// made of them there. What is outside is prepared on the CPU when it is first wanted, in three
// pictures: in focus, with all its levels, for what drops show; out of focus, for clear glass; and
// as fog spreads it.
#include "render/pane.h"

#include "render/driver.h"
#include "render/program.h"
#include "render/street.h"
#include "render/target_kinds.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 8, OWN_MOST = 1536 };
// Of the street this share of its height is seen straight on; the rest is for drops, which see to
// the sides, and for a camera that turns.
#define STREET_SEEN 0.74f

// Textures of the two programs, in places that all other programs bind anew when they need them.
enum {
    AT_SHAPE,
    AT_HEIGHTS,
    AT_SHARP,
    AT_LENS,
    AT_SOFT,
    AT_MISTS = AT_SHAPE,
    AT_AFFINITIES = AT_SHARP
};

// ---- Programs and textures ----------------------------------------------------------------------

static void wire(GLuint program, GLint *numbers)
{
    static const struct {
        const char *name;
        GLint at;
    } textures[] = {{"shape", AT_SHAPE}, {"heights", AT_HEIGHTS},
                    {"mists", AT_MISTS}, {"affinities", AT_AFFINITIES},
                    {"sharp", AT_SHARP}, {"lens", AT_LENS},
                    {"soft", AT_SOFT}};
    glUseProgram(program);
    for (size_t n = 0; n < sizeof textures / sizeof textures[0]; n++) {
        GLint place = glGetUniformLocation(program, textures[n].name);
        if (place >= 0) glUniform1i(place, textures[n].at);
    }
    *numbers = glGetUniformLocation(program, "pane");
}

static rv_result make_programs(rv_pane_part *p, rv_messages *messages)
{
    if (p->picture_program) return RV_OK;
    if (!rv_driver_draws_halves()) {
        rv_messages_add(messages, "renderer: the driver cannot draw into half floats, which panes "
                                  "need");
        return RV_BAD_ARGUMENT;
    }
    rv_program_asked shape =
        rv_program_ask("whole_vertex", "pane_shape_pixel", NULL, NULL, messages);
    rv_program_asked picture = rv_program_ask("whole_vertex", "pane_pixel", NULL, NULL, messages);
    p->shape_program = rv_program_take(&shape, messages);
    p->picture_program = rv_program_take(&picture, messages);
    if (!p->shape_program || !p->picture_program) return RV_BAD_ARGUMENT;
    wire(p->shape_program, &p->shape_numbers);
    wire(p->picture_program, &p->picture_numbers);
    p->radius = -1;
    return RV_OK;
}

static void bind(int place, GLenum kind, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)place);
    glBindTexture(kind, texture);
}

rv_result rv_pane_part_update(rv_pane_part *p, const rv_pane *pane, rv_messages *messages)
{
    rv_result result = make_programs(p, messages);
    return result == RV_OK ? rv_pane_maps_update(&p->maps, pane) : result;
}

void rv_pane_extent(const rv_pane *pane, const rv_params *params, rv_extent *e)
{
    *e = (rv_extent){.dx = pane->dx, .fill = true};
    e->x0 = params->grid_x - 0.5 * pane->nx * pane->dx;
    e->y0 = params->grid_y - 0.5 * pane->ny * pane->dx;
    e->bottom = params->grid_bottom;
    e->wide = (float)pane->nx, e->deep = (float)pane->ny, e->top = 1;
    for (int n = 0; n < RV_EXTENT_PEAKS * RV_EXTENT_PEAKS; n++) e->peak[n] = -INFINITY;
}

void rv_pane_part_free(rv_pane_part *p)
{
    const GLuint names[] = {p->sharp, p->lens, p->soft};
    rv_pane_maps_free(&p->maps);
    glDeleteTextures(3, names);
    glDeleteProgram(p->shape_program);
    glDeleteProgram(p->picture_program);
    rv_light_map_free(&p->outside);
    *p = (rv_pane_part){0};
}

// ---- Outside ------------------------------------------------------------------------------------

rv_result rv_pane_part_backdrop(rv_pane_part *p, const rv_backdrop *backdrop)
{
    rv_light_map_free(&p->outside);
    p->own = backdrop != NULL, p->radius = -1;
    if (!backdrop) return RV_OK;
    if (!rv_light_map_make(&p->outside, backdrop->width, backdrop->height)) return RV_OUT_OF_MEMORY;
    size_t count = 3 * (size_t)backdrop->width * (size_t)backdrop->height;
    for (size_t n = 0; n < count; n++) p->outside.rgb[n] = clamp(backdrop->rgb[n], 0, 500);
    while (p->outside.width > OWN_MOST || p->outside.height > OWN_MOST) {
        rv_light_map half;
        if (!rv_blur_halve(&p->outside, &half)) return RV_OUT_OF_MEMORY;
        rv_light_map_free(&p->outside);
        p->outside = half;
    }
    return RV_OK;
}

// The means of the picture, and of its brightest twentieth: what glints and fog are lit by.
static void weigh(rv_pane_part *p, const rv_light_map *soft)
{
    size_t count = (size_t)soft->width * (size_t)soft->height;
    vec3 sum = v3(0, 0, 0), most = v3(0, 0, 0);
    for (size_t n = 0; n < count; n++) {
        vec3 c = v3(soft->rgb[3 * n], soft->rgb[3 * n + 1], soft->rgb[3 * n + 2]);
        sum = add(sum, c);
        if (c.x + c.y + c.z > most.x + most.y + most.z) most = c;
    }
    p->mean = scale(sum, 1 / (float)count), p->brightest = most;
}

static GLuint upload(const rv_light_map *map, bool all_levels)
{
    int levels = all_levels ? rv_pane_levels(map->width, map->height) : 1;
    GLuint name =
        rv_pane_texture(GL_RGB16F, levels, map->width, map->height,
                        all_levels ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR, GL_MIRRORED_REPEAT);
    rv_light_map level = *map, next = {0};
    for (int n = 0; n < levels; n++) {
        glTexSubImage2D(GL_TEXTURE_2D, n, 0, 0, level.width, level.height, GL_RGB, GL_FLOAT,
                        level.rgb);
        bool good = n + 1 < levels && rv_blur_halve(&level, &next);
        if (n > 0) rv_light_map_free(&level);
        if (!good) break;
        level = next;
    }
    return name;
}

static rv_result take_outside(rv_pane_part *p, const rv_params *params)
{
    uint32_t seed = (uint32_t)params->seed;
    if (!p->own && (!p->outside.rgb || seed != p->seed)) {
        rv_light_map_free(&p->outside);
        if (!rv_light_map_make(&p->outside, RV_STREET_WIDE, RV_STREET_HIGH))
            return RV_OUT_OF_MEMORY;
        rv_street_paint(p->outside.rgb, seed);
        p->seed = seed, p->radius = -1;
    }
    return RV_OK;
}

// Half the angles that the picture of outside covers, as tangents: at zoom 1 and straight on it, or
// the part of it that is meant to be seen, covers all of the picture that is drawn.
static void span(const rv_pane_part *p, const rv_params *params, const rv_eye *eye, float out[2])
{
    float sy = tanf(0.5f * (float)params->view_lens);
    float sx = sy * (float)eye->width / (float)eye->height;
    float aspect = (float)p->outside.width / (float)p->outside.height;
    out[1] = maxf(sy, sx / aspect) / (p->own ? 1 : STREET_SEEN), out[0] = out[1] * aspect;
}

static rv_result follow_outside(rv_pane_part *p, const rv_params *params, const float spans[2])
{
    float sy = tanf(0.5f * (float)params->view_lens);
    float radius = (float)params->view_bokeh * sy / spans[1] * (float)p->outside.height;
    if (radius == p->radius) return RV_OK;
    rv_light_map lens, soft;
    bool first = p->radius < 0;
    if (!rv_blur_lens(&p->outside, radius, &lens)) return RV_OUT_OF_MEMORY;
    glDeleteTextures(1, &p->lens);
    p->lens = upload(&lens, false);
    rv_light_map_free(&lens);
    p->radius = radius;
    if (!first) return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
    if (!rv_blur_soft(&p->outside, p->outside.height / 100 + 1, &soft)) return RV_OUT_OF_MEMORY;
    const GLuint names[] = {p->sharp, p->soft};
    glDeleteTextures(2, names);
    p->sharp = upload(&p->outside, true), p->soft = upload(&soft, false);
    weigh(p, &soft);
    rv_light_map_free(&soft);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

// ---- Drawing ------------------------------------------------------------------------------------

static void put(float *row, float x, float y, float z, float w)
{
    row[0] = x, row[1] = y, row[2] = z, row[3] = w;
}

// The wiper's blade from end to end, in cells, where solver glass has it.
static void fill_wiper(const rv_pane_part *p, const rv_pane_frame *f, float n[8])
{
    const rv_params *a = f->params;
    memset(n, 0, 8 * sizeof *n);
    if (!a->glass_wiper) return;
    double cycle = a->glass_wiper_period + a->glass_wiper_pause;
    double t = fmin(fmod(p->time, cycle), a->glass_wiper_period) / a->glass_wiper_period;
    double share = 0.5 - 0.5 * cos(6.283185307 * t);
    double angle = a->glass_wiper_from + (a->glass_wiper_to - a->glass_wiper_from) * share;
    double x = (a->grid_x + a->glass_wiper_x - f->x0) / p->maps.dx;
    double y = (a->grid_y + a->glass_wiper_y - f->y0) / p->maps.dx;
    double inner = fmin(a->glass_wiper_inner, a->glass_wiper_length) / p->maps.dx;
    double outer = a->glass_wiper_length / p->maps.dx, c = cos(angle), s = sin(angle);
    put(n, (float)(x + inner * c), (float)(y + inner * s), (float)(x + outer * c),
        (float)(y + outer * s));
    n[4] = (float)(2.4e-3 / p->maps.dx); // half as wide as a blade with its holder
}

// What both programs are told, in rows of four.
static void fill_numbers(const rv_pane_part *p, const rv_pane_frame *f, const float spans[2],
                         float n[4 * NUMBERS])
{
    const rv_params *params = f->params;
    const rv_mark *m = f->mark;
    bool ring = m && m->shown;
    rv_view_mode mode = params->view_mode;
    float kind = mode == RV_VIEW_NORMALS ? 2.0f : mode == RV_VIEW_DEPTH ? 3.0f : 0.0f;
    float cells = (float)(1 / p->maps.dx); // in a metre
    put(n, (float)p->maps.nx, (float)p->maps.ny, 1e3f / cells, kind);
    put(n + 4, spans[0], spans[1], ring ? (float)(m->at.x - f->x0) * cells : 0,
        ring ? (float)(m->at.y - f->y0) * cells : 0);
    // Thinner than some hundredths of a millimetre water is a film that nobody sees.
    put(n + 8, cells, 1e-3f, 7e-5f * cells, (float)f->scale);
    // The room behind the camera is much darker than what is outside.
    float bright = 0.2126f * p->mean.x + 0.7152f * p->mean.y + 0.0722f * p->mean.z;
    put(n + 12, 0.10f * bright, (float)params->view_fog, params->view_alpha ? 1.0f : 0.0f,
        ring ? (float)m->radius * cells : 0);
    vec3 glint = add(scale(p->brightest, 0.6f), scale(p->mean, 2));
    float white = 0.4f * (glint.x + glint.y + glint.z) / 3; // lamps are seldom of one colour
    put(n + 16, 0.6f * glint.x + white, 0.6f * glint.y + white, 0.6f * glint.z + white, 0);
    put(n + 20, p->mean.x, p->mean.y, p->mean.z, 0);
    fill_wiper(p, f, n + 24);
}

// What is outside, and the numbers of both programs.
static rv_result prepare(rv_pane_part *p, const rv_pane_frame *f, float numbers[4 * NUMBERS])
{
    float spans[2];
    rv_result result = take_outside(p, f->params);
    if (result != RV_OK) return result;
    span(p, f->params, f->eye, spans);
    result = follow_outside(p, f->params, spans);
    if (result == RV_OK) fill_numbers(p, f, spans, numbers);
    return result;
}

rv_result rv_pane_part_shape(rv_pane_part *p, const rv_pane_frame *f)
{
    float numbers[4 * NUMBERS];
    if (!rv_pane_maps_stale(&p->maps)) return RV_OK;
    rv_result result = prepare(p, f, numbers);
    if (result != RV_OK) return result;
    glDisable(GL_DEPTH_TEST);
    glUseProgram(p->shape_program);
    glUniform4fv(p->shape_numbers, NUMBERS, numbers);
    bind(AT_HEIGHTS, GL_TEXTURE_2D, p->maps.heights);
    bind(AT_MISTS, GL_TEXTURE_2D, p->maps.mists);
    bind(AT_AFFINITIES, GL_TEXTURE_2D, p->maps.affinities);
    glBindVertexArray(f->nothing);
    rv_pane_maps_shape(&p->maps);
    return RV_OK;
}

rv_result rv_pane_part_draw(rv_pane_part *p, const rv_pane_frame *f)
{
    float numbers[4 * NUMBERS];
    rv_result result = prepare(p, f, numbers);
    if (result != RV_OK) return result;
    glDisable(GL_DEPTH_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, f->framebuffer);
    glViewport(0, 0, f->eye->width, f->eye->height);
    glUseProgram(p->picture_program);
    glUniform4fv(p->picture_numbers, NUMBERS, numbers);
    bind(AT_SHAPE, GL_TEXTURE_2D, p->maps.shape);
    bind(AT_HEIGHTS, GL_TEXTURE_2D, p->maps.heights);
    bind(AT_SHARP, GL_TEXTURE_2D, p->sharp);
    bind(AT_LENS, GL_TEXTURE_2D, p->lens);
    bind(AT_SOFT, GL_TEXTURE_2D, p->soft);
    bind(RV_AT_ROOM, GL_TEXTURE_CUBE_MAP, f->room);
    bind(RV_AT_COLOURS, GL_TEXTURE_2D, f->colours);
    bind(RV_AT_LETTERS, GL_TEXTURE_2D, f->letters);
    glBindVertexArray(f->nothing);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    return RV_OK;
}

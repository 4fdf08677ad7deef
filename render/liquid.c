// Draws liquid of columns: the nearest sheet, and what lies behind it, one sample a pixel.
//
// Where a driver computes, triangles give no more than depth and shape of what is seen, and a
// kernel finds its light, pixel by pixel. Where it does not, depth is drawn first, and then what is
// seen.
#include "render/renderer_parts.h"

static void bind(int place, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)place);
    glBindTexture(GL_TEXTURE_2D, texture);
}

const rv_programs *rv_liquid_programs(const rv_renderer *r)
{
    return r->wide.on ? &r->wide_program : &r->program;
}

void rv_liquid_draw(const rv_renderer *r)
{
    if (r->wide.on)
        rv_wide_draw(&r->wide);
    else
        rv_sheet_draw(&r->sheet, r->chosen ? &r->cull : NULL);
}

void rv_liquid_choose_all(rv_renderer *r)
{
    r->chosen = false;
}

void rv_liquid_choose(rv_renderer *r, rv_cull_way way, const int area[4])
{
    bool lamp = way == RV_CULL_LAMP || way == RV_CULL_LAMP_BENT;
    const float side = RV_GATHER_SIDE;
    const float size[2] = {lamp ? side : (float)r->frame.width,
                           lamp ? side : (float)r->frame.height};
    float window[4] = {0, 0, size[0], size[1]};
    r->chosen = false;
    if (r->wide.on || !rv_cull_pays(&r->cull, &r->kernels, &r->sheet)) return;
    if (!lamp) {
        for (int a = 0; a < 2; a++)
            window[a] = (float)area[a], window[2 + a] = (float)(area[a] + area[2 + a]);
        bind(RV_AT_DEPTH, r->frame.scene_depth);
    }
    r->chosen = rv_cull_choose(&r->cull, &r->sheet, way, window, size, r->frame.samples);
}

// The nearest liquid's depth, where no solid hides it.
static void draw_front(rv_renderer *r)
{
    const rv_picture_frame *f = &r->frame;
    bind(RV_AT_FRONT, 0);
    bind(RV_AT_DEPTH, f->scene_depth);
    glBindFramebuffer(GL_FRAMEBUFFER, f->front);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    glUseProgram(rv_liquid_programs(r)->front);
    rv_liquid_draw(r);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

// Liquid behind that: its depth first, so that only what is seen of it is shaded.
static void draw_second(rv_renderer *r)
{
    const rv_picture_frame *f = &r->frame;
    glBindFramebuffer(GL_FRAMEBUFFER, f->second);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    bind(RV_AT_FRONT, f->front_depth);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    glUseProgram(r->program.peel);
    rv_sheet_draw(&r->sheet, r->chosen ? &r->cull : NULL);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthFunc(GL_EQUAL);
    glDepthMask(GL_FALSE);
    glUseProgram(r->program.second);
    rv_sheet_draw(&r->sheet, r->chosen ? &r->cull : NULL);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LEQUAL);
    bind(RV_AT_FRONT, 0);
}

// The light of the lamp through the liquid, on what is seen through it.
static void shade_solids(rv_renderer *r, const rv_params *p, const int area[4])
{
    if (rv_gather_wanted(r, p)) {
        glDisable(GL_POLYGON_OFFSET_FILL);
        rv_timers_part(&r->timers, RV_PASS_LIGHT);
        rv_gather_shade(r, area);
        glEnable(GL_POLYGON_OFFSET_FILL);
    }
    bind(RV_AT_SCENE, r->shown);
    bind(RV_AT_DEPTH, r->frame.scene_depth);
}

static void draw(rv_renderer *r, const rv_params *p, const int area[4])
{
    const rv_picture_frame *f = &r->frame;
    const rv_programs *of = rv_liquid_programs(r);
    bool mapped = rv_views_mapped(p->view_mode);
    if (!rv_programs_take(r, mapped ? RV_PROGRAMS_MAPPED : RV_PROGRAMS_DRAWN)) return;
    draw_front(r);
    shade_solids(r, p, area);
    if (r->planes > 1 && !mapped) {
        rv_timers_part(&r->timers, RV_PASS_SECOND);
        draw_second(r);
    }
    rv_timers_part(&r->timers, RV_PASS_LIQUID);
    bind(RV_AT_SECOND, f->second_colour);
    glBindFramebuffer(GL_FRAMEBUFFER, f->front);
    glDepthMask(GL_FALSE);
    glDepthFunc(GL_EQUAL);
    glUseProgram(mapped ? of->mapped : r->bodies.count > 0 ? of->under_bodies : of->liquid);
    rv_liquid_draw(r);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_TRUE);
}

// Depths and shapes of the nearest liquid, or of what is behind it.
static void draw_shapes(rv_renderer *r, GLuint framebuffer, bool second)
{
    const rv_picture_frame *f = &r->frame;
    bind(RV_AT_DEPTH, f->scene_depth);
    bind(RV_AT_FRONT, second ? f->front_depth : 0);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glClear(GL_DEPTH_BUFFER_BIT);
    const rv_programs *of = rv_liquid_programs(r);
    glUseProgram(second ? of->shape_second : of->shape);
    rv_liquid_draw(r);
}

static void compute_colours(rv_renderer *r, GLuint kernel, bool second, const int area[4])
{
    const rv_picture_frame *f = &r->frame;
    const rv_shape_frame *shape = &f->shape[second];
    bind(RV_AT_SHAPE, shape->first);
    bind(RV_AT_SHAPE_REST, shape->rest);
    bind(RV_AT_FRONT, second ? f->second_depth : f->front_depth);
    // Its groups are the tiles of the picture.
    const int x = area[0] / 8 * 8, y = area[1] / 8 * 8;
    const int part[4] = {x, y, area[2] + area[0] - x, area[3] + area[1] - y};
    if (!second) rv_kernels_bind(1, f->tiles, 0, GL_R32UI);
    rv_kernels_run(kernel, part, second ? f->second_colour : f->front_colour, GL_RGBA16F);
    bind(RV_AT_SHAPE, 0);
    bind(RV_AT_SHAPE_REST, 0);
    bind(RV_AT_FRONT, 0);
}

// false: this driver cannot; nothing was drawn.
static bool compute(rv_renderer *r, const rv_params *p, const int area[4])
{
    rv_picture_frame *f = &r->frame;
    bool bodies = r->bodies.count > 0, behind = r->planes > 1;
    if (rv_views_mapped(p->view_mode)) return false;
    GLuint kernel =
        rv_kernels_take(&r->kernels, bodies ? RV_KERNEL_LIQUID_BODIES : RV_KERNEL_LIQUID);
    GLuint second = behind ? rv_kernels_take(&r->kernels, RV_KERNEL_SECOND) : 0;
    if (!kernel || (behind && !second) || !rv_frame_take_shapes(f, behind ? 2 : 1)) return false;
    rv_liquid_choose(r, RV_CULL_PICTURE, area);
    draw_shapes(r, f->shape[0].framebuffer, false);
    shade_solids(r, p, area);
    if (behind) {
        rv_timers_part(&r->timers, RV_PASS_SECOND);
        draw_shapes(r, f->shape[1].framebuffer, true);
        compute_colours(r, second, true, area);
    }
    rv_liquid_choose_all(r);
    rv_timers_part(&r->timers, RV_PASS_LIQUID);
    bind(RV_AT_SECOND, f->second_colour);
    compute_colours(r, kernel, false, area);
    r->tiled = true;
    return true;
}

void rv_liquid_shade(rv_renderer *r, const rv_params *p, const int area[4])
{
    // The solids' depth is that of one of a pixel's samples, not of its middle: a film on a slope
    // must not be lost for that.
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(-1.5f, -4);
    if (!compute(r, p, area)) draw(r, p, area);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

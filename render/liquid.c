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

// The farthest depth everywhere. The frame before left it but where it had liquid, and its tiles
// are still known.
static void clear_depth(rv_renderer *r, bool second)
{
    const rv_picture_frame *f = &r->frame;
    int across = (f->width + 8 * RV_PIXEL_TILE - 1) / (8 * RV_PIXEL_TILE);
    int along = (f->height + 8 * RV_PIXEL_TILE - 1) / (8 * RV_PIXEL_TILE);
    if (!r->depth_left[second]) {
        glDisable(GL_SCISSOR_TEST);
        glClear(GL_DEPTH_BUFFER_BIT);
        glEnable(GL_SCISSOR_TEST);
        return;
    }
    bind(RV_AT_TILES, f->tiles);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_POLYGON_OFFSET_FILL);
    glDepthFunc(GL_ALWAYS);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    glUseProgram(r->program.no_depth);
    glBindVertexArray(r->nothing);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, across * along);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthFunc(GL_LEQUAL);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glEnable(GL_SCISSOR_TEST);
}

// Depths and shapes of the nearest liquid, or of what is behind it; or numbers of its triangles.
static void draw_shapes(rv_renderer *r, bool numbered, bool second)
{
    const rv_picture_frame *f = &r->frame;
    const rv_programs *of = rv_liquid_programs(r);
    bind(RV_AT_DEPTH, f->scene_depth);
    bind(RV_AT_FRONT, second ? f->front_depth : 0);
    glBindFramebuffer(GL_FRAMEBUFFER,
                      numbered ? f->number_frame[second] : f->shape[second].framebuffer);
    clear_depth(r, second);
    if (numbered)
        glUseProgram(second ? of->number_second : of->number);
    else
        glUseProgram(second ? of->shape_second : of->shape);
    rv_liquid_draw(r);
}

static void compute_colours(rv_renderer *r, GLuint kernel, bool numbered, bool second,
                            const int area[4])
{
    const rv_picture_frame *f = &r->frame;
    bind(RV_AT_SHAPE, numbered ? f->numbers[second] : f->shape[second].first);
    if (numbered)
        rv_sheet_set_words(&r->sheet, kernel);
    else
        bind(RV_AT_SHAPE_REST, f->shape[second].rest);
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

// Whether only numbers of triangles are drawn: not of a wide world, which has none, and not where
// some of very many are chosen.
static bool by_number(const rv_renderer *r)
{
    return r->kernels.numbers && !r->wide.on && !rv_cull_pays(&r->cull, &r->kernels, &r->sheet);
}

rv_kernel rv_liquid_kernel(const rv_renderer *r, bool second)
{
    bool bodies = r->bodies.count > 0;
    if (by_number(r))
        return second   ? RV_KERNEL_NUMBERED_SECOND
               : bodies ? RV_KERNEL_NUMBERED_BODIES
                        : RV_KERNEL_NUMBERED;
    return second ? RV_KERNEL_SECOND : bodies ? RV_KERNEL_LIQUID_BODIES : RV_KERNEL_LIQUID;
}

// The buffers and programs for one way. false: this driver cannot.
static bool take_way(rv_renderer *r, bool numbered, int layers)
{
    if (!numbered)
        return (r->wide.on || rv_programs_take(r, RV_PROGRAMS_SHAPED)) &&
               rv_frame_take_shapes(&r->frame, layers);
    r->kernels.numbers =
        rv_programs_take(r, RV_PROGRAMS_NUMBERED) && rv_frame_take_numbers(&r->frame, layers);
    rv_sheet_bind_words(&r->sheet);
    return r->kernels.numbers;
}

// false: this driver cannot; nothing was drawn.
static bool compute(rv_renderer *r, const rv_params *p, const int area[4])
{
    const rv_picture_frame *f = &r->frame;
    bool behind = r->planes > 1, numbered = by_number(r);
    if (rv_views_mapped(p->view_mode)) return false;
    GLuint kernel = rv_kernels_take(&r->kernels, rv_liquid_kernel(r, false));
    GLuint second = behind ? rv_kernels_take(&r->kernels, rv_liquid_kernel(r, true)) : 0;
    if (!kernel || (behind && !second) || !take_way(r, numbered, behind ? 2 : 1))
        return numbered && !r->kernels.numbers && compute(r, p, area);
    rv_liquid_choose(r, RV_CULL_PICTURE, area);
    draw_shapes(r, numbered, false);
    shade_solids(r, p, area);
    if (behind) {
        rv_timers_part(&r->timers, RV_PASS_SECOND);
        draw_shapes(r, numbered, true);
        compute_colours(r, second, numbered, true, area);
    }
    rv_liquid_choose_all(r);
    rv_timers_part(&r->timers, RV_PASS_LIQUID);
    bind(RV_AT_SECOND, f->second_colour);
    compute_colours(r, kernel, numbered, false, area);
    r->tiled = r->depth_left[0] = true, r->depth_left[1] = behind;
    return true;
}

void rv_liquid_shade(rv_renderer *r, const rv_params *p, const int area[4])
{
    // The solids' depth is that of one of a pixel's samples, not of its middle: a film on a slope
    // must not be lost for that.
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(-1.5f, -4);
    if (!compute(r, p, area)) {
        draw(r, p, area);
        r->depth_left[0] = r->depth_left[1] = false;
    }
    glDisable(GL_POLYGON_OFFSET_FILL);
}

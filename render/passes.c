// Draws a frame, in passes:
//
//     shadow     the terrain as the lamp sees it, and who sees the lamp; kept while both stay.
//                Bodies have a map of their own
//     solids     terrain, bodies and backdrop, several samples a pixel, and a copy with one; kept
//                while the camera stays, but for where bodies and their shadows move
//     liquid     the nearest sheet's depth, then what lies behind it, then itself: one sample a
//                pixel
//     over       the liquid's colours to the samples that it covers; lines and marks
//     finish     both together, exposure, curve, sRGB, into the target
//
// So a pixel of liquid is shaded once, however many of its triangles it has, and smooth at its
// edges all the same.
#include "render/optics.h"
#include "render/renderer_parts.h"
#include "render/studio.h"

#include <string.h>

static void put(float out[4], vec3 v, float w)
{
    out[0] = v.x, out[1] = v.y, out[2] = v.z, out[3] = w;
}

static void put4(float out[4], float x, float y, float z, float w)
{
    out[0] = x, out[1] = y, out[2] = z, out[3] = w;
}

// Toward the lamp, in the world's directions. The studio turns with the scene's own camera, so that
// a scene is lit as it was meant to be seen; one that walks around it leaves the lamps where they
// are.
static float turn_of(const rv_renderer *r, const rv_params *p)
{
    return (float)p->view_turn + (r->room.studio ? r->azimuth : 0);
}

static vec3 key_of(const rv_renderer *r, const rv_params *p)
{
    float a = turn_of(r, p), c = cosf(a), s = sinf(a);
    vec3 k = r->room.key;
    // A lamp in the floor or at the horizon would throw endless shadows.
    return unit(v3(c * k.x - s * k.y, s * k.x + c * k.y, maxf(k.z, 0.15f)));
}

static void fill_light(rv_renderer *r, const rv_params *p)
{
    rv_frame_numbers *n = &r->numbers;
    float a = turn_of(r, p);
    memcpy(n->to_shadow, r->shadow.matrix, sizeof n->to_shadow);
    // A film's pictures show droplets drawn out over a part of the time between them; where
    // pictures are laid over each other that does it.
    double taken = p->view_shutter > 0 ? 0 : 0.15 * p->view_speed / p->view_rate;
    put4(n->wet, r->foam.texture != 0, RV_GATHER_SIDE, (float)taken, 0);
    n->range[2] = 1.0f / RV_SHADOW_SIDE, n->range[3] = r->shadow.wide;
    put(n->key, key_of(r, p), r->room.key_width);
    put(n->key_light, r->room.key_light, r->shadow.far);
    put4(n->turn, cosf(a), sinf(a), RV_ROOM_LEVELS - 1, (float)p->view_exposure);
    for (int k = 0; k < 9; k++) put(n->sky[k], r->room.sky[k], 0);
    vec3 paper = r->room.studio ? rv_studio_paper(r->room.kind) : v3(1, 1, 1);
    n->sky[0][3] = paper.x, n->sky[1][3] = paper.y, n->sky[2][3] = paper.z;
}

static void fill_liquid(rv_renderer *r, const rv_params *p)
{
    rv_frame_numbers *n = &r->numbers;
    double dx = r->extent.dx;
    rv_optics_numbers o = rv_optics_numbers_of(p, dx);
    put(n->fade, o.fade, o.index);
    put(n->back, o.back, o.straight);
    put(n->rest, o.rest, (float)(p->view_opaque / dx));
    // Sheets of thick liquid fall smoothly. Tuned on blood and on paint.
    double lively = 1 / (1 + p->liquid_viscosity / 1e-5);
    put4(n->meniscus, (float)(p->surface_meniscus_length / dx), (float)lively,
         r->planes > 1 ? 2 : 1, p->view_capped ? 0 : 1);
}

static void fill_numbers(rv_renderer *r, const rv_params *p, const rv_eye *eye)
{
    rv_frame_numbers *n = &r->numbers;
    const rv_extent *e = &r->extent;
    rv_eye_matrix(eye, n->to_picture);
    put(n->eye, eye->at, 0);
    put(n->right, eye->right, eye->sx);
    put(n->up, eye->up, eye->sy);
    put(n->forward, eye->forward, maxf(e->wide, e->deep));
    put4(n->picture, (float)eye->width, (float)eye->height, 1 / (float)eye->width,
         1 / (float)eye->height);
    put4(n->range, eye->near, eye->far, 0, 0);
    put4(n->block, e->wide, e->deep, e->floor, e->high);
    put4(n->material, (float)r->material, (float)p->view_material, e->top, 0);
    put4(n->detail, r->wide.near, (float)(p->surface_film / e->dx), (float)(1 / e->dx), 0);
    put4(n->rows, (float)r->wide.first, (float)r->wide.pitch, 0, 0);
    fill_light(r, p);
    fill_liquid(r, p);
    rv_views_numbers(r, p, eye->width, eye->height);
    glBindBuffer(GL_UNIFORM_BUFFER, r->numbers_buffer);
    glBufferData(GL_UNIFORM_BUFFER, sizeof *n, n, GL_STREAM_DRAW);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, r->numbers_buffer);
}

static void bind(int place, GLenum kind, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)place);
    glBindTexture(kind, texture);
}

static void copy(const rv_picture_frame *f, GLuint from, GLuint to, GLbitfield what)
{
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
    glBlitFramebuffer(0, 0, f->width, f->height, 0, 0, f->width, f->height, what, GL_NEAREST);
}

static void draw_whole(const rv_renderer *r, GLuint program)
{
    glUseProgram(program);
    glBindVertexArray(r->nothing);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static bool draw_tiles(rv_renderer *r, const rv_params *p, const rv_eye *eye, rv_messages *messages)
{
    if (r->wide.on) {
        GLuint program = rv_programs_mix(r, 1u << r->material, p->view_material, messages);
        if (!program) return false;
        glUseProgram(program);
        rv_wide_draw(&r->wide);
        return true;
    }
    for (unsigned materials = 1; materials < 1u << RV_MATERIALS; materials++) {
        if (!(r->tiles.mixes >> materials & 1)) continue;
        GLuint program = rv_programs_mix(r, materials, p->view_material, messages);
        if (!program) return false;
        glUseProgram(program);
        rv_tiles_draw(&r->tiles, eye, materials);
    }
    return true;
}

static bool draw_bodies(rv_renderer *r, rv_messages *messages)
{
    const rv_body_set *s = &r->bodies;
    for (int m = 0; m < RV_BODY_MATERIALS; m++) {
        if (s->count == 0 || s->first[m + 1] == s->first[m]) continue;
        if (!rv_programs_body(r, m, messages)) return false;
        glUseProgram(r->body[m]);
        rv_body_set_draw(s, m);
    }
    return true;
}

// The eye that sees only a part of the picture: enough to find out what is hidden from it.
static rv_eye narrowed(const rv_eye *eye, const int area[4])
{
    rv_eye e = *eye;
    float x = (2 * (float)area[0] + (float)area[2]) / (float)eye->width - 1;
    float y = (2 * (float)area[1] + (float)area[3]) / (float)eye->height - 1;
    e.right = along(e.right, e.forward, -x * eye->sx);
    e.up = along(e.up, e.forward, -y * eye->sy);
    e.sx *= (float)area[2] / (float)eye->width, e.sy *= (float)area[3] / (float)eye->height;
    return e;
}

static bool draw_solid(rv_renderer *r, const rv_params *p, const rv_eye *eye, const int area[4],
                       rv_messages *messages)
{
    rv_eye part = narrowed(eye, area);
    glEnable(GL_SCISSOR_TEST);
    glScissor(area[0], area[1], area[2], area[3]);
    glBindFramebuffer(GL_FRAMEBUFFER, r->frame.many);
    glClear(GL_DEPTH_BUFFER_BIT);
    glDisable(GL_DEPTH_TEST);
    glDepthMask(GL_FALSE);
    draw_whole(r, r->program.backdrop);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glEnable(GL_CULL_FACE);
    bool good = draw_bodies(r, messages) && draw_tiles(r, p, &part, messages);
    glDisable(GL_CULL_FACE);
    copy(&r->frame, r->frame.many, r->frame.scene, GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    return good;
}

// The numbers that a picture of solids depends on; all others are 0.
static rv_frame_numbers solid_numbers(const rv_frame_numbers *n)
{
    rv_frame_numbers s = *n;
    s.turn[3] = 0; // exposure comes later
    s.mode[0] = s.mode[1] = s.mode[2] = 0;
    memset(s.fade, 0, sizeof s.fade);
    memset(s.back, 0, sizeof s.back);
    memset(s.rest, 0, sizeof s.rest);
    memset(s.meniscus, 0, sizeof s.meniscus);
    memset(s.legend, 0, sizeof s.legend);
    s.wet[0] = 0;
    return s;
}

// While nothing of it changes the last picture of the solids stays. Where bodies move, it is drawn
// anew around where they and their shadows were and are.
static bool keep_solid(rv_renderer *r, const rv_params *p, const rv_eye *eye, rv_messages *messages)
{
    rv_frame_numbers now = solid_numbers(&r->numbers);
    bool same = r->kept && memcmp(&now, &r->solid, sizeof now) == 0;
    int bodies[4], area[4];
    memset(r->area_solid, 0, sizeof r->area_solid);
    if (same && !rv_body_set_moved(&r->bodies)) return true;
    rv_body_set_area(&r->bodies, &r->extent, eye, key_of(r, p), r->room.key_width, bodies);
    memcpy(area, bodies, sizeof area);
    if (same)
        rv_area_join(area, r->bodies.area);
    else
        rv_area_whole(&r->frame, area);
    r->solid = now;
    memcpy(r->area_solid, area, sizeof area);
    r->kept = area[2] <= 0 || area[3] <= 0 || draw_solid(r, p, eye, area, messages);
    if (r->kept) rv_body_set_keep(&r->bodies, bodies);
    return r->kept;
}

// ---- Liquid -------------------------------------------------------------------------------------

// Drops, whatever they hang at.
static bool has_drops(const rv_renderer *r)
{
    return r->drops.count > 0 || r->beads.count > 0 || r->dew.count > 0;
}

static void draw_liquid(rv_renderer *r, const rv_params *p, const int area[4])
{
    rv_view_mode mode = p->view_mode;
    const rv_picture_frame *f = &r->frame;
    if (rv_views_hide_liquid(mode)) return;
    if (r->box.there) {
        r->depth_left[0] = r->depth_left[1] = false;
        if (r->pointed)
            rv_density_draw_points(r);
        else
            rv_density_draw(r);
        return;
    }
    // Droplets ask for the depth of the liquid, also where there is none.
    if (r->sheet.index_count == 0 && has_drops(r)) {
        glBindFramebuffer(GL_FRAMEBUFFER, f->front);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    }
    if (r->sheet.index_count > 0) rv_liquid_shade(r, p, area);
}

static void draw_drops(rv_renderer *r, const rv_eye *eye)
{
    bind(RV_AT_SCENE, GL_TEXTURE_2D, r->shown);
    bind(RV_AT_DEPTH, GL_TEXTURE_2D, r->frame.scene_depth);
    bind(RV_AT_NEAREST, GL_TEXTURE_2D, r->frame.front_colour);
    bind(RV_AT_FRONT, GL_TEXTURE_2D, r->frame.front_depth);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glUseProgram(r->program.dew);
    rv_dew_set_draw(&r->dew, eye);
    glUseProgram(r->program.drop);
    rv_drops_draw(&r->drops);
    glUseProgram(r->program.bead);
    rv_beads_draw(&r->beads);
    glDisable(GL_BLEND);
}

static bool reads_samples(const rv_renderer *r)
{
    return r->frame.over_read && rv_target_image(r->target) != 0;
}

// The kernel that finishes the picture right into the target; 0: that is drawn.
static GLuint finish_kernel(rv_renderer *r)
{
    if (!reads_samples(r)) return 0;
    return rv_kernels_take(&r->kernels, r->coded ? RV_KERNEL_FINISH_CODED : RV_KERNEL_FINISH);
}

static void clear_tiles(rv_renderer *r, bool drops_only)
{
    int across = (r->frame.width + RV_PIXEL_TILE - 1) / RV_PIXEL_TILE;
    int along = (r->frame.height + RV_PIXEL_TILE - 1) / RV_PIXEL_TILE;
    int which = drops_only ? 2 : r->spotted ? 3 : 1; // as tile_vertex.glsl has it
    bind(RV_AT_TILES, GL_TEXTURE_2D, r->frame.tiles);
    glUseProgram(r->program.no_tiles);
    glUniform1i(glGetUniformLocation(r->program.no_tiles, "which"), which);
    glBindVertexArray(r->nothing);
    glDisable(GL_DEPTH_TEST);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, across * along);
    glEnable(GL_DEPTH_TEST);
}

// Whether the liquid's samples are told by codes, which the kernel at the end reads.
static bool takes_codes(rv_renderer *r)
{
    return r->tiled && r->frame.code && rv_kernels_take(&r->kernels, RV_KERNEL_FINISH_CODED) &&
           (r->wide.on || rv_programs_take(r, RV_PROGRAMS_CODED));
}

// Nothing lies over the solids yet. Clearing all samples of a large picture costs a card more than
// most of what is drawn: where only liquid and drops are, their tiles are enough, and the kernel at
// the end looks at no others. Also beside the area: frames before this one cleared no more than
// their tiles, and of tiles at its edge all pixels are looked at.
static void clear_over(rv_renderer *r, const rv_params *p, const rv_eye *eye)
{
    bool more = r->mark.shown || p->view_mode != RV_VIEW_SHADED, left = r->over_left;
    r->tiled = r->tiled && !more && reads_samples(r);
    r->spotted = r->tiled && has_drops(r);
    if (r->spotted) r->tiled = rv_spots_find(r, eye);
    r->coded = takes_codes(r);
    r->tiled = r->over_left = r->tiled && finish_kernel(r);
    bool beside = (left || r->tiled) && glIsEnabled(GL_SCISSOR_TEST);
    if (beside) glDisable(GL_SCISSOR_TEST);
    if (!r->tiled)
        glClear(GL_COLOR_BUFFER_BIT);
    else if (!r->coded || r->spotted)
        clear_tiles(r, r->coded);
    if (r->coded) rv_frame_next_codes(&r->frame);
    if (beside) glEnable(GL_SCISSOR_TEST);
}

// The liquid, to all samples that it covers.
static void cover_liquid(rv_renderer *r, const int area[4])
{
    const rv_picture_frame *f = &r->frame;
    const rv_programs *of = rv_liquid_programs(r);
    GLuint program = r->coded ? of->cover_code : of->cover;
    rv_liquid_choose(r, RV_CULL_SAMPLES, area);
    bind(RV_AT_NEAREST, GL_TEXTURE_2D, f->front_colour);
    bind(RV_AT_FRONT, GL_TEXTURE_2D, f->front_depth);
    glUseProgram(program);
    if (r->coded) glUniform1i(glGetUniformLocation(program, "code_of_frame"), f->code_now);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(-0.5f, -4);
    rv_liquid_draw(r);
    rv_liquid_choose_all(r);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

// Everything that lies over the solids, to all samples that it covers.
static void draw_over(rv_renderer *r, const rv_params *p, const rv_eye *eye, const int area[4])
{
    const rv_picture_frame *f = &r->frame;
    bool hidden = rv_views_hide_liquid(p->view_mode);
    glBindFramebuffer(GL_FRAMEBUFFER, f->over);
    glDepthMask(GL_FALSE); // the solids' depths are kept
    clear_over(r, p, eye);
    if (r->box.there && r->pointed) rv_density_cover_points(r);
    if (r->box.there && !r->pointed && !hidden) rv_density_cover(r);
    if (!r->box.there && r->sheet.index_count > 0 && !hidden) cover_liquid(r, area);
    if (r->coded) glBindFramebuffer(GL_FRAMEBUFFER, f->over);
    if (has_drops(r) && !hidden) draw_drops(r, eye);
    rv_views_draw(r, p, eye);
    glDepthMask(GL_TRUE);
    if (finish_kernel(r)) return; // it reads all samples
    rv_timers_part(&r->timers, RV_PASS_MEAN);
    copy(f, f->over, f->whole, GL_COLOR_BUFFER_BIT);
}

static void bind_light(const rv_renderer *r)
{
    bind(RV_AT_SHADOW, GL_TEXTURE_2D, r->shadow.depth);
    glBindSampler(RV_AT_SHADOW, r->shadow.compare);
    bind(RV_AT_BLOCKER, GL_TEXTURE_2D, r->shadow.depth);
    glBindSampler(RV_AT_BLOCKER, r->shadow.read);
    bind(RV_AT_BODY_SHADOW, GL_TEXTURE_2D, r->bodies.depth);
    glBindSampler(RV_AT_BODY_SHADOW, r->shadow.compare);
    bind(RV_AT_BODY_BLOCKER, GL_TEXTURE_2D, r->bodies.depth);
    glBindSampler(RV_AT_BODY_BLOCKER, r->shadow.read);
    bind(RV_AT_ROOM, GL_TEXTURE_CUBE_MAP, r->room.cube);
    bind(RV_AT_NOISE, GL_TEXTURE_3D, r->noise);
    bind(RV_AT_FLOOR, GL_TEXTURE_2D, r->shadow.floor);
    bind(RV_AT_LETTERS, GL_TEXTURE_2D, r->legend.texture);
    bind(RV_AT_COLOURS, GL_TEXTURE_2D, r->colours);
    rv_foam_bind(&r->foam);
}

static void bind_wide(const rv_renderer *r)
{
    bind(RV_AT_HEIGHTS, GL_TEXTURE_2D, r->wide.heights);
#ifndef __EMSCRIPTEN__
    if (r->wide.buffered)
        bind(RV_AT_LIQUID, GL_TEXTURE_BUFFER, r->wide.words);
    else
#endif
        bind(RV_AT_LIQUID, GL_TEXTURE_2D, r->wide.depth);
    bind(RV_AT_OPEN, GL_TEXTURE_2D, r->wide.open);
    bind(RV_AT_LAMP, GL_TEXTURE_2D, r->wide.lamp);
}

// Once for each lamp and terrain.
static void spread_shadow(rv_renderer *r)
{
    // Also while nothing is drawn there must be no map in use that is read: first the framebuffer.
    glBindFramebuffer(GL_FRAMEBUFFER, r->shadow.floor_framebuffer);
    if (r->wide.on) {
        bind(RV_AT_LAMP, GL_TEXTURE_2D, 0); // it is drawn into
        glBindFramebuffer(GL_FRAMEBUFFER, r->wide.lamp_framebuffer);
        glViewport(0, 0, r->wide.lamp_side[0], r->wide.lamp_side[1]);
        glDisable(GL_DEPTH_TEST);
        draw_whole(r, r->wide_program.wide_lamp);
        bind(RV_AT_LAMP, GL_TEXTURE_2D, r->wide.lamp);
        glBindFramebuffer(GL_FRAMEBUFFER, r->shadow.floor_framebuffer);
    } else {
        rv_tiles_light(&r->tiles, r->program.lamp);
    }
    glViewport(0, 0, RV_FLOOR_SIDE, RV_FLOOR_SIDE);
    glDisable(GL_DEPTH_TEST);
    draw_whole(r, r->program.floor);
}

// All of the picture, whatever changed of it: by compute that costs next to nothing.
static void finish_there(rv_renderer *r, GLuint kernel)
{
#ifdef __EMSCRIPTEN__
    (void)r, (void)kernel;
#else
    int whole[4];
    rv_area_whole(&r->frame, whole);
    bind(RV_AT_WHOLE, GL_TEXTURE_2D_MULTISAMPLE, r->frame.over_colour);
    bind(RV_AT_TILES, GL_TEXTURE_2D, r->frame.tiles);
    glUseProgram(kernel);
    if (r->coded) {
        bind(RV_AT_CODES, GL_TEXTURE_2D_MULTISAMPLE, r->frame.codes);
        bind(RV_AT_NEAREST, GL_TEXTURE_2D, r->frame.front_colour);
        glUniform1i(glGetUniformLocation(kernel, "code_of_frame"), r->frame.code_now);
    }
    glUniform1i(glGetUniformLocation(kernel, "tiled"), r->tiled);
    glUniform1i(glGetUniformLocation(kernel, "spotted"), r->spotted);
    rv_kernels_run(kernel, whole, rv_target_image(r->target), GL_RGBA8);
    bind(RV_AT_WHOLE, GL_TEXTURE_2D_MULTISAMPLE, 0);
#endif
}

static void finish(rv_renderer *r, GLuint framebuffer)
{
    bind(RV_AT_SCENE, GL_TEXTURE_2D, r->shown);
    GLuint kernel = finish_kernel(r);
    if (kernel) {
        finish_there(r, kernel);
        return;
    }
    bind(RV_AT_WHOLE, GL_TEXTURE_2D, r->frame.whole_colour);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glDisable(GL_DEPTH_TEST);
    draw_whole(r, r->program.finish);
}

// The curve and its logarithms cost more than a copy: where less than half of the picture changed
// only that is finished anew, in a picture that is kept. A window's own pixels are not kept.
static void show(rv_renderer *r, int area[4])
{
    const rv_picture_frame *f = &r->frame;
    GLuint target = rv_target_framebuffer(r->target);
    rv_area_join(area, r->area_solid);
    bool half = 2 * (int64_t)area[2] * area[3] >= (int64_t)f->width * f->height;
    if (half || finish_kernel(r)) {
        finish(r, target);
        r->finished = false;
        return;
    }
    if (!r->finished || r->exposure != r->numbers.turn[3]) rv_area_whole(f, area);
    glEnable(GL_SCISSOR_TEST);
    glScissor(area[0], area[1], area[2] > 0 ? area[2] : 0, area[3] > 0 ? area[3] : 0);
    finish(r, f->done);
    glDisable(GL_SCISSOR_TEST);
    r->finished = true, r->exposure = r->numbers.turn[3];
    bind(RV_AT_WHOLE, GL_TEXTURE_2D, f->done_colour);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    draw_whole(r, r->program.done);
}

// Whoever shares the context may have left it in any state.
static void reset(int width, int height)
{
    glViewport(0, 0, width, height);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_STENCIL_TEST);
    glDisable(GL_POLYGON_OFFSET_FILL);
    glDisable(GL_RASTERIZER_DISCARD);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LEQUAL);
    glDepthRangef(0, 1);
    glClearDepthf(1);
    glClearColor(0, 0, 0, 0);
    glEnable(GL_DEPTH_TEST);
    glFrontFace(GL_CCW);
    glCullFace(GL_BACK);
    while (glGetError() != GL_NO_ERROR) continue;
}

// A pane is drawn in its own way, straight into the target.
static rv_result draw_pane(rv_renderer *r, const rv_params *params, int width, int height)
{
    rv_params p = *params;
    if (p.view_mode != RV_VIEW_NORMALS && p.view_mode != RV_VIEW_DEPTH)
        p.view_mode = RV_VIEW_SHADED;
    rv_eye eye = rv_eye_of(&p, &r->extent, width, height);
    rv_timers_begin(&r->timers);
    rv_timers_part(&r->timers, RV_PASS_SHADOW);
    fill_numbers(r, &p, &eye);
    const rv_pane_frame frame = {.params = &p,
                                 .eye = &eye,
                                 .mark = &r->mark,
                                 .x0 = r->extent.x0,
                                 .y0 = r->extent.y0,
                                 .framebuffer = rv_target_framebuffer(r->target),
                                 .nothing = r->nothing,
                                 .room = r->room.cube,
                                 .colours = r->colours,
                                 .letters = r->legend.texture,
                                 .scale = (double)r->numbers.mode[2] * r->extent.dx};
    rv_timers_part(&r->timers, RV_PASS_SOLIDS);
    rv_result result = rv_pane_part_shape(&r->pane, &frame);
    rv_timers_part(&r->timers, RV_PASS_LIQUID);
    if (result == RV_OK) result = rv_pane_part_draw(&r->pane, &frame);
    rv_timers_part(&r->timers, RV_PASS_FINISH);
    rv_timers_end(&r->timers);
    r->frame.fresh = true, r->wanted = params->view_mode;
    glBindVertexArray(0);
    glUseProgram(0);
    glActiveTexture(GL_TEXTURE0);
    if (result != RV_OK) return result;
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

// `fresh`: what the next frame finds in the buffers is not of use to it.
static rv_result end_frame(rv_renderer *r, const rv_params *p, bool fresh)
{
    rv_timers_end(&r->timers);
    r->frame.fresh = fresh;
    r->wanted = p->view_mode;
    glBindVertexArray(0);
    glUseProgram(0);
    glBindSampler(RV_AT_SHADOW, 0);
    glBindSampler(RV_AT_BLOCKER, 0);
    glBindSampler(RV_AT_BODY_SHADOW, 0);
    glBindSampler(RV_AT_BODY_BLOCKER, 0);
    glActiveTexture(GL_TEXTURE0);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

static rv_result take_frame(rv_renderer *r, const rv_params *p, int width, int height,
                            rv_messages *messages)
{
    bool read = r->kernels.can && rv_target_image(r->target) != 0;
    rv_result result = rv_frame_take(&r->frame, width, height, p->view_samples, read, messages);
    if (r->frame.fresh) { // nothing is in it that was left there
        r->kept = r->finished = r->lit = false, r->over_left = true;
        r->depth_left[0] = r->depth_left[1] = false;
    }
    rv_kernels_sample(&r->kernels, r->frame.samples);
    return result;
}

// A cut through a plane of particles: one pass instead of solids and liquid.
static rv_result draw_flat(rv_renderer *r, const rv_params *params, int width, int height)
{
    rv_messages messages = {0};
    rv_params p = rv_flat_params(params);
    rv_result result = take_frame(r, &p, width, height, &messages);
    if (result != RV_OK) return result;
    if (!rv_flat_prepare(&r->flat, p.view_material, &messages)) return RV_BAD_ARGUMENT;
    rv_eye eye = rv_eye_of(&p, &r->extent, width, height);
    rv_timers_begin(&r->timers);
    rv_timers_part(&r->timers, RV_PASS_LIQUID);
    fill_numbers(r, &p, &eye);
    bind_light(r);
    r->shown = r->frame.scene_colour;
    r->sheet.index_count = 0, r->drops.count = r->beads.count = r->dew.count = 0;
    r->box.there = r->tiled = r->coded = false;
    glBindFramebuffer(GL_FRAMEBUFFER, r->frame.many);
    glClear(GL_DEPTH_BUFFER_BIT);
    glBindFramebuffer(GL_FRAMEBUFFER, r->frame.scene);
    glDisable(GL_DEPTH_TEST);
    rv_flat_draw(&r->flat, r->nothing, r->pointed);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    rv_points_draw(&r->points, r->pointed ? r->points.speeds : r->points.drops);
    glDisable(GL_BLEND);
    glEnable(GL_DEPTH_TEST);
    int whole[4];
    rv_area_whole(&r->frame, whole);
    draw_over(r, &p, &eye, whole);
    rv_timers_part(&r->timers, RV_PASS_FINISH);
    finish(r, rv_target_framebuffer(r->target));
    return end_frame(r, params, true);
}

rv_result rv_renderer_frame(rv_renderer *r, const rv_params *p, int width, int height)
{
    rv_messages messages = {0};
    reset(width, height);
    if (r->pane.shown) return draw_pane(r, p, width, height);
    if (r->flat.there) return draw_flat(r, p, width, height);
    rv_result result = take_frame(r, p, width, height, &messages);
    if (result != RV_OK) return result;
    // Nothing was taken over yet, or a wide world not wholly.
    if (!(r->extent.dx > 0) || (r->wide.on && !r->wide.there)) return RV_BAD_ARGUMENT;
    rv_programs_ask(r, p);
    rv_eye eye = rv_eye_of(p, &r->extent, width, height);
    rv_finer_how how = {.levels = 0};
    if (p->view_mode != RV_VIEW_WIRE)
        how = rv_finer_how_of(&eye, p->liquid_look == RV_LOOK_MERCURY);
    rv_timers_begin(&r->timers);
    if (!r->wide.on && !rv_sheet_is_near(&r->sheet, &eye, &how)) {
        if (r->sheet.on_card) rv_timers_part(&r->timers, RV_PASS_NEAR);
        result = rv_sheet_near(&r->sheet, &r->extent, &eye, &how, r->planes);
    }
    if (result != RV_OK) return result;
    if (p->view_aperture > 0)
        rv_eye_shift(&eye, &r->extent, r->lens, (float)(p->view_aperture / r->extent.dx),
                     (float)(p->view_focus / r->extent.dx));
    rv_body_set_widen(&r->bodies, &eye);
    rv_timers_part(&r->timers, RV_PASS_SHADOW);
    // The shadow's program names the block, so it must be there; its numbers come after.
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, r->numbers_buffer);
    if (r->wide.on) {
        fill_numbers(r, p, &eye); // its shadow needs to know how large it is
        bind_wide(r);
    }
    bool moved = rv_shadow_update(&r->shadow, &r->tiles, r->wide.on ? &r->wide : NULL, &r->extent,
                                  key_of(r, p), rv_liquid_programs(r)->shadow);
    if (r->wide.on && !rv_wide_choose(&r->wide, &r->extent, &eye, p->view_detail))
        return RV_OUT_OF_MEMORY;
    if (r->wide.on)
        r->stats.terrain_triangles = r->stats.liquid_triangles = rv_wide_triangles(&r->wide);
    fill_numbers(r, p, &eye);
    if (r->bodies.count > 0 && !rv_programs_take(r, RV_PROGRAMS_BODIES)) return RV_BAD_ARGUMENT;
    result = rv_body_set_map(&r->bodies, r->shadow.matrix, r->program.body_map);
    if (result != RV_OK) return result;
    bind_light(r);
    if (moved) spread_shadow(r);
    if (moved) r->gather.there = false; // other solids may stand in the light
    if (rv_gather_wanted(r, p)) rv_gather_map(r);
    if (r->wide.on) bind_wide(r); // whoever made a texture may have bound it in their place
    glViewport(0, 0, width, height);
    glEnable(GL_DEPTH_TEST);
    rv_timers_part(&r->timers, RV_PASS_SOLIDS);
    if (!keep_solid(r, p, &eye, &messages)) return RV_BAD_ARGUMENT;
    rv_timers_part(&r->timers, RV_PASS_FRONT);
    int area[4];
    rv_area_limit(r, p, &eye, area);
    r->shown = r->frame.scene_colour, r->tiled = false;
    if (r->box.there && r->box.any) rv_density_shade(r);
    draw_liquid(r, p, area);
    if (r->shown != r->frame.lit_colour) r->lit = false;
    rv_timers_part(&r->timers, RV_PASS_COVER);
    draw_over(r, p, &eye, area);
    glDisable(GL_SCISSOR_TEST);
    rv_timers_part(&r->timers, RV_PASS_FINISH);
    show(r, area);
    return end_frame(r, p, false);
}

// Shadows of liquid in columns, and the light it gathers.
//
// The surface is drawn twice as the lamp sees it. First as it is: there it takes the lamp's light.
// Then with each vertex moved along its bent ray down to the bed, adding up: a triangle that
// becomes smaller is brighter by as much. Where solids see both is found in the picture of the
// solids, which is kept while the camera stays, so that only light has to be found anew.
#include "render/gather.h"

#include "render/driver.h"
#include "render/renderer_parts.h"

#include <stdio.h>
#include <string.h>

static GLuint texture(GLenum format, int levels, GLint filter)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexStorage2D(GL_TEXTURE_2D, levels, format, RV_GATHER_SIDE, RV_GATHER_SIDE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, levels > 1 ? GL_LINEAR : filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glBindTexture(GL_TEXTURE_2D, 0);
    return name;
}

static bool join(GLuint *name, GLuint colour, GLuint depth)
{
    glGenFramebuffers(1, name);
    glBindFramebuffer(GL_FRAMEBUFFER, *name);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
    if (depth) glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

// Makes what is missing. false: pictures are drawn without.
static bool prepare(rv_gather *g)
{
    if (g->light || g->cannot) return !g->cannot;
    g->cannot = !rv_driver_draws_halves();
    if (g->cannot) return false;
    g->light = texture(GL_RGBA16F, RV_GATHER_LEVELS, GL_LINEAR_MIPMAP_LINEAR);
    g->depth = texture(GL_DEPTH_COMPONENT24, 1, GL_NEAREST);
    g->cannot = !join(&g->first, g->light, g->depth) || !join(&g->second, g->light, 0);
    return !g->cannot;
}

void rv_gather_ask(rv_gather *g, bool wide, bool buffered)
{
    rv_messages untold = {0};
    for (int bent = 0; bent < 2; bent++) {
        char defines[128];
        if (g->program[wide][bent] || g->asked[wide][bent].program) continue;
        snprintf(defines, sizeof defines, "%s%s%s", wide && buffered ? RV_WIDE_LATER : "",
                 wide ? "#define WIDE 1\n" : "", bent ? "#define BENT 1\n" : "");
        g->asked[wide][bent] =
            rv_program_ask("gather_vertex", "gather_pixel", defines, NULL, &untold);
    }
}

static bool take_programs(rv_gather *g, bool wide, bool buffered)
{
    rv_messages untold = {0};
    rv_gather_ask(g, wide, buffered);
    for (int bent = 0; bent < 2; bent++)
        if (!g->program[wide][bent])
            g->program[wide][bent] = rv_program_take(&g->asked[wide][bent], &untold);
    g->cannot = g->cannot || !g->program[wide][0] || !g->program[wide][1];
    return !g->cannot;
}

// Without compute solids are shaded by drawing.
static GLuint shading(rv_gather *g, bool bodies)
{
    rv_messages untold = {0};
    if (!g->shade[bodies])
        g->shade[bodies] = rv_program_make("whole_vertex", "wet_light_pixel",
                                           bodies ? "#define BODIES 1\n" : NULL, NULL, &untold);
    g->cannot = g->cannot || !g->shade[bodies];
    return g->shade[bodies];
}

static void drop_programs(rv_gather *g, bool wide)
{
    for (int bent = 0; bent < 2; bent++) {
        glDeleteProgram(g->program[wide][bent]);
        rv_program_drop(&g->asked[wide][bent]);
        g->program[wide][bent] = 0;
    }
}

void rv_gather_drop_wide(rv_gather *g)
{
    drop_programs(g, true);
}

void rv_gather_free(rv_gather *g)
{
    glDeleteFramebuffers(1, &g->first);
    glDeleteFramebuffers(1, &g->second);
    glDeleteTextures(1, &g->light);
    glDeleteTextures(1, &g->depth);
    drop_programs(g, false);
    drop_programs(g, true);
    glDeleteProgram(g->shade[0]);
    glDeleteProgram(g->shade[1]);
    memset(g, 0, sizeof *g);
}

static void bind(int place, GLuint name)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)place);
    glBindTexture(GL_TEXTURE_2D, name);
}

// Far below the surface light is blurred. The part is one of whole texels of the last level.
static void make_levels(rv_renderer *r, const int part[4])
{
    const int half[4] = {part[0] / 2, part[1] / 2, part[2] / 2, part[3] / 2};
    GLuint kernel = rv_kernels_take(&r->kernels, RV_KERNEL_HALVE);
    if (!kernel) {
        glGenerateMipmap(GL_TEXTURE_2D);
        return;
    }
    for (int level = 1; level < RV_GATHER_LEVELS; level++)
        rv_kernels_bind((GLuint)level - 1, r->gather.light, level, GL_RGBA16F);
    rv_kernels_go(kernel, half);
}

// How far light is carried aside at most, in depths of liquid (gather_bend.glsl): two directions of
// which neither goes down by less than 0.3.
#define ASIDE_MOST (2 / 0.3f)

// Where the lamp's map has something of this liquid, to whole texels of its last level.
static void find_part(const rv_renderer *r, int part[4])
{
    const rv_sheet *s = &r->sheet;
    const float *m = r->shadow.matrix;
    float aside = 2 + ASIDE_MOST * s->deepest, low[2] = {1e9f, 1e9f}, high[2] = {-1e9f, -1e9f};
    const int side = RV_GATHER_SIDE, last = 1 << (RV_GATHER_LEVELS - 1);
    for (int n = 0; n < 8; n++) {
        float x = n & 1 ? s->low.x - aside : s->high.x + aside;
        float y = n & 2 ? s->low.y - aside : s->high.y + aside;
        float z = n & 4 ? s->low.z - 1 : s->high.z + 1;
        for (int k = 0; k < 2; k++) {
            float at = (m[k] * x + m[4 + k] * y + m[8 + k] * z + m[12 + k]) * (float)side;
            low[k] = minf(low[k], at), high[k] = maxf(high[k], at);
        }
    }
    for (int k = 0; k < 2; k++) {
        int from = r->wide.on ? 0 : (int)clamp(low[k], 0, (float)side - 1) / last * last;
        int to = r->wide.on ? side : (int)clamp(high[k], 0, (float)side - 1) / last * last + last;
        part[k] = from, part[2 + k] = to - from;
    }
}

// What was drawn last and what will be; all of it when nothing is known of it yet.
static void clear_map(rv_renderer *r, const int part[4])
{
    GLuint kernel = rv_kernels_take(&r->kernels, RV_KERNEL_CLEAR);
    glScissor(part[0], part[1], part[2], part[3]);
    glEnable(GL_SCISSOR_TEST);
    glClear(kernel ? GL_DEPTH_BUFFER_BIT : GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    if (kernel) rv_kernels_run(kernel, part, r->gather.light, GL_RGBA16F);
}

static void draw_map(rv_renderer *r)
{
    rv_gather *g = &r->gather;
    GLboolean cut = glIsEnabled(GL_SCISSOR_TEST);
    glDisable(GL_SCISSOR_TEST);
    glViewport(0, 0, RV_GATHER_SIDE, RV_GATHER_SIDE);
    bind(RV_AT_WET, 0);
    bind(RV_AT_WET_DEPTH, 0);
    int now[4], part[4] = {0, 0, RV_GATHER_SIDE, RV_GATHER_SIDE};
    find_part(r, now);
    if (g->part[2] > 0) {
        memcpy(part, now, sizeof part);
        rv_area_join(part, g->part);
    }
    rv_liquid_choose(r, RV_CULL_LAMP, NULL);
    glBindFramebuffer(GL_FRAMEBUFFER, g->first);
    glEnable(GL_DEPTH_TEST);
    clear_map(r, part);
    glUseProgram(g->program[r->wide.on][0]);
    rv_liquid_draw(r);
    bind(RV_AT_WET_DEPTH, g->depth);
    rv_liquid_choose(r, RV_CULL_LAMP_BENT, NULL);
    glBindFramebuffer(GL_FRAMEBUFFER, g->second);
    glColorMask(GL_TRUE, GL_TRUE, GL_FALSE, GL_TRUE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(g->program[r->wide.on][1]);
    rv_liquid_draw(r);
    rv_liquid_choose_all(r);
    glEnable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    bind(RV_AT_WET, g->light);
    make_levels(r, part);
    memcpy(g->part, now, sizeof now);
    bind(RV_AT_WET, 0);
    glViewport(0, 0, r->frame.width, r->frame.height);
    if (cut) glEnable(GL_SCISSOR_TEST);
}

bool rv_gather_wanted(const rv_renderer *r, const rv_params *p)
{
    return p->view_caustics && p->view_mode == RV_VIEW_SHADED && r->sheet.index_count > 0 &&
           !r->box.there && !r->gather.cannot;
}

void rv_gather_map(rv_renderer *r)
{
    rv_gather *g = &r->gather;
    float index = r->numbers.fade[3];
    uint64_t sent = r->sheet.sent + r->wide.sent; // neither ever becomes less
    bool same = g->there && g->sent == sent && g->index == index &&
                memcmp(g->matrix, r->shadow.matrix, sizeof g->matrix) == 0;
    g->there = prepare(g) && take_programs(g, r->wide.on, r->wide_buffered);
    if (same || !g->there) return;
    rv_timers_part(&r->timers, RV_PASS_GATHER);
    draw_map(r);
    g->sent = sent, g->index = index;
    memcpy(g->matrix, r->shadow.matrix, sizeof g->matrix);
}

void rv_gather_shade(rv_renderer *r, const int area[4])
{
    const rv_picture_frame *f = &r->frame;
    rv_gather *g = &r->gather;
    bool bodies = r->bodies.count > 0;
    GLuint kernel = rv_kernels_take(&r->kernels, bodies ? RV_KERNEL_LIGHT_BODIES : RV_KERNEL_LIGHT);
    GLuint program = kernel || !g->there ? 0 : shading(g, bodies);
    if (!g->there || !(kernel || program)) return;
    // What is outside the part that is worked on stays from the last frame, but for solids that
    // were drawn anew.
    const int whole[4] = {0, 0, f->width, f->height}, *fresh = r->lit ? r->area_solid : whole;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, f->scene);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, f->lit);
    glDisable(GL_SCISSOR_TEST);
    if (fresh[2] > 0 && fresh[3] > 0)
        glBlitFramebuffer(fresh[0], fresh[1], fresh[0] + fresh[2], fresh[1] + fresh[3], fresh[0],
                          fresh[1], fresh[0] + fresh[2], fresh[1] + fresh[3], GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
    glEnable(GL_SCISSOR_TEST);
    bind(RV_AT_SCENE, f->scene_colour);
    bind(RV_AT_DEPTH, f->scene_depth);
    bind(RV_AT_FRONT, f->front_depth);
    bind(RV_AT_WET, g->light);
    bind(RV_AT_WET_DEPTH, g->depth);
    if (kernel) {
        rv_kernels_run(kernel, area, f->lit_colour, GL_RGBA16F);
    } else {
        glBindFramebuffer(GL_FRAMEBUFFER, f->lit);
        glDisable(GL_DEPTH_TEST);
        glUseProgram(program);
        glBindVertexArray(r->nothing);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glEnable(GL_DEPTH_TEST);
    }
    bind(RV_AT_FRONT, 0);
    bind(RV_AT_WET, 0);
    bind(RV_AT_WET_DEPTH, 0);
    r->lit = true, r->shown = f->lit_colour;
}

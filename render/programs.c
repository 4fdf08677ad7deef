// The programs of the renderer, made when they are needed. A driver may compile several at once,
// and some take seconds: what a frame will need is asked for before the first of it is taken.
#include "render/renderer_parts.h"

#include <stdio.h>
#include <string.h>

typedef struct recipe {
    size_t program; // offset in rv_programs
    const char *vertex, *pixel, *defines, *captured;
    unsigned groups;
} recipe;

#define LATER "#version 320 es\n" // that tells which triangle it is
#define OF(name) offsetof(rv_programs, name)
static const recipe recipes[] = {
    {OF(shadow), "shadow_vertex", "depth_pixel", NULL, NULL, RV_PROGRAMS_ALWAYS},
    {OF(lamp), "lamp_vertex", "depth_pixel", NULL, "seen", RV_PROGRAMS_ALWAYS},
    {OF(floor), "whole_vertex", "floor_pixel", NULL, NULL, RV_PROGRAMS_ALWAYS},
    {OF(backdrop), "whole_vertex", "backdrop_pixel", NULL, NULL, RV_PROGRAMS_ALWAYS},
    {OF(cover), "liquid_vertex", "cover_pixel", NULL, NULL, RV_PROGRAMS_ALWAYS},
    {OF(cover_code), "liquid_vertex", "cover_pixel", "#define CODED 1\n", NULL, RV_PROGRAMS_CODED},
    {OF(shape), "liquid_vertex", "liquid_shape_pixel", NULL, NULL, RV_PROGRAMS_SHAPED},
    {OF(shape_second), "liquid_vertex", "liquid_shape_pixel", "#define PEEL 1\n", NULL,
     RV_PROGRAMS_SHAPED},
    {OF(number), "liquid_vertex", "number_pixel", LATER, NULL, RV_PROGRAMS_NUMBERED},
    {OF(number_second), "liquid_vertex", "number_pixel", LATER "#define PEEL 1\n", NULL,
     RV_PROGRAMS_NUMBERED},
    {OF(no_tiles), "tile_vertex", "nothing_pixel", NULL, NULL, RV_PROGRAMS_ALWAYS},
    {OF(no_depth), "tile_vertex", "depth_pixel", "#define COARSE 1\n", NULL, RV_PROGRAMS_ALWAYS},
    {OF(overlay), "overlay_vertex", "overlay_pixel", NULL, NULL, RV_PROGRAMS_ALWAYS},
    {OF(finish), "whole_vertex", "finish_pixel", NULL, NULL, RV_PROGRAMS_ALWAYS},
    {OF(done), "whole_vertex", "done_pixel", NULL, NULL, RV_PROGRAMS_ALWAYS},
    {OF(drop), "drop_vertex", "drop_pixel", NULL, NULL, RV_PROGRAMS_ALWAYS},
    {OF(bead), "bead_vertex", "bead_pixel", NULL, NULL, RV_PROGRAMS_ALWAYS},
    {OF(dew), "dew_vertex", "dew_pixel", NULL, NULL, RV_PROGRAMS_ALWAYS},
    {OF(front), "liquid_vertex", "front_pixel", NULL, NULL, RV_PROGRAMS_DRAWN | RV_PROGRAMS_MAPPED},
    {OF(peel), "liquid_vertex", "front_pixel", "#define PEEL 1\n", NULL, RV_PROGRAMS_DRAWN},
    {OF(second), "liquid_vertex", "liquid_pixel", "#define SECOND 1\n", NULL, RV_PROGRAMS_DRAWN},
    {OF(liquid), "liquid_vertex", "liquid_pixel", NULL, NULL, RV_PROGRAMS_DRAWN},
    {OF(under_bodies), "liquid_vertex", "liquid_pixel", "#define BODIES 1\n", NULL,
     RV_PROGRAMS_DRAWN},
    {OF(mapped), "liquid_vertex", "mapped_pixel", NULL, NULL, RV_PROGRAMS_MAPPED},
    {OF(wire), "wire_vertex", "overlay_pixel", NULL, NULL, RV_PROGRAMS_WIRES},
    {OF(body_map), "body_vertex", "depth_pixel", "#define MAP 1\n", NULL, RV_PROGRAMS_BODIES},
};
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

static GLuint *place_of(rv_renderer *r, const recipe *of)
{
    return (GLuint *)(void *)((char *)&r->program + of->program);
}

bool rv_programs_make(rv_renderer *r, unsigned groups, rv_messages *messages)
{
    rv_program_asked asked[RECIPES] = {0};
    bool good = true;
    for (int n = 0; n < RECIPES; n++) {
        const recipe *of = &recipes[n];
        if (of->groups & groups && !*place_of(r, of))
            asked[n] = rv_program_ask(of->vertex, of->pixel, of->defines, of->captured, messages);
    }
    for (int n = 0; n < RECIPES; n++) {
        GLuint *program = place_of(r, &recipes[n]);
        if (!(recipes[n].groups & groups)) continue;
        if (!*program) *program = rv_program_take(&asked[n], messages);
        good = good && *program;
    }
    return good;
}

bool rv_programs_take(rv_renderer *r, unsigned groups)
{
    rv_messages untold = {0};
    for (int n = 0; n < RECIPES; n++)
        if (recipes[n].groups & groups && !*place_of(r, &recipes[n]))
            return rv_programs_make(r, groups, &untold);
    return true;
}

// ---- Solids -------------------------------------------------------------------------------------

static const char *const material_function[RV_MATERIALS] = {"plain_of",   "bone_of", "tissue_of",
                                                            "ceramic_of", "wood_of", "steel_of"};

static void mix_defines(const rv_renderer *r, unsigned materials, rv_material to, char *defines,
                        size_t room)
{
    bool first = true;
    size_t used =
        (size_t)snprintf(defines, room, "%s%s", r->bodies.count > 0 ? "#define BODIES 1\n" : "",
                         r->wide.on ? "#define WIDE 1\n" : "");
    for (unsigned m = 0; m < RV_MATERIALS; m++) {
        if (!(materials >> m & 1)) continue;
        const char *of = material_function[m == (unsigned)r->material ? to : m];
        if (first)
            used += (size_t)snprintf(defines + used, room - used, "#define FIRST %s\n", of);
        else
            used += (size_t)snprintf(defines + used, room - used, "#define SOLID_%u %s\n", m, of);
        first = false;
    }
}

// The program for a mix of materials, asked for. Programs with many materials in them are slow, and
// most tiles have one or two.
static rv_mix_program *ask_mix(rv_renderer *r, unsigned materials, rv_material to,
                               rv_messages *messages)
{
    bool bodies = r->bodies.count > 0;
    for (int n = 0; n < r->mixes; n++)
        if (r->mix[n].materials == materials && r->mix[n].from == r->material &&
            r->mix[n].to == to && r->mix[n].bodies == bodies && r->mix[n].wide == r->wide.on)
            return &r->mix[n];
    char defines[512];
    mix_defines(r, materials, to, defines, sizeof defines);
    rv_mix_program *mix = &r->mix[r->mixes < RV_MIXES ? r->mixes++ : 0];
    glDeleteProgram(mix->program);
    rv_program_drop(&mix->asked);
    *mix = (rv_mix_program){materials, r->material, to, bodies, r->wide.on, 0, {0}};
    mix->asked = rv_program_ask("terrain_vertex", "terrain_pixel", defines, NULL, messages);
    return mix;
}

GLuint rv_programs_mix(rv_renderer *r, unsigned materials, rv_material to, rv_messages *messages)
{
    rv_mix_program *mix = ask_mix(r, materials, to, messages);
    if (!mix->program) mix->program = rv_program_take(&mix->asked, messages);
    return mix->program;
}

static void ask_body(rv_renderer *r, int m, rv_messages *messages)
{
    char defines[128];
    const char *painted = m == RV_MATERIAL_PLAIN     ? "#define PAINTED 1\n"
                          : m == RV_MATERIAL_CERAMIC ? "#define PAINTED 2\n"
                                                     : "";
    if (r->body[m] || r->body_asked[m].program) return;
    snprintf(defines, sizeof defines, "#define OF %s\n%s", material_function[m], painted);
    r->body_asked[m] = rv_program_ask("body_vertex", "body_pixel", defines, NULL, messages);
}

GLuint rv_programs_body(rv_renderer *r, int m, rv_messages *messages)
{
    ask_body(r, m, messages);
    if (!r->body[m]) r->body[m] = rv_program_take(&r->body_asked[m], messages);
    return r->body[m];
}

// ---- All ----------------------------------------------------------------------------------------

static void ask_solids(rv_renderer *r, const rv_params *p)
{
    rv_messages untold = {0};
    if (r->wide.on) ask_mix(r, 1u << r->material, p->view_material, &untold);
    for (unsigned materials = 1; !r->wide.on && materials < 1u << RV_MATERIALS; materials++)
        if (r->tiles.mixes >> materials & 1) ask_mix(r, materials, p->view_material, &untold);
    for (int m = 0; m < RV_BODY_MATERIALS; m++)
        if (r->bodies.count > 0 && r->bodies.first[m + 1] > r->bodies.first[m])
            ask_body(r, m, &untold);
}

void rv_programs_ask(rv_renderer *r, const rv_params *p)
{
    rv_kernels *k = &r->kernels;
    bool bodies = r->bodies.count > 0;
    ask_solids(r, p);
    if (r->frame.over_read)
        rv_kernels_ask(k, r->frame.code ? RV_KERNEL_FINISH_CODED : RV_KERNEL_FINISH);
    if (r->box.there || p->view_mode != RV_VIEW_SHADED) return;
    rv_kernels_ask(k, rv_liquid_kernel(r, false));
    if (r->planes > 1) rv_kernels_ask(k, rv_liquid_kernel(r, true));
    if (!p->view_caustics) return;
    rv_kernels_ask(k, bodies ? RV_KERNEL_LIGHT_BODIES : RV_KERNEL_LIGHT);
    rv_kernels_ask(k, RV_KERNEL_HALVE);
    rv_kernels_ask(k, RV_KERNEL_CLEAR);
    if (!r->gather.cannot) rv_gather_ask(&r->gather, r->wide.on, r->wide_buffered);
}

void rv_programs_free(rv_renderer *r)
{
    GLuint programs[sizeof r->program / sizeof(GLuint)]; // also those that others made
    memcpy(programs, &r->program, sizeof programs);
    for (size_t n = 0; n < sizeof programs / sizeof programs[0]; n++) glDeleteProgram(programs[n]);
    for (int n = 0; n < r->mixes; n++) {
        glDeleteProgram(r->mix[n].program);
        rv_program_drop(&r->mix[n].asked);
    }
    for (int n = 0; n < RV_BODY_MATERIALS; n++) {
        glDeleteProgram(r->body[n]);
        rv_program_drop(&r->body_asked[n]);
    }
}

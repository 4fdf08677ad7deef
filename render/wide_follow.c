// What a wide world is drawn from: its programs, its ground, and its liquid as it is now.
#include "render/driver.h"
#include "render/renderer_parts.h"

#include <stdio.h>
#include <string.h>

// Programs of liquid and ground that find their vertices in textures; `buffered`: the liquid in a
// buffer.
static bool make_programs(rv_renderer *r, bool buffered, rv_messages *messages)
{
    rv_programs *p = &r->wide_program;
    const struct {
        GLuint *to;
        const char *vertex, *pixel, *defines;
    } recipes[] = {
        {&p->shadow, "shadow_vertex", "depth_pixel", "#define WIDE 1\n#define STILL 1\n"},
        {&p->wide_lamp, "whole_vertex", "wide_lamp_pixel", NULL},
        {&p->front, "liquid_vertex", "front_pixel", "#define WIDE 1\n"},
        {&p->liquid, "liquid_vertex", "liquid_pixel", "#define WIDE 1\n"},
        {&p->under_bodies, "liquid_vertex", "liquid_pixel", "#define WIDE 1\n#define BODIES 1\n"},
        {&p->mapped, "liquid_vertex", "mapped_pixel", "#define WIDE 1\n"},
        {&p->cover, "liquid_vertex", "cover_pixel", "#define WIDE 1\n"},
        {&p->cover_code, "liquid_vertex", "cover_pixel", "#define WIDE 1\n#define CODED 1\n"},
        {&p->shape, "liquid_vertex", "liquid_shape_pixel", "#define WIDE 1\n"},
        {&p->wire, "wire_vertex", "overlay_pixel", "#define WIDE 1\n"},
    };
    enum { RECIPES = sizeof recipes / sizeof recipes[0] };
    rv_program_asked asked[RECIPES] = {0};
    bool good = true;
    for (size_t n = 0; n < RECIPES; n++) {
        char defines[128];
        if (*recipes[n].to) continue;
        snprintf(defines, sizeof defines, "%s%s", buffered ? RV_WIDE_LATER : "",
                 recipes[n].defines ? recipes[n].defines : "");
        asked[n] = rv_program_ask(recipes[n].vertex, recipes[n].pixel, defines, NULL, messages);
    }
    for (size_t n = 0; n < RECIPES; n++) {
        if (!*recipes[n].to) *recipes[n].to = rv_program_take(&asked[n], messages);
        good = good && *recipes[n].to;
    }
    return good;
}

// Whether programs can look into a buffer of so many columns.
static bool can_look(const rv_renderer *r, size_t slots)
{
#ifdef __EMSCRIPTEN__
    (void)r, (void)slots;
    return false;
#else
    GLint most = 0;
    if (r->wide_copies || rv_driver_version() < 32) return false;
    glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &most);
    return slots <= (size_t)most;
#endif
}

// Programs that find the liquid where it is now: in a buffer, or in a texture.
static bool take_programs(rv_renderer *r, bool *buffered, rv_messages *messages)
{
    rv_messages untold = {0};
    if (r->wide_buffered != *buffered) rv_wide_drop_programs(r);
    r->wide_buffered = *buffered;
    if (make_programs(r, *buffered, *buffered ? &untold : messages)) return true;
    if (!*buffered) return false;
    rv_wide_drop_programs(r); // a driver that does not take them: the depths are copied
    r->wide_copies = true, r->wide_buffered = *buffered = false;
    return make_programs(r, false, messages);
}

void rv_wide_drop_programs(rv_renderer *r)
{
    GLuint programs[sizeof r->wide_program / sizeof(GLuint)];
    memcpy(programs, &r->wide_program, sizeof programs);
    for (size_t n = 0; n < sizeof programs / sizeof programs[0]; n++) glDeleteProgram(programs[n]);
    memset(&r->wide_program, 0, sizeof r->wide_program);
    rv_gather_drop_wide(&r->gather);
}

rv_result rv_wide_follow_ground(rv_renderer *r, const rv_columns *c, rv_messages *messages)
{
    GLint most = 0;
    r->wide.there = false; // until all of it is
    if (!make_programs(r, r->wide_buffered, messages)) return RV_BAD_ARGUMENT;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (c->nx > most || c->ny > most) {
        rv_messages_add(messages, "grid: %d x %d cells: %s draws at most %d each way", c->nx, c->ny,
                        rv_target_driver(r->target), (int)most);
        return RV_BAD_ARGUMENT;
    }
    if (rv_wide_take_ground(&r->wide, c, &r->extent, &r->openness)) return RV_OK;
    rv_messages_add(messages, "grid: no memory to draw %d x %d cells", c->nx, c->ny);
    return RV_OUT_OF_MEMORY;
}

// The deepest liquid that is known: where it stands in the card's memory, as it was at first.
static void find_deepest(rv_renderer *r, const rv_columns *c)
{
    float most = 0;
    const rv_plane *p = &c->plane[0];
    for (int y = 0; y < c->ny; y++) {
        const float *row = c->depth + rv_slot(p, 0, y);
        for (int x = 0; x < c->nx; x++) most = maxf(most, row[x]);
    }
    r->sheet.deepest = maxf(most / (float)r->extent.dx, 1e-3f);
    r->wide.deepest = 2 * r->sheet.deepest + 1;
}

rv_result rv_wide_follow_liquid(rv_renderer *r, const rv_world *world, const rv_columns *columns,
                                rv_messages *messages)
{
    rv_columns c = *columns;
    rv_sheet *s = &r->sheet;
    const rv_extent *e = &r->extent;
    rv_result result = RV_OK;
    GLuint buffer = rv_world_card_depth(world);
    bool first = !(r->wide.deepest > 0);
    if ((!buffer || first) && !c.depth) result = rv_world_get_columns(world, &c);
    if (result == RV_OK && (first || !buffer)) find_deepest(r, &c);
    bool looks = buffer && can_look(r, c.slots);
    if (result == RV_OK && !take_programs(r, &looks, messages)) result = RV_BAD_ARGUMENT;
    if (result == RV_OK) result = rv_wide_take_liquid(&r->wide, &c, buffer, looks);
    // as a mesh would be of which all is known but its box
    s->index_count = 1, s->vertex_count = 0, s->version = 0, s->on_card = false;
    s->uploaded = 0, s->sent++, s->fastest = 1;
    s->low = v3(0, 0, e->low), s->high = v3(e->wide, e->deep, e->high + r->wide.deepest);
    return result;
}

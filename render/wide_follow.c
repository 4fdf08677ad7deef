// What a wide world is drawn from: its programs, its ground, and its liquid as it is now.
#include "render/renderer_parts.h"

// Programs of liquid and ground that find their vertices in textures.
static bool make_programs(rv_renderer *r, rv_messages *messages)
{
    rv_programs *p = &r->wide_program;
    const struct {
        GLuint *to;
        const char *vertex, *pixel, *defines;
    } recipes[] = {
        {&p->shadow, "shadow_vertex", "depth_pixel", "#define WIDE 1\n#define STILL 1\n"},
        {&p->wide_lamp, "whole_vertex", "wide_lamp_pixel", NULL},
        {&p->front, "liquid_vertex", "depth_pixel", "#define WIDE 1\n"},
        {&p->liquid, "liquid_vertex", "liquid_pixel", "#define WIDE 1\n"},
        {&p->under_bodies, "liquid_vertex", "liquid_pixel", "#define WIDE 1\n#define BODIES 1\n"},
        {&p->mapped, "liquid_vertex", "mapped_pixel", "#define WIDE 1\n"},
        {&p->cover, "liquid_vertex", "cover_pixel", "#define WIDE 1\n"},
        {&p->wire, "wire_vertex", "overlay_pixel", "#define WIDE 1\n"},
    };
    for (size_t n = 0; n < sizeof recipes / sizeof recipes[0]; n++) {
        if (*recipes[n].to) continue;
        *recipes[n].to = rv_program_make(recipes[n].vertex, recipes[n].pixel, recipes[n].defines,
                                         NULL, messages);
        if (!*recipes[n].to) return false;
        rv_program_wire(*recipes[n].to);
    }
    return true;
}

rv_result rv_wide_follow_ground(rv_renderer *r, const rv_columns *c, rv_messages *messages)
{
    GLint most = 0;
    if (!make_programs(r, messages)) return RV_BAD_ARGUMENT;
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

rv_result rv_wide_follow_liquid(rv_renderer *r, const rv_world *world, const rv_columns *columns)
{
    rv_columns c = *columns;
    rv_sheet *s = &r->sheet;
    const rv_extent *e = &r->extent;
    rv_result result = RV_OK;
    GLuint buffer = rv_world_card_depth(world);
    bool first = !(r->wide.deepest > 0);
    if ((!buffer || first) && !c.depth) result = rv_world_get_columns(world, &c);
    if (result == RV_OK && (first || !buffer)) find_deepest(r, &c);
    if (result == RV_OK) result = rv_wide_take_liquid(&r->wide, &c, buffer);
    // as a mesh would be of which all is known but its box
    s->index_count = 1, s->vertex_count = 0, s->version = 0, s->on_card = false;
    s->uploaded = 0, s->sent++, s->fastest = 1;
    s->low = v3(0, 0, e->low), s->high = v3(e->wide, e->deep, e->high + r->wide.deepest);
    return result;
}

// A second field that answers as a terrain did. Samples that a field was built with are never
// written again: an edit gives its bricks others, and keeps the first ones to go back to. So a
// copy shares those and has copies of the others only, which are few.
#include "terrain/field_copy.h"

#include "base/memory.h"
#include "terrain/field.h"

#include <string.h>

struct rv_field_copy {
    rv_terrain terrain; // with bricks of its own and nothing to change it with
    float *samples;     // of `room` bricks
    size_t room;
};

// The samples that a brick was built with; NULL: none.
static const float *built_with(const rv_terrain *t, size_t i)
{
    if (t->born && !rv_never_edited(t, i)) return t->born[i].samples;
    return (t->still ? t->still : t->brick)[i].samples;
}

static bool is_copied(const rv_terrain *of, size_t i)
{
    return of->brick[i].samples && of->brick[i].samples != built_with(of, i);
}

rv_result rv_field_copy_update(rv_field_copy *m, const rv_terrain *of)
{
    const size_t each = RV_BRICK_SAMPLES;
    rv_brick *own = m->terrain.brick;
    size_t need = 0, next = 0;
    for (size_t i = 0; i < of->bricks; i++) need += is_copied(of, i);
    if (need > m->room) {
        size_t room = need + need / 2 + 16;
        float *fresh = rv_new(&of->allocator, room * each, sizeof *fresh);
        if (!fresh) return RV_OUT_OF_MEMORY;
        rv_free(&of->allocator, m->samples, m->room * each, sizeof *m->samples);
        m->samples = fresh, m->room = room;
    }
    for (size_t i = 0; i < of->bricks; i++) {
        own[i] = of->brick[i];
        if (!is_copied(of, i)) continue;
        own[i].samples = m->samples + each * next++;
        memcpy(own[i].samples, of->brick[i].samples, each * sizeof(float));
    }
    m->terrain.touched = of->touched;
    return RV_OK;
}

rv_result rv_field_copy_create(const rv_terrain *of, rv_field_copy **out)
{
    rv_field_copy *m = rv_new(&of->allocator, 1, sizeof *m);
    *out = NULL;
    if (!m) return RV_OUT_OF_MEMORY;
    m->terrain = (rv_terrain){.grid = of->grid,
                              .x_first = of->x_first,
                              .y_first = of->y_first,
                              .per_dx = of->per_dx,
                              .per_dz = of->per_dz,
                              .margin = of->margin,
                              .rough = of->rough,
                              .bx = of->bx,
                              .by = of->by,
                              .bz = of->bz,
                              .step_x = of->step_x,
                              .step_y = of->step_y,
                              .bricks = of->bricks,
                              .allocator = of->allocator};
    m->terrain.brick = rv_new(&of->allocator, of->bricks, sizeof *m->terrain.brick);
    rv_result r = m->terrain.brick ? rv_field_copy_update(m, of) : RV_OUT_OF_MEMORY;
    if (r == RV_OK)
        *out = m;
    else
        rv_field_copy_free(m);
    return r;
}

void rv_field_copy_free(rv_field_copy *m)
{
    if (!m) return;
    rv_allocator a = m->terrain.allocator;
    rv_free(&a, m->terrain.brick, m->terrain.bricks, sizeof *m->terrain.brick);
    rv_free(&a, m->samples, m->room * RV_BRICK_SAMPLES, sizeof *m->samples);
    rv_free(&a, m, 1, sizeof *m);
}

const rv_terrain *rv_field_copy_terrain(const rv_field_copy *m)
{
    return m ? &m->terrain : NULL;
}

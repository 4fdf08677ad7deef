// What edits did to how the terrain looks: a stamp at samples whose value a tool gave them. An
// added tool stamps what it makes solid, with its material or the scene's; a carving one that says
// a material stamps its walls, one sample deep. A vertex looks like the solid sample beside it.
#include "terrain/field.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

bool rv_terrain_has_looks(const rv_terrain *t)
{
    if (t->looks.node_count > 0 || t->stamp) return true;
    for (int m = 0; m < t->mover_count; m++)
        if (t->mover[m].look != RV_LOOK_SCENE || t->mover[m].looks.node_count > 0) return true;
    return false;
}

rv_stamping rv_stamping_of(const rv_terrain *t, const rv_node *nodes, int count, bool carve)
{
    rv_stamping s = {.nodes = nodes, .count = count, .carve = carve};
    s.one = rv_nodes_one_look(nodes, count, &s.look);
    s.wanted =
        !s.one || (s.look != RV_LOOK_CLEAR && (s.look != RV_LOOK_SCENE || rv_terrain_has_looks(t)));
    s.depth = fmax(t->grid.dx, t->grid.dz);
    return s;
}

bool rv_stamps_begin(rv_terrain *t)
{
    if (!t->stamp) t->stamp = rv_new_sparse(&t->allocator, t->bricks, sizeof *t->stamp);
    return t->stamp != NULL;
}

bool rv_stamps_open(rv_terrain *t, size_t brick)
{
    if (!rv_stamps_begin(t)) return false;
    if (!t->stamp[brick]) t->stamp[brick] = rv_new(&t->allocator, RV_BRICK_SAMPLES, 1);
    return t->stamp[brick] != NULL;
}

void rv_stamp(const rv_stamping *s, const rv_eighth *e, uint64_t which, const double *d,
              uint8_t *stamps)
{
    for (; which; which &= which - 1) {
        int n = __builtin_ctzll(which);
        if (d && (s->carve ? d[n] > s->depth : d[n] >= 0)) continue;
        uint8_t look = s->look;
        if (!s->one) rv_nodes_look(s->nodes, s->count, e->point[n], &look);
        if (look != RV_LOOK_CLEAR) stamps[e->index[n]] = (uint8_t)(look + 1);
    }
}

void rv_stamps_free(rv_terrain *t)
{
    for (size_t i = 0; t->stamp && i < t->bricks; i++)
        rv_free(&t->allocator, t->stamp[i], RV_BRICK_SAMPLES, 1);
    rv_free(&t->allocator, t->stamp, t->bricks, sizeof *t->stamp);
    t->stamp = NULL;
}

size_t rv_stamps_bytes(const rv_terrain *t)
{
    if (!t->stamp) return 0;
    size_t bytes = t->bricks * sizeof *t->stamp;
    for (size_t i = 0; i < t->bricks; i++) bytes += t->stamp[i] ? RV_BRICK_SAMPLES : 0;
    return bytes;
}

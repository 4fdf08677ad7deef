// How solids wet: the contact angles of the solid whose surface passes through a point. They follow
// the solids as materials do (looks.h), with the place of a solid's angles in a table as its look.
#include "terrain/field.h"

#include "base/memory.h"

#include <math.h>

bool rv_angles_are_said(const rv_solid_def *s)
{
    return s->advancing >= 0 || s->receding >= 0 || s->contact >= 0 || s->cold > 0;
}

rv_angles rv_angles_of(const rv_solid_def *s)
{
    return (rv_angles){s->advancing, s->receding, s->contact, s->cold};
}

bool rv_angles_same(const rv_angles *a, const rv_angles *b)
{
    return a->advancing == b->advancing && a->receding == b->receding && a->contact == b->contact &&
           a->cold == b->cold;
}

static bool any_said(const rv_solid_def *solids, int count)
{
    for (int i = 0; i < count; i++)
        if (rv_angles_are_said(&solids[i])) return true;
    return false;
}

static bool open_table(rv_terrain *t)
{
    rv_angle_table *a = &t->angles;
    if (a->set) return true;
    a->set = rv_new(&t->allocator, RV_ANGLES_MAX, sizeof *a->set);
    if (!a->set) return false;
    a->set[0] = (rv_angles){-1, -1, -1, 0};
    a->count = 1;
    return true;
}

// The place of a solid's angles; rv_solids_check saw to it that there is one.
static uint8_t place_of(rv_angle_table *a, const rv_solid_def *s)
{
    if (!rv_angles_are_said(s)) return RV_LOOK_SCENE;
    int k = 1;
    rv_angles own = rv_angles_of(s);
    for (; k < a->count; k++)
        if (rv_angles_same(&a->set[k], &own)) return (uint8_t)k;
    if (k == RV_ANGLES_MAX) return RV_LOOK_SCENE;
    a->set[a->count++] = own;
    return (uint8_t)k;
}

bool rv_angles_take(rv_terrain *t, const rv_solid_def *solids, int count, rv_mover *mover)
{
    if (!any_said(solids, count)) return true;
    uint8_t *own = rv_new(&t->allocator, (size_t)count, 1);
    rv_looks *looks = mover ? &mover->angle_looks : &t->angles.looks;
    bool good = own && open_table(t);
    for (int i = 0; good && i < count; i++) own[i] = place_of(&t->angles, &solids[i]);
    good = good && rv_looks_make(looks, solids, count, own, &t->allocator);
    rv_free(&t->allocator, own, (size_t)count, 1);
    if (good && mover && rv_nodes_one_look(looks->nodes, looks->node_count, &mover->angle_look))
        rv_looks_free(looks, &t->allocator);
    return good;
}

void rv_angles_free(rv_terrain *t)
{
    rv_looks_free(&t->angles.looks, &t->allocator);
    rv_free(&t->allocator, t->angles.set, RV_ANGLES_MAX, sizeof *t->angles.set);
    t->angles = (rv_angle_table){0};
}

size_t rv_angles_bytes(const rv_terrain *t)
{
    const rv_angle_table *a = &t->angles;
    return (a->set ? RV_ANGLES_MAX * sizeof *a->set : 0) +
           (size_t)a->looks.part_count * sizeof *a->looks.parts +
           (size_t)a->looks.node_count * sizeof *a->looks.nodes;
}

int rv_terrain_angles(const rv_terrain *t, const rv_angles **sets)
{
    *sets = t ? t->angles.set : NULL;
    return t ? t->angles.count : 0;
}

#define TIE 1e-3 // of dz: a solid that ends at the ground's plane is seen, not the ground

uint8_t rv_terrain_angles_at(const rv_terrain *t, int x, int y, double z)
{
    const rv_grid *g = &t->grid;
    const rv_looks *looks = &t->angles.looks;
    rv_vec3 p = rv_field_point(g, x + 1, y + 1, 0);
    double high = (z - g->bottom) / g->dz, low = fmin(fmax(floor(high), 0.0), g->nz - 2.0);
    // what the column's ray crosses there: an edge between two samples
    rv_vertex_edge edge = {.at = {x + 1, y + 1, (int)low}, .axis = 2, .share = (float)(high - low)};
    uint8_t look = RV_LOOK_SCENE;
    p.z = z;
    if (g->nz >= 2 && rv_terrain_on_mover(t, &edge, p, true, &look))
        return look == RV_LOOK_CLEAR ? RV_LOOK_SCENE : look;
    if (looks->node_count == 0) return RV_LOOK_SCENE;
    double d = rv_nodes_look(looks->nodes, looks->node_count, p, &look);
    bool ground = z <= g->bottom && d > TIE * g->dz;
    return ground || look == RV_LOOK_CLEAR ? RV_LOOK_SCENE : look;
}

uint8_t rv_terrain_angles_near(const rv_terrain *t, rv_vec3 p)
{
    const rv_grid *g = &t->grid;
    const rv_looks *looks = &t->angles.looks;
    uint8_t look = RV_LOOK_SCENE, moved = RV_LOOK_SCENE;
    if (!t->angles.set) return RV_LOOK_SCENE;
    double d =
        looks->node_count > 0 ? rv_nodes_look(looks->nodes, looks->node_count, p, &look) : INFINITY;
    double ground = fmin(fabs(d), fabs(p.z - g->bottom) + TIE * g->dz);
    if (rv_terrain_nearest_mover(t, p, true, &moved) < ground)
        look = moved;
    else if (ground < fabs(d))
        look = RV_LOOK_SCENE;
    return look == RV_LOOK_CLEAR ? RV_LOOK_SCENE : look;
}

// Checking solids: every problem of every solid, one line each, named as in scene files.
#include "terrain/parts.h"
#include "terrain/terrain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct checker {
    const rv_solid_def *solids;
    int count;
    const char *where; // what the list is called
    bool tool;         // nothing in it may move by itself
    rv_messages *messages;
    bool good;
    // groups that are open at the solid being looked at
    int depth;
    int end[RV_GROUP_DEPTH_MAX];        // first solid after each
    int64_t copies[RV_GROUP_DEPTH_MAX]; // made of each by mirroring, those around it included
    int64_t all_copies;
} checker;

static void complain(checker *c, int i, const char *key, const char *why)
{
    rv_messages_add(c->messages, "%s[%d].%s: %s", c->where, i, key, why);
    c->good = false;
}

static void at_most(checker *c, int i, const char *key, double value, double most, const char *what)
{
    if (value <= most) return;
    rv_messages_add(c->messages, "%s[%d].%s: %g m is more than %s, %g m", c->where, i, key, value,
                    what, most);
    c->good = false;
}

static double smallest(rv_vec3 v)
{
    return fmin(v.x, fmin(v.y, v.z));
}

static void check_capsule(checker *c, int i)
{
    const rv_solid_def *s = &c->solids[i];
    if (s->radius > 0 || s->radius2 > 0) return;
    bool point = s->from.x == s->to.x && s->from.y == s->to.y && s->from.z == s->to.z;
    complain(c, i, "radius",
             point ? "a capsule without radius and length is nothing"
                   : "must be above 0: a capsule without radius is only a line");
}

static void check_cylinder(checker *c, int i)
{
    const rv_solid_def *s = &c->solids[i];
    if (!(s->radius > 0)) complain(c, i, "radius", "must be above 0 for a cylinder");
    if (!(s->height > 0)) complain(c, i, "height", "must be above 0 for a cylinder");
    if (!(s->radius > 0 && s->height > 0)) return;
    at_most(c, i, "round", s->round, fmin(s->radius, 0.5 * s->height),
            "the radius or half the height");
}

static void check_cone(checker *c, int i)
{
    const rv_solid_def *s = &c->solids[i];
    if (!(s->height > 0)) complain(c, i, "height", "must be above 0 for a cone");
    if (!(s->radius > 0 || s->radius2 > 0))
        complain(c, i, "radius", "a cone needs a radius above 0 at one end");
}

static void check_torus(checker *c, int i)
{
    const rv_solid_def *s = &c->solids[i];
    if (!(s->radius > 0)) complain(c, i, "radius", "the ring of a torus must be above 0");
    if (s->radius2 == 0) complain(c, i, "radius2", "the tube of a torus must be above 0");
    if (s->radius > 0 && s->radius2 >= s->radius)
        complain(c, i, "radius2", "the tube of a torus must be thinner than its ring, `radius`");
}

static void check_shape(checker *c, int i)
{
    const rv_solid_def *s = &c->solids[i];
    switch (s->shape) {
    case RV_SHAPE_BOX:
        if (!(smallest(s->size) > 0))
            complain(c, i, "size", "every edge of a box must be above 0");
        else
            at_most(c, i, "round", s->round, 0.5 * smallest(s->size), "half the smallest edge");
        break;
    case RV_SHAPE_ELLIPSOID:
        if (!(smallest(s->size) > 0))
            complain(c, i, "size", "every diameter of an ellipsoid must be above 0");
        break;
    case RV_SHAPE_SPHERE:
        if (!(s->radius > 0)) complain(c, i, "radius", "must be above 0 for a sphere");
        break;
    case RV_SHAPE_CAPSULE:
        check_capsule(c, i);
        break;
    case RV_SHAPE_CYLINDER:
        check_cylinder(c, i);
        break;
    case RV_SHAPE_CONE:
        check_cone(c, i);
        break;
    case RV_SHAPE_TORUS:
        check_torus(c, i);
        break;
    case RV_SHAPE_MESH:
    case RV_SHAPE_VOLUME:
    case RV_SHAPE_HEIGHTS:
        if (!s->form) complain(c, i, "form", "a solid of this shape needs a form");
        break;
    case RV_SHAPE_PLANE:
        if (s->normal.x == 0 && s->normal.y == 0 && s->normal.z == 0)
            complain(c, i, "normal", "0 0 0 points nowhere");
        break;
    case RV_SHAPE_GROUP:
        break;
    }
}

// Opens a group. false: what follows cannot be told apart, so the walk ends.
static bool open_group(checker *c, int i, int64_t copies)
{
    int children = c->solids[i].children;
    int room = (c->depth > 0 ? c->end[c->depth - 1] : c->count) - i - 1;
    if (children < 1) {
        complain(c, i, "children", "a group needs at least one solid");
        return true;
    }
    if (children > room) {
        rv_messages_add(c->messages, "%s[%d].children: %d, but only %d %s left%s", c->where, i,
                        children, room, room == 1 ? "solid is" : "solids are",
                        c->depth > 0 ? " in the group around it" : "");
        c->good = false;
        return false;
    }
    if (c->depth == RV_GROUP_DEPTH_MAX) {
        rv_messages_add(c->messages, "%s[%d].children: groups stand in groups more than %d deep",
                        c->where, i, RV_GROUP_DEPTH_MAX);
        c->good = false;
        return false;
    }
    c->end[c->depth] = i + 1 + children;
    c->copies[c->depth++] = copies;
    return true;
}

static bool check_place(checker *c, int i)
{
    const rv_solid_def *s = &c->solids[i];
    while (c->depth > 0 && i >= c->end[c->depth - 1]) c->depth--;
    int images = s->mirror == RV_MIRROR_XY ? 4 : s->mirror == RV_MIRROR_NONE ? 1 : 2;
    int64_t copies = images * (c->depth > 0 ? c->copies[c->depth - 1] : 1);
    c->all_copies += copies;
    if (c->all_copies > RV_COPIES_MAX) {
        rv_messages_add(c->messages, "%s[%d].mirror: more than %d solids after mirroring", c->where,
                        i, RV_COPIES_MAX);
        c->good = false;
        return false;
    }
    if (s->mover > 0 && c->tool)
        complain(c, i, "mover", "a tool has no moving solids");
    else if (s->mover > 0 && c->depth > 0)
        complain(c, i, "mover", "only a solid at the top moves, with all that is in its group");
    if (s->shape == RV_SHAPE_GROUP) return open_group(c, i, copies);
    if (s->children > 0) complain(c, i, "children", "only a group has children");
    return true;
}

static const char *angle_said(const rv_solid_def *s)
{
    return s->advancing >= 0  ? "advancing"
           : s->receding >= 0 ? "receding"
           : s->contact >= 0  ? "contact"
                              : "cold";
}

// They are told apart by a number of one byte.
static void check_angles(checker *c)
{
    rv_angles found[RV_ANGLES_MAX];
    int count = 1; // the liquid's
    for (int i = 0; i < c->count; i++) {
        const rv_solid_def *s = &c->solids[i];
        if (!rv_angles_are_said(s)) continue;
        if (c->tool) {
            complain(c, i, angle_said(s), "what an edit adds wets as the solid nearest to it");
            continue;
        }
        rv_angles own = rv_angles_of(s);
        int k = 1;
        while (k < count && !rv_angles_same(&found[k], &own)) k++;
        if (k == RV_ANGLES_MAX) {
            complain(c, i, angle_said(s), "more different contact angles than one world can have");
            return;
        }
        if (k == count) found[count++] = own;
    }
}

bool rv_solids_check(const rv_solid_def *solids, int count, const char *where,
                     rv_messages *messages)
{
    checker c = {.solids = solids, .count = count, .messages = messages, .good = true};
    c.where = where, c.tool = strcmp(where, "solids") != 0;
    bool places = true;
    for (int i = 0; i < count; i++) {
        char item[64];
        snprintf(item, sizeof item, "%.40s[%d]", where, i);
        bool values = rv_table_check(rv_solid_table(), &solids[i], item, messages);
        if (values)
            check_shape(&c, i);
        else
            c.good = false;
        // how many children it has is known even when another value is wrong
        if (places) places = check_place(&c, i);
    }
    check_angles(&c);
    return c.good;
}

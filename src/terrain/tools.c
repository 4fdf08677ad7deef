// Tools that edits set down, kept as they are: samples alone tell the rim of a hole no better than
// marching cubes does, with a tooth in every cell; the mesh asks the tools (exact.c).
//
// They follow the solids of the list, each as one that is subtracted or joined sharply, which is
// what the edit did to the field. A ball that goes on along its line is one capsule that grows:
// where it starts and which way it goes stay as they are, so that what it was before keeps its
// bits; how long it has become stands in its height, which capsules have none of. When there are
// too many no more are kept, and no tools of many solids or of forms: the mesh has those as samples
// tell.
#include "terrain/field.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define TOOLS_MAX 4096 // solids
#define TOOL_MOST 32   // of one tool, and its group
#define LATELY 64      // balls that one may go on from: several edits may go on at a time
#define STRAIGHT 1e-4  // of dx: farther from its line a ball goes another way

static bool is_same_place(rv_vec3 a, rv_vec3 b)
{
    return !(fabs(a.x - b.x) + fabs(a.y - b.y) + fabs(a.z - b.z) > 0);
}

static bool is_ball_on_a_line(const rv_solid_def *s)
{
    return s->shape == RV_SHAPE_CAPSULE && s->op != RV_INTERSECT;
}

static double length_of(const rv_solid_def *s)
{
    double x = s->to.x - s->from.x, y = s->to.y - s->from.y, z = s->to.z - s->from.z;
    return sqrt(x * x + y * y + z * z);
}

// How far along the line of a ball, m, a place lies; false: it is not on the line.
static bool is_on_line(const rv_solid_def *ball, rv_vec3 p, double off, double *along)
{
    double x = ball->to.x - ball->from.x, y = ball->to.y - ball->from.y;
    double z = ball->to.z - ball->from.z, size = length_of(ball);
    double a = p.x - ball->from.x, b = p.y - ball->from.y, c = p.z - ball->from.z;
    *along = (a * x + b * y + c * z) / size;
    a -= *along * x / size, b -= *along * y / size, c -= *along * z / size;
    return a * a + b * b + c * c < off * off;
}

static bool goes_on(const rv_solid_def *kept, const rv_solid_def *next, double off, double *reach)
{
    double start;
    return is_same_place(kept->at, next->at) && !(fabs(kept->radius - next->radius) > 0) &&
           is_on_line(kept, next->from, off, &start) && fabs(start - kept->height) < off &&
           is_on_line(kept, next->to, off, reach) && *reach > kept->height;
}

static int size_of(const rv_solid_def *solid)
{
    return 1 + (solid->shape == RV_SHAPE_GROUP ? solid->children : 0);
}

// The first of the balls of one operation that the list ends with.
static int first_of_last(const rv_terrain *t, rv_operation op)
{
    int first = 0;
    for (int i = 0; i < t->tool_count; i += size_of(&t->tool[i]))
        if (t->tool[i].shape == RV_SHAPE_GROUP || t->tool[i].op != op)
            first = i + size_of(&t->tool[i]);
    return first > t->tool_count - LATELY ? first : t->tool_count - LATELY;
}

// Whether a ball goes on from where a kept one came to; then that one is made longer. Carving may
// be done in any order, and so may adding, but not one before the other. A tool that stays where it
// is, as at the end of its path, is there already.
static bool is_continued(rv_terrain *t, const rv_solid_def *next)
{
    double reach;
    for (int i = first_of_last(t, next->op); i < t->tool_count; i++) {
        rv_solid_def *kept = &t->tool[i];
        if (kept->shape != next->shape) continue;
        if (kept->shape == RV_SHAPE_SPHERE && is_same_place(kept->at, next->at) &&
            !(fabs(kept->radius * kept->scale - next->radius * next->scale) > 0))
            return true;
        if (!is_ball_on_a_line(kept) || !goes_on(kept, next, STRAIGHT * t->grid.dx, &reach))
            continue;
        kept->height = reach;
        return true;
    }
    return false;
}

bool rv_tools_keep(rv_terrain *t, const rv_solid_def *tool, const rv_solid_def *solids, bool carve)
{
    rv_solid_def first = *tool;
    int count = size_of(tool);
    first.op = carve ? RV_SUBTRACT : RV_UNION, first.blend = 0;
    if (is_ball_on_a_line(&first)) first.height = length_of(&first);
    if (count > TOOL_MOST || first.form) return true;
    for (int i = 0; i + 1 < count; i++)
        if (solids[i].form) return true;
    if (count == 1 && is_continued(t, &first)) return true;
    if (count > TOOLS_MAX - t->tool_count) return true;
    if (!rv_array_grow(&t->allocator, &t->tool, &t->tool_room, (int64_t)t->tool_count + count,
                       sizeof *t->tool))
        return false;
    t->tool[t->tool_count++] = first;
    for (int i = 0; i + 1 < count; i++) t->tool[t->tool_count++] = solids[i];
    return true;
}

void rv_tools_parts(const rv_terrain *t, rv_part *out)
{
    for (int i = 0; i < t->tool_count; i += size_of(&t->tool[i])) {
        for (int k = i; k < i + size_of(&t->tool[i]); k++) out[k] = rv_part_of(&t->tool[k]);
        if (is_ball_on_a_line(&t->tool[i])) out[i].as.capsule.length = t->tool[i].height;
    }
}

void rv_tools_free(rv_terrain *t)
{
    rv_free(&t->allocator, t->tool, (size_t)t->tool_room, sizeof *t->tool);
    t->tool = NULL, t->tool_count = t->tool_room = 0;
}

// ---- In snapshots -------------------------------------------------------------------------------

size_t rv_tools_bytes(const rv_terrain *t)
{
    return (size_t)t->tool_count * sizeof *t->tool;
}

bool rv_tools_are_sound(const unsigned char *from, size_t size)
{
    size_t each = sizeof(rv_solid_def), count = size / each;
    if (size % each != 0 || count > TOOLS_MAX) return false;
    for (size_t i = 0; i < count;) {
        rv_solid_def solids[TOOL_MOST];
        rv_messages unread = {0};
        memcpy(solids, from + i * each, each);
        size_t own = (size_t)size_of(&solids[0]);
        if (own < 1 || own > TOOL_MOST || own > count - i) return false;
        memcpy(solids, from + i * each, own * each);
        for (size_t k = 0; k < own; k++)
            if (solids[k].form) return false;
        if (!rv_solids_check(solids, (int)own, "tool", &unread)) return false;
        i += own;
    }
    return true;
}

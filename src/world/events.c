// Events: changes of the terrain and of gravity at times given by the definition.
//
// How far an event has come is a function of time alone, so a restored world goes on where it was.
// A tool goes along its path at an even pace; each step carves the piece of the path that falls
// into it. Gravity turns at an even pace from what it was to what the event says.
#include "world/world_internal.h"

#include "terrain/parts.h"

#include <string.h>

// ---- Copies -------------------------------------------------------------------------------------

rv_result rv_events_copy(rv_world *world, const rv_event_def *events, int count)
{
    const rv_allocator *a = &world->allocator;
    if (count == 0) return RV_OK;
    world->events = rv_new(a, (size_t)count, sizeof *world->events);
    if (!world->events) return RV_OUT_OF_MEMORY;
    world->event_count = count;
    for (int i = 0; i < count; i++) {
        rv_event *e = &world->events[i];
        size_t tools = (size_t)events[i].tool_count, points = (size_t)events[i].path_count;
        e->def = events[i];
        if (events[i].kind >= RV_EVENT_MOVE) tools = points = 0;
        e->def.tool_count = (int)tools, e->def.path_count = (int)points;
        e->tool = rv_new(a, tools, sizeof *e->tool), e->path = rv_new(a, points, sizeof *e->path);
        if ((tools > 0 && !e->tool) || (points > 0 && !e->path)) return RV_OUT_OF_MEMORY;
        if (tools > 0) memcpy(e->tool, events[i].tool, tools * sizeof *e->tool);
        if (points > 0) memcpy(e->path, events[i].path, points * sizeof *e->path);
        e->def.tool = e->tool, e->def.path = e->path;
    }
    return RV_OK;
}

void rv_events_free(rv_world *world)
{
    const rv_allocator *a = &world->allocator;
    for (int i = 0; i < world->event_count; i++) {
        rv_event *e = &world->events[i];
        rv_free(a, e->tool, (size_t)e->def.tool_count, sizeof *e->tool);
        rv_free(a, e->path, (size_t)e->def.path_count, sizeof *e->path);
    }
    rv_free(a, world->events, (size_t)world->event_count, sizeof *world->events);
}

// ---- Where moving solids are --------------------------------------------------------------------

// Share of an event that is done at a time.
static double share_at(const rv_event_def *e, double time)
{
    if (time <= e->start) return 0;
    return time >= e->start + e->duration ? 1 : (time - e->start) / e->duration;
}

typedef struct turning {
    rv_vec3 row[3]; // of the rotation: p = row q + at
    rv_vec3 at;
} turning;

static rv_vec3 times(const rv_vec3 row[3], rv_vec3 v)
{
    return (rv_vec3){row[0].x * v.x + row[0].y * v.y + row[0].z * v.z,
                     row[1].x * v.x + row[1].y * v.y + row[1].z * v.z,
                     row[2].x * v.x + row[2].y * v.y + row[2].z * v.z};
}

static void transpose(const rv_vec3 from[3], rv_vec3 to[3])
{
    to[0] = (rv_vec3){from[0].x, from[1].x, from[2].x};
    to[1] = (rv_vec3){from[0].y, from[1].y, from[2].y};
    to[2] = (rv_vec3){from[0].z, from[1].z, from[2].z};
}

// One more rotation, about a point.
static void turn_about(turning *t, rv_vec3 angles, rv_vec3 pivot)
{
    if (angles.x == 0 && angles.y == 0 && angles.z == 0) return;
    rv_solid_def frame = rv_default_solid_def();
    frame.shape = RV_SHAPE_GROUP, frame.rotate = angles;
    rv_part part = rv_part_of(&frame);
    rv_vec3 r[3], columns[3];
    transpose(part.row, r);
    rv_vec3 off = times(r, (rv_vec3){t->at.x - pivot.x, t->at.y - pivot.y, t->at.z - pivot.z});
    t->at = (rv_vec3){pivot.x + off.x, pivot.y + off.y, pivot.z + off.z};
    transpose(t->row, columns);
    for (int k = 0; k < 3; k++) columns[k] = times(r, columns[k]);
    transpose(columns, t->row);
}

static void add(rv_vec3 *sum, rv_vec3 v, double scale)
{
    sum->x += scale * v.x, sum->y += scale * v.y, sum->z += scale * v.z;
}

// All turns in the order of the events, then rv_world_move's, then all shifts.
rv_motion rv_world_motion(const rv_world *world, int mover, double time)
{
    turning t = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    rv_vec3 shift = {0, 0, 0};
    for (int i = 0; i < world->event_count; i++) {
        const rv_event_def *e = &world->events[i].def;
        if (e->kind != RV_EVENT_MOVE || e->mover != mover) continue;
        double s = share_at(e, time);
        turn_about(&t, (rv_vec3){s * e->rotate.x, s * e->rotate.y, s * e->rotate.z}, e->pivot);
        add(&shift, e->shift, s);
    }
    const rv_pose *pose = &world->pose[mover - 1];
    turn_about(&t, pose->rotate, pose->pivot);
    add(&shift, pose->shift, 1);
    add(&t.at, shift, 1);
    rv_motion m = {.at = t.at};
    transpose(t.row, m.row);
    return m;
}

// ---- Gravity ------------------------------------------------------------------------------------

static double length_of(rv_vec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static rv_vec3 mix(rv_vec3 a, rv_vec3 b, double share)
{
    return (rv_vec3){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y),
                     a.z + share * (b.z - a.z)};
}

// On the way from one gravity to another: its strength goes evenly from one to the other, and its
// direction along the shortest way. Roots and quotients only, which are the same on all machines.
static rv_vec3 turned(rv_vec3 from, rv_vec3 to, double share)
{
    double a = length_of(from), b = length_of(to);
    if (share >= 1) return to;
    if (!(a > 0) || !(b > 0)) return mix(from, to, share);
    rv_vec3 way = mix((rv_vec3){from.x / a, from.y / a, from.z / a},
                      (rv_vec3){to.x / b, to.y / b, to.z / b}, share);
    double length = length_of(way), scale = (a + share * (b - a)) / length;
    if (!(length > 0)) return mix(from, to, share); // the very opposite has no shortest way
    return (rv_vec3){way.x * scale, way.y * scale, way.z * scale};
}

// The event of gravity that begins next after the one before it; those that begin together are in
// the order of the list.
static int next_turn(const rv_world *world, int before)
{
    int next = -1;
    double from = before < 0 ? -INFINITY : world->events[before].def.start;
    for (int i = 0; i < world->event_count; i++) {
        const rv_event_def *e = &world->events[i].def;
        bool later = e->start > from || (e->start == from && i > before);
        if (e->kind != RV_EVENT_GRAVITY || !later) continue;
        if (next < 0 || e->start < world->events[next].def.start) next = i;
    }
    return next;
}

void rv_world_turn_gravity(rv_world *world, double time, double dt)
{
    double middle = time + 0.5 * dt;
    rv_vec3 g = world->given, now = world->params.gravity;
    int i = next_turn(world, -1);
    if (i < 0) return;
    for (; i >= 0; i = next_turn(world, i)) {
        const rv_event_def *e = &world->events[i].def;
        if (e->start + e->duration < world->given_at) continue;
        double share = share_at(e, middle);
        if (share > 0) g = turned(g, e->gravity, share);
    }
    if (g.x == now.x && g.y == now.y && g.z == now.z) return;
    world->params.gravity = g;
    world->api->set_params(world->solver, &world->params);
}

// ---- Running ------------------------------------------------------------------------------------

static rv_vec3 point_at(const rv_event_def *e, int leg, double along)
{
    rv_vec3 a = e->path[leg], b = e->path[leg + 1];
    return (rv_vec3){a.x + along * (b.x - a.x), a.y + along * (b.y - a.y),
                     a.z + along * (b.z - a.z)};
}

static double leg_length(const rv_event_def *e, int leg)
{
    rv_vec3 a = e->path[leg], b = e->path[leg + 1];
    double x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
    return sqrt(x * x + y * y + z * z);
}

// The points of the path between two shares of its length; returns how many.
static int part_of_path(const rv_event_def *e, double from, double to, rv_vec3 *out)
{
    double whole = 0, passed = 0;
    int n = 0;
    for (int leg = 0; leg + 1 < e->path_count; leg++) whole += leg_length(e, leg);
    if (!(whole > 0)) {
        out[0] = e->path[0];
        return 1;
    }
    double a = from * whole, b = to * whole;
    for (int leg = 0; leg + 1 < e->path_count; leg++) {
        double length = leg_length(e, leg), end = passed + length;
        if (length > 0 && end >= a && passed <= b) {
            if (n == 0) out[n++] = point_at(e, leg, fmax(a - passed, 0) / length);
            out[n++] = point_at(e, leg, fmin(b - passed, length) / length);
        }
        passed = end;
    }
    return n;
}

static rv_result run_tool(rv_world *world, const rv_event_def *e, double from, double to)
{
    rv_edit_work *w = &world->edit;
    if (e->path_count < 2 || e->duration == 0)
        return rv_world_carve(world, e, e->path, e->path_count, NULL);
    if (!rv_array_grow(&world->allocator, &w->way, &w->way_room, (int64_t)e->path_count + 1,
                       sizeof *w->way))
        return RV_OUT_OF_MEMORY;
    int points = part_of_path(e, from, to, w->way);
    return rv_world_carve(world, e, w->way, points, NULL);
}

// Whether the event does something between two times; a start at `time` itself counts.
static bool acts(const rv_event_def *e, double time, double until)
{
    return e->start < until && (e->start >= time || e->start + e->duration > time);
}

static bool moved(const rv_world *world, int mover, double time, double until)
{
    for (int i = 0; i < world->event_count; i++) {
        const rv_event_def *e = &world->events[i].def;
        if (e->kind == RV_EVENT_MOVE && e->mover == mover && acts(e, time, until)) return true;
    }
    return false;
}

bool rv_world_has_events(const rv_world *world, double time, double dt)
{
    for (int i = 0; i < world->event_count; i++) {
        const rv_event_def *e = &world->events[i].def;
        if (e->kind != RV_EVENT_GRAVITY && acts(e, time, time + dt)) return true;
    }
    return false;
}

rv_result rv_world_events(rv_world *world, double time, double dt)
{
    rv_result r = RV_OK;
    double until = time + dt;
    bool moves[RV_MOVERS_MAX] = {false};
    for (int i = 0; i < world->event_count && r == RV_OK; i++) {
        const rv_event_def *e = &world->events[i].def;
        if (e->kind == RV_EVENT_GRAVITY || !acts(e, time, until)) continue;
        if (e->kind == RV_EVENT_MOVE)
            moves[e->mover - 1] = true;
        else
            r = run_tool(world, e, share_at(e, time), share_at(e, until));
    }
    for (int m = 0; m < RV_MOVERS_MAX && r == RV_OK; m++)
        if (moves[m]) r = rv_world_place_mover(world, m + 1, until, NULL);
    for (int m = 0; m < RV_MOVERS_MAX && r == RV_OK; m++)
        if (moved(world, m + 1, time - dt, until)) rv_world_ride(world, m + 1, time, dt);
    return r;
}

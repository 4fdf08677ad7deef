// Rigid bodies: spheres and boxes that move by gravity and given forces, meet the terrain, the
// walls of the grid and each other (docs/bodies.md); and what they displace of the liquid in each
// column.
//
// One list of bodies in a fixed order. What is done by several threads is done for each body, or
// each column, alone: results do not depend on threads.
#ifndef RV_BODIES_BODIES_H
#define RV_BODIES_BODIES_H

#include "base/cut.h"
#include "base/memory.h"
#include "bodies/vectors.h"
#include "rivulet/body.h"
#include "terrain/columns.h"
#include "terrain/terrain.h"

// What is kept of a body from step to step, then what follows from its definition.
typedef struct rv_body {
    rv_body_def def;
    rv_body_state state;
    double immersed; // m³ that the liquid's inertia was last taken for, see motion.c
    double ambient;  // m, level of the liquid around it
    bool afloat;     // it touched liquid: `ambient` holds
    bool gone;       // removed, or it left the grid

    double volume, mass; // m³, kg
    double reach, thin;  // m, radius around all of it, and of the largest sphere in it
    double round;        // m, radius of the sphere of its volume
    rv_vec3 half;        // m, of the edges of a box; the radius of a sphere three times
    rv_vec3 inertia;     // kg m², about its own axes
} rv_body;

// Cubes of space, from one to another, both among them.
typedef struct rv_cubes {
    int64_t low[3], high[3];
} rv_cubes;

// What one substep works with, by body.
typedef struct rv_body_work {
    bool here;        // it takes part
    bool free;        // forces move it
    bool touches;     // liquid
    rv_mat3 turn;     // from its own axes to the world's
    rv_mat3 light;    // 1/(kg m²), inverse inertia in the world's axes; 0 unless free
    rv_vec3 inverse;  // 1/kg by axis; 0 unless free
    rv_vec3 force;    // N, of the liquid, without drag
    rv_vec3 torque;   // N m
    double stiffness; // N/m, of the buoyancy against rising
    double turning;   // N m, against turning about a level axis
    double heave; // kg, its inertia up and down with that of the liquid it takes along; 0: its mass
    double ease;  // share of a torque that turns it
    double slowed;      // share of its speed downward that is left after taking liquid along
    rv_vec3 kick;       // m/s, given by forces in this part of the substep
    bool held_up;       // a contact that does not bounce acts on it
    double immersed;    // m³ below the level
    double mid;         // m, height of the middle of that
    double sample;      // m², area that one chord stands for
    double share;       // of a cell, that this is
    double calm;        // m, the part of the level around that counts, see float.c
    bool meets;         // another body in some column
    rv_rect cells;      // that it may reach into
    double low, high;   // m, heights between which it is
    int first, covers;  // its columns in the list of covers, which has gaps between bodies
    int chords, across; // where its chords begin, and how many there are in a cell, each way
    rv_vec3 flow;       // m/s, of the liquid around it
    double flow_mass;   // kg of that liquid
    double pierced;     // m², of the surface that it cuts
    double slam;        // m of head where it is pierced, beyond what is displaced
    rv_vec3 drag;       // N s in the substep, on it
    rv_vec3 drag_turn;  // N m s
    rv_vec3 contacts;   // N s in a step, of terrain, walls and other bodies
    rv_vec3 given;      // N s in a step, of the liquid: force and drag, for those that are not free
    rv_vec3 turned;     // N m s in a step, of the liquid
    rv_vec3 before;     // m/s, when the step began
    rv_vec3 weighed;    // N s in a step, of gravity
    bool supported;     // by a contact from below
    rv_cubes cubes;     // that it stands in, pairs.c
} rv_body_work;

// Where two bodies, or one and the terrain (b = -1), meet.
typedef struct rv_body_contact {
    int a, b;
    rv_vec3 at, normal; // m; from b to a
    double gap;         // m, negative: they overlap
    double friction, bounce;
    // While it is solved.
    rv_vec3 arm_a, arm_b; // m, from the middles
    double weight;        // kg, of an impulse along the normal
    double target;        // m/s, along the normal
    bool bounces;
    double pushed;  // N s
    rv_vec3 rubbed; // N s
} rv_body_contact;

typedef struct rv_body_pair {
    int a, b; // a < b
} rv_body_pair;

// A vertical line through a body inside a column, one of the samples of what it displaces.
typedef struct rv_chord {
    double low, high; // m
    float x, y;       // m, from the body's middle
} rv_chord;

// The chords of one body in one column.
typedef struct rv_cover {
    double low, high; // m, between which all chords are
    double length;    // m, of all of them
    double level;     // m, to which liquid and bodies fill the column
    double head;      // m, by which this body lifts the column's head
    float crossed;    // share of the column in which the surface cuts the body
    uint32_t slot;
    int body, next;        // next: cover of the same column, -1
    int first;             // of the chords
    uint16_t count, plane; // count: of the chords; none are kept of a sphere under water
} rv_cover;

// An impulse over density on a column, that several ranks may keep.
typedef struct rv_body_push {
    int32_t body, plane, x, y;
    double amount, along_x, along_y; // m⁴/s for an amount of 1
} rv_body_push;

typedef struct rv_bodies {
    rv_body *body;
    rv_body_work *work;
    int count, room, work_room;
    rv_allocator allocator;
    rv_pool *pool; // borrowed
    rv_cut *cut;   // borrowed; NULL: all rows are here
    int *home;     // by body: the rank that works out what happens to it, see homes.c
    int home_room;
    rv_body_push *push; // of those at home
    int push_count, push_room;

    rv_body_contact *contact;
    int contact_count, contact_room;
    rv_body_pair *pair;
    int pair_count, pair_room;
    int *bucket, *chain; // of the hash of places, pairs.c
    int bucket_room, chain_room, chain_count;
    rv_vec3 *surface; // points of one box's surface
    int surface_room;

    rv_chord *chord;
    int chord_count, chord_room;
    rv_cover *cover;
    int cover_count, cover_room;
    size_t *link; // slots of the columns with covers
    int linked, link_room;
    int *first_cover; // [slots] of a column, + 1; 0: none
    float *head;      // [slots] m, sum over the bodies
    size_t slots;
    rv_rect pressed; // cells outside of which the head is 0
    bool failed;     // memory ran out; some contact or chord is missing
} rv_bodies;

// The world around the bodies.
typedef struct rv_surroundings {
    const rv_terrain *terrain; // NULL: the columns' beds alone
    const rv_column_set *columns;
    rv_vec3 pull;     // m/s², gravity
    double gravity;   // m/s², its downward part, of which levels make pressures
    bool wall[4];     // west, east, south, north
    bool eight;       // the liquid flows to all eight neighbours
    double density;   // kg/m³, of the liquid
    double viscosity; // m²/s
} rv_surroundings;

// ---- bodies.c -----------------------------------------------------------------------------------

// Adds a body; its number is *index.
rv_result rv_bodies_add(rv_bodies *bodies, const rv_body_def *def, int *index);
void rv_bodies_free(rv_bodies *bodies);
// Volume, mass, inertia and sizes from the definition.
void rv_body_weigh(rv_body *body);
// Makes room for `need` items in an array that grows; what was in it stays. false: out of memory.
// Runs a task for each body, by several threads where that is worth it.
void rv_bodies_for_each(rv_bodies *bodies, rv_task *task, void *context);
// Which bodies take part at a time, and how they stand.
bool rv_bodies_begin(rv_bodies *bodies, double time);
// Turns and inverse masses from the states.
void rv_bodies_refresh(rv_bodies *bodies);

// ---- homes.c: bodies in a grid that is shared out
// --------------------------------------------------

// Which rank works out what happens to each body where it is now. false: no memory.
bool rv_bodies_find_homes(rv_bodies *bodies, const rv_grid *grid);
bool rv_body_is_home(const rv_bodies *bodies, int index); // it is this rank
// Every rank knows of each body what its home found; whether any column anywhere is covered.
bool rv_bodies_agree(rv_bodies *bodies);
// The contacts from `first` on, which each rank found for those at home, become those of all, in
// the order of ranks.
void rv_bodies_share_contacts(rv_bodies *bodies, int first, int *count);
// The pushes that homes noted, in the order of bodies, on every rank. false: a rank is lost.
typedef void rv_on_body_push(void *user, const rv_body_push *push);
bool rv_bodies_note_push(rv_bodies *bodies, const rv_body_push *push);
bool rv_bodies_share_pushes(rv_bodies *bodies, rv_on_body_push *each, void *user);

// ---- motion.c -----------------------------------------------------------------------------------

// Moves the bodies over dt under the forces in `work`, gravity and contacts.
void rv_bodies_move(rv_bodies *bodies, const rv_surroundings *around, double dt);

// ---- pairs.c, touch.c, boxes.c, solve.c ---------------------------------------------------------

// Pairs of bodies that may meet when each moves by up to `margin` (m).
bool rv_bodies_pairs(rv_bodies *bodies, double margin);
// All contacts with a gap under what closes within dt.
void rv_bodies_touch(rv_bodies *bodies, const rv_surroundings *around, double dt);
void rv_touch_boxes(rv_bodies *bodies, int a, int b, double margin);
void rv_contact_add(rv_bodies *bodies, const rv_body_contact *contact);
// Impulses that keep bodies apart, with bounce and friction; then moves overlapping ones apart.
void rv_bodies_solve(rv_bodies *bodies, double dt, rv_vec3 pull);
void rv_bodies_part(rv_bodies *bodies, double dt);
// Distance of a point to the solid, and away from it.
double rv_solid_distance(const rv_surroundings *around, rv_vec3 p);
rv_vec3 rv_solid_normal(const rv_surroundings *around, rv_vec3 p);

// ---- chords.c, float.c --------------------------------------------------------------------------

// The liquid, by slot.
typedef struct rv_body_liquid {
    const float *depth, *flux_x, *flux_y;
    double film; // m
} rv_body_liquid;

// Finds the columns that bodies reach into, and the chords in them.
bool rv_bodies_cover(rv_bodies *bodies, const rv_column_set *columns, const rv_body_liquid *liquid);
// From the chords: what is displaced in each column (bodies->head), and the liquid's forces on each
// body over the next dt. Returns whether any column is pressed.
bool rv_bodies_float(rv_bodies *bodies, const rv_surroundings *around, const rv_body_liquid *liquid,
                     double dt);

// Only the heads that bodies add where they are now, for those who draw: `scratch` is the caller's,
// begun empty with an allocator, and freed with rv_bodies_free. Changes nothing of `bodies`. false:
// there are none.
bool rv_bodies_raise(rv_bodies *scratch, const rv_bodies *bodies, const rv_surroundings *around,
                     const rv_body_liquid *liquid, double time);

// A column under a body answers to liquid that flows in as if it were so much stiffer than a free
// one, besides its own stiffness; and so many more substeps the liquid needs for it: the root of
// the sum, and a fifth for the body, which gives way too.
#define RV_BODY_STIFFNESS 3.0
#define RV_BODY_SUBSTEPS 2.4

#endif

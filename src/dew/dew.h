// Drops smaller than a cell that sit on solids, on steep and hanging sides too: rain, sweat, what
// runs down, and how they merge. What goes over between them and columns is in world/dew.c;
// docs/dew.md tells the rules.
//
// The list has a fixed order and is worked on in that order, so results do not depend on threads.
#ifndef RV_DEW_DEW_H
#define RV_DEW_DEW_H

#include "base/memory.h"
#include "base/numbers.h"
#include "rivulet/params.h"
#include "terrain/terrain.h"

// What a drop does.
typedef enum rv_dew_form {
    RV_DEW_SITS,  // or runs, where it has a velocity
    RV_DEW_FALLS, // a ball in the air
    RV_DEW_GONE   // outside the grid
} rv_dew_form;

// As it is saved: no gaps.
typedef struct rv_dew_drop {
    rv_vec3 at;       // m, the middle of its foot; of one that falls, of the ball
    rv_vec3 normal;   // of the solid there
    rv_vec3 velocity; // m/s, along the solid
    double volume;    // m³; 0: it is swept
    double way;       // m since it left a droplet behind
    uint32_t set;     // of contact angles (terrain.h)
    uint32_t form;    // rv_dew_form
} rv_dew_drop;

// How drops stand on a kind of solid.
typedef struct rv_dew_foot {
    double shape;      // volume of a cap over the cube of the radius of its foot
    double height;     // of a cap over that radius
    double difference; // cosine of the receding less that of the advancing angle
    double cold;       // 0 … 1
} rv_dew_foot;

typedef struct rv_dew {
    rv_allocator allocator;
    rv_dew_drop *drop;
    double *radius; // m, of the foot; of one that falls, of the ball. Derived
    int count, room;
    int most; // of dew.most; a restored list may have more room
    // State besides the drops.
    double owed;          // m³ that rounding of depths left over; goes with the next that is given
    double due[2];        // parts of the next raindrop and of the next line of seeds
    int64_t rained;       // raindrops so far, for chance
    int64_t seeded, left; // lines of seeds, and droplets left behind, so far
    int64_t refused;      // drops that found no room in the list
    // Derived.
    rv_dew_foot foot[RV_ANGLES_MAX];
    int feet;
    double coldest; // most of `cold`
    int32_t *head;  // [heads] of lists of drops by place, + 1
    int32_t *next;  // [room] + 1
    int32_t *group; // [room] of drops that merge: the first of them
    int heads;
} rv_dew;

// Where drops are, for a step.
typedef struct rv_dew_place {
    const rv_terrain *terrain;
    const rv_params *params;
    double dt;
} rv_dew_place;

static inline rv_vec3 rv_dew_along(rv_vec3 a, rv_vec3 b, double s)
{
    return (rv_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double rv_dew_dot(rv_vec3 a, rv_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline double rv_dew_length(rv_vec3 a)
{
    return sqrt(rv_dew_dot(a, a));
}

// dew.c
// Room for so many; those that are there stay. false: no memory, nothing changed.
bool rv_dew_make_room(rv_dew *dew, int count);
void rv_dew_free(rv_dew *dew);
// Its number; -1: no room.
int rv_dew_add(rv_dew *dew, const rv_dew_drop *drop);
void rv_dew_set_volume(rv_dew *dew, int index, double volume);
void rv_dew_sweep(rv_dew *dew);
double rv_dew_volume(const rv_dew *dew); // m³, with what is owed
// How drops stand on the kinds of solids that there are.
void rv_dew_find_feet(rv_dew *dew, const rv_terrain *terrain, const rv_params *params);
// Puts a place on the solid, which is about `reach` away and never more than twice that, with its
// normal; false: it is not.
bool rv_dew_settle(const rv_terrain *terrain, double reach, rv_vec3 *at, rv_vec3 *normal);
// A drop that sits, of this volume, on the solid at a place of it.
rv_dew_drop rv_dew_sitting(const rv_terrain *terrain, rv_vec3 at, double volume);

// come.c: raindrops and seeds that come in a step. `each` takes a drop that came down somewhere.
typedef void rv_dew_on_drop(void *user, const rv_dew_drop *drop);
void rv_dew_rain(rv_dew *dew, const rv_dew_place *place, rv_dew_on_drop *each, void *user);
// The raindrops that would be in the air now, to come down when rv_dew_rain has them land.
int rv_dew_in_air(const rv_dew *dew, const rv_dew_place *place, rv_dew_drop *out, int room);
void rv_dew_seed(rv_dew *dew, const rv_dew_place *place, rv_dew_on_drop *each, void *user);
// What condenses on drops and evaporates from them: adds both up, m³.
void rv_dew_grow(rv_dew *dew, const rv_dew_place *place, double *came, double *went);

// run.c: moves all that run or fall, and leaves droplets behind.
void rv_dew_run(rv_dew *dew, const rv_dew_place *place);

// merge.c: all that touch become one.
void rv_dew_merge(rv_dew *dew, const rv_terrain *terrain);

#endif

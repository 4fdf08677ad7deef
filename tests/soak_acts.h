// What a user could do to a world, at random: parameters within their range, borders that change,
// pouring, stirring, drilling and building, bodies thrown in, snapshots taken and gone back to. For
// test_soak.c.
#ifndef TESTS_SOAK_ACTS_H
#define TESTS_SOAK_ACTS_H

#include "rounding_walk.h"

#include "rivulet/rivulet.h"

#define SOAK_BODIES 8 // thrown in and not yet taken out

typedef struct soak {
    uint64_t random;
    rv_world *world;
    rv_surface *surface;
    rv_params own;       // the scene's
    rv_vec3 low, high;   // m, of the grid
    double first;        // m³, volume at the start
    void *start, *saved; // snapshots
    size_t start_size, saved_room;
    int thrown[SOAK_BODIES], bodies; // numbers of bodies that are in
    double worst;                    // share of volume that was made or lost
    rounding_walk walk;              // since the scene began
    int64_t edits, pours, changes, throws, stirs, restores;
    int64_t half_bytes; // held at the end of an epoch, half-way
    double half_resident;
    char why[256]; // of the first failure; empty: none
} soak;

void soak_act(soak *s);   // what is done in a step of a burst, or nothing
void soak_calm(soak *s);  // the scene's own parameters, no bodies, nothing that flows in
void soak_touch(soak *s); // what is done in a step of a calm spell, seldom anything
void soak_save_and_restore(soak *s);
void soak_take_out(soak *s, int which); // of the bodies

rv_stats soak_stats(const soak *s);
double soak_between(soak *s, double low, double high);
// The first reason why it failed stays.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void soak_blame(soak *s, const char *format, ...);

#endif

// Meshes of a run: the liquid's surface at the end or one per film frame, and the terrain's
// surface.
#ifndef APP_MESHES_H
#define APP_MESHES_H

#include "app/film.h"
#include "rivulet/surface.h"

typedef struct rv_meshes {
    const char *path; // NULL: none; with a %04d: one per film frame
    bool numbered;
    rv_film_clock clock;
    rv_moment *moment; // borrowed
} rv_meshes;

// NULL path: none. Writes nothing yet.
void rv_meshes_start(rv_meshes *meshes, const rv_world *world, rv_moment *moment, const char *path);
// After each frame of the simulation, and once before the first: writes what is due.
bool rv_meshes_frame(rv_meshes *meshes, const rv_world *world, rv_messages *messages);
// The mesh at the end.
bool rv_meshes_finish(rv_meshes *meshes, const rv_world *world, rv_messages *messages);

// The solids' surface as it is now.
bool rv_terrain_export(const rv_world *world, const char *path, rv_messages *messages);

#endif

// Worlds of any size for `rivulet bench`, stepped and drawn: land-N and decks-N.
#ifndef APP_BENCH_LARGE_H
#define APP_BENCH_LARGE_H

#include "io/scene_file.h"

enum { RV_LARGE_SOLIDS = 8, RV_LARGE_FILLS = 4 };

// What such a world is made of; must outlive it.
typedef struct rv_large_world {
    rv_world_def def;
    float *heights; // NULL: it is made of solids
    rv_solid_def solid[RV_LARGE_SOLIDS];
    rv_fill_def fill[RV_LARGE_FILLS];
} rv_large_world;

// Whether the name is one of these; `cells` is its N.
bool rv_large_name(const char *name, int *cells);
// Whether it would be one, but for its N, which there is none of: a message says which there are.
bool rv_large_refused(const char *name, rv_messages *messages);
// Whether it is a landscape's, of whatever size; and one as a scene, for who shows it: `heights`
// are the world's, the caller's to free. false: no memory, or no size that a landscape may have.
bool rv_land_name(const char *name, int *cells);
bool rv_land_scene(const char *name, int cells, rv_scene_file *out, float **heights,
                   rv_messages *messages);
// false: no memory, which a message tells. `progress`: as that of a world's definition, for its
// making too; may be NULL.
bool rv_large_make(const char *name, int cells, void (*progress)(double share, void *user),
                   void *user, rv_large_world *out, rv_messages *messages);
void rv_large_free(rv_large_world *world);

#endif

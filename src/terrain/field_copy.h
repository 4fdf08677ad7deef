// A second field that answers as a terrain did when it was last updated, while that terrain
// changes.
#ifndef RV_TERRAIN_FIELD_COPY_H
#define RV_TERRAIN_FIELD_COPY_H

#include "terrain/terrain.h"

typedef struct rv_field_copy rv_field_copy;

// Of a terrain that outlives it; distances, normals and rays may be asked of it, nothing else.
rv_result rv_field_copy_create(const rv_terrain *of, rv_field_copy **out);
rv_result rv_field_copy_update(rv_field_copy *copy, const rv_terrain *of);
void rv_field_copy_free(rv_field_copy *copy);
const rv_terrain *rv_field_copy_terrain(const rv_field_copy *copy);

#endif

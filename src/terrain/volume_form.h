// The solid of a volume as triangles, before they become a form.
#ifndef RV_TERRAIN_VOLUME_FORM_H
#define RV_TERRAIN_VOLUME_FORM_H

#include "rivulet/form.h"
#include "rivulet/world.h"

// Checks the volume, fills the report's voxels, solid, least and most, and makes a closed mesh in
// the data's unit, without normals. Give it back with rv_mesh_free.
rv_result rv_volume_triangles(const rv_volume *volume, const rv_form_def *def,
                              const rv_allocator *allocator, rv_mesh *out, rv_form_report *report,
                              rv_messages *messages);

#endif

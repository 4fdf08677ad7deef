// From the tree of a YAML file to the definitions of a scene. Used by io/scene_file.c only.
#ifndef IO_SCENE_READ_H
#define IO_SCENE_READ_H

#include "io/scene_file.h"
#include "io/yaml_tree.h"

// Fills a scene that has its path, name and defaults. All problems go to messages; what was read is
// the scene's to free in any case.
void rv_scene_read(rv_scene_file *scene, const rv_yaml_node *root, rv_messages *messages);

// "did you mean" for a key at the top of a scene file: parameters, groups and lists. Returns out,
// or NULL when none is near.
const char *rv_scene_nearest_key(const char *key, char *out, size_t out_size);

// "solids[1].solids[0]" for the flat index of a solid in a list of that name.
void rv_scene_solid_path(const rv_solid_def *solids, int count, const char *list, int index,
                         char *out, size_t out_size);

#endif

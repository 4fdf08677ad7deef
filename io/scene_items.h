// Keys of a loaded scene that --set and studies change: parameters, and numbers of the items of its
// lists, "sources[0].rate", "solids[1].solids[0].radius".
#ifndef IO_SCENE_ITEMS_H
#define IO_SCENE_ITEMS_H

#include "io/scene_file.h"

// The field that a key stands for, a parameter's or an item's. NULL: there is none.
const rv_field_info *rv_scene_find_key(const rv_scene_file *scene, const char *key);

// Sets an item's field from a text. false: the key is none of an item's, and nothing was done.
// Otherwise *why is "" or says what is wrong.
bool rv_scene_set_item(rv_scene_file *scene, const char *key, const char *value, char *why,
                       size_t why_size);

#endif

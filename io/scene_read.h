// From the tree of a YAML file to the definitions of a scene. Used by the files of the scene reader
// only.
#ifndef IO_SCENE_READ_H
#define IO_SCENE_READ_H

#include "io/scene_file.h"
#include "io/yaml_tree.h"

// Fills a scene that has its path, name and defaults. All problems go to messages; what was read is
// the scene's to free in any case.
void rv_scene_read(rv_scene_file *scene, const rv_yaml_node *root, rv_messages *messages);

// Scenes that are being read, each because the next one is like it: the last first.
typedef struct rv_like {
    const char *path;
    const struct rv_like *next;
} rv_like;

// rv_scene_load_memory for a scene that others are like; NULL: none.
bool rv_scene_load_at(const char *text, size_t size, const char *path, const rv_like *likes,
                      rv_scene_file *out, rv_messages *messages);
// Loads the scene that the file `from` names in its `like:`: a shipped one, or a file beside it or
// below.
bool rv_scene_load_like(const char *name, const rv_like *like, rv_scene_file *out,
                        rv_messages *messages);
// A file as named from a scene: beside it unless its path is absolute. NULL without memory; to be
// freed.
char *rv_scene_beside(const char *scene, const char *file);

// Where the path of a picture goes that the key names (`environment`, `backdrop`, `affinity`), and
// the word for the one that is made without a file. NULL: the key is none of them.
char **rv_scene_picture(rv_scene_file *scene, const char *key, const char **made);

// Whether a word stands for such a picture that is made: that word, or one of the studios, which it
// sets (view.studio).
bool rv_scene_made(rv_scene_file *scene, const char *key, const char *word);

// "did you mean" for a key at the top of a scene file: parameters, groups and lists. Returns out,
// or NULL when none is near.
const char *rv_scene_nearest_key(const char *key, char *out, size_t out_size);

// The same among what --set takes.
const char *rv_scene_nearest_set(const char *key);

// Whether a key does something in an item of the list that a table belongs to, as the item is.
bool rv_scene_item_uses(const rv_table *table, const void *object, const char *key);

// "solids[1].solids[0]" for the flat index of a solid in a list of that name.
void rv_scene_solid_path(const rv_solid_def *solids, int count, const char *list, int index,
                         char *out, size_t out_size);

#endif

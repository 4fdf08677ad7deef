// What the parts of the scene reader share: where problems go, and how a node of the YAML tree
// becomes a field of a struct. Used by io/scene_read.c, io/scene_solids.c and io/scene_events.c
// only.
#ifndef IO_SCENE_READER_H
#define IO_SCENE_READER_H

#include "io/scene_file.h"
#include "io/yaml_tree.h"

#define RV_READ_PATH 256 // bytes of "solids[1].solids[0].radius"
// Problems after which keys are no longer compared: a hostile file is long.
#define RV_READ_SUGGESTIONS 200

// Solids in a flat array, groups before what belongs to them.
typedef struct rv_solid_list {
    rv_solid_def *solids;
    int *lines, *forms; // as in rv_scene_file
    int count, room;
} rv_solid_list;

typedef struct rv_reader {
    rv_scene_file *scene;
    rv_messages *messages;
    rv_solid_list solids, tools;          // given to the scene at the end
    int form_room, point_room;            // capacities of the scene's arrays
    bool too_many_solids, too_many_forms; // was told
} rv_reader;

void rv_read_problem(rv_reader *r, int line, const char *key, const char *what);
void rv_read_unknown(rv_reader *r, int line, const char *key, const char *nearest);
// Adds that line; returns false.
bool rv_read_no_memory(rv_reader *r);
// "prefix.key", or "key" when the prefix is empty.
void rv_read_join(char *out, size_t out_size, const char *prefix, const char *key);
const char *rv_read_kind_text(const rv_yaml_node *node);

// One field of `object` from a node; problems are told under `path`.
void rv_read_field(rv_reader *r, const rv_field_info *field, const rv_yaml_node *node,
                   const char *path, void *object);

// A struct that an item's keys belong to.
typedef struct rv_read_target {
    const rv_table *table;
    void *object;
    int *lines; // per row of the table, where the key stands; may be NULL
} rv_read_target;

// Reads the entries of one item into the structs that have their keys. `others` are keys that the
// caller reads himself, ended by NULL. Unknown keys are told here, useless ones by rv_read_uses.
void rv_read_item(rv_reader *r, const rv_yaml_node *item, const char *path,
                  const rv_read_target *targets, int target_count, const char *const *others);

// The entry of a map, or NULL.
const rv_yaml_node *rv_read_entry(const rv_yaml_node *map, const char *key);
// Whether it is a list of maps, or nothing at all; else the problems are told.
bool rv_read_is_list(rv_reader *r, const rv_yaml_node *list, const char *path);

// Which keys do something for which kind of item, and which it cannot do without. What does nothing
// is refused: it is a sign that the author meant something else. Words of `keys` stand between
// spaces. A table ends with a row of zeros; one whose first kind is NULL holds for all items.
typedef struct rv_key_use {
    const char *kind;
    const char *keys;
    const char *needed;
} rv_key_use;

void rv_read_uses(rv_reader *r, const rv_yaml_node *item, const char *path, const rv_key_use *uses,
                  const char *common, const rv_field_info *kind_field, const void *object);

// ---- io/scene_solids.c --------------------------------------------------------------------------

// Adds the solids of a node to a list: a list of maps, and with `or_one` also a single map.
// `where`: "solids" or "events[3].tool".
void rv_read_solids(rv_reader *r, const rv_yaml_node *node, const char *where, rv_solid_list *list,
                    bool or_one);

// ---- io/scene_events.c --------------------------------------------------------------------------

void rv_read_events(rv_reader *r, const rv_yaml_node *node);
// Lets the events point at their tools and paths, once the arrays have their places.
void rv_read_events_finish(rv_scene_file *scene);

#endif

// Scene files: YAML in, definitions out. The format is described in docs/scenes.md.
//
//     rv_scene_file scene;
//     rv_messages messages = {0};
//     if (!rv_scene_load("bowl", &scene, &messages)) puts(messages.text);
//     rv_world_def def = rv_scene_world_def(&scene);   // borrows from the scene; add a pool if
//     wanted
//     ...
//     rv_scene_free(&scene);
//
// Every problem is one line `FILE:LINE: KEY: what is wrong`, and all problems of a file come at
// once.
#ifndef IO_SCENE_FILE_H
#define IO_SCENE_FILE_H

#include "rivulet/rivulet.h"

#define RV_SCENE_BYTES_MAX (16u * 1024u * 1024u) // a larger file is refused
#define RV_SCENE_DEPTH_MAX 32                    // a file nested deeper is refused
#define RV_SCENE_ITEMS_MAX 100000                // solids, fills, sources, drains, each

// What a paper reports about the scene; NAN where it says nothing, "" for no figure.
typedef struct rv_scene_paper {
    char figure[64];
    double ms_simulation, ms_surface, ms_rendering;
} rv_scene_paper;

// Owns all that it points to.
typedef struct rv_scene_file {
    char *path;  // the file it came from, as it is named in messages
    char *name;  // `name:`, or the file's name without folder and extension
    char *title; // one line, "" when not given
    char *about; // any text, "" when not given
    rv_scene_paper paper;
    rv_params params;
    rv_solid_def *solids; // groups flattened: a group is followed by its `children` solids
    int solid_count;
    rv_fill_def *fills;
    int fill_count;
    rv_source_def *sources;
    int source_count;
    rv_drain_def *drains;
    int drain_count;
    // Lines of the file, from 1, to place later problems: per item, and per row of
    // rv_params_table() (0: not given there).
    int *solid_lines, *fill_lines, *source_lines, *drain_lines;
    int *param_lines;
} rv_scene_file;

// Loads a shipped scene by name, or a file by its path. A word without '/' and without extension
// .yaml or .yml is a name. false: `out` is empty, messages say all that is wrong.
bool rv_scene_load(const char *name_or_path, rv_scene_file *out, rv_messages *messages);
// The same from memory; `path` stands in the messages.
bool rv_scene_load_memory(const char *text, size_t size, const char *path, rv_scene_file *out,
                          rv_messages *messages);
void rv_scene_free(rv_scene_file *scene);

// A definition that borrows the scene's arrays; valid until rv_scene_free.
rv_world_def rv_scene_world_def(const rv_scene_file *scene);

// Sets one parameter from "KEY=VALUE". false: messages has "--set KEY=VALUE: what is wrong".
bool rv_scene_set(rv_scene_file *scene, const char *assignment, rv_messages *messages);
// Checks what one field cannot show: a box upside down, a source outside the grid. Done by the
// loaders; needed again after rv_scene_set.
bool rv_scene_check(const rv_scene_file *scene, rv_messages *messages);

// Copies messages of rv_world_create ("solids[3].radius: …", "grid.top: …"), with `FILE:LINE: `
// before each line whose key stands in the file.
void rv_scene_place(const rv_scene_file *scene, const rv_messages *from, rv_messages *to);

// ---- Shipped scenes -----------------------------------------------------------------------------

// The folder that is searched: $RIVULET_SCENES, the source tree's, the installed one; the first
// that exists. false when there is none.
bool rv_scene_folder(char *out, size_t out_size);

typedef struct rv_scene_names {
    int count;
    char **name; // sorted, without extension
} rv_scene_names;

bool rv_scene_names_list(rv_scene_names *out, rv_messages *messages);
void rv_scene_names_free(rv_scene_names *names);

#endif

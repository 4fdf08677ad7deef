// Scene files: YAML in, definitions out. The format is described in docs/scenes.md and
// docs/scene-keys.md.
//
//     rv_scene_file scene;
//     rv_messages messages = {0};
//     rv_form_work work = rv_default_form_work();      // add a pool if wanted
//     if (!rv_scene_load("bowl", &scene, &messages) ||
//         !rv_scene_load_forms(&scene, &work, &messages)) puts(messages.text);
//     rv_world_def def = rv_scene_world_def(&scene);   // borrows from the scene
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
#define RV_SCENE_LIKE_MAX 8       // scenes that start from others, one after the other
#define RV_SCENE_ITEMS_MAX 100000 // of each list; solids and points also in all
#define RV_SCENE_FORMS_MAX 1000   // different files, or ways to use them
#define RV_SCENE_FORM_KEYS 16     // at least the rows of rv_form_table()

// What a paper reports about the scene; NAN where it says nothing, "" for no figure.
typedef struct rv_scene_paper {
    char figure[64];
    double ms_simulation, ms_surface, ms_rendering;
} rv_scene_paper;

// Data in a file that solids of shape mesh, volume or heights are made from. Solids that ask for
// the same file in the same way share one.
typedef struct rv_scene_form {
    char *file;     // as it stands in the scene: relative to the scene's folder, or absolute
    rv_shape shape; // mesh, volume or heights
    rv_form_def def;
    double size_x, size_y;         // m, of a height map; 0: those of the grid
    char *key;                     // of the first solid that asked, "solids[3]"
    int line, file_line;           // of that solid, and of its key `file`
    int lines[RV_SCENE_FORM_KEYS]; // of its keys, per row of rv_form_table(); 0: not given
    rv_form *form;                 // NULL until rv_scene_load_forms
    const rv_form *given;          // by the host, to be taken instead of a file; NULL: none was
    rv_form_report report;
} rv_scene_form;

// Owns all that it points to.
typedef struct rv_scene_file {
    char *path;  // the file it came from, as it is named in messages
    char *name;  // `name:`, or the file's name without folder and extension
    char *title; // one line, "" when not given
    char *about; // any text, "" when not given
    rv_scene_paper paper;
    rv_params params;
    char *environment;    // path of a picture of the surroundings (io/hdr_file.h); NULL: the studio
    char *backdrop;       // path of a picture behind a pane (io/picture_file.h); NULL: a street
    char *affinity;       // path of a map of where a pane draws water; NULL: glass.affinity says
    rv_map affinity_map;  // it, owned; empty until rv_scene_load_forms
    rv_solid_def *solids; // groups flattened: a group is followed by its `children` solids
    int solid_count;
    rv_fill_def *fills;
    int fill_count;
    rv_source_def *sources;
    int source_count;
    rv_drain_def *drains;
    int drain_count;
    rv_body_def *bodies;
    int body_count;
    rv_emitter_def *emitters;
    int emitter_count;
    rv_event_def *events; // their tools and paths point into the next two
    int event_count;
    rv_solid_def *tools; // of all events, one after another, flattened like solids
    int tool_count;
    rv_vec3 *points; // of all paths, one after another
    int point_count;
    rv_scene_form *forms;
    int form_count;
    int *solid_forms, *tool_forms; // per solid: which form it is made from; -1: none
    // Lines of the file, from 1, to place later problems: per item, and per row of
    // rv_params_table() (0: not given there).
    int *solid_lines, *fill_lines, *source_lines, *drain_lines, *event_lines, *tool_lines;
    int *body_lines, *emitter_lines;
    int *param_lines;
} rv_scene_file;

// Loads a shipped scene by name, or a file by its path. A word without '/' and without extension
// .yaml or .yml is a name. false: `out` is empty, messages say all that is wrong.
bool rv_scene_load(const char *name_or_path, rv_scene_file *out, rv_messages *messages);
// The same from memory; `path` stands in the messages.
bool rv_scene_load_memory(const char *text, size_t size, const char *path, rv_scene_file *out,
                          rv_messages *messages);
void rv_scene_free(rv_scene_file *scene);

// Loads the files that solids and panes are made from, those that are not loaded yet; a world needs
// them, a list of scenes does not. Call it after the last rv_scene_set: a height map without a size
// takes the grid's. false: messages say what is wrong, as `FILE:LINE: KEY: …`.
bool rv_scene_load_forms(rv_scene_file *scene, const rv_form_work *work, rv_messages *messages);

// A definition that borrows the scene's arrays; valid until rv_scene_free.
rv_world_def rv_scene_world_def(const rv_scene_file *scene);

// Sets one parameter from "KEY=VALUE", or several with "liquid.preset=NAME", or the surroundings
// with "environment=FILE" ("backdrop=", "affinity="), where FILE is not beside the scene, or a number
// of an item, "sources[0].rate=2 ml/s". What is set later goes before.
// false: messages has "--set KEY=VALUE: what is wrong".
bool rv_scene_set(rv_scene_file *scene, const char *assignment, rv_messages *messages);
// The same with another word than "--set " before it.
bool rv_scene_set_by(rv_scene_file *scene, const char *by, const char *assignment,
                     rv_messages *messages);
// Checks what one field cannot show: a box upside down, a source outside the grid. Done by the
// loaders; needed again after rv_scene_set.
bool rv_scene_check(const rv_scene_file *scene, rv_messages *messages);

// Whether a key is one of those that a shape has besides what all solids have.
bool rv_scene_shape_has(rv_shape shape, const char *key);

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

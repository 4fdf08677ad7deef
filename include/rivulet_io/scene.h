// rivulet_io/scene.h: scene files (docs/scenes.md): from a name or a path to a world.
//
//     rv_scene *scene;
//     rv_world *world;
//     rv_messages messages = {0};
//     if (rv_scene_open("bowl", &scene, &messages) != RV_OK ||
//         rv_scene_make_world(scene, NULL, &world, &messages) != RV_OK) puts(messages.text);
//     ...
//     rv_world_destroy(world);
//     rv_scene_close(scene); // after the worlds made from it
//
// Every problem is one line `FILE:LINE: KEY: what is wrong`. All that cannot be read comes at once; where all can, all
// that does not fit together. `messages` may be NULL everywhere.
#ifndef RIVULET_IO_SCENE_H
#define RIVULET_IO_SCENE_H

#include <rivulet/rivulet.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rv_scene rv_scene;

// A shipped scene by its name, or a file by its path: a word without '/' and without extension .yaml or .yml is a name.
// Shipped scenes are looked for in the folder $RIVULET_SCENES, then where they were installed.
RV_API rv_result rv_scene_open(const char *name_or_path, rv_scene **out, rv_messages *messages);
// The same from memory; `path` stands in messages, and files of solids are looked for beside it.
RV_API rv_result rv_scene_open_memory(const char *text, size_t size, const char *path,
                                      rv_scene **out, rv_messages *messages);
RV_API void rv_scene_close(rv_scene *scene);

// Changes a parameter, "liquid.viscosity=1e-5", as the command's --set does; before the world is made.
RV_API rv_result rv_scene_assign(rv_scene *scene, const char *assignment, rv_messages *messages);

// Gives solids whose `file` is this name a form of the host's, which is then not looked for on the disk: for data that is
// in memory. It is borrowed until the scene is closed. The solids' shape must be that of the form, and they must not have
// keys that make a form (unit, up, fit, …), as it is made.
RV_API rv_result rv_scene_put_form(rv_scene *scene, const char *name, rv_shape shape,
                                   const rv_form *form, rv_messages *messages);

// What a scene says besides its world. Borrowed until it is closed.
typedef struct rv_scene_info {
    const char *name, *title, *about; // "" where the file has none
    const char *path;                 // of the file
    const rv_params *params;
    const char *environment; // path of a picture of the surroundings; NULL: none. See rv_io_read_light
    const char *backdrop;    // path of a picture behind a pane; NULL: none
} rv_scene_info;

RV_API rv_result rv_scene_get_info(const rv_scene *scene, rv_scene_info *out);

// What making a world may use; start from the default. `progress` is told now and then what is being done, and the
// share of it that is.
typedef struct rv_scene_work {
    rv_allocator allocator;          // of the world, and of forms; kept for their lives
    rv_logger logger;                // of the world; what it warns of while it is made comes with file and line
    rv_pool *pool;                   // borrowed for the life of the world; NULL: one thread
    const rv_splat_backend *backend; // where particles are stepped; NULL: the CPU
    const rv_device *device;         // where columns live; NULL: the CPU
    const rv_ranks *ranks; // processes that share the grid, rivulet/ranks.h; NULL: none
    void (*progress)(const char *what, double share, void *user); // may be NULL
    void *user;
    const float *heights;   // instead of solids, as rv_world_def.heights; NULL: the scene's solids
    const rv_map *affinity; // instead of the scene's, as rv_world_def.affinity; NULL: the scene's
} rv_scene_work;

RV_API rv_scene_work rv_default_scene_work(void);

// Reads the files of its solids and makes the world. `work` NULL: the default. Several may be made of one scene.
RV_API rv_result rv_scene_make_world(rv_scene *scene, const rv_scene_work *work, rv_world **out,
                                     rv_messages *messages);
// The same up to the definition, for hosts that add to it: it borrows from the scene and the work.
RV_API rv_result rv_scene_make_def(rv_scene *scene, const rv_scene_work *work, rv_world_def *out,
                                   rv_messages *messages);

// Names of the shipped scenes, sorted. Give the list back with rv_scene_list_free.
typedef struct rv_scene_list {
    int count;
    char **name;
} rv_scene_list;

RV_API rv_result rv_scene_list_make(rv_scene_list *out, rv_messages *messages);
RV_API void rv_scene_list_free(rv_scene_list *list);

#ifdef __cplusplus
}
#endif
#endif

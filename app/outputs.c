// Outputs that would take the place of a file that the run reads: `--mesh part.ply` in a scene of
// part.ply would leave no part to run it with again.
#include "app/outputs.h"

#include "app/film.h"
#include "io/scene_read.h"

#include <stdlib.h>
#include <string.h>

static void spare(const char *const *names, int count, const char *input, rv_messages *messages)
{
    for (int i = 0; input && i < count; i++)
        if (names[i] && rv_film_names_meet(names[i], input))
            rv_messages_add(messages, "%s: the scene is read from this file", names[i]);
}

static bool is_named_like_a_scene(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

void rv_outputs_spare(const char *const *names, int count, const rv_scene_file *scene,
                      rv_messages *messages)
{
    spare(names, count, scene->environment, messages);
    spare(names, count, scene->backdrop, messages);
    spare(names, count, scene->affinity, messages);
    for (int i = 0; i < scene->form_count; i++) {
        char *path = rv_scene_beside(scene->path, scene->forms[i].file);
        spare(names, count, path, messages);
        free(path);
    }
    // The scene's own file, which may have any name, and those that it is like.
    if (!is_named_like_a_scene(scene->path)) spare(names, count, scene->path, messages);
    for (int i = 0; i < count; i++)
        if (names[i] && is_named_like_a_scene(names[i]))
            rv_messages_add(messages, "%s: only a scene is named like this", names[i]);
}

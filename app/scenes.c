// `rivulet scenes`: the shipped scenes, one line each.
#include "app/options.h"

#include <stdio.h>
#include <string.h>

static const rv_command command = {
    "scenes", "",
    "Lists the shipped scenes: name, solver and one line about each.\n"
    "$RIVULET_SCENES names another folder to list.",
    NULL, 0, NULL};

static void print_scene(const rv_scene_file *scene, const char *name, int width)
{
    char solver[32];
    rv_field_print(rv_table_find(rv_params_table(), "solver"), &scene->params, solver,
                   sizeof solver);
    printf("%-*s  %-6s  %s\n", width, name, solver, scene->title);
}

int rv_app_scenes(int argc, char **argv)
{
    rv_args args = rv_args_begin(&command, argc, argv);
    const char *name, *value;
    for (rv_arg kind; (kind = rv_args_next(&args, &name, &value)) != RV_ARG_END;) {
        if (kind == RV_ARG_STOP) return args.status;
        return rv_usage_error(&command, "'%s' is not expected: it takes no arguments", value);
    }
    rv_messages messages = {0};
    rv_scene_names names;
    if (!rv_scene_names_list(&names, &messages)) return rv_print_messages(&messages);
    int width = 4;
    for (int i = 0; i < names.count; i++)
        if ((int)strlen(names.name[i]) > width) width = (int)strlen(names.name[i]);
    for (int i = 0; i < names.count; i++) {
        rv_scene_file scene;
        if (!rv_scene_load(names.name[i], &scene, &messages)) continue;
        print_scene(&scene, names.name[i], width);
        rv_scene_free(&scene);
    }
    rv_scene_names_free(&names);
    return messages.count > 0 ? rv_print_messages(&messages) : 0;
}

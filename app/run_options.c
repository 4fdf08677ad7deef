// Reading the command line of a run, and checking it before anything is done.
#include "app/run_options.h"

#include "app/film.h"
#include "app/outputs.h"
#include "io/atomic_file.h"
#include "io/mesh_write.h"
#include "io/state_file.h"

#include <math.h>
#include <string.h>

static bool take_text(rv_run_options *o, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **to;
    } texts[] = {{"--stats", &o->stats},     {"--state", &o->state}, {"--mesh", &o->mesh},
                 {"--terrain", &o->terrain}, {"--save", &o->save},   {"--resume", &o->resume},
                 {"--image", &o->image},     {"--video", &o->video}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(name, texts[i].name) != 0) continue;
        *texts[i].to = value;
        return true;
    }
    return false;
}

// "X0,Y0,X1,Y1", each with a unit or in metres.
static bool take_window(rv_run_options *o, const char *value)
{
    char part[64];
    const char *at = value;
    for (int k = 0; k < 4; k++) {
        size_t length = strcspn(at, ",");
        if (length == 0 || length >= sizeof part || (at[length] == ',') != (k < 3)) {
            rv_usage_error(o->command, "--window %s: must be X0,Y0,X1,Y1", value);
            return false;
        }
        memcpy(part, at, length), part[length] = 0;
        if (!rv_option_real(o->command, "--window", part, "m", -1e6, 1e6, &o->window[k]))
            return false;
        at += length + (k < 3);
    }
    o->has_window = true;
    if (o->window[0] < o->window[2] && o->window[1] < o->window[3]) return true;
    rv_usage_error(o->command, "--window %s: X0 must be under X1, and Y0 under Y1", value);
    return false;
}

static bool take_option(void *user, const char *name, const char *value)
{
    rv_run_options *o = user;
    const rv_command *command = o->command;
    if (take_text(o, name, value)) return true;
    if (strcmp(name, "--time") == 0)
        return rv_option_real(command, name, value, "s", 0, 1e9, &o->time);
    if (strcmp(name, "--steps") == 0)
        return rv_option_whole(command, name, value, 0, 1000000000, &o->steps);
    if (strcmp(name, "--threads") == 0)
        return rv_option_whole(command, name, value, 1, 1024, &o->threads);
    if (strcmp(name, "--save-every") == 0)
        return rv_option_real(command, name, value, "s", 1e-6, 1e9, &o->save_every);
    if (strcmp(name, "--set") == 0) return rv_settings_add(&o->sets, command, value);
    if (strcmp(name, "--seed") == 0)
        return rv_settings_option(&o->sets, command, "--seed", "seed", value);
    if (strcmp(name, "--size") == 0) return rv_settings_size(&o->sets, command, value);
    if (strcmp(name, "--camera") == 0) return rv_settings_camera(&o->sets, command, value);
    if (strcmp(name, "--window") == 0) return take_window(o, value);
    if (strcmp(name, "--traffic") == 0)
        o->traffic = true;
    else if (strcmp(name, "--quiet") == 0)
        o->quiet = true;
    else if (o->take)
        return o->take(o->user, name, value);
    return true;
}

int rv_run_options_read(rv_run_options *o, int argc, char **argv)
{
    o->time = -1, o->steps = -1;
    int status = rv_args_read(o->command, argc, argv, "scene", &o->scene, take_option, o);
    if (status >= 0) return status;
    if (!o->scene)
        return rv_usage_error(o->command,
                              "which scene? `rivulet scenes` lists them, or name a YAML file");
    if (o->time >= 0 && o->steps >= 0)
        return rv_usage_error(o->command, "--time and --steps together");
    if (o->save_every > 0 && !o->save)
        return rv_usage_error(o->command, "--save-every needs --save FILE");
    return -1;
}

// ---- Names of files -----------------------------------------------------------------------------

#define OUTPUTS 7

static void list_outputs(const rv_run_options *o, const char *names[OUTPUTS])
{
    const char *const all[OUTPUTS] = {o->stats, o->state, o->mesh, o->terrain,
                                      o->save,  o->image, o->video};
    memcpy(names, all, sizeof all);
}

// Two outputs in one file would leave only one of them.
static void check_names_differ(const rv_run_options *o, rv_messages *messages)
{
    const char *names[OUTPUTS];
    list_outputs(o, names);
    for (int i = 0; i < OUTPUTS; i++)
        for (int j = 0; j < i; j++)
            if (names[i] && names[j] && rv_film_names_meet(names[i], names[j]) &&
                strncmp(names[i], "/dev/", 5) != 0)
                rv_messages_add(messages, "%s: two outputs have this name", names[i]);
}

bool rv_run_options_spare(const rv_run_options *o, const rv_scene_file *scene)
{
    const char *names[OUTPUTS];
    rv_messages messages = {0};
    list_outputs(o, names);
    rv_outputs_spare(names, OUTPUTS, scene, &messages);
    if (messages.count > 0) rv_print_messages(&messages);
    return messages.count == 0;
}

static void check_number(const char *option, const char *name, rv_messages *messages)
{
    bool bad, numbered = rv_film_numbered(name, &bad);
    char filled[4096];
    if (bad)
        rv_messages_add(messages, "%s %s: after a '%%' only a number like %%04d, once", option,
                        name);
    if (!numbered || messages->count > 0) return;
    rv_film_name(name, 9999, filled, sizeof filled); // is that too long?
    rv_output_check(option, filled, NULL, messages);
}

bool rv_run_options_check(const rv_run_options *o)
{
    rv_messages messages = {0};
    if (o->stats) rv_output_check("--stats", o->stats, "csv", &messages);
    if (o->state) rv_state_write_check("--state", o->state, &messages);
    if (o->mesh) rv_mesh_write_check("--mesh", o->mesh, &messages);
    if (o->mesh) check_number("--mesh", o->mesh, &messages);
    if (o->terrain) rv_mesh_write_check("--terrain", o->terrain, &messages);
    if (o->save) rv_output_check("--save", o->save, NULL, &messages);
    if (o->image) rv_output_check("--image", o->image, "png", &messages);
    if (o->image) check_number("--image", o->image, &messages);
    if (o->video && rv_output_check("--video", o->video, "mp4", &messages))
        rv_output_regular("--video", o->video, &messages);
    check_names_differ(o, &messages);
    if (messages.count > 0) rv_print_messages(&messages);
    return messages.count == 0;
}

int64_t rv_run_frames(const rv_run_options *o, const rv_params *p, double now)
{
    if (o->steps >= 0) return o->steps;
    double end = o->time >= 0 ? o->time : p->time_end;
    double frames = ceil((end - now) / p->time_step - 1e-6);
    return frames > 0 ? (int64_t)frames : 0;
}

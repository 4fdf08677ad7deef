// `rivulet run`: simulates a scene without a window and writes what was asked for. Every name is
// checked before the first step, and whatever stops the run, no file is left half-written.
#define _POSIX_C_SOURCE 200809L
#include "app/backend.h"
#include "app/meshes.h"
#include "app/progress.h"
#include "app/settings.h"
#include "app/signals.h"
#include "io/mesh_write.h"
#include "io/scene_world.h"
#include "io/snapshot_file.h"
#include "io/state_file.h"
#include "io/stats_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rv_option options[] = {
    {"--time", "S", "simulate until this time (s, ms, min); default: the scene's time.end"},
    {"--steps", "N", "simulate this many frames of time.step from where it starts, instead"},
    {"--set", "KEY=VALUE",
     "change a parameter; may be given again and again\n"
     "(`rivulet params SCENE` lists them)"},
    {"--threads", "N", "threads; default: all cores. The result is the same for any number"},
    {"--seed", "N", "the same as --set seed=N"},
    RV_BACKEND_OPTION,
    {"--stats", "FILE.csv", "a row of statistics per frame"},
    {"--state", "FILE", "the columns, particles or drops at the end, FILE.npz or FILE.csv"},
    {"--mesh", "FILE",
     "the liquid's surface at the end, FILE.ply, .obj, .glb, .vtp or .stl;\n"
     "a %04d in the name: one per film frame"},
    {"--terrain", "FILE", "the solids' surface at the end, the same formats"},
    {"--save", "FILE", "a snapshot at the end, to go on from"},
    {"--save-every", "S", "also write that snapshot every S simulated seconds"},
    {"--resume", "FILE", "go on from a snapshot of the same scene, bit for bit"},
    {"--image", "FILE.png", "a picture at the end; a %04d in the name: one per film frame"},
    {"--video", "FILE.mp4",
     "a film (needs ffmpeg); view.rate pictures a second, each second\n"
     "showing view.speed simulated ones"},
    {"--size", "WxH", "size of pictures in pixels"},
    {"--camera", "A,E[,ZOOM]", "azimuth and elevation of the camera in degrees, and zoom"},
    {"--quiet", NULL, "no progress bar, only the last line"},
};
static const rv_command command = {
    "run",
    "SCENE [options]",
    "Simulates SCENE, a shipped name (`rivulet scenes`) or a YAML file, without a window.\n"
    "Ends with one line: time, frames, volume, milliseconds a frame, and a hash of the state.\n"
    "A frame is one time.step; the run ends with the first frame at or after --time.\n"
    "Ctrl-C ends the run after the current frame, and what was asked for is still written.",
    options,
    (int)(sizeof options / sizeof options[0]),
    NULL};

typedef struct run_options {
    const char *scene;
    double time; // < 0: not given
    long steps;  // < 0: not given
    rv_settings sets;
    long threads;
    const char *stats, *state, *mesh, *terrain, *save, *resume, *image, *video;
    double save_every; // 0: only at the end
    rv_backend backend;
    bool quiet;
} run_options;

typedef struct run_state {
    const run_options *options;
    rv_scene_file scene;
    rv_pool *pool;
    rv_backend backend;
    rv_world *world;
    rv_atomic_file stats;
    rv_moment moment;
    rv_film film;
    rv_meshes meshes;
    rv_progress progress;
    rv_messages messages;
    rv_stats row;     // of the last frame, not yet in the statistics file
    bool row_due;     // there is one
    double started;   // wall clock, s
    double ms;        // of all steps
    int64_t frames;   // done in this run
    double balance;   // m³: volume, in the air and held too, − sourced + drained at the start
    double next_save; // simulated time
    int lost;         // outputs on the way that could not be written: these lines, and more
    const volatile sig_atomic_t *signal; // that asked for an end, or 0
} run_state;

// ---- Options ------------------------------------------------------------------------------------

static bool take_option(void *user, const char *name, const char *value)
{
    run_options *o = user;
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
    if (strcmp(name, "--time") == 0)
        return rv_option_real(&command, name, value, "s", 0, 1e9, &o->time);
    if (strcmp(name, "--steps") == 0)
        return rv_option_whole(&command, name, value, 0, 1000000000, &o->steps);
    if (strcmp(name, "--threads") == 0)
        return rv_option_whole(&command, name, value, 1, 1024, &o->threads);
    if (strcmp(name, "--save-every") == 0)
        return rv_option_real(&command, name, value, "s", 1e-6, 1e9, &o->save_every);
    if (strcmp(name, "--set") == 0) return rv_settings_add(&o->sets, &command, value);
    if (strcmp(name, "--backend") == 0) return rv_backend_option(&o->backend, &command, value);
    if (strcmp(name, "--seed") == 0)
        return rv_settings_option(&o->sets, &command, "--seed", "seed", value);
    if (strcmp(name, "--size") == 0) return rv_settings_size(&o->sets, &command, value);
    if (strcmp(name, "--camera") == 0) return rv_settings_camera(&o->sets, &command, value);
    o->quiet = true; // --quiet, the only one left
    return true;
}

// -1: go on; else the exit code.
static int parse(run_options *o, int argc, char **argv)
{
    *o = (run_options){.time = -1, .steps = -1, .threads = rv_hardware_threads()};
    int status = rv_args_read(&command, argc, argv, "scene", &o->scene, take_option, o);
    if (status >= 0) return status;
    if (!o->scene)
        return rv_usage_error(&command,
                              "which scene? `rivulet scenes` lists them, or name a YAML file");
    if (o->time >= 0 && o->steps >= 0)
        return rv_usage_error(&command, "--time and --steps together");
    if (o->save_every > 0 && !o->save)
        return rv_usage_error(&command, "--save-every needs --save FILE");
    return -1;
}

// Two outputs in one file would leave only one of them.
static void check_names_differ(const run_options *o, rv_messages *messages)
{
    const char *const names[] = {o->stats, o->state, o->mesh, o->terrain,
                                 o->save,  o->image, o->video};
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < i; j++)
            if (names[i] && names[j] && rv_film_names_meet(names[i], names[j]) &&
                strncmp(names[i], "/dev/", 5) != 0)
                rv_messages_add(messages, "%s: two outputs have this name", names[i]);
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

static bool check_outputs(const run_options *o)
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

// ---- The run ------------------------------------------------------------------------------------

static void show_preparation(const char *what, double share, void *user)
{
    rv_progress_show(user, share, what);
}

static bool make_world(run_state *r)
{
    r->backend = r->options->backend;
    if (!rv_backend_open(&r->backend, NULL, &r->scene.params, &r->messages)) return false;
    rv_messages warnings = {0};
    rv_prepare_progress progress = {.show = show_preparation,
                                    .user = &r->progress,
                                    .backend = rv_backend_table(&r->backend),
                                    .warnings = &warnings,
                                    .device = rv_backend_device(&r->backend)};
    bool good = rv_prepare_world(&r->scene, r->pool, &progress, &r->world, &r->messages);
    rv_progress_clear(&r->progress);
    rv_print_warnings(&warnings);
    return good;
}

// Without the distance field not every terrain has a mesh: better told before the run than after
// it.
static bool check_terrain(run_state *r)
{
    if (!r->options->terrain || r->scene.params.terrain_keep) return true;
    rv_mesh mesh;
    rv_messages messages = {0};
    if (rv_world_terrain_mesh(r->world, &mesh, &messages) == RV_OK) {
        rv_mesh_free(&mesh);
        return true;
    }
    rv_scene_place(&r->scene, &messages, &r->messages);
    return false;
}

// How many frames are to do, from where the world is.
static int64_t frames_to_do(const run_state *r, double now)
{
    const run_options *o = r->options;
    const rv_params *p = &r->scene.params;
    if (o->steps >= 0) return o->steps;
    double end = o->time >= 0 ? o->time : p->time_end;
    double frames = ceil((end - now) / p->time_step - 1e-6);
    return frames > 0 ? (int64_t)frames : 0;
}

// An output on the way that cannot be written is told of when it happens, the first time; the run
// goes on, because what comes later may well find room, and all else is wanted anyhow.
static void note(run_state *r, bool written, const rv_messages *why)
{
    if (written) return;
    if (r->lost++ > 0) return;
    rv_progress_clear(&r->progress);
    rv_print_messages(why);
    fputs("the run goes on without it\n", stderr);
}

// What is due on the way, pictures and meshes.
static void draw_frame(run_state *r)
{
    rv_messages why = {0};
    bool drawn = rv_film_frame(&r->film, r->world, &why);
    bool meshed = rv_meshes_frame(&r->meshes, r->world, &why);
    note(r, drawn && meshed, &why);
}

static bool begin(run_state *r)
{
    const run_options *o = r->options;
    if (!make_world(r) || !check_terrain(r)) return false;
    if (o->resume && !rv_snapshot_read(o->resume, r->world, &r->messages)) return false;
    rv_stats stats;
    rv_world_get_stats(r->world, &stats);
    r->balance = stats.volume + stats.held + stats.airborne - stats.sourced + stats.drained;
    r->next_save = o->save_every > 0 ? stats.time + o->save_every : INFINITY;
    r->signal = rv_signals_catch();
    if (o->stats && !rv_stats_open(&r->stats, o->stats, &r->messages)) return false;
    rv_film_def film = {.image = o->image, .video = o->video, .environment = r->scene.environment};
    // Particles are brought back for pictures, as for files: so those that fly alone are drawn too.
    film.target = r->backend.target, film.backdrop = r->scene.backdrop;
    rv_meshes_start(&r->meshes, r->world, &r->moment, o->mesh);
    if (!rv_film_start(&r->film, &film, r->world, &r->moment, &r->messages)) return false;
    draw_frame(r);
    return true;
}

// A row is written when its frame is over, which for the last one is after the outputs of the end.
static void write_row(run_state *r)
{
    if (r->stats.stream && r->row_due) rv_stats_row(&r->stats, &r->row, r->moment.ms, r->film.ms);
    r->row_due = false;
    r->moment.ms = 0;
}

static bool one_frame(run_state *r, rv_stats *stats)
{
    write_row(r);
    rv_result result = rv_world_step(r->world, r->scene.params.time_step);
    // counters alone bring nothing back from a card
    if (result == RV_OK)
        result = r->stats.stream ? rv_world_get_stats(r->world, stats)
                                 : rv_world_get_counters(r->world, stats);
    if (result != RV_OK) {
        rv_messages_add(&r->messages, "%s: at %g s: %s", r->scene.path, stats->time,
                        rv_result_text(result));
        return false;
    }
    r->frames++;
    r->ms += stats->ms;
    r->row = *stats, r->row_due = true;
    draw_frame(r);
    if (stats->time >= r->next_save - 1e-9) {
        rv_messages why = {0};
        r->next_save += r->options->save_every;
        note(r, rv_snapshot_write(r->options->save, r->world, &why), &why);
    }
    return true;
}

static bool simulate(run_state *r)
{
    rv_stats stats = {0};
    rv_world_get_stats(r->world, &stats);
    int64_t frames = frames_to_do(r, stats.time);
    if (frames == 0 && r->options->steps != 0)
        fprintf(stderr, "nothing to simulate: the time is %g s already\n", stats.time);
    r->progress = rv_progress_start(r->options->quiet);
    while (r->frames < frames && !*r->signal) {
        if (!one_frame(r, &stats)) return false;
        char text[96];
        snprintf(text, sizeof text, "%.2f s  %.3g ms/frame", stats.time, stats.ms);
        rv_progress_show(&r->progress, (double)r->frames / (double)frames, text);
    }
    rv_progress_clear(&r->progress);
    return true;
}

// All outputs of the end; every one is tried even when another failed.
static bool write_outputs(run_state *r)
{
    const run_options *o = r->options;
    bool good = rv_film_finish(&r->film, r->world, true, &r->messages);
    good = rv_meshes_finish(&r->meshes, r->world, &r->messages) && good;
    write_row(r);
    if (r->stats.stream) good = rv_atomic_commit(&r->stats, &r->messages) && good;
    if (o->state) good = rv_state_write(o->state, r->world, &r->messages) && good;
    if (o->terrain) good = rv_terrain_export(r->world, o->terrain, &r->messages) && good;
    if (o->save) good = rv_snapshot_write(o->save, r->world, &r->messages) && good;
    return good;
}

// What the liquid is made of, and how many there are of it.
static const char *parts_of(const rv_world *world, int64_t *count)
{
    rv_particles particles;
    rv_pane pane;
    bool flows = rv_world_get_particles(world, &particles) == RV_OK;
    *count = flows ? particles.count : 0;
    if (!flows) return "columns";
    return rv_world_get_pane(world, &pane) == RV_OK ? "drops" : "particles";
}

// Numeric trouble is told, never swallowed.
static void print_trouble(const rv_stats *s, const char *parts)
{
    if (s->not_finite > 0)
        fprintf(stderr, "warning: %" PRId64 " %s were not finite and were %s\n", s->not_finite,
                parts, strcmp(parts, "columns") == 0 ? "set dry" : "taken out");
    if (s->clipped > 0)
        fprintf(stderr, "warning: %" PRId64 " steps needed more than time.substeps_max substeps\n",
                s->clipped);
    if (s->unsolved > 0)
        fprintf(stderr,
                "warning: in %" PRId64
                " substeps the pressure in full passages was not found within "
                "pipes.iterations: what flows in may differ from what flows out there; allow more "
                "iterations, or a larger pipes.tolerance\n",
                s->unsolved);
}

// Which source it was, and where it stands in the file.
static void print_unplaced(const run_state *r, int64_t all)
{
    rv_messages found = {0}, placed = {0};
    for (int i = 0; i < r->scene.source_count; i++) {
        int64_t times = rv_world_unplaced(r->world, i);
        all -= times;
        if (times > 0)
            rv_messages_add(&found, "sources[%d]: %" PRId64 " times no column below it had room", i,
                            times);
    }
    rv_scene_place(&r->scene, &found, &placed);
    if (all > 0)
        rv_messages_add(&placed, "%" PRId64 " times no column beside an inflow border had room%s",
                        all,
                        r->options->resume ? ", or one below a source before the snapshot" : "");
    rv_print_warnings(&placed);
}

static void print_end(const run_state *r, bool written)
{
    rv_stats s = {0};
    rv_world_get_stats(r->world, &s);
    int64_t count;
    char made_of[48] = "";
    const char *parts = parts_of(r->world, &count);
    if (strcmp(parts, "columns") != 0)
        snprintf(made_of, sizeof made_of, " %" PRId64 " %s,", count, parts);
    double frames = r->frames > 0 ? (double)r->frames : 1;
    double turnover = fabs(r->balance) + s.sourced;
    double lost = s.volume + s.held + s.airborne - s.sourced + s.drained - r->balance;
    print_trouble(&s, parts);
    print_unplaced(r, s.unplaced);
    if (s.on_cpu > 0)
        fprintf(stderr,
                "%s: %" PRId64 " of %" PRId64
                " substeps were worked out on the CPU, not on the card: passages were flooded\n",
                r->scene.name, s.on_cpu, s.all_substeps);
    if (*r->signal)
        fprintf(stderr, "stopped by %s at %g s%s\n", *r->signal == SIGINT ? "Ctrl-C" : "a signal",
                s.time, written ? "; what was asked for has been written" : "");
    printf("%s: %g s, %" PRId64
           " frames,%s volume %.9g m3 (error %.1e), %.4g ms/frame, hash %016" PRIx64 "\n",
           r->scene.name, s.time, r->frames, made_of, s.volume, turnover > 0 ? lost / turnover : 0,
           r->ms / frames, rv_world_hash(r->world));
}

static int run(run_state *r)
{
    bool begun = begin(r), done = begun && simulate(r), written = done && write_outputs(r);
    rv_progress_clear(&r->progress);
    rv_moment_end(&r->moment);
    if (!done) {
        rv_film_finish(&r->film, r->world, false, &r->messages);
        rv_atomic_abandon(&r->stats);
    }
    if (!written) rv_print_messages(&r->messages);
    if (r->lost > 1) fprintf(stderr, "%d outputs on the way could not be written\n", r->lost);
    if (!done) return begun ? 1 : RV_EXIT_USAGE;
    print_end(r, written && r->lost == 0);
    if (!written || r->lost > 0) return 1;
    return *r->signal ? 128 + (int)*r->signal : 0;
}

int rv_app_run(int argc, char **argv)
{
    run_options o;
    int status = parse(&o, argc, argv);
    if (status >= 0) return status;
    run_state *r = calloc(1, sizeof *r);
    if (!r) return rv_usage_error(&command, "not enough memory");
    r->options = &o;
    r->moment = rv_moment_begin();
    // Both are looked at before giving up, so that all problems of a command line come at once.
    bool outputs = check_outputs(&o);
    bool loaded = rv_app_load(o.scene, o.sets.text, o.sets.count, &r->scene);
    status = RV_EXIT_USAGE;
    if (outputs && loaded) {
        r->progress = rv_progress_start(o.quiet);
        r->pool = o.threads > 1 ? rv_pool_create((int)o.threads) : NULL;
        status = run(r);
        rv_world_destroy(r->world);
        rv_backend_close(&r->backend);
        rv_pool_destroy(r->pool);
    }
    if (loaded) rv_scene_free(&r->scene);
    free(r);
    return status;
}

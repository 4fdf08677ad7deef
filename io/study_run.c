// One run of a study: the world of its settings, stepped to its end, with what was asked for left
// in its folder. A run that was cut short goes on from its last snapshot where there is one.
#define _POSIX_C_SOURCE 200809L
#include "io/atomic_file.h"
#include "io/mesh_dew.h"
#include "io/scene_world.h"
#include "io/snapshot_file.h"
#include "io/state_file.h"
#include "io/study_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct one_run {
    const rv_study *study;
    const rv_study_watch *watch;
    int run;
    rv_scene_file scene;
    rv_pool *pool;
    rv_world *world;
    rv_study_sums sums;
    rv_surface *surface; // NULL until it is wanted
    double surface_time; // of the world, when it was made
    rv_light around, behind;
    bool looked;  // those were read
    bool drawn;   // the host knows the world
    rv_stats row; // of the last frame, not yet in the statistics
    bool row_due;
    double ms_surface, ms_drawing; // of this frame
    int64_t film;                  // number of the film frame that comes next
    double start, next_save;       // s, simulated
    rv_messages *messages;
} one_run;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- The world ----------------------------------------------------------------------------------

// As `rivulet run` has it: the scene, the settings one after another, a check of all together.
static bool load(one_run *r)
{
    const rv_study *s = r->study;
    rv_messages *m = r->messages;
    if (!rv_scene_load(s->scene_path, &r->scene, m)) return false;
    for (int i = 0; i < s->set_count + s->param_count; i++) {
        char assignment[RV_STUDY_PATH + 160];
        rv_study_assignment(s, r->run, i, assignment, sizeof assignment);
        if (!rv_scene_set_by(&r->scene, "", assignment, m)) return false;
    }
    return rv_scene_check(&r->scene, m);
}

static bool make_world(one_run *r, rv_messages *warnings)
{
    rv_prepare_progress progress = {.warnings = warnings};
    return rv_prepare_world(&r->scene, r->pool, &progress, &r->world, r->messages);
}

// Goes on where the run was; false: it starts from its beginning.
static bool resume(one_run *r)
{
    char path[RV_STUDY_PATH];
    rv_messages unread = {0}, warnings = {0};
    rv_stats stats;
    if (!rv_study_path(r->watch->folder, r->run, "resume.snap", path) || access(path, F_OK) != 0)
        return false;
    if (rv_snapshot_read(path, r->world, &unread) &&
        rv_world_get_counters(r->world, &stats) == RV_OK &&
        rv_study_sums_resume(&r->sums, &r->study->names, r->watch->folder, r->run, stats.time))
        return true;
    rv_world_destroy(r->world); // it may be anything now
    r->world = NULL;
    make_world(r, &warnings);
    return false;
}

static bool write_lines(one_run *r, const char *name, const rv_messages *lines)
{
    char path[RV_STUDY_PATH];
    rv_atomic_file file;
    if (!rv_study_path(r->watch->folder, r->run, name, path) ||
        !rv_atomic_open(&file, path, r->messages))
        return false;
    fprintf(file.stream, "%s\n", lines->text);
    return rv_atomic_commit(&file, r->messages);
}

static bool begin(one_run *r, bool resumable, bool *warned)
{
    const rv_study_watch *w = r->watch;
    rv_messages warnings = {0};
    if (!load(r)) return false;
    r->pool = w->work->threads > 1 ? rv_pool_create(w->work->threads) : NULL;
    if (!make_world(r, &warnings)) return false;
    *warned = warnings.count > 0;
    if (*warned && !write_lines(r, "warnings.txt", &warnings)) return false;
    bool resumed = resumable && resume(r);
    if (!r->world) return false;
    if (!resumed && !rv_study_sums_open(&r->sums, &r->study->names, w->folder, r->run, r->messages))
        return false;
    rv_stats stats;
    if (rv_world_get_counters(r->world, &stats) != RV_OK) return false;
    const rv_params *p = &r->scene.params;
    r->start = stats.time;
    r->next_save = r->study->keep.every > 0 ? stats.time + r->study->keep.every : INFINITY;
    r->film = (int64_t)ceil(stats.time * p->view_rate / p->view_speed - 1e-6);
    r->surface_time = NAN;
    return true;
}

// ---- What it leaves -----------------------------------------------------------------------------

static rv_result make_surface(one_run *r)
{
    rv_stats stats;
    rv_result result = rv_world_get_counters(r->world, &stats);
    if (result == RV_OK && !r->surface) result = rv_surface_create(r->world, &r->surface);
    if (result != RV_OK || stats.time == r->surface_time) return result;
    double before = seconds();
    result = rv_surface_update(r->surface, r->world);
    r->ms_surface += 1e3 * (seconds() - before);
    r->surface_time = result == RV_OK ? stats.time : NAN;
    return result;
}

static bool refuse(one_run *r, const char *what, rv_result result)
{
    rv_messages_add(r->messages, "%s: %s", what, rv_result_text(result));
    return false;
}

// By their names: making surroundings takes a while, and most runs have the same.
static uint64_t surroundings(const rv_scene_file *s)
{
    const char *one = s->environment ? s->environment : "", *two = s->backdrop ? s->backdrop : "";
    uint64_t hash = rv_study_hash(0xcbf29ce484222325u, one, strlen(one) + 1);
    return rv_study_hash(hash, two, strlen(two) + 1);
}

static bool look_around(one_run *r)
{
    const rv_scene_file *s = &r->scene;
    rv_result result = RV_OK;
    if (!r->looked && s->environment)
        result = rv_io_read_light(s->environment, &r->around, r->messages);
    if (!r->looked && s->backdrop && result == RV_OK)
        result = rv_io_read_light(s->backdrop, &r->behind, r->messages);
    r->looked = result == RV_OK;
    return r->looked;
}

// Rows of three bytes a pixel from those of four, in place.
static void drop_alpha(uint8_t *pixels, size_t count)
{
    for (size_t i = 0; i < count; i++) memmove(pixels + 3 * i, pixels + 4 * i, 3);
}

static bool picture(one_run *r, const char *path)
{
    const rv_params *p = rv_world_params(r->world);
    const rv_study_work *work = r->watch->work;
    size_t count = (size_t)p->view_width * (size_t)p->view_height;
    if (!look_around(r)) return false;
    make_surface(r); // not every world has one, nor every picture needs it
    uint8_t *pixels = malloc(count * 4);
    if (!pixels) return refuse(r, path, RV_OUT_OF_MEMORY);
    const rv_study_picture what = {.world = r->world,
                                   .surface = r->surface,
                                   .width = p->view_width,
                                   .height = p->view_height,
                                   .environment = r->around.rgb ? &r->around : NULL,
                                   .backdrop = r->behind.rgb ? &r->behind : NULL,
                                   .surroundings = surroundings(&r->scene)};
    double before = seconds();
    int said = r->messages->count;
    r->drawn = true;
    rv_result result = work->draw(&what, pixels, r->messages, work->user);
    r->ms_drawing += 1e3 * (seconds() - before);
    if (result == RV_OK && !p->view_alpha) drop_alpha(pixels, count);
    if (result == RV_OK)
        result = rv_io_write_picture(path, pixels, p->view_width, p->view_height,
                                     p->view_alpha ? 4 : 3, r->messages);
    free(pixels);
    if (result != RV_OK && r->messages->count == said) refuse(r, path, result);
    return result == RV_OK;
}

static bool mesh(one_run *r, const char *path)
{
    rv_surface_mesh liquid;
    rv_result result = make_surface(r);
    if (result == RV_OK) result = rv_surface_get_mesh(r->surface, &liquid);
    if (result != RV_OK) return refuse(r, path, result);
    rv_mesh_export out;
    rv_dew_export dew = {0};
    bool good =
        rv_export_all_liquid(&liquid, r->world, &out, &dew) || refuse(r, path, RV_OUT_OF_MEMORY);
    good = good && rv_mesh_write(path, &out, r->messages);
    rv_dew_export_free(&dew);
    return good;
}

static bool terrain(one_run *r, const char *path)
{
    rv_mesh solid;
    if (rv_world_terrain_mesh(r->world, &solid, r->messages) != RV_OK) return false;
    rv_result result = rv_io_write_terrain(path, &solid, r->messages);
    rv_mesh_free(&solid);
    return result == RV_OK;
}

// "picture", 12, "png" → the path of picture0012.png; −1: without a number.
static bool name_of(const one_run *r, const char *word, int64_t number, const char *ending,
                    char out[RV_STUDY_PATH])
{
    char name[64];
    if (number >= 0)
        snprintf(name, sizeof name, "%s%04" PRId64 ".%s", word, number, ending);
    else
        snprintf(name, sizeof name, "%s.%s", word, ending);
    return rv_study_path(r->watch->folder, r->run, name, out);
}

static bool pictures_and_meshes(one_run *r, int64_t number)
{
    const rv_study_keep *k = &r->study->keep;
    char path[RV_STUDY_PATH];
    if (k->picture && (!name_of(r, "picture", number, "png", path) || !picture(r, path)))
        return false;
    return !k->mesh[0] || (name_of(r, "liquid", number, k->mesh, path) && mesh(r, path));
}

// Those of a film are view.speed / view.rate apart, as `rivulet run` has them.
static bool film_frames(one_run *r)
{
    const rv_params *p = &r->scene.params;
    const double interval = p->view_speed / p->view_rate;
    rv_stats stats;
    if (!r->study->keep.film || rv_world_get_counters(r->world, &stats) != RV_OK) return true;
    for (; (double)r->film * interval <= stats.time + 1e-6 * interval; r->film++)
        if (!pictures_and_meshes(r, r->film)) return false;
    return true;
}

static bool outputs(one_run *r)
{
    const rv_study_keep *k = &r->study->keep;
    char path[RV_STUDY_PATH];
    if (!k->film && !pictures_and_meshes(r, -1)) return false;
    if (k->state[0] &&
        (!name_of(r, "state", -1, k->state, path) || !rv_state_write(path, r->world, r->messages)))
        return false;
    if (k->terrain[0] && (!name_of(r, "terrain", -1, k->terrain, path) || !terrain(r, path)))
        return false;
    return !k->snapshot ||
           (name_of(r, "end", -1, "snap", path) && rv_snapshot_write(path, r->world, r->messages));
}

// ---- Frames -------------------------------------------------------------------------------------

static bool write_row(one_run *r)
{
    bool good = !r->row_due ||
                rv_study_sums_row(&r->sums, &r->row, r->ms_surface, r->ms_drawing, r->messages);
    r->row_due = false;
    r->ms_surface = r->ms_drawing = 0;
    return good;
}

// What a run goes on from: the rows first, so that none is missing where there is a snapshot.
static bool save(one_run *r)
{
    char path[RV_STUDY_PATH];
    return write_row(r) && rv_study_sums_flush(&r->sums, r->messages) &&
           rv_study_path(r->watch->folder, r->run, "resume.snap", path) &&
           rv_snapshot_write(path, r->world, r->messages);
}

static bool one_frame(one_run *r)
{
    if (!write_row(r)) return false;
    rv_result result = rv_world_step(r->world, r->scene.params.time_step);
    if (result == RV_OK) result = rv_world_get_stats(r->world, &r->row);
    if (result != RV_OK) {
        rv_messages_add(r->messages, "at %g s: %s", r->row.time, rv_result_text(result));
        return false;
    }
    r->row_due = true;
    if (!film_frames(r)) return false;
    if (r->row.time < r->next_save - 1e-9) return true;
    r->next_save += r->study->keep.every;
    return save(r);
}

static rv_study_state frames(one_run *r)
{
    double end = r->study->time, step = r->scene.params.time_step;
    int64_t count = (int64_t)fmax(0, ceil((end - r->start) / step - 1e-6));
    if (!film_frames(r)) return RV_STUDY_FAILED;
    for (int64_t i = 0; i < count; i++) {
        if (atomic_load(r->watch->stop)) return save(r) ? RV_STUDY_STOPPED : RV_STUDY_FAILED;
        if (!one_frame(r)) return RV_STUDY_FAILED;
        atomic_store(r->watch->thousandth, (int)(1000 * r->row.time / end));
    }
    return RV_STUDY_DONE;
}

// Everything but the mark of a finished run, and at last that.
static rv_study_state finish(one_run *r)
{
    const char *folder = r->watch->folder;
    rv_study_result result = {.settings = rv_study_settings(r->study, r->run),
                              .hash = rv_world_hash(r->world)};
    if (!outputs(r) || !write_row(r)) return RV_STUDY_FAILED;
    rv_study_sums_result(&r->sums, &result);
    if (!rv_study_sums_close(&r->sums, true, r->messages)) return RV_STUDY_FAILED;
    result.state = RV_STUDY_DONE;
    for (int i = 0; i < result.count; i++) {
        double times = result.value[i][RV_PART_LAST];
        if (strcmp(result.name[i], "not_finite") != 0 || !(times > 0)) continue;
        result.state = RV_STUDY_NOT_FINITE;
        rv_messages_add(r->messages, "%.0f times liquid was not finite and was taken out", times);
    }
    if (!rv_study_write_result(folder, r->run, &result, r->messages)) return RV_STUDY_FAILED;
    rv_study_remove(folder, r->run, "resume.snap");
    return result.state;
}

static void end(one_run *r)
{
    rv_messages unread = {0};
    const rv_study_work *work = r->watch->work;
    rv_study_sums_close(&r->sums, false, &unread);
    if (r->drawn && work->forget) work->forget(r->world, work->user);
    rv_surface_destroy(r->surface);
    rv_world_destroy(r->world);
    rv_io_free_light(&r->around);
    rv_io_free_light(&r->behind);
    rv_pool_destroy(r->pool);
    rv_scene_free(&r->scene);
}

// What a run with other settings left would be taken for one of this.
static void clear(const char *folder, int run)
{
    static const char *const names[] = {"result.csv", "resume.snap", "stats.csv.part"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        rv_study_remove(folder, run, names[i]);
}

rv_study_state rv_study_make_run(const rv_study *study, int run, const rv_study_watch *watch,
                                 bool *warned, rv_messages *messages)
{
    const char *folder = watch->folder;
    one_run r = {.study = study, .run = run, .watch = watch, .messages = messages};
    bool same = rv_study_same_again(study, folder, run);
    if (!same) clear(folder, run);
    rv_study_remove(folder, run, "failed.txt");
    rv_study_remove(folder, run, "warnings.txt");
    rv_study_state state = RV_STUDY_FAILED;
    *warned = false;
    if (rv_study_write_again(study, folder, run, messages) && begin(&r, same, warned)) {
        state = frames(&r);
        if (state == RV_STUDY_DONE) state = finish(&r);
    }
    end(&r);
    if (state == RV_STUDY_FAILED) {
        if (messages->count == 0) rv_messages_add(messages, "not enough memory");
        const rv_messages why = *messages;
        clear(folder, run);
        write_lines(&r, "failed.txt", &why);
    }
    return state;
}

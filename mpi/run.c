// `rivulet-mpi run`: simulates a scene in bands of rows over the ranks (docs/scale.md). Every rank
// steps its part of one world; rank 0 prints, and writes what was asked for. The hash is that of
// `rivulet run`.
#define _POSIX_C_SOURCE 200809L
#include "mpi/run.h"

#include "app/progress.h"
#include "app/signals.h"
#include "io/scene_world.h"
#include "io/stats_file.h"
#include "mpi/program.h"
#include "mpi/ranks.h"
#include "mpi/run_lost.h"
#include "rivulet_mpi/bands.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rv_option options[] = {
    {"--time", "S", "simulate until this time (s, ms, min); default: the scene's time.end"},
    {"--steps", "N", "simulate this many frames of time.step from where it starts, instead"},
    {"--set", "KEY=VALUE", "change a parameter; may be given again and again"},
    {"--threads", "N", "threads of each rank; default 1. The result is the same for any number"},
    {"--seed", "N", "the same as --set seed=N"},
    {"--stats", "FILE.csv", "a row of statistics per frame"},
    {"--save", "FILE", "a snapshot at the end, to go on from, also with `rivulet run`"},
    {"--save-every", "S", "also write that snapshot every S simulated seconds"},
    {"--resume", "FILE",
     "go on from a snapshot of the same scene, bit for bit, of any number of\n"
     "ranks or of `rivulet run`"},
    {"--state", "FILE", "the columns at the end, FILE.npz or FILE.csv; rank 0 has to hold all"},
    {"--mesh", "FILE",
     "the liquid's surface at the end, FILE.ply, .obj, .glb, .vtp or .stl;\n"
     "a %04d in the name: one per film frame; the same"},
    {"--terrain", "FILE", "the solids' surface at the end, the same formats"},
    {"--image", "FILE.png",
     "a picture at the end; a %04d in the name: one per film frame; the same"},
    {"--video", "FILE.mp4", "a film (needs ffmpeg); the same"},
    {"--size", "WxH", "size of pictures in pixels"},
    {"--camera", "A,E[,ZOOM]", "azimuth and elevation of the camera in degrees, and zoom"},
    {"--window", "X0,Y0,X1,Y1",
     "of --state, --mesh, --terrain, --image and --video only this part of the\n"
     "grid, in metres or with units: rank 0 need not hold the rest"},
    {"--traffic", NULL, "a table at the end: rows, messages, bytes, waiting and memory by rank"},
    {"--quiet", NULL, "no progress bar, only the last line"},
};
static const rv_command command = {
    "run",
    "SCENE [options]",
    "Simulates SCENE, a shipped name or a YAML file, in bands of rows over the ranks of an MPI\n"
    "job: mpirun -n 4 rivulet-mpi run SCENE. Rank 0 ends with one line, that of `rivulet run`,\n"
    "with the same hash. Where a rank is lost the run ends, and the last snapshot is whole.",
    options,
    (int)(sizeof options / sizeof options[0]),
    RV_MPI_PROGRAM};

// ---- The run ------------------------------------------------------------------------------------

void rv_band_give_up(const rv_band_run *r, const char *why)
{
    fprintf(stderr, RV_MPI_PROGRAM ": rank %d: %s\n", r->rank, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

// The files of solids, which a rank of another machine may not see.
static bool load_forms(rv_band_run *r)
{
    rv_form_work how = rv_default_form_work();
    how.pool = r->pool;
    bool loaded = rv_scene_load_forms(&r->scene, &how, &r->messages);
    if (!rv_mpi_greatest(MPI_COMM_WORLD, !loaded)) return true;
    if (loaded)
        rv_messages_add(&r->messages, "%s: another rank cannot read the files of its solids",
                        r->scene.path);
    return false;
}

// What else is wrong with a scene every rank finds by itself, before it waits for others.
static bool make_world(rv_band_run *r)
{
    if (!load_forms(r)) return false;
    rv_messages warnings = {0};
    rv_prepare_progress progress = {.warnings = &warnings, .ranks = rv_mpi_bands_table(r->bands)};
    bool good = rv_prepare_world(&r->scene, r->pool, &progress, &r->world, &r->messages);
    if (r->rank == 0) rv_print_warnings(&warnings);
    if (!good && strstr(r->messages.text, "not enough memory"))
        rv_band_give_up(r, r->messages.text);
    return good;
}

static bool begin(rv_band_run *r)
{
    const rv_run_options *o = r->options;
    rv_messages told = {0};
    const char *outputs[] = {o->save, o->stats, o->video};
    for (int i = 0; r->rank == 0 && i < 3; i++)
        if (outputs[i]) rv_atomic_clear(outputs[i], &told);
    if (r->rank == 0) rv_print_warnings(&told);
    if (!make_world(r)) return false;
    if (o->resume && !rv_band_resume(r)) return false;
    rv_stats stats;
    rv_world_get_stats(r->world, &stats);
    r->balance =
        stats.volume + stats.held + stats.airborne + stats.dew - stats.sourced + stats.drained;
    r->next_save = o->save_every > 0 ? stats.time + o->save_every : INFINITY;
    bool opened = r->rank != 0 || !o->stats || rv_stats_open(&r->stats, o->stats, &r->messages);
    return rv_mpi_of_first(MPI_COMM_WORLD, opened) && rv_band_show_begin(r);
}

// A step, and what crossed in it.
static rv_result step(rv_band_run *r)
{
    rv_rank_traffic before, after, *sum = &r->traffic;
    rv_world_get_traffic(r->world, &before);
    rv_result result = rv_world_step(r->world, r->scene.params.time_step);
    rv_world_get_traffic(r->world, &after);
    sum->first = after.first, sum->end = after.end, sum->low = after.low, sum->high = after.high;
    sum->swaps += after.swaps - before.swaps, sum->messages += after.messages - before.messages;
    sum->bytes += after.bytes - before.bytes, sum->gathered += after.gathered - before.gathered;
    sum->agreements += after.agreements - before.agreements;
    sum->waiting += after.waiting - before.waiting, sum->beside += after.beside - before.beside;
    return result;
}

static bool one_frame(rv_band_run *r, rv_stats *stats)
{
    rv_result result = step(r);
    if (result == RV_OK) result = rv_world_get_stats(r->world, stats);
    if (result != RV_OK) {
        char why[256];
        snprintf(why, sizeof why, "%s: at %g s: %s", r->scene.path, stats->time,
                 rv_result_text(result));
        rv_band_give_up(r, why);
        return false;
    }
    r->frames++;
    r->ms += stats->ms;
    rv_lost_note(r->frames, stats->time);
    if (r->stats.stream) rv_stats_row(&r->stats, stats, 0, 0);
    rv_band_show_frame(r);
    if (stats->time < r->next_save - 1e-9) return true;
    r->next_save += r->options->save_every;
    rv_messages why = {0};
    if (rv_band_save(r, &why)) return true;
    if (r->lost++ == 0 && r->rank == 0) rv_print_messages(&why);
    return true;
}

static bool simulate(rv_band_run *r)
{
    rv_stats stats = {0};
    const volatile sig_atomic_t *signal = rv_signals_catch();
    rv_lost_watch(r->rank, r->ranks);
    rv_world_get_stats(r->world, &stats);
    int64_t frames = rv_run_frames(r->options, &r->scene.params, stats.time);
    rv_progress progress = rv_progress_start(r->options->quiet || r->rank != 0);
    while (r->frames < frames && r->signal == 0) {
        if (!one_frame(r, &stats)) return false;
        char text[96];
        snprintf(text, sizeof text, "%.2f s  %.3g ms/frame", stats.time, stats.ms);
        rv_progress_show(&progress, (double)r->frames / (double)frames, text);
        r->signal = rv_mpi_greatest(MPI_COMM_WORLD, (int)*signal);
    }
    rv_progress_clear(&progress);
    rv_lost_end();
    return true;
}

static bool write_outputs(rv_band_run *r)
{
    const rv_run_options *o = r->options;
    bool good = true;
    if (r->rank == 0 && r->stats.stream) good = rv_atomic_commit(&r->stats, &r->messages);
    if (o->save) good = rv_band_save(r, &r->messages) && good;
    good = rv_band_show_end(r) && good;
    return rv_mpi_of_first(MPI_COMM_WORLD, good);
}

static void print_trouble(const rv_band_run *r, const rv_stats *s)
{
    if (s->not_finite > 0)
        fprintf(stderr, "warning: %" PRId64 " columns were not finite and were set dry\n",
                s->not_finite);
    if (s->clipped > 0)
        fprintf(stderr, "warning: %" PRId64 " steps needed more than time.substeps_max substeps\n",
                s->clipped);
    if (s->unsolved > 0)
        fprintf(stderr,
                "warning: in %" PRId64
                " substeps the pressure in full passages was not found within "
                "pipes.iterations\n",
                s->unsolved);
    if (s->unplaced > 0)
        fprintf(stderr, "warning: %" PRId64 " times what was poured found no column with room\n",
                s->unplaced);
    if (r->signal)
        fprintf(stderr, "stopped by %s at %g s\n", r->signal == SIGINT ? "Ctrl-C" : "a signal",
                s->time);
}

static void print_end(const rv_band_run *r)
{
    rv_stats s = {0};
    rv_world_get_stats(r->world, &s);
    uint64_t hash = rv_world_hash(r->world);
    double frames = r->frames > 0 ? (double)r->frames : 1;
    double turnover = fabs(r->balance) + s.sourced;
    double lost = s.volume + s.held + s.airborne + s.dew - s.sourced + s.drained - r->balance;
    if (r->options->traffic) rv_band_traffic(r, &s);
    if (r->rank != 0) return;
    print_trouble(r, &s);
    printf("%s: %g s, %" PRId64
           " frames, volume %.9g m3 (error %.1e), %.4g ms/frame, hash %016" PRIx64 "\n",
           r->scene.name, s.time, r->frames, s.volume, turnover > 0 ? lost / turnover : 0,
           r->ms / frames, hash);
}

static int run(rv_band_run *r)
{
    bool begun = begin(r), done = begun && simulate(r), written = done && write_outputs(r);
    if (!done) rv_atomic_abandon(&r->stats);
    if (!written && r->rank == 0) rv_print_messages(&r->messages);
    if (!done) return begun ? 1 : RV_EXIT_USAGE;
    print_end(r);
    if (!written || r->lost > 0) return 1;
    return r->signal ? 128 + r->signal : 0;
}

// Rank 0 looks at the words, names and files first, and complains; the others only where it went
// on.
static int load(rv_band_run *r, rv_run_options *o, int argc, char **argv)
{
    for (int turn = 0; turn < 2; turn++) {
        int status = -1;
        bool own = turn == 0 ? r->rank == 0 : r->rank != 0;
        if (own) status = rv_run_options_read(o, argc, argv);
        if (own && status < 0) {
            bool outputs = turn == 1 || rv_run_options_check(o);
            bool loaded = rv_app_load(o->scene, o->sets.text, o->sets.count, &r->scene);
            if (loaded && outputs && turn == 0) outputs = rv_run_options_spare(o, &r->scene);
            if (loaded && !outputs) rv_scene_free(&r->scene);
            status = outputs && loaded ? -1 : RV_EXIT_USAGE;
        }
        status = rv_mpi_greatest(MPI_COMM_WORLD, status);
        if (status >= 0) return status;
    }
    return -1;
}

int rv_mpi_app_run(int argc, char **argv)
{
    rv_band_run *r = calloc(1, sizeof *r);
    rv_run_options *o = calloc(1, sizeof *o);
    int status = RV_EXIT_USAGE;
    if (!r || !o) {
        fputs(RV_MPI_PROGRAM ": not enough memory\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
        free(r), free(o);
        return status;
    }
    o->command = &command, o->threads = 1;
    r->options = o, r->rank = rv_mpi_rank(MPI_COMM_WORLD), r->ranks = rv_mpi_size(MPI_COMM_WORLD);
    status = load(r, o, argc, argv);
    if (status < 0) {
        status = 1;
        if (rv_mpi_bands_create(MPI_COMM_WORLD, &r->bands) != RV_OK)
            rv_band_give_up(r, "not enough memory");
        r->pool = o->threads > 1 ? rv_pool_create((int)o->threads) : NULL;
        if (r->bands) status = run(r);
        rv_band_show_free(r);
        rv_world_destroy(r->world);
        rv_pool_destroy(r->pool);
        rv_mpi_bands_destroy(r->bands);
        rv_scene_free(&r->scene);
        status = rv_mpi_greatest(MPI_COMM_WORLD, status);
    }
    free(r), free(o);
    return status;
}

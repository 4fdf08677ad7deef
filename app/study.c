// `rivulet study`: many worlds from one scene. io/study_*.c does the work; here are the options,
// the progress bar, the pictures, and what is printed.
#define _POSIX_C_SOURCE 200809L
#include "rivulet_io/study.h"
#include "app/options.h"
#include "app/progress.h"
#include "app/signals.h"
#include "rivulet_gl/painter.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAILURES_TOLD 20

static const rv_option options[] = {
    {"--jobs", "N", "runs at the same time; default: one for each core"},
    {"--threads", "N", "threads of each run; default: 1. The results are the same for any number"},
    {"--only", "K", "make run K only, or runs K-L"},
    {"--only-from", "NAME",
     "the same, with the number that this variable of the\n"
     "environment has: SLURM_ARRAY_TASK_ID, PBS_ARRAY_INDEX"},
    {"--folder", "DIR", "where runs are left, instead of the study's folder"},
    {"--again", NULL, "make runs anew whose folder holds other settings"},
    {"--table", NULL, "make no runs: the table and the plots of those that have ended"},
    {"--dry-run", NULL, "make nothing: list the runs, their values, and how far they are"},
    {"--quiet", NULL, "no progress bar, only the last line"},
};
static const rv_command command = {
    "study", "FILE.yaml [options]",
    "Makes many worlds from one scene: grids and random draws of parameters, each run in a\n"
    "folder of its own, and a table of the results with plots (docs/study.md has the format).\n"
    "What is finished is not made again: a study that was stopped goes on when it is started\n"
    "again, and several processes may work at one folder, as a queue.",
    options, (int)(sizeof options / sizeof options[0]), NULL};

typedef struct study_options {
    const char *file;
    rv_study_work work;
    bool table, dry, quiet;
} study_options;

typedef struct study_run {
    rv_study *study;
    rv_progress progress;
    const volatile sig_atomic_t *signal;
    int failures; // told so far
    pthread_mutex_t painting;
    rv_painter *painter; // NULL until the first picture
} study_run;

// ---- Options ------------------------------------------------------------------------------------

// "12" or "3-7".
static bool take_range(study_options *o, const char *name, const char *text)
{
    char first[16];
    const char *dash = strchr(text, '-');
    size_t length = dash ? (size_t)(dash - text) : strlen(text);
    long a, b;
    snprintf(first, sizeof first, "%.*s", (int)(length < 15 ? length : 15), text);
    if (!rv_option_whole(&command, name, first, 1, 1000000, &a)) return false;
    b = a;
    if (dash && !rv_option_whole(&command, name, dash + 1, a, 1000000, &b)) return false;
    o->work.first = (int)a, o->work.last = (int)b;
    return true;
}

static bool take_variable(study_options *o, const char *variable)
{
    const char *text = getenv(variable);
    char name[80];
    snprintf(name, sizeof name, "--only-from %.60s", variable);
    if (text && *text) return take_range(o, name, text);
    rv_usage_error(&command, "%s: the environment has no such variable", name);
    return false;
}

static bool take_option(study_options *o, const char *name, const char *value)
{
    long number;
    if (strcmp(name, "--jobs") == 0 || strcmp(name, "--threads") == 0) {
        if (!rv_option_whole(&command, name, value, 1, 1024, &number)) return false;
        *(name[2] == 'j' ? &o->work.jobs : &o->work.threads) = (int)number;
        return true;
    }
    if (strcmp(name, "--only") == 0) return take_range(o, name, value);
    if (strcmp(name, "--only-from") == 0) return take_variable(o, value);
    if (strcmp(name, "--folder") == 0) o->work.folder = value;
    if (strcmp(name, "--again") == 0) o->work.again = true;
    if (strcmp(name, "--table") == 0) o->table = true;
    if (strcmp(name, "--dry-run") == 0) o->dry = true;
    if (strcmp(name, "--quiet") == 0) o->quiet = true;
    return true;
}

// -1: go on; else the exit code.
static int parse(study_options *o, int argc, char **argv)
{
    *o = (study_options){.work = rv_default_study_work()};
    rv_args args = rv_args_begin(&command, argc, argv);
    const char *name, *value;
    for (rv_arg kind; (kind = rv_args_next(&args, &name, &value)) != RV_ARG_END;) {
        if (kind == RV_ARG_STOP) return args.status;
        if (kind == RV_ARG_OPTION) {
            if (!take_option(o, name, value)) return RV_EXIT_USAGE;
        } else if (o->file) {
            return rv_usage_error(&command, "'%s': only one study at a time", value);
        } else {
            o->file = value;
        }
    }
    if (!o->file) return rv_usage_error(&command, "which study? Name a YAML file");
    if (o->work.folder && !o->work.folder[0])
        return rv_usage_error(&command, "--folder: a name is missing");
    return -1;
}

// ---- While it runs ------------------------------------------------------------------------------

static bool on_progress(double share, int ended, int runs, void *user)
{
    study_run *r = user;
    char text[64];
    snprintf(text, sizeof text, "%d of %d runs", ended, runs);
    rv_progress_show(&r->progress, share, text);
    return *r->signal == 0;
}

static void on_ended(int run, rv_study_state state, const char *why, void *user)
{
    study_run *r = user;
    if (state != RV_STUDY_FAILED && state != RV_STUDY_NOT_FINITE) return;
    if (++r->failures > FAILURES_TOLD) return;
    rv_progress_clear(&r->progress);
    fprintf(stderr, "run %d %s: %.*s\n", run, state == RV_STUDY_FAILED ? "failed" : "is not finite",
            (int)strcspn(why, "\n"), why);
}

// One painter serves all runs; it draws in a thread of its own, one picture after another.
static rv_result on_draw(const rv_study_picture *what, uint8_t *rgba, rv_messages *messages,
                         void *user)
{
    study_run *r = user;
    const rv_params *p = rv_world_params(what->world);
    rv_result result = RV_OK;
    pthread_mutex_lock(&r->painting);
    if (!r->painter) result = rv_painter_create(&r->painter, messages);
    pthread_mutex_unlock(&r->painting);
    if (result != RV_OK) return result;
    const rv_light *e = what->environment, *b = what->backdrop;
    const rv_environment around = {e ? e->width : 0, e ? e->height : 0, e ? e->rgb : NULL};
    const rv_backdrop behind = {b ? b->width : 0, b ? b->height : 0, b ? b->rgb : NULL};
    const rv_painting painting = {.world = what->world,
                                  .surface = rv_renderer_needs_surface(p) ? what->surface : NULL,
                                  .width = what->width,
                                  .height = what->height,
                                  .environment = e ? &around : NULL,
                                  .backdrop = b ? &behind : NULL,
                                  .surroundings = what->surroundings};
    return rv_painter_draw(r->painter, &painting, rgba, messages);
}

static void on_forget(const rv_world *world, void *user)
{
    study_run *r = user;
    rv_painter_forget(r->painter, world);
}

// ---- What is printed ----------------------------------------------------------------------------

static const char *folder_of(const study_options *o, const rv_study_info *info)
{
    return o->work.folder ? o->work.folder : info->folder;
}

static bool in_range(const study_options *o, int run)
{
    return o->work.first == 0 || (run >= o->work.first && run <= o->work.last);
}

static int list_runs(const study_options *o, const rv_study *study, const rv_study_info *info)
{
    printf("%s: %d runs of %s, %g s each, into %s\n", info->path, info->runs, info->scene,
           info->time, folder_of(o, info));
    for (int run = 1; run <= info->runs; run++) {
        if (!in_range(o, run)) continue;
        printf("%04d  %-14s", run, rv_study_state_text(rv_study_look(study, &o->work, run)));
        for (int k = 0; k < info->parameters; k++) {
            char text[256];
            rv_study_get_value(study, run, k, text, sizeof text, NULL);
            printf(" %s=%s", rv_study_parameter(study, k), text);
        }
        putchar('\n');
    }
    return 0;
}

// From the end: those of a job array end there.
static bool all_ended(const study_options *o, const rv_study *study, const rv_study_info *info)
{
    for (int run = info->runs; run >= 1; run--) {
        rv_study_state state = rv_study_look(study, &o->work, run);
        if (state != RV_STUDY_DONE && state != RV_STUDY_NOT_FINITE && state != RV_STUDY_FAILED)
            return false;
    }
    return true;
}

static int write_table(const study_options *o, const rv_study *study)
{
    rv_messages messages = {0};
    if (rv_study_write_table(study, &o->work, &messages) == RV_OK) return 0;
    rv_print_messages(&messages);
    return 1;
}

static void print_end(const study_options *o, const study_run *r, const rv_study_info *info,
                      const rv_study_report *report, bool table)
{
    int asked = o->work.first > 0 ? o->work.last - o->work.first + 1 : info->runs;
    if (r->failures > FAILURES_TOLD)
        fprintf(stderr, "… and %d more; failed.txt in a run's folder says why\n",
                r->failures - FAILURES_TOLD);
    if (report->warned > 0)
        fprintf(stderr, "%d runs have warnings, in warnings.txt in their folders\n",
                report->warned);
    if (*r->signal)
        fprintf(stderr, "stopped by %s; go on with: rivulet study %s%s%s\n",
                *r->signal == SIGINT ? "Ctrl-C" : "a signal", o->file,
                o->work.folder ? " --folder " : "", o->work.folder ? o->work.folder : "");
    printf("%s: %d of %d runs done", info->path, report->done, asked);
    if (report->not_finite > 0) printf(", %d not finite", report->not_finite);
    if (report->failed > 0) printf(", %d failed", report->failed);
    if (report->stopped > 0) printf(", %d cut short", report->stopped);
    if (report->elsewhere > 0) printf(", %d being made by others", report->elsewhere);
    if (table)
        printf("; %s/table.csv\n", folder_of(o, info));
    else
        printf("; no table yet\n");
}

static int run_study(study_options *o, study_run *r, const rv_study_info *info)
{
    rv_messages messages = {0};
    rv_study_report report;
    o->work.progress = on_progress, o->work.ended = on_ended;
    o->work.draw = on_draw, o->work.forget = on_forget;
    o->work.user = r;
    r->progress = rv_progress_start(o->quiet);
    if (o->table)
        rv_study_count(r->study, &o->work, &report);
    else if (rv_study_run(r->study, &o->work, &report, &messages) != RV_OK) {
        rv_progress_clear(&r->progress);
        return rv_print_messages(&messages);
    }
    rv_progress_clear(&r->progress);
    bool table = o->table || all_ended(o, r->study, info);
    int status = table ? write_table(o, r->study) : 0;
    print_end(o, r, info, &report, table && status == 0);
    if (*r->signal) return 128 + (int)*r->signal;
    return status ? status : report.failed + report.not_finite > 0;
}

int rv_app_study(int argc, char **argv)
{
    study_options o;
    int status = parse(&o, argc, argv);
    if (status >= 0) return status;
    study_run r = {0};
    rv_study_info info;
    rv_messages messages = {0};
    if (rv_study_open(o.file, &r.study, &messages) != RV_OK) return rv_print_messages(&messages);
    rv_study_get_info(r.study, &info);
    if (o.work.last > info.runs) {
        rv_study_close(r.study);
        return rv_usage_error(&command, "no run %d: there are runs 1 to %d", o.work.last,
                              info.runs);
    }
    if (o.dry) {
        status = list_runs(&o, r.study, &info);
    } else {
        r.signal = rv_signals_catch();
        pthread_mutex_init(&r.painting, NULL);
        status = run_study(&o, &r, &info);
        rv_painter_destroy(r.painter);
        pthread_mutex_destroy(&r.painting);
    }
    rv_study_close(r.study);
    return status;
}

// `rivulet study`: many worlds from one scene. io/study_*.c does the work; here are the options,
// the progress bar, the pictures, and what is printed. `rivulet-mpi study` has the same and another
// way to have the runs made.
#define _POSIX_C_SOURCE 200809L
#include "app/study.h"

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
static const rv_command plain = {
    "study",
    "FILE.yaml [options]",
    "Makes many worlds from one scene: grids and random draws of parameters, each run in a\n"
    "folder of its own, and a table of the results with plots (docs/study.md has the format).\n"
    "What is finished is not made again: a study that was stopped goes on when it is started\n"
    "again, and several processes may work at one folder, as a queue.",
    options,
    (int)(sizeof options / sizeof options[0]),
    NULL};

// ---- Options ------------------------------------------------------------------------------------

// "12" or "3-7".
static bool take_range(rv_study_session *s, const char *name, const char *text)
{
    char first[16];
    const char *dash = strchr(text, '-');
    size_t length = dash ? (size_t)(dash - text) : strlen(text);
    long a, b;
    snprintf(first, sizeof first, "%.*s", (int)(length < 15 ? length : 15), text);
    if (!rv_option_whole(&s->command, name, first, 1, 1000000, &a)) return false;
    b = a;
    if (dash && !rv_option_whole(&s->command, name, dash + 1, a, 1000000, &b)) return false;
    s->work.first = (int)a, s->work.last = (int)b;
    return true;
}

static bool take_variable(rv_study_session *s, const char *variable)
{
    const char *text = getenv(variable);
    char name[80];
    snprintf(name, sizeof name, "--only-from %.60s", variable);
    if (text && *text) return take_range(s, name, text);
    rv_usage_error(&s->command, "%s: the environment has no such variable", name);
    return false;
}

static bool take_option(void *user, const char *name, const char *value)
{
    rv_study_session *s = user;
    long number;
    if (strcmp(name, "--jobs") == 0 || strcmp(name, "--threads") == 0) {
        if (!rv_option_whole(&s->command, name, value, 1, 1024, &number)) return false;
        *(name[2] == 'j' ? &s->work.jobs : &s->work.threads) = (int)number;
        return true;
    }
    if (strcmp(name, "--only") == 0) return take_range(s, name, value);
    if (strcmp(name, "--only-from") == 0) return take_variable(s, value);
    if (strcmp(name, "--folder") == 0) s->work.folder = value;
    if (strcmp(name, "--again") == 0) s->work.again = true;
    if (strcmp(name, "--table") == 0) s->table = true;
    if (strcmp(name, "--dry-run") == 0) s->dry = true;
    if (strcmp(name, "--quiet") == 0) s->quiet = true;
    return true;
}

// -1: go on; else the exit code.
static int parse(rv_study_session *s, int argc, char **argv)
{
    s->work = rv_default_study_work();
    s->command = plain;
    s->command.program = s->program;
    if (s->about) s->command.about = s->about;
    memcpy(s->options, options, sizeof options);
    if (s->jobs) s->options[0].meaning = s->jobs;
    s->command.options = s->options;
    int status = rv_args_read(&s->command, argc, argv, "study", &s->file, take_option, s);
    if (status >= 0) return status;
    if (!s->file) return rv_usage_error(&s->command, "which study? Name a YAML file");
    if (s->work.folder && !s->work.folder[0])
        return rv_usage_error(&s->command, "--folder: a name is missing");
    return -1;
}

// ---- While it runs ------------------------------------------------------------------------------

static bool on_progress(double share, int ended, int runs, void *user)
{
    rv_study_session *s = user;
    char text[64];
    snprintf(text, sizeof text, "%d of %d runs", ended, runs);
    rv_progress_show(&s->progress, share, text);
    return *s->signal == 0;
}

static void on_ended(int run, rv_study_state state, const char *why, void *user)
{
    rv_study_session *s = user;
    if (state != RV_STUDY_FAILED && state != RV_STUDY_NOT_FINITE) return;
    if (++s->failures > FAILURES_TOLD) return;
    rv_progress_clear(&s->progress);
    fprintf(stderr, "run %d %s: %.*s\n", run, state == RV_STUDY_FAILED ? "failed" : "is not finite",
            (int)strcspn(why, "\n"), why);
}

// One painter serves all runs; it draws in a thread of its own, one picture after another.
static rv_result on_draw(const rv_study_picture *what, uint8_t *rgba, rv_messages *messages,
                         void *user)
{
    rv_study_session *s = user;
    const rv_params *p = rv_world_params(what->world);
    rv_result result = RV_OK;
    pthread_mutex_lock(&s->painting);
    if (!s->painter) result = rv_painter_create(&s->painter, messages);
    pthread_mutex_unlock(&s->painting);
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
    return rv_painter_draw(s->painter, &painting, rgba, messages);
}

static void on_forget(const rv_world *world, void *user)
{
    rv_study_session *s = user;
    rv_painter_forget(s->painter, world);
}

// ---- What is printed ----------------------------------------------------------------------------

static const char *folder_of(const rv_study_session *s)
{
    return s->work.folder ? s->work.folder : s->info.folder;
}

static bool in_range(const rv_study_session *s, int run)
{
    return s->work.first == 0 || (run >= s->work.first && run <= s->work.last);
}

static int list_runs(const rv_study_session *s)
{
    printf("%s: %d runs of %s, %g s each, into %s\n", s->info.path, s->info.runs, s->info.scene,
           s->info.time, folder_of(s));
    for (int run = 1; run <= s->info.runs; run++) {
        if (!in_range(s, run)) continue;
        printf("%04d  %-14s", run, rv_study_state_text(rv_study_look(s->study, &s->work, run)));
        for (int k = 0; k < s->info.parameters; k++) {
            char text[256];
            rv_study_get_value(s->study, run, k, text, sizeof text, NULL);
            printf(" %s=%s", rv_study_parameter(s->study, k), text);
        }
        putchar('\n');
    }
    return 0;
}

// From the end: those of a job array end there.
static bool all_ended(const rv_study_session *s)
{
    for (int run = s->info.runs; run >= 1; run--) {
        rv_study_state state = rv_study_look(s->study, &s->work, run);
        if (state != RV_STUDY_DONE && state != RV_STUDY_NOT_FINITE && state != RV_STUDY_FAILED)
            return false;
    }
    return true;
}

static int write_table(const rv_study_session *s)
{
    rv_messages messages = {0};
    if (rv_study_write_table(s->study, &s->work, &messages) == RV_OK) return 0;
    rv_print_messages(&messages);
    return 1;
}

static void print_end(const rv_study_session *s, const rv_study_report *report, bool table)
{
    int asked = s->work.first > 0 ? s->work.last - s->work.first + 1 : s->info.runs;
    if (s->failures > FAILURES_TOLD)
        fprintf(stderr, "… and %d more; failed.txt in a run's folder says why\n",
                s->failures - FAILURES_TOLD);
    if (report->warned > 0)
        fprintf(stderr, "%d runs have warnings, in warnings.txt in their folders\n",
                report->warned);
    if (*s->signal)
        fprintf(stderr, "stopped by %s; go on with: %s study %s%s%s\n",
                *s->signal == SIGINT ? "Ctrl-C" : "a signal", rv_program(&s->command), s->file,
                s->work.folder ? " --folder " : "", s->work.folder ? s->work.folder : "");
    printf("%s: %d of %d runs done", s->info.path, report->done, asked);
    if (report->not_finite > 0) printf(", %d not finite", report->not_finite);
    if (report->failed > 0) printf(", %d failed", report->failed);
    if (report->stopped > 0) printf(", %d cut short", report->stopped);
    if (report->elsewhere > 0) printf(", %d being made by others", report->elsewhere);
    if (table)
        printf("; %s/table.csv\n", folder_of(s));
    else
        printf("; no table yet\n");
}

// ---- The parts of the command -------------------------------------------------------------------

static rv_result make_runs(rv_study_session *s, rv_study_report *report, rv_messages *messages)
{
    s->work.progress = on_progress, s->work.ended = on_ended;
    s->work.draw = on_draw, s->work.forget = on_forget;
    s->work.user = s;
    s->signal = rv_signals_catch();
    s->progress = rv_progress_start(s->quiet);
    pthread_mutex_init(&s->painting, NULL);
    rv_result result = RV_OK;
    if (s->table)
        rv_study_count(s->study, &s->work, report);
    else
        result = s->run(s->study, &s->work, report, messages, s->run_user);
    rv_progress_clear(&s->progress);
    rv_painter_destroy(s->painter);
    pthread_mutex_destroy(&s->painting);
    return result;
}

int rv_study_begin(rv_study_session *s, int argc, char **argv)
{
    int status = parse(s, argc, argv);
    if (status >= 0) return status;
    rv_messages messages = {0};
    if (rv_study_open(s->file, &s->study, &messages) != RV_OK) return rv_print_messages(&messages);
    rv_study_get_info(s->study, &s->info);
    if (s->work.last <= s->info.runs) return -1;
    return rv_usage_error(&s->command, "no run %d: there are runs 1 to %d", s->work.last,
                          s->info.runs);
}

int rv_study_go(rv_study_session *s)
{
    rv_messages messages = {0};
    rv_study_report report;
    if (s->dry) return list_runs(s);
    if (make_runs(s, &report, &messages) != RV_OK) return rv_print_messages(&messages);
    bool table = s->table || all_ended(s);
    int status = table ? write_table(s) : 0;
    print_end(s, &report, table && status == 0);
    if (*s->signal) return 128 + (int)*s->signal;
    return status ? status : report.failed + report.not_finite > 0;
}

int rv_study_help_out(rv_study_session *s)
{
    rv_messages messages = {0};
    rv_study_report report;
    s->quiet = true;
    if (s->dry || s->table || make_runs(s, &report, &messages) == RV_OK) return 0;
    return rv_print_messages(&messages);
}

void rv_study_end(rv_study_session *s)
{
    rv_study_close(s->study);
    s->study = NULL;
}

// ---- rivulet study ------------------------------------------------------------------------------

static rv_result run_here(rv_study *study, const rv_study_work *work, rv_study_report *report,
                          rv_messages *messages, void *user)
{
    (void)user;
    return rv_study_run(study, work, report, messages);
}

int rv_app_study(int argc, char **argv)
{
    rv_study_session s = {.run = run_here};
    int status = rv_study_begin(&s, argc, argv);
    if (status < 0) status = rv_study_go(&s);
    rv_study_end(&s);
    return status;
}

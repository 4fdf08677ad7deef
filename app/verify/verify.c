// `rivulet verify`: runs the cases, prints a table or JSON; exit code 1 when a row fails.
#include "verify.h"

#include "../backend.h"
#include "../options.h"
#include "../progress.h"
#include "io/atomic_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rv_option options[] = {
    {"--json", NULL, "print an array of rows instead of the table"},
    {"--list", NULL, "print the names of the cases"},
    {"--plots", "DIR",
     "draw the cases into this folder, as SVG, with their numbers as CSV;\n"
     "needs gnuplot"},
    {"--markdown", "FILE", "write a page of what was run: texts, rows, and plots where there are"},
    {"--quick", NULL, "small grids and short times, some rows left out: for a first look"},
    RV_BACKEND_OPTION,
    {"--threads", "N", "threads to use; all cores by default"},
};
static const rv_command command = {
    "verify", "[CASE…] [options]",
    "Checks the solvers against exact solutions. Without CASE all cases are run.\n"
    "Error is relative to the exact value, absolute where that is 0. Rows without a\n"
    "tolerance only inform. Exit code 1 when a row fails.",
    options, (int)(sizeof options / sizeof *options), NULL};

typedef struct screen {
    bool json, any;
    rv_progress progress;
} screen;

// ---- Output -------------------------------------------------------------------------------------

static void show_progress(const char *name, double share, void *user)
{
    screen *s = user;
    rv_progress_show(&s->progress, share, name);
}

static void show_header(void)
{
    printf("%-8s  %-54s %13s %13s %11s %10s  %s\n", "case", "quantity", "measured", "exact",
           "error", "tolerance", "pass");
}

static void show_table_row(const rv_verify_row *row)
{
    char tolerance[24] = "-";
    if (!row->informs) snprintf(tolerance, sizeof tolerance, "%.3g", row->tolerance);
    printf("%-8s  %-54s %13.6g %13.6g %11.3g %10s  %s\n", row->name, row->quantity, row->measured,
           row->exact, row->error, tolerance,
           row->informs ? "-"
           : row->pass  ? "yes"
                        : "NO");
}

static void json_number(const char *key, double value)
{
    if (isfinite(value))
        printf("\"%s\": %.9g, ", key, value);
    else
        printf("\"%s\": null, ", key);
}

static void json_text(const char *key, const char *text)
{
    printf("\"%s\": \"", key);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        if ((unsigned char)*text >= 32) putchar(*text);
    }
    fputs("\", ", stdout);
}

static void show_json_row(const rv_verify_row *row, bool first)
{
    fputs(first ? "\n  {" : ",\n  {", stdout);
    json_text("case", row->name);
    json_text("quantity", row->quantity);
    json_number("measured", row->measured);
    json_number("exact", row->exact);
    json_number("error", row->error);
    json_number("tolerance", row->informs ? NAN : row->tolerance);
    printf("\"pass\": %s}", row->informs ? "null" : row->pass ? "true" : "false");
}

static void show(const rv_verify_row *row, void *user)
{
    screen *s = user;
    rv_progress_clear(&s->progress);
    if (s->json)
        show_json_row(row, !s->any);
    else
        show_table_row(row);
    s->any = true;
    fflush(stdout);
}

// ---- The command --------------------------------------------------------------------------------

static int list(void)
{
    int count;
    const rv_case *const *all = rv_verify_cases(&count);
    for (int i = 0; i < count; i++) printf("%-8s  %s\n", all[i]->name, all[i]->about);
    return 0;
}

static int find_case(const char *name)
{
    int count;
    const rv_case *const *all = rv_verify_cases(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(all[i]->name, name) == 0) return i;
    return -1;
}

static int bad_case(const char *name)
{
    char words[512] = "";
    int count, length;
    const rv_case *const *all = rv_verify_cases(&count);
    for (int i = 0; i < count; i++) {
        size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s%s", i > 0 ? "|" : "", all[i]->name);
    }
    const char *near_ = rv_nearest_word(words, name, &length);
    if (near_)
        return rv_usage_error(&command, "no case `%s`; did you mean `%.*s`?", name, length, near_);
    return rv_usage_error(&command, "no case `%s`; --list names them all", name);
}

static int run_cases(rv_report *report, uint64_t wanted, screen *s)
{
    int count, passed = 0, failed = 0;
    const rv_case *const *all = rv_verify_cases(&count);
    if (s->json)
        fputs("[", stdout);
    else
        show_header();
    for (int i = 0; i < count; i++) {
        if (!(wanted >> i & 1u)) continue;
        report->name = all[i]->name;
        show_progress(all[i]->name, 0, s);
        all[i]->run(report);
    }
    rv_progress_clear(&s->progress);
    for (int i = 0; i < report->count; i++) {
        passed += report->rows[i].pass;
        failed += !report->rows[i].informs && !report->rows[i].pass;
    }
    if (s->json)
        fputs("\n]\n", stdout);
    else
        printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

int rv_app_verify(int argc, char **argv)
{
    screen s = {.progress = rv_progress_start(false)};
    rv_report report = {.show = show, .progress = show_progress, .user = &s};
    uint64_t wanted = 0;
    long threads = rv_hardware_threads();
    rv_backend backend = {0};
    rv_params params = rv_verify_def().params;
    bool only_list = false;
    const char *name, *value, *plots = NULL, *page = NULL;
    rv_messages messages = {0};
    rv_args args = rv_args_begin(&command, argc, argv);
    for (rv_arg kind; (kind = rv_args_next(&args, &name, &value)) != RV_ARG_END;) {
        if (kind == RV_ARG_STOP) return args.status;
        if (kind == RV_ARG_PLAIN) {
            int i = find_case(value);
            if (i < 0) return bad_case(value);
            wanted |= (uint64_t)1 << i;
        } else if (strcmp(name, "--json") == 0)
            s.json = true;
        else if (strcmp(name, "--list") == 0)
            only_list = true;
        else if (strcmp(name, "--quick") == 0)
            report.quick = true;
        else if (strcmp(name, "--plots") == 0)
            plots = value, report.plotted = true;
        else if (strcmp(name, "--markdown") == 0)
            page = value;
        else if (strcmp(name, "--backend") == 0) {
            if (!rv_backend_option(&backend, &command, value)) return RV_EXIT_USAGE;
        } else if (!rv_option_whole(&command, name, value, 1, 1024, &threads))
            return RV_EXIT_USAGE;
    }
    if (only_list) return list();
    if (page && !rv_output_check("--markdown", page, "md", &messages))
        return rv_print_messages(&messages);
    if (plots && !rv_plots_check(plots, &messages)) return rv_print_messages(&messages);
    if (backend.draws) return rv_usage_error(&command, "--backend: there are cpu and card");
    if (!rv_backend_open(&backend, NULL, &params, &messages)) return rv_print_messages(&messages);
    report.device = rv_backend_device(&backend);
    report.pool = rv_pool_create((int)threads);
    int status = run_cases(&report, wanted ? wanted : UINT64_MAX, &s);
    if ((plots && !rv_plots_write(&report, plots, &messages)) ||
        (page && !rv_page_write(&report, page, plots, &messages)))
        status = rv_print_messages(&messages);
    rv_pool_destroy(report.pool);
    rv_backend_close(&backend);
    rv_plots_free(&report);
    free(report.rows);
    return status;
}

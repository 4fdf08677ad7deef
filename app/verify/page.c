// Writes docs/validation.md: what every case shows, what it measured, and its plots.
#include "verify.h"

#include "io/atomic_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 110 // columns of running text

// Words of a paragraph, wrapped; an empty line begins the next one.
static void put_text(FILE *out, const char *text)
{
    int column = 0;
    while (*text) {
        if (strncmp(text, "\n\n", 2) == 0) {
            fputs("\n\n", out);
            text += 2, column = 0;
            continue;
        }
        if (*text == ' ' || *text == '\n') {
            text++;
            continue;
        }
        size_t bytes = strcspn(text, " \n");
        int length = 0; // characters: UTF-8 continues with 10xxxxxx
        for (size_t i = 0; i < bytes; i++) length += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (column > 0 && column + 1 + length > WIDTH) {
            putc('\n', out);
            column = 0;
        } else if (column > 0) {
            putc(' ', out);
            column++;
        }
        fwrite(text, 1, bytes, out);
        text += bytes, column += length;
    }
    putc('\n', out);
}

static void put_intro(FILE *out)
{
    fputs("# Validation\n\n", out);
    put_text(
        out,
        "This page is written by `make validation` (`rivulet verify --plots DIR --markdown FILE`): "
        "every figure and every plot on it comes from a run of it. Each case builds a small world "
        "in "
        "C with "
        "its exact solution written out beside it (`app/verify/`). Errors are relative to the "
        "exact "
        "value, absolute where that is 0; rows without a tolerance only inform. `rivulet verify "
        "CASE` "
        "runs one again, `--json` gives the rows to programs, and the points of every plot are in "
        "`docs/data/validation/` as CSV.");
    fputs("\n## Where the models end\n\n", out);
    put_text(
        out,
        "- `pipes` and `swe` are one engine and carry momentum alike: films and dam breaks come "
        "out the same within a few thousandths. `pipes` damps by "
        "default (`pipes.kept`), `swe` does not and is of second order in time too; so a "
        "sheet that outruns its own waves several times ripples in `pipes` with long "
        "substeps, and does not in `swe`.");
    put_text(out, "- The papers' area `cell` carries none, and its figures change with the cell: "
                  "its rows stand beside ours to show by how much.");
    put_text(out, "- Pressure is hydrostatic: waves shorter than some ten depths run too fast, "
                  "and no crest breaks.");
    put_text(out,
             "- Surface tension acts in the cases that are about it, and in the shipped scenes; "
             "the others run without, as their theory does. A surface cannot lean over: angles "
             "over 90° give the right thickness, but no overhang.");
    put_text(out, "- A column's bed is as smooth as its cell: slopes over 60° are falls.");
    putc('\n', out);
}

static void put_row(FILE *out, const rv_verify_row *row)
{
    char tolerance[24] = "–";
    if (!row->informs) snprintf(tolerance, sizeof tolerance, "%.3g", row->tolerance);
    const char *pass = row->informs ? "–" : row->pass ? "yes" : "**no**";
    fprintf(out, "| %s | %.4g | %.4g | %.3g | %s | %s |\n", row->quantity, row->measured,
            row->exact, row->error, tolerance, pass);
}

typedef struct gallery {
    FILE *out;
    const char *folder; // of the pictures, as seen from the page
} gallery;

static void put_plot(const char *file, const char *title, void *user)
{
    const gallery *g = user;
    fprintf(g->out, "\n![%s](%s/%s.svg)\n", title, g->folder, file);
}

static void put_case(const rv_report *report, const rv_case *one, gallery *g)
{
    bool any = false;
    for (int i = 0; i < report->count; i++) any = any || report->rows[i].name == one->name;
    if (!any) return;
    fprintf(g->out, "\n## %s (`%s`)\n\n", one->title, one->name);
    put_text(g->out, one->text);
    fputs(
        "\n| quantity | measured | exact | error | tolerance | pass |\n|---|---|---|---|---|---|\n",
        g->out);
    for (int i = 0; i < report->count; i++)
        if (report->rows[i].name == one->name) put_row(g->out, &report->rows[i]);
    if (g->folder) rv_plots_of(report, one->name, put_plot, g);
}

// The plots' folder as seen from the page: without the folder that the page is in.
static const char *seen_from(const char *path, const char *plots)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    return plots && strncmp(plots, path, length) == 0 ? plots + length : plots;
}

bool rv_page_write(const rv_report *report, const char *path, const char *plots,
                   rv_messages *messages)
{
    rv_atomic_file file;
    int count, passed = 0, failed = 0;
    const rv_case *const *all = rv_verify_cases(&count);
    if (!rv_atomic_open(&file, path, messages)) return false;
    for (int i = 0; i < report->count; i++) {
        passed += report->rows[i].pass;
        failed += !report->rows[i].informs && !report->rows[i].pass;
    }
    gallery g = {file.stream, seen_from(path, plots)};
    put_intro(g.out);
    fprintf(g.out, "%d rows passed, %d failed, %d only inform%s.\n", passed, failed,
            report->count - passed - failed,
            report->quick ? "; small grids and short times (`--quick`)" : "");
    for (int i = 0; i < count; i++) put_case(report, all[i], &g);
    return rv_atomic_commit(&file, messages);
}

// The table of a study: a row for each run that has ended, with its parameters, its last statistics
// and what else of them was asked for, as CSV and as NumPy arrays; and the plots. All of it is read
// from the files of the runs, so it does not matter who made them, when, or in which order.
#include "io/study_file.h"

#include "io/atomic_file.h"
#include "io/npz_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX (RV_STUDY_COLUMNS * RV_STUDY_PARTS)
#define SERIES_MAX 64

typedef struct row {
    int run;
    rv_study_state state;
    uint64_t hash;
} row;

typedef struct table {
    const rv_study *study;
    row *rows;
    int count;
    rv_study_column column[COLUMNS_MAX];
    int columns;
    double *value; // [row][column]
} table;

static bool has_column(const table *t, const rv_study_column *c)
{
    for (int i = 0; i < t->columns; i++)
        if (t->column[i].column == c->column && t->column[i].part == c->part) return true;
    return false;
}

static void add_column(table *t, rv_study_column c)
{
    if (t->columns < COLUMNS_MAX && !has_column(t, &c)) t->column[t->columns++] = c;
}

// The last value of each column that is no clock, then those that the table or a plot was
// asked for.
static void choose_columns(table *t)
{
    const rv_study *s = t->study;
    for (int i = 0; i < s->names.count; i++)
        if (!s->names.clock[i]) add_column(t, (rv_study_column){i, RV_PART_LAST});
    for (int i = 0; i < s->extra_count; i++) add_column(t, s->extra[i]);
    for (int i = 0; i < s->plot_count; i++) add_column(t, s->plots[i].y);
}

// "deepest", "deepest.max".
static void column_name(const rv_study *s, const rv_study_column *c, char *out, size_t size)
{
    bool last = c->part == RV_PART_LAST;
    snprintf(out, size, "%s%s%s", s->names.name[c->column], last ? "" : ".",
             last ? "" : rv_study_part_text(c->part));
}

// A result has its columns by name: another version may have had others.
static double value_of(const rv_study *s, const rv_study_result *r, const rv_study_column *c)
{
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->name[i], s->names.name[c->column]) == 0) return r->value[i][c->part];
    return NAN;
}

static bool gather(table *t, const rv_study_work *work)
{
    const rv_study *s = t->study;
    rv_study_result *r = malloc(sizeof *r);
    t->rows = calloc((size_t)s->runs, sizeof *t->rows);
    t->value = calloc((size_t)s->runs * (size_t)t->columns, sizeof *t->value);
    for (int run = 1; r && t->rows && t->value && run <= s->runs; run++) {
        rv_study_state state = rv_study_look(s, work, run);
        bool done = state == RV_STUDY_DONE || state == RV_STUDY_NOT_FINITE;
        if (!done && state != RV_STUDY_FAILED) continue;
        bool read = done && rv_study_read_result(rv_study_folder(s, work), run, r);
        double *value = t->value + (size_t)t->count * (size_t)t->columns;
        for (int i = 0; i < t->columns; i++) value[i] = read ? value_of(s, r, &t->column[i]) : NAN;
        t->rows[t->count++] = (row){run, state, read ? r->hash : 0};
    }
    bool good = r && t->rows && t->value;
    free(r);
    return good;
}

// ---- CSV ----------------------------------------------------------------------------------------

// In quotes where a comma would end it.
static void put_cell(FILE *out, const char *text)
{
    bool quoted = strpbrk(text, ",\"\n") != NULL;
    if (quoted) putc('"', out);
    for (; *text; text++) {
        if (*text == '"') putc('"', out);
        putc(*text, out);
    }
    if (quoted) putc('"', out);
}

static void put_header(FILE *out, const table *t)
{
    char name[80];
    fputs("run,status", out);
    for (int k = 0; k < t->study->param_count; k++) {
        putc(',', out);
        put_cell(out, t->study->params[k].key);
    }
    for (int i = 0; i < t->columns; i++) {
        column_name(t->study, &t->column[i], name, sizeof name);
        fprintf(out, ",%s", name);
    }
    fputs(",hash\n", out);
}

static void put_row(FILE *out, const table *t, int number)
{
    const row *r = &t->rows[number];
    char text[RV_STUDY_TEXT];
    fprintf(out, "%d,%s", r->run, rv_study_state_text(r->state));
    for (int k = 0; k < t->study->param_count; k++) {
        rv_study_value(t->study, r->run, k, text);
        putc(',', out);
        put_cell(out, text);
    }
    for (int i = 0; i < t->columns; i++) {
        double value = t->value[(size_t)number * (size_t)t->columns + (size_t)i];
        rv_study_number_text(value, text);
        fprintf(out, ",%s", r->state == RV_STUDY_FAILED ? "" : text);
    }
    if (r->state == RV_STUDY_FAILED)
        fputs(",\n", out);
    else
        fprintf(out, ",%016" PRIx64 "\n", r->hash);
}

static bool write_csv(const table *t, const char *path, rv_messages *messages)
{
    rv_atomic_file file;
    if (!rv_atomic_open(&file, path, messages)) return false;
    put_header(file.stream, t);
    for (int i = 0; i < t->count; i++) put_row(file.stream, t, i);
    return rv_atomic_commit(&file, messages);
}

// ---- NumPy --------------------------------------------------------------------------------------

// Texts as an array of letters of four bytes.
static void add_texts(rv_npz *npz, const char *name, const table *t,
                      void (*text_of)(const table *t, int number, int k, char *out), int k)
{
    char shape[32], type[24];
    size_t width = 1, count = (size_t)t->count;
    char(*texts)[RV_STUDY_TEXT] = calloc(count + 1, sizeof *texts);
    for (size_t i = 0; texts && i < count; i++) {
        text_of(t, (int)i, k, texts[i]);
        if (strlen(texts[i]) > width) width = strlen(texts[i]);
    }
    uint32_t *letters = texts ? calloc(count * width + 1, sizeof *letters) : NULL;
    if (letters) {
        for (size_t i = 0; i < count; i++)
            for (size_t c = 0; texts[i][c]; c++)
                letters[i * width + c] = (unsigned char)texts[i][c] & 0x7f;
        snprintf(shape, sizeof shape, "%zu,", count);
        snprintf(type, sizeof type, "U%zu", width);
        rv_npz_add(npz, name, type, shape, letters, count * width * sizeof *letters);
    } else {
        npz->failed = true;
    }
    free(letters);
    free(texts);
}

static void state_text(const table *t, int number, int k, char *out)
{
    (void)k;
    snprintf(out, RV_STUDY_TEXT, "%s", rv_study_state_text(t->rows[number].state));
}

static void hash_text(const table *t, int number, int k, char *out)
{
    (void)k;
    bool none = t->rows[number].state == RV_STUDY_FAILED;
    snprintf(out, RV_STUDY_TEXT, "%016" PRIx64, t->rows[number].hash);
    if (none) out[0] = '\0';
}

static void param_text(const table *t, int number, int k, char *out)
{
    rv_study_value(t->study, t->rows[number].run, k, out);
}

// Whether all values of a parameter are numbers.
static bool is_number(const rv_study *s, int k)
{
    const rv_study_param *p = &s->params[k];
    for (int i = 0; i < p->count; i++) {
        char *end;
        strtod(p->texts[i], &end);
        if (end == p->texts[i] || *end) return false;
    }
    return true;
}

static void add_numbers(rv_npz *npz, const table *t, double *column)
{
    char shape[32], name[80];
    size_t bytes = (size_t)t->count * sizeof *column;
    snprintf(shape, sizeof shape, "%d,", t->count);
    for (int k = 0; k < t->study->param_count; k++) {
        if (!is_number(t->study, k)) {
            add_texts(npz, t->study->params[k].key, t, param_text, k);
            continue;
        }
        for (int i = 0; i < t->count; i++)
            rv_study_get_value(t->study, t->rows[i].run, k, NULL, 0, &column[i]);
        rv_npz_add(npz, t->study->params[k].key, "f8", shape, column, bytes);
    }
    for (int c = 0; c < t->columns; c++) {
        for (int i = 0; i < t->count; i++)
            column[i] = t->value[(size_t)i * (size_t)t->columns + (size_t)c];
        column_name(t->study, &t->column[c], name, sizeof name);
        rv_npz_add(npz, name, "f8", shape, column, bytes);
    }
}

static bool write_npz(const table *t, const char *path, rv_messages *messages)
{
    rv_npz npz;
    char shape[32];
    if (!rv_npz_open(&npz, path, messages)) return false;
    double *column = calloc((size_t)t->count + 1, sizeof *column);
    int32_t *runs = calloc((size_t)t->count + 1, sizeof *runs);
    if (column && runs) {
        snprintf(shape, sizeof shape, "%d,", t->count);
        for (int i = 0; i < t->count; i++) runs[i] = t->rows[i].run;
        rv_npz_add(&npz, "run", "i4", shape, runs, (size_t)t->count * sizeof *runs);
        add_texts(&npz, "status", t, state_text, 0);
        add_numbers(&npz, t, column);
        add_texts(&npz, "hash", t, hash_text, 0);
    } else {
        npz.failed = true;
    }
    free(column);
    free(runs);
    return rv_npz_commit(&npz, messages);
}

// ---- Plots --------------------------------------------------------------------------------------

// The series of a run: the place of its value among those of the parameter, which are as many as
// the plot can tell apart. −1: it has none left.
static int series_of(const table *t, int run, int by, char (*labels)[RV_STUDY_TEXT], int *count)
{
    char text[RV_STUDY_TEXT];
    if (by < 0) return 0;
    rv_study_value(t->study, run, by, text);
    for (int i = 0; i < *count; i++)
        if (strcmp(labels[i], text) == 0) return i;
    if (*count >= SERIES_MAX) return -1;
    snprintf(labels[(*count)++], RV_STUDY_TEXT, "%s", text);
    return *count - 1;
}

// "liquid.viscosity, m2/s".
static void axis_label(const rv_study *s, int param, char *out, size_t size)
{
    const rv_study_param *p = &s->params[param];
    snprintf(out, size, "%s%s%s", p->key, p->unit[0] ? ", " : "", p->unit);
}

// "deepest.max, m".
static void column_label(const rv_study *s, const rv_study_column *c, char *out, size_t size)
{
    static const struct {
        const char *names, *unit;
    } units[] = {{" time ", "s"},
                 {" volume sourced drained held airborne dew ", "m3"},
                 {" deepest ", "m"},
                 {" fastest ", "m/s"},
                 {" kinetic potential ", "J"}};
    char word[48];
    column_name(s, c, out, size);
    snprintf(word, sizeof word, " %s ", s->names.name[c->column]);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strstr(units[i].names, word))
            snprintf(out + strlen(out), size - strlen(out), ", %s", units[i].unit);
}

// The points of a plot, and whether a line may join them: each series has one for each value.
static void gather_points(const table *t, const rv_study_plot *plot, rv_study_chart *chart)
{
    const rv_study *s = t->study;
    int column = 0;
    while (column < t->columns &&
           (t->column[column].column != plot->y.column || t->column[column].part != plot->y.part))
        column++;
    for (int i = 0; column < t->columns && i < t->count; i++) {
        rv_study_point p = {.y = t->value[(size_t)i * (size_t)t->columns + (size_t)column]};
        rv_study_get_value(s, t->rows[i].run, plot->x, NULL, 0, &p.x);
        p.series = series_of(t, t->rows[i].run, plot->by, chart->labels, &chart->series);
        if (p.series >= 0 && isfinite(p.x) && isfinite(p.y)) chart->points[chart->count++] = p;
    }
    bool others = false;
    for (int k = 0; k < s->param_count; k++) others = others || (k != plot->x && k != plot->by);
    chart->lines = s->params[plot->x].way == RV_WAY_GRID && !others;
}

// "FOLDER/deepest.max-liquid.viscosity.svg".
static bool plot_path(const table *t, const rv_study_plot *plot, const char *folder, char *out,
                      size_t size)
{
    const rv_study *s = t->study;
    char name[80];
    column_name(s, &plot->y, name, sizeof name);
    int wrote = snprintf(out, size, "%s/%s-%s%s%s.svg", folder, name, s->params[plot->x].key,
                         plot->by >= 0 ? "-" : "", plot->by >= 0 ? s->params[plot->by].key : "");
    return wrote > 0 && (size_t)wrote < size;
}

static bool draw_plot(const table *t, const rv_study_plot *plot, const char *folder,
                      rv_messages *messages)
{
    char path[RV_STUDY_PATH], x_label[200], y_label[160], by[200] = "";
    rv_study_chart chart = {
        .title = t->study->title, .x_label = x_label, .y_label = y_label, .by = by};
    chart.points = calloc((size_t)t->count + 1, sizeof *chart.points);
    chart.labels = calloc(SERIES_MAX, sizeof *chart.labels);
    chart.log_x = plot->log_x, chart.log_y = plot->log_y;
    bool good = chart.points && chart.labels;
    if (good) gather_points(t, plot, &chart);
    column_label(t->study, &plot->y, y_label, sizeof y_label);
    axis_label(t->study, plot->x, x_label, sizeof x_label);
    if (plot->by >= 0) axis_label(t->study, plot->by, by, sizeof by);
    if (!good)
        rv_messages_add(messages, "%s: not enough memory for a plot", folder);
    else if (!plot_path(t, plot, folder, path, sizeof path))
        rv_messages_add(messages, "%s: the name of a plot is too long", folder);
    else
        good = rv_study_draw_plot(path, &chart, messages);
    free(chart.points);
    free(chart.labels);
    return good;
}

rv_result rv_study_write_table(const rv_study *study, const rv_study_work *work,
                               rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (!study) return RV_BAD_ARGUMENT;
    const char *folder = rv_study_folder(study, work);
    char csv[RV_STUDY_PATH], npz[RV_STUDY_PATH];
    table *t = calloc(1, sizeof *t);
    if (!t) return RV_OUT_OF_MEMORY;
    t->study = study;
    choose_columns(t);
    bool good = gather(t, work);
    if (!good) rv_messages_add(messages, "%s: not enough memory", folder);
    good = good && snprintf(csv, sizeof csv, "%s/table.csv", folder) < (int)sizeof csv &&
           snprintf(npz, sizeof npz, "%s/table.npz", folder) < (int)sizeof npz &&
           rv_study_make_folder(folder, messages) && write_csv(t, csv, messages) &&
           write_npz(t, npz, messages);
    for (int i = 0; good && i < study->plot_count; i++)
        good = draw_plot(t, &study->plots[i], folder, messages);
    free(t->rows);
    free(t->value);
    free(t);
    return good ? RV_OK : RV_BAD_DATA;
}

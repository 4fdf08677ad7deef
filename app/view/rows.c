// The parameters as rows of the panel. The table's ranges are what is allowed, many powers of ten
// wide; a slider over all of it could set nothing. So a slider covers the part around a typical
// value, and by typing anything allowed can be reached.
#include "app/view/rows.h"

#include "app/view/stage.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DECADES 3     // of a wide range, on either side of the typical value
#define WIDE 1e3      // a range whose ends differ by more is wide
#define LOG_FROM 50.0 // and one whose ends differ by more than this is logarithmic

// ---- Sliders ------------------------------------------------------------------------------------

// A range on both sides of 0: around the typical value, as far as makes sense for its unit.
static rv_slider signed_slider(const rv_field_info *f, double typical, double length)
{
    double reach = strcmp(f->unit, "m") == 0 ? length : strcmp(f->unit, "rad") == 0 ? 3.1416 : 10;
    if (fabs(typical) > reach) reach = 2 * fabs(typical);
    return (rv_slider){.low = fmax(f->low, -reach), .high = fmin(f->high, reach)};
}

rv_slider rv_slider_of(const rv_field_info *f, double typical, double length)
{
    if (f->low < 0) return signed_slider(f, typical, length);
    rv_slider s = {.low = f->low, .high = f->high};
    double spread = pow(10, DECADES);
    bool wide = f->high > WIDE * (f->low > 0 ? f->low : 1e-6);
    if (f->low == 0 && f->high <= 10) wide = false;
    if (wide && typical > 0) {
        s.high = fmin(f->high, typical * spread);
        s.low = fmax(f->low, typical / spread);
    } else if (wide && f->low == 0 && f->high > 1) {
        s.high = strcmp(f->unit, "m") == 0 ? length : strcmp(f->unit, "m3/s") == 0 ? 1e-3 : 1;
    }
    s.logarithmic = s.low > 0 ? s.high > LOG_FROM * s.low : wide;
    if (s.logarithmic && f->low == 0) {
        s.zero = true;
        if (!(s.low > 0)) s.low = s.high * 1e-6;
    }
    return s;
}

// Of a logarithmic slider with a zero the lowest hundredth is for it.
static double first_place(const rv_slider *s)
{
    return s->zero ? 0.01 : 0;
}

double rv_slider_value(const rv_slider *s, double place)
{
    place = place < 0 ? 0 : place > 1 ? 1 : place;
    if (!s->logarithmic) return s->low + place * (s->high - s->low);
    double first = first_place(s);
    if (s->zero && place < first) return 0;
    double value = s->low * pow(s->high / s->low, (place - first) / (1 - first));
    return value > s->high ? s->high : value;
}

double rv_slider_place(const rv_slider *s, double value)
{
    if (!(s->high > s->low)) return 0;
    double first = first_place(s), place;
    if (!s->logarithmic)
        place = (value - s->low) / (s->high - s->low);
    else if (!(value > 0))
        return 0;
    else
        place = first + (1 - first) * log(value / s->low) / log(s->high / s->low);
    return place < first ? first : place > 1 ? 1 : place;
}

// ---- Rows ---------------------------------------------------------------------------------------

// A group's name is what stands before the first dot of a key.
static void group_of(const rv_field_info *field, char *out, size_t size)
{
    const char *dot = strchr(field->key, '.');
    snprintf(out, size, "%.*s", dot ? (int)(dot - field->key) : 7, dot ? field->key : "general");
}

// A vector's components: on either side of 0 as far as the whole is long, within their ranges.
static void part_sliders(rv_row *row, const rv_params *scene)
{
    double reach = fabs(row->field->preset), squares = 0;
    for (int c = 0; c < 3; c++) squares += pow(rv_row_get_part(row, scene, c), 2);
    reach = fmax(fmax(reach, sqrt(squares)), 1e-3);
    for (int c = 0; c < 3; c++) {
        double low, high;
        rv_field_range(row->field, c, &low, &high);
        row->part[c] = (rv_slider){.low = fmax(low, -2 * reach), .high = fmin(high, 2 * reach)};
    }
}

static void add_row(rv_panel_rows *rows, const rv_field_info *f, const char *group, double length)
{
    if (rows->count >= RV_ROWS_MAX) return;
    rv_row *row = &rows->row[rows->count++];
    const char *dot = strchr(f->key, '.');
    *row = (rv_row){.field = f, .label = dot ? dot + 1 : f->key};
    snprintf(row->group, sizeof row->group, "%s", group);
    if (f->type == RV_VECTOR) part_sliders(row, &rows->scene);
    if (f->type != RV_REAL && f->type != RV_WHOLE) return;
    double value = rv_row_get(row, &rows->scene);
    row->slider = rv_slider_of(f, value != 0 ? value : f->preset, length);
}

// Whether a group's parameters mean something to a solver.
static bool suits(const char *group, rv_solver_kind solver)
{
    bool columns = solver == RV_SOLVER_PIPES || solver == RV_SOLVER_SWE;
    const struct {
        const char *group;
        bool used;
    } groups[] = {{"pipes", columns},
                  {"spray", columns},
                  {"drips", columns},
                  {"swe", solver == RV_SOLVER_SWE},
                  {"splat", solver == RV_SOLVER_SPLAT},
                  {"glass", solver == RV_SOLVER_GLASS},
                  {"surface", solver != RV_SOLVER_GLASS}};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (strcmp(group, groups[i].group) == 0) return groups[i].used;
    return true;
}

// Groups in the order in which the table first names them, each with all of its rows.
void rv_rows_make(rv_panel_rows *rows, const rv_params *scene, rv_solver_kind solver)
{
    const rv_table *table = rv_params_table();
    const rv_params own = *scene; // may be the rows' own
    rows->scene = own;
    rows->count = 0;
    int cells = own.grid_nx > own.grid_ny ? own.grid_nx : own.grid_ny;
    for (int i = 0; i < table->count; i++) {
        char group[24], other[24];
        bool known = false;
        group_of(&table->fields[i], group, sizeof group);
        for (int j = 0; j < i && !known; j++) {
            group_of(&table->fields[j], other, sizeof other);
            known = strcmp(group, other) == 0;
        }
        if (!suits(group, solver)) continue;
        for (int j = i; j < table->count && !known; j++) {
            group_of(&table->fields[j], other, sizeof other);
            if (strcmp(group, other) == 0)
                add_row(rows, &table->fields[j], group, own.grid_dx * cells);
        }
    }
}

static bool has_word(const char *text, const char *word, size_t length)
{
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)text[i]) == tolower((unsigned char)word[i]))
            i++;
        if (i == length) return true;
    }
    return false;
}

bool rv_row_matches(const rv_row *row, const char *search)
{
    for (;;) {
        search += strspn(search, " ");
        size_t length = strcspn(search, " ");
        if (length == 0) return true;
        if (!has_word(row->field->key, search, length) &&
            !has_word(row->field->meaning, search, length))
            return false;
        search += length;
    }
}

double rv_row_get(const rv_row *row, const rv_params *params)
{
    const void *at = (const char *)params + row->field->offset;
    if (row->field->type == RV_REAL) return *(const double *)at;
    if (row->field->type == RV_FLAG) return *(const bool *)at;
    int whole;
    memcpy(&whole, at, sizeof whole); // an enumeration, or an int
    return whole;
}

void rv_row_set(const rv_row *row, rv_params *params, double value)
{
    void *at = (char *)params + row->field->offset;
    int whole = (int)lround(value);
    if (row->field->type == RV_REAL)
        *(double *)at = value;
    else if (row->field->type == RV_FLAG)
        *(bool *)at = value != 0;
    else
        memcpy(at, &whole, sizeof whole);
}

double rv_row_get_part(const rv_row *row, const rv_params *params, int part)
{
    double value[3];
    memcpy(value, (const char *)params + row->field->offset, sizeof value);
    return value[part];
}

void rv_row_set_part(const rv_row *row, rv_params *params, int part, double value)
{
    memcpy((char *)params + row->field->offset + (size_t)part * sizeof value, &value, sizeof value);
}

bool rv_row_same(const rv_row *row, const rv_params *params, const rv_params *other)
{
    if (row->field->type != RV_VECTOR) return rv_row_get(row, params) == rv_row_get(row, other);
    for (int c = 0; c < 3; c++)
        if (rv_row_get_part(row, params, c) != rv_row_get_part(row, other, c)) return false;
    return true;
}

void rv_row_copy(const rv_row *row, rv_params *params, const rv_params *from)
{
    if (row->field->type != RV_VECTOR) rv_row_set(row, params, rv_row_get(row, from));
    for (int c = 0; c < 3 && row->field->type == RV_VECTOR; c++)
        rv_row_set_part(row, params, c, rv_row_get_part(row, from, c));
}

bool rv_word_at(const char *words, int n, char *out, size_t size)
{
    for (; n > 0; n--) {
        words = strchr(words, '|');
        if (!words) return false;
        words++;
    }
    snprintf(out, size, "%.*s", (int)strcspn(words, "|"), words);
    return true;
}

void rv_quantity_text(const char *unit, double value, char *out, size_t size)
{
    // By size: the first whose limit is not passed.
    static const struct {
        const char *unit;
        double below;
        const char *shown;
        double factor;
    } nicer[] = {
        {"m", 1e-3, "um", 1e6},     {"m", 1, "mm", 1e3},
        {"s", 1, "ms", 1e3},        {"rad", 1e9, "deg", 180 / 3.14159265358979},
        {"m2/s", 1e-2, "cSt", 1e6}, {"m3/s", 1e-3, "ml/s", 1e6},
        {"m3", 1e-3, "ml", 1e6},    {"m3/s", 1, "l/s", 1e3},
        {"m3", 1, "l", 1e3},
    };
    for (size_t i = 0; value != 0 && i < sizeof nicer / sizeof *nicer; i++) {
        if (strcmp(unit, nicer[i].unit) != 0 || fabs(value) >= nicer[i].below) continue;
        snprintf(out, size, "%.4g %s", value * nicer[i].factor, nicer[i].shown);
        return;
    }
    bool pure = strcmp(unit, "1") == 0 || unit[0] == '\0';
    snprintf(out, size, "%.4g%s%s", value, pure ? "" : " ", pure ? "" : unit);
}

void rv_row_text(const rv_row *row, const rv_params *params, char *out, size_t size)
{
    if (row->field->type == RV_REAL)
        rv_quantity_text(row->field->unit, rv_row_get(row, params), out, size);
    else
        rv_field_print(row->field, params, out, size);
}

// One field of a definition: read from text with units, written as text, checked against its range.
#include "params/nearest.h"
#include "params/number.h"
#include "params/units.h"
#include "rivulet/params.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
    const rv_field_info *field;
    const char *text; // all of it, for messages
    char *why;
    size_t why_size;
} reader;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
fail(const reader *r, const char *format, ...)
{
    if (!r->why || r->why_size == 0) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->why, r->why_size, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_spaces(const char *c)
{
    while (is_space(*c)) c++;
    return c;
}

// The length of the unit at c: up to the next space, comma or bracket.
static size_t unit_length(const char *c)
{
    size_t n = 0;
    while (c[n] && !is_space(c[n]) && c[n] != ',' && c[n] != ']') n++;
    return n;
}

static bool convert(const reader *r, const char *unit, size_t length, double *value)
{
    if (rv_unit_convert(r->field->unit, unit, length, value)) return true;
    char choices[128];
    rv_unit_choices(r->field->unit, choices, sizeof choices);
    int shown = length > 20 ? 20 : (int)length;
    if (!choices[0]) return fail(r, "'%.60s': no unit is expected here", r->text);
    return fail(r, "'%.60s': the unit '%.*s' does not fit, expected %s", r->text, shown, unit,
                choices);
}

static bool fail_number(const reader *r, rv_number_kind kind)
{
    if (kind == RV_NUMBER_INFINITE) return fail(r, "'%.60s': must be a finite number", r->text);
    if (!*skip_spaces(r->text)) return fail(r, "a value is missing");
    return fail(r, "'%.60s' is not a number", r->text);
}

void rv_field_range(const rv_field_info *field, int component, double *low, double *high)
{
    if (!low || !high) return;
    *low = field ? field->low : 0, *high = field ? field->high : 0;
    if (!field || !field->down) return;
    *low = -field->high;
    if (component == 2) *high = 0.0 - field->low;
}

static bool within(const reader *r, const char *name, double value, double least, double most)
{
    if (value >= least && value <= most) return true;
    char text[32], low[32], high[32];
    rv_number_write(value, text, sizeof text);
    rv_number_write(least, low, sizeof low);
    rv_number_write(most, high, sizeof high);
    const char *unit = strcmp(r->field->unit, "1") == 0 ? "" : r->field->unit;
    return fail(r, "%s%s is out of range, must be %s to %s%s%s", name, text, low, high,
                *unit ? " " : "", unit);
}

static bool in_range(const reader *r, double value)
{
    return within(r, "", value, r->field->low, r->field->high);
}

// A component of a vector; that of a downward one is named, as they have ranges of their own.
static bool component_in_range(const reader *r, int component, double value)
{
    static const char *const names[3] = {"x ", "y ", "z "};
    double low, high;
    rv_field_range(r->field, component, &low, &high);
    return within(r, r->field->down ? names[component] : "", value, low, high);
}

static bool read_number(const reader *r, const char *text, double *out)
{
    const char *c = skip_spaces(text), *end;
    double value = 0;
    rv_number_kind kind = rv_number_read(c, &value, &end);
    if (kind != RV_NUMBER_OK) return fail_number(r, kind);
    c = skip_spaces(end);
    size_t length = unit_length(c);
    if (*skip_spaces(c + length)) return fail(r, "'%.60s' is not a single number", r->text);
    if (length > 0) {
        bool letter = *c == '%' || strncmp(c, "1/", 2) == 0 || (unsigned char)*c >= 'A';
        if (!letter) return fail(r, "'%.60s' is not a number", r->text);
        if (!convert(r, c, length, &value)) return false;
    }
    *out = value;
    return in_range(r, value);
}

static bool read_whole(const reader *r, int *out)
{
    double value = 0;
    if (!read_number(r, r->text, &value)) return false;
    if (value != floor(value)) return fail(r, "'%.60s' is not a whole number", r->text);
    *out = (int)value;
    return true;
}

static bool equals(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

// Trims spaces; the text between.
static const char *trimmed(const char *text, size_t *length)
{
    const char *start = skip_spaces(text);
    size_t n = strlen(start);
    while (n > 0 && is_space(start[n - 1])) n--;
    *length = n;
    return start;
}

static bool read_flag(const reader *r, bool *out)
{
    static const char *const yes[] = {"true", "on", "yes"}, *const no[] = {"false", "off", "no"};
    size_t length;
    const char *text = trimmed(r->text, &length);
    for (int i = 0; i < 3; i++) {
        if (!equals(text, length, yes[i]) && !equals(text, length, no[i])) continue;
        *out = equals(text, length, yes[i]);
        return true;
    }
    if (length == 0) return fail(r, "a value is missing, expected true or false");
    return fail(r, "'%.60s' is neither true nor false", r->text);
}

// "wet|cell" → "wet, cell".
static void list_words(const char *words, char *out, size_t out_size)
{
    size_t used = 0;
    for (; *words && used + 3 < out_size; words++) {
        out[used++] = *words == '|' ? ',' : *words;
        if (*words == '|') out[used++] = ' ';
    }
    out[used] = '\0';
}

static bool fail_word(const reader *r, const char *text, size_t length)
{
    const char *nearest = NULL;
    size_t nearest_length = 0;
    int best = rv_edit_limit(length) + 1;
    for (const char *word = r->field->words; *word;) {
        size_t n = strcspn(word, "|");
        int d = rv_edit_distance(text, length, word, n);
        if (d < best) best = d, nearest = word, nearest_length = n;
        word += n + (word[n] == '|');
    }
    char list[160];
    list_words(r->field->words, list, sizeof list);
    if (length == 0) return fail(r, "a value is missing, expected one of %s", list);
    if (!nearest) return fail(r, "'%.60s' is not one of %s", r->text, list);
    return fail(r, "'%.60s' is not one of %s; did you mean '%.*s'?", r->text, list,
                (int)nearest_length, nearest);
}

static bool read_word(const reader *r, int *out)
{
    size_t length;
    const char *text = trimmed(r->text, &length);
    int index = 0;
    for (const char *word = r->field->words; *word; index++) {
        size_t n = strcspn(word, "|");
        if (n == length && memcmp(word, text, n) == 0) {
            *out = index;
            return true;
        }
        word += n + (word[n] == '|');
    }
    return fail_word(r, text, length);
}

// Where the text of a vector stands while its components are read.
typedef struct vector_state {
    const char *at;
    double value[3];
    const char *unit[3]; // NULL: none written
    size_t length[3];
    bool bracket;
} vector_state;

static bool read_component(const reader *r, vector_state *v, int i)
{
    const char *end;
    v->at = skip_spaces(v->at);
    rv_number_kind kind = rv_number_read(v->at, &v->value[i], &end);
    if (kind == RV_NUMBER_INFINITE) return fail_number(r, kind);
    if (kind != RV_NUMBER_OK) return fail(r, "'%.60s' is not three numbers \"x y z\"", r->text);
    v->at = skip_spaces(end);
    v->unit[i] = NULL;
    unsigned char c = (unsigned char)*v->at;
    bool letter = (c >= 'A' && c != ']' && c != '[') || c == '%';
    if (letter) {
        v->unit[i] = v->at;
        v->length[i] = unit_length(v->at);
        v->at = skip_spaces(v->at + v->length[i]);
    } else if (v->at == end && *v->at && *v->at != ',' && *v->at != ']') {
        return fail(r, "'%.60s' is not three numbers \"x y z\"", r->text);
    }
    if (i < 2 && *v->at == ',') v->at++;
    return true;
}

// "x y z", "[x, y, z]", with a unit for each, or one at the end for all: "1 2 3 mm", "[1, 2, 3]
// mm".
static bool read_vector(const reader *r, rv_vec3 *out)
{
    vector_state v = {.at = skip_spaces(r->text)};
    if (!*v.at) return fail(r, "a value is missing, expected three numbers \"x y z\"");
    v.bracket = *v.at == '[';
    if (v.bracket) v.at++;
    for (int i = 0; i < 3; i++)
        if (!read_component(r, &v, i)) return false;
    const char *all = NULL;
    size_t all_length = 0;
    if (v.bracket) {
        if (*v.at != ']') return fail(r, "'%.60s' is not three numbers \"[x, y, z]\"", r->text);
        v.at = skip_spaces(v.at + 1);
        all_length = unit_length(v.at);
        if (all_length > 0) all = v.at;
        v.at = skip_spaces(v.at + all_length);
    } else if (v.unit[2] && !v.unit[0] && !v.unit[1]) {
        all = v.unit[2], all_length = v.length[2];
        v.unit[2] = NULL;
    }
    if (*v.at) return fail(r, "'%.60s' is not three numbers \"x y z\"", r->text);

    bool some = v.unit[0] || v.unit[1] || v.unit[2];
    if (some && all) return fail(r, "'%.60s': units for each number and for all", r->text);
    for (int i = 0; i < 3; i++) {
        const char *unit = all ? all : v.unit[i];
        size_t length = all ? all_length : v.length[i];
        if (some && !unit && v.value[i] != 0)
            return fail(r, "'%.60s': a unit is missing for one of the numbers", r->text);
        if (unit && !convert(r, unit, length, &v.value[i])) return false;
        if (!component_in_range(r, i, v.value[i])) return false;
    }
    *out = (rv_vec3){v.value[0], v.value[1], v.value[2]};
    return true;
}

// Whether a text is meant as several numbers, not as one with its unit.
static bool is_several(const char *text)
{
    const char *c = skip_spaces(text), *end;
    double value;
    if (*c == '[') return true;
    if (rv_number_read(c, &value, &end) == RV_NUMBER_NONE) return false;
    c = skip_spaces(end);
    if (*c == ',') return true;
    // after a unit there may be another number: "0 m/s2 1 m/s2 -9 m/s2"
    if ((unsigned char)*c >= 'A') c = skip_spaces(c + unit_length(c));
    if (*c == ',') return true;
    return *c && c > end && rv_number_read(c, &value, &end) != RV_NUMBER_NONE;
}

// "9.81", downward, or "x y z".
static bool read_down(const reader *r, rv_vec3 *out)
{
    double number = 0;
    if (is_several(r->text)) return read_vector(r, out);
    if (!read_number(r, r->text, &number)) return false;
    *out = (rv_vec3){0, 0, 0.0 - number};
    return true;
}

bool rv_field_parse(const rv_field_info *field, const char *text, void *object, char *why,
                    size_t why_size)
{
    reader r = {field, text, why, why_size};
    if (!field || !text || !object) return fail(&r, "nothing to read");
    char *to = (char *)object + field->offset;
    double real = 0;
    int whole = 0;
    bool flag = false;
    rv_vec3 vector = {0, 0, 0};
    switch (field->type) {
    case RV_REAL:
        if (!read_number(&r, text, &real)) return false;
        memcpy(to, &real, sizeof real);
        return true;
    case RV_WHOLE:
        if (!read_whole(&r, &whole)) return false;
        memcpy(to, &whole, sizeof whole);
        return true;
    case RV_WORD:
        if (!read_word(&r, &whole)) return false;
        memcpy(to, &whole, sizeof whole);
        return true;
    case RV_FLAG:
        if (!read_flag(&r, &flag)) return false;
        memcpy(to, &flag, sizeof flag);
        return true;
    case RV_VECTOR:
        if (!(field->down ? read_down : read_vector)(&r, &vector)) return false;
        memcpy(to, &vector, sizeof vector);
        return true;
    }
    return fail(&r, "unknown type of field");
}

// The index-th word; NULL when there are fewer.
static const char *word_at(const char *words, int index, int *length)
{
    for (; index >= 0 && *words; index--) {
        size_t n = strcspn(words, "|");
        if (index == 0) {
            *length = (int)n;
            return words;
        }
        words += n + (words[n] == '|');
    }
    return NULL;
}

void rv_field_print(const rv_field_info *field, const void *object, char *out, size_t out_size)
{
    if (!out || out_size == 0) return;
    out[0] = '\0';
    if (!field || !object) return;
    const char *from = (const char *)object + field->offset;
    double real[3];
    int whole, length = 0;
    char text[3][32];
    switch (field->type) {
    case RV_REAL:
        memcpy(real, from, sizeof real[0]);
        rv_number_write(real[0], out, out_size);
        break;
    case RV_WHOLE:
        memcpy(&whole, from, sizeof whole);
        snprintf(out, out_size, "%d", whole);
        break;
    case RV_WORD: {
        memcpy(&whole, from, sizeof whole);
        const char *word = word_at(field->words, whole, &length);
        snprintf(out, out_size, "%.*s", word ? length : 1, word ? word : "?");
        break;
    }
    case RV_FLAG:
        snprintf(out, out_size, "%s", *(const unsigned char *)from ? "true" : "false");
        break;
    case RV_VECTOR:
        memcpy(real, from, sizeof real);
        if (field->down && real[0] == 0 && real[1] == 0) {
            rv_number_write(0.0 - real[2], out, out_size);
            break;
        }
        for (int i = 0; i < 3; i++) rv_number_write(real[i], text[i], sizeof text[i]);
        snprintf(out, out_size, "[%s, %s, %s]", text[0], text[1], text[2]);
        break;
    }
}

// Why a field's value cannot stand, or true.
static bool check_field(const rv_field_info *field, const char *from, char *why, size_t why_size)
{
    reader r = {field, "", why, why_size};
    double real[3] = {0, 0, 0};
    int whole, length, count = 1;
    switch (field->type) {
    case RV_FLAG:
        if (*(const unsigned char *)from <= 1) return true;
        return fail(&r, "is neither true nor false");
    case RV_WORD:
        memcpy(&whole, from, sizeof whole);
        if (whole >= 0 && word_at(field->words, whole, &length)) return true;
        return fail(&r, "%d is not one of its words", whole);
    case RV_WHOLE:
        memcpy(&whole, from, sizeof whole);
        real[0] = whole;
        break;
    case RV_REAL:
        memcpy(real, from, sizeof real[0]);
        break;
    case RV_VECTOR:
        memcpy(real, from, sizeof real);
        count = 3;
        break;
    }
    for (int i = 0; i < count; i++) {
        if (!isfinite(real[i])) return fail(&r, "must be a finite number");
        bool good = count == 3 ? component_in_range(&r, i, real[i]) : in_range(&r, real[i]);
        if (!good) return false;
    }
    return true;
}

bool rv_field_same(const rv_field_info *field, const void *a, const void *b)
{
    if (!field || !a || !b) return a == b;
    const char *left = (const char *)a + field->offset, *right = (const char *)b + field->offset;
    switch (field->type) {
    case RV_REAL:
        return *(const double *)(const void *)left == *(const double *)(const void *)right;
    case RV_FLAG:
        return *(const bool *)left == *(const bool *)right;
    case RV_VECTOR:
        return memcmp(left, right, sizeof(rv_vec3)) == 0;
    default:
        return memcmp(left, right, sizeof(int)) == 0;
    }
}

bool rv_table_check(const rv_table *table, const void *object, const char *where,
                    rv_messages *messages)
{
    if (!table || !object) return false;
    bool good = true;
    bool named = where && *where;
    for (int i = 0; i < table->count; i++) {
        const rv_field_info *field = &table->fields[i];
        char why[256];
        if (check_field(field, (const char *)object + field->offset, why, sizeof why)) continue;
        good = false;
        rv_messages_add(messages, "%s%s%s: %s", named ? where : "", named ? "." : "", field->key,
                        why);
    }
    return good;
}

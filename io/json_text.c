// JSON as a tree over its text: strict (RFC 8259), depth and number of values limited.
#include "io/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define VALUES_MAX 20000000u

typedef struct json_parser {
    rv_json *json;
    uint32_t room;
    char *at;
    const char *end;
    const char *why; // NULL: no problem yet
} json_parser;

static void skip_blanks(json_parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') p->at++;
}

static uint32_t add_value(json_parser *p, rv_json_kind kind)
{
    rv_json *json = p->json;
    if (json->count >= VALUES_MAX) {
        p->why = "too many values";
        return 0;
    }
    if (json->count == p->room) {
        uint32_t room = p->room ? 2 * p->room : 256;
        rv_json_value *more = realloc(json->values, room * sizeof *more);
        if (!more) {
            p->why = "not enough memory";
            return 0;
        }
        json->values = more, p->room = room;
    }
    json->values[json->count] = (rv_json_value){.kind = kind, .number = NAN};
    return json->count++;
}

// The four digits of \u, or -1.
static int hex4(const char *c)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *at = c[i] ? strchr(digits, c[i]) : NULL;
        if (!at) return -1;
        value = value * 16 + (int)(at - digits) % 16;
    }
    return value;
}

// Characters that an escape takes; c stands on its backslash. 0: it is none.
static size_t escape_length(const char *c)
{
    if (c[1] && strchr("\"\\/bfnrt", c[1])) return 2;
    int first = c[1] == 'u' ? hex4(c + 2) : -1;
    if (first < 0 || (first >= 0xdc00 && first < 0xe000)) return 0;
    if (first < 0xd800 || first >= 0xe000) return 6;
    int second = c[6] == '\\' && c[7] == 'u' ? hex4(c + 8) : -1;
    return second >= 0xdc00 && second < 0xe000 ? 12 : 0;
}

// A string's inside; at stands on its first quote, and moves behind the last.
static bool read_string(json_parser *p, char **text, size_t *length)
{
    char *c = ++p->at;
    while (*c != '"') {
        size_t step = *c == '\\' ? escape_length(c) : 1;
        if ((unsigned char)*c < 0x20 || step == 0) {
            p->why = step == 0 ? "a string has a wrong escape" : "a string does not end";
            return false;
        }
        c += step;
    }
    *text = p->at, *length = (size_t)(c - p->at);
    p->at = c + 1;
    return true;
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

// The end of a number in JSON's own grammar, or NULL.
static char *number_end(char *c)
{
    if (*c == '-') c++;
    if (!digit(*c) || (*c == '0' && digit(c[1]))) return NULL;
    while (digit(*c)) c++;
    if (*c == '.') {
        if (!digit(*++c)) return NULL;
        while (digit(*c)) c++;
    }
    if (*c == 'e' || *c == 'E') {
        c++;
        if (*c == '+' || *c == '-') c++;
        if (!digit(*c)) return NULL;
        while (digit(*c)) c++;
    }
    return c;
}

static void read_scalar(json_parser *p, uint32_t index)
{
    rv_json_value *v = &p->json->values[index];
    if (*p->at == '"') {
        v->kind = RV_JSON_STRING;
        read_string(p, &v->text, &v->length);
        return;
    }
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++)
        if (strncmp(p->at, words[i], strlen(words[i])) == 0) {
            p->at += strlen(words[i]);
            return;
        }
    char *end = number_end(p->at);
    if (!end) {
        p->why = "not a value";
        return;
    }
    v->kind = RV_JSON_NUMBER, v->text = p->at, v->length = (size_t)(end - p->at);
    v->number = strtod(p->at, NULL);
    if (!isfinite(v->number)) p->why = "a number is too large";
    p->at = end;
}

// Reads `"key":` of an object's member.
static bool read_key(json_parser *p, char **name, size_t *length)
{
    if (*p->at != '"') {
        p->why = "a key is missing";
        return false;
    }
    if (!read_string(p, name, length)) return false;
    skip_blanks(p);
    if (*p->at != ':' || *length > UINT32_MAX) {
        p->why = "a colon is missing";
        return false;
    }
    p->at++;
    skip_blanks(p);
    return true;
}

static uint32_t read_value(json_parser *p, int depth);

// Children of an object or array; at stands behind the opening bracket.
static void read_children(json_parser *p, uint32_t parent, int depth)
{
    bool object = p->json->values[parent].kind == RV_JSON_OBJECT;
    char close = object ? '}' : ']';
    uint32_t last = 0;
    skip_blanks(p);
    while (*p->at != close || last) {
        char *name = NULL;
        size_t length = 0;
        if (object && !read_key(p, &name, &length)) return;
        uint32_t child = read_value(p, depth + 1);
        if (p->why) return;
        rv_json_value *values = p->json->values; // may have moved
        values[child].name = name, values[child].name_length = (uint32_t)length;
        values[parent].count++;
        if (last)
            values[last].next = child;
        else
            values[parent].first = child;
        last = child;
        skip_blanks(p);
        if (*p->at == close) break;
        if (*p->at != ',') {
            p->why = p->at >= p->end ? "it ends too early" : "a comma is missing";
            return;
        }
        p->at++;
        skip_blanks(p);
    }
    p->at++;
}

static uint32_t read_value(json_parser *p, int depth)
{
    skip_blanks(p);
    if (depth > DEPTH_MAX) p->why = "nested too deeply";
    if (p->at >= p->end) p->why = "it ends too early";
    if (p->why) return 0;
    bool object = *p->at == '{', array = *p->at == '[';
    uint32_t index = add_value(p, object ? RV_JSON_OBJECT : array ? RV_JSON_ARRAY : RV_JSON_OTHER);
    if (p->why) return 0;
    if (object || array) {
        p->at++;
        read_children(p, index, depth);
    } else {
        read_scalar(p, index);
    }
    return index;
}

bool rv_json_read(rv_json *json, char *text, size_t size, const char **why)
{
    *json = (rv_json){0};
    json_parser p = {json, 0, text, text + size, NULL};
    add_value(&p, RV_JSON_OTHER); // [0]
    if (!p.why) read_value(&p, 0);
    skip_blanks(&p);
    if (!p.why && p.at != p.end) p.why = "something follows its end";
    *why = p.why;
    if (p.why) rv_json_free(json);
    return !p.why;
}

void rv_json_free(rv_json *json)
{
    free(json->values);
    *json = (rv_json){0};
}

bool rv_json_name_is(const rv_json_value *value, const char *name)
{
    return value->name && strlen(name) == value->name_length &&
           memcmp(value->name, name, value->name_length) == 0;
}

bool rv_json_text_is(const rv_json_value *value, const char *text)
{
    return value->kind == RV_JSON_STRING && strlen(text) == value->length &&
           memcmp(value->text, text, value->length) == 0;
}

uint32_t rv_json_get(const rv_json *json, uint32_t parent, const char *key)
{
    if (!parent || json->values[parent].kind != RV_JSON_OBJECT) return 0;
    for (uint32_t i = json->values[parent].first; i; i = json->values[i].next)
        if (rv_json_name_is(&json->values[i], key)) return i;
    return 0;
}

double rv_json_number(const rv_json *json, uint32_t parent, const char *key, double otherwise)
{
    uint32_t child = rv_json_get(json, parent, key);
    return child ? json->values[child].number : otherwise;
}

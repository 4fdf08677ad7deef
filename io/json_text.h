// JSON as a tree over its text, for checking a file before others read it. Not for other folders.
//
// Strings are not decoded: a name with a backslash equals no other.
#ifndef IO_JSON_TEXT_H
#define IO_JSON_TEXT_H

#include "rivulet/base.h"

typedef enum rv_json_kind {
    RV_JSON_OBJECT,
    RV_JSON_ARRAY,
    RV_JSON_STRING,
    RV_JSON_NUMBER,
    RV_JSON_OTHER // true, false, null
} rv_json_kind;

typedef struct rv_json_value {
    rv_json_kind kind;
    uint32_t first, next; // first child, next brother; 0: none
    uint32_t count;       // children
    char *name;           // in an object: its key, within the text, not terminated
    uint32_t name_length;
    char *text; // of a string or number, within the text, not terminated
    size_t length;
    double number;
} rv_json_value;

typedef struct rv_json {
    rv_json_value *values; // values[1] is the root; [0] stands for "none"
    uint32_t count;
} rv_json;

// Reads a text; a zero byte must follow its end. false: *why says why, and nothing is held.
bool rv_json_read(rv_json *json, char *text, size_t size, const char **why);
void rv_json_free(rv_json *json);

// A child by its key, or 0. `parent` may be 0.
uint32_t rv_json_get(const rv_json *json, uint32_t parent, const char *key);
// A child's number, `otherwise` when there is no such child. NAN when it is no number.
double rv_json_number(const rv_json *json, uint32_t parent, const char *key, double otherwise);
bool rv_json_name_is(const rv_json_value *value, const char *name);
bool rv_json_text_is(const rv_json_value *value, const char *text);

#endif

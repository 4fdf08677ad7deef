// A text that grows, and JSON in it: what the page asks for goes back in one.
#ifndef WEB_TEXT_H
#define WEB_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct rv_text {
    char *bytes; // zero-terminated once something was added
    size_t used, room;
    bool failed; // without memory: the text is cut
} rv_text;

void rv_text_clear(rv_text *text);
void rv_text_free(rv_text *text);
const char *rv_text_get(const rv_text *text); // never NULL
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void rv_text_add(rv_text *text, const char *format, ...);

// Members of an object; commas are set between them. A NULL name: an item of a list.
void rv_json_open(rv_text *text, const char *name, char bracket); // '{' or '['
void rv_json_close(rv_text *text, char bracket);
void rv_json_string(rv_text *text, const char *name, const char *value);
void rv_json_real(rv_text *text, const char *name, double value); // null when it is not finite
void rv_json_whole(rv_text *text, const char *name, long long value);
void rv_json_flag(rv_text *text, const char *name, bool value);

#endif

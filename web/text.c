// Text that grows, and JSON in it.
#include "web/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rv_text_clear(rv_text *t)
{
    t->used = 0, t->failed = false;
    if (t->bytes) t->bytes[0] = '\0';
}

void rv_text_free(rv_text *t)
{
    free(t->bytes);
    *t = (rv_text){0};
}

const char *rv_text_get(const rv_text *t)
{
    return t->bytes ? t->bytes : "";
}

static bool make_room(rv_text *t, size_t more)
{
    if (t->used + more + 1 <= t->room) return true;
    size_t room = 2 * (t->used + more + 1);
    char *grown = realloc(t->bytes, room);
    if (!grown) {
        t->failed = true;
        return false;
    }
    t->bytes = grown, t->room = room;
    return true;
}

void rv_text_add(rv_text *t, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length > 0 && make_room(t, (size_t)length)) {
        vsnprintf(t->bytes + t->used, (size_t)length + 1, format, again);
        t->used += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

static void quoted(rv_text *t, const char *value)
{
    rv_text_add(t, "\"");
    for (const char *c = value; *c;) {
        size_t plain = 0;
        while (c[plain] && c[plain] != '"' && c[plain] != '\\' && (unsigned char)c[plain] >= 0x20)
            plain++;
        if (plain) rv_text_add(t, "%.*s", (int)plain, c);
        c += plain;
        if (*c == '"' || *c == '\\')
            rv_text_add(t, "\\%c", *c++);
        else if (*c)
            rv_text_add(t, "\\u%04x", (unsigned)(unsigned char)*c++);
    }
    rv_text_add(t, "\"");
}

static void begin(rv_text *t, const char *name)
{
    char last = t->used ? t->bytes[t->used - 1] : '[';
    if (last != '{' && last != '[') rv_text_add(t, ",");
    if (!name) return;
    quoted(t, name);
    rv_text_add(t, ":");
}

void rv_json_open(rv_text *t, const char *name, char bracket)
{
    begin(t, name);
    rv_text_add(t, "%c", bracket);
}

void rv_json_close(rv_text *t, char bracket)
{
    rv_text_add(t, "%c", bracket);
}

void rv_json_string(rv_text *t, const char *name, const char *value)
{
    begin(t, name);
    quoted(t, value ? value : "");
}

void rv_json_real(rv_text *t, const char *name, double value)
{
    begin(t, name);
    if (isfinite(value))
        rv_text_add(t, "%.9g", value);
    else
        rv_text_add(t, "null");
}

void rv_json_whole(rv_text *t, const char *name, long long value)
{
    begin(t, name);
    rv_text_add(t, "%lld", value);
}

void rv_json_flag(rv_text *t, const char *name, bool value)
{
    begin(t, name);
    rv_text_add(t, value ? "true" : "false");
}

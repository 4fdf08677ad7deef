// Texts for results, the version, and the list of problems that a check leaves behind.
#include "rivulet/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES 1024

#define TEXT_OF(x) #x
#define VERSION_TEXT(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

const char *rv_version(void)
{
    return VERSION_TEXT(RV_VERSION_MAJOR, RV_VERSION_MINOR, RV_VERSION_PATCH);
}

const char *rv_result_text(rv_result result)
{
    switch (result) {
    case RV_OK:
        return "no error";
    case RV_BAD_ARGUMENT:
        return "an argument or definition is out of range";
    case RV_OUT_OF_MEMORY:
        return "not enough memory";
    case RV_BAD_DATA:
        return "a file or data is missing, damaged, or does not fit this world";
    case RV_DEVICE_LOST:
        return "the graphics card failed";
    case RV_RANK_LOST:
        return "another process that shares the world is gone";
    }
    return "unknown result";
}

void rv_messages_add(rv_messages *messages, const char *format, ...)
{
    if (!messages || !format) return;
    char line[LINE_MAX_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0) line[0] = '\0';
    // A value that is quoted from a file must not break the rule of one line per problem.
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';

    messages->count++;
    if (messages->used >= sizeof messages->text) return; // damaged by the host: count only
    size_t bytes = strlen(line), separator = messages->used > 0 ? 1 : 0;
    if (messages->used + separator + bytes + 1 > sizeof messages->text) return;
    if (separator) messages->text[messages->used++] = '\n';
    memcpy(messages->text + messages->used, line, bytes + 1);
    messages->used += bytes;
}

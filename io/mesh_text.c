// Numbers in text files, read strictly: what passes here is read the same by everyone.
#include "io/mesh_read.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_LENGTH_MAX 200

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

static bool ends_word(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

bool rv_text_real(const char **at, double *out)
{
    const char *start = skip_blanks(*at);
    // strtod alone would also take "0x1p3", "nan" and "infinity"
    size_t length = strspn(start, "+-.0123456789eE");
    if (length == 0 || length > NUMBER_LENGTH_MAX || !ends_word(start[length])) return false;
    char *end;
    *out = strtod(start, &end);
    if (end != start + length || !(fabs(*out) <= (double)FLT_MAX)) return false;
    *at = end;
    return true;
}

bool rv_text_whole(const char **at, int64_t *out)
{
    const char *c = skip_blanks(*at);
    bool negative = *c == '-';
    if (*c == '-' || *c == '+') c++;
    if (*c < '0' || *c > '9') return false;
    int64_t value = 0;
    for (; *c >= '0' && *c <= '9'; c++) {
        value = value * 10 + (*c - '0');
        if (value > 1000000000000000) return false;
    }
    *out = negative ? -value : value;
    *at = c;
    return true;
}

bool rv_text_line_ends(const char *at)
{
    at = skip_blanks(at);
    return *at == '\n' || *at == '\r' || *at == '\0';
}

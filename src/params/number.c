// Numbers as text, the same in every locale: strtod and printf do the exact conversion, but only
// ever see the decimal point that the host's locale wants.
#include "params/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 256

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *c)
{
    while (is_digit(*c)) c++;
    return c;
}

// The locale's decimal point: what printf puts between the 0 and the 5 of one half.
static void decimal_point(char out[8])
{
    char half[16];
    int length = snprintf(half, sizeof half, "%.1f", 0.5);
    size_t bytes = length > 2 ? (size_t)length - 2 : 1;
    if (bytes > 7) bytes = 7;
    memcpy(out, half + 1, bytes);
    out[bytes] = '\0';
}

static bool starts_with_word(const char *text, const char *word)
{
    for (; *word; text++, word++) {
        char c = *text;
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        if (c != *word) return false;
    }
    return true;
}

// Where a number ends: digits with at most one point and an exponent; text itself when there is
// none.
static const char *number_end(const char *text)
{
    const char *c = text;
    if (*c == '+' || *c == '-') c++;
    const char *whole = c;
    c = skip_digits(c);
    bool digits = c > whole;
    if (*c == '.') {
        const char *fraction = c + 1;
        c = skip_digits(fraction);
        digits = digits || c > fraction;
    }
    if (!digits) return text;
    if (*c == 'e' || *c == 'E') {
        const char *exponent = c + 1;
        if (*exponent == '+' || *exponent == '-') exponent++;
        if (is_digit(*exponent)) c = skip_digits(exponent);
    }
    return c;
}

rv_number_kind rv_number_read(const char *text, double *out, const char **end)
{
    *end = text;
    const char *unsigned_text = text + (*text == '+' || *text == '-' || *text == '.');
    if (*unsigned_text == '.') unsigned_text++; // YAML writes "-.inf"
    if (starts_with_word(unsigned_text, "inf") || starts_with_word(unsigned_text, "nan"))
        return RV_NUMBER_INFINITE;
    const char *stop = number_end(text);
    size_t length = (size_t)(stop - text);
    if (length == 0 || length > DIGITS_MAX) return RV_NUMBER_NONE;

    char point[8], local[DIGITS_MAX + 8], *to = local;
    decimal_point(point);
    for (const char *c = text; c < stop; c++) {
        if (*c != '.') {
            *to++ = *c;
            continue;
        }
        memcpy(to, point, strlen(point));
        to += strlen(point);
    }
    *to = '\0';
    double value = strtod(local, NULL);
    *end = stop;
    if (!isfinite(value)) return RV_NUMBER_INFINITE;
    *out = value;
    return RV_NUMBER_OK;
}

// "1.5,e+07" as printf wrote it → "1.5e7": a plain point, no plus, no zeros before the exponent.
static void tidy(char *text)
{
    char point[8];
    decimal_point(point);
    char *at = strcmp(point, ".") != 0 ? strstr(text, point) : NULL;
    if (at) {
        *at = '.';
        memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
    }
    char *exponent = strchr(text, 'e');
    if (!exponent) return;
    char *from = exponent + 1, *to = exponent + 1;
    if (*from == '-') to++;
    if (*from == '-' || *from == '+') from++;
    while (*from == '0' && from[1]) from++;
    memmove(to, from, strlen(from) + 1);
}

void rv_number_write(double value, char *out, size_t out_size)
{
    if (out_size == 0) return;
    char text[48] = "";
    if (!isfinite(value)) {
        snprintf(text, sizeof text, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    } else {
        int digits = 1;
        for (; digits < 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, value);
            if (strtod(text, NULL) == value) break;
        }
        if (fabs(value) >= 1 && fabs(value) < 1e6 && digits < 6) digits = 6; // 1000, not 1e3
        snprintf(text, sizeof text, "%.*g", digits, value);
        tidy(text);
    }
    snprintf(out, out_size, "%s", text);
}

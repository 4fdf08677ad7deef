// Numbers as text, the same in every locale.
#ifndef RV_PARAMS_NUMBER_H
#define RV_PARAMS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum rv_number_kind {
    RV_NUMBER_OK,
    RV_NUMBER_NONE,     // text does not start with a number
    RV_NUMBER_INFINITE, // "inf", "nan" or beyond the range of a double
} rv_number_kind;

// Reads a decimal number at the start of text. *end is set after it (to text when there is none).
rv_number_kind rv_number_read(const char *text, double *out, const char **end);

// The shortest decimal text that reads back as exactly this value. out_size of 32 is always enough.
void rv_number_write(double value, char *out, size_t out_size);

#endif

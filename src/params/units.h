// Units that numbers may carry, by the unit of the field they are meant for.
#ifndef RV_PARAMS_UNITS_H
#define RV_PARAMS_UNITS_H

#include <stdbool.h>
#include <stddef.h>

// Converts a value in `unit` (length bytes of text) to the field's unit. false: not of its kind.
bool rv_unit_convert(const char *field_unit, const char *unit, size_t length, double *value);

// "m, mm, cm, um or km": what may be written for a field of this unit; "" when only plain numbers
// may.
void rv_unit_choices(const char *field_unit, char *out, size_t out_size);

#endif

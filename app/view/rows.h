// The parameters as rows of the panel: grouped by prefix, each with a slider that suits its range.
#ifndef APP_VIEW_ROWS_H
#define APP_VIEW_ROWS_H

#include "rivulet/rivulet.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RV_ROWS_MAX 512

// From the place of a slider, 0 to 1, to a value and back.
typedef struct rv_slider {
    double low, high;
    bool logarithmic;
    bool zero; // the lowest place of a logarithmic one is 0 itself
} rv_slider;

// `typical`: a value that is sensible, in whose neighbourhood the slider of a wide range lies.
rv_slider rv_slider_of(const rv_field_info *field, double typical, double length);
double rv_slider_value(const rv_slider *slider, double place);
double rv_slider_place(const rv_slider *slider, double value);

typedef struct rv_row {
    const rv_field_info *field;
    char group[24];    // "pipes"; "general" for keys without a prefix
    const char *label; // the key without its prefix
    rv_slider slider;  // of numbers
    rv_slider part[3]; // of the components of vectors
} rv_row;

typedef struct rv_panel_rows {
    rv_row row[RV_ROWS_MAX];
    int count;
    rv_params scene; // the values that the scene came with
} rv_panel_rows;

// The rows that do something with a solver.
void rv_rows_make(rv_panel_rows *rows, const rv_params *scene, rv_solver_kind solver);
// Whether a row has the words of a search (all of them) in its key or meaning.
bool rv_row_matches(const rv_row *row, const char *search);
// Numbers, flags and words alike, as a number.
double rv_row_get(const rv_row *row, const rv_params *params);
void rv_row_set(const rv_row *row, rv_params *params, double value);
// Component 0 to 2 of a vector.
double rv_row_get_part(const rv_row *row, const rv_params *params, int part);
void rv_row_set_part(const rv_row *row, rv_params *params, int part, double value);
// Whether a value is what it is in other parameters; and made so.
bool rv_row_same(const rv_row *row, const rv_params *params, const rv_params *other);
void rv_row_copy(const rv_row *row, rv_params *params, const rv_params *from);
// As a person wants to read it, in a unit that suits it: "2.8 mm". `rv_field_parse` reads it back.
void rv_row_text(const rv_row *row, const rv_params *params, char *out, size_t size);
// A number with its unit, "2.8 mm".
void rv_quantity_text(const char *unit, double value, char *out, size_t size);
// Word number n of "a|b|c"; false: there is none.
bool rv_word_at(const char *words, int n, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif

// What `rivulet inspect` found, and the ways to show it. Used by app/inspect*.c only.
#ifndef APP_INSPECT_H
#define APP_INSPECT_H

#include "io/scene_forms.h"

typedef struct rv_inspection {
    const char *path;
    // Of a file with data; a scene has its forms itself.
    rv_form_data data;
    rv_form_wish wish; // as asked, `origin` at base unless told otherwise
    rv_form *form;
    rv_form_report report;
    // The columns it makes on a grid.
    rv_params params;
    rv_world *world;
    rv_world_info info;
    rv_columns columns;
    uint8_t *counts; // [ny][nx], columns of each cell
    float *tops;     // [ny][nx], m, the highest bed of each cell
    double read_s, form_s, cast_s;
} rv_inspection;

// ---- app/inspect_text.c -------------------------------------------------------------------------

// "12.5 mm": a length as a scene file takes it. Returns out.
const char *rv_length_text(double metres, char *out, size_t size);
// What the file holds; it need not have become a form.
void rv_inspect_print_file(const rv_inspection *found);
// What became of it, what to think of that, and how a scene would use it.
void rv_inspect_print_form(const rv_inspection *found);
void rv_inspect_print_advice(const rv_inspection *found);
void rv_inspect_print_scene(const rv_scene_file *scene);
// The columns: how many cells have how many, memory, time.
void rv_inspect_print_columns(const rv_inspection *found);
// What a world of particles or drops begins with besides; nothing of other worlds.
void rv_inspect_print_particles(const rv_inspection *found);

// ---- app/inspect_map.c --------------------------------------------------------------------------

// The columns of each cell as digits, at most 80 wide, the far side (high y) on top.
void rv_inspect_print_map(const rv_inspection *found);
// The same as a picture, shaded by height, with a legend.
bool rv_inspect_write_image(const rv_inspection *found, const char *path, rv_messages *messages);

#endif

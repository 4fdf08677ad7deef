// From a file and its keys to a form: what scenes and `rivulet inspect` share.
//
//     rv_form_data data;
//     if (rv_form_data_load("part.stl", RV_SHAPE_MESH, &def, &data, &messages))
//         rv_form_data_make(&data, &wanted, &work, &form, &report, &messages);
//     rv_form_data_free(&data);    // the form stays
#ifndef IO_SCENE_FORMS_H
#define IO_SCENE_FORMS_H

#include "io/height_file.h"
#include "io/mesh_file.h"
#include "io/scene_file.h"
#include "io/volume_file.h"

// The contents of one file; of the three only that of its shape.
typedef struct rv_form_data {
    rv_shape shape;
    rv_mesh_file mesh;
    rv_volume_file volume;
    rv_height_file heights;
} rv_form_data;

// How it becomes a form: the keys, and of a height map its size in metres.
typedef struct rv_form_wish {
    rv_form_def def;
    double size_x, size_y;
} rv_form_wish;

// The shape that a file's extension stands for; RV_SHAPE_GROUP: none.
rv_shape rv_form_data_shape(const char *path);

// false: `out` is empty, and messages has one line `FILE: what is wrong`. Free it in either case.
bool rv_form_data_load(const char *path, rv_shape shape, const rv_form_def *def, rv_form_data *out,
                       rv_messages *messages);
void rv_form_data_free(rv_form_data *data);

// The keys with `auto` replaced by what the file says, or by what is usual where it says nothing.
rv_form_def rv_form_data_resolve(const rv_form_data *data, const rv_form_def *def);

// false: messages has lines `KEY: what is wrong`, or without a key where none is to blame.
bool rv_form_data_make(const rv_form_data *data, const rv_form_wish *wish, const rv_form_work *work,
                       rv_form **out, rv_form_report *report, rv_messages *messages);

#endif

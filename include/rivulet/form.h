// rivulet/form.h: solids from data: triangle meshes, volumes and height maps.
//
// A form is made once from arrays in memory and never changes; solids refer to it (rv_solid_def.form, shapes
// mesh, volume and heights), several if need be, in several worlds and threads at once. It must outlive the
// worlds that use it. Reading files is not the library's business: the command does it and hands the arrays
// over.
#ifndef RIVULET_FORM_H
#define RIVULET_FORM_H

#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rv_form rv_form;

typedef enum rv_length_unit {
    RV_UNIT_AUTO, // what the file says; else metres for a mesh, millimetres for a volume
    RV_UNIT_M,
    RV_UNIT_CM,
    RV_UNIT_MM,
    RV_UNIT_UM,
    RV_UNIT_IN,
    RV_UNIT_FT
} rv_length_unit;
#define RV_WORDS_LENGTH_UNIT "auto|m|cm|mm|um|in|ft"

typedef enum rv_up_axis { RV_UP_AUTO, RV_UP_Z, RV_UP_Y, RV_UP_X } rv_up_axis;
#define RV_WORDS_UP_AXIS "auto|z|y|x"

typedef enum rv_origin { RV_ORIGIN_FILE, RV_ORIGIN_MIDDLE, RV_ORIGIN_BASE } rv_origin;
#define RV_WORDS_ORIGIN "file|middle|base"

// How data becomes a form, in this order: unit, up, fit, origin. In scene files these keys stand beside the
// solid's own.
#define RV_FORM_FIELDS(REAL, WHOLE, FLAG, WORD, VECTOR)                                              \
    WORD(unit, "unit", rv_length_unit, RV_UNIT_AUTO, RV_WORDS_LENGTH_UNIT,                           \
         "length that 1 stands for; auto: as the file says, else m for a mesh, mm for a volume")     \
    WORD(up, "up", rv_up_axis, RV_UP_AUTO, RV_WORDS_UP_AXIS,                                         \
         "the data's axis that points up; auto: as the file says, else z")                           \
    VECTOR(fit, "fit", "m", 0, 0, 1e6,                                                               \
           "scale it evenly to the largest size that fits into this box; an edge of 0 does not limit") \
    WORD(origin, "origin", rv_origin, RV_ORIGIN_FILE, RV_WORDS_ORIGIN,                               \
         "which point of it stands at `at`: the file's origin, its middle, or the middle of its underside") \
    REAL(thickness, "thickness", "m", 0, 0, 1e3,                                                     \
         "makes a mesh's faces plates of this thickness; 0: what they enclose is solid")             \
    FLAG(fill_holes, "fill_holes", 1, "close the holes of a mesh with flat patches")                 \
    REAL(threshold, "threshold", "1", 0.5, -1e9, 1e9, "of a volume: values from here on are solid")  \
    WHOLE(label, "label", "1", -1, -1, 2147483647, "of a volume: this value is solid; -1: by threshold") \
    WHOLE(voxels_max, "voxels_max", "1", 268435456, 1, 1073741824,                                   \
          "of a volume: a file of more voxels is refused, before memory is taken for them")          \
    REAL(low, "low", "m", 0, -1e6, 1e6, "of a height map: height of black")                          \
    REAL(high, "high", "m", 0.01, -1e6, 1e6, "of a height map: height of white")

#define RV_FORM_REAL(field, key, unit, def, lo, hi, meaning) double field;
#define RV_FORM_WHOLE(field, key, unit, def, lo, hi, meaning) int field;
#define RV_FORM_FLAG(field, key, def, meaning) bool field;
#define RV_FORM_WORD(field, key, type, def, words, meaning) type field;
#define RV_FORM_VECTOR(field, key, unit, def, lo, hi, meaning) rv_vec3 field;
typedef struct rv_form_def {
    RV_FORM_FIELDS(RV_FORM_REAL, RV_FORM_WHOLE, RV_FORM_FLAG, RV_FORM_WORD, RV_FORM_VECTOR)
} rv_form_def;
#undef RV_FORM_REAL
#undef RV_FORM_WHOLE
#undef RV_FORM_FLAG
#undef RV_FORM_WORD
#undef RV_FORM_VECTOR

RV_API rv_form_def rv_default_form_def(void);
RV_API const rv_table *rv_form_table(void);

// What making a form may use. Zeroed but for the allocator: one thread, no reports.
typedef struct rv_form_work {
    rv_allocator allocator; // kept for the form's life
    rv_pool *pool;          // only while it is made; NULL: one thread
    void (*progress)(double share, void *user); // share done in 0..1, now and then; may be NULL
    void *progress_user;
} rv_form_work;

RV_API rv_form_work rv_default_form_work(void);

// What was found in the data. Counts of what does not apply are 0.
typedef struct rv_form_report {
    rv_vec3 low, high;      // m, its box, as placed by the form's own keys (not the solid's)
    double scale;           // metres per unit of the data, `fit` included
    int64_t triangles;      // as given
    int64_t vertices;       // different places among them
    int64_t degenerate;     // triangles without area, or with an index out of range, left out
    int64_t duplicate;      // triangles given twice, left out
    int64_t flipped;        // triangles turned to agree with their neighbours
    int64_t open_edges;     // edges with one triangle, before filling holes
    int64_t crowded_edges;  // edges with three triangles or more
    int64_t holes, filled;  // closed rings of open edges, and those that were closed with patches
    int64_t pieces;         // parts that hang together by edges
    double area, volume;    // m², m³ enclosed (of an open mesh: a guess)
    bool inside_out;        // it enclosed less than nothing and was turned as a whole
    bool closed;            // no open edges are left
    int64_t voxels, solid;  // of a volume: all, and those that are solid
    double least, most;     // of a volume's or height map's values
} rv_form_report;

// Any triangles. Places that are not finite are an error.
typedef struct rv_triangles {
    const float *positions; // x, y, z of each vertex, in the data's unit
    size_t vertex_count;
    const uint32_t *indices; // three per triangle; NULL: vertices 0 1 2, 3 4 5, …
    size_t triangle_count;
} rv_triangles;

// Values on a regular lattice, trilinear between voxel centres, not solid outside it.
typedef struct rv_volume {
    int nx, ny, nz;
    const float *values; // [nz][ny][nx]; NaN counts as not solid
    rv_vec3 first;       // centre of voxel (0, 0, 0), in the data's unit
    rv_vec3 step[3];     // from a voxel to the next along each index; any three that are independent
} rv_volume;

// Heights at the middles of nx × ny pixels, 1 to 16384 each way, bilinear between them, level beyond the
// outermost; solid below, without end. The middle of all pixels is at x = y = 0, heights count from z = 0.
// Everything is in metres: who reads a picture applies `low`, `high` and the solid's `size` before. Of the
// other keys a height map takes the defaults, unit m and up z, and refuses the rest.
typedef struct rv_height_map {
    int nx, ny;
    const float *heights;  // [ny][nx], m, within ±1e6, from low y; copied
    double size_x, size_y; // m, all pixels together, 1e-6 to 1e6
} rv_height_map;

// Each makes a form or nothing. `report` and `messages` may be NULL; the report is filled as far as things
// got. Problems are named by the keys above.
RV_API rv_result rv_form_from_triangles(const rv_triangles *mesh, const rv_form_def *def,
                                        const rv_form_work *work, rv_form **out,
                                        rv_form_report *report, rv_messages *messages);
RV_API rv_result rv_form_from_volume(const rv_volume *volume, const rv_form_def *def,
                                     const rv_form_work *work, rv_form **out,
                                     rv_form_report *report, rv_messages *messages);
RV_API rv_result rv_form_from_heights(const rv_height_map *map, const rv_form_def *def,
                                      const rv_form_work *work, rv_form **out,
                                      rv_form_report *report, rv_messages *messages);
RV_API void rv_form_free(rv_form *form);

#ifdef __cplusplus
}
#endif
#endif

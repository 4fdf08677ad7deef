// rivulet/scene.h: what a world is made of besides its parameters: solids, first liquid, sources,
// drains, and events that change the solids or gravity.
//
// Each struct has one list, like rv_params: the same list makes the struct, its defaults, its keys in
// scene files and its rows in docs/parameters.md.
#ifndef RIVULET_SCENE_H
#define RIVULET_SCENE_H

#include "form.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rv_shape {
    RV_SHAPE_GROUP,     // the `children` solids that follow in the array, combined among themselves
    RV_SHAPE_BOX,       // size (edges), round (edge radius)
    RV_SHAPE_SPHERE,    // radius
    RV_SHAPE_ELLIPSOID, // size (diameters)
    RV_SHAPE_CAPSULE,   // from, to, radius, radius2 (radius at `to`; negative: the same)
    RV_SHAPE_CYLINDER,  // radius, height, along z; round
    RV_SHAPE_CONE,      // radius at the bottom, radius2 at the top (negative: 0), height, along z
    RV_SHAPE_TORUS,     // radius of the ring, radius2 of the tube, around z
    RV_SHAPE_PLANE,     // everything below the plane through `at` with normal `normal`
    RV_SHAPE_MESH,      // `form`, made from triangles
    RV_SHAPE_VOLUME,    // `form`, made from a volume
    RV_SHAPE_HEIGHTS    // `form`, made from a height map
} rv_shape;
#define RV_WORDS_SHAPE                                                                               \
    "group|box|sphere|ellipsoid|capsule|cylinder|cone|torus|plane|mesh|volume|heights"

typedef enum rv_operation { RV_UNION, RV_SUBTRACT, RV_INTERSECT } rv_operation;
#define RV_WORDS_OPERATION "union|subtract|intersect"

typedef enum rv_mirror { RV_MIRROR_NONE, RV_MIRROR_X, RV_MIRROR_Y, RV_MIRROR_XY } rv_mirror;
#define RV_WORDS_MIRROR "none|x|y|xy"

// After the first, those of rv_material, in their order.
typedef enum rv_solid_material {
    RV_SOLID_SCENE,
    RV_SOLID_PLAIN,
    RV_SOLID_BONE,
    RV_SOLID_TISSUE,
    RV_SOLID_CERAMIC,
    RV_SOLID_WOOD,
    RV_SOLID_STEEL
} rv_solid_material;
#define RV_WORDS_SOLID_MATERIAL "scene|" RV_WORDS_MATERIAL

// Moving solids of one world, numbered from 1.
#define RV_MOVERS_MAX 16

// A point p is taken into the solid's own frame (mirror, then inverse of: scale, rotate, translate), the
// distance is taken there, noise is added, and the result is combined with what came before it.
// Shapes are centred on `at`. Rotation: about x, then y, then z, in radians.
#define RV_SOLID_FIELDS(REAL, WHOLE, FLAG, WORD, VECTOR, UP)                                         \
    WORD(shape, "shape", rv_shape, RV_SHAPE_BOX, RV_WORDS_SHAPE, "what it is")                       \
    WORD(op, "op", rv_operation, RV_UNION, RV_WORDS_OPERATION, "how it joins what came before it")   \
    REAL(blend, "blend", "m", 0, 0, 1e3, "radius of the smooth seam of that operation; 0 is sharp")  \
    VECTOR(at, "at", "m", 0, -1e6, 1e6, "where its middle is")                                       \
    VECTOR(rotate, "rotate", "rad", 0, -1e3, 1e3, "turns about x, then y, then z")                   \
    REAL(scale, "scale", "1", 1, 1e-6, 1e6, "uniform scale")                                         \
    WORD(mirror, "mirror", rv_mirror, RV_MIRROR_NONE, RV_WORDS_MIRROR,                               \
         "make a second one, mirrored in the plane x = 0, y = 0 or both of the frame it stands in")  \
    VECTOR(size, "size", "m", 0.01, 0, 1e6,                                                          \
           "edges of a box, diameters of an ellipsoid, width and length of a height map")            \
    REAL(radius, "radius", "m", 0.005, 0, 1e6, "radius of a sphere, capsule, cylinder, cone, torus") \
    REAL(radius2, "radius2", "m", -1, -1, 1e6,                                                       \
         "second radius: capsule's end (-1: the same), cone's top (-1: a point), torus' tube")       \
    REAL(height, "height", "m", 0.01, 0, 1e6, "height of a cylinder or cone")                        \
    REAL(round, "round", "m", 0, 0, 1e6, "rounding of a box's or cylinder's edges")                  \
    VECTOR(from, "from", "m", 0, -1e6, 1e6, "first end of a capsule")                                \
    VECTOR(to, "to", "m", 0, -1e6, 1e6, "second end of a capsule")                                   \
    UP(normal, "normal", "1", 1, -1e6, 1e6, "upward normal of a plane, of any length")               \
    REAL(noise, "noise", "m", 0, 0, 1e3, "height of the noise that roughens it")                     \
    REAL(noise_size, "noise_size", "m", 0.01, 1e-6, 1e6, "size of the largest bumps of that noise")  \
    WHOLE(noise_octaves, "noise_octaves", "1", 3, 1, 8, "how many sizes of bumps, each half the last") \
    WHOLE(noise_seed, "noise_seed", "1", 0, 0, 2147483647, "which noise")                            \
    WORD(material, "material", rv_solid_material, RV_SOLID_SCENE, RV_WORDS_SOLID_MATERIAL,           \
         "what it looks like; scene: as its group, at the top as view.material; of what is cut out: its walls") \
    REAL(advancing, "advancing", "rad", -1, -1, 3.14159,                                             \
         "contact angle at which liquid begins to wet it; below 0: liquid.advancing")                \
    REAL(receding, "receding", "rad", -1, -1, 3.14159,                                               \
         "contact angle at which liquid draws back from it; below 0: liquid.receding")               \
    REAL(contact, "contact", "rad", -1, -1, 3.14159,                                                 \
         "contact angle where it is a wall; below 0: liquid.contact")                                \
    REAL(cold, "cold", "1", 0, 0, 1, "share of dew.sweat that condenses on it, with dew.on")         \
    WHOLE(mover, "mover", "1", 0, 0, RV_MOVERS_MAX,                                                  \
          "0: part of the terrain that stays; else the moving solid it belongs to, at the top only") \
    WHOLE(children, "children", "1", 0, 0, 100000,                                                   \
          "of a group, in C only: how many solids that follow belong to it, nested ones included")

typedef enum rv_fill_kind {
    RV_FILL_LEVEL, // every column within from..to (x, y) with its base in from.z..to.z: up to `level`
    RV_FILL_DEPTH, // … : `depth` of liquid, at most up to the ceiling
    RV_FILL_DROP   // `volume` as a paraboloid of `radius` around `at`, on the first column below at.z
} rv_fill_kind;
#define RV_WORDS_FILL "level|depth|drop"

#define RV_FILL_FIELDS(REAL, WHOLE, FLAG, WORD, VECTOR)                                              \
    WORD(kind, "kind", rv_fill_kind, RV_FILL_LEVEL, RV_WORDS_FILL, "how the first liquid is given")  \
    VECTOR(from, "from", "m", -1e6, -1e6, 1e6, "low corner of the region")                           \
    VECTOR(to, "to", "m", 1e6, -1e6, 1e6, "high corner of the region")                               \
    REAL(level, "level", "m", 0, -1e6, 1e6, "height of the surface, kind level")                     \
    REAL(depth, "depth", "m", 0, 0, 1e6, "depth, kind depth")                                        \
    VECTOR(at, "at", "m", 0, -1e6, 1e6, "middle of the drop")                                        \
    REAL(radius, "radius", "m", 0.005, 1e-6, 1e6, "radius of the drop")                              \
    REAL(volume, "volume", "m3", 0, 0, 1e9, "volume of the drop")                                    \
    VECTOR(velocity, "velocity", "m/s", 0, -1e3, 1e3,                                                \
           "how it moves at the start; in columns, x and y only")

#define RV_SOURCE_FIELDS(REAL, WHOLE, FLAG, WORD, VECTOR)                                            \
    VECTOR(at, "at", "m", 0, -1e6, 1e6, "middle of the disk; liquid falls on the first column below") \
    REAL(radius, "radius", "m", 0.002, 0, 1e6, "radius of the disk; at least one cell is fed")       \
    REAL(rate, "rate", "m3/s", 0, 0, 1e6, "volume a second")                                         \
    REAL(start, "start", "s", 0, 0, 1e9, "when it opens")                                            \
    REAL(stop, "stop", "s", 1e9, 0, 1e9, "when it closes")

#define RV_DRAIN_FIELDS(REAL, WHOLE, FLAG, WORD, VECTOR)                                             \
    VECTOR(from, "from", "m", -1e6, -1e6, 1e6, "low corner; columns whose base is inside are drained") \
    VECTOR(to, "to", "m", 1e6, -1e6, 1e6, "high corner")                                             \
    REAL(rate, "rate", "m3/s", 1e6, 0, 1e6, "most volume a second, all columns together")            \
    REAL(start, "start", "s", 0, 0, 1e9, "when it opens")                                            \
    REAL(stop, "stop", "s", 1e9, 0, 1e9, "when it closes")

typedef enum rv_event_kind {
    RV_EVENT_CARVE, // takes the tool out of the terrain along the path
    RV_EVENT_ADD,   // puts it in
    RV_EVENT_MOVE,  // moves a moving solid: turns it about `pivot`, then shifts it
    RV_EVENT_GRAVITY // turns gravity, from what it was, to `gravity`
} rv_event_kind;
#define RV_WORDS_EVENT "carve|add|move|gravity"

#define RV_EVENT_FIELDS(REAL, WHOLE, FLAG, WORD, VECTOR, DOWN)                                       \
    WORD(kind, "kind", rv_event_kind, RV_EVENT_CARVE, RV_WORDS_EVENT, "what happens")                \
    REAL(start, "start", "s", 0, 0, 1e9, "when it begins")                                           \
    REAL(duration, "duration", "s", 0, 0, 1e9, "how long it takes, at an even pace; 0: at once")     \
    WHOLE(mover, "mover", "1", 1, 1, RV_MOVERS_MAX, "which moving solid, kind move")                 \
    VECTOR(shift, "shift", "m", 0, -1e6, 1e6, "how far it goes, kind move")                          \
    VECTOR(rotate, "rotate", "rad", 0, -1e3, 1e3, "turns about x, then y, then z, kind move")        \
    VECTOR(pivot, "pivot", "m", 0, -1e6, 1e6, "point of it, where it was defined, about which it turns") \
    DOWN(gravity, "gravity", "m/s2", 9.81, 0, 1e3, "what gravity is afterwards, kind gravity")

#define RV_DEF_REAL(field, key, unit, def, lo, hi, meaning) double field;
#define RV_DEF_WHOLE(field, key, unit, def, lo, hi, meaning) int field;
#define RV_DEF_FLAG(field, key, def, meaning) bool field;
#define RV_DEF_WORD(field, key, type, def, words, meaning) type field;
#define RV_DEF_VECTOR(field, key, unit, def, lo, hi, meaning) rv_vec3 field;
#define RV_DEF_STRUCT(name, list)                                                                    \
    typedef struct name {                                                                            \
        list(RV_DEF_REAL, RV_DEF_WHOLE, RV_DEF_FLAG, RV_DEF_WORD, RV_DEF_VECTOR)                     \
    } name;
typedef struct rv_solid_def {
    RV_SOLID_FIELDS(RV_DEF_REAL, RV_DEF_WHOLE, RV_DEF_FLAG, RV_DEF_WORD, RV_DEF_VECTOR, RV_DEF_VECTOR)
    const rv_form *form; // of shapes mesh, volume and heights; borrowed for the life of the world
} rv_solid_def;
// Something that happens to the solids, or to gravity, at a time.
typedef struct rv_event_def {
    RV_EVENT_FIELDS(RV_DEF_REAL, RV_DEF_WHOLE, RV_DEF_FLAG, RV_DEF_WORD, RV_DEF_VECTOR, RV_DEF_VECTOR)
    // Carve and add: solids as in a list of their own, placed relative to the path's points; and the points,
    // joined by straight lines. No points: the tool stands where its solids say.
    const rv_solid_def *tool;
    int tool_count;
    const rv_vec3 *path;
    int path_count;
} rv_event_def;
RV_DEF_STRUCT(rv_fill_def, RV_FILL_FIELDS)
RV_DEF_STRUCT(rv_source_def, RV_SOURCE_FIELDS)
RV_DEF_STRUCT(rv_drain_def, RV_DRAIN_FIELDS)
#undef RV_DEF_STRUCT
#undef RV_DEF_REAL
#undef RV_DEF_WHOLE
#undef RV_DEF_FLAG
#undef RV_DEF_WORD
#undef RV_DEF_VECTOR

RV_API rv_solid_def rv_default_solid_def(void);
RV_API rv_fill_def rv_default_fill_def(void);
RV_API rv_source_def rv_default_source_def(void);
RV_API rv_drain_def rv_default_drain_def(void);
RV_API rv_event_def rv_default_event_def(void);

RV_API const rv_table *rv_solid_table(void);
RV_API const rv_table *rv_fill_table(void);
RV_API const rv_table *rv_source_table(void);
RV_API const rv_table *rv_drain_table(void);
RV_API const rv_table *rv_event_table(void);

#ifdef __cplusplus
}
#endif
#endif

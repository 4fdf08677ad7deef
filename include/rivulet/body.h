// rivulet/body.h: rigid bodies in a world: things that fall in, float, sink and push back.
//
// The liquid lifts a body by what it displaces, drags it, and is pushed by it; momentum that one gains the
// other loses. Bodies meet the terrain, the walls of the grid and each other.
#ifndef RIVULET_BODY_H
#define RIVULET_BODY_H

#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rv_body_shape { RV_BODY_SPHERE, RV_BODY_BOX } rv_body_shape;
#define RV_WORDS_BODY_SHAPE "sphere|box"

typedef enum rv_body_motion {
    RV_BODY_FREE,   // by gravity, liquid and contacts
    RV_BODY_DRIVEN, // by the host: it moves as rv_world_set_body says, and its forces can be read
    RV_BODY_HELD    // stands still
} rv_body_motion;
#define RV_WORDS_BODY_MOTION "free|driven|held"

#define RV_BODY_FIELDS(REAL, WHOLE, FLAG, WORD, VECTOR)                                              \
    WORD(shape, "shape", rv_body_shape, RV_BODY_SPHERE, RV_WORDS_BODY_SHAPE, "what it is")           \
    WORD(motion, "motion", rv_body_motion, RV_BODY_FREE, RV_WORDS_BODY_MOTION, "what moves it")      \
    VECTOR(at, "at", "m", 0, -1e6, 1e6, "where its middle is at first")                              \
    VECTOR(rotate, "rotate", "rad", 0, -1e3, 1e3, "turned about x, then y, then z at first")         \
    REAL(radius, "radius", "m", 0.005, 1e-6, 1e6, "radius of a sphere")                              \
    VECTOR(size, "size", "m", 0.01, 1e-6, 1e6, "edges of a box")                                     \
    REAL(density, "density", "kg/m3", 500, 1e-3, 1e6, "density; used unless mass is given")          \
    REAL(mass, "mass", "kg", -1, -1, 1e12, "mass, above 0; -1: from the density")                    \
    VECTOR(velocity, "velocity", "m/s", 0, -1e3, 1e3, "velocity at first")                           \
    VECTOR(spin, "spin", "rad/s", 0, -1e4, 1e4, "turning at first, about the axis of this direction") \
    REAL(restitution, "restitution", "1", 0.3, 0, 1, "share of the speed kept when it bounces")      \
    REAL(friction, "friction", "1", 0.4, 0, 10, "friction against solids")                           \
    REAL(drag, "drag", "1", 0.5, 0, 100, "drag coefficient in liquid")                               \
    REAL(start, "start", "s", 0, 0, 1e9, "when it appears")                                          \
    WORD(material, "material", rv_material, RV_MATERIAL_PLAIN, RV_WORDS_MATERIAL, "what it looks like")

#define RV_DEF_REAL(field, key, unit, def, lo, hi, meaning) double field;
#define RV_DEF_WHOLE(field, key, unit, def, lo, hi, meaning) int field;
#define RV_DEF_FLAG(field, key, def, meaning) bool field;
#define RV_DEF_WORD(field, key, type, def, words, meaning) type field;
#define RV_DEF_VECTOR(field, key, unit, def, lo, hi, meaning) rv_vec3 field;
typedef struct rv_body_def {
    RV_BODY_FIELDS(RV_DEF_REAL, RV_DEF_WHOLE, RV_DEF_FLAG, RV_DEF_WORD, RV_DEF_VECTOR)
} rv_body_def;
#undef RV_DEF_REAL
#undef RV_DEF_WHOLE
#undef RV_DEF_FLAG
#undef RV_DEF_WORD
#undef RV_DEF_VECTOR

RV_API rv_body_def rv_default_body_def(void);
RV_API const rv_table *rv_body_table(void);

// Where a body is and how it moves, and what acts on it.
typedef struct rv_body_state {
    rv_vec3 at, velocity, spin; // m, m/s, rad/s
    double turn[4];             // unit quaternion x, y, z, w
    rv_vec3 force, torque;      // N, N·m: of the liquid, mean over the last step
    double submerged;           // m³ below the liquid's level
    bool resting;               // it lies on something
} rv_body_state;

#ifdef __cplusplus
}
#endif
#endif

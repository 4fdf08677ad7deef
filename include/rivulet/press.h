// rivulet/press.h: air that presses on liquid, and drags it along: pressure and wind on chosen columns.
//
//     rv_press_def fan = rv_default_press_def();
//     fan.from = (rv_vec3){-0.02, -0.02, -1}, fan.to = (rv_vec3){0.02, 0.02, 1};
//     fan.pressure = 20; // Pa: pushes water down by 2 mm
//     int number;
//     rv_world_add_press(world, &fan, &number, &messages);
//
// Solvers of columns, pipes and swe. It acts on free surfaces: in a passage that is full to its ceiling there is none.
#ifndef RIVULET_PRESS_H
#define RIVULET_PRESS_H

#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

// At rest the level under a pressure p is lower by p/(ρ g) than the level beside it. Wind τ along a basin of depth H
// tilts its level by τ/(ρ g H). Where several act on a column they add up.
#define RV_PRESS_FIELDS(REAL, WHOLE, FLAG, WORD, VECTOR)                                             \
    VECTOR(from, "from", "m", -1e6, -1e6, 1e6, "low corner; columns whose base is inside are pressed") \
    VECTOR(to, "to", "m", 1e6, -1e6, 1e6, "high corner")                                             \
    REAL(pressure, "pressure", "Pa", 0, -1e6, 1e6, "over that of the air elsewhere; negative: it draws liquid up") \
    VECTOR(wind, "wind", "Pa", 0, -1e4, 1e4, "shear on the surface along x and y; z is not looked at") \
    REAL(start, "start", "s", 0, 0, 1e9, "when it begins")                                           \
    REAL(stop, "stop", "s", 1e9, 0, 1e9, "when it ends")

#define RV_DEF_REAL(field, key, unit, def, lo, hi, meaning) double field;
#define RV_DEF_WHOLE(field, key, unit, def, lo, hi, meaning) int field;
#define RV_DEF_FLAG(field, key, def, meaning) bool field;
#define RV_DEF_WORD(field, key, type, def, words, meaning) type field;
#define RV_DEF_VECTOR(field, key, unit, def, lo, hi, meaning) rv_vec3 field;
typedef struct rv_press_def {
    RV_PRESS_FIELDS(RV_DEF_REAL, RV_DEF_WHOLE, RV_DEF_FLAG, RV_DEF_WORD, RV_DEF_VECTOR)
} rv_press_def;
#undef RV_DEF_REAL
#undef RV_DEF_WHOLE
#undef RV_DEF_FLAG
#undef RV_DEF_WORD
#undef RV_DEF_VECTOR

RV_API rv_press_def rv_default_press_def(void);
RV_API const rv_table *rv_press_table(void);

#ifdef __cplusplus
}
#endif
#endif

// What the mouse does to the world: pour, drill, add, throw, stir, paint.
#ifndef APP_VIEW_TOOLS_H
#define APP_VIEW_TOOLS_H

#include "rivulet_gl/renderer.h"

typedef enum rv_tool {
    RV_TOOL_LOOK,
    RV_TOOL_POUR,
    RV_TOOL_DRILL,
    RV_TOOL_ADD,
    RV_TOOL_THROW,
    RV_TOOL_STIR,
    RV_TOOL_PAINT,
    RV_TOOLS
} rv_tool;

typedef struct rv_tools {
    rv_tool tool;
    double radius[RV_TOOLS];          // m, of the stream and of the balls
    double radius_low, radius_high;   // m
    double rate, rate_low, rate_high; // m³/s, of the stream
    double affinity;                  // that is painted, 0: wax … 1: draws liquid
    rv_body_def body;                 // what is thrown: its shape, density and restitution
    rv_vec3 from, velocity;           // where it will start, m, and how fast, m/s
    rv_vec3 held;                     // the point that a throw or stirring was begun at, m
    rv_vec3 facing;                   // normal of the plane that stirring stays in, unit
    bool on;                          // it works now
    bool begun;                       // `last` is there
    rv_vec3 last;                     // where the ball or the rod was
    bool over;                        // the mouse is over something it can work on
    rv_vec3 at, normal;               // where, and the surface there
    double poured;                    // m³, in all
} rv_tools;

extern const char *const rv_tool_names[RV_TOOLS];

// Radii and rates that suit a world, unless the user has set them; keeps the tool.
void rv_tools_suit(rv_tools *tools, const rv_params *params);
// The mouse is on a ray.
void rv_tools_point(rv_tools *tools, const rv_world *world, const rv_ray *ray);
void rv_tools_nowhere(rv_tools *tools);
// Begins and ends working.
void rv_tools_begin(rv_tools *tools);
void rv_tools_end(rv_tools *tools);
// Before each step of dt simulated seconds.
void rv_tools_pour(rv_tools *tools, rv_world *world, double dt);
// The same; `left` steps are left in this frame, over which the rod follows the mouse.
void rv_tools_stir(rv_tools *tools, rv_world *world, double dt, int left);
// Once a frame: gives the bed under the mouse its affinity. true: it did. A refused stroke ends the
// work and is told in the messages.
bool rv_tools_paint(rv_tools *tools, rv_world *world, rv_messages *messages);
// Once a frame of so many real seconds: drills or adds. true: the terrain has changed. A refused
// edit ends the work and is told in the messages.
bool rv_tools_work(rv_tools *tools, rv_world *world, double seconds, rv_messages *messages);
// Throws a body as the drag says, and ends working. Its number, or -1; then messages say why.
int rv_tools_throw(rv_tools *tools, rv_world *world, rv_messages *messages);
// Takes all bodies out of a world; how many they were.
int rv_tools_clear(rv_world *world);
rv_mark rv_tools_mark(const rv_tools *tools);

#endif

// rivulet/params.h: every parameter, declared once.
//
// The list RV_PARAMS is the only place where a parameter is named. It makes the struct rv_params, its
// defaults, the checks of ranges, the YAML keys, `--set`, `rivulet params` and docs/parameters.md.
#ifndef RIVULET_PARAMS_H
#define RIVULET_PARAMS_H

#include "base.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rv_area { RV_AREA_WET, RV_AREA_CELL } rv_area;
typedef enum rv_passages {
    RV_PASSAGES_NONE,
    RV_PASSAGES_AXIS,
    RV_PASSAGES_UNIFIED,
    RV_PASSAGES_PRESSURE
} rv_passages;
typedef enum rv_neighbours { RV_NEIGHBOURS_FOUR, RV_NEIGHBOURS_EIGHT } rv_neighbours;
typedef enum rv_switch { RV_SWITCH_AUTO, RV_SWITCH_ON, RV_SWITCH_OFF } rv_switch;
typedef enum rv_border { RV_BORDER_WALL, RV_BORDER_OPEN, RV_BORDER_LEVEL, RV_BORDER_INFLOW } rv_border;
typedef enum rv_solver_kind {
    RV_SOLVER_PIPES,
    RV_SOLVER_SWE,
    RV_SOLVER_SPLAT,
    RV_SOLVER_GLASS
} rv_solver_kind;
typedef enum rv_swe_advection { RV_SWE_CONSERVING, RV_SWE_SEMI } rv_swe_advection;
typedef enum rv_splat_form { RV_SPLAT_2D, RV_SPLAT_3D, RV_SPLAT_HEIGHT } rv_splat_form;
typedef enum rv_splat_method { RV_SPLAT_NARROW, RV_SPLAT_WIDE } rv_splat_method;
typedef enum rv_glass_sizes { RV_GLASS_SIZES_PAPER, RV_GLASS_SIZES_MARSHALL } rv_glass_sizes;
typedef enum rv_liquid_look {
    RV_LOOK_WATER,
    RV_LOOK_BLOOD,
    RV_LOOK_COFFEE,
    RV_LOOK_MILK,
    RV_LOOK_PAINT,
    RV_LOOK_HONEY,
    RV_LOOK_OIL,
    RV_LOOK_MERCURY
} rv_liquid_look;
typedef enum rv_material {
    RV_MATERIAL_PLAIN,
    RV_MATERIAL_BONE,
    RV_MATERIAL_TISSUE,
    RV_MATERIAL_CERAMIC,
    RV_MATERIAL_WOOD,
    RV_MATERIAL_STEEL
} rv_material;

typedef enum rv_studio_kind { RV_STUDIO_PLAIN, RV_STUDIO_NEUTRAL, RV_STUDIO_WARM } rv_studio_kind;
typedef enum rv_view_mode {
    RV_VIEW_SHADED,
    RV_VIEW_WIRE,
    RV_VIEW_DEPTH,
    RV_VIEW_SPEED,
    RV_VIEW_LAYERS,
    RV_VIEW_PASSAGES,
    RV_VIEW_LINKS,
    RV_VIEW_BOUNDARY,
    RV_VIEW_NORMALS,
    RV_VIEW_PARTICLES,
    RV_VIEW_AFFINITY
} rv_view_mode;

// The words of each enumeration, in the order of its constants, separated by '|'.
#define RV_WORDS_SOLVER "pipes|swe|splat|glass"
#define RV_WORDS_SWE_ADVECTION "conserving|semi"
#define RV_WORDS_SPLAT_FORM "2d|3d|height"
#define RV_WORDS_SPLAT_METHOD "narrow|wide"
#define RV_WORDS_GLASS_SIZES "paper|marshall"
#define RV_WORDS_AREA "wet|cell"
#define RV_WORDS_PASSAGES "none|axis|unified|pressure"
#define RV_WORDS_NEIGHBOURS "four|eight"
#define RV_WORDS_SWITCH "auto|on|off"
#define RV_WORDS_BORDER "wall|open|level|inflow"
#define RV_WORDS_LOOK "water|blood|coffee|milk|paint|honey|oil|mercury"
#define RV_WORDS_STUDIO "plain|neutral|warm"
#define RV_WORDS_VIEW_MODE "shaded|wire|depth|speed|layers|passages|links|boundary|normals|particles|affinity"
#define RV_WORDS_MATERIAL "plain|bone|tissue|ceramic|wood|steel"

// REAL(field, "key", "unit", default, min, max, "meaning")
// WHOLE(field, "key", "unit", default, min, max, "meaning")
// FLAG(field, "key", default, "meaning")
// WORD(field, "key", type, default, words, "meaning")
// DOWN(field, "key", "unit", default, min, max, "meaning"): a vector that a plain number g may
// stand for, as
//     (0, 0, -g). Default and range are g's; x and y may be -max to max.
// A last column RV_FIXED says that a world is made for this value: it cannot change while the world
// lives.
#define RV_FIXED true
#define RV_PARAMS(REAL, WHOLE, FLAG, WORD, DOWN)                                                   \
    WORD(solver, "solver", rv_solver_kind, RV_SOLVER_PIPES, RV_WORDS_SOLVER,                       \
         "which solver moves the liquid", RV_FIXED)                                                \
    WHOLE(grid_nx, "grid.nx", "cells", 100, 1, 65536, "cells along x", RV_FIXED)                   \
    WHOLE(grid_ny, "grid.ny", "cells", 100, 1, 65536, "cells along y", RV_FIXED)                   \
    REAL(grid_dx, "grid.dx", "m", 1e-3, 1e-6, 1e3, "side of a cell", RV_FIXED)                     \
    REAL(grid_x, "grid.x", "m", 0, -1e6, 1e6, "x of the middle of the grid", RV_FIXED)             \
    REAL(grid_y, "grid.y", "m", 0, -1e6, 1e6, "y of the middle of the grid", RV_FIXED)             \
    REAL(grid_bottom, "grid.bottom", "m", 0, -1e6, 1e6, "lowest height; solid below it", RV_FIXED) \
    REAL(grid_top, "grid.top", "m", 0.05, -1e6, 1e6, "greatest height, a lid for the liquid",      \
         RV_FIXED)                                                                                 \
    REAL(grid_stretch, "grid.stretch", "1", 1, 0.05, 20,                                           \
         "vertical spacing of the terrain's samples over grid.dx", RV_FIXED)                       \
    FLAG(terrain_keep, "terrain.keep", true,                                                       \
         "keep the distance field after casting (needed for rays and pictures)", RV_FIXED)         \
    REAL(time_step, "time.step", "s", 0.01, 1e-6, 10,                                              \
         "one frame of the simulation; divided into substeps as stability needs")                  \
    REAL(time_end, "time.end", "s", 5, 0, 1e6, "how long `run` simulates unless told otherwise")   \
    REAL(time_safety, "time.safety", "1", 0.9, 0.05, 1,                                            \
         "share of the stability bound that is used")                                              \
    WHOLE(time_substeps_max, "time.substeps_max", "1", 1000, 1, 1000000,                           \
          "most substeps in a step; more are needed: counted as clipped in the statistics")        \
    DOWN(gravity, "gravity", "m/s2", 9.81, 0, 1e3,                                                 \
         "acceleration by weight: a number, downward, or a vector \"x y z\", as in a tilted tray") \
    REAL(liquid_viscosity, "liquid.viscosity", "m2/s", 1e-6, 0, 1e6, "kinematic viscosity")        \
    REAL(liquid_density, "liquid.density", "kg/m3", 1000, 1e-3, 1e6, "density")                    \
    REAL(liquid_contact, "liquid.contact", "rad", 0.7, 0, 3.14159,                                 \
         "contact angle: between the solid and the surface where they meet, in the liquid")        \
    REAL(liquid_tension, "liquid.tension", "N/m", 0.0728, 0, 10,                                   \
         "surface tension; 0: none, and liquid spreads without end")                               \
    FLAG(tension_on, "tension.on", true,                                                           \
         "let surface tension and wetting act on columns with the wet area, by liquid.tension",    \
         RV_FIXED)                                                                                 \
    REAL(tension_rest, "tension.rest", "m/s", 1e-5, 0, 1,                                          \
         "with surface tension: slower liquid sleeps until something touches it; 0: never")        \
    REAL(liquid_advancing, "liquid.advancing", "rad", 1.0472, 0, 3.14159,                          \
         "contact angle at which liquid begins to wet a dry bed")                                  \
    REAL(liquid_receding, "liquid.receding", "rad", 0.3491, 0, 3.14159,                            \
         "contact angle at which it draws back from a wet one")                                    \
    REAL(liquid_uneven, "liquid.uneven", "1", 0.15, 0, 0.9,                                        \
         "by how much the cost of wetting differs from place to place, as on real surfaces")       \
    WORD(liquid_look, "liquid.look", rv_liquid_look, RV_LOOK_WATER, RV_WORDS_LOOK,                 \
         "what the liquid looks like in pictures")                                                 \
    WORD(pipes_area, "pipes.area", rv_area, RV_AREA_WET, RV_WORDS_AREA,                            \
         "cross-section of a pipe: the wet one, or the papers' whole cell")                        \
    WORD(pipes_slope, "pipes.slope", rv_switch, RV_SWITCH_AUTO, RV_WORDS_SWITCH,                   \
         "correct films on slopes for depth normal to the bed; auto: with the wet area")           \
    FLAG(pipes_momentum, "pipes.momentum", true,                                                   \
         "with the wet area: carry momentum along with the liquid; eight neighbours carry none")   \
    WORD(pipes_passages, "pipes.passages", rv_passages, RV_PASSAGES_PRESSURE, RV_WORDS_PASSAGES,   \
         "how liquid flows through passages that are full to the ceiling")                         \
    WORD(pipes_neighbours, "pipes.neighbours", rv_neighbours, RV_NEIGHBOURS_FOUR,                  \
         RV_WORDS_NEIGHBOURS, "pipes of a column: along x and y, or also along the diagonals",     \
         RV_FIXED)                                                                                 \
    REAL(pipes_kept, "pipes.kept", "1", 0.5, 0, 1, "share of the flux kept after one second")      \
    REAL(pipes_kept_step, "pipes.kept_step", "1", 1, 0, 1,                                         \
         "share of the flux kept after each time.step, besides pipes.kept")                        \
    REAL(pipes_quotient, "pipes.quotient", "1", 0, 0, 1,                                           \
         "viscosity quotient V: of a push P, in units of the next key, V P^3 is lost")             \
    REAL(pipes_quotient_pressure, "pipes.quotient_pressure", "Pa", 0, 0, 1e9,                      \
         "the pressure that the quotient counts in; 0: that of liquid four cells deep")            \
    FLAG(pipes_quotient_holds, "pipes.quotient_holds", false,                                      \
         "a push so strong that the quotient takes all of it stands still, as the paper has it")   \
    REAL(pipes_pipe_area, "pipes.pipe_area", "1", 1, 1e-3, 1e3, "area of pipes, as a multiple")    \
    REAL(pipes_pipe_length, "pipes.pipe_length", "1", 1, 0.05, 1e3,                                \
         "length of pipes, as a multiple")                                                         \
    REAL(pipes_film, "pipes.film", "m", 1e-6, 0, 1, "the thinnest film that flows")                \
    REAL(pipes_tolerance, "pipes.tolerance", "1", 1e-8, 1e-12, 1e-2,                               \
         "share of its height by which a full column's depth may drift in a substep")              \
    WHOLE(pipes_iterations, "pipes.iterations", "1", 200, 1, 100000,                               \
          "most iterations for the pressure of passages in a substep")                             \
    WORD(border_west, "border.west", rv_border, RV_BORDER_WALL, RV_WORDS_BORDER,                   \
         "border at low x")                                                                        \
    WORD(border_east, "border.east", rv_border, RV_BORDER_WALL, RV_WORDS_BORDER,                   \
         "border at high x")                                                                       \
    WORD(border_south, "border.south", rv_border, RV_BORDER_WALL, RV_WORDS_BORDER,                 \
         "border at low y")                                                                        \
    WORD(border_north, "border.north", rv_border, RV_BORDER_WALL, RV_WORDS_BORDER,                 \
         "border at high y")                                                                       \
    REAL(border_west_level, "border.west_level", "m", 0, -1e6, 1e6,                                \
         "height held at a level border")                                                          \
    REAL(border_east_level, "border.east_level", "m", 0, -1e6, 1e6,                                \
         "height held at a level border")                                                          \
    REAL(border_south_level, "border.south_level", "m", 0, -1e6, 1e6,                              \
         "height held at a level border")                                                          \
    REAL(border_north_level, "border.north_level", "m", 0, -1e6, 1e6,                              \
         "height held at a level border")                                                          \
    REAL(border_west_rate, "border.west_rate", "m3/s", 0, 0, 1e6,                                  \
         "volume rate of an inflow border")                                                        \
    REAL(border_east_rate, "border.east_rate", "m3/s", 0, 0, 1e6,                                  \
         "volume rate of an inflow border")                                                        \
    REAL(border_south_rate, "border.south_rate", "m3/s", 0, 0, 1e6,                                \
         "volume rate of an inflow border")                                                        \
    REAL(border_north_rate, "border.north_rate", "m3/s", 0, 0, 1e6,                                \
         "volume rate of an inflow border")                                                        \
    WHOLE(seed, "seed", "1", 1, 0, 2147483647, "seed of everything random")                        \
    FLAG(spray_on, "spray.on", false,                                                              \
         "let liquid that rises faster than columns can hold fly as droplets")                     \
    REAL(spray_speed, "spray.speed", "m/s", 0.5, 0, 1e3,                                           \
         "columns that rise faster throw droplets")                                                \
    REAL(spray_fastest, "spray.fastest", "m/s", 4, 0, 1e3, "no droplet is thrown up faster")       \
    REAL(spray_crest, "spray.crest", "1", 0.25, 0, 100,                                            \
         "and stand over the mean of their neighbours by more, in cells")                          \
    REAL(spray_share, "spray.share", "1", 0.5, 0, 1, "share of what rises there that leaves")      \
    REAL(spray_smallest, "spray.smallest", "1", 0.1, 1e-3, 10,                                     \
         "radius of the smallest droplets, in cells")                                              \
    REAL(spray_largest, "spray.largest", "1", 0.4, 1e-3, 10,                                       \
         "radius of the largest droplets, in cells")                                               \
    REAL(spray_spread, "spray.spread", "1", 0.2, 0, 1,                                             \
         "by how much of their speed droplets are thrown at random")                               \
    REAL(spray_drag, "spray.drag", "1", 0.47, 0, 100, "drag coefficient of droplets in air")       \
    WHOLE(spray_droplets, "spray.droplets", "1", 20000, 1, 10000000, "most droplets in the air")   \
    FLAG(spray_edges, "spray.edges", true,                                                         \
         "with spray.on: liquid that runs over an edge falls as droplets")                         \
    REAL(spray_fall, "spray.fall", "1", 3, 0.1, 1e4,                                               \
         "how far under an edge a column must be for this, in cells")                              \
    REAL(spray_grain, "spray.grain", "1", 0.5, 0.05, 10,                                           \
         "distance between the particles of emitters and threads, in cells")                       \
    FLAG(spray_impact, "spray.impact", false,                                                      \
         "what lands presses on the columns with its downward momentum, over a step")              \
    FLAG(drips_on, "drips.on", true,                                                               \
         "with surface tension: liquid at overhanging edges hangs in beads, falls in drops")       \
    FLAG(drips_fly, "drips.fly", false,                                                            \
         "threads under edges fall as droplets, which take their time and meet bodies")            \
    FLAG(dew_on, "dew.on", false,                                                                  \
         "small drops on the solids, finer than a cell: rain, sweat, and what they run into",      \
         RV_FIXED)                                                                                 \
    REAL(dew_rain, "dew.rain", "1/m2/s", 0, 0, 1e6,                                                \
         "drops that fall on a square metre, seen from above, in a second")                        \
    REAL(dew_smallest, "dew.smallest", "m", 5e-4, 1e-6, 1, "diameter of the smallest of them")     \
    REAL(dew_largest, "dew.largest", "m", 2e-3, 1e-6, 1, "diameter of the largest of them")        \
    REAL(dew_slant_x, "dew.slant_x", "1", 0, -10, 10,                                              \
         "how far they drift along x on a metre down")                                             \
    REAL(dew_slant_y, "dew.slant_y", "1", 0, -10, 10,                                              \
         "how far they drift along y on a metre down")                                             \
    REAL(dew_sweat, "dew.sweat", "m/s", 0, 0, 1,                                                   \
         "depth that condenses in a second on drops that sit on cold solids")                      \
    REAL(dew_seeds, "dew.seeds", "1/m2/s", 1e5, 0, 1e9,                                            \
         "new drops on a square metre of cold solid in a second, with dew.sweat")                  \
    REAL(dew_seed_size, "dew.seed_size", "m", 1e-4, 1e-7, 0.1, "radius of the foot of a new drop") \
    REAL(dew_evaporation, "dew.evaporation", "m/s", 0, 0, 1,                                       \
         "depth that drops lose to the air in a second")                                           \
    REAL(dew_uneven, "dew.uneven", "1", 0.3, 0, 0.95,                                              \
         "by how much the hold of the solid on drops differs from place to place")                 \
    REAL(dew_spots, "dew.spots", "m", 3e-3, 1e-6, 1e3, "size of places with the same hold")        \
    REAL(dew_kinetic, "dew.kinetic", "1", 0.7, 0, 1,                                               \
         "share of that hold that is left while a drop runs")                                      \
    REAL(dew_drag, "dew.drag", "1/s", 50, 0, 1e4,                                                  \
         "how fast a running drop loses speed to its own viscosity")                               \
    REAL(dew_residual, "dew.residual", "1", 0.01, 0, 0.6,                                          \
         "mean share of a running drop that it leaves behind as a droplet")                        \
    REAL(dew_spacing, "dew.spacing", "1", 1, 0.1, 1e3,                                            \
         "mean way from one of these to the next, in radii of the drop")                           \
    REAL(dew_gives, "dew.gives", "1", 2, 0.1, 100,                                                 \
         "a drop on a bed with a foot of this radius, in cells, goes over into columns")           \
    REAL(dew_takes, "dew.takes", "1", 0, 0, 100,                                                   \
         "liquid of one column among dry ones becomes a drop if its foot has a radius of less")    \
    WHOLE(dew_most, "dew.most", "1", 20000, 1, 10000000, "most drops there may be", RV_FIXED)      \
    WORD(splat_form, "splat.form", rv_splat_form, RV_SPLAT_3D, RV_WORDS_SPLAT_FORM,                \
         "particles in a vertical plane, in space, or as a height over the terrain", RV_FIXED)     \
    WORD(splat_method, "splat.method", rv_splat_method, RV_SPLAT_NARROW, RV_WORDS_SPLAT_METHOD,    \
         "narrow: pressure is solved for; wide: it follows from the density in many small steps",  \
         RV_FIXED)                                                                                 \
    REAL(splat_radius, "splat.radius", "1", 3, 1.5, 7, "reach of a particle, in cells", RV_FIXED)  \
    REAL(splat_spacing, "splat.spacing", "1", 0.7, 0.3, 2,                                         \
         "distance between particles at rest, in cells", RV_FIXED)                                 \
    REAL(splat_depth, "splat.depth", "1", 8, 1e-3, 1e3,                                            \
         "form height: what a layer of particles so far apart is deep, in cells", RV_FIXED)        \
    WHOLE(splat_particles, "splat.particles", "1", 1000000, 1, 100000000,                          \
          "most particles there may be")                                                           \
    REAL(splat_stiffness, "splat.stiffness", "1", 2, 1e-3, 1e3,                                    \
         "k of the pressure k (density^gamma - 1), over gravity times the height of the grid")     \
    WHOLE(splat_gamma, "splat.gamma", "1", 5, 1, 7, "how steeply the pressure rises with density") \
    REAL(splat_rest, "splat.rest", "1", 1, 0.1, 10,                                                \
         "density without pressure, over that of particles splat.spacing apart")                   \
    REAL(splat_pic, "splat.pic", "1", 0.2, 0, 1,                                                   \
         "share of their own motion that particles lose to the grid's while sound crosses a cell") \
    REAL(splat_slack, "splat.slack", "1", 0.1, 0, 1e3,                                             \
         "pressure at rest, all that thinner liquid has, over gravity times that height; the "     \
         "paper: k")                                                                               \
    REAL(splat_calm, "splat.calm", "1", 0.5, 0, 10,                                                \
         "damping of motion that compresses: viscosity over cell times speed of sound; the "       \
         "paper: 0")                                                                               \
    FLAG(splat_smooth, "splat.smooth", true,                                                       \
         "smooth the density once more before it is pressure; the paper: no")                      \
    FLAG(splat_mirror, "splat.mirror", true,                                                       \
         "liquid goes on behind walls as in a mirror; the paper: there is none, and obstacles "    \
         "press")                                                                                  \
    FLAG(splat_plain, "splat.plain", false,                                                        \
         "the paper's form, whatever the four before say; splat.pic is then for each substep",     \
         RV_FIXED)                                                                                 \
    REAL(splat_foam, "splat.foam", "1", 0, 0, 100,                                                 \
         "how readily liquid that is struck or torn apart foams; method narrow; 0: never")          \
    REAL(splat_foam_life, "splat.foam_life", "s", 1.5, 1e-3, 1e6,                                  \
         "how long foam lives: after so long a third is left")                                     \
    REAL(glass_tilt, "glass.tilt", "rad", 1.5708, 0, 3.14159,                                      \
         "angle of the pane from lying flat; upright at 90 deg")                                   \
    REAL(glass_static, "glass.static", "m3", 1.2e-8, 1e-15, 1,                                     \
         "the largest drop that stays where it is on an upright pane")                             \
    REAL(glass_kinetic, "glass.kinetic", "1", 0.7, 0, 1,                                           \
         "share of that friction that is left while a drop moves")                                 \
    REAL(glass_drag, "glass.drag", "1/s", 50, 0, 1e4,                                              \
         "how fast a drop loses speed to its own viscosity")                                       \
    REAL(glass_wind_x, "glass.wind_x", "m/s", 0, -100, 100, "wind across the pane")                \
    REAL(glass_wind_y, "glass.wind_y", "m/s", 0, -100, 100,                                        \
         "wind up the pane; drops climb from about 8 m/s on")                                      \
    REAL(glass_merge, "glass.merge", "1", 1.1, 0, 10,                                              \
         "speed of merged drops over that of their common momentum")                               \
    REAL(glass_residual, "glass.residual", "1", 0.2, 0, 0.6,                                       \
         "mean share of a running drop that it leaves behind as a droplet")                        \
    REAL(glass_residual_time, "glass.residual_time", "s", 0.4, 1e-3, 1e3,                          \
         "how long after a droplet the rate of the next is full")                                  \
    REAL(glass_residual_rate, "glass.residual_rate", "1", 3, 0, 100,                               \
         "that full rate, in droplets per glass.residual_time")                                    \
    REAL(glass_smooth, "glass.smooth", "m2/s", 2e-6, 0, 1, "how fast trails smooth out")           \
    REAL(glass_erode, "glass.erode", "m/s", 0.015, 0, 1,                                           \
         "speed with which the edges of trails draw in")                                           \
    REAL(glass_cutoff, "glass.cutoff", "m", 5e-6, 1e-9, 1, "thinner trails are dry")               \
    REAL(glass_film, "glass.film", "m", 4e-5, 0, 1,                                                \
         "thickness of the trail that a running drop leaves")                                      \
    REAL(glass_drain, "glass.drain", "s", 0.03, 1e-4, 1e3,                                         \
         "time in which what is thicker drains from a trail")                                      \
    REAL(glass_stretch, "glass.stretch", "s", 0.02, 0, 10,                                         \
         "length of a drop's tail over its speed")                                                 \
    REAL(glass_look, "glass.look", "m", 4e-4, 1e-6, 1,                                             \
         "the cell of the paper: a drop looks ahead at three regions of 3 x 3 of these")           \
    WHOLE(glass_caps, "glass.caps", "1", 5, 1, 5, "most caps that make up a drop at rest")         \
    REAL(glass_sag, "glass.sag", "1", 0.35, 0, 0.9,                                                \
         "by how much large drops are heavier at the lower end")                                   \
    REAL(glass_affinity, "glass.affinity", "1", 0.25, 0, 1,                                        \
         "by how much the pane's affinity for water varies around one half", RV_FIXED)             \
    REAL(glass_affinity_size, "glass.affinity_size", "m", 0.008, 1e-5, 1e3,                        \
         "size of the largest spots of like affinity", RV_FIXED)                                   \
    REAL(glass_rain, "glass.rain", "1/m2/s", 0, 0, 1e6,                                            \
         "drops that fall on a square metre in a second")                                          \
    WORD(glass_sizes, "glass.sizes", rv_glass_sizes, RV_GLASS_SIZES_PAPER, RV_WORDS_GLASS_SIZES,   \
         "sizes of falling drops: paper: evenly spread up to glass.largest; marshall: Marshall "   \
         "and Palmer's")                                                                           \
    REAL(glass_largest, "glass.largest", "1", 1.25, 1e-3, 1e3,                                     \
         "largest falling drop over glass.static (paper: a fifth is over 1)")                      \
    REAL(glass_intensity, "glass.intensity", "m/s", 2.8e-6, 1e-9, 1e-3,                            \
         "how hard it rains, for the sizes of marshall (2.8e-6 is 10 mm an hour)")                 \
    WHOLE(glass_drops, "glass.drops", "1", 0, 0, 1000000, "drops on the pane at first")            \
    WHOLE(glass_keep, "glass.keep", "1", 0, 0, 1000000,                                            \
          "rain as hard as it takes to hold this many drops")                                      \
    WHOLE(glass_most, "glass.most", "1", 20000, 1, 1000000, "most drops there may be")             \
    REAL(glass_evaporation, "glass.evaporation", "m/s", 0, 0, 1,                                   \
         "depth that evaporates from a wet place in a second")                                     \
    REAL(glass_mist, "glass.mist", "1", 0, 0, 1, "share of dry glass that micro-droplets cover")   \
    REAL(glass_mist_return, "glass.mist_return", "s", 25, 1e-3, 1e6,                               \
         "time in which they come back where they were wiped off")                                 \
    FLAG(glass_wiper, "glass.wiper", false, "a wiper sweeps the pane")                             \
    REAL(glass_wiper_x, "glass.wiper_x", "m", 0, -1e6, 1e6,                                        \
         "where the wiper turns, from the middle of the pane")                                     \
    REAL(glass_wiper_y, "glass.wiper_y", "m", -0.1, -1e6, 1e6,                                     \
         "where the wiper turns, from the middle of the pane")                                     \
    REAL(glass_wiper_inner, "glass.wiper_inner", "m", 0.02, 0, 1e6,                                \
         "from there to the near end of its blade")                                                \
    REAL(glass_wiper_length, "glass.wiper_length", "m", 0.17, 1e-3, 1e6,                           \
         "from there to the far end of its blade")                                                 \
    REAL(glass_wiper_from, "glass.wiper_from", "rad", 0.35, -6.2832, 6.2832,                       \
         "its angle at one end of the way, from +x toward +y")                                     \
    REAL(glass_wiper_to, "glass.wiper_to", "rad", 2.8, -6.2832, 6.2832,                            \
         "its angle at the other end")                                                             \
    REAL(glass_wiper_period, "glass.wiper_period", "s", 1.6, 0.05, 1e6, "time for there and back") \
    REAL(glass_wiper_pause, "glass.wiper_pause", "s", 0, 0, 1e6, "rest between two sweeps")        \
    REAL(glass_wiper_film, "glass.wiper_film", "1", 0.1, 0, 1,                                     \
         "share of the water it pushes that the blade leaves as droplets on 10 cm")                \
    WORD(swe_advection, "swe.advection", rv_swe_advection, RV_SWE_CONSERVING,                      \
         RV_WORDS_SWE_ADVECTION,                                                                   \
         "how velocity is carried: so that momentum is kept, or traced back (semi-Lagrangian)")    \
    WHOLE(swe_order, "swe.order", "1", 2, 1, 2,                                                    \
          "order of what is carried from cell to cell: 1 is robust and blurs, 2 is exact where "   \
          "smooth")                                                                                \
    REAL(swe_kept, "swe.kept", "1", 1, 0, 1, "share of the velocity kept after one second")        \
    WORD(swe_slope, "swe.slope", rv_switch, RV_SWITCH_AUTO, RV_WORDS_SWITCH,                       \
         "correct films on slopes for depth normal to the bed; auto: yes")                         \
    FLAG(surface_edge, "surface.edge", true,                                                       \
         "end the surface inside cells, where the liquid does; no: at the middle of dry cells "    \
         "(the papers)")                                                                           \
    FLAG(surface_curtain, "surface.curtain", true,                                                 \
         "hang a curtain where liquid falls over an edge")                                         \
    FLAG(surface_minimum, "surface.minimum", true,                                                 \
         "keep the surface over the terrain's triangles; no: as high as the columns, for comparing")\
    FLAG(surface_boundary, "surface.boundary", true,                                               \
         "end the surface level at dry columns; no: on their beds, for comparing")                 \
    FLAG(surface_links, "surface.links", true,                                                     \
         "link columns of different layers; no: within layers only, for comparing")                \
    REAL(surface_film, "surface.film", "m", 1e-5, 0, 1, "the thinnest film that has a surface")    \
    REAL(surface_level, "surface.level", "1", 0.35, 0.01, 1,                                       \
         "density, over that at rest, where the surface of particles is")                          \
    FLAG(surface_droplets, "surface.droplets", false,                                              \
         "droplets are part of the surface, and those that fly close together one liquid")         \
    FLAG(surface_average, "surface.average", false,                                                \
         "draw means of the columns around each corner of a cell, as the tank paper does, not the "     \
         "columns")                                                                                \
    REAL(surface_over, "surface.over", "1", 0.05, 1e-4, 1,                                         \
         "least height of the surface over the bed, in cells")                                     \
    FLAG(surface_meniscus, "surface.meniscus", true,                                               \
         "bend the surface where it meets a solid, by the contact angle (in normals only)")        \
    REAL(surface_meniscus_length, "surface.meniscus_length", "m", 2.8e-3, 1e-6, 1,                 \
         "how far from the solid the surface is bent")                                             \
    REAL(view_azimuth, "view.azimuth", "rad", -1.05, -1e3, 1e3,                                    \
         "direction the camera looks from, from +x toward +y")                                     \
    REAL(view_elevation, "view.elevation", "rad", 0.7, -1.57, 1.57,                                \
         "height of the camera as an angle")                                                       \
    REAL(view_zoom, "view.zoom", "1", 1, 0.01, 100, "1 fits the whole grid into the picture")      \
    REAL(view_lens, "view.lens", "rad", 0.5, 0.02, 2.5, "vertical angle of view")                  \
    REAL(view_x, "view.x", "m", 0, -1e6, 1e6, "what the camera looks at, from the grid's middle")  \
    REAL(view_y, "view.y", "m", 0, -1e6, 1e6, "what the camera looks at, from the grid's middle")  \
    REAL(view_z, "view.z", "m", 0, -1e6, 1e6,                                                      \
         "what the camera looks at, from the terrain's middle")                                    \
    WHOLE(view_width, "view.width", "px", 960, 16, 8192, "width of pictures")                      \
    WHOLE(view_height, "view.height", "px", 720, 16, 8192, "height of pictures")                   \
    REAL(view_rate, "view.rate", "1/s", 30, 1, 240, "pictures a second in films")                  \
    REAL(view_speed, "view.speed", "1", 1, 1e-3, 1e3, "simulated seconds in a second of film")     \
    REAL(view_opaque, "view.opaque", "m", 0.002, 1e-6, 1e3,                                        \
         "depth from which the liquid hides the bed")                                              \
    WORD(view_mode, "view.mode", rv_view_mode, RV_VIEW_SHADED, RV_WORDS_VIEW_MODE,                 \
         "what pictures show: the scene as it is, its triangles, or a quantity in colours")        \
    WHOLE(view_samples, "view.samples", "1", 4, 1, 16,                                             \
          "samples a pixel against stair-stepped edges")                                           \
    REAL(view_detail, "view.detail", "1", 1, 0, 64,                                                \
         "of a world of a million cells and more, made of heights: pixels under which cells are "  \
         "drawn together; 0: every cell is drawn")                                                 \
    REAL(view_exposure, "view.exposure", "1", 1, 1e-3, 1e3, "brightness of pictures")              \
    REAL(view_turn, "view.turn", "rad", 0, -1e3, 1e3,                                              \
         "turns the light and the surroundings about z")                                           \
    WORD(view_studio, "view.studio", rv_studio_kind, RV_STUDIO_PLAIN, RV_WORDS_STUDIO,             \
         "the lamps around a scene that names no environment of its own")                          \
    FLAG(view_caustics, "view.caustics", true,                                                     \
         "liquid throws shadows, and clear liquid gathers the lamp's light under it")              \
    FLAG(view_capped, "view.capped", true,                                                         \
         "turn normals of a convex rim toward the eye; no: its outline is black, for comparing")   \
    REAL(view_aperture, "view.aperture", "m", 0, 0, 1e3,                                           \
         "radius of the camera's lens: what is not in focus is blurred; 0: all is sharp")          \
    REAL(view_focus, "view.focus", "m", 0, -1e6, 1e6,                                              \
         "how far behind what the camera looks at things are sharp; less than 0: before it")       \
    REAL(view_shutter, "view.shutter", "1", 0, 0, 1,                                               \
         "share of the time between two pictures of a film that one of them shows; 0: none")       \
    WHOLE(view_exposures, "view.exposures", "1", 16, 1, 256,                                       \
          "pictures that are laid over each other for view.aperture and view.shutter")             \
    REAL(view_bokeh, "view.bokeh", "1", 0.032, 0, 0.2,                                             \
         "radius of a light out of focus behind a pane, in heights of the picture; 0: all is "     \
         "sharp")                                                                                  \
    REAL(view_fog, "view.fog", "1", 0.75, 0, 1, "how much the mist on a pane hides")               \
    FLAG(view_alpha, "view.alpha", false,                                                          \
         "draw the water on a pane alone, and its cover as the picture's alpha")                   \
    WORD(view_material, "view.material", rv_material, RV_MATERIAL_PLAIN, RV_WORDS_MATERIAL,        \
         "what the terrain looks like in pictures")

#define RV_PARAM_REAL(field, ...) double field;
#define RV_PARAM_WHOLE(field, ...) int field;
#define RV_PARAM_FLAG(field, ...) bool field;
#define RV_PARAM_WORD(field, key, type, ...) type field;
#define RV_PARAM_DOWN(field, ...) rv_vec3 field;
typedef struct rv_params {
    RV_PARAMS(RV_PARAM_REAL, RV_PARAM_WHOLE, RV_PARAM_FLAG, RV_PARAM_WORD, RV_PARAM_DOWN)
} rv_params;
#undef RV_PARAM_REAL
#undef RV_PARAM_WHOLE
#undef RV_PARAM_FLAG
#undef RV_PARAM_WORD
#undef RV_PARAM_DOWN

RV_API rv_params rv_default_params(void);

// The downward part of gravity, m/s².
static inline double rv_gravity_down(const rv_params *params)
{
    return 0.0 - params->gravity.z;
}

// How strong gravity is, m/s².
static inline double rv_gravity_size(const rv_params *params)
{
    rv_vec3 g = params->gravity;
    return g.x == 0 && g.y == 0 ? rv_gravity_down(params) : sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
}

// A field of a definition struct, as a table row: what readers, printers and sliders walk over.
typedef enum rv_type { RV_REAL, RV_WHOLE, RV_FLAG, RV_WORD, RV_VECTOR } rv_type;

typedef struct rv_field_info {
    const char *key;     // as in scene files, "pipes.area"
    rv_type type;        // RV_REAL double, RV_WHOLE int, RV_FLAG bool, RV_WORD enum, RV_VECTOR rv_vec3
    const char *unit;    // "" for words and flags, "1" for pure numbers
    const char *words;   // "wet|cell" for RV_WORD, else NULL
    double preset;       // the default (for RV_VECTOR: of each component)
    double low, high;    // inclusive range of RV_REAL, RV_WHOLE and of each component of RV_VECTOR
    const char *meaning; // one line
    size_t offset;       // byte offset in the struct
    // RV_VECTOR: a plain number g stands for (0, 0, -g). The default and the range are those of g; x and y may be
    // -high to high.
    bool down;
    bool up;    // RV_VECTOR: the default is (0, 0, preset)
    bool fixed; // a parameter that cannot change while a world lives; it has to be made anew
} rv_field_info;

typedef struct rv_table {
    const char *name; // "parameters", "source", …
    const rv_field_info *fields;
    int count;
    size_t size; // of the struct
} rv_table;

RV_API const rv_table *rv_params_table(void);

// The row of a key, or NULL.
RV_API const rv_field_info *rv_table_find(const rv_table *table, const char *key);
// The known key nearest to a misspelt one, or NULL when none is near.
RV_API const char *rv_table_nearest(const rv_table *table, const char *key);
// What became of a parameter that earlier versions had, one line; NULL: it is there, or never was.
RV_API const char *rv_param_gone(const char *key);
// Fills a struct with its defaults.
RV_API void rv_table_defaults(const rv_table *table, void *object);
// Parses text into one field of object. Numbers may carry a unit of the field's kind: "5 mm", "30 deg",
// "2 ml/s", "3 ms". false: object is unchanged and `why` says what is wrong, without the key.
RV_API bool rv_field_parse(const rv_field_info *field, const char *text, void *object, char *why,
                           size_t why_size);
// Writes a field's value as it would stand in a scene file.
RV_API void rv_field_print(const rv_field_info *field, const void *object, char *out,
                           size_t out_size);
// The inclusive range of a number, or of component 0 to 2 of a vector.
RV_API void rv_field_range(const rv_field_info *field, int component, double *low, double *high);
// Whether a field has the same value in both objects.
RV_API bool rv_field_same(const rv_field_info *field, const void *a, const void *b);
// Adds a line for each field out of its range or not finite. true when none is.
RV_API bool rv_table_check(const rv_table *table, const void *object, const char *where,
                           rv_messages *messages);

#ifdef __cplusplus
}
#endif
#endif

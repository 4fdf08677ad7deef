// What a renderer is made of; for the files that draw its parts.
#ifndef RENDER_RENDERER_PARTS_H
#define RENDER_RENDERER_PARTS_H

#include "render/beads.h"
#include "render/bodies.h"
#include "render/cull.h"
#include "render/density.h"
#include "render/dew.h"
#include "render/drops.h"
#include "render/eye.h"
#include "render/flat.h"
#include "render/frame.h"
#include "render/gather.h"
#include "render/kernels.h"
#include "render/openness.h"
#include "render/overlay.h"
#include "render/pane.h"
#include "render/points.h"
#include "render/program.h"
#include "render/room.h"
#include "render/shadow.h"
#include "render/sheet.h"
#include "render/spots.h"
#include "render/target_kinds.h"
#include "render/tiles.h"
#include "render/timers.h"
#include "render/wide.h"
#include "rivulet_gl/renderer.h"

typedef struct rv_programs {
    GLuint shadow, lamp, floor, backdrop, front, peel, second, liquid, under_bodies, mapped, cover,
        overlay, wire, finish, done, body_map, drop, bead, dew, copy, density, density_foam,
        density_shade, wide_lamp, shape, shape_second, number, number_second, cover_code, no_depth,
        no_tiles;
} rv_programs;

// The terrain's programs are made when they are needed, one for each mix of materials.
enum { RV_MIXES = 24 };
typedef struct rv_mix_program {
    unsigned materials;
    rv_material from, to; // the scene's material in the mesh, and what is drawn for it
    bool bodies;          // that throw shadows on it
    bool wide;
    GLuint program;
    rv_program_asked asked;
} rv_mix_program;

struct rv_renderer {
    rv_target *target;
    bool draws; // the target has a context
    // The world that was taken over last.
    const rv_world *world;
    double made;     // when: another may stand where one stood that is gone
    uint64_t print;  // of its terrain
    int64_t changes; // of its terrain, so far
    rv_material material;
    float azimuth; // that its scene is lit for
    rv_extent extent;
    int planes;
    rv_openness openness;
    rv_tiles tiles;
    rv_sheet sheet;
    rv_wide wide; // instead of these, in a world that is one
    rv_programs wide_program;
    bool wide_buffered; // they find liquid in the card's buffer
    bool wide_copies;   // this driver cannot
    rv_body_set bodies;
    rv_drops drops;
    rv_beads beads;
    rv_dew_set dew;
    rv_pane_part pane;
    rv_density_box box;
    rv_splat_gl *splat; // borrowed; NULL: none
    rv_flat flat;
    rv_foam foam; // of particles as a height
    rv_points points; // single particles
    bool pointed;     // of all particles, instead of their surface
    rv_shadow shadow;
    rv_gather gather;
    rv_kernels kernels;
    rv_cull cull;
    bool chosen; // liquid is drawn of triangles that `cull` has chosen
    rv_room room;
    GLuint noise;
    rv_picture_frame frame;
    rv_spots spots;
    bool tiled;     // what lies over solids is known only in tiles that have liquid (frame.tiles)
    bool spotted;   // or drops (spots)
    bool coded;     // of liquid which pixel its samples have their colour from (frame.codes)
    bool over_left; // so it was in the frame before: elsewhere its samples are of other frames
    bool depth_left[2]; // depths of liquid, and of that behind it, are the farthest but in
                        // frame.tiles
    GLuint shown;       // colours of the solids in this frame, with the shadow of liquid on them
    rv_frame_numbers numbers;
    rv_frame_numbers solid; // that the kept picture of solids was drawn with
    bool kept;              // it is still that of the tiles
    int area_before[4];     // of what lay over solids in the last frame: x, y, width, height
    int area_solid[4];      // of the solids that were drawn in this frame
    bool lit;               // frame.lit has the solids of the last frame
    bool finished;          // frame.done is the last picture
    float exposure;         // of it
    float lens[2];          // where in the lens the eye is, in radii
    GLuint numbers_buffer;
    GLuint nothing; // a vertex array without attributes
    rv_programs program;
    rv_mix_program mix[RV_MIXES];
    int mixes;
    GLuint body[RV_BODY_MATERIALS]; // programs, made when they are needed
    rv_program_asked body_asked[RV_BODY_MATERIALS];
    rv_mark mark;
    rv_overlay_list ring;
    rv_overlay overlay;  // of the columns
    rv_view_mode wanted; // by the last frame
    rv_legend legend;
    GLuint colours;
    rv_timers timers;
    rv_renderer_stats stats;
};

// Programs (render/programs.c), in groups of what is needed together: always; liquid that is drawn,
// not computed; in the colours of a quantity; wires; bodies; liquid that is computed from numbers
// of triangles, or from shapes; what covers samples, by codes.
enum {
    RV_PROGRAMS_ALWAYS = 1,
    RV_PROGRAMS_DRAWN = 2,
    RV_PROGRAMS_MAPPED = 4,
    RV_PROGRAMS_WIRES = 8,
    RV_PROGRAMS_BODIES = 16,
    RV_PROGRAMS_NUMBERED = 32,
    RV_PROGRAMS_SHAPED = 64,
    RV_PROGRAMS_CODED = 128
};
bool rv_programs_make(rv_renderer *renderer, unsigned groups, rv_messages *messages);
// Makes those that are not there. false: the driver does not take one.
bool rv_programs_take(rv_renderer *renderer, unsigned groups);
// Of the terrain's tiles with these materials, and of bodies of one. 0: as above.
GLuint rv_programs_mix(rv_renderer *renderer, unsigned materials, rv_material to,
                       rv_messages *messages);
GLuint rv_programs_body(rv_renderer *renderer, int material, rv_messages *messages);
// Asks the driver for what the next frame will need.
void rv_programs_ask(rv_renderer *renderer, const rv_params *params);
void rv_programs_free(rv_renderer *renderer);

// Views besides the shaded one (render/views.c): what they need of a world, their numbers, and what
// they draw.
rv_result rv_views_update(rv_renderer *renderer, const rv_columns *columns, rv_view_mode mode);
void rv_views_numbers(rv_renderer *renderer, const rv_params *params, int width, int height);
bool rv_views_hide_liquid(rv_view_mode mode);
bool rv_views_of_columns(rv_view_mode mode); // it is drawn from columns, not from the surface
bool rv_views_mapped(rv_view_mode mode);     // the liquid is drawn in the colours of a quantity
void rv_views_draw(rv_renderer *renderer, const rv_params *params, const rv_eye *eye);
bool rv_views_make(rv_renderer *renderer);
void rv_views_free(rv_renderer *renderer);

// Parts of the picture (render/area.c): x, y, width, height in pixels; one without a size is none.
void rv_area_whole(const rv_picture_frame *frame, int area[4]);
void rv_area_join(int area[4], const int other[4]); // what holds both
// Lets everything after the solids work on the part that has something over them, or had it in the
// last frame; `area` is that part.
void rv_area_limit(rv_renderer *renderer, const rv_params *params, const rv_eye *eye, int area[4]);

// Finds the tiles that have drops (render/spots.c). false: there are too many.
bool rv_spots_find(rv_renderer *renderer, const rv_eye *eye);

// The lamp's light where liquid of columns stands in it (render/gather.c): whether it is asked for,
// its map, and the solids in that light, which are `shown` then.
bool rv_gather_wanted(const rv_renderer *renderer, const rv_params *params);
void rv_gather_map(rv_renderer *renderer);
void rv_gather_shade(rv_renderer *renderer, const int area[4]);

// The liquid's triangles, and the programs for them: of its surface, or of a wide world.
void rv_liquid_draw(const rv_renderer *renderer);
// Before a program is put to use: chooses which of them, where they are very many. Holds until
// rv_liquid_choose_all.
void rv_liquid_choose(rv_renderer *renderer, rv_cull_way way, const int area[4]);
void rv_liquid_choose_all(rv_renderer *renderer);
// The nearest liquid and what is behind it, in a part of the picture (render/liquid.c).
void rv_liquid_shade(rv_renderer *renderer, const rv_params *params, const int area[4]);
// The kernel for its colours, or for those of what is behind the nearest.
rv_kernel rv_liquid_kernel(const rv_renderer *renderer, bool second);
const rv_programs *rv_liquid_programs(const rv_renderer *renderer);
// The programs of wide worlds (render/wide_follow.c), made when they are needed first; and what
// such a world is.
rv_result rv_wide_follow_ground(rv_renderer *renderer, const rv_columns *columns,
                                rv_messages *messages);
void rv_wide_drop_programs(rv_renderer *renderer);
rv_result rv_wide_follow_liquid(rv_renderer *renderer, const rv_world *world,
                                const rv_columns *columns, rv_messages *messages);

// Whether a world's liquid is drawn by rays through its density.
bool rv_renderer_casts(const rv_params *params);
// Liquid of particles in space (render/density_draw.c): its shadow on the solids, itself, and what
// it covers. Its programs, which are large, are made when they are needed first.
bool rv_density_prepare(rv_renderer *renderer, bool foams, rv_messages *messages);
void rv_density_shade(rv_renderer *renderer);
void rv_density_draw(rv_renderer *renderer);
void rv_density_cover(rv_renderer *renderer);
// The particles themselves, instead.
void rv_density_draw_points(rv_renderer *renderer);
void rv_density_cover_points(rv_renderer *renderer);

// Draws one frame into the target.
rv_result rv_renderer_frame(rv_renderer *renderer, const rv_params *params, int width, int height);

#endif

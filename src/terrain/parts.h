// Solids prepared for many evaluations: turns and reciprocals worked out once (rv_part), and lists
// of them cut down to what matters near a place (rv_node). Internal to src/terrain.
#ifndef RV_TERRAIN_PARTS_H
#define RV_TERRAIN_PARTS_H

#include "rivulet/scene.h"
#include "terrain/form.h"

#define RV_GROUP_DEPTH_MAX 32   // groups within groups
#define RV_COPIES_MAX (1 << 20) // solids after mirroring, all together
#define RV_NOISE_FADE_START                                                                        \
    2.0 // noise is whole up to this many times its height from the surface …
#define RV_NOISE_FADE_END 4.0 // … and gone from here on

typedef struct rv_part {
    rv_shape shape;
    rv_operation op;
    rv_mirror mirror; // as bits: 1 mirrors x, 2 mirrors y
    int children;     // of a group: parts that follow and belong to it
    bool turned;
    double blend, scale, shrink; // shrink = 1 / scale
    rv_vec3 at;
    rv_vec3 row[3]; // the inverse rotation
    union {
        struct {
            rv_vec3 half; // half edges, less the rounding
            double round;
        } box;
        struct {
            double radius;
        } sphere;
        struct {
            double least;  // smallest half axis
            rv_vec3 ratio; // half axes over it
            double shrink; // 1 / least
        } ellipsoid;
        struct {
            rv_vec3 from, along; // unit axis
            double length, radius, radius2;
            double lean, shift; // sine and tangent of the flank's angle
        } capsule;
        struct {
            double radius, half, round; // less the rounding
        } cylinder;
        struct {
            double bottom, top, half, run, rise, inverse; // 1 / (run² + rise²)
        } cone;
        struct {
            double ring, tube;
        } torus;
        struct {
            rv_vec3 normal; // unit
        } plane;
        const rv_form *form;
    } as;
    double noise, noise_rate, noise_share; // 1 / size of bumps, noise / sum of the octaves' weights
    int noise_octaves;
    uint32_t noise_seed;
    uint8_t look; // looks.h; its own word until that is resolved
} rv_part;

// Needs a scale above 0 (rv_solids_check).
rv_part rv_part_of(const rv_solid_def *solid);
// The distance of any shape but a group, in its own frame.
double rv_part_shape(const rv_part *part, rv_vec3 q);
// The point in the part's own frame. image: bit 0 flips x first, bit 1 flips y.
rv_vec3 rv_part_frame(const rv_part *part, rv_vec3 p, int image);
// From the shape's own distance at q to the distance outside: noise and scale.
double rv_part_finish(const rv_part *part, double own, rv_vec3 q);
// What was there, a, and the part at distance b, joined by the part's operation.
double rv_part_join(const rv_part *part, double a, double b);

// Noise at q, between -noise and noise.
double rv_noise_at(const rv_part *part, rv_vec3 q);

static inline bool rv_part_has_image(const rv_part *part, int image)
{
    return (image & ~(int)part->mirror) == 0;
}

static inline bool rv_part_has_form(const rv_part *part)
{
    return part->shape == RV_SHAPE_MESH || part->shape == RV_SHAPE_VOLUME ||
           part->shape == RV_SHAPE_HEIGHTS;
}

// One image of one part. The images of a part stand in a row; the nearest counts, and the last one
// carries the operation. A group's nodes follow it.
typedef struct rv_node {
    const rv_part *part;
    int children; // nodes
    uint8_t image;
    bool last;
    bool alone; // nothing before it matters: the part replaces it
    bool clear; // it may look like what it cuts into, which therefore always matters (looks.h)
} rv_node;

// Nodes that `count` parts make with all their images; more than RV_COPIES_MAX: some larger number.
int64_t rv_nodes_needed(const rv_part *parts, int count);
// Writes them, returns how many.
int rv_nodes_of(const rv_part *parts, int count, rv_node *out);
// The combined distance, the same bits as rv_solids_distance.
double rv_nodes_distance(const rv_node *nodes, int count, rv_vec3 p);
// The same at n points, at most RV_BATCH, all within the ball; the same bits.
#define RV_BATCH 64
void rv_nodes_sample(const rv_node *nodes, int count, rv_ball ball, const rv_vec3 *points, int n,
                     double *out);
// Copies to `out` the nodes that can matter inside the ball, and bounds the distance there. Inside
// the ball `out` gives the same bits as `nodes`.
rv_range rv_nodes_cull(const rv_node *nodes, int count, rv_ball ball, rv_node *out, int *out_count);

// Whether the surface stays out of a box; where the ball around it is too large to tell, by eighths
// of it, `depth` times. 0: it may be in it; else a bound of its distance from any point of the box,
// negative in the solid.
double rv_nodes_far(const rv_node *nodes, int count, rv_box box, int depth, rv_node *scratch);

// ---- Boxes (bounds.c) ---------------------------------------------------------------------------

rv_ball rv_ball_around(rv_box box);
rv_box rv_box_of_nothing(void);
bool rv_box_meets(rv_box a, rv_box b);
rv_box rv_box_join(rv_box a, rv_box b);
rv_box rv_box_grow(rv_box box, double by);
// A box around the solid that the parts make; infinite where it has no end.
rv_box rv_parts_box(const rv_part *parts, int count);
// A box around the part's inside of that one: from its own frame to the one around it.
rv_box rv_part_box_outside(const rv_part *part, rv_box own);

#endif

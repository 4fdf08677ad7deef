// The walks of mesh_tree.h, one vector of points at a time. This file is compiled once per
// instruction set with RV_ISA set to its name.
//
// Distance: a box whose distance is more than the best so far has nothing nearer in it. Which faces
// are looked at depends on the points beside, and must not matter for the result: the box is cut by
// more than all that rounding can do to a face's distance, so no face that could be the nearest, as
// computed, is ever left out (INFLATE in mesh_tree.c, SLACK here).
//
// Winding number: a node that is far is two terms of its expansion (Barill et al. 2018, §3), a near
// one is opened, and at last each face's solid angle is exact (van Oosterom and Strackee 1983):
//     tan(Ω/2) = a·(b × c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|).
// Nodes are taken in one order for all points, and each point decides for itself which it takes, so
// that its sum is the same in any company.
#define RV_SIMD
#include "base/simd.h"
#include "terrain/mesh_tree.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

#define SLACK (1 - 3e-5f)
#define PI 3.14159265f

typedef struct place {
    rv_f x, y, z;
} place;

RV_INLINE place load(const rv_mesh_points *p, int i)
{
    return (place){rv_f_load(p->x + i), rv_f_load(p->y + i), rv_f_load(p->z + i)};
}

RV_INLINE rv_f clamped(rv_f value, rv_f high)
{
    return rv_f_min(rv_f_max(value, rv_f_set(0.0f)), high);
}

// ---- Distance -----------------------------------------------------------------------------------

RV_INLINE rv_f outside(float low, float high, rv_f x)
{
    return rv_f_max(rv_f_max(rv_f_set(low) - x, x - rv_f_set(high)), rv_f_set(0.0f));
}

RV_INLINE rv_f box_square(const rv_mesh_node *node, place p)
{
    rv_f x = outside(node->low[0], node->high[0], p.x);
    rv_f y = outside(node->low[1], node->high[1], p.y);
    rv_f z = outside(node->low[2], node->high[2], p.z);
    return (x * x + y * y + z * z) * rv_f_set(SLACK);
}

RV_INLINE rv_f along(const float axis[3], place p)
{
    return p.x * rv_f_set(axis[0]) + p.y * rv_f_set(axis[1]) + p.z * rv_f_set(axis[2]);
}

// The point in the face's own frame.
RV_INLINE place in_frame(const rv_mesh_face *f, place p)
{
    place q = {p.x - rv_f_set(f->a[0]), p.y - rv_f_set(f->a[1]), p.z - rv_f_set(f->a[2])};
    const float *u = f->u, *v = f->v;
    const float n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                        u[0] * v[1] - u[1] * v[0]};
    return (place){along(u, q), along(v, q), along(n, q)};
}

// Squared distance within the plane from an edge that starts in the origin.
RV_INLINE rv_f edge_square(rv_f x, rv_f y, rv_f edge_x, rv_f edge_y, rv_f per)
{
    rv_f t = clamped((x * edge_x + y * edge_y) * per, rv_f_set(1.0f));
    rv_f away_x = x - t * edge_x, away_y = y - t * edge_y;
    return away_x * away_x + away_y * away_y;
}

RV_INLINE rv_f face_square(const rv_mesh_face *f, place p)
{
    place q = in_frame(f, p);
    rv_f l = rv_f_set(f->l), cx = rv_f_set(f->cx), cy = rv_f_set(f->cy), zero = rv_f_set(0.0f);
    rv_f bx = cx - l, from_b = q.x - l, past = q.x - clamped(q.x, l);
    rv_f ab = past * past + q.y * q.y;
    rv_f bc = edge_square(from_b, q.y, bx, cy, rv_f_set(f->per_bc));
    rv_f ca = edge_square(q.x, q.y, cx, cy, rv_f_set(f->per_ca));
    rv_f flat = rv_f_min(ab, rv_f_min(bc, ca));
    // on the inner side of all three edges; of one without a height no point is
    rv_f inner = rv_f_min(q.y, rv_f_min(bx * q.y - cy * from_b, cy * q.x - cx * q.y));
    return rv_f_pick(rv_f_above(inner, zero), zero, flat) + q.z * q.z;
}

typedef struct walk {
    uint32_t stack[RV_MESH_STACK];
    int top;
} walk;

// Both children, the nearer one on top.
RV_INLINE void descend(walk *w, const rv_mesh_tree *tree, const rv_mesh_node *node,
                       const float middle[3])
{
    const rv_mesh_node *child = tree->node + node->first;
    int axis = node->axis;
    uint32_t second = 2 * middle[axis] > child[0].high[axis] + child[1].low[axis];
    w->stack[w->top++] = node->first + 1 - second;
    w->stack[w->top++] = node->first + second;
}

// `hint`: a face that is likely to be near, tried first; then one that was.
static rv_f nearest_of(const rv_mesh_tree *tree, place p, const float middle[3], uint32_t *hint)
{
    rv_f best = face_square(&tree->face[*hint], p);
    walk w = {.top = 1};
    w.stack[0] = 0;
    while (w.top > 0) {
        const rv_mesh_node *node = &tree->node[w.stack[--w.top]];
        if (!rv_any(rv_f_above(best, box_square(node, p)))) continue;
        if (node->faces == 0) {
            descend(&w, tree, node, middle);
            continue;
        }
        for (uint32_t i = node->first; i < node->first + node->faces; i++) {
            rv_f square = face_square(&tree->face[i], p);
            if (!rv_any(rv_f_above(best, square))) continue;
            best = rv_f_min(best, square);
            *hint = i;
        }
    }
    return best;
}

static void nearest(const rv_mesh_tree *tree, const rv_mesh_points *points, int n, float *square)
{
    uint32_t hint = 0;
    for (int i = 0; i < n; i += RV_LANES) {
        int last = i + RV_LANES - 1;
        float middle[3] = {0.5f * (points->x[i] + points->x[last]),
                           0.5f * (points->y[i] + points->y[last]),
                           0.5f * (points->z[i] + points->z[last])};
        rv_f_store(square + i, nearest_of(tree, load(points, i), middle, &hint));
    }
}

// ---- Winding number -----------------------------------------------------------------------------

// The angle of (x, y) from +x, in -π..π. The polynomial is the best of its length for the
// arctangent of 0..1, off by at most 2.5e-7.
RV_INLINE rv_f angle_of(rv_f y, rv_f x)
{
    rv_f wide = rv_f_abs(x), high = rv_f_abs(y), zero = rv_f_set(0.0f);
    rv_f t = rv_f_min(wide, high) / rv_f_max(rv_f_max(wide, high), rv_f_set(1e-37f)), s = t * t;
    rv_f sum = rv_f_set(0.00681179329f);
    sum = sum * s + rv_f_set(-0.0336042206f);
    sum = sum * s + rv_f_set(0.0796236724f);
    sum = sum * s + rv_f_set(-0.132333421f);
    sum = sum * s + rv_f_set(0.198078156f);
    sum = sum * s + rv_f_set(-0.333173681f);
    sum = (sum * s + rv_f_set(0.999996112f)) * t;
    sum = rv_f_pick(rv_f_above(high, wide), rv_f_set(0.5f * PI) - sum, sum);
    sum = rv_f_pick(rv_f_above(zero, x), rv_f_set(PI) - sum, sum);
    return rv_f_with_sign(sum, y);
}

// In the face's frame a, b and c differ along x and y only, and their triple product is the height
// of the point over the plane times twice the area.
RV_INLINE rv_f face_angle(const rv_mesh_face *f, place p)
{
    place q = in_frame(f, p);
    rv_f l = rv_f_set(f->l), cx = rv_f_set(f->cx), cy = rv_f_set(f->cy);
    rv_f bx = l - q.x, px = cx - q.x, py = cy - q.y, zz = q.z * q.z, yz = q.y * q.y + zz;
    rv_f a = rv_f_sqrt(q.x * q.x + yz), b = rv_f_sqrt(bx * bx + yz);
    rv_f c = rv_f_sqrt(px * px + py * py + zz);
    rv_f ab = yz - q.x * bx, bc = bx * px - q.y * py + zz, ca = zz - q.x * px - q.y * py;
    rv_f under = a * b * c + ab * c + bc * a + ca * b;
    return rv_f_set(2.0f) * angle_of(rv_f_set(0.0f) - q.z * (l * cy), under);
}

// From far, with d the way to the node's middle and R its length:
//     ∫ n·d dA / R³ + (tr M - 3 dᵀMd / R²) / R³,  M = ∫ n sᵀ dA.
RV_INLINE rv_f far_angle(const rv_mesh_far *f, place d, rv_f square)
{
    rv_f per = rv_f_set(1.0f) / rv_f_sqrt(square), per2 = per * per;
    const float *m = f->moment;
    rv_f bend = d.x * (d.x * rv_f_set(m[0]) + d.y * rv_f_set(m[3]) + d.z * rv_f_set(m[4])) +
                d.y * (d.y * rv_f_set(m[1]) + d.z * rv_f_set(m[5])) + d.z * d.z * rv_f_set(m[2]);
    rv_f sum = along(f->area, d) + rv_f_set(f->trace) - rv_f_set(3.0f) * per2 * bend;
    return sum * (per2 * per);
}

typedef struct open_node {
    rv_f wanted; // 1 for the points that have not had a node above it from far, else 0
    uint32_t node;
} open_node;

static rv_f angle_around(const rv_mesh_tree *tree, place p)
{
    open_node stack[RV_MESH_STACK];
    rv_f sum = rv_f_set(0.0f), zero = sum;
    int top = 1;
    stack[0] = (open_node){rv_f_set(1.0f), 0};
    while (top > 0) {
        open_node now = stack[--top];
        const rv_mesh_far *f = &tree->far[now.node];
        place d = {rv_f_set(f->at[0]) - p.x, rv_f_set(f->at[1]) - p.y, rv_f_set(f->at[2]) - p.z};
        rv_f square = d.x * d.x + d.y * d.y + d.z * d.z;
        rv_mask is_far = rv_f_above(square, rv_f_set(f->reach));
        rv_mask taken = rv_f_above(rv_f_pick(is_far, now.wanted, zero), zero);
        now.wanted = rv_f_pick(is_far, zero, now.wanted);
        if (rv_any(taken)) sum = sum + rv_f_pick(taken, far_angle(f, d, square), zero);
        rv_mask left = rv_f_above(now.wanted, zero);
        if (!rv_any(left)) continue;
        const rv_mesh_node *node = &tree->node[now.node];
        if (node->faces == 0) {
            stack[top++] = (open_node){now.wanted, node->first + 1};
            stack[top++] = (open_node){now.wanted, node->first};
        }
        for (uint32_t i = node->first; i < node->first + node->faces; i++)
            sum = sum + rv_f_pick(left, face_angle(&tree->face[i], p), zero);
    }
    return sum;
}

static void angle(const rv_mesh_tree *tree, const rv_mesh_points *points, int n, float *out)
{
    for (int i = 0; i < n; i += RV_LANES) rv_f_store(out + i, angle_around(tree, load(points, i)));
}

const rv_mesh_walks PASTE(rv_mesh_walks_, RV_ISA);
const rv_mesh_walks PASTE(rv_mesh_walks_, RV_ISA) = {TEXT(RV_ISA), nearest, angle};

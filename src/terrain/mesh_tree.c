// Builds the tree: halves of halves of the triangles, each time where the sum over both sides of
// box surface times triangles is least, of 16 places along the longest edge of the box around their
// middles. Leaves have up to four faces.
#include "terrain/mesh_tree.h"

#include "base/isa.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define LEAF 4
#define BINS 16
// Below this depth the triangles are halved by number, so that no walk needs a deeper stack.
#define DEPTH_BY_PLACE 60
// Room around a face, in lengths of its longest edge: what rounding may do to a distance from it.
// With e = 6e-8 the rounding of one operation and q the way from corner A to the point, the point's
// coordinates in the frame are off by less than 10 e |q|, the way to an edge by 15 e (|q| + l), and
// |q| is at most the distance and 2 l. Together less than 6e-6 l, and 2e-6 of the distance (SLACK).
#define INFLATE 8e-6

typedef struct item {
    float low[3], high[3];
    uint32_t face;
    float loose; // length of loose edges
} item;

// Sums over the faces of a node, for rv_mesh_far.
typedef struct sums {
    double area;      // ∫ dA
    double at[3];     // middle of the area
    double vector[3]; // ∫ n dA
    double m[3][3];   // ∫ n sᵀ dA
    double radius;    // of a ball around `at` with all faces
    double loose;     // length of loose edges
} sums;

typedef struct builder {
    rv_mesh_tree *tree;
    const rv_mesh_source *source;
    const rv_form_work *work;
    item *item;
    rv_mesh_face *face; // in the order of the source
    rv_mesh_corners *corners;
    size_t room; // of item, face and corners
    rv_mesh_node *node;
    rv_mesh_far *far;
    size_t node_room, nodes;
    size_t done, told; // faces in leaves
} builder;

// ---- Faces --------------------------------------------------------------------------------------

static rv_vec3 minus(rv_vec3 a, rv_vec3 b)
{
    return (rv_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(rv_vec3 a, rv_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static rv_vec3 cross(rv_vec3 a, rv_vec3 b)
{
    return (rv_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static void store(float out[3], rv_vec3 v)
{
    out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z;
}

// Starts the triangle with its longest edge, keeping its turn. The length of that edge.
static double longest_first(rv_mesh_triangle *t)
{
    double most = -1;
    int first = 0;
    for (int i = 0; i < 3; i++) {
        rv_vec3 edge = minus(t->corner[(i + 1) % 3], t->corner[i]);
        double square = dot(edge, edge);
        if (square > most) most = square, first = i;
    }
    rv_mesh_triangle old = *t;
    for (int i = 0; i < 3; i++) t->corner[i] = old.corner[(first + i) % 3];
    return sqrt(most);
}

static float per_square(double x, double y)
{
    return (float)(1 / fmax(x * x + y * y, 1e-30));
}

// A unit vector at right angles to u.
static rv_vec3 any_across(rv_vec3 u)
{
    rv_vec3 other = fabs(u.x) < 0.7 ? (rv_vec3){1, 0, 0} : (rv_vec3){0, 1, 0};
    rv_vec3 v = cross(u, other);
    double length = sqrt(dot(v, v));
    return (rv_vec3){v.x / length, v.y / length, v.z / length};
}

// One without a height is its longest edge.
static rv_mesh_face make_face(rv_mesh_triangle t, double *longest)
{
    rv_mesh_face f = {0};
    double l = longest_first(&t), per = l > 0 ? 1 / l : 0;
    rv_vec3 ab = minus(t.corner[1], t.corner[0]), ac = minus(t.corner[2], t.corner[0]);
    rv_vec3 u = {ab.x * per, ab.y * per, ab.z * per};
    rv_vec3 v = cross(cross(u, (rv_vec3){ac.x * per, ac.y * per, ac.z * per}), u);
    double height = sqrt(dot(v, v)); // in lengths of AB
    if (height > 1e-12)
        v = (rv_vec3){v.x / height, v.y / height, v.z / height};
    else
        v = any_across(u);
    double cx = dot(ac, u), cy = fmax(dot(ac, v), 0);
    store(f.a, t.corner[0]), store(f.u, u), store(f.v, v);
    f.l = (float)l, f.cx = (float)cx, f.cy = (float)cy;
    f.per_bc = per_square(cx - l, cy), f.per_ca = per_square(cx, cy);
    *longest = fmax(*longest, l);
    return f;
}

static void make_item(const rv_mesh_triangle *t, const rv_mesh_face *f, uint32_t face, item *out)
{
    double room = INFLATE * (double)f->l;
    for (int axis = 0; axis < 3; axis++) {
        double c[3];
        for (int i = 0; i < 3; i++) {
            rv_vec3 p = t->corner[i];
            c[i] = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
        }
        double low = fmin(c[0], fmin(c[1], c[2])) - room;
        double high = fmax(c[0], fmax(c[1], c[2])) + room;
        // local places are at most 1, so 1e-7 is more than their rounding
        out->low[axis] = (float)(low - 1e-7), out->high[axis] = (float)(high + 1e-7);
    }
    out->face = face, out->loose = (float)t->loose;
}

static void make_faces(builder *b)
{
    for (size_t i = 0; i < b->source->count; i++) {
        rv_mesh_triangle t;
        b->source->get(b->source->user, i, &t);
        b->face[i] = make_face(t, &b->tree->longest);
        for (int k = 0; b->corners && k < 3; k++) store(b->corners[i].at[k], t.corner[k]);
        make_item(&t, &b->face[i], (uint32_t)i, &b->item[i]);
    }
}

// ---- Splitting ----------------------------------------------------------------------------------

typedef struct box {
    float low[3], high[3];
} box;

static const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void grow(box *b, const float low[3], const float high[3])
{
    for (int i = 0; i < 3; i++) {
        b->low[i] = low[i] < b->low[i] ? low[i] : b->low[i];
        b->high[i] = high[i] > b->high[i] ? high[i] : b->high[i];
    }
}

static float half_surface(const box *b)
{
    float x = b->high[0] - b->low[0], y = b->high[1] - b->low[1], z = b->high[2] - b->low[2];
    return x * y + y * z + z * x;
}

// Twice the middle.
static float place_of(const item *i, int axis)
{
    return i->low[axis] + i->high[axis];
}

typedef struct bin {
    box box;
    size_t count;
} bin;

typedef struct cut {
    int axis;
    float first, per_bin; // bins along the axis
    int bin;              // the first one on the right
} cut;

static int bin_of(const cut *c, const item *i)
{
    int index = (int)((place_of(i, c->axis) - c->first) * c->per_bin);
    return index < BINS ? index : BINS - 1;
}

static void best_bin(cut *c, const bin *bins)
{
    float left[BINS];
    box all = nothing;
    size_t count = 0;
    for (int i = 0; i < BINS - 1; i++) {
        grow(&all, bins[i].box.low, bins[i].box.high), count += bins[i].count;
        left[i + 1] = count > 0 ? half_surface(&all) * (float)count : INFINITY;
    }
    float least = INFINITY;
    all = nothing, count = 0, c->bin = BINS / 2;
    for (int i = BINS - 1; i > 0; i--) {
        grow(&all, bins[i].box.low, bins[i].box.high), count += bins[i].count;
        if (count == 0) continue;
        float cost = left[i] + half_surface(&all) * (float)count;
        if (cost < least) least = cost, c->bin = i;
    }
}

// Where to cut, by the middles of the items. false: they are all in one place.
static bool find_cut(const item *items, size_t n, cut *c)
{
    box middles = nothing;
    for (size_t i = 0; i < n; i++) {
        float p[3] = {place_of(&items[i], 0), place_of(&items[i], 1), place_of(&items[i], 2)};
        grow(&middles, p, p);
    }
    float width = 0;
    for (int i = 0; i < 3; i++) {
        float w = middles.high[i] - middles.low[i];
        if (w > width) width = w, c->axis = i;
    }
    if (!(width > 1e-30f)) return false;
    c->first = middles.low[c->axis], c->per_bin = BINS / width;
    bin bins[BINS];
    for (int i = 0; i < BINS; i++) bins[i] = (bin){nothing, 0};
    for (size_t i = 0; i < n; i++) {
        bin *to = &bins[bin_of(c, &items[i])];
        grow(&to->box, items[i].low, items[i].high), to->count++;
    }
    best_bin(c, bins);
    return true;
}

// Puts the left side first; its number. Neither side is empty: the outermost bins are not.
static size_t split(item *items, size_t n, int depth, int *axis)
{
    cut c = {0};
    *axis = 0;
    if (depth > DEPTH_BY_PLACE || !find_cut(items, n, &c)) return n / 2;
    *axis = c.axis;
    size_t left = 0, right = n;
    while (left < right) {
        if (bin_of(&c, &items[left]) < c.bin) {
            left++;
            continue;
        }
        item swap = items[--right];
        items[right] = items[left], items[left] = swap;
    }
    return left > 0 && left < n ? left : n / 2;
}

// ---- The look from far --------------------------------------------------------------------------

static rv_vec3 vector_of(const float v[3])
{
    return (rv_vec3){(double)v[0], (double)v[1], (double)v[2]};
}

static sums of_face(const rv_mesh_face *f)
{
    sums s = {.area = 0.5 * (double)f->l * (double)f->cy};
    rv_vec3 u = vector_of(f->u), v = vector_of(f->v), n = cross(u, v);
    double x = ((double)f->l + (double)f->cx) / 3, y = (double)f->cy / 3;
    for (int i = 0; i < 3; i++) {
        s.at[i] = (double)f->a[i] + x * (double)f->u[i] + y * (double)f->v[i];
        s.vector[i] = s.area * (i == 0 ? n.x : i == 1 ? n.y : n.z);
    }
    s.radius = (double)f->l; // AB is the longest edge
    return s;
}

// Adds what stands about its own middle to sums about another.
static void shift_in(sums *to, const sums *from)
{
    double way = 0;
    for (int j = 0; j < 3; j++) {
        double s = from->at[j] - to->at[j];
        way += s * s;
        for (int i = 0; i < 3; i++) to->m[i][j] += from->m[i][j] + from->vector[i] * s;
        to->vector[j] += from->vector[j];
    }
    to->radius = fmax(to->radius, sqrt(way) + from->radius);
}

static sums joined(const sums *parts, int count)
{
    sums all = {0};
    for (int k = 0; k < count; k++) all.area += parts[k].area, all.loose += parts[k].loose;
    for (int k = 0; k < count; k++) {
        double share = all.area > 0 ? parts[k].area / all.area : 1.0 / count;
        for (int i = 0; i < 3; i++) all.at[i] += share * parts[k].at[i];
    }
    for (int k = 0; k < count; k++) shift_in(&all, &parts[k]);
    return all;
}

// The ball around the box may be the smaller one.
static void limit_radius(sums *s, const rv_mesh_node *node)
{
    double square = 0;
    for (int i = 0; i < 3; i++) {
        double way = fmax(s->at[i] - (double)node->low[i], (double)node->high[i] - s->at[i]);
        square += way * way;
    }
    s->radius = fmin(s->radius, sqrt(square));
}

static rv_mesh_far far_of(const sums *s)
{
    rv_mesh_far f = {.trace = (float)(s->m[0][0] + s->m[1][1] + s->m[2][2])};
    double reach = RV_MESH_BETA * s->radius;
    f.reach = (float)(reach * reach), f.loose = (float)s->loose;
    for (int i = 0; i < 3; i++) {
        f.at[i] = (float)s->at[i], f.area[i] = (float)s->vector[i];
        f.moment[i] = (float)s->m[i][i];
    }
    f.moment[3] = (float)(s->m[0][1] + s->m[1][0]);
    f.moment[4] = (float)(s->m[0][2] + s->m[2][0]);
    f.moment[5] = (float)(s->m[1][2] + s->m[2][1]);
    return f;
}

// ---- Nodes --------------------------------------------------------------------------------------

static void tell(builder *b)
{
    const rv_form_work *work = b->work;
    bool last = b->done == b->tree->faces;
    if (!work->progress || (!last && (b->done - b->told) * 64 < b->tree->faces)) return;
    b->told = b->done;
    work->progress((double)b->done / (double)b->tree->faces, work->progress_user);
}

static sums make_leaf(builder *b, rv_mesh_node *node, const item *items, size_t n)
{
    sums parts[LEAF];
    node->first = (uint32_t)b->done, node->faces = (uint16_t)n;
    for (size_t i = 0; i < n; i++) {
        if (b->corners) b->tree->corners[b->done] = b->corners[items[i].face];
        b->tree->face[b->done] = b->face[items[i].face];
        parts[i] = of_face(&b->tree->face[b->done++]);
        parts[i].loose = (double)items[i].loose;
    }
    tell(b);
    return joined(parts, (int)n);
}

static sums make_node(builder *b, size_t index, item *items, size_t n, int depth)
{
    rv_mesh_node *node = &b->node[index];
    box all = nothing;
    for (size_t i = 0; i < n; i++) grow(&all, items[i].low, items[i].high);
    memcpy(node->low, all.low, sizeof node->low), memcpy(node->high, all.high, sizeof node->high);
    sums s;
    if (n <= LEAF) {
        s = make_leaf(b, node, items, n);
    } else {
        int axis;
        size_t left = split(items, n, depth, &axis), first = b->nodes;
        b->nodes += 2;
        node->first = (uint32_t)first, node->axis = (uint16_t)axis;
        sums parts[2];
        parts[0] = make_node(b, first, items, left, depth + 1);
        parts[1] = make_node(b, first + 1, items + left, n - left, depth + 1);
        s = joined(parts, 2);
    }
    limit_radius(&s, node);
    if (b->far) b->far[index] = far_of(&s);
    return s;
}

// Keeps of the nodes as many as there are.
static rv_result keep_nodes(builder *b)
{
    rv_mesh_tree *t = b->tree;
    t->nodes = b->nodes;
    t->node = rv_new(&t->allocator, t->nodes, sizeof *t->node);
    if (b->far) t->far = rv_new(&t->allocator, t->nodes, sizeof *t->far);
    if (!t->node || (b->far && !t->far)) return RV_OUT_OF_MEMORY;
    memcpy(t->node, b->node, t->nodes * sizeof *t->node);
    if (b->far) memcpy(t->far, b->far, t->nodes * sizeof *t->far);
    return RV_OK;
}

static rv_result build(builder *b, bool steady)
{
    rv_mesh_tree *t = b->tree;
    const rv_allocator *a = &t->allocator;
    b->item = rv_new(a, b->room, sizeof *b->item);
    b->face = rv_new(a, b->room, sizeof *b->face);
    if (steady) b->corners = rv_new(a, b->room, sizeof *b->corners);
    if (!b->item || !b->face || (steady && !b->corners)) return RV_OUT_OF_MEMORY;
    size_t faces = b->source->count;
    make_faces(b);
    b->node_room = 2 * faces;
    t->face = rv_new(a, faces, sizeof *t->face), t->faces = faces;
    b->node = rv_new(a, b->node_room, sizeof *b->node);
    if (steady) t->corners = rv_new(a, faces, sizeof *t->corners);
    if (!steady) b->far = rv_new(a, b->node_room, sizeof *b->far);
    if (!t->face || !b->node || !(steady ? (void *)t->corners : (void *)b->far))
        return RV_OUT_OF_MEMORY;
    b->nodes = 1;
    make_node(b, 0, b->item, faces, 0);
    return keep_nodes(b);
}

rv_result rv_mesh_tree_build(const rv_mesh_source *source, bool steady, const rv_form_work *work,
                             rv_mesh_tree *out)
{
    *out = (rv_mesh_tree){.allocator = work->allocator};
    builder b = {.tree = out, .source = source, .work = work, .room = source->count};
    rv_result r = build(&b, steady);
    const rv_allocator *a = &out->allocator;
    rv_free(a, b.far, b.node_room, sizeof *b.far);
    rv_free(a, b.node, b.node_room, sizeof *b.node);
    rv_free(a, b.corners, b.room, sizeof *b.corners);
    rv_free(a, b.face, b.room, sizeof *b.face);
    rv_free(a, b.item, b.room, sizeof *b.item);
    return r;
}

void rv_mesh_tree_free(rv_mesh_tree *tree)
{
    const rv_allocator *a = &tree->allocator;
    rv_free(a, tree->face, tree->faces, sizeof *tree->face);
    rv_free(a, tree->corners, tree->faces, sizeof *tree->corners);
    rv_free(a, tree->node, tree->nodes, sizeof *tree->node);
    rv_free(a, tree->far, tree->nodes, sizeof *tree->far);
}

// ---- The winding number of a steady mesh --------------------------------------------------------

// Faces over the point, each counted once upward or downward as it faces. Seen from above, a face
// lies around the point if of its edges that cross the point's line along x, one is on the right.
// Whether an edge crosses and where is decided from its two ends alone, in one order, so that all
// of its faces agree and none is counted twice or missed, whatever the rounding.

// Whether the edge, one end of which is not above y, is right of the point.
static bool is_right(const float *a, const float *b, double x, double y)
{
    const float *low = (double)a[1] <= y ? a : b, *high = low == a ? b : a;
    double low_x = (double)low[0], low_y = (double)low[1];
    return ((double)high[0] - low_x) * (y - low_y) > (x - low_x) * ((double)high[1] - low_y);
}

// Where an edge crosses y: x, and with it z.
static void crossing(const float *a, const float *b, double y, double *x, double *z)
{
    double t = (y - (double)a[1]) / ((double)b[1] - (double)a[1]);
    *x = (double)a[0] + t * ((double)b[0] - (double)a[0]);
    *z = (double)a[2] + t * ((double)b[2] - (double)a[2]);
}

// Whether a face around the point is above it: between its two edges that cross, left and right. A
// face that stands on end there may be anywhere between them, but the point, which is not on the
// surface, is not.
static bool is_above(const rv_mesh_corners *c, const bool over[3], const double p[3])
{
    double x[2], z[2];
    int n = 0;
    for (int k = 0; k < 3; k++) {
        int next = k == 2 ? 0 : k + 1;
        if (over[k] != over[next] && n < 2)
            crossing(c->at[k], c->at[next], p[1], &x[n], &z[n]), n++;
    }
    double t = x[1] != x[0] ? (p[0] - x[0]) / (x[1] - x[0]) : 0;
    t = t > 0 ? (t < 1 ? t : 1) : 0;
    return z[0] + t * (z[1] - z[0]) > p[2];
}

// 1: above the point and facing up, -1: facing down, 0: neither.
static int counts(const rv_mesh_corners *c, const double p[3])
{
    bool over[3];
    int around = 0;
    for (int k = 0; k < 3; k++) over[k] = (double)c->at[k][1] > p[1];
    for (int k = 0; k < 3; k++) {
        int next = k == 2 ? 0 : k + 1;
        if (over[k] != over[next] && is_right(c->at[k], c->at[next], p[0], p[1]))
            around += over[next] ? 1 : -1;
    }
    return around != 0 && is_above(c, over, p) ? around : 0;
}

static bool is_over(const rv_mesh_node *node, const float p[3])
{
    return p[0] >= node->low[0] && p[0] <= node->high[0] && p[1] >= node->low[1] &&
           p[1] <= node->high[1] && p[2] <= node->high[2];
}

int rv_mesh_tree_winding(const rv_mesh_tree *tree, const float p[3])
{
    const double at[3] = {(double)p[0], (double)p[1], (double)p[2]};
    uint32_t stack[RV_MESH_STACK];
    int top = 1, sum = 0;
    stack[0] = 0;
    while (top > 0) {
        const rv_mesh_node *node = &tree->node[stack[--top]];
        if (!is_over(node, p)) continue;
        if (node->faces == 0) {
            stack[top++] = node->first, stack[top++] = node->first + 1;
            continue;
        }
        for (uint32_t i = node->first; i < node->first + node->faces; i++)
            sum += counts(&tree->corners[i], at);
    }
    return sum;
}

// ---- The slope of the solid angle ---------------------------------------------------------------

// The solid angle of a surface changes like the field of a current along its edge: by at most
// ∫ dl / distance² for each length that the point moves. Edges with a triangle on either side
// cancel.

static double box_way(const rv_mesh_node *node, rv_vec3 p)
{
    const double at[3] = {p.x, p.y, p.z};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double way = fmax(fmax((double)node->low[k] - at[k], at[k] - (double)node->high[k]), 0);
        sum += way * way;
    }
    return sqrt(sum);
}

static double longest_edge(const rv_mesh_node *node)
{
    double x = (double)node->high[0] - (double)node->low[0];
    double y = (double)node->high[1] - (double)node->low[1];
    return fmax(fmax(x, y), (double)node->high[2] - (double)node->low[2]);
}

double rv_mesh_tree_slope(const rv_mesh_tree *tree, rv_vec3 middle, double radius)
{
    uint32_t stack[RV_MESH_STACK];
    double sum = 0;
    int top = 1;
    stack[0] = 0;
    while (top > 0) {
        uint32_t index = stack[--top];
        const rv_mesh_node *node = &tree->node[index];
        double loose = (double)tree->far[index].loose * (1 + 1e-5);
        if (!(loose > 0)) continue;
        double gap = box_way(node, middle) - radius;
        if (gap > longest_edge(node) || (gap > 0 && node->faces > 0)) {
            sum += loose / (gap * gap);
        } else if (node->faces > 0) {
            return INFINITY;
        } else {
            stack[top++] = node->first, stack[top++] = node->first + 1;
        }
    }
    return sum;
}

// ---- The widest instruction set that this machine has -------------------------------------------

RV_ISA_DECLARE(const rv_mesh_walks, rv_mesh_walks_)
static const rv_mesh_walks *const forms[] = {RV_ISA_LIST(rv_mesh_walks_)};

const rv_mesh_walks *rv_mesh_walks_named(const char *name)
{
    rv_isa isa = rv_isa_named(name);
    return isa < RV_ISA_COUNT ? forms[isa] : NULL;
}

const rv_mesh_walks *rv_mesh_walks_best(void)
{
    return forms[rv_isa_best()];
}

// Triangles of a node with the cells to its east, north and north-east (../../triangles.c, which
// says why): a thread a node, columns by squares and planes, extra nodes after them.
layout(local_size_x = 16, local_size_y = 16) in;

#include "shape"
#include "sums"
#include "here"
#include "vertex"
#include "line"

#define A 0
#define B 1
#define C 2
#define D 3

uint made, first_triangle; // of this thread

int direction_between(int from, int to)
{
    const int of[16] = int[16](-1, 0, 2, 1, 4, -1, 3, 2, 6, 7, -1, 0, 5, 6, 4, -1);
    return of[4 * from + to];
}

bool group_counts()
{
    return group_x() < law.groups || gl_WorkGroupID.z == 0u;
}

// ---- Vertices -----------------------------------------------------------------------------------

uint vertex_of(uint node)
{
#ifdef EMIT
    return nodes[AT_VERTEX * law.nodes + node];
#else
    if (is_extra(node)) atomicOr(nodes[AT_ENDS * law.nodes + node], OWN_VERTEX);
    return 0u;
#endif
}

// Where the surface ends between a node inside and one outside, in the direction back to the one
// inside. It is kept with the one outside.
uint end_between(uint outside, int direction)
{
#ifdef EMIT
    uint mask = nodes[AT_ENDS * law.nodes + outside] & ((1u << direction) - 1u);
    return nodes[AT_FIRST * law.nodes + outside] + uint(bitCount(mask));
#else
    atomicOr(nodes[AT_ENDS * law.nodes + outside], 1u << direction);
    return 0u;
#endif
}

// ---- Triangles ----------------------------------------------------------------------------------

void add_triangle(uint a, uint b, uint c)
{
#ifdef EMIT
    uint at = 3u * (first_triangle + made);
    corners[at] = a, corners[at + 1u] = b, corners[at + 2u] = c;
#endif
    made++;
}

// Ends in one triangle are beside each other on their line.
void join_ends(uint a, uint b)
{
#ifdef EMIT
    set_end(a - counted.inside, END_NEXT, b - counted.inside);
    set_end(b - counted.inside, END_LAST, a - counted.inside);
#endif
}

// Remembers an edge between lips that has a triangle on its left.
void share_edge(uint a, uint b, int direction)
{
#ifndef EMIT
    if (kind_of(a) != KIND_LIP || kind_of(b) != KIND_LIP) return;
    atomicOr(extra[(a - law.slots) * EXTRA_WORDS + EXTRA_SHARED], 1u << direction);
#endif
}

// One triangle of nodes in three of the four cells, counter-clockwise, cut where it ends.
void draw(uint q[4], int i, int j, int k)
{
    bool in_i = is_inside(q[i]), in_j = is_inside(q[j]), in_k = is_inside(q[k]);
    int number = int(in_i) + int(in_j) + int(in_k);
    if (number == 0 || !(is_wet(q[i]) || is_wet(q[j]) || is_wet(q[k]))) return;
    if (number == 3) {
        uint a = vertex_of(q[i]), b = vertex_of(q[j]), c = vertex_of(q[k]);
        add_triangle(a, b, c);
        share_edge(q[i], q[j], direction_between(i, j));
        share_edge(q[j], q[k], direction_between(j, k));
        share_edge(q[k], q[i], direction_between(k, i));
        return;
    }
    // r is the one that is alone, inside or outside; s and t follow it
    bool alone = number == 1;
    int r = in_i == alone ? i : in_j == alone ? j : k;
    int s = r == i ? j : r == j ? k : i, t = r == i ? k : r == j ? i : j;
    if (alone) {
        uint a = vertex_of(q[r]), b = end_between(q[s], direction_between(s, r));
        uint c = end_between(q[t], direction_between(t, r));
        add_triangle(a, b, c);
        join_ends(b, c);
    } else {
        uint b = vertex_of(q[s]), c = vertex_of(q[t]);
        uint d = end_between(q[r], direction_between(r, t));
        uint e = end_between(q[r], direction_between(r, s));
        add_triangle(b, c, d);
        add_triangle(b, d, e);
        join_ends(d, e);
        share_edge(q[s], q[t], direction_between(s, t));
    }
}

// Whether the diagonal from a to d is to be preferred to that from b to c.
bool prefer_ad(uint q[4])
{
    if (!(is_inside(q[A]) && is_inside(q[B]) && is_inside(q[C]) && is_inside(q[D]))) {
        precise float along = inside_of(q[A]) + inside_of(q[D]);
        precise float across = inside_of(q[B]) + inside_of(q[C]);
        return along > across;
    }
    bool dry[4];
    for (int k = 0; k < 4; k++) dry[k] = kind_of(q[k]) == KIND_DRY;
    bool ad = dry[A] == dry[D], bc = dry[B] == dry[C];
    if (ad != bc) return ad;
    precise float along = z_of(q[A]) + z_of(q[D]), across = z_of(q[B]) + z_of(q[C]);
    return along > across;
}

bool are_columns(uint a, uint b, uint c)
{
    return a < law.slots && b < law.slots && c < law.slots;
}

void draw_quartet(uint a)
{
    // asked for at once, whatever of it counts
    uint b = linked_to(a, 0), c = linked_to(a, 2), d = linked_to(a, 1);
    uint b_c = linked_to(b, 3), b_d = linked_to(b, 2), c_d = linked_to(c, 0);
    uint b2 = linked_to(d, 6), c2 = linked_to(d, 4), b2_c2 = linked_to(b2, 3);
    bool abc = b != NONE && c != NONE && b_c == c;
    bool bdc = b2 != NONE && c2 != NONE && b2_c2 == c2;
    bool abd = b != NONE && d != NONE && b_d == d;
    bool adc = c != NONE && d != NONE && c_d == d;
    int across = int(abc) + int(bdc), along = int(abd) + int(adc);
    uint q[4] = uint[4](a, b, c, d), q2[4] = uint[4](a, b2, c2, d);
    bool ad = along > across;
    if (along == 2 && across == 2) ad = prefer_ad(q);
    if (along == 1 && across == 1)
        ad = are_columns(a, abd ? b : c, d) &&
             !(abc ? are_columns(a, b, c) : are_columns(b2, c2, d));
    if (ad) {
        if (abd) draw(q, A, B, D);
        if (adc) draw(q, A, D, C);
    } else {
        if (abc) draw(q, A, B, C);
        if (bdc) draw(q2, B, D, C);
    }
}

// The same cells without a node in the south-west that d is linked to.
void draw_corner(uint d)
{
    uint b = linked_to(d, 6), c = linked_to(d, 4);
    if (linked_to(d, 5) != NONE || b == NONE || c == NONE || linked_to(b, 3) != c) return;
    draw(uint[4](NONE, b, c, d), B, D, C);
}

#ifdef EMIT
void add_strip(uint a, uint b, uint from, uint rows)
{
    for (uint k = from; k + 1u < rows; k++) {
        add_triangle(b + k, a + k, a + k + 1u);
        add_triangle(b + k, a + k + 1u, b + k + 1u);
    }
}

// What clings, beside what falls.
void add_joint(uint a, uint b, bool falls)
{
    const uint last = uint(FALL_JOINED);
    add_strip(a, b, 0u, last + 1u);
    for (uint k = last; k + 1u < uint(CURTAIN_ROWS); k++) {
        if (falls) add_triangle(b + k, a + last, b + k + 1u);
        else add_triangle(b + last, a + k, a + k + 1u);
    }
}

bool falls_on(uint node, uint way)
{
    return way != 0u && extra_word(linked_to(node, int(way) - 1), EXTRA_FALLS) != FALL_NONE;
}

void add_rim(uint node, uint front)
{
    const uint rows = uint(FALL_ROWS);
    uint back = front + rows, rim = back + rows;
    uint begins = extra_word(node, EXTRA_BEGINS), ends = extra_word(node, EXTRA_ENDS);
    bool first = falls_on(node, begins);
    uint from = (first ? ends : begins) != 0u ? uint(FALL_JOINED) : 0u;
    add_strip(first ? rim : front, first ? front : rim, from, rows);
    add_strip(first ? back : rim, first ? rim : back, from, rows);
}

// A curtain under the edge between two lips: two triangles from row to row.
void draw_curtain(uint a)
{
    uint begins = extra_word(a, EXTRA_BEGINS), falls = extra_word(a, EXTRA_FALLS);
    // behind its own vertex, if it has one: from the lip down
    uint top_a = nodes[AT_FIRST * law.nodes + a];
    if (begins != 0u) {
        uint b = linked_to(a, int(begins) - 1), top_b = nodes[AT_FIRST * law.nodes + b];
        bool here = falls != FALL_NONE, there = extra_word(b, EXTRA_FALLS) != FALL_NONE;
        if (here != there) add_joint(top_a, top_b, here);
        else add_strip(top_a, top_b, 0u, uint(here ? FALL_ROWS : CURTAIN_ROWS));
        if (here && there) add_strip(top_b + uint(FALL_ROWS), top_a + uint(FALL_ROWS), 0u, uint(FALL_ROWS));
    }
    if (falls == FALL_SIDE) add_rim(a, top_a);
}
#endif

void main()
{
    uint node = node_here();
    made = 0u, first_triangle = 0u;
    bool whole = node != NONE && kind_of(node) != KIND_NONE;
#ifdef EMIT
    take_counts();
    if (!counted.fits) return;
    uint number = whole ? nodes[AT_TRIANGLES * law.nodes + node] : 0u;
    if (!group_counts()) return;
    first_triangle = sum_before(number) + sums_at(group_here(), 2u);
    if (number == 0u) return;
#endif
    if (whole) {
        draw_quartet(node);
        draw_corner(node);
#ifdef EMIT
        if (is_extra(node)) draw_curtain(node);
#else
        nodes[AT_TRIANGLES * law.nodes + node] = made;
#endif
    }
}

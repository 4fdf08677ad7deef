// Heads of columns beside a wall, an edge, a border or a pipe to another plane (../../ends.c, and
// `ends` in ../../laws/tension_simd.c, whose names the functions have). Needs beds, depth, bits, ends,
// press, curve.

#define END_WORDS 21u // slot, kinds, near, corners, pulls, row and block
#define BORDER 1u
#define FLAT 2u
#define STEEP 4u
#define UP 8u
#define STEPPED 16u
#define ROOF 32u

#define FACE_EDGE 0.0
#define FACE_LIMIT 1.0
#define FACE_WALL 2.0
#define FACE_OPEN 3.0

struct Side {
    float face, steps, over, pull;
};

Side side[4];
Face open_faces[4];
float base_at[9], depth_at[9], thick_at[9];

float stands_over(float level, float edge)
{
    precise float over = (level - edge) * law.per_half;
    return larger(smaller(over, 1.0), 0.0);
}

// What is known of an end and of the four columns beside it: all of it is asked for at once, and
// then what is at its corners. The way to memory is long.
struct Near {
    uint slot[4], corner[12];
    float base[4], depth[4], thick[4], roof[4];
} near;
float own_base, own_depth;

float step_share(uint k)
{
    bool up = own_base < near.base[k];
    precise float level = up ? own_base + own_depth : near.base[k] + near.depth[k];
    return stands_over(level, up ? near.base[k] : own_base);
}

float roof_share(uint k)
{
    precise float level = own_base + own_depth;
    precise float share = 1.0 - stands_over(level, near.roof[k]);
    return share;
}

// Sets a side; whether it is open.
bool set_side(uint k, uint kind, uint pulls)
{
    Side s = Side(FACE_OPEN, 0.0, 1.0, float((k & 1u) == 0u ? int(pulls << 16) >> 16
                                                              : int(pulls) >> 16));
    if ((kind & STEPPED) != 0u)
        s.over = step_share(k), s.steps = (kind & UP) != 0u ? 1.0 : -1.0;
    bool open = (kind & FLAT) != 0u || ((kind & STEEP) != 0u && s.over > 0.0);
    float under = (kind & ROOF) != 0u ? roof_share(k) : 1.0;
    if (under < 1.0) s.over = under, s.steps = 1.0, open = under > 0.0;
    if ((kind & BORDER) != 0u)
        s.face = FACE_LIMIT;
    else if (!open)
        s.face = kind == 0u || (kind & UP) != 0u || under < 1.0 ? FACE_WALL : FACE_EDGE;
    side[k] = s;
    return open;
}

void take_near(uint w, uint slot)
{
    uint n = law.slots;
    for (uint k = 0u; k < 4u; k++) near.slot[k] = ends[w + 2u + k];
    for (uint k = 0u; k < 12u; k++) near.corner[k] = ends[w + 6u + k];
    own_base = beds[slot], own_depth = depth[slot];
    precise float own_thick = own_depth * beds[2u * n + slot];
    for (uint k = 0u; k < 4u; k++) {
        uint i = near.slot[k];
        near.base[k] = beds[i], near.depth[k] = depth[i], near.roof[k] = beds[n + i];
        precise float thick = near.depth[k] * beds[2u * n + i];
        near.thick[k] = thick;
    }
    base_at[4] = own_base, depth_at[4] = own_depth, thick_at[4] = own_thick;
}

void put(uint at, uint slot)
{
    float own = depth[slot];
    precise float thick = own * beds[2u * law.slots + slot];
    base_at[at] = beds[slot], depth_at[at] = own, thick_at[at] = thick;
}

void put_mean(uint at, uint one, uint two)
{
    precise float base = 0.5 * (base_at[one] + base_at[two]);
    precise float own = 0.5 * (depth_at[one] + depth_at[two]);
    precise float thick = 0.5 * (thick_at[one] + thick_at[two]);
    base_at[at] = base, depth_at[at] = own, thick_at[at] = thick;
}

// What is around, by row from south west; what is closed is as the end itself is. false: it is dry.
bool look_around(uint slot, uint open)
{
    uint places[4] = uint[4](3u, 5u, 1u, 7u), found[4];
    bool mean[4];
    for (uint k = 0u; k < 4u; k++) {
        uint at = places[k];
        bool goes_on = ((open >> k) & 1u) != 0u;
        base_at[at] = goes_on ? near.base[k] : base_at[4];
        depth_at[at] = goes_on ? near.depth[k] : depth_at[4];
        thick_at[at] = goes_on ? near.thick[k] : thick_at[4];
    }
    float most = larger(larger(depth_at[3], depth_at[5]), larger(depth_at[1], depth_at[7]));
    if (!(larger(depth_at[4], most) > 0.0)) return false;
    for (uint k = 0u; k < 4u; k++) {
        uint x = k & 1u, y = 2u + (k >> 1);
        uint along = (open >> x) & 1u, across = (open >> y) & 1u;
        found[k] = slot, mean[k] = false;
        if (along + across == 0u) continue;
        found[k] = along + across == 2u ? near.corner[3u * k + 2u]
                   : along == 1u        ? near.corner[3u * k]
                                        : near.corner[3u * k + 1u];
        if (found[k] != 0xffffffffu) continue;
        found[k] = along == 1u ? near.slot[x] : near.slot[y];
        mean[k] = along + across == 2u;
    }
    for (uint k = 0u; k < 4u; k++) put((k >> 1) * 6u + (k & 1u) * 2u, found[k]);
    for (uint k = 0u; k < 4u; k++)
        if (mean[k]) put_mean((k >> 1) * 6u + (k & 1u) * 2u, places[k & 1u], places[2u + (k >> 1)]);
    return true;
}

// Of side k, as if it were open; zeros where it is not.
Face open_face(uint k)
{
    if (!(side[k].face > FACE_WALL)) return Face(0.0, 0.0, 0.0, 0.0);
    uint low = k == 0u ? 3u : k == 2u ? 1u : 4u, left = k < 2u ? 3u : 1u;
    uint high = k == 1u ? 5u : k == 3u ? 7u : 4u;
    uint c = low + left, d = high + left, e = low - left, f = high - left;
    return face_through(slopes_of(base_at[low], base_at[high], base_at[c], base_at[d], base_at[e],
                                  base_at[f]),
                        slopes_of(depth_at[low], depth_at[high], depth_at[c], depth_at[d],
                                  depth_at[e], depth_at[f]),
                        slopes_of(thick_at[low], thick_at[high], thick_at[c], thick_at[d],
                                  thick_at[e], thick_at[f]));
}

float wall_acts(uint k)
{
    return 0.0 > side[k ^ 1u].steps ? side[k ^ 1u].over : 1.0;
}

float closed_face(float face)
{
    return face > FACE_WALL ? FACE_EDGE : face;
}

bool is_wall(float face, float steps)
{
    float wall = closed_face(face) > FACE_LIMIT ? 1.0 : 0.0;
    return larger(wall, steps) > 0.0;
}

float mixed(float a, float b, float t)
{
    precise float result = a + t * (b - a);
    return result;
}

float toward_edge(float far, uint k)
{
    float outward = (k & 1u) != 0u ? 1.0 : -1.0;
    return outward * smaller(outward * far, 0.0);
}

Face end_face(uint k)
{
    Side s = side[k];
    Face open = open_faces[k], far = open_faces[k ^ 1u];
    float back = side[k ^ 1u].steps;
    bool is_open = s.face > FACE_WALL, limit = closed_face(s.face) > FACE_EDGE;
    bool wall = is_wall(s.face, s.steps);
    bool stops = (limit ? 1.0 : smaller(0.0 - s.steps, 0.0 - back)) > 0.0;
    precise float pull = s.pull * 3.05185094475746154785e-05;
    precise float acts = pull * wall_acts(k);
    precise float draws = ((k & 1u) != 0u ? 1.0 : -1.0) * acts;
    Face closed = Face(far.bed, wall || stops ? 0.0 : toward_edge(far.film, k),
                       wall ? draws : stops ? 0.0 : toward_edge(far.level, k),
                       abs(back) > 0.0 ? 0.0 : far.along);
    float along = is_open ? mixed(closed.along, open.along, s.over) : closed.along;
    return Face(is_open ? mixed(closed.bed, open.bed, s.over) : closed.bed,
                is_open ? mixed(closed.film, open.film, s.over) : closed.film,
                is_open ? mixed(closed.level, open.level, s.over) : closed.level,
                abs(s.steps) > 0.0 ? closed.along : along);
}

float end_deep(float thick)
{
    float deep = how_deep(thick);
    for (uint k = 0u; k < 4u; k++) {
        precise float left = 1.0 - side[k].over;
        precise float share = wall_acts(k) * (is_wall(side[k].face, 0.0) ? 1.0 : left);
        deep = larger(deep, is_wall(side[k].face, side[k].steps) ? share : deep);
    }
    return deep;
}

float end_head(uint slot)
{
    uint n = law.slots;
    for (uint k = 0u; k < 4u; k++) open_faces[k] = open_face(k);
    Face sum = sum_of(end_face(0u), end_face(1u), end_face(2u), end_face(3u));
    float full = abs(beds[5u * n + slot]);
    float wet = wetted_after(thick_at[4], full, press[4u * n + slot]); // `heads` may have put it there
    float cost = beds[(wet > 0.0 ? 4u : 3u) * n + slot];
    return head_of(sum, depth_at[4], thick_at[4], beds[2u * n + slot], end_deep(thick_at[4]), cost,
                   full);
}

bool is_near_liquid()
{
    float most = own_depth;
    for (uint k = 0u; k < 4u; k++) most = larger(near.depth[k], most);
    return most > 0.0;
}

void set_end(uint k)
{
    uint w = END_WORDS * k, slot = ends[w], kinds = ends[w + 1u], open = 0u;
    uint pulls[2] = uint[2](ends[w + 18u], ends[w + 19u]), where = ends[w + 20u];
    uint block = where >> 24, word = law.awake_at + 2u * (where & 0xffffffu) + (block >> 5);
    take_near(w, slot);
    float full = press[6u * law.slots + slot];
    if ((bits[word] & (1u << (block & 31u))) == 0u) return;
    precise float head = 0.0;
    if (is_near_liquid()) {
        for (uint s = 0u; s < 4u; s++)
            open |= set_side(s, (kinds >> (8u * s)) & 255u, pulls[s >> 1]) ? 1u << s : 0u;
        if (look_around(slot, open)) head = end_head(slot);
    }
    if (full > 0.0) head = 0.0; // no surface
#ifdef PRESSED
    head = head + press[slot];
#endif
    press[law.heads_at + slot] = head;
}

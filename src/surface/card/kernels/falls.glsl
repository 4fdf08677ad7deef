// Liquid that falls from lips (../../falls.c, which says why): a vertex a thread, so a fall is found
// anew for each.
#define FAR 8
#define OUTER 0.5
#define THINNEST 0.012
#define OVERSHOOT 0.7
#define SINKS 0.3
#define AN_ELLIPSE 0.27
#define FALL_FRONT 0
#define FALL_BACK 1
#define FALL_RIM 2

uint fall_beside(uint node, bool onward)
{
    uint way = extra_word(node, onward ? EXTRA_BEGINS : EXTRA_ENDS);
    if (way == 0u) return NONE;
    uint o = linked_to(node, int(way) - 1);
    return extra_word(o, EXTRA_FALLS) != FALL_NONE ? o : NONE;
}

float lip_depth(uint node)
{
    return values[2u * law.nodes + node];
}

vec2 lip_cell(uint node)
{
    ivec2 cell = extra_cell(node);
    return vec2(cell_x(cell.x), cell_y(cell.y));
}

vec2 lip_place(uint node)
{
    uint a = fall_beside(node, false), b = fall_beside(node, true);
    vec2 own = lip_cell(node);
    if (a == NONE || b == NONE) return own;
    vec2 before = lip_cell(a), after = lip_cell(b);
    precise vec2 both = 0.5 * own + 0.25 * (before + after);
    return both;
}

float between(vec2 a, vec2 b)
{
    precise float x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
    return root_of(square);
}

float stands_back(uint end, bool inward)
{
    uint o = fall_beside(end, inward);
    precise float twice = 2.0 * lip_depth(end);
    float share = smaller(quotient_of(twice, larger(lip_depth(o), 1e-9)), 1.0);
    float most = fall_beside(o, inward) != NONE ? 0.8 : 0.4;
    precise float rest = 1.0 - share;
    precise float back = smaller(rest, most) * between(lip_place(end), lip_place(o));
    return back;
}

float way_to_end(uint node, bool onward)
{
    uint at = node;
    precise float way = 0.0;
    for (int k = 0; k < FAR; k++) {
        uint o = fall_beside(at, onward);
        if (o == NONE) {
            precise float left = way - (k == 0 ? 0.0 : stands_back(at, !onward));
            return k == 0 ? 0.0 : left;
        }
        way += between(lip_place(at), lip_place(o));
        at = o;
    }
    precise float far = float(FAR) * law.dx;
    return larger(way, far);
}

vec2 slide_along(uint node, bool onward, float along)
{
    uint at = node;
    vec2 here = lip_place(at);
    precise float way = along;
    for (int k = 0; k < FAR; k++) {
        uint o = fall_beside(at, onward);
        if (o == NONE) break;
        vec2 there = lip_place(o);
        float size = between(here, there);
        if (way < size) {
            float share = quotient_of(way, size);
            return vec2(mixed(here.x, there.x, share), mixed(here.y, there.y, share));
        }
        way -= size;
        at = o, here = there;
    }
    return here;
}

struct Fall {
    uint lip;
    vec2 forth, away;
    bool onward;
    float z, low, deep, speed, over, there, end, wide, back; // wide: half of it
};

struct Slice {
    float speed, thick, rim, tilt, far, z, drawn;
};

vec2 towards(vec2 a, vec2 b)
{
    precise float x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
    float per = quotient_of(1.0, larger(root_of(square), 1e-12));
    precise vec2 way = vec2(x * per, y * per);
    return way;
}

float mean_depth(uint node)
{
    uint a = fall_beside(node, false), b = fall_beside(node, true);
    float before = lip_depth(a != NONE ? a : b), after = b != NONE ? lip_depth(b) : before;
    precise float mean = 0.5 * lip_depth(node) + 0.25 * (before + after);
    return mean;
}

Fall fall_of(uint node, vec3 velocity)
{
    uint a = fall_beside(node, false), b = fall_beside(node, true);
    float to_last = way_to_end(node, false), to_next = way_to_end(node, true), dx = law.dx;
    Fall f;
    f.lip = node, f.z = height_of(node), f.low = height_below(node), f.deep = mean_depth(node);
    vec2 along = towards(lip_place(a != NONE ? a : node), lip_place(b != NONE ? b : node));
    f.forth = vec2(along.y, -along.x);
    f.onward = to_last < to_next;
    f.away = f.onward ? -along : along;
    f.end = smaller(to_last, to_next);
    bool alone = extra_word(node, f.onward ? EXTRA_ENDS : EXTRA_BEGINS) == 0u;
    f.back = alone ? stands_back(node, f.onward) : 0.0;
    precise float wide = 0.5 * (to_last + to_next - f.back), least = 0.05 * dx;
    f.wide = larger(wide, least);
    precise float there = 10.0 * (f.deep * law.per_dx) - 0.5;
    f.there = smaller(larger(there, 0.0), 1.0);
    float u = velocity.x, v = velocity.y, g = law.fall.x;
    precise float square = u * u + v * v + 0.5 * g * f.deep;
    f.speed = root_of(larger(square, 1e-6));
    precise float over = u * f.forth.x + v * f.forth.y, slow = 0.3 * f.speed;
    f.over = larger(over, slow);
    return f;
}

float tall_of(Fall f)
{
    precise float tall = f.z - f.low, least = 0.1 * law.dx;
    return larger(tall, least);
}

float foot_of(float tall)
{
    precise float most = 1.5 * law.dx, part = 0.3 * tall;
    return smaller(most, part);
}

float drop_of(Fall f, int row)
{
    float tall = tall_of(f), foot = foot_of(tall);
    precise float two = 2.0 * law.dx, deep = 1.5 * f.deep, part = 0.4 * tall;
    float edge = smaller(larger(two, deep), part);
    precise float rest = tall - edge - foot, drop = tall + SINKS * law.dx;
    if (row == 0) drop = 0.0;
    else if (row == 1) drop = 0.15 * edge;
    else if (row == 2) drop = 0.5 * edge;
    else if (row == 3) drop = edge;
    else if (row == 4) drop = edge + 0.25 * rest;
    else if (row == 5) drop = edge + 0.5 * rest;
    else if (row == 6) drop = edge + 0.75 * rest;
    else if (row == 7) drop = tall - foot;
    else if (row == 8) drop = tall - 0.3 * foot;
    return drop;
}

float flare_of(Fall f, float thick, int row)
{
    precise float part = 0.9 * foot_of(tall_of(f)), own = 0.5 * law.dx + 0.5 * thick;
    precise float most = smaller(part, own);
    precise float last = 1.2 * most, before = 0.3 * most;
    return row == FALL_ROWS - 1 ? last : row == FALL_ROWS - 2 ? before : 0.0;
}

float drawn_in(float thick, float time, float h, float outer)
{
    float dx = law.dx;
    precise float fast = law.fall.y * time, thin = 1e-3 * dx, quarter = 0.25 * dx * h, far = h + 4.0 * dx;
    precise float way = quotient_of(fast, root_of(larger(thick, thin)));
    way += quotient_of(quarter, far);
    precise float area = 0.63661977 * thick * outer, least = 0.06 * dx;
    precise float rest = outer - larger(root_of(area), least), half_far = 0.5 * float(FAR) * dx;
    float most = smaller(rest, half_far);
    if (!(most > 0.0)) return 0.0;
    float share = quotient_of(way, most);
    precise float square = 1.0 + share * share;
    return quotient_of(way, root_of(square));
}

Slice slice_of(Fall f, int row)
{
    float dx = law.dx, h = drop_of(f, row), g = law.fall.x, held = law.fall.z;
    precise float cube = h * h * h, all = cube + held * held * held + 1e-30;
    float free = quotient_of(cube, all);
    precise float square = f.speed * f.speed + 2.0 * g * h * free;
    float speed = root_of(square);
    precise float twice = 2.0 * h, both = f.speed + speed;
    float time = quotient_of(twice, both);
    precise float flow = f.there * f.deep * f.speed, thinnest = 2.0 * THINNEST * dx;
    float thick = larger(quotient_of(flow, speed), thinnest);
    precise float outer = f.wide + OUTER * dx, far = float(FAR) * dx;
    precise float zone = smaller(f.wide, far) + OUTER * dx;
    float inward = drawn_in(thick, time, h, outer);
    precise float edge = f.end + OUTER * dx;
    precise float left = 1.0 - quotient_of(inward, zone), within = 1.0 - quotient_of(edge, zone);
    float inner = larger(within, 0.0);
    precise float four = 4.0 * dx;
    precise float narrow = 2.0 - quotient_of(f.wide, four), double_inner = 2.0 * inner;
    narrow = smaller(larger(narrow, 0.0), 1.0);
    precise float share = smaller(double_inner, 1.0);
    share += narrow * (1.0 - share);
    precise float half_thick = 0.5 * (thick + share * (quotient_of(thick, left) - thick));
    precise float wide = outer - inward, double_half = 2.0 * half_thick;
    float round_at = smaller(wide, larger(double_half, dx));
    precise float from_edge = edge - inward + inward * inner;
    float u = larger(smaller(quotient_of(from_edge, round_at), 1.0), 0.02);
    precise float under = u * (2.0 - u), more = AN_ELLIPSE * round_at;
    float arc = root_of(under);
    precise float full = half_thick * (1.0 + quotient_of(more, wide));
    precise float rounded = full * arc, least = THINNEST * dx;
    Slice s;
    s.speed = speed;
    s.thick = larger(rounded, least);
    precise float lean = quotient_of(full, round_at) * (1.0 - u);
    s.tilt = quotient_of(lean, larger(arc, 0.2));
    precise float rim = left * OUTER * dx, drawn = f.back + inward * inner, z = f.z - h;
    s.rim = rim, s.drawn = drawn, s.z = z;
    precise float way = f.over * time, deepest = 6.0 * dx;
    precise float most = OVERSHOOT * dx + 0.25 * smaller(f.deep, deepest);
    precise float product = way * most, sum = way + most, widest = 0.6 * dx;
    precise float bulge = smaller(s.thick, widest) * h, past = h + 0.5 * dx;
    precise float forth = quotient_of(product, sum) + quotient_of(bulge, past);
    s.far = forth;
    return s;
}

// Out from the way of the lip, along it to its end, and its height; between the rows beside it.
vec3 spot_of(Fall f, Slice high, Slice own, Slice low, int side, int row)
{
    float dx = law.dx, flare = flare_of(f, own.thick, row);
    precise float x = high.z - low.z, z = low.far - high.far, square = x * x + z * z;
    float per = quotient_of(1.0, root_of(square));
    precise float outward = x * per, upward = z * per, front = own.far + flare;
    if (side == FALL_FRONT) return vec3(front, 0.0, own.z);
    precise float twice = 2.0 * own.thick, start = -0.9 * dx, under = own.z - 2.0 * own.thick - 0.15 * dx;
    if (side == FALL_BACK && row == 0) return vec3(start, 0.0, under);
    float deep = side == FALL_BACK ? twice : own.thick;
    precise float at = own.far - deep * outward, height = own.z - deep * upward;
    precise float back = at - flare, rim = own.rim + flare;
    return side == FALL_BACK ? vec3(back, 0.0, height) : vec3(at, rim, height);
}

void put_fall(uint vertex, uint node, int number)
{
    int side = number / FALL_ROWS, row = number % FALL_ROWS;
    Flow flow = flow_around(node);
    Fall f = fall_of(node, flow.velocity);
    flow.rough = 0.0;
    if (side == FALL_FRONT && row == 0) {
        precise float deep = f.there * lip_depth(node);
        put(vertex, place_at(node), flow, deep, 0.0);
        return;
    }
    // in loops, so that a compiler has each of them but once
    Slice slices[5];
    vec3 spots[3];
    for (int k = 0; k < 5; k++) slices[k] = slice_of(f, clamp(row + k - 2, 0, FALL_ROWS - 1));
    for (int k = 0; k < 3; k++) {
        int there = clamp(row + k - 1, 0, FALL_ROWS - 1), n = there - row + 2;
        int above = max(there - 1, 0) - row + 2, below = min(there + 1, FALL_ROWS - 1) - row + 2;
        spots[k] = spot_of(f, slices[above], slices[n], slices[below], side, there);
    }
    Slice own = slices[2];
    vec3 high = spots[0], at = spots[1], low = spots[2];
    precise float forth = high.z - low.z, bulge = low.x - high.x, sideways = own.tilt * forth;
    if (side == FALL_BACK) forth = -forth, bulge = -bulge;
    if (side == FALL_RIM) sideways = forth, bulge = low.y - high.y, forth = 0.0;
    vec2 middle = slide_along(node, f.onward, own.drawn);
    precise vec2 place = middle + at.x * f.forth + at.y * f.away;
    precise vec3 normal = vec3(forth * f.forth.x + sideways * f.away.x,
                               forth * f.forth.y + sideways * f.away.y, bulge);
    flow.normal = unit_of(normal);
    flow.velocity.z = -own.speed;
    precise float twice = 2.0 * own.thick, drop = f.z - at.z;
    float deep = f.there > 0.0 ? (side == FALL_RIM ? own.thick : twice) : 0.0;
    put(vertex, vec3(place, at.z), flow, deep, larger(drop, 0.0));
}

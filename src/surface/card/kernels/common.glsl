// What all kernels of the surface share. They do what the files of the same names in ../.. do, one
// column a thread and without the short cuts of rows; sums and products are `precise`, in the same
// order, so that vertices come out as on the processor, bit for bit.
layout(std140, binding = 0) uniform Constants {
    uvec4 plane[32]; // two a plane: first slot, pitch, columns, rows; first cell, x and y, 0, 0
    uint slots, nodes, planes, across; // nodes: columns and room for extra ones; squares in a row
    uint nx, ny, groups, extras;       // cells; squares of the list; room for extra nodes
    uint list_at, vertices, inside, fresh; // the list; room in the mesh; of it for vertices by
    uint triangles, bands, pass_number, count; // columns and for others; room for triangles
    float dx, per_dx, film, rim;
    float top, length, reach, alpha;
    float ring, least, near_line;
    uint has; // HAS_…
    vec4 line, side; // west, east, south, north: middles of the outermost cells, sides of the grid
    uint steps, drip_at, sheet_at, islands;
    uint from, to, side_vertices, side_triangles; // halves of buffers that change places; rooms
    uint first, flank_at, more, brim; // the first group of this call: a card takes so many at once;
                                      // where flanks are given, 0: they are not; vertices of
                                      // droplets; columns of the widest gap that films hold over
    vec4 fall; // of rv_fall_law: gravity, rims, held; 0
    uint angle_at, more_triangles, unused_1, unused_2; // where contact angles are given; NONE: beds
                                                       // have none; triangles of droplets
} law;

#define group_x() (law.first + gl_WorkGroupID.x)
#define thread_x() (law.first * gl_WorkGroupSize.x + gl_GlobalInvocationID.x)

#define HAS_CURTAIN 1u
#define HAS_BENDS 2u
#define HAS_DRIPS 4u
#define HAS_MENISCUS 8u

// Places of the buffers; rv_sheet_binding in ../card.h.
#define HOLDS(place, block, type, name)                                                            \
    layout(std430, binding = place) buffer block { type name[]; }
#ifdef ALONE // what one thread writes another reads in the same call
#define MEETS(place, block, type, name)                                                            \
    layout(std430, binding = place) coherent buffer block { type name[]; }
#else
#define MEETS HOLDS
#endif
HOLDS(0, Beds, float, beds);       // by slot: base, min, max, over; then the middles of cells, x, y
HOLDS(1, Depth, float, depth);     // by slot
HOLDS(2, Flux, float, flux);       // by slot: to the east, to the north
HOLDS(3, Values, float, values);   // by node: z, inside, depth; three while inside is made fair
HOLDS(4, Nodes, uint, nodes);      // by node: AT_…
HOLDS(5, Links, uint, links);      // by node, direction after direction
HOLDS(6, Normals, vec4, normals);  // by slot, twice: normal and roughness; then velocity
HOLDS(7, Extras, uint, extra);     // by extra node, EXTRA_WORDS
HOLDS(8, Squares, uint, squares);  // lists of squares; AT of them: their island, made or not
HOLDS(9, Status, uint, status);    // STATUS_…; then counts by island and band; then sums of groups
HOLDS(10, Fresh, uint, fresh);     // two words a vertex that is none of a column; then nodes of those
MEETS(11, Contacts, uint, contacts); // by such a vertex: ends on their line; then contacts
HOLDS(12, Mesh, float, mesh);
HOLDS(13, Index, uint, corners);
MEETS(14, Rings, uint, rings);     // by slot: RING_…
HOLDS(15, Given, uint, given);     // steps, four words each; edges that drip

#define NONE 0xffffffffu

// Words of a node: kind, and as found within its plane its links, those to wet ones, and who holds
// its level; final: wet links, wanted extra nodes, lips; directions of ends; vertices; links to full
// columns.
#define AT_KIND 0u
#define AT_MASK 1u
#define AT_ENDS 2u
#define AT_FIRST 3u
#define AT_VERTEX 4u
#define AT_TRIANGLES 5u
#define AT_JOINED 6u // four bits a direction: of a column that is joined to a full one, its plane
#define AT_JOINS 7u  // directions of links to full ones, << 16; of all that were made so

#define KIND_NONE 0u
#define KIND_EVEN 1u
#define KIND_DRY 2u
#define KIND_WET 3u
#define KIND_WALL 4u
#define KIND_LIP 6u

#define EXTRA_WORDS 16u
#define EXTRA_CELL 0u
#define EXTRA_BELOW 1u
#define EXTRA_APRON 2u // bits; not finite: none
#define EXTRA_SHARED 3u
#define EXTRA_BEGINS 4u
#define EXTRA_ENDS 5u
#define EXTRA_FALLS 6u // FALL_…
#define EXTRA_ASKED 8u // by direction: the extra node it would be linked to
#define FALL_NONE 0u
#define FALL_INNER 1u
#define FALL_SIDE 2u
#define OWN_VERTEX 256u // beside the ends of an extra node: a triangle has it

#define STATUS_INSIDE 0u
#define STATUS_FRESH 1u
#define STATUS_TRIANGLES 2u
#define STATUS_EXTRAS 3u
#define STATUS_LOW 4u // of what is there: least height, greatest height, depth and square of speed
#define STATUS_HIGH 5u
#define STATUS_DEEP 6u
#define STATUS_FAST 7u
#define STATUS_DRAW 8u // five words of an indirect draw
#define STATUS_SIDE_VERTICES 13u
#define STATUS_UNEVEN 14u // columns in the list of those
#define STATUS_WANTS 15u  // 1: a column that was made wants an extra node, or is joined to a full one
#define STATUS_ISLANDS 16u // four words each: first row, rows of a band, its first band, vertices;
                           // then counts of choppy vertices by pass and band

#define SQUARE 16

// How much there is of the mesh. It is asked for before the processor knows: where there is no room
// for all of it nothing is made, and it is asked for again.
struct Counted {
    uint inside, fresh, triangles;
    bool fits;
};
Counted counted;

void take_counts()
{
    uint inside = status[STATUS_INSIDE], others = status[STATUS_FRESH];
    uint all = status[STATUS_TRIANGLES];
    bool fits = inside <= law.inside && others <= law.fresh && all <= law.triangles;
    counted = Counted(inside, others, fits ? all : 0u, fits);
    if (!fits) counted.inside = counted.fresh = 0u;
}

const int STEP_X[8] = int[8](1, 1, 0, -1, -1, -1, 0, 1);
const int STEP_Y[8] = int[8](0, 1, 1, 1, 0, -1, -1, -1);
#define EAST 0
#define NORTH 2
#define WEST 4
#define SOUTH 6

#include "numbers"

// ---- Numbers ------------------------------------------------------------------------------------

// a / b whatever their signs.
float over_of(float a, float b)
{
    float q = quotient_of(abs(a), abs(b));
    return (floatBitsToUint(a) ^ floatBitsToUint(b)) >> 31 != 0u ? -q : q;
}

float clamp01(float x)
{
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

float mixed(float a, float b, float t)
{
    precise float m = a + t * (b - a);
    return m;
}

vec3 mixed3(vec3 a, vec3 b, float t)
{
    return vec3(mixed(a.x, b.x, t), mixed(a.y, b.y, t), mixed(a.z, b.z, t));
}

float square_of(vec3 v)
{
    precise float sum = v.x * v.x + v.y * v.y + v.z * v.z;
    return sum;
}

vec3 unit_of(vec3 v)
{
    float size = root_of(square_of(v));
    if (!(size > 0.0)) return vec3(0.0, 0.0, 1.0);
    float per = quotient_of(1.0, size);
    precise vec3 unit = vec3(v.x * per, v.y * per, v.z * per);
    return unit;
}

// Floats in the order of whole numbers, for the least and the greatest of many.
uint ordered(float v)
{
    uint bits = floatBitsToUint(v);
    return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}

// ---- Columns and nodes --------------------------------------------------------------------------

float base_at(uint slot)
{
    return beds[slot];
}

float min_at(uint slot)
{
    return beds[law.slots + slot];
}

float max_at(uint slot)
{
    return beds[2u * law.slots + slot];
}

// The least height at which a column is drawn.
float floor_at(uint slot)
{
    precise float height = beds[slot] + beds[3u * law.slots + slot];
    return height;
}

float cell_x(int x)
{
    return beds[4u * law.slots + uint(x)];
}

float cell_y(int y)
{
    return beds[4u * law.slots + law.nx + uint(y)];
}

float level_at(uint slot)
{
    float d = depth[slot];
    precise float level = beds[slot] + (d > 0.0 ? d : 0.0);
    return level;
}

bool is_linked(uint a, float level_a, uint b, float level_b)
{
    return level_a >= min_at(b) && level_a < max_at(b) && level_b >= min_at(a) &&
           level_b < max_at(a);
}

struct Place {
    uint slot, plane;
    int pitch, x, y;
    bool exists; // within the plane
};

bool slot_in(uint plane, int x, int y, out uint slot)
{
    uvec4 a = law.plane[2u * plane], b = law.plane[2u * plane + 1u];
    int px = x - int(b.x), py = y - int(b.y);
    slot = a.x + uint(py * int(a.y) + px);
    return px >= 0 && py >= 0 && px < int(a.z) && py < int(a.w);
}

uint square_here()
{
    return squares[law.list_at + group_x()];
}

// The column of this thread: groups are squares of the list, one for each plane.
Place place_here()
{
    Place p;
    uint square = square_here();
    p.plane = gl_WorkGroupID.z;
    p.x = int(square % law.across) * SQUARE + int(gl_LocalInvocationID.x);
    p.y = int(square / law.across) * SQUARE + int(gl_LocalInvocationID.y);
    p.pitch = int(law.plane[2u * p.plane].y);
    p.exists = slot_in(p.plane, p.x, p.y, p.slot);
    return p;
}

uint plane_of(uint slot)
{
    uint l = law.planes - 1u;
    while (l > 0u && slot < law.plane[2u * l].x) l--;
    return l;
}

int pitch_of(uint slot)
{
    return int(law.plane[2u * plane_of(slot)].y);
}

int step_of(int direction, int pitch)
{
    return STEP_X[direction] + STEP_Y[direction] * pitch;
}

int opposite(int direction)
{
    return (direction + 4) & 7;
}

uint kind_of(uint node)
{
    return nodes[node] & 255u;
}

bool is_wet(uint node)
{
    return (nodes[node] & 1u) != 0u;
}

uint wet_links(uint node)
{
    return nodes[AT_MASK * law.nodes + node] & 255u;
}

uint linked_to(uint node, int direction)
{
    return node == NONE ? NONE : links[uint(direction) * law.nodes + node];
}

float z_of(uint node)
{
    return values[node];
}

// Whether a node is drawn.
bool is_inside(uint node)
{
    return kind_of(node) == KIND_EVEN || values[law.nodes + node] > 0.0;
}

bool is_extra(uint node)
{
    return node >= law.slots;
}

uint extra_word(uint node, uint word)
{
    return extra[(node - law.slots) * EXTRA_WORDS + word];
}

ivec2 extra_cell(uint node)
{
    uint cell = extra_word(node, EXTRA_CELL);
    return ivec2(int(cell & 0xffffu), int(cell >> 16));
}

// The cell of a column.
ivec2 cell_of(uint slot)
{
    uint l = plane_of(slot);
    uvec4 a = law.plane[2u * l], b = law.plane[2u * l + 1u];
    uint off = slot - a.x; // not under 0: of a column
    return ivec2(int(b.x + off % a.y), int(b.y + off / a.y));
}

ivec2 cell_at(uint node)
{
    return is_extra(node) ? extra_cell(node) : cell_of(node);
}

// Whether a column has links to another plane, to an extra node, or to a full column.
bool is_odd(uint slot, int pitch)
{
    if ((nodes[AT_JOINS * law.nodes + slot] & 255u) != 0u) return true;
    for (int d = 0; d < 8; d++) {
        uint o = links[uint(d) * law.nodes + slot];
        if (o != NONE && o != uint(int(slot) + step_of(d, pitch))) return true;
    }
    return false;
}

// Normals smoothed (../../normals.c and the loop over rows in ../../rows_simd.c): a mean of those
// around counts the more the farther a normal is from it; where an island is choppy, up to three
// times more.
layout(local_size_x = 16, local_size_y = 16) in;

#define EVEN_FROM 0.04
#define EVEN_TO 0.2
#define EVEN_MOST 0.95
#define ROUGH_FROM 0.03
#define ROUGH_TO 0.35
#define ROUGH_MOST 0.6
#define CHOPPY 0.15

float eased(float from, float to, float v)
{
    precise float per = to - from;
    precise float t = (v - from) * quotient_of(1.0, per);
    t = clamp01(t);
    precise float ease = t * t * (3.0 - 2.0 * t);
    return ease;
}

uint at_from()
{
    return law.pass_number % 2u == 0u ? 0u : law.slots;
}

// What is within the plane, in the order of the loop over rows.
vec3 around_within(uint slot, int pitch, uint wet)
{
    vec3 v[8];
    for (int d = 0; d < 8; d++)
        v[d] = (wet >> d & 1u) != 0u
                   ? normals[at_from() + uint(int(slot) + step_of(d, pitch))].xyz
                   : vec3(0.0);
    precise vec3 sum = 2.0 * ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
    return sum;
}

// All that it is linked to.
vec3 around_linked(uint slot, uint wet)
{
    precise vec3 sum = vec3(0.0);
    for (int d = 0; d < 8; d++) {
        if ((wet >> d & 1u) == 0u) continue;
        vec3 v = normals[at_from() + links[uint(d) * law.nodes + slot]].xyz;
        sum += ((d & 1) != 0 ? 1.0 : 2.0) * v;
    }
    return sum;
}

// One normal toward the mean; its roughness is raised. Returns whether it is choppy.
bool ease_to(vec3 sum, float least, inout vec3 normal, inout float rough)
{
    float square = square_of(sum);
    vec3 mean = normal;
    if (square > 1e-12) {
        float per = quotient_of(1.0, root_of(square));
        precise vec3 unit = sum * per;
        mean = unit;
    }
    precise vec3 off = normal - mean;
    float differs = root_of(square_of(off));
    precise float part = least + eased(EVEN_FROM, EVEN_TO, differs) * (EVEN_MOST - least);
    precise vec3 moved = normal - part * off;
    float per = quotient_of(1.0, root_of(square_of(moved)));
    precise vec3 unit = moved * per;
    normal = unit;
    precise float is = ROUGH_MOST * eased(ROUGH_FROM, ROUGH_TO, differs);
    rough = is > rough ? is : rough;
    return differs > CHOPPY;
}

// Whether no pass has found anything rough in the 16 columns that the processor looks at at once.
bool is_calm(Place p)
{
    uint first = p.slot - uint((p.x - int(law.plane[2u * p.plane + 1u].x)) & 15);
    for (uint k = 0u; k < 16u; k++)
        if (normals[at_from() + first + k].w != 0.0) return false;
    return true;
}

shared uint choppy_of[3]; // by the passes before this one

// Where the choppy vertices of bands are counted, a row a pass.
uint counts_at(uint pass)
{
    return STATUS_ISLANDS + 4u * law.islands + pass * law.bands;
}

// Whether an island is choppy enough for this pass: after each of those before it 0.004 of its
// vertices were (../../normals.c). All threads of a group ask together.
bool goes_on(uint island)
{
    uint own = gl_LocalInvocationIndex, at = STATUS_ISLANDS + 4u * island, first = 0u, last = 0u;
    if (own < 3u) choppy_of[own] = 0u;
    barrier();
    if (island != NONE) {
        first = status[at + 2u], last = island + 1u < law.islands ? status[at + 6u] : law.bands;
        uint bands = last - first;
        for (uint k = own; k < law.pass_number * bands; k += 256u)
            atomicAdd(choppy_of[k / bands], status[counts_at(k / bands) + first + k % bands]);
    }
    barrier();
    if (island == NONE) return false;
    for (uint pass = 0u; pass < law.pass_number; pass++)
        if (250u * choppy_of[pass] < status[at + 3u]) return false;
    return true;
}

void main()
{
    Place p = place_here();
    uint from = at_from(), to = law.slots - from, island = squares[law.from + square_here()];
    bool again = goes_on(island);
    if (!p.exists) return;
    vec4 own = normals[from + p.slot];
    vec3 normal = own.xyz;
    float rough = own.w, least = law.pass_number == 0u ? 0.5 : 0.0;
    uint kind = kind_of(p.slot), choppy = 0u, band = 0u;
    bool works = (kind & 1u) != 0u && island != NONE;
    if (works) {
        int height = max(int(status[STATUS_ISLANDS + 4u * island + 1u]), 1);
        int row = max(p.y - int(status[STATUS_ISLANDS + 4u * island]), 0);
        band = status[STATUS_ISLANDS + 4u * island + 2u] + uint(row / height);
        band = min(band, law.bands - 1u);
    }
    if (works && law.pass_number > 0u)
        works = again && status[counts_at(law.pass_number - 1u) + band] != 0u && !is_calm(p);
    if (works) {
        uint within = nodes[p.slot] >> 16 & 255u;
        if (ease_to(around_within(p.slot, p.pitch, within), least, normal, rough))
            choppy += kind & 1u;
        if (kind == KIND_WET && is_odd(p.slot, p.pitch)) {
            normal = own.xyz;
            if (least != 0.0 || rough != 0.0)
                choppy += ease_to(around_linked(p.slot, wet_links(p.slot)), least, normal,
                                  rough) ? 1u : 0u;
        }
    }
    normals[to + p.slot] = vec4(normal, rough);
    if (choppy > 0u) atomicAdd(status[counts_at(law.pass_number) + band], choppy);
}

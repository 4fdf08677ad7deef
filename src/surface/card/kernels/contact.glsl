#ifndef WITH_CONTACT
#define WITH_CONTACT
// Contacts: vertices where the liquid meets a solid (../../meniscus.h: rv_contact), by their number
// among those that are none of a column.
#define CONTACT_WORDS 16u
#define IS_X 0u
#define IS_Y 1u
#define IS_TO_X 2u
#define IS_TO_Y 3u
#define IS_TILT 4u
#define IS_REST 5u
#define IS_BEFORE 6u
#define IS_AFTER 7u
#define IS_KIND 8u
#define IS_AT_X 9u
#define IS_AT_Y 10u
#define IS_LAST 11u // keys + 1, 0: none; of what is no contact the key of the nearest
#define IS_NEXT 12u
#define IS_NEAR 13u // of what is none: square of the distance to that

// Of columns, by slot: whether they are near a contact, twice; the nearest, distance and tilt; and
// the square of the distance to the first guess. At first the nearest is a key.
#define RING_NEAR 0u
#define RING_NEAREST 2u
#define RING_DISTANCE 3u
#define RING_TILT 4u
#define RING_GUESS 5u
#define NEAR 1u
#define SEED 2u
#define ACROSS 4u

uint word_of(uint contact, uint word)
{
    return contacts[contact * CONTACT_WORDS + word];
}

float number_of(uint contact, uint word)
{
    return uintBitsToFloat(contacts[contact * CONTACT_WORDS + word]);
}

void set_number(uint contact, uint word, float value)
{
    contacts[contact * CONTACT_WORDS + word] = floatBitsToUint(value);
}

vec2 pair_of(uint contact, uint word)
{
    return vec2(number_of(contact, word), number_of(contact, word + 1u));
}

bool is_contact(uint vertex)
{
    return vertex >= counted.inside && number_of(vertex - counted.inside, IS_KIND) > 0.0;
}

// Where it is: 16 times its node and the direction of the end, or of an extra node 16 times its first
// column, 8 and the direction from there. What is compared where two are equally near or follow on
// a line.
uint key_of(uint contact)
{
    uint node = fresh[2u * contact], first = NONE, direction = 0u;
    if (!is_extra(node)) return 16u * node + fresh[2u * contact + 1u];
    for (uint d = 0u; d < 8u; d++) {
        uint o = links[d * law.nodes + node];
        if (o < law.slots && o < first) first = o, direction = (d + 4u) & 7u;
    }
    return 16u * first + 8u + direction;
}

uint with_key(uint key)
{
    uint node = key >> 4, what = key & 15u;
    if (what >= 8u) {
        node = links[(what - 8u) * law.nodes + node];
        return nodes[AT_VERTEX * law.nodes + node] - counted.inside;
    }
    uint mask = nodes[AT_ENDS * law.nodes + node] & ((1u << what) - 1u);
    return nodes[AT_FIRST * law.nodes + node] + uint(bitCount(mask)) - counted.inside;
}

float square_to(uint contact, vec2 at)
{
    vec2 c = pair_of(contact, IS_X);
    precise float square = (c.x - at.x) * (c.x - at.x) + (c.y - at.y) * (c.y - at.y);
    return square;
}

void set_field(uint vertex, float distance, vec2 to, float tilt)
{
    uint at = 10u * law.vertices + 4u * vertex;
    mesh[at] = distance, mesh[at + 1u] = to.x, mesh[at + 2u] = to.y, mesh[at + 3u] = tilt;
}

// ---- Beside a line of contacts (../../meniscus.c) ----------------------------------------------

struct Reading {
    uint nearest;
    float distance, tilt;
};

float square_to_line(vec2 a, vec2 b, vec2 at, out float t)
{
    precise float ux = b.x - a.x, uy = b.y - a.y, px = at.x - a.x, py = at.y - a.y;
    precise float along = ux * px + uy * py, whole = ux * ux + uy * uy;
    t = along <= 0.0 ? 0.0 : along >= whole ? 1.0 : over_of(along, whole);
    precise float ox = px - t * ux, oy = py - t * uy;
    precise float square = ox * ox + oy * oy;
    return square;
}

Reading measure(uint best, vec2 at, float least)
{
    vec2 here = pair_of(best, IS_X);
    float square = square_to(best, at), own = number_of(best, IS_TILT), tilt = own;
    for (int steps = 0; steps < 4096; steps++) {
        uint next = NONE, o[2];
        vec2 there[2];
        float theirs[2];
        for (uint k = 0u; k < 2u; k++) o[k] = word_of(best, IS_BEFORE + k);
        for (int k = 0; k < 2; k++) { // both asked for at once
            uint c = o[k] != NONE ? o[k] : best;
            there[k] = pair_of(c, IS_X), theirs[k] = number_of(c, IS_TILT);
        }
        for (int k = 0; k < 2; k++) {
            float t;
            if (o[k] == NONE) continue;
            float other = square_to_line(here, there[k], at, t);
            if (!(other < square) || other < least) continue;
            square = other, tilt = mixed(own, theirs[k], t);
            next = t == 1.0 ? uint(k) : NONE;
        }
        if (next == NONE) break;
        best = o[next], here = there[next], own = theirs[next];
    }
    return Reading(best, root_of(square), tilt);
}
#endif

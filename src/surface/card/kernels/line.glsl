#ifndef WITH_LINE
#define WITH_LINE
// Ends on the line along which the surface ends (../../surface.h: rv_line_end), by their number
// among the vertices that are none of a column. They stand where contacts do later.
#define NEAREST 0.02

#define END_WORDS 16u
#define END_IS 0u
#define END_LAST 1u // the end beside it on the line, NONE
#define END_NEXT 2u
#define END_T 3u // two
#define END_FIRST 5u
#define END_X 6u
#define END_Y 7u
#define END_WAY_X 8u
#define END_WAY_Y 9u
#define END_WALL 10u
#define END_FREE 11u
#define END_LOW 12u
#define END_HIGH 13u
#define END_Z 14u
#define END_RISE 15u

uint end_word(uint k, uint word)
{
    return contacts[k * END_WORDS + word];
}

float end_number(uint k, uint word)
{
    return uintBitsToFloat(contacts[k * END_WORDS + word]);
}

void set_end(uint k, uint word, uint bits)
{
    contacts[k * END_WORDS + word] = bits;
}

void set_end_number(uint k, uint word, float value)
{
    contacts[k * END_WORDS + word] = floatBitsToUint(value);
}

// Where it is between its two nodes, of a place on the bed there: at a wall it goes on into that.
float into_wall(float t, float wall)
{
    precise float most = 1.0 - NEAREST;
    precise float share = t + wall * (most - t);
    return share;
}

float end_share(uint k, float t)
{
    return into_wall(t, end_number(k, END_WALL));
}

// `inner`: where the node inside is, and how far there is a wall; `outer`: the one outside.
void begin_end(uint k, vec3 inner, vec2 outer, float t)
{
    precise vec2 way = outer - inner.xy;
    set_end(k, END_LAST, NONE), set_end(k, END_NEXT, NONE);
    set_end_number(k, END_T, t), set_end_number(k, END_T + 1u, t);
    set_end_number(k, END_FIRST, t), set_end_number(k, END_WALL, inner.z);
    set_end_number(k, END_X, inner.x), set_end_number(k, END_Y, inner.y);
    set_end_number(k, END_WAY_X, way.x), set_end_number(k, END_WAY_Y, way.y);
}

// Least heights of both nodes, the height of the one inside, by how much the surface rises on the
// way, and whether the one inside is beyond an edge.
void set_span(uint k, vec4 heights, bool beyond)
{
    precise float free = 1.0 - end_number(k, END_WALL);
    set_end_number(k, END_FREE, beyond ? 0.0 : free);
    set_end_number(k, END_LOW, heights.x), set_end_number(k, END_HIGH, heights.y);
    set_end_number(k, END_Z, heights.z), set_end_number(k, END_RISE, heights.w);
}

// How high an end is on that way.
float end_height(uint k, float t, float share)
{
    float low = end_number(k, END_LOW), high = end_number(k, END_HIGH);
    precise float climbs = end_number(k, END_Z) + share * end_number(k, END_RISE);
    return mixed(mixed(low, high, t), smaller(climbs, mixed(low, high, share)),
                 end_number(k, END_WALL));
}
#endif

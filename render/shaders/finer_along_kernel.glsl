// Into the liquid: a vertex goes part of the way of those around it, if it does not end there and has no farther to go; so
// twice, and the second time (LAST) vertices move. How far rims hang over goes along. A thread a vertex, also of those that are not divided.
layout(local_size_x = 256) in;
#include finer
#ifdef LAST
#define WAY STATE_WAY_TOO
#define HANG STATE_HANG_TOO
#else
#define WAY STATE_WAY
#define HANG STATE_HANG
#endif

vec3 drawn_along(uint v, uint number)
{
    vec3 way = state3(WAY, v), sum = vec3(0.0);
    if (rims_of(v) > 0u) return way;
    for (uint n = 0u; n < number; n++) {
        vec2 by = state3(WAY, ring[beside_at(v, n)]).xy;
        sum += length(by) * vec3(by, 1.0);
    }
    vec2 drawn = sum.z > 0.0 ? DRAWN_IN * sum.xy / sum.z : vec2(0.0);
    if (dot(drawn, drawn) > dot(way.xy, way.xy)) way.xy = drawn;
    return way;
}

float most_hang(uint v, uint number)
{
    float most = state[state_at(HANG, v)];
    for (uint n = 0u; n < number; n++) most = max(most, state[state_at(HANG, ring[beside_at(v, n)])]);
    return most;
}

void main()
{
    uint v = thread();
    if (v >= law.vertices) return;
    uint number = around(v);
#ifdef LAST
    Vertex own = mesh_vertex(v);
    bool moves = number > 0u && work[WORK_LEVELS] > 0u;
    if (moves) own.film = state[state_at(STATE_FILM, v)];
    if (moves) own.place.xyz += law.share.x * drawn_along(v, number);
    put_from(v, own);
    put_to(v, own);
    float hang = moves ? most_hang(v, number) : 0.0;
    state[state_at(STATE_HANG, v)] = hang;
    if (hang > 0.0 && rims_of(v) == 0u) marks[list_at(0u, atomicAdd(work[WORK_HANGING], 1u))] = v;
#else
    if (number == 0u) return;
    put_state3(STATE_WAY_TOO, v, drawn_along(v, number));
    state[state_at(STATE_HANG_TOO, v)] = most_hang(v, number);
#endif
}

// The line where thick liquid ends: how far its rim hangs over (HANG), the same made even along the line (EVEN_HANG), and the
// way that its vertices go so that it is a curve (EVEN). Each thread works out again what those along the line become that it
// depends on, in place of a call for each turn. A thread a vertex.
layout(local_size_x = 256) in;
#include finer

bool is_end(uint v)
{
    return (marks[meta_at(v)] & IS_END) != 0u;
}

float hang_at(uint v)
{
    return state[state_at(STATE_HANG, v)];
}

const int REACH = TURNS, MANY = 2 * TURNS + 1;
uint chain[MANY]; // vertices along the line, this one in the middle
int low, high;    // between these are there

// From this one on in both directions, until the line does, or further than matters. What it ends at stays as it is, and
// stands for what would be beyond it.
void follow(uint v)
{
    low = 0, high = MANY - 1;
    chain[REACH] = v;
    for (int way = 0; way < 2; way++) {
        uint last = v, at = marks[rim_at(v, uint(way))];
        bool on = true;
        for (int k = 1; k <= REACH; k++) {
            int n = way == 0 ? REACH - k : REACH + k;
            chain[n] = at;
            if (!on) continue;
            on = is_end(at);
            if (!on && way == 0) low = n;
            if (!on && way == 1) high = n;
            if (!on) continue;
            uint next = marks[rim_at(at, 0u)];
            if (next == last) next = marks[rim_at(at, 1u)];
            last = at, at = next;
        }
    }
}

#if defined HANG
void main()
{
    uint v = thread();
    if (v >= law.vertices) return;
    uint number = around(v);
    if (number == 0u) return;
    float far = state[state_at(STATE_NEAR, v)], hang = 0.0;
    for (uint n = 0u; n < number; n++) far = max(far, state[state_at(STATE_NEAR, ring[beside_at(v, n)])]);
    if (is_end(v) && (law.has & HAS_CONTACT) != 0u)
        hang = law.share.x * hang_of(mesh[10u * law.mesh_room + 4u * v + 3u], far / law.dx);
    state[state_at(STATE_FAR, v)] = far;
    state[state_at(STATE_HANG, v)] = 0.0;
    state[state_at(STATE_HANG_TOO, v)] = hang;
}
#elif defined EVEN_HANG
void main()
{
    uint v = thread();
    float value[MANY];
    if (v >= law.vertices || !is_end(v)) return;
    follow(v);
    for (int k = 0; k < MANY; k++) value[k] = state[state_at(STATE_HANG_TOO, chain[k])];
    for (int turn = 0; turn < TURNS; turn++) {
        float last = value[0];
        for (int k = 1; k < MANY - 1; k++) {
            float own = value[k];
            if (k > low && k < high) value[k] = 0.5 * own + 0.25 * (last + value[k + 1]);
            last = own;
        }
    }
    state[state_at(STATE_HANG, v)] = value[REACH];
}
#else
vec3 way_of(uint v)
{
    float hang = hang_at(v);
    if (!is_end(v) || !(hang > 0.0)) return vec3(0.0);
    uint at = 10u * law.mesh_room + 4u * v;
    return -goes_under(hang, state[state_at(STATE_FAR, v)], law.dx) * vec3(mesh[at + 1u], mesh[at + 2u], 0.0);
}

void main()
{
    uint v = thread();
    vec4 there[MANY]; // with how far it may move
    if (v >= law.vertices || around(v) == 0u) return;
    vec3 way = vec3(0.0);
    if (is_end(v)) {
        follow(v);
        for (int k = 0; k < MANY; k++) {
            uint o = chain[k];
            float loose = k > low && k < high ? max(state[loose_at(o)], hang_at(o)) : 0.0;
            there[k] = vec4(mesh_place(o) + way_of(o), loose);
        }
        for (int turn = 0; turn < TURNS; turn++) {
            vec3 last = there[0].xyz;
            for (int k = 1; k < MANY - 1; k++) {
                vec4 own = there[k];
                vec3 mean = 0.5 * (last + there[k + 1].xyz);
                there[k] = vec4(own.xyz + 0.5 * own.w * (mean - own.xyz), own.w);
                last = own.xyz;
            }
        }
        way = there[REACH].xyz - mesh_place(v);
        state[loose_at(v)] = there[REACH].w; // which others may read before or after: the larger of the two counts
        state[thick_at(v)] = max(state[thick_at(v)], hang_at(v));
    }
    put_state3(STATE_WAY, v, way);
}
#endif

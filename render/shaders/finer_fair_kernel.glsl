// Between its end and what lies behind it a rim that hangs over becomes as a thin plate would be: what it lacks of what it
// lacks goes to nothing. All turns in one group, since there are few such vertices; and then how large the next calls are.
layout(local_size_x = TOGETHER) in;
#define SHARED coherent
#include finer
shared uint listed;

void meet()
{
    memoryBarrierBuffer();
    memoryBarrierShared();
    barrier();
}

// Those of the list, and all around them: they are looked at.
void list_beside(uint count)
{
    for (uint n = gl_LocalInvocationIndex; n < count; n += uint(TOGETHER)) {
        uint v = marks[list_at(0u, n)], number = around(v);
        for (uint k = 0u; k <= number; k++) {
            uint o = k == number ? v : ring[beside_at(v, k)];
            if ((atomicOr(marks[meta_at(o)], IS_LISTED) & IS_LISTED) == 0u) marks[list_at(1u, atomicAdd(listed, 1u))] = o;
        }
    }
}

// What a vertex lacks to the mean of those around it; at the rim nothing.
void find_lack(uint v)
{
    vec3 sum = vec3(0.0), own = from_place(v);
    uint number = around(v);
    bool rim = rims_of(v) > 0u;
    for (uint k = 0u; k < number && !rim; k++) sum += from_place(ring[beside_at(v, k)]) - own;
    put_state3(STATE_LACK, v, sum / float(number));
}

void move(uint v)
{
    vec3 sum = vec3(0.0), own = state3(STATE_LACK, v);
    uint number = around(v);
    for (uint k = 0u; k < number; k++) sum += state3(STATE_LACK, ring[beside_at(v, k)]) - own;
    vec3 by = FAIRED_BY * state[state_at(STATE_HANG, v)] / float(number) * sum;
    from[3u * v] -= by.x, from[3u * v + 1u] -= by.y, from[3u * v + 2u] -= by.z;
}

// Levels that are not made are copied, so that what is drawn stands where it is expected.
void plan()
{
    uint all = law.vertices, count = work[WORK_EDGES], triangles = work[WORK_CHOSEN];
    for (uint level = 0u; level < law.levels; level++) {
        bool made = level < work[WORK_LEVELS];
        uint call = WORK_CALLS + 4u * level, threads = all + (made ? 3u * triangles : 0u);
        work[call] = (threads + 255u) / 256u, work[call + 1u] = work[call + 2u] = 1u;
        if (!made) continue;
        all += count, count = 2u * count + 3u * triangles, triangles *= 4u;
    }
}

void main()
{
    uint own = gl_LocalInvocationIndex, count = work[WORK_HANGING];
    if (own == 0u) listed = 0u, plan();
    if (count == 0u) return;
    meet();
    list_beside(count);
    meet();
    for (int turn = 0; turn < FAIRED; turn++) {
        for (uint n = own; n < listed; n += uint(TOGETHER)) find_lack(marks[list_at(1u, n)]);
        meet();
        for (uint n = own; n < count; n += uint(TOGETHER)) move(marks[list_at(0u, n)]);
        meet();
    }
}

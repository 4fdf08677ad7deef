// Which triangles are divided: those of the sheet that the picture shows, with what is beside them.
layout(local_size_x = 256) in;
#include finer
shared uint bits[8];
shared uint count;

// Whether a box is wholly beyond one side of the picture; rv_eye_hides.
bool is_hidden(vec3 low, vec3 high)
{
    ivec4 beyond = ivec4(0);
    int behind = 0;
    for (int n = 0; n < 8; n++) {
        vec3 d = vec3((n & 1) != 0 ? low.x : high.x, (n & 2) != 0 ? low.y : high.y, (n & 4) != 0 ? low.z : high.z) - law.eye.xyz;
        float ahead = dot(d, law.forward.xyz), x = dot(d, law.right.xyz), y = dot(d, law.up.xyz);
        float wide = ahead * law.right.w, high_by = ahead * law.up.w;
        beyond += ivec4(x < -wide, x > wide, y < -high_by, y > high_by);
        behind += int(ahead < 0.0);
    }
    return any(equal(beyond, ivec4(8))) || behind == 8;
}

bool is_chosen(uint t)
{
    vec3 low = vec3(1e30), high = vec3(-1e30);
    for (uint k = 0u; k < 3u; k++) {
        uint v = corners[3u * t + k];
        if (!may_divide(mesh[15u * law.mesh_room + v])) return false;
        vec3 at = (mesh_place(v) - law.grid.xyz) * law.grid.w;
        low = min(low, at), high = max(high, at);
    }
    return !is_hidden(low - SEEN_BESIDE, high + SEEN_BESIDE);
}

void main()
{
    uint group = gl_WorkGroupID.x, own = gl_LocalInvocationIndex, t = thread();
    if (own < 8u) bits[own] = 0u;
    if (own == 8u) count = 0u;
    for (uint v = t; v < law.vertices; v += 256u * law.groups) ring[RING_WORDS * v] = 0u;
    barrier();
    if (t < law.triangles && is_chosen(t)) {
        atomicOr(bits[own / 32u], 1u << (own % 32u));
        atomicAdd(count, 1u);
    }
    barrier();
    if (own < 8u) work[WORK_WORDS + law.groups + 8u * group + own] = bits[own];
    if (own == 8u) work[WORK_WORDS + group] = count;
}

// Which thread this is. TURNED: tests let groups come in another order, backwards or with all odd
// ones last, because no kernel may depend on it.

uvec3 thread_here()
{
    uvec3 group = gl_WorkGroupID;
#ifdef TURNED
    uvec3 all = gl_NumWorkGroups, half_way = (all + 1u) / 2u;
    uvec3 last = 2u * (group - half_way) + 1u;
    if (TURNED == 1)
        group = all - 1u - group;
    else
        group = uvec3(group.x < half_way.x ? 2u * group.x : last.x,
                      group.y < half_way.y ? 2u * group.y : last.y, group.z);
#endif
    return group * gl_WorkGroupSize + gl_LocalInvocationID;
}

#ifndef NO_PLANES
uint listed_here()
{
    uvec3 t = thread_here(), all = gl_NumWorkGroups * gl_WorkGroupSize;
    return t.x + all.x * (t.y + all.y * (t.z - law.planes));
}
#endif

// Kernels that go over all nodes: groups are squares of the list, one for each plane, and after them
// extra nodes, 256 each.

// The node of this thread; NONE: none.
uint node_here()
{
    if (group_x() < law.groups) {
        Place p = place_here();
        return p.exists && kind_of(p.slot) != KIND_NONE ? p.slot : NONE;
    }
    uint i = (group_x() - law.groups) * 256u + gl_LocalInvocationIndex;
    bool is = gl_WorkGroupID.z == 0u && i < min(status[STATUS_EXTRAS], law.extras);
    return is ? law.slots + i : NONE;
}

// This group among those that are summed up.
uint group_here()
{
    if (group_x() < law.groups) return group_x() * law.planes + gl_WorkGroupID.z;
    return law.groups * law.planes + group_x() - law.groups;
}

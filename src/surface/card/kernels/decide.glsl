// Whether an island is choppy enough for another pass (../../normals.c).
layout(local_size_x = 64) in;

void main()
{
    uint counts = STATUS_ISLANDS + 8u * law.islands + law.pass_number * law.bands;
    uint again = STATUS_ISLANDS + 4u * law.islands + law.pass_number;
    for (uint i = gl_LocalInvocationIndex; i < law.islands; i += 64u) {
        uint at = STATUS_ISLANDS + 4u * i, choppy = 0u;
        uint last = i + 1u < law.islands ? status[at + 6u] : law.bands;
        for (uint b = status[at + 2u]; b < last; b++) choppy += status[counts + b];
        // 0.004 of its vertices
        bool more = (law.pass_number == 0u || status[again + 4u * i] != 0u) &&
                    250u * choppy >= status[at + 3u];
        status[again + 4u * i + 1u] = more ? 1u : 0u;
    }
}

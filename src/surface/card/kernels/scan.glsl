// Sums of groups become the sums of those before them, and the whole is told: in one group.
layout(local_size_x = 256) in;

#include "sums"

// Of so many triangles, and those of droplets; none at the sides yet.
void begin_draw(uint triangles)
{
    status[STATUS_DRAW] = 3u * (triangles + law.more_triangles);
    status[STATUS_DRAW + 1u] = 1u;
    for (uint k = 2u; k < 5u; k++) status[STATUS_DRAW + k] = 0u;
    status[STATUS_SIDE_VERTICES] = 0u;
}

void main()
{
    uint n = gl_LocalInvocationIndex;
    for (uint which = 0u; which < 3u; which++) {
        uint done = 0u;
        for (uint first = 0u; first < law.count; first += 256u) {
            uint own = first + n < law.count ? sums_at(first + n, which) : 0u;
            uint before = sum_before(own);
            if (first + n < law.count) put_sum(first + n, which, done + before);
            done += running[255];
        }
        // of extra nodes there is one number only
        if (n == 0u && law.pass_number == 0u && which == 0u) status[STATUS_EXTRAS] = done;
        if (n == 0u && law.pass_number == 1u) status[STATUS_INSIDE + which] = done;
        if (n == 0u && law.pass_number == 1u && which == 2u) begin_draw(done);
    }
}

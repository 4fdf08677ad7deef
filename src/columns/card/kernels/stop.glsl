// With PARTED: velocities that find no room are stopped, after all depths are new. Where passages have
// a say; else `level` does it.
layout(local_size_x = 64, local_size_y = 4) in;
CHANGES(AT_NEW_SPEED, NewSpeed, float, new_speed);
READS(AT_SCALES, Scales, float, scales);
READS(AT_BITS, Bits, uint, bits);
READS(AT_STATUS, Status, uint, status);
#define AFTER_SCALES
#include "blocks"
#include "halted"

void stop(uint at, uint a, uint b)
{
    float u = new_speed[at];
    precise float result = u * (u > 0.0 ? scales[law.slots + b] : scales[law.slots + a]);
    new_speed[at] = result;
}

void main()
{
    Place at = place_here();
    if (is_halted()) return;
    if (!at.exists || !is_awake(at)) return;
    uint i = at.slot, n = law.slots;
    stop(i, i, i + 1u);
    if (at.y + 1u < at.ny) stop(n + i, i, i + at.pitch);
#ifdef EIGHT
    if (at.y + 1u < at.ny) {
        stop(2u * n + i, i, i + at.pitch + 1u);
        stop(3u * n + i, i, i + at.pitch - 1u);
    }
#endif
}

// Blocks that fall asleep stop (fall_asleep in ../../awake.c). Needs rows.
CHANGES(AT_SPEED, Speed, float, speed);
CHANGES(AT_FLUX, Flux, float, flux);
#ifdef TENSE
CHANGES(AT_PRESS, Press, float, press);
#endif

void stop(uint first, uint end)
{
    for (uint i = first; i < end; i++) {
        for (uint way = 0u; way < law.ways; way++) {
            flux[way * law.slots + i] = 0.0;
#ifdef FLOW
            speed[way * law.slots + i] = 0.0;
#endif
        }
#ifdef TENSE
        press[law.slots + i] = 0.0;
#endif
    }
}

// `gone`: those blocks of a row.
void stop_blocks(uint row, uvec2 gone)
{
    uint p = plane_of(row), width = 1u << law.shift;
    uvec4 plane = law.plane[2u * p];
    uint first = plane.x + (row - law.plane[2u * p + 1u].x) * plane.y;
    for (uint b = 0u; b * width < plane.z && (gone.x | gone.y) != 0u; b++)
        if (((b < 32u ? gone.x >> b : gone.y >> (b - 32u)) & 1u) != 0u)
            stop(first + b * width, first + min((b + 1u) * width, plane.z));
}

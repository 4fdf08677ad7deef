// Which tiles of 32 by 8 columns work in this substep, dealt out to groups that meet: tiles beside
// each other go to different ones. Needs rows, tile, meeting.
#define OWN_MOST 512u // tiles of a group, as ../meeting.c has it

shared uint own_tiles[OWN_MOST], own_count;

// A row of tiles, of those of all planes: the first row of columns, the first after the plane, how
// many tiles there are, which plane it is.
uvec4 tile_row(uint k)
{
    uint p = 0u, high = (law.plane[0].w + HIGH - 1u) / HIGH;
    while (k >= high && p + 1u < law.planes) {
        k -= high, p++;
        high = (law.plane[2u * p].w + HIGH - 1u) / HIGH;
    }
    uint first = law.plane[2u * p + 1u].x;
    return uvec4(first + HIGH * k, first + law.plane[2u * p].w, (law.plane[2u * p].z + 31u) / 32u, p);
}

// Whether one of its blocks works, or did in the last substep.
bool tile_works(uvec4 row, uint x)
{
    uint block = (32u * x) >> law.shift, any = 0u;
    for (uint k = 0u; k < HIGH; k++) { // all rows at once: the way to them is long
        uint word = 2u * min(row.x + k, row.y - 1u) + (block >> 5);
        any |= bits[law.awake_at + word] | bits[law.before_at + word];
    }
    return (any & (1u << (block & 31u))) != 0u;
}

// All threads of the group come here.
void list_tiles()
{
    if (gl_LocalInvocationIndex == 0u) own_count = 0u;
    barrier();
    for (uint k = group + groups * gl_LocalInvocationIndex; k < law.tiles; k += 256u * groups) {
        uvec4 row = tile_row(k / law.tiles_wide);
        uint x = k % law.tiles_wide;
        if (x < row.z && tile_works(row, x)) own_tiles[atomicAdd(own_count, 1u)] = k;
    }
    barrier();
}

// This thread's column of the group's tile k.
Place place_in(uint k)
{
    uint tile = own_tiles[k];
    uvec4 row = tile_row(tile / law.tiles_wide);
    uint y = row.x - law.plane[2u * row.w + 1u].x, x = 32u * (tile % law.tiles_wide);
    return place_at(uvec3(x, y, row.w) + uvec3(gl_LocalInvocationID.xy, 0u));
}

// Cells smoothed by (¼, ½, ¼): along y, then z, then x. `at`: where the cell stands in its array.
vec4 blurred_y(uint at)
{
    uint y = SIZE * law.grid.x;
    precise vec4 v = 0.25 * (cells[at - y] + cells[at + y]) + 0.5 * cells[at];
    return v;
}

vec4 blurred_across(uint at)
{
#ifdef SPACE
    uint z = SIZE * law.grid.y;
    vec4 row[3];
    for (uint k = 0u; k < 3u; k++) row[k] = blurred_y(at + k * z - z);
    precise vec4 v = 0.25 * (row[0] + row[2]) + 0.5 * row[1];
    return v;
#else
    return blurred_y(at);
#endif
}

vec4 smoothed(uint at)
{
    vec4 row[3];
    for (uint k = 0u; k < 3u; k++) row[k] = blurred_across(at + k * SIZE - SIZE);
    precise vec4 v = 0.25 * (row[0] + row[2]) + 0.5 * row[1];
    return v;
}

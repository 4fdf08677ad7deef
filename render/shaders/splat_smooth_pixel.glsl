// The density of a slice, smoothed within it.
#include splat_numbers
#include splat_density
out vec4 smoothed; // and 1, or 0 in solids

void main()
{
    ivec3 cell = cell_of(ivec2(gl_FragCoord.xy));
    smoothed = vec4(0.0);
    if (on_grid(cell)) smoothed = vec4(smooth_xy(cell), dense_at(cell).y, 0.0, 0.0);
}

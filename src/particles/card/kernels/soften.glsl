// What `mend` has made, smoothed once (smooth_layer in ../../drawn.c).
layout(local_size_x = 32, local_size_y = 4) in;

void main()
{
    ivec3 c = ivec3(thread_here());
    if (!inside(c)) return;
    float sum = 0.0;
    for (int k = 0; k < 27; k++) {
        ivec3 off = ivec3(k % 3, k / 3 % 3, k / 9) - 1;
        vec3 w = mix(vec3(2.0 / 3.0), vec3(1.0 / 6.0), notEqual(off, ivec3(0)));
        sum += w.x * w.y * w.z * sums[slot_of(clamp(c + off, ivec3(0), law.cells.xyz - 1))].x;
    }
    sums[slot_of(c)].y = sum;
}

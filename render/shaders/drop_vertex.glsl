// A droplet: a rectangle that faces the eye, on which a ball is drawn that is drawn out along its way.
#include frame
layout(location = 0) in vec4 ball;     // middle, radius
layout(location = 1) in vec4 velocity; // cells/s; half of its way at most in whole radii, plus foam
out vec2 place;                        // in radii from the middle
flat out vec4 drop;
flat out float faint;
flat out float reach;                  // half of its way, in radii
flat out float pixels;                 // its radius
flat out vec3 across;
flat out vec3 upward;
flat out vec3 toward;
flat out float mist;                   // how much of it is fine spray

void main()
{
    vec3 d = eye.xyz - ball.xyz;
    float far = length(d), pixel = 2.0 * far * up.w * picture.w;
    toward = d / far;
    // Its way while the picture is taken, as it is seen; wet.z is how long that is.
    vec3 way = velocity.xyz * wet.z;
    way -= toward * dot(way, toward);
    float long_way = length(way);
    across = long_way > 1e-3 * ball.w ? way / long_way : normalize(cross(up.xyz, toward));
    upward = cross(toward, across);
    // What is smaller than a pixel and a half is drawn so large, and as much fainter.
    mist = fract(velocity.w);
    float own = ball.w * (1.0 + 1.2 * mist), radius = max(own, 0.75 * pixel);
    pixels = radius / pixel;
    reach = min(0.5 * long_way, floor(velocity.w) * own) / radius;
    // One that is seen as a ball stays one until its way is longer than it is wide: before that it would be a pill.
    reach *= mix(1.0, smoothstep(0.6, 2.0, reach), smoothstep(3.0, 8.0, pixels));
    // The longer its way, the less of the time it is at each place.
    faint = own * own / (radius * radius) / (1.0 + 0.9 * reach);
    drop = vec4(ball.xyz, radius);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    place = corner * (vec2(1.0 + reach, 1.0) + pixel / radius);
    gl_Position = to_picture * vec4(ball.xyz + (across * place.x + upward * place.y) * radius, 1.0);
}

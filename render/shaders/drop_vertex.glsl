// A droplet: a square that faces the eye, on which a ball is drawn.
#include frame
layout(location = 0) in vec4 ball; // middle, radius
out vec2 place;                    // -1 … 1 across the ball
flat out vec4 drop;
flat out float faint;
flat out vec3 across;
flat out vec3 upward;
flat out vec3 toward;

void main()
{
    vec3 d = eye.xyz - ball.xyz;
    float far = length(d), pixel = 2.0 * far * up.w * picture.w;
    toward = d / far;
    across = normalize(cross(up.xyz, toward));
    upward = cross(toward, across);
    // What is smaller than a pixel and a half is drawn so large, and as much fainter.
    float radius = max(ball.w, 0.75 * pixel);
    faint = ball.w * ball.w / (radius * radius);
    drop = vec4(ball.xyz, radius);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    place = corner * (1.0 + pixel / radius);
    gl_Position = to_picture * vec4(ball.xyz + (across * place.x + upward * place.y) * radius, 1.0);
}

// A particle: a square that faces the eye.
#include frame
layout(location = 0) in vec4 point; // middle; w: speed
uniform float radius;
out vec2 place; // -1 … 1 across the ball
flat out float speed;
flat out float faint;

void main()
{
    float far = dot(point.xyz - eye.xyz, forward.xyz), pixel = 2.0 * far * up.w * picture.w;
    // What is smaller than a pixel and a half is drawn so large, and as much fainter.
    float r = max(radius, 0.75 * pixel);
    faint = radius * radius / (r * r);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    place = corner * (1.0 + pixel / r);
    speed = point.w;
    gl_Position = to_picture * vec4(point.xyz + (right.xyz * place.x + up.xyz * place.y) * r, 1.0);
}

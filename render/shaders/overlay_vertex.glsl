// Lines and faces over the scene, drawn a little nearer than they are, so that they stay over what they mark.
#include frame
layout(location = 0) in vec3 at;
layout(location = 1) in vec4 rgba;
out vec4 paint;

void main()
{
    paint = rgba;
    gl_Position = to_picture * vec4(at, 1.0);
    gl_Position.z -= 2e-4 * gl_Position.w;
}

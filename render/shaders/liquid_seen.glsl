// What is known of liquid in a pixel, on its way from shape to light.
struct Shape {
    vec3 p;       // place
    vec3 d;       // normal
    float way;    // of the view through it, cells
    float deep;   // under the surface there
    float share;  // how much of it there is: less at its end
    float spread; // how blurred it mirrors
    float kind;   // as liquid_vertex.glsl has it
    float near;   // nearness to a contact
    float turned; // how much it faced away before it was turned to the eye
};
Shape s;
uniform highp sampler2D scene_depth;

// Distance along the camera's axis of a depth.
float ahead(float z)
{
    return range.x * range.y / (range.y - z * (range.y - range.x));
}

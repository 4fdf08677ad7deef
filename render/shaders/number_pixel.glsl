// The nearest liquid that no solid hides, or (PEEL) the nearest behind that: its depth, and the number of its triangle.
#include frame
uniform highp sampler2D scene_depth;
#ifdef PEEL
centroid in vec4 liquid;
#endif
#include liquid_hidden
out highp uint number;

void main()
{
    if (is_hidden()) discard;
    number = uint(gl_PrimitiveID);
}

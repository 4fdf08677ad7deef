// The depth of liquid, where no solid hides it, or (PEEL) of the nearest behind the nearest; what is drawn after this asks
// for the very depth that is left (GL_EQUAL).
#include frame
uniform highp sampler2D scene_depth;
#ifdef PEEL
centroid in vec4 liquid;
#endif
#include liquid_hidden

void main()
{
    if (is_hidden()) discard;
}

// Liquid as a layer that light goes through.
// Shares of diffuse light that get through a layer and that it throws back (Kubelka & Munk).
void layer(float way, out vec3 through, out vec3 thrown)
{
    vec3 e = exp(-2.0 * min(fade.rgb * way, vec3(20.0)));
    vec3 low = back.rgb * (1.0 - e) + rest.rgb * (1.0 + e);
    through = 2.0 * rest.rgb * sqrt(e) / low;
    thrown = (1.0 - e) / low;
}

// Light that comes from below meets the surface from inside, which sends half of it back down again. So liquid is
// darker than what it throws back, and a wet bed darker than a dry one (Saunderson 1942).
vec3 out_of(vec3 c)
{
    return c * 0.5 / (1.0 - 0.5 * min(c, vec3(0.95)));
}

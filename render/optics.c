// From a liquid's absorption and scattering to the numbers of the shader.
//
// Scenes are of any size, and view.opaque says at which depth the liquid hides its bed. So depths
// are scaled: at view.opaque light has gone through as much as at the depth at which the real
// liquid hides its bed. Where the real one is much clearer than the scene wants it, its colours
// would drown in one (water would be ink): then they are drawn together, and a little more is
// thrown back.
#include "render/optics.h"

#include "rivulet/liquid.h"

// The share of a colour that gets down through a depth and up again.
static double down_and_up(double a, double s, double depth)
{
    double k = 2 * a / s, b = sqrt(k * (2 + k)), x = b * s * depth;
    double t = x > 300 ? 0 : b / ((1 + k) * sinh(x) + b * cosh(x));
    return t * t;
}

// The depth at which no colour gets down and up again with more than 5%.
static double hiding_depth(const double a[3], const double s[3])
{
    double low = 1e-9, high = 1e9; // halved in size, not in distance
    for (int n = 0; n < 60; n++) {
        double middle = sqrt(low * high), most = 0;
        for (int c = 0; c < 3; c++) most = fmax(most, down_and_up(a[c], s[c], middle));
        if (most > 0.05)
            low = middle;
        else
            high = middle;
    }
    return high;
}

rv_optics_numbers rv_optics_numbers_of(const rv_params *p, double dx)
{
    const rv_liquid_info *liquid = rv_liquid_get(p->liquid_look);
    if (!liquid) liquid = rv_liquid_get(RV_LOOK_WATER);
    double a[3], s[3], mean = 1;
    for (int c = 0; c < 3; c++) {
        a[c] = fmax(liquid->absorption[c], 1e-6), s[c] = fmax(0.75 * liquid->scattering[c], 1e-6);
        mean *= cbrt(a[c]);
    }
    double clearer = hiding_depth(a, s) / p->view_opaque;
    if (clearer > 1) {
        // Tuned on water at 2 mm, 40,000 times too clear: a teal that lets the bed through.
        double pull = 1 / (1 + 0.38 * log10(clearer));
        for (int c = 0; c < 3; c++) {
            a[c] = mean * pow(a[c] / mean, pull);
            s[c] = fmax(s[c], (1 - pull) * 0.55 * mean);
        }
    }
    double per = hiding_depth(a, s) / p->view_opaque * dx;
    rv_optics_numbers o = {.index = (float)liquid->index};
    float fade[3], back[3], rest[3];
    for (int c = 0; c < 3; c++) {
        double k = 2 * a[c] / s[c], b = sqrt(k * (2 + k));
        back[c] = (float)(1 + k), rest[c] = (float)b, fade[c] = (float)(b * s[c] * per);
    }
    o.fade = v3(fade[0], fade[1], fade[2]), o.back = v3(back[0], back[1], back[2]);
    o.rest = v3(rest[0], rest[1], rest[2]);
    double r = (liquid->index - 1) / (liquid->index + 1);
    o.straight = (float)(r * r);
    return o;
}

// The scale of numbers is a path through OKLab (Ottosson 2020), whose distances are those that the
// eye sees: lightness rises evenly from dark violet over blue and green to a light yellow, at an
// even pace of hue.
#include "render/colours.h"

#include <math.h>

static uint8_t to_byte(double linear)
{
    double v = linear < 0 ? 0 : linear > 1 ? 1 : linear;
    v = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
    return (uint8_t)lrint(255 * v);
}

static rv_colour from_lab(double l, double a, double b)
{
    double x = l + 0.3963377774 * a + 0.2158037573 * b;
    double y = l - 0.1055613458 * a - 0.0638541728 * b;
    double z = l - 0.0894841775 * a - 1.2914855480 * b;
    x = x * x * x, y = y * y * y, z = z * z * z;
    return (rv_colour){to_byte(4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z),
                       to_byte(-1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z),
                       to_byte(-0.0041960863 * x - 0.7034186147 * y + 1.7076147010 * z)};
}

rv_colour rv_colour_of(double share)
{
    double t = share < 0 ? 0 : share > 1 ? 1 : share;
    double hue = 5.25 - 3.45 * t; // rad: violet, blue, green, yellow
    double strength = 0.085 + 0.055 * sin(3.14159265 * (0.25 + 0.75 * t)) + 0.035 * t;
    return from_lab(0.33 + 0.60 * t, strength * cos(hue), strength * sin(hue));
}

rv_colour rv_colour_of_kind(int kind)
{
    // Hues in an order in which neighbours differ most, light and dark in turn.
    static const double hue[RV_KINDS] = {4.4, 0.9, 2.5, 5.9, 1.7, 3.4, 0.2, 5.2};
    int n = (kind % RV_KINDS + RV_KINDS) % RV_KINDS;
    return from_lab(n % 2 ? 0.76 : 0.62, 0.13 * cos(hue[n]), 0.13 * sin(hue[n]));
}

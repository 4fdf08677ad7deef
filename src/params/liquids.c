// Liquids with published properties: how they flow, how they meet a solid, what light they swallow
// and throw about.
//
// Diffuse light in a layer as two fluxes, down and up (Kubelka & Munk 1931): of each, a share K a
// metre is swallowed and a share S turned back. Absorption a and reduced scattering s of single
// light paths give K = 2 a, as diffuse light goes twice as far as straight light, and S = 3/4 s
// (van Gemert & Star 1987). Light then fades as exp(-sqrt(K (K + 2 S)) z), which for little
// absorption is the sqrt(3 a (a + s)) of the diffusion equation. docs/liquids.md says of each
// number where it is from, and which of them are estimates.
#include "rivulet/liquid.h"

#include <math.h>

// Red, green and blue stand for 610, 550 and 465 nm; where a source measured with a camera's three
// colours, for those.
static const rv_liquid_info liquids[] = {
    [RV_LOOK_WATER] =
        {
            .name = "water",
            .viscosity = 1.004e-6, // 20 °C
            .density = 998.2,
            .contact = 0.52, // about 30°: glass as it is handled; freshly cleaned glass is near 0
            .tension = 0.0728,
            .advancing = 1.05, // 60° and 20°, estimated, as are those of all the others
            .receding = 0.35,
            .solid = "glass",
            .index = 1.333,
            .absorption = {0.2644, 0.0565, 0.0101},
            .scattering = {0.0009, 0.0015, 0.0030}, // of the molecules: 0.0022 (500 nm / λ)^4.32
            .source = "20 C: IAPWS 2008 (flow), 2014 (tension); Pope & Fry 1997, Appl. Opt. 36 "
                      "(absorption); "
                      "Morel 1974 (scattering)",
        },
    [RV_LOOK_BLOOD] =
        {
            .name = "blood",
            .viscosity = 3.3e-6, // 3.5 mPa s at shear rates over 100 1/s
            .density = 1060,
            .contact = 0.61,  // about 35°: found below 40°
            .tension = 0.053, // at 37 °C; 0.056 at 22 °C
            .advancing = 0.8,
            .receding = 0.35,
            .solid = "glass",
            .index = 1.37,
            // 150 g/l of haemoglobin, 98% of it with oxygen: 2.303 · 150 / 64500 of the table's
            // 1665, 43224 and 38045 per cm and mol/l.
            .absorption = {892, 23150, 20376},
            .scattering = {1930, 2070, 2310}, // 2200 (500 nm / λ)^0.66
            .source =
                "whole, 37 C, haematocrit 45%: Merrill 1969 (flow); Rosina et al. 2007 (tension); "
                "Brutin et al. 2012 (contact); Prahl 1999 (absorption); Jacques 2013 (scattering)",
        },
    [RV_LOOK_COFFEE] =
        {
            .name = "coffee",
            .viscosity = 4.9e-7, // water of 60 °C, 3% more for what is dissolved
            .density = 988,
            .contact = 0.7,   // estimated
            .tension = 0.052, // estimated: water of 60 °C has 0.066, espresso about 0.047
            .advancing = 1,
            .receding = 0.35,
            .solid = "glazed ceramic",
            .index = 1.334,
            // A seventh of espresso, as it has a seventh of the solids (1.3% against 9%).
            .absorption = {685, 939, 1264},
            .scattering = {103, 121, 146},
            .source = "filter coffee, 60 C: as water (flow, IAPWS 2008); a seventh of espresso in "
                      "Narasimhan et al. 2006, ACM Trans. Graph. 25 (light)",
        },
    [RV_LOOK_MILK] =
        {
            .name = "milk",
            .viscosity = 2.0e-6,
            .density = 1030,
            .contact = 0.6, // estimated
            .tension = 0.047,
            .advancing = 0.85,
            .receding = 0.35,
            .solid = "glass",
            .index = 1.346,
            .absorption = {1.1, 2.4, 14},
            .scattering = {2550, 3210, 3770},
            .source = "whole, 20 C: Walstra et al. 2006, Dairy Science and Technology (flow, "
                      "tension, index); "
                      "Jensen et al. 2001, SIGGRAPH (light)",
        },
    [RV_LOOK_PAINT] =
        {
            .name = "paint",
            .viscosity = 8e-4, // 1 Pa s: at the few pascals with which a film runs down a wall
            .density = 1250,
            .contact = 0.35,  // estimated
            .tension = 0.035, // about
            .advancing = 0.6,
            .receding = 0.15,
            .solid = "primed wood",
            .index = 1.40, // half way from water to the acrylic in it
            // Estimated: 0.1 mm hides, and a thick layer throws back 4, 14 and 44%.
            .absorption = {72000, 18600, 2700},
            .scattering = {17000, 18000, 20000},
            .source =
                "blue interior emulsion paint: Patton 1979, Paint Flow and Pigment Dispersion "
                "(flow, about); light estimated from colour and hiding power",
        },
    [RV_LOOK_HONEY] =
        {
            .name = "honey",
            .viscosity = 4.9e-3, // 6.9 Pa s
            .density = 1420,
            .contact = 1.0,   // estimated
            .tension = 0.055, // about
            .advancing = 1.2,
            .receding = 0.6,
            .solid = "glass",
            .index = 1.493,
            .absorption = {10, 40, 170},
            .scattering = {4, 5, 6}, // estimated: clear, with a little pollen
            .source = "17% water, 25 C: White 1975, Honey: A Comprehensive Survey (flow, index); "
                      "absorption about, from Beretta et al. 2005, Anal. Chim. Acta 533",
        },
    [RV_LOOK_OIL] =
        {
            .name = "oil",
            .viscosity = 9.2e-5, // 84 mPa s
            .density = 914,
            .contact = 0.37, // about 20°
            .tension = 0.032,
            .advancing = 0.55,
            .receding = 0.2,
            .solid = "glass",
            .index = 1.469,
            // About: 5 mg/kg of carotenoids and 10 mg/kg of pheophytin.
            .absorption = {18, 14, 250},
            .scattering = {1, 1, 1}, // estimated: filtered
            .source =
                "virgin olive oil, 20 C: CRC Handbook (flow); Sahasrabudhe et al. 2017 (tension); "
                "Codex Alimentarius 33 (index); "
                "absorption about, from pigments in Minguez-Mosquera et al. 1991, JAOCS 68",
        },
    [RV_LOOK_MERCURY] =
        {
            .name = "mercury",
            .viscosity = 1.14e-7, // 1.55 mPa s
            .density = 13546,
            .contact = 2.44, // 140°
            .tension = 0.485,
            .advancing = 2.44,
            .receding = 2.27, // 130°
            .solid = "glass",
            .index = 15, // not its own, which is complex: one that mirrors as much, 77%
            .absorption = {8e7, 9e7, 1e8}, // 4 π k / λ: gone within some ten nanometres
            .scattering = {1, 1, 1},       // none, as far as that is deep
            .source = "20 C: CRC Handbook (flow); Inagaki et al. 1981, Phys. Rev. B 23 (light)",
        },
};

int rv_liquid_count(void)
{
    return (int)(sizeof liquids / sizeof liquids[0]);
}

const rv_liquid_info *rv_liquid_get(rv_liquid_look which)
{
    int i = (int)which;
    return i >= 0 && i < rv_liquid_count() ? &liquids[i] : NULL;
}

const rv_field_info *rv_liquid_field(void)
{
    static const rv_field_info field = {
        .key = "liquid.preset",
        .type = RV_WORD,
        .unit = "",
        .words = RV_WORDS_LOOK,
        .preset = RV_LOOK_WATER,
        .meaning = "sets all that liquid.* says of flow, surface and look but liquid.uneven",
    };
    return &field;
}

void rv_params_set_liquid(rv_params *params, rv_liquid_look which)
{
    const rv_liquid_info *liquid = rv_liquid_get(which);
    if (!params || !liquid) return;
    params->liquid_viscosity = liquid->viscosity;
    params->liquid_density = liquid->density;
    params->liquid_contact = liquid->contact;
    params->liquid_tension = liquid->tension;
    params->liquid_advancing = liquid->advancing;
    params->liquid_receding = liquid->receding;
    params->liquid_look = which;
}

// S, 1/m; never 0, so that the formulas hold for a liquid that scatters nothing.
static double backward(const rv_liquid_info *liquid, int colour)
{
    return fmax(0.75 * liquid->scattering[colour], 1e-9);
}

double rv_liquid_through(const rv_liquid_info *liquid, int colour, double depth)
{
    if (!liquid || colour < 0 || colour > 2) return 0;
    if (!(depth > 0)) return 1;
    double k = 2 * liquid->absorption[colour], s = backward(liquid, colour);
    double a = 1 + k / s, b = sqrt(k / s * (2 + k / s));
    double x = b * s * depth;
    if (x < 1e-6) return 1 / (1 + a * s * depth); // no absorption to speak of: b goes to 0
    if (x > 300) return 0;
    return b / (a * sinh(x) + b * cosh(x));
}

double rv_liquid_back(const rv_liquid_info *liquid, int colour)
{
    if (!liquid || colour < 0 || colour > 2) return 0;
    double q = 2 * liquid->absorption[colour] / backward(liquid, colour);
    return 1 / (1 + q + sqrt(q * (2 + q)));
}

double rv_liquid_hides(const rv_liquid_info *liquid)
{
    if (!liquid) return 0;
    double low = 1e-9, high = 1e9; // m; halved in size, not in distance: 60 times is plenty
    for (int i = 0; i < 60; i++) {
        double depth = sqrt(low * high), most = 0;
        for (int c = 0; c < 3; c++) most = fmax(most, rv_liquid_through(liquid, c, depth));
        if (most * most > 0.05)
            low = depth;
        else
            high = depth;
    }
    return sqrt(low * high);
}

// `rivulet liquids`: what `liquid.preset` knows, one line each, and where the numbers are from.
#include "app/options.h"

#include <math.h>
#include <stdio.h>

static const rv_option options[] = {
    {"--json", NULL,
     "print JSON: an array with one object a liquid, with the numbers of its light"},
};
static const rv_command command = {
    "liquids", "[options]",
    "Lists the liquids that `liquid: {preset: NAME}` or `--set liquid.preset=NAME` sets: "
    "kinematic\n"
    "viscosity, density, contact angle and the solid it was found on, index of refraction, and "
    "the\n"
    "depth at which it hides what is under it. docs/liquids.md tells of every number where it is\n"
    "from.",
    options, 1, NULL};

static double degrees(double radians)
{
    return radians * 45 / atan(1);
}

// A length with the unit that suits it, two digits.
static void depth_text(double metres, char *out, size_t size)
{
    if (metres < 1e-4)
        snprintf(out, size, "%.2g um", metres * 1e6);
    else if (metres < 0.1)
        snprintf(out, size, "%.2g mm", metres * 1e3);
    else
        snprintf(out, size, "%.2g m", metres);
}

static void print_row(const rv_liquid_info *liquid)
{
    char contact[64], hides[32];
    snprintf(contact, sizeof contact, "%.0f deg on %s", degrees(liquid->contact), liquid->solid);
    depth_text(rv_liquid_hides(liquid), hides, sizeof hides);
    printf("%-7s  %9.4g  %7.4g  %-24s  %-5.3f  %-7s  %s\n", liquid->name, liquid->viscosity * 1e6,
           liquid->density, contact, liquid->index, hides, liquid->source);
}

static void print_three(const char *key, const double *value)
{
    printf("\"%s\": [%.6g, %.6g, %.6g], ", key, value[0], value[1], value[2]);
}

static void print_json(const rv_liquid_info *liquid, bool first)
{
    double back[3];
    for (int i = 0; i < 3; i++) back[i] = rv_liquid_back(liquid, i);
    printf("%s\n  {\"name\": \"%s\", \"viscosity\": %.6g, \"density\": %.6g, \"contact\": %.6g, "
           "\"tension\": %.6g, \"advancing\": %.6g, \"receding\": %.6g, \"solid\": \"%s\", "
           "\"index\": %.6g, ",
           first ? "[" : ",", liquid->name, liquid->viscosity, liquid->density, liquid->contact,
           liquid->tension, liquid->advancing, liquid->receding, liquid->solid, liquid->index);
    print_three("absorption", liquid->absorption);
    print_three("scattering", liquid->scattering);
    print_three("back", back);
    printf("\"hides\": %.6g, \"source\": \"%s\"}", rv_liquid_hides(liquid), liquid->source);
}

int rv_app_liquids(int argc, char **argv)
{
    rv_args args = rv_args_begin(&command, argc, argv);
    const char *name, *value;
    bool json = false;
    for (rv_arg kind; (kind = rv_args_next(&args, &name, &value)) != RV_ARG_END;) {
        if (kind == RV_ARG_STOP) return args.status;
        if (kind == RV_ARG_PLAIN)
            return rv_usage_error(&command, "'%s' is not expected: it takes no arguments", value);
        json = true;
    }
    if (!json)
        printf("%-7s  %9s  %7s  %-24s  %-5s  %-7s  %s\n", "name", "visc. cSt", "kg/m3", "contact",
               "index", "hides", "source");
    for (int i = 0; i < rv_liquid_count(); i++) {
        const rv_liquid_info *liquid = rv_liquid_get((rv_liquid_look)i);
        if (json)
            print_json(liquid, i == 0);
        else
            print_row(liquid);
    }
    if (json) puts("\n]");
    return 0;
}

// Assignments of a command line: --set and the options that stand for one.
#include "app/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEEPEST 89.95 // degrees, of view.elevation

bool rv_settings_add(rv_settings *s, const rv_command *command, const char *assignment)
{
    if (s->count >= RV_SETTINGS_MAX) {
        rv_usage_error(command, "--set: more than %d of them", RV_SETTINGS_MAX);
        return false;
    }
    s->text[s->count++] = assignment;
    return true;
}

// A bad value is told under the option's own name.
bool rv_settings_option(rv_settings *s, const rv_command *command, const char *option,
                        const char *key, const char *value)
{
    char why[256];
    rv_params scratch = rv_default_params();
    const rv_field_info *field = rv_table_find(rv_params_table(), key);
    if (!rv_field_parse(field, value, &scratch, why, sizeof why)) {
        rv_usage_error(command, "%s: %s", option, why);
        return false;
    }
    int next = s->count < RV_SETTINGS_MAX ? s->count : RV_SETTINGS_MAX - 1;
    snprintf(s->extra[next], sizeof s->extra[0], "%s=%.40s", key, value);
    return rv_settings_add(s, command, s->extra[next]);
}

bool rv_split_size(const rv_command *command, const char *option, const char *text, char width[16],
                   char height[16])
{
    size_t length = strspn(text, "0123456789");
    const char *second = text + length + 1;
    bool good = length > 0 && length < 16 && text[length] == 'x' && *second &&
                strspn(second, "0123456789") == strlen(second) && strlen(second) < 16;
    if (!good) {
        rv_usage_error(command, "%s %s: expected WIDTHxHEIGHT, like 960x720", option, text);
        return false;
    }
    snprintf(width, 16, "%.*s", (int)length, text);
    snprintf(height, 16, "%s", second);
    return true;
}

bool rv_settings_size(rv_settings *s, const rv_command *command, const char *text)
{
    char width[16], height[16];
    return rv_split_size(command, "--size", text, width, height) &&
           rv_settings_option(s, command, "--size", "view.width", width) &&
           rv_settings_option(s, command, "--size", "view.height", height);
}

// Plain angles are degrees here, because people think in them. Straight down, 90, is a little less:
// there the picture's upper side is still where the azimuth says.
bool rv_settings_camera(rv_settings *s, const rv_command *command, const char *text)
{
    static const char *const keys[] = {"view.azimuth", "view.elevation", "view.zoom"};
    int parts = 1;
    for (const char *c = text; *c; c++) parts += *c == ',';
    if (parts != 2 && parts != 3) {
        rv_usage_error(command, "--camera %s: expected AZIMUTH,ELEVATION or AZIMUTH,ELEVATION,ZOOM",
                       text);
        return false;
    }
    const char *at = text;
    for (int i = 0; i < parts; i++) {
        size_t length = strcspn(at, ",");
        char value[40];
        bool plain = strspn(at, "+-.0123456789") >= length && length > 0;
        snprintf(value, sizeof value, "%.*s%s", length < 30 ? (int)length : 30, at,
                 plain && i < 2 ? " deg" : "");
        double angle = plain && i == 1 ? strtod(value, NULL) : 0;
        if (fabs(angle) > STEEPEST && fabs(angle) <= 90)
            snprintf(value, sizeof value, "%g deg", copysign(STEEPEST, angle));
        if (!rv_settings_option(s, command, "--camera", keys[i], value)) return false;
        at += length + 1;
    }
    return true;
}

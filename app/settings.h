// Assignments of a command line, "key=value": those of --set, and those that --size, --camera and
// --seed stand for. All are checked here; problems are printed under the option's own name.
#ifndef APP_SETTINGS_H
#define APP_SETTINGS_H

#include "app/options.h"

#define RV_SETTINGS_MAX 256

typedef struct rv_settings {
    const char *text[RV_SETTINGS_MAX]; // in the order given
    int count;
    char extra[RV_SETTINGS_MAX][64]; // those that other options stand for, where `text` has them
} rv_settings;

// Each returns false when the error was printed.
bool rv_settings_add(rv_settings *settings, const rv_command *command, const char *assignment);
// An option that stands for one assignment.
bool rv_settings_option(rv_settings *settings, const rv_command *command, const char *option,
                        const char *key, const char *value);
// The two numbers of "960x720", as text.
bool rv_split_size(const rv_command *command, const char *option, const char *text, char width[16],
                   char height[16]);
// The same: view.width and view.height.
bool rv_settings_size(rv_settings *settings, const rv_command *command, const char *text);
// "A,E" or "A,E,ZOOM": view.azimuth, view.elevation and view.zoom, plain angles in degrees.
bool rv_settings_camera(rv_settings *settings, const rv_command *command, const char *text);

#endif

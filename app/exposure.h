// A picture made of several: means of what was drawn, in linear light.
#ifndef APP_EXPOSURE_H
#define APP_EXPOSURE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rv_exposure {
    float *sum;       // linear light, pixel by pixel; NULL: nothing is blurred
    int64_t values;   // three a pixel
    int most;         // pictures that make one, for the lens and the shutter together
    bool lens;        // each is seen through another place of the lens
    double shutter;   // share of the time between film frames
    int steps;        // frames of the simulation while the shutter is open
    int taken;        // pictures so far
    int64_t open_at;  // frames of the simulation since the shutter opened
    float light[256]; // of a byte
} rv_exposure;

// false: not enough memory.
bool rv_exposure_start(rv_exposure *exposure, int width, int height, bool lens, double shutter,
                       int most, int steps);
void rv_exposure_free(rv_exposure *exposure);
// Pictures to take in the frame of the simulation that is now; counts the frame.
int rv_exposure_due(rv_exposure *exposure, bool last);
// Where in the lens the next one is seen from, in radii.
void rv_exposure_place(const rv_exposure *exposure, double place[2]);
void rv_exposure_add(rv_exposure *exposure, const uint8_t *rgb);
// The mean of what was taken, over rgb; then nothing is taken.
void rv_exposure_develop(rv_exposure *exposure, uint8_t *rgb);

#endif

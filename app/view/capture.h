// Pictures and films of what is seen.
#ifndef APP_VIEW_CAPTURE_H
#define APP_VIEW_CAPTURE_H

#include "io/video.h"
#include "rivulet_gl/target.h"

typedef struct rv_capture {
    const char *folder; // where they go
    uint8_t *rgb;
    size_t room;
    rv_video *video;
    char path[4096]; // of the film
    int width, height;
    double rate, time; // pictures a second; seconds of film so far
    int64_t frames;
} rv_capture;

// FOLDER/rivulet-SCENE-0001.png, or the first number after it that is not taken. false: all are.
bool rv_capture_name(const char *folder, const char *scene, const char *extension, char *out,
                     size_t size);
// Writes what is drawn on the target as a PNG.
bool rv_capture_picture(rv_capture *capture, rv_target *target, const char *path,
                        rv_messages *messages);

bool rv_capture_begin(rv_capture *capture, rv_target *target, const char *path, double rate,
                      rv_messages *messages);
// So many seconds of film have passed. true: a picture is due.
bool rv_capture_passes(rv_capture *capture, double seconds);
// Adds what is drawn on the target, as often as it is due. false: the film has ended, with a
// message.
bool rv_capture_add(rv_capture *capture, rv_target *target, rv_messages *messages);
bool rv_capture_end(rv_capture *capture, rv_messages *messages);
void rv_capture_free(rv_capture *capture);

#endif

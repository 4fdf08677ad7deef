// Pictures and films of what is seen, under names that are not taken.
#define _POSIX_C_SOURCE 200809L
#include "app/view/capture.h"

#include "io/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUMBERS 9999
#define REPEATS 240 // of one picture in a film, at most, at once

bool rv_capture_name(const char *folder, const char *scene, const char *extension, char *out,
                     size_t size)
{
    char plain[128];
    size_t used = 0;
    for (const char *c = scene; *c && used + 1 < sizeof plain; c++)
        plain[used++] = *c == '/' || *c == ' ' || (unsigned char)*c < 0x20 ? '-' : *c;
    plain[used] = '\0';
    for (int n = 1; n <= NUMBERS; n++) {
        int length = snprintf(out, size, "%s%srivulet-%s-%04d.%s", folder ? folder : "",
                              folder ? "/" : "", plain, n, extension);
        if (length < 0 || (size_t)length >= size) return false;
        if (access(out, F_OK) != 0) return true;
    }
    return false;
}

// Reads the target; NULL: a message says why.
static const uint8_t *read_target(rv_capture *c, rv_target *target, int *width, int *height,
                                  rv_messages *messages)
{
    rv_target_get_size(target, width, height);
    size_t bytes = (size_t)*width * (size_t)*height * 3;
    if (bytes > c->room) {
        uint8_t *grown = realloc(c->rgb, bytes);
        if (!grown) {
            rv_messages_add(messages, "the picture: %s", rv_result_text(RV_OUT_OF_MEMORY));
            return NULL;
        }
        c->rgb = grown, c->room = bytes;
    }
    rv_result result = rv_target_read(target, c->rgb);
    if (result == RV_OK) return c->rgb;
    rv_messages_add(messages, "the picture: %s", rv_result_text(result));
    return NULL;
}

bool rv_capture_picture(rv_capture *c, rv_target *target, const char *path, rv_messages *messages)
{
    int width, height;
    const uint8_t *rgb = read_target(c, target, &width, &height, messages);
    return rgb && rv_image_write_png(path, rgb, width, height, messages);
}

bool rv_capture_begin(rv_capture *c, rv_target *target, const char *path, double rate,
                      rv_messages *messages)
{
    if (c->video && !rv_capture_end(c, messages)) return false;
    rv_target_get_size(target, &c->width, &c->height);
    c->video = rv_video_start(path, c->width, c->height, rate, messages);
    if (!c->video) return false;
    snprintf(c->path, sizeof c->path, "%s", path);
    c->rate = rate, c->time = 0, c->frames = 0;
    return true;
}

// How many pictures there should be by now.
static int64_t wanted(const rv_capture *c)
{
    return (int64_t)(c->time * c->rate + 1e-6) + 1;
}

bool rv_capture_passes(rv_capture *c, double seconds)
{
    if (!c->video) return false;
    c->time += seconds;
    if (wanted(c) - c->frames > REPEATS) c->time = (double)(c->frames + REPEATS - 1) / c->rate;
    return c->frames < wanted(c);
}

bool rv_capture_add(rv_capture *c, rv_target *target, rv_messages *messages)
{
    int width, height;
    rv_target_get_size(target, &width, &height);
    if (width != c->width || height != c->height) {
        rv_messages_add(messages, "the film ends here: the window has another size");
        rv_capture_end(c, messages);
        return false;
    }
    const uint8_t *rgb = read_target(c, target, &width, &height, messages);
    for (; rgb && c->frames < wanted(c); c->frames++)
        if (!rv_video_push(c->video, rgb)) break;
    if (rgb && c->frames == wanted(c)) return true;
    rv_capture_end(c, messages);
    return false;
}

bool rv_capture_end(rv_capture *c, rv_messages *messages)
{
    bool good = c->video && rv_video_finish(c->video, messages);
    c->video = NULL;
    return good;
}

void rv_capture_free(rv_capture *c)
{
    if (c->video) rv_video_abort(c->video);
    free(c->rgb);
    c->video = NULL, c->rgb = NULL, c->room = 0;
}

// io/video.h: a film file, written by ffmpeg as a child process.
//
// Frames go raw through a pipe; the film is H.264 in an MP4 that starts to play before it is
// loaded. It is written under a temporary name beside its own and appears only when finished.
#ifndef IO_VIDEO_H
#define IO_VIDEO_H

#include "rivulet/base.h"

typedef struct rv_video rv_video;

// NULL: a message says why (no ffmpeg, no such folder, a bad size). An odd width or height loses
// its last column or row, because the film's colours are stored for 2 × 2 pixels.
rv_video *rv_video_start(const char *path, int width, int height, double rate,
                         rv_messages *messages);
// One frame of width × height × 3 bytes. false: ffmpeg has ended; finish tells why.
bool rv_video_push(rv_video *video, const uint8_t *rgb);
// Ends the film, gives it its name and frees the handle. false: a message says why, and there is no
// film.
bool rv_video_finish(rv_video *video, rv_messages *messages);
// Throws the film away and frees the handle.
void rv_video_abort(rv_video *video);

#endif

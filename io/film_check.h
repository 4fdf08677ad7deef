// Whether a film that an encoder says it wrote is whole. Not for other folders.
#ifndef IO_FILM_CHECK_H
#define IO_FILM_CHECK_H

#include "rivulet/base.h"

// The .mp4 has all its parts to their last byte, and at least so many pictures. false: `why` says
// what is missing.
bool rv_film_check(const char *path, int64_t pictures, char *why, size_t size);

#endif

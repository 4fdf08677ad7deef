// Snapshots of a world as files: to stop, and to go on bit for bit.
#ifndef IO_SNAPSHOT_FILE_H
#define IO_SNAPSHOT_FILE_H

#include "rivulet/world.h"

bool rv_snapshot_write(const char *path, const rv_world *world, rv_messages *messages);
// Into a world made from the same scene. false: messages name the file, and the world must not be
// used further.
bool rv_snapshot_read(const char *path, rv_world *world, rv_messages *messages);

#endif

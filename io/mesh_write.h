// Triangle meshes as files for other programs: PLY, OBJ and STL, in metres, z up.
#ifndef IO_MESH_WRITE_H
#define IO_MESH_WRITE_H

#include "rivulet/world.h"

#define RV_MESH_WRITE_EXTENSIONS "ply|obj|stl"

// Tells before any work whether rv_mesh_write can write there. `option` starts the message.
bool rv_mesh_write_check(const char *option, const char *path, rv_messages *messages);

// The format is the extension's. The file is whole, or not there and a message "PATH: why" was
// added.
bool rv_mesh_write(const char *path, const rv_mesh *mesh, rv_messages *messages);

#endif

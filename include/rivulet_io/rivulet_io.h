// rivulet_io/rivulet_io.h: files for worlds: scenes, meshes, volumes, pictures, snapshots, studies. This header includes all of
// rivulet_io. Link rivulet_io (CMake: rivulet::io, pkg-config: rivulet_io).
#ifndef RIVULET_IO_RIVULET_IO_H
#define RIVULET_IO_RIVULET_IO_H

#include "files.h"
#include "scene.h"
#include "study.h"

#endif

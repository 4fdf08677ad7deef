// Outputs that would take the place of a file that the run reads.
#ifndef APP_OUTPUTS_H
#define APP_OUTPUTS_H

#include "io/scene_file.h"

// Whether none of the names, NULL among them, leads to a file that the scene's solids are made
// from, to one of its pictures, or is one that only scenes have; prints those that do.
bool rv_outputs_spare(const char *const *names, int count, const rv_scene_file *scene);

#endif

// Outputs that would take the place of a file that the run reads.
#ifndef APP_OUTPUTS_H
#define APP_OUTPUTS_H

#include "io/scene_file.h"

// One message for each of the names, NULL among them, that leads to the scene's own file, to one
// that its solids are made from, or to one of its pictures; and for a name that only scenes have.
void rv_outputs_spare(const char *const *names, int count, const rv_scene_file *scene,
                      rv_messages *messages);

#endif

// rivulet/rivulet.h: liquid on solid things, in real time. This header includes the whole C interface.
#ifndef RIVULET_RIVULET_H
#define RIVULET_RIVULET_H

#include "base.h"
#include "params.h"
#include "liquid.h"
#include "body.h"
#include "device.h"
#include "form.h"
#include "scene.h"
#include "particles.h"
#include "pane.h"
#include "press.h"
#include "ranks.h"
#include "world.h"
#include "frame.h"
#include "pick.h"
#include "surface.h"

#endif

// A wiper and a finger, which push water before them.
#include "solvers/glass/glass.h"

void rv_glass_tools(rv_solver *s, double dt)
{
    (void)dt;
    s->has_rod = false;
}

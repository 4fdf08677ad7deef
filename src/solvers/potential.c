// Potential energy of liquid in columns: one of depth H on a bed at b has its middle at b + H/2.
#include "solvers/potential.h"

double rv_potential(const rv_column_set *set, const rv_params *p, const float *depth)
{
    double sum = 0, bottom = set->grid.bottom, dx = set->grid.dx;
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *plane = &set->plane[l];
        for (int y = plane->y0; y < plane->y0 + plane->ny; y++) {
            size_t first = rv_slot(plane, plane->x0, y);
            double volume = 0, across = 0, height = 0; // all over dx²
            for (int x = 0; x < plane->nx; x++) {
                double d = (double)depth[first + (size_t)x];
                if (!(d > 0)) continue;
                volume += d,
                    height += d * ((double)set->base[first + (size_t)x] - bottom + 0.5 * d);
                across += d * ((plane->x0 + x + 0.5) - 0.5 * set->grid.nx);
            }
            double along = volume * ((y + 0.5) - 0.5 * set->grid.ny);
            sum +=
                rv_gravity_down(p) * height - dx * (p->gravity.x * across + p->gravity.y * along);
        }
    }
    return p->liquid_density * dx * dx * sum;
}

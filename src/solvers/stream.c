// Velocities and energies of liquid in columns.
//
// A face between two columns of depths a and b through which q flows has the cross-section
// dx max(a, b); the liquid that moves with it is half of that in both cells, so that its kinetic
// energy is ½ ρ (q / (dx max(a, b)))² dx² max(a, b) = ½ ρ q² / max(a, b). Potential: a column of
// depth H on a bed at b has its middle at b + H/2.
#include "solvers/stream.h"

#include <math.h>

static size_t pitch_of(const rv_column_set *set, size_t slot)
{
    int l = 0;
    while (l + 1 < set->planes && set->plane[l + 1].offset <= slot) l++;
    return (size_t)set->plane[l].pitch;
}

// Of the face between slots a and b, m²/s: its speed times dx.
static inline float through(const float *flux, const float *depth, size_t a, size_t b)
{
    float deeper = depth[a] > depth[b] ? depth[a] : depth[b];
    return flux[a] == 0.0f ? 0.0f : flux[a] / deeper;
}

static inline void velocity_at(const rv_stream *s, size_t slot, size_t pitch, float half,
                               float out[2])
{
    size_t west = slot - 1, south = slot - pitch;
    out[0] = half * (through(s->flux_x, s->depth, west, slot) +
                     through(s->flux_x, s->depth, slot, slot + 1));
    out[1] = half * (through(s->flux_y, s->depth, south, slot) +
                     through(s->flux_y, s->depth, slot, slot + pitch));
}

void rv_stream_velocity(const rv_stream *s, size_t slot, float out[2])
{
    out[0] = out[1] = 0.0f;
    if (!(s->depth[slot] > s->film)) return;
    velocity_at(s, slot, pitch_of(s->columns, slot), (float)(0.5 / s->params->grid_dx), out);
}

// Σ q²/max(a, b) over the faces on the high sides of a row, and the greatest square of a speed.
static void measure_row(const rv_stream *s, const rv_plane *p, int y, double *energy,
                        float *fastest)
{
    size_t pitch = (size_t)p->pitch, first = rv_slot(p, p->x0, y);
    float half = (float)(0.5 / s->params->grid_dx), most = *fastest;
    float west = through(s->flux_x, s->depth, first - 1, first);
    double sum = 0;
    for (size_t i = first; i < first + (size_t)p->nx; i++) {
        float east = through(s->flux_x, s->depth, i, i + 1);
        float north = through(s->flux_y, s->depth, i, i + pitch);
        sum += (double)(s->flux_x[i] * east) + (double)(s->flux_y[i] * north);
        if (s->depth[i] > s->film) { // as in velocity_at()
            float u = half * (west + east);
            float v = half * (through(s->flux_y, s->depth, i - pitch, i) + north);
            float square = u * u + v * v;
            if (square > most) most = square;
        }
        west = east;
    }
    *energy += sum, *fastest = most;
}

void rv_stream_measure(const rv_stream *s, rv_solver_stats *out)
{
    double energy = 0;
    float fastest = 0.0f;
    for (int l = 0; l < s->columns->planes; l++) {
        const rv_plane *p = &s->columns->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++) measure_row(s, p, y, &energy, &fastest);
    }
    out->fastest = sqrt((double)fastest);
    out->kinetic = 0.5 * s->params->liquid_density * energy;
    out->potential = rv_potential(s->columns, s->params, s->depth);
}

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

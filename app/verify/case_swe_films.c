// The solver `swe` against lubrication theory; case_films.c explains the theory and has the same
// for `pipes`.
#include "case_swe.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define GRAVITY 9.81

// A film of even depth on a long incline, before its ends are felt: the flux per width in the
// middle.
static void even_film(rv_report *report, double degrees, rv_switch slope, double tolerance)
{
    enum { N = 96, NY = 4 };
    const double viscosity = 1e-4, depth = 1e-3, dx = 1e-3, a = degrees * PI / 180;
    float heights[N * NY];
    for (int i = 0; i < N * NY; i++) heights[i] = (float)((N - 1 - i % N) * dx * tan(a));
    rv_world_def def = rv_swe_def(N, NY, dx, viscosity);
    rv_fill_def fill = rv_default_fill_def();
    fill.kind = RV_FILL_DEPTH, fill.depth = depth;
    def.params.swe_slope = slope, def.params.border_east = RV_BORDER_OPEN;
    def.params.grid_top = N * dx * tan(a) + 0.02;
    def.heights = heights, def.fills = &fill, def.fill_count = 1;
    rv_world *world = rv_verify_world(report, &def);
    double exact = GRAVITY * sin(a) * pow(cos(a), 3) * pow(depth, 3) / (3 * viscosity);
    double speed = GRAVITY * tan(a) * depth * depth / viscosity; // of waves from the upper end
    rv_columns c;
    if (world && rv_verify_run(report, world, 0.005, fmin(0.33 * N * dx / speed, 0.5)) &&
        rv_world_get_columns(world, &c) == RV_OK) {
        static const char *const words[] = {"by default", "on", "off"};
        rv_report_add(report, (double)c.flux_x[rv_slot(&c.plane[0], N / 2, NY / 2)] / dx, exact,
                      tolerance, "film, flux per width, %.0f deg, slope %s, m2/s", degrees,
                      words[slope]);
    }
    rv_world_destroy(world);
}

// Huppert's drop, R = 0.894 (g V³ t/(3 nu))^(1/8): radius of the area deeper than 2% of the middle.
static void drop_front(rv_report *report, double dx, double tolerance)
{
    const double volume = 5e-6, viscosity = 1e-3, time = report->quick ? 4 : 16;
    double radius = 0.894 * pow(GRAVITY * pow(volume, 3) / (3 * viscosity) * time, 0.125);
    double middle = 4 * volume / (3 * PI * radius * radius), area = 0, apart = 0, whole = 0;
    int n = 2 * (int)ceil(1.15 * radius / dx);
    rv_world_def def = rv_swe_def(n, n, dx, viscosity);
    rv_fill_def fill = rv_default_fill_def();
    fill.kind = RV_FILL_DROP, fill.volume = volume, fill.radius = 0.42 * radius;
    fill.at = (rv_vec3){0, 0, 1};
    float *heights = calloc((size_t)(n * n), sizeof *heights);
    def.params.grid_top = 0.2;
    def.heights = heights, def.fills = &fill, def.fill_count = 1;
    rv_world *world = heights ? rv_verify_world(report, &def) : NULL;
    bool good = world && rv_verify_run(report, world, 0.005, time);
    for (int i = 0; good && i < n * n; i++) {
        double x = (i % n + 0.5 - 0.5 * n) * dx, y = (i / n + 0.5 - 0.5 * n) * dx;
        double depth = rv_verify_depth(world, i % n, i / n);
        double exact = middle * cbrt(fmax(0, 1 - (x * x + y * y) / (radius * radius)));
        if (depth > 0.02 * middle) area += dx * dx;
        apart += fabs(depth - exact), whole += exact;
    }
    if (good) {
        rv_report_add(report, sqrt(area / PI), radius, tolerance, "drop, front, dx %.2f mm, m",
                      dx * 1e3);
        rv_report_add(report, apart / whole, 0, 0.5 * tolerance, "drop, profile L1, dx %.2f mm",
                      dx * 1e3);
    }
    rv_world_destroy(world);
    free(heights);
}

void rv_swe_films(rv_report *report)
{
    const double angle[3] = {10, 30, 50};
    for (int i = 0; i < 3; i++) even_film(report, angle[i], RV_SWITCH_ON, 0.01);
    for (int i = 0; i < 3; i++) even_film(report, angle[i], RV_SWITCH_AUTO, NAN);
    drop_front(report, 1e-3, NAN);
    if (!report->quick) drop_front(report, 0.5e-3, 0.02);
}

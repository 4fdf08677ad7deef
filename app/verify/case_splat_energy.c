// Particles gain no energy (docs/splat.md): kinetic and potential energy of a dam, a sloshing tank
// and a falling block only fall, in all three forms, and a dam in a plane comes to rest.
#include "verify.h"

#include <math.h>

#define GRAVITY 9.81
#define SAMPLES 20 // a second

typedef enum start { DAM, SLOSH, FALL } start;

static const char *const start_name[] = {"dam", "sloshing tank", "falling block"};
static const char *const form_name[] = {"2D", "3D", "height"};

// A tank of n cells each way, 1 m wide and high.
static rv_world *make_tank(rv_report *report, rv_splat_form form, int n, start what, double pic)
{
    rv_emitter_def block[2] = {rv_default_emitter_def(), rv_default_emitter_def()};
    rv_world_def def = rv_default_world_def();
    def.params.solver = RV_SOLVER_SPLAT, def.params.splat_form = form;
    def.params.grid_nx = n, def.params.grid_ny = form == RV_SPLAT_2D ? 1 : n;
    def.params.grid_dx = 1.0 / n, def.params.grid_top = 1, def.params.gravity.z = -GRAVITY;
    def.params.liquid_viscosity = 0, def.params.splat_pic = pic;
    if (form == RV_SPLAT_HEIGHT) def.params.splat_depth = 0.25 * n / 4; // four layers deep
    block[0].kind = block[1].kind = RV_EMITTER_BLOCK;
    block[0].from = (rv_vec3){-0.5, -0.5, 0}, block[0].to = (rv_vec3){-0.1, 0.5, 0.6};
    if (what == SLOSH) { // a step of a fifth of the depth
        block[0].to = (rv_vec3){0, 0.5, 0.36};
        block[1].from = (rv_vec3){0, -0.5, 0}, block[1].to = (rv_vec3){0.5, 0.5, 0.3};
    } else if (what == FALL) {
        block[0].from = (rv_vec3){-0.3, -0.3, 0.3}, block[0].to = (rv_vec3){0.3, 0.3, 0.7};
    }
    def.emitters = block, def.emitter_count = what == SLOSH ? 2 : 1;
    return rv_verify_world(report, &def);
}

// m²/s², of a unit of mass. In form height the potential is that of the depths.
static double energy(const rv_world *world, double *kinetic)
{
    rv_particles p;
    rv_density d;
    double sum = 0, potential = 0, volume = 0;
    if (rv_world_get_particles(world, &p) != RV_OK || rv_world_get_density(world, &d) != RV_OK)
        return NAN;
    for (int64_t i = 0; i < p.count; i++) {
        double u = (double)p.u[i], v = p.v ? (double)p.v[i] : 0, w = p.w ? (double)p.w[i] : 0;
        sum += 0.5 * (u * u + v * v + w * w);
        potential += p.z ? GRAVITY * (double)p.z[i] : 0;
    }
    *kinetic = sum / (double)p.count;
    if (p.z) return (sum + potential) / (double)p.count;
    double deep = rv_world_params(world)->splat_depth * d.dx;
    for (int64_t i = 0; i < (int64_t)d.nx * d.ny; i++) {
        double h = deep * (double)d.value[i];
        potential += 0.5 * GRAVITY * h * h, volume += h;
    }
    return *kinetic + potential / volume;
}

typedef struct history {
    double window[4 * SAMPLES]; // the last samples
    int count, cycle;           // samples there were; of a cycle
    double least, rise;         // of the means over a cycle
} history;

static void note(history *h, double value)
{
    h->window[h->count++ % h->cycle] = value;
    if (h->count < h->cycle) return;
    double mean = 0;
    for (int i = 0; i < h->cycle; i++) mean += h->window[i] / h->cycle;
    h->least = fmin(h->least, mean);
    h->rise = fmax(h->rise, mean / h->least - 1);
}

// A cycle is one of the longest wave of the tank, 2 L/√(g D).
static void keep(rv_report *report, rv_splat_form form, int n, start what, double pic, double most)
{
    rv_world *world = make_tank(report, form, n, what, pic);
    double time = report->quick ? 3 : 30, kinetic = 0, dt = 0.1 / n;
    if (!world) return;
    double area = form == RV_SPLAT_2D ? 1.0 / n : 1, depth = rv_verify_stats(world).volume / area;
    history h = {.least = INFINITY};
    h.cycle = (int)fmin(ceil(SAMPLES * 2 / sqrt(GRAVITY * depth)), 4 * SAMPLES);
    double first = energy(world, &kinetic), now = first;
    note(&h, first);
    for (int i = 0; i < time * SAMPLES; i++) {
        if (!rv_verify_run(report, world, dt, 1.0 / SAMPLES)) break;
        now = energy(world, &kinetic);
        note(&h, now);
    }
    rv_report_add(report, h.rise, 0, most, "%s, %s on %d cells%s, K + P rises in %g s, relative",
                  form_name[form], start_name[what], n, pic > 0 ? "" : ", splat.pic 0", time);
    rv_world_destroy(world);
}

static void settle(rv_report *report, rv_splat_form form, int n)
{
    rv_world *world = make_tank(report, form, n, DAM, 0.2);
    double time = report->quick ? 6 : 25, kinetic = 0, most = 0;
    if (!world) return;
    double area = form == RV_SPLAT_2D ? 1.0 / n : 1, depth = rv_verify_stats(world).volume / area;
    rv_verify_run(report, world, 0.1 / n, time - 1.5);
    for (int i = 0; i < 1.5 * SAMPLES; i++) { // more than a swing, so that no instant is chosen
        if (!rv_verify_run(report, world, 0.1 / n, 1.0 / SAMPLES)) break;
        energy(world, &kinetic);
        most = fmax(most, kinetic);
    }
    rv_report_add(report, most / (GRAVITY * depth), 0, report->quick ? 2e-2 : 2e-3,
                  "%s, dam on %d cells, most K over g D in the last 1.5 of %g s", form_name[form],
                  n, time);
    rv_world_destroy(world);
}

// Tanks of few cells, three to five deep, in which a hundredth of a cell is much.
static void keep_small(rv_report *report, bool quick)
{
    static const int cells[] = {12, 14, 19};
    for (int form = 0; form < 3; form++)
        for (int what = 0; what < 3; what++)
            for (int i = 0; i < (quick || form != RV_SPLAT_2D ? 1 : 3); i++)
                keep(report, (rv_splat_form)form, cells[form == RV_SPLAT_2D ? i : 1], (start)what,
                     0.2, 0.005);
}

static void check_energy(rv_report *report)
{
    bool quick = report->quick;
    const int cells[3] = {quick ? 32 : 64, quick ? 16 : 32, quick ? 32 : 64};
    for (int form = 0; form < 3; form++)
        for (int what = 0; what < 3; what++) {
            if (quick && form == RV_SPLAT_3D && what != DAM) continue;
            keep(report, (rv_splat_form)form, cells[form], (start)what, 0.2, 0.005);
        }
    keep_small(report, quick);
    keep(report, RV_SPLAT_2D, cells[0], DAM, 0, 0.005);
    keep(report, RV_SPLAT_2D, cells[0], SLOSH, 0, NAN);
    keep(report, RV_SPLAT_HEIGHT, cells[2], DAM, 0, 0.005);
    settle(report, RV_SPLAT_2D, quick ? 32 : 128);
    if (!quick) settle(report, RV_SPLAT_3D, 32);
}

const rv_case rv_case_splat_energy = {
    .name = "splat-energy",
    .title = "Particles gain no energy",
    .about = "K + P of a dam, a sloshing tank and a falling block of particles only falls",
    .text =
        "A tank 1 m wide and high, in a plane, in space, and as a height, without viscosity. The "
        "energy is that of all particles; in form height the potential energy is that of the "
        "depths. What is compared are means over a whole cycle of the tank's longest wave, so "
        "that no instant of a swing is chosen: how much such a mean exceeds the least one "
        "before it. With splat.pic 0 nothing is lost on purpose.\n\n"
        "A dam of 8,000 particles in a plane, and one of 22,000 in space, must be at rest after "
        "25 s.",
    .run = check_energy,
};

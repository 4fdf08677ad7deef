// Particles that live with a backend (rv_splat_backend, rivulet/particles.h): it steps them; here
// they are brought back when somebody asks, and those that are new are sent. The first error stops
// it: the world's step then fails with it.
#include "particles/card/card.h"
#include "particles/splat.h"

#include <string.h>

static void note(rv_splat *s, rv_result r)
{
    if (s->trouble == RV_OK) s->trouble = r;
}

rv_result rv_splat_open_backend(rv_splat *s)
{
    const rv_splat_grid *g = &s->grid;
    bool plane = g->up == 1;
    rv_splat_sizes sizes = {
        .form = (int)s->params.splat_form,
        .nx = g->n[0],
        .ny = plane ? 1 : g->n[1],
        .nz = plane ? g->n[1] : g->n[2],
        .dx = s->dx,
        .low = {s->low[0], s->params.grid_y - 0.5 * s->dx, s->params.grid_bottom},
        .each = s->each,
        .rest = s->rest,
        .most = s->params.splat_particles};
    if (!plane) sizes.low.y = s->low[1];
    rv_result r = s->backend->open(s->backend->user, &sizes, &s->params, &s->remote);
    if (r == RV_OK) rv_splat_send_solids(s);
    return r == RV_OK ? s->trouble : r;
}

void rv_splat_close_backend(rv_splat *s)
{
    if (s->remote) s->backend->close(s->remote);
    s->remote = NULL;
}

void rv_splat_send_params(rv_splat *s)
{
    if (s->remote) note(s, s->backend->set_params(s->remote, &s->params));
}

// Distances in metres, x fastest.
void rv_splat_send_solids(rv_splat *s)
{
    const rv_splat_grid *g = &s->grid;
    if (!s->remote) return;
    size_t n = (size_t)g->n[0];
    for (int b = 0; b < (g->axes == 3 ? g->n[2] : 1); b++)
        for (int a = 0; a < g->n[1]; a++) {
            float *to = s->density + ((size_t)b * (size_t)g->n[1] + (size_t)a) * n;
            size_t row = rv_splat_slot(g, 0, a, b);
            for (size_t x = 0; x < n; x++) to[x] = s->solid[row + x] * (float)s->dx;
        }
    s->density_fresh = false;
    note(s, s->backend->set_solids(s->remote, s->density, NULL));
    if (g->up < 0) note(s, s->backend->set_bed(s->remote, s->bed_height));
}

// ---- Particles there and back -------------------------------------------------------------------

// All or none: they are given back by one size.
static bool shown_room(rv_splat *s)
{
    if (s->count <= s->shown.room) return true;
    float *fresh[RV_SPLAT_SHOWN];
    int got = 0, all = RV_SPLAT_SHOWN;
    while (got < all && (fresh[got] = rv_new(&s->allocator, (size_t)s->room, sizeof(float)))) got++;
    for (int c = 0; c < got; c++) {
        float *gone = got == all ? s->shown.value[c] : fresh[c];
        if (got == all) s->shown.value[c] = fresh[c];
        rv_free(&s->allocator, gone, (size_t)(got == all ? s->shown.room : s->room), sizeof(float));
    }
    if (got == all) s->shown.room = s->room;
    return got == all;
}

// The arrays by axes of the world; NULL where the grid has none.
static void show(rv_splat *s, rv_particles *out)
{
    float *v[6];
    for (int w = 0; w < 3; w++) {
        bool has = s->axis_of[w] >= 0;
        v[w] = has ? s->shown.value[w] : NULL, v[3 + w] = has ? s->shown.value[3 + w] : NULL;
    }
    *out = (rv_particles){.count = s->count,
                          .x = v[0],
                          .y = v[1],
                          .z = v[2],
                          .u = v[3],
                          .v = v[4],
                          .w = v[5],
                          .air = rv_splat_foams(s) ? s->shown.value[6] : NULL,
                          .at = {0, s->params.grid_y, s->params.grid_bottom},
                          .each = s->each};
}

// Particles from `first` on as arrays of their own.
static void spread(rv_splat *s, int64_t first)
{
    int size = rv_splat_size(s);
    for (int w = 0; w < 3; w++) {
        int c = s->axis_of[w];
        if (c < 0) continue;
        float *at = s->shown.value[w], *u = s->shown.value[3 + w];
        for (int64_t i = first; i < s->count; i++) {
            const float *p = rv_splat_particle(s, i);
            at[i] = (float)(s->low[c] + (double)p[c] * s->dx), u[i] = p[size + c];
        }
    }
    for (int64_t i = first; i < s->count && rv_splat_foams(s); i++)
        s->shown.value[6][i] = rv_splat_air(s, i);
}

rv_result rv_splat_shown_now(rv_splat *s, rv_particles *out)
{
    rv_splat_fetch(s);
    if (!s->shown.fresh) {
        if (!shown_room(s)) return RV_OUT_OF_MEMORY;
        spread(s, 0);
        s->shown.fresh = true;
    }
    show(s, out);
    return s->trouble;
}

static void send(rv_splat *s)
{
    rv_particles p;
    if (s->sent == s->count) return;
    int64_t first = s->sent < s->count ? s->sent : s->count;
    if (!shown_room(s)) {
        note(s, RV_OUT_OF_MEMORY);
        return;
    }
    spread(s, first);
    show(s, &p);
    const float **array[6] = {&p.x, &p.y, &p.z, &p.u, &p.v, &p.w};
    for (int c = 0; c < 6; c++)
        if (*array[c]) *array[c] += first;
    p.count = s->count - first;
    note(s, s->backend->put(s->remote, first, s->count - first, &p));
    s->sent = s->count;
}

void rv_splat_fetch(rv_splat *s)
{
    if (s->card) rv_grain_fetch(s);
    if (!s->remote || !s->away) return;
    s->away = false;
    if (!shown_room(s)) {
        note(s, RV_OUT_OF_MEMORY);
        return;
    }
    float *v[6];
    for (int w = 0; w < 3; w++) {
        bool has = s->axis_of[w] >= 0;
        v[w] = has ? s->shown.value[w] : NULL, v[3 + w] = has ? s->shown.value[3 + w] : NULL;
    }
    note(s, s->backend->get(s->remote, v[0], v[1], v[2], v[3], v[4], v[5]));
    int size = rv_splat_size(s);
    for (int w = 0; w < 3; w++) {
        int c = s->axis_of[w];
        if (c < 0) continue;
        for (int64_t i = 0; i < s->count && i < s->sent; i++) {
            float *p = rv_splat_particle(s, i);
            p[c] = (float)(((double)v[w][i] - s->low[c]) / s->dx), p[size + c] = v[3 + w][i];
        }
    }
    s->density_fresh = false;
    s->shown.fresh = s->sent == s->count;
}

bool rv_splat_fetch_totals(rv_splat *s, double *squares, double place[3])
{
    rv_vec3 sum = {0, 0, 0};
    if (!s->remote || !s->away || !s->backend->get_totals || s->sent != s->count) return false;
    if (!s->told.known) {
        rv_result r = s->backend->get_totals(s->remote, &s->told.squares, &sum);
        note(s, r);
        const double along[3] = {sum.x, sum.y, sum.z};
        for (int world = 0; world < 3; world++)
            if (s->axis_of[world] >= 0) s->told.place[s->axis_of[world]] = along[world] / s->dx;
        s->told.known = r == RV_OK;
    }
    *squares = s->told.squares;
    memcpy(place, s->told.place, sizeof s->told.place);
    return s->told.known;
}

void rv_splat_fetch_density(rv_splat *s)
{
    send(s);
    note(s, s->backend->get_density(s->remote, s->density));
    s->density_fresh = true;
}

// For columns: as if it had been splatted here. Velocities stay unknown.
void rv_splat_fetch_weights(rv_splat *s)
{
    const rv_splat_grid *g = &s->grid;
    size_t n = (size_t)g->n[0];
    rv_splat_fetch_density(s);
    for (int b = 0; b < (g->axes == 3 ? g->n[2] : 1); b++)
        for (int a = 0; a < g->n[1]; a++) {
            const float *from = s->density + ((size_t)b * (size_t)g->n[1] + (size_t)a) * n;
            memcpy(s->f.weight + rv_splat_slot(g, 0, a, b), from, n * sizeof *from);
            s->span[rv_splat_row(g, a, b)] = (rv_splat_span){0, g->n[0]};
        }
}

void rv_splat_see(rv_splat *s)
{
    if (s->card) rv_grain_columns(s);
}

// ---- A step -------------------------------------------------------------------------------------

static void send_rod(rv_splat *s)
{
    const rv_solver_rod *r = &s->rod;
    rv_vec3 at = {0.5 * (r->from.x + r->to.x), 0.5 * (r->from.y + r->to.y),
                  0.5 * (r->from.z + r->to.z)};
    rv_vec3 v = {0, 0, 0};
    if (s->stirring)
        v = (rv_vec3){(r->to.x - r->from.x) / r->seconds, (r->to.y - r->from.y) / r->seconds,
                      (r->to.z - r->from.z) / r->seconds};
    note(s, s->backend->set_stir(s->remote, at, v, s->stirring ? r->radius : 0));
}

void rv_splat_remote_step(rv_splat *s, double dt)
{
    double fastest = 0, densest = 0;
    s->dt = dt;
    rv_splat_set_law(s, dt);
    rv_splat_settle(s, false);
    bool bodies = s->body_count > 0 || s->box_count > 0;
    rv_splat_place_bodies(s);
    if (bodies) rv_splat_send_solids(s);
    if (s->trouble != RV_OK) return;
    send(s);
    send_rod(s);
    note(s, s->backend->step(s->remote, dt));
    note(s, s->backend->get_extremes(s->remote, &fastest, &densest));
    s->clock.fastest = (float)fastest, s->clock.densest = (float)densest;
    s->clock.substeps++;
    s->away = s->count > 0, s->told.known = false;
    s->density_fresh = s->shown.fresh = false;
}

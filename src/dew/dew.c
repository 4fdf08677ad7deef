// The list of drops: its memory, adding, removing, and how a drop stands on a solid.
//
// A cap of contact angle θ whose foot has the radius a holds π a³ (2 - 3 cos θ + cos³ θ)/(3 sin³ θ)
// and is a tan(θ/2) high. On a real solid the angle is anything between the receding and the
// advancing one; here its cosine is the mean of theirs.
#include "dew/dew.h"

#include <string.h>

#define LEAST_SINE 0.1 // of the angle of a cap: no drop is flatter
#define MOST_COSINE 0.995

bool rv_dew_make_room(rv_dew *dew, int count)
{
    if (count <= dew->room) return true;
    const rv_allocator *a = &dew->allocator;
    size_t n = (size_t)count;
    int heads = 1024;
    while (heads < count && heads < 1 << 24) heads *= 2;
    rv_dew_drop *drop = rv_new(a, n, sizeof *drop);
    double *radius = rv_new(a, n, sizeof *radius);
    int32_t *next = rv_new(a, n, sizeof *next), *group = rv_new(a, n, sizeof *group);
    int32_t *head = rv_new(a, (size_t)heads, sizeof *head);
    if (!drop || !radius || !next || !group || !head) {
        rv_free(a, drop, n, sizeof *drop);
        rv_free(a, radius, n, sizeof *radius);
        rv_free(a, next, n, sizeof *next);
        rv_free(a, group, n, sizeof *group);
        rv_free(a, head, (size_t)heads, sizeof *head);
        return false;
    }
    if (dew->count > 0) {
        memcpy(drop, dew->drop, (size_t)dew->count * sizeof *drop);
        memcpy(radius, dew->radius, (size_t)dew->count * sizeof *radius);
    }
    rv_dew old = *dew;
    dew->drop = drop, dew->radius = radius, dew->next = next, dew->group = group;
    dew->head = head, dew->heads = heads, dew->room = count;
    rv_dew_free(&old);
    return true;
}

void rv_dew_free(rv_dew *dew)
{
    const rv_allocator a = dew->allocator;
    size_t n = (size_t)dew->room;
    rv_free(&a, dew->drop, n, sizeof *dew->drop);
    rv_free(&a, dew->radius, n, sizeof *dew->radius);
    rv_free(&a, dew->next, n, sizeof *dew->next);
    rv_free(&a, dew->group, n, sizeof *dew->group);
    rv_free(&a, dew->head, (size_t)dew->heads, sizeof *dew->head);
    *dew = (rv_dew){.allocator = a};
}

int rv_dew_add(rv_dew *dew, const rv_dew_drop *drop)
{
    if (dew->count >= dew->most || dew->count >= dew->room) {
        dew->refused++;
        return -1;
    }
    int i = dew->count++;
    dew->drop[i] = *drop;
    rv_dew_set_volume(dew, i, drop->volume);
    return i;
}

void rv_dew_set_volume(rv_dew *dew, int i, double volume)
{
    rv_dew_drop *d = &dew->drop[i];
    d->volume = volume;
    double shape = d->form == RV_DEW_SITS && d->set < (uint32_t)dew->feet ? dew->foot[d->set].shape
                                                                          : 4.0 / 3.0 * RV_PI;
    dew->radius[i] = volume > 0 ? rv_cube_root(volume / shape) : 0;
}

void rv_dew_sweep(rv_dew *dew)
{
    int kept = 0;
    for (int i = 0; i < dew->count; i++) {
        if (!(dew->drop[i].volume > 0)) continue;
        if (kept < i) dew->drop[kept] = dew->drop[i], dew->radius[kept] = dew->radius[i];
        kept++;
    }
    dew->count = kept;
}

double rv_dew_volume(const rv_dew *dew)
{
    double sum = dew->owed;
    for (int i = 0; i < dew->count; i++) sum += dew->drop[i].volume;
    return sum;
}

// ---- Standing on a solid ------------------------------------------------------------------------

static rv_dew_foot foot_of(double advancing, double receding, double cold)
{
    double sa, ca, sr, cr;
    rv_sine(advancing, &sa, &ca);
    rv_sine(fmin(receding, advancing), &sr, &cr);
    double c = fmin(fmax(0.5 * (ca + cr), -MOST_COSINE), MOST_COSINE);
    double s = fmax(sqrt(1 - c * c), LEAST_SINE);
    return (rv_dew_foot){.shape = RV_PI * (2 - 3 * c + c * c * c) / (3 * s * s * s),
                         .height = (1 - c) / s,
                         .difference = cr - ca,
                         .cold = cold};
}

void rv_dew_find_feet(rv_dew *dew, const rv_terrain *terrain, const rv_params *p)
{
    const rv_angles *sets;
    int count = rv_terrain_angles(terrain, &sets);
    dew->feet = count > 0 ? count : 1, dew->coldest = 0;
    dew->foot[0] = foot_of(p->liquid_advancing, p->liquid_receding, 0);
    for (int k = 1; k < count; k++) {
        const rv_angles *a = &sets[k];
        dew->foot[k] = foot_of(a->advancing >= 0 ? a->advancing : p->liquid_advancing,
                               a->receding >= 0 ? a->receding : p->liquid_receding, a->cold);
        dew->coldest = fmax(dew->coldest, a->cold);
    }
    for (int i = 0; i < dew->count; i++) rv_dew_set_volume(dew, i, dew->drop[i].volume);
}

#define NEWTON 8
#define CLOSE 1e-4 // of the reach, that is on the solid

bool rv_dew_settle(const rv_terrain *terrain, double reach, rv_vec3 *at, rv_vec3 *normal)
{
    rv_vec3 p = *at;
    for (int k = 0; k < NEWTON; k++) {
        double d = (double)rv_terrain_distance(terrain, p);
        *normal = rv_terrain_normal(terrain, p);
        if (fabs(d) <= CLOSE * reach) {
            rv_vec3 went = rv_dew_along(p, *at, -1);
            if (!(rv_dew_length(went) <= 2 * reach)) return false;
            *at = p;
            return true;
        }
        if (!(fabs(d) <= 2 * reach)) return false;
        p = rv_dew_along(p, *normal, -d);
    }
    // at a sharp edge the last steps go to and fro across it: near enough
    double d = (double)rv_terrain_distance(terrain, p);
    if (!(fabs(d) <= 0.1 * reach)) return false;
    *at = p;
    return true;
}

rv_dew_drop rv_dew_sitting(const rv_terrain *terrain, rv_vec3 at, double volume)
{
    return (rv_dew_drop){.at = at,
                         .normal = rv_terrain_normal(terrain, at),
                         .volume = volume,
                         .set = rv_terrain_angles_near(terrain, at),
                         .form = RV_DEW_SITS};
}

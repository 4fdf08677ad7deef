// The field of rows that a rank comes to keep while the world runs (docs/scale.md): it was never
// built here, and edits may have changed it since, so it is taken from a rank that has it, one row
// of bricks after the other.
#include "terrain/field.h"

#include "base/memory.h"

#include <string.h>

// What a brick has: as it is, without the moving solids, as it was built.
enum { NOW, STILL, BORN, KINDS };

typedef struct packed_brick {
    float middle[KINDS], least[KINDS];
    uint8_t has[KINDS]; // samples follow
    uint8_t shared;     // the moving solids are not in it: its samples are those of STILL
    uint8_t stamped;    // stamps follow
    uint8_t look;
} packed_brick;

#define SAMPLE_BYTES (RV_BRICK_SAMPLES * sizeof(float))

static rv_brick *kinds_of(const rv_terrain *t, int kind)
{
    return kind == NOW ? t->brick : kind == STILL ? t->still : t->born;
}

static packed_brick head_of(const rv_terrain *t, size_t i)
{
    packed_brick p;
    memset(&p, 0, sizeof p); // no byte is left to chance
    for (int k = 0; k < KINDS; k++) {
        const rv_brick *all = kinds_of(t, k);
        if (!all) continue;
        p.middle[k] = all[i].middle, p.least[k] = all[i].least;
        p.has[k] = all[i].samples != NULL;
        if (k == BORN && all[i].least == RV_NOT_BORN) p.has[k] = 0;
    }
    p.shared = t->still && t->brick[i].samples == t->still[i].samples;
    if (p.shared) p.has[NOW] = 0;
    p.stamped = t->stamp && t->stamp[i];
    p.look = t->brick_look ? t->brick_look[i] : 0;
    return p;
}

static size_t packed_bytes(const packed_brick *p)
{
    size_t bytes = sizeof *p + (p->stamped ? RV_BRICK_SAMPLES : 0);
    for (int k = 0; k < KINDS; k++) bytes += p->has[k] ? SAMPLE_BYTES : 0;
    return bytes;
}

static size_t band_bytes(const rv_terrain *t, int by)
{
    size_t bytes = 0;
    for (size_t i = (size_t)by * t->step_y; i < ((size_t)by + 1) * t->step_y; i++) {
        packed_brick p = head_of(t, i);
        bytes += packed_bytes(&p);
    }
    return bytes;
}

static void pack_band(const rv_terrain *t, int by, unsigned char *to)
{
    for (size_t i = (size_t)by * t->step_y; i < ((size_t)by + 1) * t->step_y; i++) {
        packed_brick p = head_of(t, i);
        memcpy(to, &p, sizeof p);
        to += sizeof p;
        for (int k = 0; k < KINDS; k++)
            if (p.has[k]) memcpy(to, kinds_of(t, k)[i].samples, SAMPLE_BYTES), to += SAMPLE_BYTES;
        if (p.stamped) memcpy(to, t->stamp[i], RV_BRICK_SAMPLES), to += RV_BRICK_SAMPLES;
    }
}

static bool unpack_brick(rv_terrain *t, size_t i, const unsigned char **from)
{
    packed_brick p;
    memcpy(&p, *from, sizeof p);
    *from += sizeof p;
    if (!rv_ensure_spares(t, KINDS)) return false;
    for (int k = 0; k < KINDS; k++) {
        rv_brick *all = kinds_of(t, k);
        if (!all) continue;
        all[i] = (rv_brick){NULL, p.middle[k], p.least[k]};
        if (!p.has[k]) continue;
        all[i].samples = rv_take_spare(t);
        memcpy(all[i].samples, *from, SAMPLE_BYTES);
        *from += SAMPLE_BYTES;
    }
    if (p.shared) t->brick[i].samples = t->still[i].samples;
    if (t->brick_look) t->brick_look[i] = p.look;
    if (!p.stamped) return true;
    if (!rv_stamps_open(t, i)) return false;
    memcpy(t->stamp[i], *from, RV_BRICK_SAMPLES);
    *from += RV_BRICK_SAMPLES;
    return true;
}

// A band goes from its owner to all; those that lack it take it.
static bool share_band(rv_terrain *t, int by, bool lacks)
{
    rv_cut *cut = t->grid.cut;
    int owner = rv_band_owner(t, by), own = cut->ranks->rank;
    uint64_t bytes = owner == own ? band_bytes(t, by) : 0;
    rv_cut_spread(cut, owner, &bytes, sizeof bytes);
    unsigned char *band = rv_cut_room(cut, 0, (size_t)bytes + 1);
    if (!band || cut->lost) return false;
    if (owner == own) pack_band(t, by, band);
    rv_cut_spread(cut, owner, band, (size_t)bytes);
    const unsigned char *from = band;
    bool good = !cut->lost;
    for (size_t i = 0; lacks && good && i < t->step_y; i++)
        good = unpack_brick(t, (size_t)by * t->step_y + i, &from);
    return good;
}

rv_result rv_terrain_take_rows(rv_terrain *t, const rv_rows *before)
{
    rv_cut *cut = t->grid.cut;
    bool good = true;
    for (int by = 0; by < t->by && good; by++) {
        bool any = false, lacks = false;
        for (int rank = 0; rank < cut->ranks->count; rank++) {
            bool had = rv_rows_have(rv_field_bands_of(t, before[rank]), by);
            bool has = rv_rows_have(rv_field_bands_of(t, rv_cut_kept_of(cut, rank)), by);
            any = any || (has && !had);
            if (rank == cut->ranks->rank) lacks = has && !had;
        }
        if (any) good = share_band(t, by, lacks);
    }
    if (!good) cut->lost = true; // the others go on without it
    return good ? RV_OK : RV_OUT_OF_MEMORY;
}

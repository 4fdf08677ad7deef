// Where the parts of a snapshot are, and whether they can be what they say: a file may be of
// another world, cut short, damaged, or made by hand.
#include "base/hash.h"
#include "world/snapshot_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// No volume or time of a world is larger; sums of a few of them are still numbers.
#define AMOUNT_MOST 1e18

// Whether counts can be counts and amounts amounts: the checksum is no seal.
static bool counters_good(const rv_counters *c, const rv_grid *grid)
{
    const int64_t counts[] = {c->steps,   c->unplaced, c->edits,
                              c->clipped, c->unsolved, c->not_finite};
    const double amounts[] = {c->time,      c->first,      c->sourced, c->drained,
                              c->border_in, c->border_out, c->held,    c->displaced};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i] < 0 || counts[i] > INT64_MAX / 2) return false;
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++)
        if (!(fabs(amounts[i]) <= AMOUNT_MOST)) return false;
    return c->held_x >= 0 && c->held_x < grid->nx && c->held_y >= 0 && c->held_y < grid->ny;
}

// Whether the snapshot is of a world like this one; else `why` says what differs.
static bool is_alike(const rv_world *world, rv_snapshot_parts *p)
{
    const rv_snapshot_header *h = &p->head;
    char differs[320];
    if (rv_world_unlike(&world->params, h->likeness, differs, sizeof differs))
        snprintf(p->why, sizeof p->why, "of another world: %s", differs);
    else if (h->born != world->born)
        snprintf(p->why, sizeof p->why,
                 "of another terrain: solids or heights are not those that it was saved with "
                 "(fingerprint %016llx there, %016llx here)",
                 (unsigned long long)h->born, (unsigned long long)world->born);
    return p->why[0] == '\0';
}

void rv_snapshot_place(const unsigned char *from, rv_snapshot_parts *p)
{
    const rv_snapshot_header *h = &p->head;
    uint64_t owed = ((uint64_t)h->sources + (uint64_t)h->drains + 1) * sizeof(double);
    const unsigned char *at = from + sizeof p->head;
    memcpy(&p->counters, at, sizeof p->counters);
    at += sizeof p->counters;
    memcpy(p->pose, at, sizeof p->pose);
    p->owed = at + sizeof p->pose, p->bodies = p->owed + owed;
    p->spray = p->bodies + rv_world_bodies_bytes(h->bodies);
    p->dew = p->spray + rv_world_spray_bytes(h->droplets);
    p->live = p->dew + rv_world_dew_bytes(h->dew), p->terrain = p->live + h->live_bytes;
    p->fields = p->terrain + h->terrain_bytes, p->end = from + h->bytes - sizeof(uint64_t);
}

// Where solids stand, and what sources and drains owe: numbers, as large as such may be.
static bool amounts_good(const rv_snapshot_parts *p, uint64_t owed)
{
    for (int m = 0; m < RV_MOVERS_MAX; m++) {
        const rv_pose *s = &p->pose[m];
        const double numbers[] = {s->shift.x,  s->shift.y, s->shift.z, s->rotate.x, s->rotate.y,
                                  s->rotate.z, s->pivot.x, s->pivot.y, s->pivot.z};
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
            if (!(fabs(numbers[i]) <= 1e9)) return false;
    }
    for (uint64_t i = 0; i < owed; i += sizeof(double)) {
        double amount;
        memcpy(&amount, p->owed + i, sizeof amount);
        if (!(fabs(amount) <= 1e12)) return false;
    }
    return true;
}

static bool box_good(const rv_box *b)
{
    return !isnan(b->low.x + b->low.y + b->low.z) && !isnan(b->high.x + b->high.y + b->high.z);
}

// What a world that is cut cannot take. NULL: nothing.
static const char *uncut_reason(const rv_world *world, const rv_snapshot_parts *p)
{
    bool fly = world->terrain || (world->params.drips_fly && rv_world_drips(world));
    if (!world->cut) return NULL;
    if (p->head.droplets > 0 && !fly)
        return "of a world with droplets: terrain.keep must be true while processes share the "
               "grid";
    if (!world->terrain &&
        rv_world_bodies_rows(world, p->bodies, p->head.bodies) > world->cut->bodies)
        return "its bodies are larger than the scene's: terrain.keep must be true for that while "
               "processes share the grid";
    return NULL;
}

// Before its bytes are counted: with 32 bits those of a list that cannot be might be few.
static bool list_fits(uint64_t rest, int32_t count, size_t bytes_of(int))
{
    return (uint64_t)count <= rest / (bytes_of(1) - bytes_of(0));
}

const char *rv_snapshot_open(const rv_world *world, const unsigned char *from, size_t size,
                             rv_snapshot_parts *p)
{
    uint64_t sum;
    size_t least = sizeof p->head + sizeof p->counters + sizeof p->pose + sizeof sum;
    p->why[0] = '\0';
    if (size < least) return "too short to be one";
    memcpy(&p->head, from, sizeof p->head);
    const rv_snapshot_header *h = &p->head;
    if (h->magic != RV_SNAPSHOT_MAGIC) return "not a snapshot";
    if (h->version != RV_SNAPSHOT_VERSION) {
        snprintf(p->why, sizeof p->why,
                 "written by another version: its format is %u, that of this one %u",
                 (unsigned)h->version, RV_SNAPSHOT_VERSION);
        return p->why;
    }
    if (h->bytes > size || h->bytes < least) return "cut short";
    if (h->bytes < size) {
        snprintf(p->why, sizeof p->why, "damaged: %llu bytes follow its end",
                 (unsigned long long)(size - h->bytes));
        return p->why;
    }
    memcpy(&sum, from + h->bytes - sizeof sum, sizeof sum);
    if (sum != rv_hash_bytes(RV_HASH_START, from, h->bytes - sizeof sum)) return "damaged";
    if (!rv_world_likeness_good(h->likeness)) return "damaged";
    if (!is_alike(world, p)) return p->why;
    if (h->sources < 0 || h->drains < 0 || h->bodies < 0 || h->droplets < 0 || h->dew < 0)
        return "of another build of the solver";
    for (int i = 0; i < 4; i++)
        if (h->border[i] < RV_BORDER_WALL || h->border[i] > RV_BORDER_INFLOW) return "damaged";
    if (!box_good(&h->touched)) return "damaged";
    uint64_t owed = ((uint64_t)h->sources + (uint64_t)h->drains + 1) * sizeof(double);
    uint64_t rest = h->bytes - least;
    if (!list_fits(rest, h->bodies, rv_world_bodies_bytes) ||
        !list_fits(rest, h->droplets, rv_world_spray_bytes) ||
        !list_fits(rest, h->dew, rv_world_dew_bytes))
        return "cut short";
    uint64_t bodies = rv_world_bodies_bytes(h->bodies);
    uint64_t spray = (uint64_t)rv_world_spray_bytes(h->droplets) + rv_world_dew_bytes(h->dew);
    if (owed > rest || bodies > rest - owed || spray > rest - owed - bodies ||
        h->live_bytes > rest - owed - bodies - spray ||
        h->terrain_bytes > rest - owed - bodies - spray - h->live_bytes)
        return "cut short";
    if (h->terrain_bytes > 0 && !world->terrain)
        return "of terrain that was edited: terrain.keep must be true here, as it was there";
    rv_snapshot_place(from, p);
    if (!counters_good(&p->counters, &world->columns.grid)) return "damaged: its counters";
    if (!amounts_good(p, owed)) return "damaged: where solids stand, or what sources owe";
    if (!rv_world_bodies_good(p->bodies, h->bodies)) return "damaged: its bodies";
    const char *none = h->bodies > 0 ? rv_world_no_bodies(world) : NULL;
    if (h->bodies > 0 && !none && !world->terrain && !rv_columns_are_beds(&world->columns))
        none = "terrain.keep must be true here, as it was there";
    if (none) {
        snprintf(p->why, sizeof p->why, "of a world with bodies: %s", none);
        return p->why;
    }
    if (!rv_world_spray_good(world, p->spray, h->droplets)) return "damaged: its droplets";
    if (h->dew > 0 && !world->params.dew_on)
        return "of a world with drops on its solids: dew.on must be true here, as it was there";
    if (!rv_world_dew_good(world, p->dew, h->dew)) return "damaged: its dew";
    const char *uncut = uncut_reason(world, p);
    if (uncut) return uncut;
    return rv_live_good(world, p->live, h->live_bytes);
}

// The pool of droplets: its memory, adding, removing, and the sum of their volumes.
#include "spray/spray.h"

#include <string.h>

static bool grow(const rv_spray *spray, void **array, int count, size_t size)
{
    void *more = rv_new(&spray->allocator, (size_t)count, size);
    if (!more) return false;
    if (spray->count > 0) memcpy(more, *array, (size_t)spray->count * size);
    *array = more;
    return true;
}

// Every array of the pool, for making and freeing.
#define ARRAYS 14
typedef struct arrays {
    void *of[ARRAYS];
    size_t size[ARRAYS];
} arrays;

static arrays arrays_of(const rv_spray *s)
{
    return (arrays){{s->at, s->velocity, s->volume, s->goal, s->radius, s->flown, s->down, s->crest,
                     s->form, s->flow, s->root, s->came, s->off, s->late},
                    {sizeof *s->at, sizeof *s->velocity, sizeof *s->volume, sizeof *s->goal,
                     sizeof *s->radius, sizeof *s->flown, sizeof *s->down, sizeof *s->crest,
                     sizeof *s->form, sizeof *s->flow, sizeof *s->root, sizeof *s->came,
                     sizeof *s->off, sizeof *s->late}};
}

bool rv_spray_make_room(rv_spray *spray, int count)
{
    if (count <= spray->room) return true;
    arrays old = arrays_of(spray), fresh = old;
    for (int k = 0; k < ARRAYS; k++) {
        if (grow(spray, &fresh.of[k], count, old.size[k])) continue;
        for (int j = 0; j < k; j++)
            rv_free(&spray->allocator, fresh.of[j], (size_t)count, old.size[j]);
        return false;
    }
    for (int k = 0; k < ARRAYS; k++)
        rv_free(&spray->allocator, old.of[k], (size_t)spray->room, old.size[k]);
    spray->at = fresh.of[0], spray->velocity = fresh.of[1], spray->volume = fresh.of[2];
    spray->goal = fresh.of[3], spray->radius = fresh.of[4], spray->flown = fresh.of[5];
    spray->down = fresh.of[6], spray->crest = fresh.of[7];
    spray->form = fresh.of[8], spray->flow = fresh.of[9], spray->root = fresh.of[10];
    spray->came = fresh.of[11], spray->off = fresh.of[12], spray->late = fresh.of[13];
    spray->room = count;
    return true;
}

bool rv_spray_make_slots(rv_spray *spray, size_t slots)
{
    if (slots <= spray->hangs_room) return true;
    int32_t *fresh = rv_new(&spray->allocator, slots, sizeof *fresh);
    if (!fresh) return false;
    rv_free(&spray->allocator, spray->hangs, spray->hangs_room, sizeof *fresh);
    spray->hangs = fresh, spray->hangs_room = slots;
    return true;
}

void rv_spray_free(rv_spray *spray)
{
    arrays all = arrays_of(spray);
    rv_allocator a = spray->allocator;
    for (int k = 0; k < ARRAYS; k++) rv_free(&a, all.of[k], (size_t)spray->room, all.size[k]);
    rv_free(&a, spray->hangs, spray->hangs_room, sizeof *spray->hangs);
    rv_free(&a, spray->cliff, spray->cliff_room, sizeof *spray->cliff);
    rv_free(&a, spray->cliff_slot, 2 * spray->cliff_room, sizeof *spray->cliff_slot);
    rv_edges_free(&spray->edges, &a);
    *spray = (rv_spray){.allocator = a};
}

int rv_spray_add(rv_spray *spray, int limit, rv_vec3 at, rv_vec3 velocity, double volume)
{
    if (spray->count >= limit || spray->count >= spray->room) {
        spray->refused++;
        return -1;
    }
    int i = spray->count++;
    spray->at[i] = at, spray->velocity[i] = velocity, spray->goal[i] = 0;
    spray->flown[i] = RV_FLOWN_ON, spray->down[i] = RV_NOWHERE;
    spray->form[i] = RV_HANG_NOT, spray->flow[i] = spray->came[i] = 0;
    spray->root[i] = (rv_spray_cell){0, 0};
    spray->off[i] = (rv_vec3){0, 0, 0}, spray->late[i] = 0;
    rv_spray_set_volume(spray, i, volume);
    return i;
}

void rv_spray_set_volume(rv_spray *spray, int index, double volume)
{
    spray->volume[index] = volume;
    spray->radius[index] = rv_ball_radius(volume);
}

void rv_spray_sweep(rv_spray *spray)
{
    int kept = 0;
    for (int i = 0; i < spray->count; i++) {
        if (!(spray->volume[i] > 0)) continue;
        if (kept < i) {
            spray->at[kept] = spray->at[i], spray->velocity[kept] = spray->velocity[i];
            spray->volume[kept] = spray->volume[i], spray->goal[kept] = spray->goal[i];
            spray->radius[kept] = spray->radius[i], spray->form[kept] = spray->form[i];
            spray->flow[kept] = spray->flow[i], spray->root[kept] = spray->root[i];
            spray->off[kept] = spray->off[i];
        }
        kept++;
    }
    spray->count = kept;
}

double rv_spray_volume(const rv_spray *spray)
{
    double sum = spray->owed;
    for (int i = 0; i < spray->count; i++) sum += spray->volume[i];
    return sum;
}

// Edges within a layer: neighbouring columns of which one's bed is far under the other's. They
// depend on the terrain alone and are listed once, so that a substep need not look for them.
#include "spray/spray.h"

// A column and the next one along x or y; false: there is no cliff between them.
static bool is_cliff(const rv_column_set *set, size_t a, size_t b, double drop)
{
    if (!rv_column_exists(set, a) || !rv_column_exists(set, b)) return false;
    float sill = fmaxf(set->base[a], set->base[b]), roof = fminf(set->max[a], set->max[b]);
    return sill < roof && fabs((double)set->base[a] - (double)set->base[b]) >= drop;
}

// Writes cliffs to `out` unless it is NULL; returns how many there are.
static size_t list_plane(const rv_column_set *set, int l, double drop, rv_cliff *out)
{
    const rv_plane *p = &set->plane[l];
    size_t count = 0;
    for (int y = p->y0; y < p->y0 + p->ny; y++) {
        for (int x = p->x0; x < p->x0 + p->nx; x++) {
            size_t a = rv_slot(p, x, y);
            for (int along_y = 0; along_y < 2; along_y++) {
                // beyond the last column or row is the ring, which has no columns
                size_t b = a + (along_y ? (size_t)p->pitch : 1);
                if (!is_cliff(set, a, b, drop)) continue;
                int way = set->base[a] > set->base[b] ? 1 : -1;
                if (out)
                    out[count] = (rv_cliff){.low = a,
                                            .from = way > 0 ? a : b,
                                            .to = way > 0 ? b : a,
                                            .x = x + (way > 0 && !along_y),
                                            .y = y + (way > 0 && along_y),
                                            .dx = along_y ? 0 : way,
                                            .dy = along_y ? way : 0};
                count++;
            }
        }
    }
    return count;
}

bool rv_spray_list_cliffs(rv_spray *spray, const rv_column_set *set, double drop)
{
    size_t count = 0;
    for (int l = 0; l < set->planes; l++) count += list_plane(set, l, drop, NULL);
    spray->cliff_count = 0;
    if (count > spray->cliff_room) {
        rv_cliff *fresh = rv_new(&spray->allocator, count, sizeof *fresh);
        size_t *slots = rv_new(&spray->allocator, 2 * count, sizeof *slots);
        if (!fresh || !slots) {
            rv_free(&spray->allocator, fresh, count, sizeof *fresh);
            rv_free(&spray->allocator, slots, 2 * count, sizeof *slots);
            return false;
        }
        rv_free(&spray->allocator, spray->cliff, spray->cliff_room, sizeof *fresh);
        rv_free(&spray->allocator, spray->cliff_slot, 2 * spray->cliff_room, sizeof *slots);
        spray->cliff = fresh, spray->cliff_slot = slots, spray->cliff_room = count;
    }
    for (int l = 0; l < set->planes && count > 0; l++)
        spray->cliff_count += list_plane(set, l, drop, spray->cliff + spray->cliff_count);
    return true;
}

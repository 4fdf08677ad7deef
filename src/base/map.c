// Maps are laid over a grid whatever its size: between the middles of pixels values are mixed along
// both axes, beyond them the outermost count.
#include "base/map.h"

#include <math.h>
#include <string.h>

bool rv_map_is_good(const rv_map *map)
{
    return map && map->width > 0 && map->height > 0 && map->value;
}

rv_map *rv_map_copy(const rv_map *map, const rv_allocator *a)
{
    size_t size = (size_t)map->width * (size_t)map->height;
    rv_map *own = rv_new(a, 1, sizeof *own);
    float *value = rv_new(a, size, sizeof *value);
    if (!own || !value) {
        rv_free(a, own, 1, sizeof *own);
        rv_free(a, value, size, sizeof *value);
        return NULL;
    }
    memcpy(value, map->value, size * sizeof *value);
    *own = (rv_map){map->width, map->height, value};
    return own;
}

void rv_map_free(rv_map *map, const rv_allocator *a)
{
    if (!map) return;
    rv_free(a, (void *)(uintptr_t)map->value, (size_t)map->width * (size_t)map->height,
            sizeof *map->value);
    rv_free(a, map, 1, sizeof *map);
}

double rv_map_at(const rv_map *map, double across, double up)
{
    double x = across * map->width - 0.5, y = (1.0 - up) * map->height - 0.5;
    x = fmin(fmax(x, 0.0), map->width - 1.0), y = fmin(fmax(y, 0.0), map->height - 1.0);
    int i = (int)x, j = (int)y;
    int i1 = i + 1 < map->width ? i + 1 : i, j1 = j + 1 < map->height ? j + 1 : j;
    double fx = x - i, fy = y - j;
    const float *low = map->value + (size_t)j * (size_t)map->width;
    const float *high = map->value + (size_t)j1 * (size_t)map->width;
    return ((double)low[i] * (1.0 - fx) + (double)low[i1] * fx) * (1.0 - fy) +
           ((double)high[i] * (1.0 - fx) + (double)high[i1] * fx) * fy;
}

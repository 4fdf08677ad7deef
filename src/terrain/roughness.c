// The roughness of solids: noise (base/noise.h) summed over octaves of half the size and weight.
#include "base/noise.h"
#include "terrain/parts.h"

double rv_noise_at(const rv_part *part, rv_vec3 q)
{
    double sum = 0, weight = 1, rate = part->noise_rate;
    for (int i = 0; i < part->noise_octaves; i++) {
        rv_vec3 p = {q.x * rate, q.y * rate, q.z * rate};
        sum += weight * rv_noise(p, part->noise_seed * 31u + (uint32_t)i);
        weight *= 0.5, rate *= 2.0;
    }
    return part->noise_share * sum;
}

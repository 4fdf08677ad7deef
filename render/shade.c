// A small photo studio: one large lamp with soft edges, a strip on the other side, a grey room;
// materials made of noise; liquid that absorbs along the ray (Beer–Lambert) and reflects by Fresnel
// (SPEC §5).
#include "render/shade.h"

#include <stdint.h>

static float lattice(int x, int y, int z)
{
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ (uint32_t)z * 0xcb1ab31fu;
    h ^= h >> 15, h *= 0x2c1b3c6du, h ^= h >> 12, h *= 0x297a2d39u, h ^= h >> 15;
    return (float)(h >> 8) * (1.0f / 16777216.0f);
}

static float noise(vec3 p)
{
    float fx = floorf(p.x), fy = floorf(p.y), fz = floorf(p.z);
    int x = (int)fx, y = (int)fy, z = (int)fz;
    float u = smooth(0, 1, p.x - fx), v = smooth(0, 1, p.y - fy), w = smooth(0, 1, p.z - fz);
    float c[2];
    for (int k = 0; k < 2; k++)
        c[k] = mixf(mixf(lattice(x, y, z + k), lattice(x + 1, y, z + k), u),
                    mixf(lattice(x, y + 1, z + k), lattice(x + 1, y + 1, z + k), u), v);
    return mixf(c[0], c[1], w);
}

static float cloud(vec3 p, int octaves)
{
    float sum = 0, weight = 0.5f, all = 0;
    for (int n = 0; n < octaves; n++, weight *= 0.5f) {
        sum += weight * noise(p), all += weight;
        p = v3(p.x * 2.03f + 17.1f, p.y * 2.01f + 5.3f, p.z * 2.05f + 9.7f);
    }
    return sum / all;
}

rv_light rv_light_of(const rv_params *p, const rv_field *f)
{
    rv_light l;
    // The lamps stand with the camera, so that every view is lit from its upper left and from
    // behind.
    float a = (float)p->view_azimuth - 1.75f, e = 0.92f;
    l.key = v3(cosf(e) * cosf(a), cosf(e) * sinf(a), sinf(e));
    l.side = unit(cross(l.key, v3(0, 0, 1)));
    l.up = cross(l.side, l.key);
    a = (float)p->view_azimuth + 2.2f, e = 0.6f;
    l.strip = v3(cosf(e) * cosf(a), cosf(e) * sinf(a), sinf(e));
    a = (float)p->view_azimuth - 2.75f, e = 0.85f;
    l.wall = v3(cosf(e) * cosf(a), cosf(e) * sinf(a), sinf(e));
    l.length = maxf(f->wide, f->deep);
    return l;
}

typedef struct look {
    vec3 through; // share of light left after a depth of view.opaque
    vec3 body;
    float f0, index, sheen;
} look;

rv_optics rv_optics_of(const rv_params *p)
{
    static const look looks[] = {
        [RV_LOOK_WATER] = {{0.010f, 0.085f, 0.130f}, {0.010f, 0.085f, 0.125f}, 0.024f, 1.33f, 1},
        [RV_LOOK_BLOOD] = {{0.090f, 1e-5f, 1e-5f}, {0.180f, 0.004f, 0.006f}, 0.028f, 1.38f, 1},
        [RV_LOOK_COFFEE] = {{0.080f, 0.006f, 2e-4f}, {0.050f, 0.017f, 0.006f}, 0.026f, 1.34f, 1},
        [RV_LOOK_MILK] = {{0.018f, 0.016f, 0.014f}, {0.860f, 0.830f, 0.760f}, 0.024f, 1.35f, 0.8f},
        [RV_LOOK_PAINT] = {{0.001f, 0.001f, 0.004f}, {0.020f, 0.135f, 0.430f}, 0.035f, 1.45f, 0.8f},
        [RV_LOOK_HONEY] = {{0.250f, 0.045f, 1e-4f}, {0.520f, 0.190f, 0.010f}, 0.040f, 1.50f, 1},
        [RV_LOOK_OIL] = {{0.170f, 0.140f, 0.004f}, {0.330f, 0.290f, 0.045f}, 0.036f, 1.47f, 1},
    };
    const look *k = &looks[p->liquid_look];
    float opaque = (float)(p->view_opaque / p->grid_dx);
    rv_optics o = {.body = k->body, .f0 = k->f0, .index = k->index, .sheen = k->sheen};
    o.extinction = v3(-logf(k->through.x) / opaque, -logf(k->through.y) / opaque,
                      -logf(k->through.z) / opaque);
    return o;
}

// A rectangle of light with soft edges, seen in direction d.
static float softbox(const rv_light *l, vec3 d, float half_wide, float half_high, float soft)
{
    float ahead = dot(d, l->key);
    if (ahead <= 0.05f) return 0;
    float x = fabsf(dot(d, l->side)) / ahead, y = fabsf(dot(d, l->up)) / ahead;
    return (1 - smooth(half_wide - soft, half_wide + soft, x)) *
           (1 - smooth(half_high - soft, half_high + soft, y));
}

vec3 rv_sky(const rv_light *l, vec3 d)
{
    float h = d.z;
    vec3 c = h > 0 ? mix(v3(0.30f, 0.31f, 0.33f), v3(0.50f, 0.535f, 0.585f), smooth(0, 0.9f, h))
                   : mix(v3(0.30f, 0.31f, 0.33f), v3(0.16f, 0.15f, 0.14f), smooth(0, 0.4f, -h));
    c = add(c, scale(v3(9.0f, 8.7f, 8.2f), softbox(l, d, 0.34f, 0.24f, 0.05f)));
    c = add(c, scale(v3(1.5f, 1.65f, 1.9f), smooth(0.955f, 0.99f, dot(d, l->strip))));
    // A broad bright wall opposite the camera: what level surfaces mirror, so that they do not look
    // flat.
    return add(c, scale(v3(0.5f, 0.52f, 0.55f), smooth(0.78f, 1.0f, dot(d, l->wall))));
}

vec3 rv_irradiance(const rv_light *l, vec3 n, rv_exposure x)
{
    vec3 ambient = mix(v3(0.16f, 0.15f, 0.14f), v3(0.34f, 0.365f, 0.41f), 0.5f + 0.5f * n.z);
    float key = maxf(0, dot(n, l->key)) * x.lit, fill = maxf(0, dot(n, l->strip)) * x.open;
    vec3 e = scale(ambient, x.open);
    e = add(e, scale(v3(0.86f, 0.815f, 0.745f), key));
    return add(e, scale(v3(0.13f, 0.145f, 0.17f), fill));
}

static vec3 wood_colour(vec3 q)
{
    float warp = cloud(v3(q.x * 1.6f, q.y * 3, q.z * 3), 3);
    float y = q.y * 2.2f + 0.35f * warp + 0.9f, z = q.z * 2.2f + 1.7f;
    float ring = sqrtf(y * y + z * z) * 8.5f + 0.5f * warp;
    ring -= floorf(ring);
    float late = smooth(0.25f, 0.9f, ring) * (1 - smooth(0.93f, 1, ring));
    float fibre = noise(v3(q.x * 9, q.y * 190, q.z * 190));
    vec3 c = mix(v3(0.56f, 0.35f, 0.18f), v3(0.34f, 0.185f, 0.085f), 0.75f * late);
    return scale(c, 0.88f + 0.22f * fibre + 0.10f * (warp - 0.5f));
}

vec3 rv_material_colour(rv_material material, const rv_light *l, vec3 p)
{
    vec3 q = scale(p, 1 / l->length);
    float n;
    switch (material) {
    case RV_MATERIAL_BONE:
        n = cloud(scale(q, 14), 4);
        return mix(v3(0.63f, 0.54f, 0.41f), v3(0.76f, 0.70f, 0.585f), smooth(0.3f, 0.6f, n));
    case RV_MATERIAL_TISSUE:
        n = cloud(scale(q, 10), 5);
        return mix(v3(0.40f, 0.105f, 0.095f), v3(0.66f, 0.32f, 0.27f), smooth(0.3f, 0.7f, n));
    case RV_MATERIAL_CERAMIC:
        return v3(0.74f, 0.74f, 0.72f);
    case RV_MATERIAL_WOOD:
        return wood_colour(q);
    case RV_MATERIAL_STEEL:
        n = noise(v3(q.x * 4, q.y * 260, q.z * 260));
        return scale(v3(0.47f, 0.48f, 0.50f), 0.93f + 0.14f * n);
    case RV_MATERIAL_PLAIN:
        break;
    }
    n = cloud(scale(q, 22), 3);
    return scale(v3(0.50f, 0.49f, 0.47f), 0.955f + 0.09f * n);
}

// Reflection at normal incidence and sharpness of the highlight of each material.
static void gloss_of(rv_material material, float *f0, float *power)
{
    static const float gloss[][2] = {
        [RV_MATERIAL_PLAIN] = {0.012f, 12},  [RV_MATERIAL_BONE] = {0.025f, 26},
        [RV_MATERIAL_TISSUE] = {0.035f, 45}, [RV_MATERIAL_CERAMIC] = {0.045f, 160},
        [RV_MATERIAL_WOOD] = {0.022f, 30},   [RV_MATERIAL_STEEL] = {0.42f, 40},
    };
    *f0 = gloss[material][0], *power = gloss[material][1];
}

static float fresnel(float f0, float cosine)
{
    float m = 1 - clamp(cosine, 0, 1), m2 = m * m;
    return f0 + (1 - f0) * m2 * m2 * m;
}

vec3 rv_shade_terrain(rv_material material, const rv_light *l, vec3 p, vec3 n, vec3 ray,
                      rv_exposure x)
{
    float f0, power;
    gloss_of(material, &f0, &power);
    vec3 albedo = rv_material_colour(material, l, p);
    vec3 c = mul(albedo, rv_irradiance(l, n, x));
    vec3 half = unit(sub(l->key, ray)), r = mirror(ray, n);
    float spec = powf(maxf(0, dot(n, half)), power) * (power + 8) * 0.04f * x.lit;
    float f = fresnel(f0, -dot(n, ray)) * (power > 100 || f0 > 0.2f ? 1 : 0.35f);
    // Rough things mirror only the mean of the room.
    vec3 room = mix(v3(0.28f, 0.28f, 0.28f), v3(0.70f, 0.74f, 0.80f), smooth(-0.6f, 0.9f, r.z));
    vec3 mirrored = power > 100 ? rv_sky(l, r) : room;
    if (f0 > 0.2f) c = mul(scale(c, 0.45f), v3(1, 1, 1)), mirrored = mul(room, v3(0.97f, 0.98f, 1));
    c = add(scale(c, 1 - f), scale(mirrored, f * x.open));
    return add(c, scale(v3(1.1f, 1.06f, 1), f0 * spec * maxf(0, dot(n, l->key))));
}

vec3 rv_shade_side(const rv_light *l, const rv_field *f, vec3 p, vec3 n)
{
    float h = (p.z - f->floor) / maxf(f->high - f->floor, 1e-3f);
    rv_exposure x = {0.72f + 0.28f * smooth(0, 0.35f, h), 1};
    float grain = 0.97f + 0.06f * noise(scale(p, 60 / l->length));
    return mul(scale(v3(0.285f, 0.290f, 0.300f), grain), rv_irradiance(l, n, x));
}

vec3 rv_shade_liquid(const rv_optics *o, const rv_light *l, vec3 n, vec3 ray, float path, vec3 bed,
                     vec3 reflected, rv_exposure x)
{
    vec3 t = v3(expf(-o->extinction.x * path), expf(-o->extinction.y * path),
                expf(-o->extinction.z * path));
    vec3 body = mul(o->body, rv_irradiance(l, n, x));
    float cosine = -dot(n, ray), f = fresnel(o->f0, cosine);
    vec3 below = add(mul(bed, t), mul(body, v3(1 - t.x, 1 - t.y, 1 - t.z)));
    return add(scale(below, 1 - f), scale(reflected, f));
}

vec3 rv_shade_background(const rv_light *l, const rv_field *f, vec3 eye, vec3 ray, float height)
{
    vec3 c = mix(v3(0.46f, 0.48f, 0.505f), v3(0.15f, 0.17f, 0.20f), smooth(-0.15f, 1, height));
    if (ray.z > -1e-4f || eye.z <= f->floor) return c;
    // The block stands on the ground and takes light from it.
    vec3 p = along(eye, ray, (f->floor - eye.z) / ray.z);
    float dx = maxf(maxf(-p.x, p.x - f->wide), 0), dy = maxf(maxf(-p.y, p.y - f->deep), 0);
    float d = sqrtf(dx * dx + dy * dy) / l->length;
    return scale(c, 1 - 0.42f * expf(-d / 0.035f) - 0.16f * expf(-d / 0.16f));
}

void rv_encode(vec3 colour, int x, int y, unsigned char *rgb)
{
    // Less than a step of grain, the same in every frame, so that the backdrop shows no bands.
    float grain = lattice(x, y, 7);
    const float c[3] = {colour.x, colour.y, colour.z};
    for (int n = 0; n < 3; n++) {
        // Straight up to 0.6, then bent so that highlights keep their shape up to about 5.
        float v = maxf(c[n], 0);
        if (v > 0.6f) v = 0.6f + 0.4f * (1 - expf(-(v - 0.6f) / 0.55f));
        v = v <= 0.0031308f ? 12.92f * v : 1.055f * powf(v, 1 / 2.4f) - 0.055f;
        rgb[n] = (unsigned char)(clamp(v, 0, 1) * 254.999f + grain);
    }
}

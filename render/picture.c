// Draws frames: the terrain once per camera, four samples a pixel, kept; then for each frame the
// liquid, one ray a pixel and four where something changes from a pixel to the next.
//
// Every pixel depends on the world and on what earlier passes wrote, never on which thread drew
// what.
#include "render/picture.h"

#include "render/camera.h"
#include "render/liquid.h"
#include "render/shade.h"

#include <stdlib.h>
#include <string.h>

// LAYERS: of liquid that a ray looks through; many curtains may hang behind one another.
enum { SAMPLES = 4, SIZE_MAX_PX = 16384, LAYERS = 48 };
typedef enum kind { KIND_NONE, KIND_TERRAIN, KIND_SIDE } kind;

// The terrain behind one sample.
typedef struct seen {
    float t; // INFINITY: background
    vec3 colour;
} seen;

// The key of what the kept terrain was drawn for.
typedef struct view {
    rv_camera camera;
    rv_material material;
} view;

struct rv_picture {
    rv_field first;  // as it was when the picture was made, without its samples
    int64_t changes; // of the terrain that `field` follows
    rv_field field;
    rv_liquid liquid;
    rv_light light;
    rv_optics optics;
    view now, kept;
    bool has_kept;
    seen *seen;         // [pixel][sample]
    uint8_t *kind;      // [pixel][sample]
    vec3 *colour;       // [pixel], of this frame
    uint8_t *liquid_at; // [pixel]: 0 dry, 1 surface, 2 cut
    size_t pixels;
    float top;    // cells, upper end of the block with its liquid
    float opaque; // cells, depth from which the liquid hides its bed
    uint8_t *rgb;
};

// Brightness of a wet bed against a dry one.
static const float WET = 0.8f;

// Depth, against view.opaque, from which a film hides the dry look of its bed.
static const float COATED = 0.03f;

// A rotated square: no two samples share a row or a column.
static const float OFFSET[SAMPLES][2] = {
    {0.375f, 0.125f}, {0.875f, 0.375f}, {0.125f, 0.625f}, {0.625f, 0.875f}};

static vec3 face_normal(int side, vec3 ray)
{
    return side == 1   ? v3(ray.x > 0 ? -1.0f : 1.0f, 0, 0)
           : side == 2 ? v3(0, ray.y > 0 ? -1.0f : 1.0f, 0)
                       : v3(0, 0, ray.z > 0 ? -1.0f : 1.0f);
}

static rv_exposure exposure_at(const rv_picture *p, vec3 at, vec3 normal)
{
    rv_exposure x = {rv_field_open(&p->field, at, normal), 0};
    if (dot(normal, p->light.key) > 0)
        x.lit = rv_field_lit(&p->field, at, normal, p->light.key, 0.16f);
    return x;
}

// ---- Terrain -----------------------------------------------------------------------------------

typedef struct found {
    kind kind;
    float t;
    vec3 at, normal;
} found;

static found find_terrain(const rv_picture *p, vec3 ray)
{
    const rv_field *f = &p->field;
    const rv_camera *c = &p->now.camera;
    found out = {KIND_NONE, INFINITY, {0, 0, 0}, {0, 0, 1}};
    float t0, t1;
    int side;
    if (!rv_field_clip(f, c->eye, ray, f->high + 1, &t0, &t1, &side)) return out;
    vec3 entry = along(c->eye, ray, t0);
    // Below the lowest sample the ground is solid whatever the field says there.
    bool solid = side != 0 && (entry.z < f->low || rv_field_at(f, entry) < 0);
    if (solid) {
        out.kind = KIND_SIDE, out.t = t0, out.at = entry, out.normal = face_normal(side, ray);
        return out;
    }
    out.t = rv_field_cast(f, c->eye, ray, t0, t1);
    if (out.t < INFINITY) {
        out.kind = KIND_TERRAIN;
        out.at = along(c->eye, ray, out.t);
        out.normal = rv_field_normal(f, out.at);
    }
    return out;
}

static bool alike(const found *a, const found *b)
{
    return a->kind == b->kind && dot(a->normal, b->normal) > 0.97f &&
           fabsf(dot(sub(a->at, b->at), a->normal)) < 0.3f;
}

static vec3 shade_found(const rv_picture *p, const found *s, vec3 ray, float height, rv_exposure x)
{
    if (s->kind == KIND_NONE)
        return rv_shade_background(&p->light, &p->field, p->now.camera.eye, ray, height);
    if (s->kind == KIND_SIDE) return rv_shade_side(&p->light, &p->field, s->at, s->normal);
    // A normal that faces away is a grazing one: turn it until it does not.
    vec3 n = s->normal;
    float away = dot(n, ray);
    if (away > 0) n = unit(along(n, ray, -away));
    return rv_shade_terrain(p->now.material, &p->light, s->at, n, ray, x);
}

static void terrain_row(void *context, int y)
{
    rv_picture *p = context;
    const rv_camera *c = &p->now.camera;
    for (int x = 0; x < c->width; x++) {
        size_t pixel = (size_t)y * (size_t)c->width + (size_t)x;
        found hit[SAMPLES];
        vec3 ray[SAMPLES];
        rv_exposure light[SAMPLES];
        for (int s = 0; s < SAMPLES; s++) {
            ray[s] = rv_camera_ray(c, (float)x + OFFSET[s][0], (float)y + OFFSET[s][1]);
            hit[s] = find_terrain(p, ray[s]);
            // Light changes slowly: samples on one smooth piece share it.
            int same = 0;
            while (same < s && !alike(&hit[same], &hit[s])) same++;
            if (same < s)
                light[s] = light[same];
            else if (hit[s].kind == KIND_TERRAIN)
                light[s] = exposure_at(p, hit[s].at, hit[s].normal);
            else
                light[s] = (rv_exposure){1, 1};
        }
        float height = 1 - ((float)y + 0.5f) / (float)c->height;
        for (int s = 0; s < SAMPLES; s++) {
            seen *out = &p->seen[pixel * SAMPLES + (size_t)s];
            out->t = hit[s].t;
            out->colour = shade_found(p, &hit[s], ray[s], height, light[s]);
            p->kind[pixel * SAMPLES + (size_t)s] = (uint8_t)hit[s].kind;
        }
    }
}

static vec3 mean_seen(const rv_picture *p, size_t pixel)
{
    const seen *s = &p->seen[pixel * SAMPLES];
    vec3 c = add(add(s[0].colour, s[1].colour), add(s[2].colour, s[3].colour));
    return scale(c, 1.0f / SAMPLES);
}

// ---- Liquid ------------------------------------------------------------------------------------

// What a mirror of liquid shows in a direction: the room, or the terrain in rough light.
static vec3 reflected_at(const rv_picture *p, vec3 at, vec3 normal, vec3 ray)
{
    vec3 r = mirror(ray, normal), from = along(at, normal, 0.3f);
    if (r.z < 0.02f) r = unit(v3(r.x, r.y, 0.02f));
    float t0, t1;
    int side;
    const rv_field *f = &p->field;
    if (at.z < f->high + 1 && rv_field_clip(f, from, r, f->high + 1, &t0, &t1, &side)) {
        float t = rv_field_cast(f, from, r, 0.3f, t1);
        if (t < INFINITY) {
            vec3 q = along(from, r, t), n = rv_field_normal(f, q);
            rv_exposure x = {0.75f, 0.45f};
            return mul(rv_material_colour(p->now.material, &p->light, q),
                       rv_irradiance(&p->light, n, x));
        }
    }
    return rv_sky(&p->light, r);
}

// The terrain seen along the bent ray: looked up where the camera sees its end.
static vec3 bent_bed(const rv_picture *p, size_t pixel, int sample, vec3 end)
{
    int x, y;
    if (rv_camera_pixel(&p->now.camera, end, &x, &y)) {
        size_t other = (size_t)y * (size_t)p->now.camera.width + (size_t)x;
        bool ground = true;
        for (int s = 0; s < SAMPLES; s++)
            ground = ground && p->kind[other * SAMPLES + (size_t)s] == KIND_TERRAIN;
        float seen_at = p->seen[other * SAMPLES].t;
        vec3 d = sub(end, p->now.camera.eye);
        // Something in front of the bed there would shine through the liquid: keep the straight
        // ray.
        if (ground && seen_at > sqrtf(dot(d, d)) - 1.5f) return mean_seen(p, other);
    }
    return p->seen[pixel * SAMPLES + (size_t)sample].colour;
}

static vec3 shade_surface(const rv_picture *p, size_t pixel, int sample, vec3 ray,
                          const rv_liquid_hit *hit, float terrain_t)
{
    const rv_optics *o = &p->optics;
    vec3 at = along(p->now.camera.eye, ray, hit->t), n = hit->normal;
    float away = dot(n, ray);
    if (away > -0.04f) n = unit(along(n, ray, -away - 0.04f));
    float in = -dot(n, ray), bend = 1 / o->index;
    float below = sqrtf(1 - bend * bend * (1 - in * in));
    float straight = minf(terrain_t, hit->t + 4 * (hit->thick + 1)) - hit->t;
    // On a bed parallel to the surface the bent ray is shorter; and no longer than the columns are
    // deep.
    float path = minf(straight * in / below, hit->thick * maxf(n.z, 0.2f) / below);
    vec3 bent = along(scale(ray, bend), n, bend * in - below);
    vec3 bed = bent_bed(p, pixel, sample, along(at, bent, path));
    rv_exposure x = exposure_at(p, at, n);
    vec3 reflected = reflected_at(p, at, n, ray);
    // A wet bed sends less light back to the air; and the light came down through the liquid as
    // well.
    path += 0.35f * minf(hit->thick, straight);
    return rv_shade_liquid(o, &p->light, n, ray, path, scale(bed, WET), reflected, x);
}

static vec3 shade_cut(const rv_picture *p, const seen *behind, vec3 ray, const rv_liquid_hit *hit,
                      int side)
{
    vec3 n = face_normal(side, ray);
    float path = minf(minf(behind->t, hit->leave) - hit->t, 1e6f);
    // The bed at the foot of the cut is near, but its light came down through all that is above.
    path += 0.8f * hit->thick;
    rv_exposure x = {0.85f, 0.8f};
    vec3 r = mirror(ray, n);
    return rv_shade_liquid(&p->optics, &p->light, n, ray, path, behind->colour,
                           scale(rv_sky(&p->light, r), 0.5f), x);
}

// Liquid in the air, seen through. What is left of the light behind it comes back.
static vec3 shade_curtain(const rv_picture *p, vec3 ray, const rv_liquid_hit *hit, vec3 *through)
{
    const rv_optics *o = &p->optics;
    vec3 at = along(p->now.camera.eye, ray, hit->t), n = hit->normal;
    // It is torn into strands, not a pane: they are round, and face the eye more than it does.
    if (dot(n, ray) > 0) n = scale(n, -1);
    n = unit(sub(n, ray));
    float path = hit->thick / maxf(-dot(n, ray), 0.2f);
    *through = v3(expf(-o->extinction.x * path), expf(-o->extinction.y * path),
                  expf(-o->extinction.z * path));
    // Only as much of it mirrors as can be seen.
    float dense = 1 - minf(minf(through->x, through->y), through->z);
    vec3 dark = v3(0, 0, 0), mirrored = scale(rv_sky(&p->light, mirror(ray, n)), dense);
    // Shadows on what can hardly be seen are not worth their time.
    rv_exposure x = dense > 0.05f ? exposure_at(p, at, n) : (rv_exposure){0.75f, 0.5f};
    return rv_shade_liquid(o, &p->light, n, ray, path, dark, mirrored, x);
}

// How much of what is behind it a hit covers. Toward its end the liquid goes over into a dry bed:
// it has no depth there.
static float cover(const rv_picture *p, const rv_liquid_hit *hit)
{
    if (hit->cut) return 1;
    if (hit->falling) return hit->thick > 0.001f * p->opaque ? 1 : 0;
    return smooth(0, COATED * p->opaque, hit->thick);
}

// One ray of the frame. The kind of liquid it met comes back for the search of edges.
static vec3 draw_sample(const rv_picture *p, int x, int y, int sample, bool mean, uint8_t *met)
{
    const rv_camera *c = &p->now.camera;
    size_t pixel = (size_t)y * (size_t)c->width + (size_t)x;
    const seen *behind = &p->seen[pixel * SAMPLES + (size_t)sample];
    vec3 plain = mean ? mean_seen(p, pixel) : behind->colour, front = v3(0, 0, 0);
    int side;
    float t0, t1;
    vec3 left = v3(1, 1, 1); // share of what is behind that is still to be seen
    vec3 ray = rv_camera_ray(c, (float)x + OFFSET[sample][0], (float)y + OFFSET[sample][1]);
    *met = 0;
    if (p->kind[pixel * SAMPLES + (size_t)sample] == KIND_SIDE ||
        !rv_field_clip(&p->field, c->eye, ray, p->top, &t0, &t1, &side))
        return plain;
    t1 = minf(t1, behind->t);
    bool cut = side == 1 || side == 2;
    for (int n = 0; n < LAYERS; n++, cut = false) {
        rv_liquid_hit hit = rv_liquid_cast(&p->liquid, c->eye, ray, t0, t1, cut);
        if (!(hit.t < INFINITY)) break;
        float share = cover(p, &hit);
        t0 = hit.t + (hit.falling ? -0.5f : 0.5f) * RV_CURTAIN_GAP;
        if (share <= 0) continue;
        *met = hit.cut ? 2 : 1;
        vec3 through = v3(1 - share, 1 - share, 1 - share);
        vec3 one = hit.cut       ? shade_cut(p, behind, ray, &hit, side)
                   : hit.falling ? shade_curtain(p, ray, &hit, &through)
                                 : shade_surface(p, pixel, sample, ray, &hit, t1);
        front = add(front, mul(left, scale(one, share)));
        left = mul(left, through);
        if (maxf(maxf(left.x, left.y), left.z) < 0.01f) return front;
    }
    return add(front, mul(plain, left));
}

static void liquid_row(void *context, int y)
{
    rv_picture *p = context;
    int w = p->now.camera.width;
    for (int x = 0; x < w; x++) {
        size_t pixel = (size_t)y * (size_t)w + (size_t)x;
        p->colour[pixel] = draw_sample(p, x, y, 0, true, &p->liquid_at[pixel]);
    }
}

static bool differs(const rv_picture *p, size_t a, size_t b)
{
    if (p->liquid_at[a] == 0 && p->liquid_at[b] == 0) return false;
    // What counts is where the colour jumps.
    vec3 d = sub(p->colour[a], p->colour[b]), m = add(p->colour[a], p->colour[b]);
    float jump = fabsf(d.x) + fabsf(d.y) + fabsf(d.z);
    return jump > 0.06f * (m.x + m.y + m.z) + 0.01f;
}

static void finish_row(void *context, int y)
{
    rv_picture *p = context;
    int w = p->now.camera.width, h = p->now.camera.height;
    for (int x = 0; x < w; x++) {
        size_t pixel = (size_t)y * (size_t)w + (size_t)x;
        vec3 c = p->colour[pixel];
        bool edge = (x > 0 && differs(p, pixel, pixel - 1)) ||
                    (x + 1 < w && differs(p, pixel, pixel + 1)) ||
                    (y > 0 && differs(p, pixel, pixel - (size_t)w)) ||
                    (y + 1 < h && differs(p, pixel, pixel + (size_t)w));
        if (edge) {
            uint8_t met;
            c = v3(0, 0, 0);
            for (int s = 0; s < SAMPLES; s++) {
                vec3 one = draw_sample(p, x, y, s, false, &met);
                // A spark in one sample must not outshine the other three.
                c = add(c, v3(minf(one.x, 1.6f), minf(one.y, 1.6f), minf(one.z, 1.6f)));
            }
            c = scale(c, 1.0f / SAMPLES);
        }
        rv_encode(c, x, y, p->rgb + 3 * pixel);
    }
}

// ---- Frames ------------------------------------------------------------------------------------

rv_result rv_picture_create(const rv_world *world, rv_pool *pool, rv_picture **out)
{
    if (!out) return RV_BAD_ARGUMENT;
    *out = NULL;
    if (!world) return RV_BAD_ARGUMENT;
    rv_picture *p = calloc(1, sizeof *p);
    if (!p) return RV_OUT_OF_MEMORY;
    rv_result result = rv_field_build(&p->field, world, pool);
    if (result != RV_OK) {
        rv_picture_destroy(p);
        return result;
    }
    rv_world_info info;
    if (rv_world_get_info(world, &info) == RV_OK) p->changes = info.changes;
    p->first = p->field;
    p->first.d = NULL;
    *out = p;
    return RV_OK;
}

void rv_picture_destroy(rv_picture *p)
{
    if (!p) return;
    rv_field_free(&p->field);
    rv_liquid_free(&p->liquid);
    free(p->seen);
    free(p->kind);
    free(p->colour);
    free(p->liquid_at);
    free(p);
}

static bool take_pixels(rv_picture *p, size_t pixels)
{
    if (p->pixels == pixels) return true;
    free(p->seen);
    free(p->kind);
    free(p->colour);
    free(p->liquid_at);
    p->has_kept = false;
    p->seen = malloc(pixels * SAMPLES * sizeof *p->seen);
    p->kind = malloc(pixels * SAMPLES);
    p->colour = malloc(pixels * sizeof *p->colour);
    p->liquid_at = malloc(pixels);
    bool ok = p->seen && p->kind && p->colour && p->liquid_at;
    p->pixels = ok ? pixels : 0;
    return ok;
}

static bool same_view(const view *a, const view *b)
{
    const rv_camera *c = &a->camera, *d = &b->camera;
    vec3 e = sub(c->eye, d->eye), f = sub(c->forward, d->forward);
    return a->material == b->material && c->width == d->width && c->height == d->height &&
           c->sx == d->sx && c->sy == d->sy && dot(e, e) == 0 && dot(f, f) == 0;
}

// Samples the terrain again where it changed. The camera and the block that is drawn stay as they
// were, or they would jump with every solid that moves.
static rv_result follow_terrain(rv_picture *p, const rv_world *world, rv_pool *pool)
{
    rv_world_info info;
    rv_field fresh;
    if (rv_world_get_info(world, &info) != RV_OK || info.changes == p->changes) return RV_OK;
    rv_result result = rv_field_build(&fresh, world, pool);
    if (result != RV_OK) return result;
    fresh.floor = minf(fresh.floor, p->first.floor);
    rv_field_free(&p->field);
    p->field = fresh, p->changes = info.changes, p->has_kept = false;
    return RV_OK;
}

rv_result rv_picture_draw(rv_picture *p, const rv_world *world, rv_pool *pool, uint8_t *rgb,
                          int width, int height)
{
    const rv_params *params = world ? rv_world_params(world) : NULL;
    if (!p || !params || !rgb || width < 1 || height < 1 || width > SIZE_MAX_PX ||
        height > SIZE_MAX_PX)
        return RV_BAD_ARGUMENT;
    if (!take_pixels(p, (size_t)width * (size_t)height)) return RV_OUT_OF_MEMORY;
    rv_result result = follow_terrain(p, world, pool);
    if (result != RV_OK) return result;
    result = rv_liquid_update(&p->liquid, world);
    if (result != RV_OK) return result;
    p->now.camera = rv_camera_of(params, &p->first, width, height);
    p->now.material = params->view_material;
    p->light = rv_light_of(params, &p->field);
    p->optics = rv_optics_of(params);
    p->opaque = (float)(params->view_opaque / params->grid_dx);
    p->top = maxf(p->field.high + 1, p->liquid.high + 0.01f);
    p->rgb = rgb;
    if (!p->has_kept || !same_view(&p->now, &p->kept))
        rv_parallel_for(pool, height, terrain_row, p);
    p->kept = p->now, p->has_kept = true;
    rv_parallel_for(pool, height, liquid_row, p);
    rv_parallel_for(pool, height, finish_row, p);
    return RV_OK;
}

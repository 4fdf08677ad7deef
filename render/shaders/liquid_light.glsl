// Light in a pixel of liquid: what it mirrors of the room, what is seen through it, and what it throws back itself.
#include light
#include layer
#ifdef BODIES
#include bodies
#endif
#include foam
uniform sampler2D scene;
#ifndef SECOND
uniform sampler2D second;
#endif

// What lies behind, at a place of the picture; `further`: how much of liquid further behind is seen.
vec3 behind(vec2 uv, float further)
{
    vec3 c = unkeep(textureLod(scene, uv, 0.0).rgb);
#ifndef SECOND
    if (meniscus.z > 1.5) {
        vec4 other = textureLod(second, uv, 0.0);
        c = mix(c, unkeep(other.rgb / max(other.a, 1e-3)), other.a * further);
    }
#endif
    return c;
}

// How far a point is behind what the picture shows there; positive: hidden.
float hidden_by(vec3 at, out vec2 uv)
{
    vec4 there = to_picture * vec4(at, 1.0);
    uv = 0.5 + 0.5 * there.xy / there.w;
    return there.w - ahead(textureLod(scene_depth, uv, 0.0).r);
}

// How far the nearest of the pixels around a place of the picture is.
float nearest_around(vec2 uv)
{
    vec2 by = 1.25 * picture.zw, other = vec2(by.x, -by.y);
    float a = min(textureLod(scene_depth, uv + by, 0.0).r, textureLod(scene_depth, uv - by, 0.0).r);
    return ahead(min(a, min(textureLod(scene_depth, uv + other, 0.0).r, textureLod(scene_depth, uv - other, 0.0).r)));
}

// What the surface mirrors of the scene itself, as far as the picture shows it; alpha: how sure that is. Steps grow
// until the ray is behind something, then it is halved down to where it went in, and the last bit goes by how far both
// ends are from it: places in whole steps would be rings. Steps are shorter where less of the scene is in the picture.
// Not looked for where it does not count.
vec4 scene_mirrored(vec3 r, bool counts)
{
    float wide = 2.0 * up.w * dot(s.p - eye.xyz, forward.xyz), whole = min(forward.w, 1.5 * wide);
    float stride = 0.016 * whole, clear = 0.0, reach = stride, by = -1.0, before = -1.0;
    vec2 uv;
    int steps = counts ? 8 : 0;
    for (int k = 0; k < steps; k++) {
        by = hidden_by(s.p + r * reach, uv);
        if (by > 0.0) break;
        clear = reach, before = by;
        stride *= 1.5;
        reach += stride;
    }
    if (by <= 0.0) return vec4(0.0);
    for (int k = 0; k < 4; k++) {
        float middle = 0.5 * (clear + reach), there = hidden_by(s.p + r * middle, uv);
        if (there > 0.0) reach = middle, by = there;
        else clear = middle, before = there;
    }
    // How many pixels are between places that pixels beside one another meet, by how the normal turns from one to the
    // next: where there are many it is no picture, only specks. All the more where the ray goes in at a grazing angle.
    float into = clamp((by - before) / max(reach - clear, 1e-6), 0.05, 1.0);
    reach = mix(clear, reach, clamp(before / (before - by), 0.0, 1.0));
    float jump = 1.25 * max(s.spread - 0.02, 0.0) * reach / (into * wide * picture.w);
    hidden_by(s.p + r * reach, uv);
    // What it shows is its near side, not the one that is mirrored, which is darker: so not all of it.
    // By more than the last bit of the way: it passed behind a thing, and what it met is not in the picture; most likely
    // that thing's far side, which is darker still.
    float past = smoothstep(0.3, 3.0, by / (0.02 * whole)), sure = mix(0.45, 0.3 * (1.0 - smoothstep(0.1, 0.4, reach / whole)), past);
    sure *= 1.0 - smoothstep(2.0, 8.0, jump);
    // Down in the liquid the picture has the bed, which is not mirrored.
    if (s.kind < 0.5) sure *= smoothstep(-0.5, -0.1, r.z * reach);
    vec2 rim = smoothstep(vec2(0.0), vec2(0.08), min(uv, 1.0 - uv));
    vec3 c = unkeep(textureLod(scene, clamp(uv, 0.0, 1.0), 0.0).rgb) * mix(1.0, 0.5, past);
    return vec4(c, sure * rim.x * rim.y);
}

// What a rim that is steep or hangs over mirrors: the bed beside it, where the ray comes down to it, and the darker the
// nearer it is to where the liquid stands on it. Alpha: how sure that is; not where the picture shows something else.
vec4 bed_mirrored(vec3 r, float deep)
{
    vec2 uv;
    float down = -r.z, by = hidden_by(s.p + r * min(deep / max(down, 0.05), 8.0), uv);
    float sure = s.near * smoothstep(-0.05, 0.3, down) * (1.0 - smoothstep(0.7, 2.0, abs(by)));
    vec2 rim = smoothstep(vec2(0.0), vec2(0.05), min(uv, 1.0 - uv));
    vec3 c = unkeep(textureLod(scene, clamp(uv, 0.0, 1.0), 0.0).rgb) * mix(0.35, 1.0, smoothstep(0.0, 2.0, deep));
    return vec4(c, s.kind < 0.5 ? sure * rim.x * rim.y : 0.0);
}

#ifdef BODIES
// How far the bent ray goes until it meets what the picture shows, at most so far: bodies stand free in the liquid, and
// what is seen of them straight ahead is not what is seen through the surface. What it passes behind is not met.
float met_after(vec3 inside, float longest)
{
    const int STEPS = 14;
    float pace = longest / float(STEPS), clear = 0.0;
    bool behind_it = false;
    vec2 uv;
    for (int k = 1; k <= STEPS; k++) {
        float reach = pace * float(k), by = hidden_by(s.p + inside * reach, uv);
        bool crosses = by > 0.0 && !behind_it;
        behind_it = by > 0.0;
        for (int i = 0; i < 6 && crosses; i++) {
            float middle = 0.5 * (clear + reach), other = hidden_by(s.p + inside * middle, uv);
            if (other > 0.0) reach = middle, by = other;
            else clear = middle;
        }
        if (crosses && by < 0.02 * forward.w) return reach;
        clear = pace * float(k);
    }
    return longest;
}

// As hidden_by, of the nearest of the pixels around.
float hidden_around(vec3 at, out vec2 uv)
{
    vec4 there = to_picture * vec4(at, 1.0);
    uv = 0.5 + 0.5 * there.xy / there.w;
    vec2 beside = 1.5 * picture.zw;
    float near = min(textureLod(scene_depth, uv + beside, 0.0).r, textureLod(scene_depth, uv - beside, 0.0).r);
    beside.y = -beside.y;
    near = min(near, min(textureLod(scene_depth, uv + beside, 0.0).r, textureLod(scene_depth, uv - beside, 0.0).r));
    return there.w - ahead(near);
}

// Where a body stands before the ray's end, the picture does not have it: the nearest place to the left or right that it has
// serves, if it shows the same bed. How far the end is behind what is taken.
float unhide(vec3 end, inout vec2 uv)
{
    float by = hidden_around(end, uv);
    for (int k = 1; k <= 8 && by > 0.03 * forward.w; k++) {
        vec2 other;
        float far = float((k + 1) / 2), side = (0.012 + 0.008 * far) * far * forward.w * (k % 2 == 0 ? 1.0 : -1.0);
        float there = hidden_around(end + right.xyz * side, other);
        if (abs(there) < 0.015 * forward.w) by = there, uv = other;
    }
    return by;
}
#endif

// Beyond the picture nothing is known: a place there is drawn toward the pixel that asks, the more the farther out it is,
// so that there is no line where the picture is bent no more. At the picture's edge half of the room to it is left, or the
// last rows of the bed would be drawn out to stripes. `exact`: what is well inside stays where it is.
vec2 within_picture(vec2 uv, vec2 beside, bool exact)
{
    vec2 off = beside - uv, room = max(mix(uv, 1.0 - uv, step(0.0, off)) - 0.002, 1e-4), q = off / (0.55 * room);
    float far = max(q.x * q.x, q.y * q.y);
    far *= far;
    return uv + off * (exact ? inversesqrt(sqrt(sqrt(1.0 + far * far))) : inversesqrt(sqrt(1.0 + far)));
}

#ifndef SECOND
// A stream is a lens: what is behind it is seen upside down across it, as through a rod of glass. It is as thick as its
// mesh says, and where it is narrow its axis hangs.
vec3 through_stream(vec2 uv)
{
    vec3 ray = normalize(s.p - eye.xyz), d = s.d, axis = normalize(vec3(1e-3, 0.0, 1.0) - d * d.z);
    float radius = 0.55 * max(s.deep, 0.1), cosine = clamp(-dot(d, ray), 0.0, 1.0);
    vec3 inside = refract(ray, d, 1.0 / fade.w), level = inside - axis * dot(inside, axis);
    float way = 2.0 * radius * max(-dot(level, d), 0.0) / max(dot(level, level), 0.05);
    vec3 end = s.p + inside * way, other = end - s.p + radius * d;
    other = normalize(other - axis * dot(other, axis) + 1e-4 * d);
    vec3 leaving = refract(inside, -other, fade.w);
    if (dot(leaving, leaving) < 0.5) leaving = reflect(inside, -other);
    vec4 there = to_picture * vec4(end + leaving * 0.12 * forward.w, 1.0);
    vec2 seen_at = clamp(0.5 + 0.5 * there.xy / there.w, 0.0, 1.0);
    // Liquid behind it is known only straight ahead: what that makes of the bed there it makes of the bed beside it too.
    vec3 seen = unkeep(textureLod(scene, seen_at, 0.0).rgb);
    if (meniscus.z > 1.5) {
        vec4 wet = textureLod(second, uv, 0.0);
        vec3 bed_ahead = unkeep(textureLod(scene, uv, 0.0).rgb);
        seen *= mix(vec3(1.0), clamp(unkeep(wet.rgb / max(wet.a, 1e-3)) / max(bed_ahead, vec3(1e-3)), 0.0, 1.5), wet.a);
    }
    seen = mix(seen, mirrored(leaving, 0.05), smoothstep(-0.1, 0.3, leaving.z));
    vec3 through, thrown;
    layer(way, through, thrown);
    float lit = textureLod(scene, uv, 0.0).a;
    vec3 light = sky_light(d) + key_light.rgb * max(dot(d, key.xyz), 0.0) * lit;
    float f = back.w + (1.0 - back.w) * pow(1.0 - cosine, 5.0);
    return mix(seen * through + 0.5 * thrown * light, without_lamp(mirrored(reflect(ray, d), s.spread), lit), f);
}
#endif

vec4 liquid_colour(vec2 uv)
{
#ifndef SECOND
    if (s.kind > 2.5) return vec4(keep(mix(behind(uv, 1.0), through_stream(uv), s.share)), 1.0 - 0.1 * s.kind);
#endif
    vec3 p = s.p, d = s.d, ray = normalize(p - eye.xyz);
    float cosine = clamp(-dot(d, ray), 0.0, 1.0), way = s.way, deep = s.deep;
    vec3 inside = refract(ray, d, 1.0 / fade.w);
#ifdef BODIES
    float longest = deep / max(-inside.z, 0.3);
    // Where neither the bent nor the straight ray nor the view of its end comes near a body, all is as without. Nothing
    // swims in a film.
    bool close = s.kind < 0.5 && longest > 1.5 &&
                 (toward_bodies(p, inside, 2.0) || toward_bodies(p, ray, 2.0) ||
                  toward_bodies(eye.xyz, p + inside * longest - eye.xyz, 2.0));
    // It meets a body where that is, as far as bodies are listed; else what the picture shows. The depth is that under the
    // surface here: where the bed falls the ray goes on.
    vec3 body_seen;
    float body_way = close ? body_met(p, inside, 1.4 * longest, body_seen) : 0.0;
    if (close) {
        float met = body_way > 0.0 ? body_way : near_bodies.y > 0 ? met_after(inside, 1.4 * longest) : longest;
        way = met < 1.395 * longest ? met : longest;
    }
#endif

    // What is under it, seen where the bent ray comes out; not if that place is nearer than the liquid itself.
#ifdef BODIES
    vec3 end = s.kind > 1.5 && s.kind < 2.5 ? p : body_way > 0.0 ? body_seen : p + inside * way;
#else
    vec3 end = s.kind > 1.5 && s.kind < 2.5 ? p : p + inside * min(way, 0.25 * forward.w);
#endif
    vec4 there = to_picture * vec4(end, 1.0);
    vec2 beside = 0.5 + 0.5 * there.xy / there.w;
#ifdef BODIES
    float by = close && body_way <= 0.0 ? unhide(end, beside) : 0.0;
    beside = within_picture(uv, beside, close);
#else
    beside = within_picture(uv, beside, false);
#endif
    float own = dot(p - eye.xyz, forward.xyz);
    // Pixels along the edge of what stands before the liquid have part of its colour: they are no bed either.
    float bed = ahead(textureLod(scene_depth, beside, 0.0).r), good = smoothstep(-0.1, 0.3, min(bed, nearest_around(beside)) - own);
    // Over its own bed a wave is not looked through at liquid behind it, which would be a dark line along its crest.
    float further = s.kind < 0.5 ? smoothstep(1.0, 3.0, bed - dot(end - eye.xyz, forward.xyz)) : 1.0;
    // At the foot of a stream the surface behind its near side is the one that it lands on, inside it.
    if (s.kind > 2.5) further = smoothstep(1.0, 2.5, (bed - own) / max(deep, 0.5));
#ifdef BODIES
    good *= 1.0 - smoothstep(0.03, 0.05, by / forward.w);
#endif
    vec3 dry = behind(uv, 1.0), below = behind(mix(uv, beside, good), further);

    float seen = textureLod(scene, uv, 0.0).a;
#ifdef BODIES
    seen *= past_bodies(p, d);
#endif
    vec3 through, thrown, down, unused;
    layer(way, through, thrown);
#ifdef BODIES // light goes down to what is seen, which need not be the bed
    layer(s.kind > 0.5 ? deep : min(deep, way * max(-inside.z, 0.3)), down, unused);
#else
    layer(deep, down, unused);
#endif
    vec3 light = sky_light(d) + key_light.rgb * max(dot(d, key.xyz), 0.0) * seen;
    float f = fade.w > 1.0 ? back.w + (1.0 - back.w) * pow(1.0 - cosine, 5.0) : 0.0;
    // What faces away, at the far side of a lip, is no mirror that is looked along: it would be a bright shard.
    f = mix(f, min(f, back.w), smoothstep(0.05, 0.35, s.turned));
    vec3 r = reflect(ray, d);
    // Down behind the crest of a wave it mirrors more of the liquid, not the floor of the room.
    float up = s.kind < 0.5 ? mix(smoothstep(-0.35, 0.05, r.z), 1.0, s.near) : 1.0;
    vec4 bed_seen = bed_mirrored(r, deep);
    r.z = max(r.z, -0.2);
    r = normalize(r);
    vec3 body = out_of(below * down * through + thrown * light);
    vec3 shine = mix(body, without_lamp(mirrored(r, s.spread), seen), up);
#ifndef SECOND
    // A rough surface blurs it away.
    float clear = 1.0 - smoothstep(0.03, 0.35, s.spread);
    vec4 other = scene_mirrored(r, clear > 0.0 && (s.kind < 0.5 || s.kind > 1.5)); // falls would have specks of it
    shine = mix(shine, other.rgb, other.a * clear);
#endif
    shine = mix(shine, bed_seen.rgb, bed_seen.a);

    vec3 c = mix(body, shine, f);
    if (wet.x > 0.5) { // there is foam
        vec4 white = foam_on(textureLod(froth, p.xy / block.xy, 0.0).r, p.xy, light);
        c = mix(c, white.rgb, white.a);
    }
    c = mix(dry, c, s.share);
#ifdef SECOND
    return vec4(keep(c), 1.0);
#else
    return vec4(keep(c), 1.0 - 0.1 * s.kind); // the kind of face, for its edges
#endif
}

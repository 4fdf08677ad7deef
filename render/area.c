// Which part of the picture has something over the solids: the boxes of liquid, droplets, beads and
// a tool's ring as the camera sees them. Copies of depths, clearing, and the mean over samples are
// kept to it, so that what is dry costs nothing.
#include "render/renderer_parts.h"

#include <math.h>
#include <string.h>

// A box in cells; none while low > high.
typedef struct box {
    vec3 low, high;
} box;

void rv_area_whole(const rv_picture_frame *f, int area[4])
{
    memcpy(area, (int[4]){0, 0, f->width, f->height}, 4 * sizeof *area);
}

void rv_area_join(int area[4], const int other[4])
{
    if (other[2] <= 0 || other[3] <= 0) return;
    if (area[2] <= 0 || area[3] <= 0) memcpy(area, other, 4 * sizeof *area);
    for (int a = 0; a < 2; a++) {
        int from = area[a] < other[a] ? area[a] : other[a];
        int end = area[a] + area[2 + a], other_end = other[a] + other[2 + a];
        area[a] = from, area[2 + a] = (end > other_end ? end : other_end) - from;
    }
}

// Where a box may be seen, and some pixels more: what its edges look up, and what is drawn larger
// than it is for being small. All of the picture if a corner is behind the eye.
static void add_box(const rv_renderer *r, const rv_eye *eye, const box *b, int margin, int area[4])
{
    float lo[2] = {1e9f, 1e9f}, hi[2] = {-1e9f, -1e9f};
    int own[4];
    for (int n = 0; n < 8; n++) {
        vec3 d = sub(v3(n & 1 ? b->low.x : b->high.x, n & 2 ? b->low.y : b->high.y,
                        n & 4 ? b->low.z : b->high.z),
                     eye->at);
        float z = dot(d, eye->forward);
        if (!(z >= eye->near)) {
            rv_area_whole(&r->frame, area);
            return;
        }
        const float at[2] = {0.5f + 0.5f * dot(d, eye->right) / (z * eye->sx),
                             0.5f + 0.5f * dot(d, eye->up) / (z * eye->sy)};
        for (int a = 0; a < 2; a++) lo[a] = minf(lo[a], at[a]), hi[a] = maxf(hi[a], at[a]);
    }
    const int size[2] = {r->frame.width, r->frame.height};
    for (int a = 0; a < 2; a++) {
        int from = (int)(clamp(lo[a], 0, 1) * (float)size[a]) - margin;
        int to = (int)(clamp(hi[a], 0, 1) * (float)size[a]) + margin + 1;
        own[a] = from > 0 ? from : 0;
        own[2 + a] = (to < size[a] ? to : size[a]) - own[a];
    }
    rv_area_join(area, own);
}

static void grow(box *b, vec3 at, float aside, float down, float up)
{
    b->low =
        v3(minf(b->low.x, at.x - aside), minf(b->low.y, at.y - aside), minf(b->low.z, at.z - down));
    b->high = v3(maxf(b->high.x, at.x + aside), maxf(b->high.y, at.y + aside),
                 maxf(b->high.z, at.z + up));
}

static box liquid_box(const rv_sheet *s)
{
    const float one = 1; // a cell: its ends at the grid's sides
    return (box){v3(s->low.x - one, s->low.y - one, s->low.z - s->deepest - one),
                 v3(s->high.x + one, s->high.y + one, s->high.z + one)};
}

// What the liquid may throw a shadow on: as far as the lamp's light goes from its top to the floor.
static box shadow_box(const rv_renderer *r, const box *b)
{
    const float *key = r->numbers.key;
    float far = maxf(b->high.z - r->extent.floor, 0) / key[2];
    vec3 aside = v3(-far * key[0], -far * key[1], 0);
    vec3 edge = v3(r->extent.wide, r->extent.deep, 0); // nothing is shaded beside the block
    box s = {v3(maxf(b->low.x + minf(aside.x, 0), -1), maxf(b->low.y + minf(aside.y, 0), -1),
                r->extent.floor),
             v3(minf(b->high.x + maxf(aside.x, 0), edge.x + 1),
                minf(b->high.y + maxf(aside.y, 0), edge.y + 1), b->high.z)};
    return s;
}

// How far a droplet is seen from its middle, as drop_vertex.glsl draws it out: half of its way
// while the picture is taken, at most so many whole radii. What has foam is drawn with the whole
// picture.
static float drop_reach(const rv_renderer *r, const float ball[8])
{
    float speed = sqrtf(dot(v3(ball[4], ball[5], ball[6]), v3(ball[4], ball[5], ball[6])));
    float way = 0.5f * speed * r->numbers.wet[2];
    return minf(way, floorf(ball[7]) * ball[3]) + 1.5f * ball[3];
}

// Droplets and beads are drawn on squares whose corners are half as far again from the middle.
static box drops_box(const rv_renderer *r)
{
    box b = {v3(1e9f, 1e9f, 1e9f), v3(-1e9f, -1e9f, -1e9f)};
    for (int n = 0; n < r->drops.count; n++) {
        const float *ball = r->drops.ball[n];
        float reach = drop_reach(r, ball);
        grow(&b, v3(ball[0], ball[1], ball[2]), reach, reach, reach);
    }
    for (int n = 0; n < r->beads.count; n++) {
        const rv_bead_piece *p = &r->beads.piece[n];
        float reach = 1.8f * maxf(p->radius, 0.5f * (p->down + p->up));
        grow(&b, v3(p->at[0], p->at[1], p->at[2]),
             p->wide > 0 ? fmaxf(p->wide, 2 * p->radius) : reach, p->down + reach, p->up + reach);
    }
    return b;
}

static void find(const rv_renderer *r, const rv_params *p, const rv_eye *eye, int area[4])
{
    memset(area, 0, 4 * sizeof *area);
    if (p->view_mode != RV_VIEW_SHADED || r->frame.fresh || r->box.there) {
        rv_area_whole(&r->frame, area);
        return;
    }
    if (r->sheet.index_count > 0) {
        box b = liquid_box(&r->sheet);
        add_box(r, eye, &b, 3, area);
        if (rv_gather_wanted(r, p)) {
            b = shadow_box(r, &b);
            add_box(r, eye, &b, 3, area);
        }
    }
    if (r->drops.count > 0 || r->beads.count > 0) {
        box b = drops_box(r);
        add_box(r, eye, &b, 6, area);
    }
    if (r->dew.count > 0) {
        box b = {r->dew.low, r->dew.high};
        add_box(r, eye, &b, 6, area);
    }
    if (r->mark.shown) {
        const rv_mark *m = &r->mark;
        vec3 at = rv_extent_cells(&r->extent, m->at.x, m->at.y, m->at.z);
        float reach = 1.1f * (float)(m->radius / r->extent.dx);
        box b = {at, at};
        grow(&b, at, reach, reach, reach);
        add_box(r, eye, &b, 6, area);
    }
}

void rv_area_limit(rv_renderer *r, const rv_params *p, const rv_eye *eye, int both[4])
{
    int area[4];
    find(r, p, eye, area);
    memcpy(both, area, sizeof area);
    rv_area_join(both, r->area_before);
    memcpy(r->area_before, area, sizeof area);
    glEnable(GL_SCISSOR_TEST);
    glScissor(both[0], both[1], both[2] > 0 ? both[2] : 0, both[3] > 0 ? both[3] : 0);
}

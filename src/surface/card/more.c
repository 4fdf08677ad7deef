// Droplets that are part of the mesh (blobs.h) fly on the processor: their vertices and triangles
// are sent, and stand in the card's buffers behind those of columns.
#include "surface/card/card.h"

#include <string.h>

static float *room_for(rv_card_sheet *c, size_t words)
{
    if (c->more_room < words) {
        rv_free(&c->allocator, c->more_part, c->more_room, sizeof *c->more_part);
        c->more_room = words + words / 2;
        c->more_part = rv_new(&c->allocator, c->more_room, sizeof *c->more_part);
        if (!c->more_part) c->more_room = 0;
    }
    if (!c->more_part) rv_card_sheet_fail(c, RV_OUT_OF_MEMORY);
    return c->more_part;
}

// Vertices before them.
static size_t first_of(const rv_card_sheet *c)
{
    return (size_t)c->status[RV_SHEET_INSIDE] + c->status[RV_SHEET_OTHERS];
}

// An array of the mesh, `wide` floats a vertex and `before` floats a vertex behind its beginning.
static void send_part(rv_card_sheet *c, size_t before, size_t wide, const float *from)
{
    const rv_sheet_constants *k = &c->constants;
    size_t first = before * k->vertices + wide * first_of(c);
    rv_card_sheet_send(c, RV_SHEET_MESH, 4 * first, from, 4 * wide * k->more);
}

// The same four floats, of which `wide` count, for all.
static void send_same(rv_card_sheet *c, size_t before, size_t wide, float value)
{
    size_t count = c->constants.more;
    float *same = room_for(c, wide * count);
    if (!same) return;
    memset(same, 0, 4 * wide * count);
    for (size_t n = 0; n < count; n++) same[wide * n] = value;
    send_part(c, before, wide, same);
}

static void send_corners(rv_card_sheet *c)
{
    size_t count = 3 * (size_t)c->more->triangles;
    uint32_t first = (uint32_t)first_of(c), *corner = (uint32_t *)(void *)room_for(c, count);
    if (!corner) return;
    for (size_t n = 0; n < count; n++) corner[n] = first + c->more->indices[n];
    rv_card_sheet_send(c, RV_SHEET_INDEX, 12 * (size_t)c->status[RV_SHEET_TRIANGLES], corner,
                       4 * count);
}

void rv_card_sheet_send_more(rv_card_sheet *c)
{
    const rv_blob_work *m = c->more;
    if (c->constants.more == 0 || c->trouble != RV_OK) return;
    send_part(c, 0, 3, m->positions);
    send_part(c, 3, 3, m->normals);
    send_part(c, 6, 1, m->depth);
    send_part(c, 7, 3, m->velocity);
    send_same(c, 10, 4, c->constants.length); // no contact is near
    send_same(c, 14, 1, 0.0f);
    send_same(c, 15, 1, RV_BLOB_DROP);
    send_corners(c);
}

// Bodies in a grid whose rows are shared out among processes (base/cut.h, docs/scale.md). Every
// rank has all bodies and moves all of them alike. What the liquid and the solid do to one is
// worked out by the rank that owns the row of its middle, its home, which keeps all rows that it
// reaches into, with the code and in the order of one process; the others are told. What bodies do
// to the liquid each rank works out for the columns that it keeps.
#include "bodies/bodies.h"

#include <string.h>

bool rv_bodies_find_homes(rv_bodies *b, const rv_grid *g)
{
    if (!b->cut) return true;
    if (!rv_array_grow(&b->allocator, &b->home, &b->home_room, b->count, sizeof *b->home))
        return false;
    for (int i = 0; i < b->count; i++) {
        double y = floor((b->body[i].state.at.y - g->y0) / g->dx);
        b->home[i] = rv_cut_owner(b->cut, (int)fmin(fmax(y, 0), g->ny - 1));
    }
    return true;
}

bool rv_body_is_home(const rv_bodies *b, int index)
{
    return !b->cut || b->home[index] == b->cut->ranks->rank;
}

// ---- What the liquid does -----------------------------------------------------------------------

// What a body remembers, and what a substep gives it.
typedef struct told {
    double ambient, remembered;
    int32_t covers;
    uint8_t afloat, touches;
    rv_vec3 force, torque, flow, drag, drag_turn;
    double stiffness, turning, heave, ease, slowed, immersed, mid, flow_mass, pierced, slam;
} told;

static told tell(const rv_bodies *b, int i)
{
    const rv_body *body = &b->body[i];
    const rv_body_work *w = &b->work[i];
    told t;
    memset(&t, 0, sizeof t);
    t.ambient = body->ambient, t.remembered = body->immersed, t.afloat = body->afloat;
    t.covers = w->covers, t.touches = w->touches;
    t.force = w->force, t.torque = w->torque, t.flow = w->flow;
    t.drag = w->drag, t.drag_turn = w->drag_turn;
    t.stiffness = w->stiffness, t.turning = w->turning, t.heave = w->heave, t.ease = w->ease;
    t.slowed = w->slowed, t.immersed = w->immersed, t.mid = w->mid;
    t.flow_mass = w->flow_mass, t.pierced = w->pierced, t.slam = w->slam;
    return t;
}

static void hear(rv_bodies *b, int i, const told *t)
{
    rv_body *body = &b->body[i];
    rv_body_work *w = &b->work[i];
    body->ambient = t->ambient, body->immersed = t->remembered, body->afloat = t->afloat;
    w->touches = t->touches;
    w->force = t->force, w->torque = t->torque, w->flow = t->flow;
    w->drag = t->drag, w->drag_turn = t->drag_turn;
    w->stiffness = t->stiffness, w->turning = t->turning, w->heave = t->heave, w->ease = t->ease;
    w->slowed = t->slowed, w->immersed = t->immersed, w->mid = t->mid;
    w->flow_mass = t->flow_mass, w->pierced = t->pierced, w->slam = t->slam;
}

bool rv_bodies_agree(rv_bodies *b)
{
    if (!b->cut) return b->linked > 0;
    told *all = rv_cut_room(b->cut, 0, ((size_t)b->count + 1) * sizeof *all);
    bool any = false;
    if (!all) return false;
    for (int i = 0; i < b->count; i++) all[i] = tell(b, i);
    rv_cut_agree(b->cut, b->home, b->count, all, sizeof *all);
    b->pressed = (rv_rect){0, 0, 0, 0};
    for (int i = 0; i < b->count; i++) {
        hear(b, i, &all[i]);
        if (!b->work[i].here || all[i].covers == 0) continue;
        any = true;
        b->pressed = rv_rect_join(b->pressed, b->work[i].cells);
    }
    return any;
}

// ---- What the solid does ------------------------------------------------------------------------

typedef struct met {
    int32_t body;
    rv_vec3 at, normal;
    double gap;
} met;

void rv_bodies_share_contacts(rv_bodies *b, int first, int *count)
{
    size_t n = (size_t)(b->contact_count - first), all = 0;
    met *own = rv_cut_room(b->cut, 0, (n + 1) * sizeof *own);
    b->contact_count = first, *count = 0;
    if (!own) return;
    memset(own, 0, n * sizeof *own);
    for (size_t i = 0; i < n; i++) {
        const rv_body_contact *c = &b->contact[(size_t)first + i];
        own[i].body = c->a, own[i].at = c->at, own[i].normal = c->normal, own[i].gap = c->gap;
    }
    const unsigned char *found = rv_cut_collect(b->cut, own, n * sizeof *own, false);
    if (!found) return;
    for (int k = 0; k < b->cut->ranks->count; k++) all += b->cut->sizes[k] / sizeof *own;
    if (!rv_array_grow(&b->allocator, &b->contact, &b->contact_room, first + (int64_t)all,
                       sizeof *b->contact)) {
        b->failed = b->cut->lost = true; // the others have it, and this one cannot go on
        return;
    }
    for (size_t i = 0; i < all; i++) {
        met m;
        memcpy(&m, found + i * sizeof m, sizeof m);
        b->contact[(size_t)first + i] =
            (rv_body_contact){.a = m.body, .b = -1, .at = m.at, .normal = m.normal, .gap = m.gap};
    }
    *count = (int)all;
}

// ---- What they do to the liquid -----------------------------------------------------------------

bool rv_bodies_share_pushes(rv_bodies *b, rv_on_body_push *each, void *user)
{
    rv_cut *cut = b->cut;
    size_t at = 0;
    const unsigned char *all =
        rv_cut_collect(cut, b->push, (size_t)b->push_count * sizeof *b->push, false);
    b->push_count = 0;
    if (!all) return false;
    for (int k = 0; k < cut->ranks->count; k++) {
        cut->places[k] = at;
        at += cut->sizes[k], cut->sizes[k] = at;
    }
    for (int i = 0; i < b->count; i++) { // each rank's are in the order of bodies
        int home = b->home[i];
        while (cut->places[home] < cut->sizes[home]) {
            rv_body_push p;
            memcpy(&p, all + cut->places[home], sizeof p);
            if (p.body != i) break;
            cut->places[home] += sizeof p;
            each(user, &p);
        }
    }
    return true;
}

bool rv_bodies_note_push(rv_bodies *b, const rv_body_push *push)
{
    if (!rv_array_grow(&b->allocator, &b->push, &b->push_room, (int64_t)b->push_count + 1,
                       sizeof *b->push)) {
        b->cut->lost = true;
        return false;
    }
    b->push[b->push_count++] = *push;
    return true;
}

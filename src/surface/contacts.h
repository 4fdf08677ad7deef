// What contacts.c and meniscus.c share: one update of the meniscus field, as its tasks see it.
#ifndef RV_SURFACE_CONTACTS_H
#define RV_SURFACE_CONTACTS_H

#include "surface/surface.h"

typedef struct rv_spread {
    const rv_surface_pass *p;
    rv_meniscus *m;
    rv_surface_work *w;
    float length, reach; // m; half a cell more, for the slopes of the last columns
    float ring, least;   // m, m²: end of the ring in work; square of the least distance in it
    float alpha;         // rad
    int first, step;     // of tasks, as rv_surface_pass
} rv_spread;

static inline rv_surface_band *rv_spread_band(const rv_spread *s, int task)
{
    return &s->w->band[s->first + task * s->step];
}

static inline rv_contact *rv_contact_of(const rv_spread *s, uint32_t vertex)
{
    return &s->m->contacts[vertex - s->m->first];
}

static inline bool rv_is_contact(const rv_spread *s, uint32_t vertex)
{
    return vertex >= s->m->first && rv_contact_of(s, vertex)->kind > 0.0f;
}

static inline uint32_t rv_contact_key(const rv_spread *s, uint32_t vertex)
{
    return rv_contact_of(s, vertex)->key;
}

static inline float rv_square_to(const rv_contact *c, float x, float y)
{
    return (c->x - x) * (c->x - x) + (c->y - y) * (c->y - y);
}

static inline void rv_set_field(const rv_spread *s, uint32_t vertex, float distance, float x,
                                float y, float tilt)
{
    float *to = s->m->field + 4 * (size_t)vertex;
    to[0] = distance, to[1] = x, to[2] = y, to[3] = tilt;
}

// Finds the contacts, their places, directions and angles, and the columns that begin with one.
void rv_meniscus_find_contacts(rv_spread *s);

#endif

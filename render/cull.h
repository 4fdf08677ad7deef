// Chooses, out of very many triangles of liquid in the card's memory, those that can be seen: where
// most are smaller than a pixel most have no sample in them, and what is under other layers is
// hidden. What is drawn of the chosen is what would be drawn of all.
#ifndef RENDER_CULL_H
#define RENDER_CULL_H

#include "render/kernels.h"
#include "render/sheet.h"

// What they are chosen for.
typedef enum rv_cull_way {
    RV_CULL_PICTURE,   // one sample a pixel
    RV_CULL_SAMPLES,   // all samples
    RV_CULL_LAMP,      // the map of the lamp's light
    RV_CULL_LAMP_BENT, // and where bent light ends
} rv_cull_way;

enum { RV_CULL_LEAST = 1 << 18, RV_CULL_SAMPLES_MOST = 16 };

typedef struct rv_cull {
    GLuint test, scan, write; // kernels
    GLuint chosen, work;      // buffers: corners; draws and counts
    size_t chosen_bytes, work_bytes;
    size_t least; // fewer triangles are drawn as they are; 0: RV_CULL_LEAST
    bool cannot;
    float sample_at[RV_CULL_SAMPLES_MOST][2]; // within a pixel
    int samples;                              // of these; 0: not known
} rv_cull;

// Whether a sheet has so many that choosing pays.
bool rv_cull_pays(const rv_cull *cull, const rv_kernels *kernels, const rv_sheet *sheet);
// Chooses; `window`: the part that is drawn, low and high corner in pixels; `size`: of all of it.
// The frame's numbers, the solids' depths and for RV_CULL_SAMPLES the framebuffer must be bound.
// false: all are to be drawn.
bool rv_cull_choose(rv_cull *cull, const rv_sheet *sheet, rv_cull_way way, const float window[4],
                    const float size[2], int samples);
// Draws what was chosen with the arrays and program that are bound.
void rv_cull_draw(const rv_cull *cull, const rv_sheet *sheet);
void rv_cull_free(rv_cull *cull);

#endif

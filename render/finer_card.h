// A surface in the card's memory made finer where the eye is near, by kernels that do what
// render/finer.c does on the processor; nothing comes back from there. What is drawn then is
// another set of buffers of the same kind.
#ifndef RENDER_FINER_CARD_H
#define RENDER_FINER_CARD_H

#include "render/finer.h"

#include <epoxy/gl.h>

// Surfaces with more vertices stay as they are: what is kept of each takes 400 bytes.
enum { RV_FINER_CARD_MOST = 1 << 20 };

typedef enum rv_finer_kernel {
    RV_FINER_CHOOSE,
    RV_FINER_SCAN,
    RV_FINER_WRITE,
    RV_FINER_AROUND,
    RV_FINER_HANG,
    RV_FINER_EVEN_HANG,
    RV_FINER_EVEN,
    RV_FINER_ALONG,
    RV_FINER_ALONG_LAST,
    RV_FINER_FAIR,
    RV_FINER_TURN,
    RV_FINER_LEVEL,
    RV_FINER_SIDES,
    RV_FINER_KERNELS
} rv_finer_kernel;

enum {
    RV_FINER_VERTICES,     // of one level, and
    RV_FINER_VERTICES_TOO, // of the next
    RV_FINER_EDGES,
    RV_FINER_INDEX,
    RV_FINER_WORK,
    RV_FINER_RING,
    RV_FINER_STATE,
    RV_FINER_MARKS,
    RV_FINER_BUFFERS
};

typedef struct rv_finer_card {
    GLuint kernel[RV_FINER_KERNELS], buffer[RV_FINER_BUFFERS], numbers;
    size_t bytes[RV_FINER_BUFFERS];
    bool cannot;          // this driver
    uint32_t too_large;   // vertices that there was no room for; 0: none
    rv_surface_card made; // what is drawn; of its triangles the card knows how many there are
    size_t own_at;        // bytes into made.draw: how many, without those at the grid's sides
} rv_finer_card;

// Makes what the eye sees of a surface finer; `planes`: layers of columns. false: this driver, or
// one of that size, cannot be, and the surface is to be drawn as it is.
bool rv_finer_card_make(rv_finer_card *finer, const rv_surface_card *surface,
                        const rv_extent *extent, const rv_eye *eye, const rv_finer_how *how,
                        int planes);
void rv_finer_card_free(rv_finer_card *finer);

#endif

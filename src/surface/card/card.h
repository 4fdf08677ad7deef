// The surface on a graphics card (docs/card.md): kernels (kernels/) do there what the files beside
// this folder do, from the columns in the card's memory into buffers that a renderer draws from.
// Only which squares are wet or changed, and how many vertices there are, is read back.
#ifndef RV_SURFACE_CARD_CARD_H
#define RV_SURFACE_CARD_CARD_H

#include "surface/surface.h"

#include "solvers/solver.h"
#include "surface/blobs.h"

// The text of a kernel, with what it includes; cmake puts them into the library.
typedef struct rv_sheet_text {
    const char *name, *text;
} rv_sheet_text;

extern const rv_sheet_text rv_sheet_texts[]; // ends with a NULL name

// Where kernels find the buffers, as in kernels/common.glsl.
typedef enum rv_sheet_binding {
    RV_SHEET_BEDS,
    RV_SHEET_DEPTH, // the solver's
    RV_SHEET_FLUX,
    RV_SHEET_VALUES,
    RV_SHEET_NODES,
    RV_SHEET_LINKS,
    RV_SHEET_NORMALS,
    RV_SHEET_EXTRAS,
    RV_SHEET_SQUARES,
    RV_SHEET_STATUS,
    RV_SHEET_FRESH,
    RV_SHEET_CONTACTS,
    RV_SHEET_MESH,
    RV_SHEET_INDEX,
    RV_SHEET_RINGS,
    RV_SHEET_GIVEN,
    RV_SHEET_BINDINGS,
    RV_SHEET_SEEN = RV_SHEET_BINDINGS, // what the squares were made from: rings of `look`
    RV_SHEET_FILLED, // depths with flooded columns up to their ceilings, and which those are: rings
                     // of `fill` and `flooded`
    RV_SHEET_BUFFERS
} rv_sheet_binding;

typedef enum rv_sheet_kernel {
    RV_DO_FILL_COPY,
    RV_DO_AVERAGE,
    RV_DO_FILL,
    RV_DO_LOOK,
    RV_DO_KINDS,
    RV_DO_NODES,
    RV_DO_STEPS,
    RV_DO_DRY,
    RV_DO_FAIR_BEGIN,
    RV_DO_FAIR,
    RV_DO_FAIR_END,
    RV_DO_FAIR_ALONE,
    RV_DO_CLEAR,
    RV_DO_FIND_FULL,
    RV_DO_JOIN_FULL,
    RV_DO_FIND_TO_FULL,
    RV_DO_EXTRAS,
    RV_DO_EXTRAS_EMIT,
    RV_DO_SCAN,
    RV_DO_JOIN_EXTRAS,
    RV_DO_JOIN_AGREED,
    RV_DO_NORMALS,
    RV_DO_SMOOTH,
    RV_DO_QUARTETS,
    RV_DO_QUARTETS_EMIT,
    RV_DO_HANG_FIRST,
    RV_DO_HANG,
    RV_DO_HANG_LAST,
    RV_DO_COUNT,
    RV_DO_NUMBER,
    RV_DO_FRESH,
    RV_DO_SLIDE,
    RV_DO_SLIDE_PUT,
    RV_DO_SLIDE_ALONE,
    RV_DO_CONTACTS,
    RV_DO_LINES,
    RV_DO_LINES_GUESS,
    RV_DO_SETTLE,
    RV_DO_EVEN,
    RV_DO_RINGS_BEGIN,
    RV_DO_RINGS_FIRST,
    RV_DO_RINGS,
    RV_DO_FIELD,
    RV_DO_LIPS,
    RV_DO_MENISCUS,
    RV_DO_SIDES,
    RV_DO_FLOODED,
    RV_DO_BRIMS,
    RV_SHEET_KERNELS
} rv_sheet_kernel;

// The constants of a call, as in kernels/common.glsl.
typedef struct rv_sheet_constants {
    uint32_t plane[2 * RV_LAYERS_MAX][4];
    uint32_t slots, nodes, planes, across;
    uint32_t nx, ny, groups, extras;
    uint32_t list_at, vertices, inside, fresh;
    uint32_t triangles, bands, pass, count;
    float dx, per_dx, film, rim;
    float top, length, reach, alpha;
    float ring, least, near_line;
    uint32_t has;
    float line[4], side[4];
    uint32_t steps, drip_at, sheet_at, islands;
    uint32_t from, to, side_vertices, side_triangles;
    uint32_t first, flank_at, more, brim;
    float fall[4];
    uint32_t angle_at, more_triangles, unused[2];
} rv_sheet_constants;

enum { RV_HAS_CURTAIN = 1, RV_HAS_BENDS = 2, RV_HAS_DRIPS = 4, RV_HAS_MENISCUS = 8 };

// Words of the status.
enum {
    RV_SHEET_INSIDE,
    RV_SHEET_OTHERS,
    RV_SHEET_TRIANGLES,
    RV_SHEET_EXTRA_COUNT,
    RV_SHEET_LOW,
    RV_SHEET_HIGH,
    RV_SHEET_DEEP,
    RV_SHEET_FAST,
    RV_SHEET_DRAW,
    RV_SHEET_SIDE_COUNT = 13,
    RV_SHEET_UNEVEN,
    RV_SHEET_WANTS,
    RV_SHEET_STATUS_WORDS = 16
};

// Arrays of the squares' buffer, one word a square each: all in order; those that are made anew;
// all that have something; islands; whether made anew.
enum { RV_LIST_EACH, RV_LIST_MADE, RV_LIST_ALL, RV_LIST_ISLAND, RV_LIST_IS_MADE, RV_SQUARE_LISTS };

#define RV_SQUARE_CHANGED (1u << 16) // of what is seen of a square
#define RV_SHEET_TIMED 16 // updates that are timed after somebody asked
#define RV_SHEET_TIMES 3  // surface until it is counted, the rest of it, meniscus

typedef struct rv_card_sheet {
    rv_allocator allocator;
    const rv_device *device;
    rv_device_buffer *buffer[RV_SHEET_BUFFERS];
    size_t bytes[RV_SHEET_BUFFERS];
    rv_device_kernel *kernel[RV_SHEET_KERNELS];
    rv_sheet_constants constants;
    rv_result trouble;
    rv_messages said;
    uint32_t groups_most; // of one call
    uint32_t ends_most;   // vertices that are none of a column which one group does alone; 0: none
    // what it was made with
    rv_surface_input made;
    size_t slots;
    int planes;
    bool there;      // the mesh is of `made`
    bool may_extend; // there may be extra nodes at all
    bool extends;    // and as far as is known some column wants one
    uint8_t *sheet;  // of rv_surface_input
    size_t sheet_room;
    rv_surface_squares squares;
    uint32_t *before; // by square: its island in the last update, RV_NO_NODE
    uint32_t *sizes;  // by such an island: squares
    uint32_t *next_sizes;
    uint8_t *stays;  // by such an island: it is kept
    uint32_t *look;  // by square: bits of wet rows; 1 << 16: changed
    uint32_t *missed; // by square: changed, and that was not heeded yet
    // What was seen of the squares along with the last step, before this update.
    struct {
        bool asked, known, filled;
        rv_device_ticket ticket;
        rv_card_liquid liquid; // of which that was
    } ahead;
    uint32_t *words; // the squares' lists, then what islands are, to be sent
    size_t word_room, square_count;
    uint32_t made_count, all_count, islands, bands;
    bool at_side;      // something is wet at a side of the grid
    uint32_t *flooded; // slots of flooded columns
    size_t flooded_room;
    uint32_t flooded_count;
    uint32_t status[RV_SHEET_STATUS_WORDS];
    bool counted; // it has counts
    uint32_t uneven_count; // columns that are nodes and not even, of what the last update made
    bool again; // there was more of these than a group does, more extra nodes than room, or one at all
    // droplets that join the mesh (more.c)
    const rv_blob_work *more;
    float *more_part; // room for one of their arrays, or their corners
    size_t more_room;
    int times_wanted; // updates that are timed yet, since somebody asked
    bool timing;
    rv_device_ticket timer[RV_SHEET_TIMES];
    bool timed[RV_SHEET_TIMES];
    double ms[RV_SHEET_TIMES];
    bool changed;
    int64_t fresh_islands;
} rv_card_sheet;

// card.c
// Makes the surface of the columns that are on the card, and puts that of droplets behind it.
// RV_BAD_DATA: this card, or a grid of this size, cannot; a line in `said` tells why.
// RV_OUT_OF_MEMORY, RV_DEVICE_LOST: it has failed.
rv_result rv_card_sheet_build(rv_card_sheet *c, const rv_surface_input *in,
                              const rv_card_liquid *liquid, const rv_blob_work *droplets);
void rv_card_sheet_free(rv_card_sheet *c);
// Asks for what the next update looks at first, while a step is on its way; `changes`: of the terrain
// of these columns.
void rv_card_sheet_look_ahead(rv_card_sheet *c, const rv_column_set *columns, int64_t changes,
                              const rv_card_liquid *liquid);
// ms on the card: of the surface without the meniscus, and of that, as far as they are known.
void rv_card_sheet_times(rv_card_sheet *c, double *surface, double *meniscus);
bool rv_card_sheet_take(rv_card_sheet *c, rv_sheet_binding which, size_t bytes, bool *lost);
// The same where it grows with the liquid: with room to spare, so that it is seldom another.
bool rv_card_sheet_grow(rv_card_sheet *c, rv_sheet_binding which, size_t bytes);
bool rv_card_sheet_send(rv_card_sheet *c, rv_sheet_binding to, size_t at, const void *data,
                        size_t bytes);
void rv_card_sheet_call(rv_card_sheet *c, rv_sheet_kernel kernel, uint32_t x, uint32_t z);
void rv_card_sheet_fail(rv_card_sheet *c, rv_result why);

// terrain.c: sends what follows from terrain and settings, if it is another.
bool rv_card_sheet_follow(rv_card_sheet *c, const rv_surface_input *in);

// squares.c: finds islands and lists squares. false: nothing is to be done, or there is trouble.
bool rv_card_sheet_list(rv_card_sheet *c);
void rv_card_sheet_ask_look(rv_card_sheet *c, rv_device_ticket *ticket);
void rv_card_sheet_take_look(rv_card_sheet *c); // what was seen before
bool rv_card_sheet_take_squares(rv_card_sheet *c, const rv_column_set *columns);
void rv_card_sheet_free_squares(rv_card_sheet *c);

// make.c: the kernels, in their order.
void rv_card_sheet_make(rv_card_sheet *c);

// more.c: sends the droplets' vertices and triangles, which stand behind the columns'.
void rv_card_sheet_send_more(rv_card_sheet *c);

// Where in the status' words sums of groups stand, and what was seen of the squares.
static inline uint32_t rv_sheet_look_at(const rv_card_sheet *c)
{
    return RV_SHEET_STATUS_WORDS + 28u * (uint32_t)c->square_count;
}

static inline uint32_t rv_sheet_sums_at(const rv_card_sheet *c)
{
    return rv_sheet_look_at(c) + (uint32_t)c->square_count;
}

#endif

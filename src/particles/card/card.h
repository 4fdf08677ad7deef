// Particles that live on a graphics card (docs/splat.md, docs/card.md): places, velocities and the
// grid stand in buffers there, and a substep of the narrow form is some kernels (kernels/) that do
// what narrow.c, pressure.c and sort.c do, to the bit. The solver's own arrays are then a copy that
// is brought up to date when somebody looks.
#ifndef RV_PARTICLES_CARD_CARD_H
#define RV_PARTICLES_CARD_CARD_H

#include "particles/splat.h"

#include "rivulet/device.h"

// The text of a kernel, with what it includes; cmake puts them into the library.
typedef struct rv_grain_text {
    const char *name, *text;
} rv_grain_text;

extern const rv_grain_text rv_grain_texts[]; // ends with a NULL name

// Where kernels find the buffers, as in kernels/common.glsl.
typedef enum rv_grain_binding {
    RV_GRAIN_PARTICLES,
    RV_GRAIN_OTHERS,
    RV_GRAIN_BINS,
    RV_GRAIN_FIRST,
    RV_GRAIN_COUNTS,
    RV_GRAIN_SUMS,
    RV_GRAIN_FIELDS,
    RV_GRAIN_SHARE,
    RV_GRAIN_FACES,
    RV_GRAIN_LEVELS,
    RV_GRAIN_CELLS,
    RV_GRAIN_NODES,
    RV_GRAIN_SOLID,
    RV_GRAIN_STATUS,
    RV_GRAIN_ROWS,
    RV_GRAIN_SHOWN,
    RV_GRAIN_BINDINGS
} rv_grain_binding;

// The constants of a call, as in kernels/common.glsl.
typedef struct rv_grain_constants {
    uint32_t levels[3 * RV_NARROW_LEVELS][4];
    int32_t cells[4];
    uint32_t grid[4];
    float high[4], fall[4];
    uint32_t open[4];
    uint32_t bins, wide, blocks, most;
    uint32_t level, coarse, last, cycle;
    uint32_t given, before, record, odd;
    uint32_t half_way, boxes_at;
    float seen, per_rest;
    float twice_rest, two_tiny, fill, move;
    float pic, keep, even, hold;
    float enough, done, deep, along;
    float beside, omega, tiny, clear;
    float slow, doubt, edge, inset;
    float rod_from[4], rod_way[4], rod_speed[4];
    float foam, foam_left;
    uint32_t froth_at, pressed_at;
    float ahead, most_ahead, stuck, column_deep;
    float column_flow;
    uint32_t air_at, pad[2];
} rv_grain_constants;

#define RV_GRAIN_ARRAYS 7      // of a level: p, b, diag, inverse, joints; in a plane p again
#define RV_GRAIN_GROUP 2048u   // bins that one group of `scan` sums up
#define RV_GRAIN_AHEAD 64      // substeps that may be under way
#define RV_GRAIN_STRIP 16      // rows of kernels/strip.glsl
#define RV_GRAIN_LIST_WORDS 66 // words of a level in kernels/listed.glsl
#define RV_GRAIN_RELAXED 82    // words that it shares to relax rows, besides two a thread
enum {                         // words of the status
    RV_GRAIN_COUNT = 0,
    RV_GRAIN_HALT = 2,
    RV_GRAIN_CYCLES = 8,
    RV_GRAIN_RECORDS = 160,
    RV_GRAIN_RECORD_WORDS = 8,
    RV_GRAIN_STATUS_WORDS = RV_GRAIN_RECORDS + RV_GRAIN_AHEAD * RV_GRAIN_RECORD_WORDS
};

// What came of a substep.
typedef struct rv_grain_record {
    uint32_t count;
    float fastest, densest; // m²/s²; form height: Σw
    uint32_t wrong, cycles, whole;
    uint32_t parts, more_parts; // form height: Σw over columns, in parts; 65,536 of them
} rv_grain_record;

// What a kernel is made for: words that its text asks about.
enum {
    RV_GRAIN_SPACE = 1,
    RV_GRAIN_HEIGHT = 2,
    RV_GRAIN_IN_SOLID = 4,
    RV_GRAIN_ENDS = 8,
    RV_GRAIN_MAKES = 16,
    RV_GRAIN_ALONE = 32,
    RV_GRAIN_AGAIN = 64,
    RV_GRAIN_BODIES = 128,
    RV_GRAIN_WORDS = 8,
    RV_GRAIN_LISTED = 1 << 16 // of a call: with the list in the place of what is drawn
};

#define RV_GRAIN_KERNELS 64
#define RV_GRAIN_WIDE 32768u // groups of a call along x; every card takes 65,535
typedef struct rv_grain_kernel {
    const char *name;
    unsigned words;
    rv_device_kernel *kernel;
} rv_grain_kernel;

// The columns of form height, for a surface that is made there (sheet.c).
typedef struct rv_grain_sheet {
    rv_device_buffer *buffer[3];
    uint32_t *words; // by cell: its column; then what that is owed, m
    size_t slots;    // of the columns that it is for; 0: it is for none
    bool sky_fresh;  // columns of cells there are as here
    bool owes;       // some column is owed something
    uint64_t lent;   // how often it was asked for: each time it may be another
} rv_grain_sheet;

struct rv_grain_card {
    const rv_device *device;
    rv_device_buffer *buffer[RV_GRAIN_BINDINGS];
    size_t bytes[RV_GRAIN_BINDINGS];
    rv_device_buffer *twin; // fields of the substep that ended the last step
    rv_grain_kernel kernel[RV_GRAIN_KERNELS];
    int kernel_count;
    rv_grain_constants constants;
    int64_t room;                 // particles that the buffers hold
    uint32_t together;            // groups of a call that run at the same time; 0: it is not known
    double ahead[RV_GRAIN_AHEAD]; // s, of substeps that were not looked at yet
    int ahead_count, looked;      // how many, and how many of them were looked at
    int given, given_before;      // cycles that are asked for at once; that the last substep had
    int most_cycles;              // of the substeps that were looked at last
    bool solids_fresh;            // those there are as the solver's
    bool pressed_fresh;           // and so is the pressure that the next substep begins with,
    bool pressed_away;            // or it is newer than the solver's
    bool columns_due;             // the solver's columns are behind
    bool columns_in_twin;         // and follow from the other fields
    int64_t columns_count;        // particles there were then
    double columns_sum;           // form height: and the sum of their weights over columns
    rv_grain_sheet sheet;
    bool first_substep;           // of a step
    bool gathered;                // the sums there are those of the particles as they are,
    uint32_t gathered_open[4];    // with walls like these
    int64_t host_count;           // particles when they were last all here
    int64_t there;                // particles that the card was last known to have
    // what crosses for bodies: a list, here and there; distance and share by slot as they are
    // there; 1 + the last of the list that has a slot; how many particles met a body last
    uint32_t *list;
    rv_device_buffer *listed;
    size_t list_room, met;
    size_t near_count; // particles that were near where new ones came
    int asked;         // how often that was asked in this step
    float *mirror;
    uint32_t *follower;
    float *alone; // particles that lie alone, as they were last drawn: by number of rv_splat_shown
    size_t alone_room, alone_count;
    rv_messages said;
};

// card.c
rv_result rv_grain_open(rv_splat *s, const rv_device *device, rv_messages *messages);
void rv_grain_close(rv_splat *s);
size_t rv_grain_bytes(const rv_splat *s);
bool rv_grain_fit_shown(rv_splat *s, size_t bytes); // the same for what is drawn
bool rv_grain_fit(rv_splat *s); // room for all particles; false: the card failed
rv_device_kernel *rv_grain_kernel_for(rv_splat *s, const char *name, unsigned words);

// state.c
void rv_grain_fail(rv_splat *s, rv_result why); // the processor goes on
bool rv_grain_send(rv_splat *s, rv_grain_binding to, size_t at, const void *data, size_t bytes);
bool rv_grain_take(rv_splat *s, rv_grain_binding from, size_t at, void *data, size_t bytes);
bool rv_grain_push(rv_splat *s, bool *sent); // particles and solids that are new here
void rv_grain_sync(rv_splat *s);             // clock and counts are up to date
void rv_grain_fetch(rv_splat *s);            // and so are the particles
void rv_grain_columns(rv_splat *s);          // and the columns
void rv_grain_fetch_pressed(rv_splat *s);    // and the pressure

// step.c
void rv_grain_set_sizes(rv_splat *s);           // the constants that stay
size_t rv_grain_alone_cells(const rv_splat *s); // of the levels that one group does alone
// In a plane half a cycle of a level is one pass, where a few rows fit into what a group shares.
bool rv_grain_has_bands(const rv_splat *s);
void rv_grain_step(rv_splat *s, double dt);
void rv_grain_end(rv_splat *s);    // a step ended
bool rv_grain_gather(rv_splat *s); // sums of the particles as they are; false: there are none
void rv_grain_sort(rv_splat *s, int64_t count); // so many, of which some may be gone
void rv_grain_go_on(rv_splat *s, int from);     // substeps from there on, the first with its cycles
void rv_grain_make_kernels(rv_splat *s);
void rv_grain_call(rv_splat *s, const char *name, unsigned words, const uint32_t groups[3]);
void rv_grain_call_grid(rv_splat *s, const char *name, unsigned words, int more); // over its cells
void rv_grain_call_many(rv_splat *s, const char *name, unsigned words, size_t count);
void rv_grain_cycle(rv_splat *s, int number); // one of the pressure, among bodies

// shown.c
// The density of the particles as they are, in the card's memory; false: it is not.
bool rv_grain_show(rv_splat *s, double level, rv_density_card *out);

// lists.c
// Room for so many words, here and there; what was in it may be lost. NULL: the card has failed.
uint32_t *rv_grain_list_room(rv_splat *s, size_t words);
bool rv_grain_send_list(rv_splat *s, size_t at, size_t words);
bool rv_grain_fetch_list(rv_splat *s, size_t at, size_t words);
// A kernel over `count` of what is listed; `at`: words before it.
bool rv_grain_call_list(rv_splat *s, const char *name, size_t count, size_t at);
// Looks which particles are between two corners, cells; then who they are, one after the other: a
// number, and where it is. In any order, or in theirs.
bool rv_grain_know(rv_splat *s, const double low[3], const double high[3]);
const uint32_t *rv_grain_known(const rv_splat *s, size_t *count);
uint32_t *rv_grain_known_in_order(rv_splat *s, size_t *count);
// Takes so many out whose numbers stand in the place of those.
void rv_grain_remove(rv_splat *s, size_t count);

// sheet.c
bool rv_grain_columns_there(rv_splat *s, rv_card_liquid *out); // form height; false: they are not
void rv_grain_free_sheet(rv_splat *s);

// bodies.c
void rv_grain_place_bodies(rv_splat *s); // before liquid is put beside them
// Finds the pressure with them; false: the card waits, and all of it must be begun again.
bool rv_grain_press_bodies(rv_splat *s);
void rv_grain_list_boxes(rv_splat *s); // before particles are moved
void rv_grain_push_out(rv_splat *s);   // and after that
void rv_grain_float_bodies(rv_splat *s);
void rv_grain_answer_bodies(rv_splat *s);

#endif

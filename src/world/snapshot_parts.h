// What a snapshot begins with, and how its fields do, for those who write and read them
// (snapshot.c, pieces.c; snapshot_read.c, restore.c).
#ifndef RV_WORLD_SNAPSHOT_PARTS_H
#define RV_WORLD_SNAPSHOT_PARTS_H

#include "world/state_rows.h"

#define RV_SNAPSHOT_MAGIC 0x31304e5356525652ull // "RVRVSN01" in little-endian bytes
#define RV_SNAPSHOT_VERSION 11u
#define RV_SNAPSHOT_NAME 24

typedef struct rv_snapshot_header {
    uint64_t magic;
    uint32_t version, fields;
    uint64_t bytes;         // all of the snapshot
    uint64_t born, columns; // fingerprints of the columns as they were made and as they are
    uint64_t terrain_bytes, live_bytes;
    int32_t sources, drains, bodies, droplets;
    int32_t dew, unused;          // drops on solids; 0
    int32_t border[4];            // kinds: west, east, south, north
    double likeness[RV_LIKENESS]; // parameters that must be the same
    rv_box touched;               // around all places where the terrain ever changed
} rv_snapshot_header;

typedef struct rv_snapshot_field {
    char name[RV_SNAPSHOT_NAME];
    uint64_t count;
} rv_snapshot_field;

rv_snapshot_header rv_snapshot_header_of(const rv_world *world, int fields, bool terrain);
// All before the fields: how much that is, and writing it; returns where it ends.
size_t rv_snapshot_head_bytes(const rv_world *world, bool terrain);
unsigned char *rv_snapshot_write_head(const rv_world *world, const rv_snapshot_header *head,
                                      unsigned char *to);
rv_snapshot_field rv_snapshot_field_head(const rv_world *world, const rv_state_field *field);
// All of a world whose rows are all here.
rv_result rv_snapshot_save_whole(const rv_world *world, unsigned char *to);

// The parts of a snapshot.
typedef struct rv_snapshot_parts {
    rv_snapshot_header head;
    rv_counters counters;
    rv_pose pose[RV_MOVERS_MAX];
    const unsigned char *owed, *bodies, *spray, *dew, *live, *terrain, *fields, *end;
    char why[400]; // it does not fit
} rv_snapshot_parts;

// Items of a field that a snapshot holds.
uint64_t rv_snapshot_items(const rv_world *world, const rv_state_field *field);
// Where the parts are, by the header.
void rv_snapshot_place(const unsigned char *from, rv_snapshot_parts *p);
// What can be told without looking at the terrain. NULL: all is well.
const char *rv_snapshot_open(const rv_world *world, const unsigned char *from, size_t size,
                             rv_snapshot_parts *p);

#endif

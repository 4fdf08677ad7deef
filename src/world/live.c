// Sources, drains, emitters and presses that come, change and go while a world runs.
//
// Each kind is an array in the order of numbers, which are never used again; so what acts, and in
// which order, depends on nothing but what the host asked for, and what is gone costs nothing.
// Items of the definition stay as they are until they are changed; the definitions are kept, so
// that a restored snapshot of a time before a change takes it back.
#include "world/world_internal.h"

#include <string.h>

// ---- One list -----------------------------------------------------------------------------------

// What is different between the four; all begin with an rv_name.
typedef struct kind {
    const char *word;
    size_t size, def, def_at; // bytes of an item and of its definition, and where that is in it
    const rv_table *table;
} kind;

static kind kind_of(rv_list list)
{
    switch (list) {
    case RV_SOURCES:
        return (kind){"source", sizeof(rv_source), sizeof(rv_source_def), offsetof(rv_source, def),
                      rv_source_table()};
    case RV_DRAINS:
        return (kind){"drain", sizeof(rv_drain), sizeof(rv_drain_def), offsetof(rv_drain, def),
                      rv_drain_table()};
    case RV_EMITTERS:
        return (kind){"emitter", sizeof(rv_emitter), sizeof(rv_emitter_def),
                      offsetof(rv_emitter, def), rv_emitter_table()};
    default:
        return (kind){"press", sizeof(rv_press), sizeof(rv_press_def), offsetof(rv_press, def),
                      rv_press_table()};
    }
}

// An item with nothing found yet.
typedef union item {
    rv_name name;
    rv_source source;
    rv_drain drain;
    rv_emitter emitter;
    rv_press press;
} item;

static int *count_of(rv_world *world, rv_list list)
{
    int *const counts[RV_LISTS] = {&world->source_count, &world->drain_count, &world->emitter_count,
                                   &world->press_count};
    return counts[list];
}

static void *item_at(const rv_world *world, rv_list list, int index)
{
    return (char *)world->roster[list].items + (size_t)index * kind_of(list).size;
}

// The same arrays by their types, for those who walk over them.
static void share(rv_world *world)
{
    world->sources = world->roster[RV_SOURCES].items;
    world->drains = world->roster[RV_DRAINS].items;
    world->emitters = world->roster[RV_EMITTERS].items;
    world->presses = world->roster[RV_PRESSES].items;
}

static int count_in(const rv_world *world, rv_list list)
{
    return *count_of((rv_world *)(uintptr_t)world, list);
}

// Index of a number, -1: there is none (any more).
static int find(const rv_world *world, rv_list list, int number)
{
    int low = 0, high = world ? count_in(world, list) : 0;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int there = ((const rv_name *)item_at(world, list, middle))->number;
        if (there == number) return middle;
        if (there < number)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

static bool grow(rv_world *world, rv_list list, int need)
{
    rv_roster *roster = &world->roster[list];
    size_t size = kind_of(list).size;
    if (need <= roster->room) return true;
    int room = roster->room > 4 ? 2 * roster->room : 8;
    if (room < need) room = need;
    void *fresh = rv_new(&world->allocator, (size_t)room, size);
    if (!fresh) return false;
    if (roster->items) memcpy(fresh, roster->items, (size_t)roster->room * size);
    rv_free(&world->allocator, roster->items, (size_t)roster->room, size);
    roster->items = fresh, roster->room = room;
    share(world);
    return true;
}

// Gives back what an item found.
static void release(rv_world *world, rv_list list, void *of)
{
    rv_drain *drain = of;
    if (list == RV_SOURCES) rv_feed_free(world, &((rv_source *)of)->feed);
    if (list == RV_DRAINS) {
        rv_free(&world->allocator, drain->slots, (size_t)drain->room, sizeof *drain->slots);
        rv_free(&world->allocator, drain->rank, (size_t)drain->rank_room, sizeof *drain->rank);
    }
    if (list == RV_PRESSES) world->press.stale = true;
}

rv_result rv_live_make(rv_world *world, rv_list list, const void *defs, int count)
{
    rv_roster *roster = &world->roster[list];
    kind k = kind_of(list);
    if (count == 0) return RV_OK;
    roster->first = rv_new(&world->allocator, (size_t)count, k.def);
    if (!roster->first || !grow(world, list, count)) {
        rv_free(&world->allocator, roster->first, (size_t)count, k.def);
        roster->first = NULL;
        return RV_OUT_OF_MEMORY;
    }
    memcpy(roster->first, defs, (size_t)count * k.def);
    roster->born = roster->next = *count_of(world, list) = count;
    for (int i = 0; i < count; i++) {
        char *to = item_at(world, list, i);
        ((rv_name *)(void *)to)->number = i;
        memcpy(to + k.def_at, (const char *)defs + (size_t)i * k.def, k.def);
    }
    return RV_OK;
}

void rv_live_free(rv_world *world)
{
    for (int l = 0; l < RV_LISTS; l++) {
        rv_list list = (rv_list)l;
        rv_roster *roster = &world->roster[l];
        kind k = kind_of(list);
        for (int i = 0; i < count_in(world, list); i++)
            release(world, list, item_at(world, list, i));
        rv_free(&world->allocator, roster->items, (size_t)roster->room, k.size);
        rv_free(&world->allocator, roster->first, (size_t)roster->born, k.def);
    }
}

// ---- Adding, changing, removing -----------------------------------------------------------------

// Whether a solver has such things at all.
static bool has_list(const rv_world *world, rv_list list, rv_messages *messages)
{
    const char *word = kind_of(list).word, *name = world->api->name;
    if (list == RV_EMITTERS && !world->api->particles && !world->traits.has_spray)
        rv_messages_add(messages, "%s: solver %s has no particles to give; use sources", word,
                        name);
    else if (list == RV_PRESSES && !world->api->columns)
        rv_messages_add(messages, "%s: solver %s has no columns to press on", word, name);
    else if (list < RV_EMITTERS && world->traits.on_pane)
        rv_messages_add(messages, "%s: solver glass has none; see the parameters glass.*", word);
    else
        return true;
    return false;
}

static bool check(const rv_world *world, rv_list list, const void *def, rv_messages *messages)
{
    const char *word = kind_of(list).word;
    if (!has_list(world, list, messages)) return false;
    switch (list) {
    case RV_SOURCES:
        return rv_world_check_source(def, word, messages);
    case RV_DRAINS:
        return rv_world_check_drain(def, word, messages);
    case RV_EMITTERS:
        return rv_world_check_emitter(def, world->traits.on_pane, word, messages);
    default:
        return rv_world_check_press(def, word, messages);
    }
}

// Finds the columns of an item.
static rv_result prepare(rv_world *world, rv_list list, item *of, rv_messages *messages)
{
    rv_result r = RV_OK;
    if (list == RV_SOURCES) {
        const rv_source_def *def = &of->source.def;
        r = rv_feed_find(world, &of->source.feed, def->at, def->radius);
        if (r == RV_OK && of->source.feed.disk == 0) {
            rv_messages_add(messages, "source.at: no column of the grid lies below it");
            r = RV_BAD_ARGUMENT;
        }
    }
    if (list == RV_DRAINS) r = rv_drain_find(world, &of->drain);
    if (list == RV_PRESSES) world->press.stale = true;
    if (list == RV_EMITTERS && !world->api->particles &&
        !rv_spray_make_room(&world->spray, world->params.spray_droplets))
        r = RV_OUT_OF_MEMORY;
    if (r == RV_OUT_OF_MEMORY)
        rv_messages_add(messages, "%s: not enough memory for it", kind_of(list).word);
    return r;
}

// A world and a definition that are there and good, and somewhere to report to.
static bool begin(const rv_world *world, rv_list list, const void *def, rv_messages **messages,
                  rv_messages *unread)
{
    if (!*messages) *messages = unread;
    bool field = world && world->terrain; // of which ranks may come to keep more
    if (list == RV_EMITTERS && !field && rv_world_refuse_cut(world, "emitters", *messages))
        return false;
    if (world && def) return check(world, list, def, *messages);
    rv_messages_add(*messages, "%s: no world or no definition", kind_of(list).word);
    return false;
}

static rv_result add(rv_world *world, rv_list list, const void *def, int *number,
                     rv_messages *messages)
{
    rv_messages unread = {0};
    if (!begin(world, list, def, &messages, &unread)) return RV_BAD_ARGUMENT;
    kind k = kind_of(list);
    rv_roster *roster = &world->roster[list];
    int *count = count_of(world, list);
    item fresh;
    memset(&fresh, 0, sizeof fresh);
    memcpy((char *)&fresh + k.def_at, def, k.def);
    // what gives once, and is late, gives in the next step
    if (list == RV_EMITTERS)
        fresh.emitter.def.start = fmax(fresh.emitter.def.start, world->counters.time);
    fresh.name = (rv_name){roster->next, true};
    if (roster->next == INT32_MAX || !grow(world, list, *count + 1)) {
        rv_messages_add(messages, "%s: not enough memory for another one", k.word);
        return RV_OUT_OF_MEMORY;
    }
    rv_result r = prepare(world, list, &fresh, messages);
    if (r != RV_OK) {
        release(world, list, &fresh);
        return r;
    }
    memcpy(item_at(world, list, (*count)++), &fresh, k.size);
    if (number) *number = roster->next;
    roster->next++;
    return RV_OK;
}

static rv_result set(rv_world *world, rv_list list, int number, const void *def,
                     rv_messages *messages)
{
    rv_messages unread = {0};
    if (!begin(world, list, def, &messages, &unread)) return RV_BAD_ARGUMENT;
    kind k = kind_of(list);
    int index = find(world, list, number);
    if (index < 0) {
        rv_messages_add(messages, "%s: there is no number %d", k.word, number);
        return RV_BAD_ARGUMENT;
    }
    void *old = item_at(world, list, index);
    item fresh;
    memset(&fresh, 0, sizeof fresh);
    memcpy((char *)&fresh + k.def_at, def, k.def);
    fresh.name = (rv_name){number, true};
    if (list == RV_SOURCES) fresh.source.owed = ((const rv_source *)old)->owed;
    if (list == RV_DRAINS) fresh.drain.owed = ((const rv_drain *)old)->owed;
    rv_result r = prepare(world, list, &fresh, messages);
    release(world, list, r == RV_OK ? old : (void *)&fresh);
    if (r == RV_OK) memcpy(old, &fresh, k.size);
    return r;
}

static rv_result drop(rv_world *world, rv_list list, int number)
{
    int index = find(world, list, number), *count;
    if (index < 0) return RV_BAD_ARGUMENT;
    char *at = item_at(world, list, index);
    size_t size = kind_of(list).size;
    count = count_of(world, list);
    release(world, list, at);
    memmove(at, at + size, (size_t)(--*count - index) * size);
    return RV_OK;
}

static rv_result get(const rv_world *world, rv_list list, int number, void *out)
{
    int index = find(world, list, number);
    kind k = kind_of(list);
    if (index < 0 || !out) return RV_BAD_ARGUMENT;
    memcpy(out, (const char *)item_at(world, list, index) + k.def_at, k.def);
    return RV_OK;
}

#define LIVE(word, list)                                                                           \
    rv_result rv_world_add_##word(rv_world *world, const rv_##word##_def *def, int *number,        \
                                  rv_messages *messages)                                           \
    {                                                                                              \
        return add(world, list, def, number, messages);                                            \
    }                                                                                              \
    rv_result rv_world_set_##word(rv_world *world, int number, const rv_##word##_def *def,         \
                                  rv_messages *messages)                                           \
    {                                                                                              \
        return set(world, list, number, def, messages);                                            \
    }                                                                                              \
    rv_result rv_world_remove_##word(rv_world *world, int number)                                  \
    {                                                                                              \
        return drop(world, list, number);                                                          \
    }                                                                                              \
    rv_result rv_world_get_##word(const rv_world *world, int number, rv_##word##_def *out)         \
    {                                                                                              \
        return get(world, list, number, out);                                                      \
    }                                                                                              \
    int rv_world_##word##_count(const rv_world *world)                                             \
    {                                                                                              \
        return world ? world->roster[list].next : 0;                                               \
    }

LIVE(source, RV_SOURCES)
LIVE(drain, RV_DRAINS)
LIVE(emitter, RV_EMITTERS)
LIVE(press, RV_PRESSES)

// ---- Snapshots ----------------------------------------------------------------------------------

// A list in a snapshot, followed by its items: name and definition. A list that nobody changed has
// none.
typedef struct saved_list {
    int32_t born, next, live, count;
} saved_list;

typedef struct saved_name {
    int32_t number, changed;
} saved_name;

static bool is_live(const rv_world *world, rv_list list)
{
    const rv_roster *roster = &world->roster[list];
    bool live = roster->next != roster->born || count_in(world, list) != roster->born;
    for (int i = 0; i < count_in(world, list) && !live; i++)
        live = ((const rv_name *)item_at(world, list, i))->changed;
    return live;
}

static size_t saved_item(rv_list list)
{
    return sizeof(saved_name) + kind_of(list).def;
}

size_t rv_live_bytes(const rv_world *world)
{
    size_t bytes = RV_LISTS * sizeof(saved_list);
    for (int l = 0; l < RV_LISTS; l++)
        if (is_live(world, (rv_list)l))
            bytes += (size_t)count_in(world, (rv_list)l) * saved_item((rv_list)l);
    return bytes;
}

void rv_live_save(const rv_world *world, unsigned char *to)
{
    for (int l = 0; l < RV_LISTS; l++) {
        rv_list list = (rv_list)l;
        kind k = kind_of(list);
        bool live = is_live(world, list);
        saved_list head = {world->roster[l].born, world->roster[l].next, live,
                           live ? count_in(world, list) : 0};
        memcpy(to, &head, sizeof head);
        to += sizeof head;
        for (int i = 0; i < head.count; i++, to += saved_item(list)) {
            const char *from = item_at(world, list, i);
            const rv_name *own = (const rv_name *)(const void *)from;
            saved_name name = {own->number, own->changed};
            memcpy(to, &name, sizeof name);
            memcpy(to + sizeof name, from + k.def_at, k.def);
        }
    }
}

// The definition of a saved item, by a table's check good or not.
static bool item_good(const rv_list list, const unsigned char *from, const saved_list *head,
                      int before)
{
    rv_messages unread = {0};
    saved_name name;
    item def;
    memcpy(&name, from, sizeof name);
    if (name.number <= before || name.number >= head->next) return false;
    if (name.changed != 0 && name.changed != 1) return false;
    if (!name.changed && name.number >= head->born) return false;
    memcpy(&def, from + sizeof name, kind_of(list).def);
    return rv_table_check(kind_of(list).table, &def, "", &unread);
}

const char *rv_live_good(const rv_world *world, const unsigned char *from, size_t bytes)
{
    const unsigned char *end = from + bytes;
    for (int l = 0; l < RV_LISTS; l++) {
        rv_list list = (rv_list)l;
        rv_messages unread = {0};
        saved_list head;
        if ((size_t)(end - from) < sizeof head) return "damaged";
        memcpy(&head, from, sizeof head);
        from += sizeof head;
        if (head.count < 0 || head.born < 0 || head.next < head.born) return "damaged";
        if ((size_t)(end - from) / saved_item(list) < (size_t)head.count) return "damaged";
        if (head.live && head.born != world->roster[l].born)
            return "of a scene with another number of sources, drains or emitters, which were "
                   "changed while it ran";
        if (head.count > 0 && !has_list(world, list, &unread)) return "of another solver";
        if (head.count > 0 && world->cut && list == RV_EMITTERS && !world->terrain)
            return "of a world with emitters: terrain.keep must be true while processes share the "
                   "grid";
        for (int i = 0, before = -1; i < head.count; i++, from += saved_item(list)) {
            if (!item_good(list, from, &head, before)) return "damaged";
            saved_name name;
            memcpy(&name, from, sizeof name);
            before = name.number;
        }
    }
    return from == end ? NULL : "damaged";
}

bool rv_live_room(rv_world *world, const unsigned char *from)
{
    for (int l = 0; l < RV_LISTS; l++) {
        saved_list head;
        memcpy(&head, from, sizeof head);
        from += sizeof head + (size_t)head.count * saved_item((rv_list)l);
        int need = head.count > world->roster[l].born ? head.count : world->roster[l].born;
        if (!grow(world, (rv_list)l, need)) return false;
    }
    return true;
}

// One list as it was saved, or as the definition has it; their columns are found in the next step.
static void restore_list(rv_world *world, rv_list list, const saved_list *head,
                         const unsigned char *from)
{
    kind k = kind_of(list);
    rv_roster *roster = &world->roster[list];
    int count = head->live ? head->count : roster->born;
    for (int i = 0; i < count_in(world, list); i++) release(world, list, item_at(world, list, i));
    for (int i = 0; i < count; i++) {
        char *to = item_at(world, list, i);
        saved_name name = {i, 0};
        if (head->live) memcpy(&name, from + (size_t)i * saved_item(list), sizeof name);
        const void *def = name.changed
                              ? (const void *)(from + (size_t)i * saved_item(list) + sizeof name)
                              : (const char *)roster->first + (size_t)name.number * k.def;
        memset(to, 0, k.size);
        *(rv_name *)(void *)to = (rv_name){name.number, name.changed != 0};
        memcpy(to + k.def_at, def, k.def);
    }
    *count_of(world, list) = count;
    roster->next = head->live ? head->next : roster->born;
    world->stale_feeds = world->press.stale = true;
}

void rv_live_restore(rv_world *world, const unsigned char *from)
{
    for (int l = 0; l < RV_LISTS; l++) {
        rv_list list = (rv_list)l;
        saved_list head;
        memcpy(&head, from, sizeof head);
        from += sizeof head;
        if (head.live || is_live(world, list)) restore_list(world, list, &head, from);
        from += (size_t)head.count * saved_item(list);
    }
}

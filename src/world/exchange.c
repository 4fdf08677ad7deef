// The list of what the world gives to columns and takes from them. Bodies, sources and spray put
// entries into it, and the solver takes all of them in order when somebody needs to know what came
// of them, or when the list is full. So a substep's pushes go to the solver as one list.
#include "world/world_internal.h"

double rv_world_trade(rv_world *world)
{
    rv_exchange *x = &world->exchange;
    if (x->count == 0) return 0;
    world->api->exchange(world->solver, x->entry, x->count);
    const rv_entry *last = &x->entry[x->count - 1];
    for (int i = 0; i < x->count; i++) {
        if (x->entry[i].kind != RV_ENTRY_ADD) continue;
        x->given += x->entry[i].done;
        x->steps += (int64_t)(x->entry[i].done * x->scale);
    }
    x->carried = last->kind == RV_ENTRY_PUSH && last->hands_on ? last->done : 0;
    x->count = 0;
    return last->done;
}

static void put(rv_world *world, rv_entry entry)
{
    rv_exchange *x = &world->exchange;
    if (x->count == RV_EXCHANGE_ROOM) rv_world_trade(world);
    if (entry.kind == RV_ENTRY_PUSH) entry.amount = x->carried + entry.amount;
    x->carried = 0;
    x->entry[x->count++] = entry;
}

void rv_world_put_add(rv_world *world, size_t slot, double depth)
{
    put(world, (rv_entry){.kind = RV_ENTRY_ADD, .slot = slot, .amount = depth});
}

void rv_world_put_push(rv_world *world, size_t slot, double x, double y)
{
    put(world, (rv_entry){.kind = RV_ENTRY_PUSH, .slot = slot, .amount = 1, .x = x, .y = y});
}

void rv_world_put_drag(rv_world *world, size_t slot, double amount, double x, double y,
                       double seconds)
{
    put(world, (rv_entry){.kind = RV_ENTRY_PUSH,
                          .hands_on = true,
                          .slot = slot,
                          .amount = amount,
                          .x = x,
                          .y = y,
                          .seconds = seconds});
}

void rv_world_end_drag(rv_world *world)
{
    rv_exchange *x = &world->exchange;
    if (x->count > 0) x->entry[x->count - 1].hands_on = false;
    x->carried = 0;
}

double rv_world_add(rv_world *world, size_t slot, double depth)
{
    rv_world_put_add(world, slot, depth);
    return rv_world_trade(world);
}

double rv_world_add_still(rv_world *world, size_t slot, double depth)
{
    put(world, (rv_entry){.kind = RV_ENTRY_ADD, .still = true, .slot = slot, .amount = depth});
    return rv_world_trade(world);
}

bool rv_world_push(rv_world *world, size_t slot, double x, double y)
{
    rv_world_put_push(world, slot, x, y);
    return rv_world_trade(world) == 0;
}

double rv_world_take_crest(rv_world *world, const rv_entry *entry)
{
    put(world, *entry);
    return rv_world_trade(world);
}

void rv_world_begin_giving(rv_world *world, double scale)
{
    rv_world_trade(world);
    world->exchange.given = 0, world->exchange.steps = 0, world->exchange.scale = scale;
}

double rv_world_end_giving(rv_world *world)
{
    const rv_exchange *x = &world->exchange;
    rv_world_trade(world);
    return x->scale > 0 ? (double)x->steps / x->scale : x->given;
}

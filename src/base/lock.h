// A lock for what the first of several readers makes and all others then only look at: views that
// functions of a const world show. It is held shortly and seldom, so it spins.
#ifndef RV_BASE_LOCK_H
#define RV_BASE_LOCK_H

#include <sched.h>
#include <stdatomic.h>

typedef struct rv_lock {
    atomic_int taken; // 0: free
} rv_lock;

static inline void rv_lock_take(rv_lock *lock)
{
    while (atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire)) sched_yield();
}

static inline void rv_lock_give(rv_lock *lock)
{
    atomic_store_explicit(&lock->taken, 0, memory_order_release);
}

#endif

// rivulet/base.h: results, messages, memory, logging and threads. Everything else builds on these.
//
// Units are SI throughout: metre, second, kilogram, radian. z is up.
#ifndef RIVULET_BASE_H
#define RIVULET_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a library shows to those who link it; all else of it is hidden.
#if defined(__GNUC__)
#define RV_API __attribute__((visibility("default")))
#else
#define RV_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define RV_VERSION_MAJOR 1
#define RV_VERSION_MINOR 0
#define RV_VERSION_PATCH 0

// The version of the library that is linked, "0.1.0".
RV_API const char *rv_version(void);

typedef struct rv_vec3 {
    double x, y, z;
} rv_vec3;

typedef enum rv_result {
    RV_OK = 0,
    RV_BAD_ARGUMENT,  // a definition or argument is out of range; the message names it
    RV_OUT_OF_MEMORY, // the allocator returned NULL; nothing was changed
    RV_BAD_DATA,      // a file, snapshot or buffer cannot be had, is damaged, or does not fit
    RV_DEVICE_LOST,   // a graphics card that a world lived on failed (device.h)
    RV_RANK_LOST,     // another process of those that share a world is gone (ranks.h)
} rv_result;

// One line of text for a result, never NULL.
RV_API const char *rv_result_text(rv_result result);

// Problems found while checking a definition: one line each, all of them, not only the first.
// Start from `rv_messages m = {0};`. Text past the end of the buffer is dropped, the count goes on.
typedef struct rv_messages {
    int count;
    size_t used;
    char text[8192]; // lines separated by '\n', zero-terminated
} rv_messages;

// Appends one formatted line.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
RV_API void
rv_messages_add(rv_messages *messages, const char *format, ...);

// Memory given by the host. `allocate` returns at least 64-byte aligned memory or NULL.
typedef struct rv_allocator {
    void *(*allocate)(size_t bytes, void *user);
    void (*release)(void *memory, size_t bytes, void *user);
    void *user;
} rv_allocator;

RV_API rv_allocator rv_default_allocator(void);

typedef enum rv_log_level { RV_LOG_DEBUG, RV_LOG_INFO, RV_LOG_WARNING } rv_log_level;

// Where the library says something that is not an error. NULL `write`: silence (the default).
typedef struct rv_logger {
    void (*write)(rv_log_level level, const char *line, void *user);
    void *user;
} rv_logger;

// A pool of threads. Work items are claimed atomically, so a task must not depend on which thread
// runs it or in which order; then results do not depend on the number of threads. Worlds may share a
// pool and step at the same time: whoever finds it busy does its work on its own thread.
typedef struct rv_pool rv_pool;
typedef void rv_task(void *context, int item);

// threads >= 1 counts the calling thread; 1 makes no thread at all. NULL when it cannot be had.
RV_API rv_pool *rv_pool_create(int threads);

// A host's own threads. `parallel_for` runs task(context, 0 … items-1), each item once, on any threads and in any
// order, the calling thread among them or not, and returns when all are done. A pool calls it from one thread at a time,
// never from within an item, some hundred times a second with some ten microseconds of work an item.
typedef struct rv_job_system {
    void (*parallel_for)(void *user, int items, rv_task *task, void *context);
    void *user;
    int threads; // that may run items at the same time: into how many parts work is divided, 1 to 1024
} rv_job_system;

// A pool that makes no threads and hands all work to the host. NULL: no function, or no such number of threads. Results
// are those of any other pool, bit for bit.
RV_API rv_pool *rv_pool_create_for(const rv_job_system *jobs);
RV_API void rv_pool_destroy(rv_pool *pool);
RV_API int rv_pool_threads(const rv_pool *pool); // 1 for NULL
// Runs task(context, 0 … items-1), returns when all are done. NULL pool, or one that is busy: runs
// them here, in order.
RV_API void rv_parallel_for(rv_pool *pool, int items, rv_task *task, void *context);

// Cores this process may use.
RV_API int rv_hardware_threads(void);

// The environment variable RIVULET_ISA, where it is set, chooses the instruction set: "avx512", "avx2" or "baseline".
// Results are the same, bit for bit. false, and one line: it is another word, or a set that this machine lacks; worlds
// are refused then too.
RV_API bool rv_instructions_check(rv_messages *messages);

#ifdef __cplusplus
}
#endif
#endif

// rivulet/frame.h: asking a world from other threads while it steps: for haptics, sound, a game's own logic.
//
//     rv_world_share(world, 1, &messages);              // once; one other thread will ask
//     ...                                               // this thread goes on with rv_world_step
//
//     const rv_frame *frame = rv_world_take_frame(world); // in the other thread, as often as it likes
//     rv_frame_sample(frame, points, n, samples);
//     rv_frame_release(frame);
//
// At the end of each step the world copies what questions need into a frame and publishes it. A frame that was taken
// is the whole of one moment and does not change until it is released. Nobody waits for anybody: taking and releasing
// need no lock, and a step writes into a frame that nobody holds. Worlds that are not shared pay nothing.
#ifndef RIVULET_FRAME_H
#define RIVULET_FRAME_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rv_frame rv_frame;

#define RV_FRAME_READERS_MAX 64

// Publishes the world as it is, and from now on after each step. `readers`: frames that are held at the same time while
// the world steps, as a rule one for each thread that asks; memory is taken for two more. 0: no longer. While a frame
// is held none of this can change, nor may the world be destroyed: RV_BAD_ARGUMENT.
RV_API rv_result rv_world_share(rv_world *world, int readers, rv_messages *messages);
// Publishes the world as it is now: after it was changed without a step (poured, edited, restored). By the thread that
// steps it. RV_BAD_ARGUMENT: it is not shared, or more frames are held than it was told; RV_OUT_OF_MEMORY: for columns
// that edits made. Then the last frame stays.
RV_API rv_result rv_world_publish(rv_world *world);

// The last frame that was published; by any thread, at any time while the world lives. NULL: the world is not shared.
// Each that was taken must be released.
RV_API const rv_frame *rv_world_take_frame(const rv_world *world);
RV_API void rv_frame_release(const rv_frame *frame);

typedef struct rv_frame_info {
    double time;    // s, simulated
    int64_t steps;  // of the world
    int64_t number; // counts frames that were published, from 1
    int64_t missed; // times so far that there was nothing published, because all frames were held
} rv_frame_info;

RV_API rv_result rv_frame_get_info(const rv_frame *frame, rv_frame_info *out);

// As rv_world_sample, rv_world_cast and rv_world_distance were when it was published (levels and velocities to single
// precision), and faster: 10,000 points take about a millisecond. Several threads may ask one frame at once.
RV_API void rv_frame_sample(const rv_frame *frame, const rv_vec3 *points, int n, rv_sample *out);
RV_API void rv_frame_cast(const rv_frame *frame, const rv_ray *rays, int n, rv_hit *out);
RV_API void rv_frame_distance(const rv_frame *frame, const rv_vec3 *points, int n, float *out);
// As rv_world_get_body: where a body was, and the forces on it.
RV_API rv_result rv_frame_get_body(const rv_frame *frame, int body, rv_body_state *out);

#ifdef __cplusplus
}
#endif
#endif

// A second thread asks where the liquid is while the first steps the world, adds a source and tilts
// it, as a haptic loop or a game's own logic would.
//
//     cc ask.c $(pkg-config --cflags --libs rivulet) -pthread -o ask
#include <rivulet/rivulet.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_bool over;

static void *ask(void *world)
{
    const rv_vec3 west = {-0.03, 0, 0.04}, east = {0.03, 0, 0.04}, points[] = {west, east};
    double last = -1;
    while (!atomic_load(&over)) {
        const rv_frame *frame = rv_world_take_frame(world); // the whole of one moment
        rv_frame_info info;
        rv_sample at[2];
        rv_frame_get_info(frame, &info);
        rv_frame_sample(frame, points, 2, at);
        rv_frame_release(frame);
        if (info.time < last + 0.25) continue;
        printf("%.2f s: %6.3f mm in the west, %6.3f mm in the east\n", info.time, at[0].depth * 1e3,
               at[1].depth * 1e3);
        last = info.time;
    }
    return NULL;
}

int main(void)
{
    rv_world_def def = rv_default_world_def(); // a bare tray, 10 × 10 cm
    rv_source_def tap = rv_default_source_def();
    rv_messages messages = {0};
    rv_world *world;
    pthread_t thread;
    int number;
    if (rv_world_create(&def, &world, &messages) != RV_OK ||
        rv_world_share(world, 1, &messages) != RV_OK || pthread_create(&thread, NULL, ask, world)) {
        fprintf(stderr, "%s\n", messages.text);
        return 1;
    }
    tap.at.z = 0.04, tap.radius = 0.005, tap.rate = 3e-5;
    rv_world_add_source(world, &tap, &number, &messages);
    for (int frame = 0; frame < 200; frame++) {
        rv_params params = *rv_world_params(world);
        if (frame == 100) params.gravity.x = 1, rv_world_remove_source(world, number);
        rv_world_set_params(world, &params, &messages); // from then on it leans to the east
        rv_world_step(world, 0.01);
    }
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    rv_world_destroy(world);
    return 0;
}

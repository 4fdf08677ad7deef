// Any bytes as a scene file. What it refers to is not loaded.
#include "fuzz/fuzz.h"
#include "io/scene_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rv_scene_file scene;
    rv_messages messages = {0};
    bool good = rv_scene_load_memory((const char *)data, size, "file", &scene, &messages);
    expect(good == (messages.count == 0));
    if (good) expect(scene.params.grid_nx > 0 && scene.solid_count >= 0);
    rv_scene_free(&scene);
    return 0;
}

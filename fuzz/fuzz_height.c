// Any bytes as a height map in PNG.
#include "fuzz/fuzz.h"
#include "io/height_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rv_height_file map;
    rv_messages messages = {0};
    bool good = rv_height_file_load_memory(data, size, "file", &map, &messages);
    expect_message(good, &messages);
    for (int i = 0; good && i < map.nx * map.ny; i++)
        expect(map.share[i] >= 0 && map.share[i] <= 1);
    rv_height_file_free(&map);
    return 0;
}

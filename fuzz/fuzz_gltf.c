// Any bytes as a mesh in glTF, or GLB when they begin like one.
#include "fuzz/fuzz.h"

FUZZ_ASSIMP_LEAKS

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_mesh(data, size, size >= 4 && memcmp(data, "glTF", 4) == 0 ? "glb" : "gltf");
    return 0;
}

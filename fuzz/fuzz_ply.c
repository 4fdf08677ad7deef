// Any bytes as a mesh in PLY.
#include "fuzz/fuzz.h"

FUZZ_ASSIMP_LEAKS

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_mesh(data, size, "ply");
    return 0;
}

// Any bytes as a mesh in OBJ.
#include "fuzz/fuzz.h"

FUZZ_ASSIMP_LEAKS

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_mesh(data, size, "obj");
    return 0;
}

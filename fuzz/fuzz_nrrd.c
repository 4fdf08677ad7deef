// Any bytes as an NRRD volume.
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_volume(data, size, "nrrd");
    return 0;
}

// Any bytes as a NIfTI volume, plain or gzipped.
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_volume(data, size, "nii");
    return 0;
}

// Any bytes as a picture of the surroundings.
#include "fuzz/fuzz.h"
#include "io/hdr_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rv_hdr_file picture;
    rv_messages messages = {0};
    bool good = rv_hdr_file_load_memory(data, size, "file", &picture, &messages);
    expect_message(good, &messages);
    size_t count = (size_t)picture.width * (size_t)picture.height * 3;
    expect(good == (picture.rgb != NULL) && good == (count > 0));
    for (size_t i = 0; i < count; i++) expect(isfinite(picture.rgb[i]) && picture.rgb[i] >= 0);
    rv_hdr_file_free(&picture);
    return 0;
}

// Any bytes as a study file. Runs are not made; what they would be is asked for.
#include "fuzz/fuzz.h"
#include "rivulet_io/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rv_study *study;
    rv_messages messages = {0};
    rv_result result =
        rv_study_open_memory((const char *)data, size, "file.yaml", &study, &messages);
    expect((result == RV_OK) == (messages.count == 0) && (result == RV_OK) == (study != NULL));
    if (study) {
        rv_study_info info;
        char text[160];
        expect(rv_study_get_info(study, &info) == RV_OK && info.runs > 0 && info.time > 0);
        for (int k = 0; k < info.parameters; k++)
            for (int run = 1; run <= info.runs && run <= 20; run++)
                expect(rv_study_get_value(study, run, k, text, sizeof text, NULL) == RV_OK &&
                       text[0]);
    }
    rv_study_close(study);
    return 0;
}

// Which loops are taken. All sets give the same bits, so the choice is one of speed alone; the
// environment variable RIVULET_ISA makes it, for tests and to take a processor's set out of the
// question.
#include "base/isa.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[RV_ISA_COUNT] = {"baseline", "avx2", "avx512"};

static bool has(rv_isa isa)
{
    if (isa == RV_ISA_BASELINE) return true;
#ifdef RV_HAVE_X86_ISAS
    if (isa == RV_ISA_AVX2) return __builtin_cpu_supports("avx2") != 0;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

rv_isa rv_isa_named(const char *name)
{
    for (int i = 0; i < RV_ISA_COUNT; i++)
        if (strcmp(name, names[i]) == 0 && has((rv_isa)i)) return (rv_isa)i;
    return RV_ISA_COUNT;
}

// What the environment names; NULL: nothing.
static const char *chosen(void)
{
    const char *word = getenv("RIVULET_ISA");
    return word && word[0] ? word : NULL;
}

rv_isa rv_isa_best(void)
{
    const char *word = chosen();
    rv_isa named = word ? rv_isa_named(word) : RV_ISA_COUNT;
    int best = RV_ISA_COUNT - 1;
    if (named != RV_ISA_COUNT) return named;
    while (!has((rv_isa)best)) best--;
    return (rv_isa)best;
}

bool rv_instructions_check(rv_messages *messages)
{
    const char *word = chosen();
    if (!word || rv_isa_named(word) != RV_ISA_COUNT) return true;
    bool known = false;
    for (int i = 0; i < RV_ISA_COUNT; i++) known = known || strcmp(word, names[i]) == 0;
    if (known)
        rv_messages_add(messages,
                        "RIVULET_ISA=%s: this machine or this build lacks it; it has %s%s", word,
                        has(RV_ISA_AVX2) ? "avx2 and " : "", names[0]);
    else
        rv_messages_add(messages, "RIVULET_ISA=%.40s: not one of avx512, avx2, baseline", word);
    return false;
}

// A substep of layered columns with surface tension that is one call, by groups that wait for each
// other: the processor's bits with one group and with two, while heads of deep liquid are smoothed,
// while puddles sleep and wake, whichever group comes first; and with more groups than the card
// begins at once, which is noticed.
#include "card_failing.h"
#include "card_worlds.h"

#include <string.h>

// A card that says how many groups it runs at the same time, and counts calls of the kernel.
typedef struct counted {
    failing card;
    rv_device device;
    rv_device_kernel *substep;
    int calls;
} counted;

static rv_result note_kernel(void *user, const char *name, const char *const *text, int parts,
                             rv_device_kernel **out, rv_messages *messages)
{
    counted *c = user;
    rv_result result = more_words(&c->card, name, text, parts, out, messages);
    if (strcmp(name, "substep") == 0) c->substep = *out;
    return result;
}

static rv_result note_dispatch(void *user, const rv_device_call *call)
{
    counted *c = user;
    if (call->kernel == c->substep) c->calls++;
    return c->card.real->dispatch(c->card.real->user, call);
}

static void begin(counted *c, void **state, uint32_t together, const char *words)
{
    *c = (counted){.card = {device_of(state), -1, -1, words}};
    c->device = failing_device(&c->card);
    c->device.make_kernel = note_kernel, c->device.dispatch = note_dispatch;
    c->device.user = c, c->device.together = together;
}

static void test_layers(void **state)
{
    for (uint32_t together = 1; together <= 2; together++) {
        counted c;
        small_world s;
        begin(&c, state, together, NULL);
        small_layers(&s, RV_SOLVER_PIPES);
        same_after(&s.def, &c.device, 3, 0.004);
        assert_in_range(c.calls, 2, 1000);
        begin(&c, state, together, NULL);
        small_layers(&s, RV_SOLVER_SWE);
        s.def.params.swe_advection = together == 1 ? RV_SWE_SEMI : s.def.params.swe_advection;
        same_after(&s.def, &c.device, 2, 0.004);
        assert_in_range(c.calls, 2, 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}

// Heads of layered columns in one call, by groups that wait for each other: the processor's bits
// with one group and with two, in deep liquid that odd pipes join, while puddles fall asleep and
// wake, and whichever group comes first; and with more groups than the card begins at once, which
// is noticed. And the card is told to begin before all is asked for.
#include "card_failing.h"
#include "card_worlds.h"

#include <string.h>

// A card that says how many groups it runs at the same time; of which some calls are counted.
typedef struct counted {
    failing card;
    rv_device device;
    rv_device_kernel *met;
    int calls;          // of that kernel
    int fences, passed; // and those of the fences that were passed
} counted;

static rv_result note_kernel(void *user, const char *name, const char *const *text, int parts,
                             rv_device_kernel **out, rv_messages *messages)
{
    counted *c = user;
    failing card = c->card;
    bool met = strcmp(name, "met_heads") == 0;
    if (!met) card.words = NULL; // others are tested elsewhere, and take long to make
    rv_result result = more_words(&card, name, text, parts, out, messages);
    if (met) c->met = *out;
    return result;
}

static rv_result note_dispatch(void *user, const rv_device_call *call)
{
    counted *c = user;
    if (call->kernel == c->met) c->calls++;
    return fail_dispatch(user, call);
}

static rv_result note_fence(void *user, rv_device_ticket *out)
{
    counted *c = user;
    c->fences++;
    return pass_fence(user, out);
}

static rv_result note_passed(void *user, rv_device_ticket ticket, bool wait, bool *done)
{
    counted *c = user;
    rv_result result = pass_passed(user, ticket, wait, done);
    c->passed += *done;
    return result;
}

// Functions of card_failing.h find the first member.
static void begin(counted *c, void **state, uint32_t together, const char *words)
{
    *c = (counted){.card = {device_of(state), -1, -1, words}};
    c->device = failing_device(&c->card);
    c->device.make_kernel = note_kernel, c->device.dispatch = note_dispatch;
    c->device.fence = note_fence, c->device.passed = note_passed;
    c->device.together = together;
}

// A pool under a deck with an open side: pipes join deep columns of two layers, and a level is
// held. Without passages, of which the processor would have to know in every substep.
static void deck(small_world *s, rv_solver_kind solver)
{
    small_grid(s, solver, 40, 20, 1e-3);
    rv_params *p = &s->def.params;
    p->tension_on = true, p->grid_top = 0.03, p->pipes_passages = RV_PASSAGES_NONE;
    p->border_east = RV_BORDER_LEVEL, p->border_east_level = 0.018;
    s->solid[0] = box_between(RV_UNION, -1, 0.002, 0.009, 0.011);
    s->fill[0].level = 0.019, s->fill[1].level = 0.021, s->fill[1].to.x = -0.004;
    s->def.solids = s->solid, s->def.solid_count = 1;
    s->def.fills = s->fill, s->def.fill_count = 2;
}

static void test_layers(void **state)
{
    for (uint32_t together = 1; together <= 2; together++) {
        counted c;
        small_world s;
        begin(&c, state, together, NULL);
        deck(&s, together == 1 ? RV_SOLVER_PIPES : RV_SOLVER_SWE);
        same_after(&s.def, &c.device, 3, 0.004);
        assert_in_range(c.calls, 3, 1000);
    }
}

// Groups in another order than the card begins them in.
static void test_turned(void **state)
{
    static const char *const orders[] = {"#define TURNED 1\n", "#define TURNED 2\n"};
    for (int k = 0; k < 2; k++) {
        counted c;
        small_world s;
        begin(&c, state, 2, orders[k]);
        deck(&s, RV_SOLVER_PIPES);
        same_after(&s.def, &c.device, 2, 0.004);
        assert_in_range(c.calls, 2, 1000);
    }
}

// Those that come wait in vain, once for each number of groups that is tried.
static void test_missed(void **state)
{
    counted c;
    small_world s;
    begin(&c, state, 1000, NULL);
    deck(&s, RV_SOLVER_PIPES);
    same_after(&s.def, &c.device, 2, 0.004);
    assert_in_range(c.calls, 1, 40);
}

// A puddle beside an open border falls asleep, and wakes when somebody pours beside it.
static void test_rest(void **state)
{
    counted c;
    small_world s;
    begin(&c, state, 2, NULL);
    small_grid(&s, RV_SOLVER_PIPES, 32, 48, 1e-3);
    rv_params *p = &s.def.params;
    p->tension_on = true, p->grid_top = 0.03, p->border_west = RV_BORDER_OPEN;
    p->liquid_viscosity = 1e-4, p->tension_rest = 1e-3; // comes to rest soon
    s.solid[0].shape = RV_SHAPE_PLANE, s.solid[0].at.z = 4e-3, s.def.solid_count = 1;
    s.fill[0].kind = RV_FILL_DROP, s.fill[0].radius = 3e-3, s.fill[0].volume = 2e-8;
    s.fill[0].at = (rv_vec3){0, -0.014, 0.02};
    s.def.fills = s.fill, s.def.fill_count = 1;
    rv_world *world[2];
    world[0] = make(&s.def);
    s.def.device = &c.device, world[1] = make(&s.def);
    int steps = 0;
    size_t size = 0;
    while ((steps < 10 || stats_of(world[0]).fastest > 0.0) && steps++ < 400)
        run(world[0], 1, 0.01);
    assert_in_range(steps, 11, 399);
    rv_world_destroy(world[0]);
    s.def.device = NULL, world[0] = make(&s.def);
    run(world[0], steps - 4, 0.01);
    unsigned char *kept = save(world[0], &size);
    assert_int_equal(rv_world_restore(world[1], kept, size, NULL), RV_OK);
    free(kept);
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < 2; k++) {
            if (i == 6) rv_world_pour(world[k], (rv_vec3){0, -0.004, 0.02}, 0.003, 6e-7);
            run(world[k], 1, 0.01);
        }
        assert_true(rv_world_hash(world[0]) == rv_world_hash(world[1]));
    }
    assert_in_range(c.calls, 6, 10000);
    rv_world_destroy(world[0]), rv_world_destroy(world[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers), cmocka_unit_test(test_turned), cmocka_unit_test(test_missed),
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}

// base/exact.h beside the C library: within some units in the last place, whatever that rounds to.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/exact.h"

#include <float.h>

static void cube_roots(void **state)
{
    (void)state;
    for (int e = -300; e <= 300; e++) {
        for (int k = 0; k < 40; k++) {
            double v = ldexp(1 + k / 40.0, e), want = cbrt(v);
            assert_true(fabs(rv_cube_root(v) - want) <= 2 * DBL_EPSILON * want);
        }
    }
    assert_true(rv_cube_root(0) == 0 && rv_cube_root(-1) == 0);
    assert_true(rv_cube_root(27) == 3 && rv_cube_root(0.125) == 0.5);
}

static void cosines_and_sines(void **state)
{
    (void)state;
    for (int k = -4000; k <= 4000; k++) {
        double turns = k / 777.0, c, s, way = 2 * 3.14159265358979323846 * (turns - floor(turns));
        rv_cos_sin(turns, &c, &s);
        assert_true(fabs(c - cos(way)) < 4e-15 && fabs(s - sin(way)) < 4e-15);
    }
    double c, s;
    rv_cos_sin(2.75, &c, &s);
    assert_true(c == 0 && s == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_roots),
        cmocka_unit_test(cosines_and_sines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

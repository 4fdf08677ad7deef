// Pictures made of several: which are taken while a shutter is open, and what their mean is.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app/exposure.h"

#include <math.h>

static void test_off(void **state)
{
    (void)state;
    rv_exposure e;
    assert_true(rv_exposure_start(&e, 4, 4, false, 0, 16, 8));
    assert_null(e.sum);
    rv_exposure_free(&e);
}

// A mean of light: half of black and half of white is 188, not 128.
static void test_mean(void **state)
{
    (void)state;
    rv_exposure e;
    uint8_t black[3] = {0, 0, 0}, white[3] = {255, 255, 255}, out[3];
    assert_true(rv_exposure_start(&e, 1, 1, false, 0.5, 16, 8));
    rv_exposure_add(&e, black);
    rv_exposure_add(&e, white);
    rv_exposure_develop(&e, out);
    assert_int_equal(out[0], 188);
    rv_exposure_add(&e, white); // the first one is gone
    rv_exposure_develop(&e, out);
    assert_int_equal(out[2], 255);
    rv_exposure_free(&e);
}

static int taken_in(rv_exposure *e, int frames)
{
    uint8_t pixel[3] = {9, 9, 9};
    for (int k = 0; k < frames; k++) {
        int due = rv_exposure_due(e, k == frames - 1);
        for (int n = 0; n < due; n++) rv_exposure_add(e, pixel);
    }
    int taken = e->taken;
    rv_exposure_develop(e, pixel);
    assert_int_equal(pixel[0], 9);
    return taken;
}

static void test_how_many(void **state)
{
    (void)state;
    rv_exposure e;
    // A shutter alone takes one a step, at most those asked for.
    assert_true(rv_exposure_start(&e, 1, 1, false, 0.5, 16, 8));
    assert_int_equal(taken_in(&e, 8), 8);
    rv_exposure_free(&e);
    assert_true(rv_exposure_start(&e, 1, 1, false, 1, 4, 32));
    assert_int_equal(taken_in(&e, 32), 4);
    assert_int_equal(taken_in(&e, 1), 1); // a film that ends in between still has a picture
    rv_exposure_free(&e);
    // A lens takes all of them, over the steps that there are.
    assert_true(rv_exposure_start(&e, 1, 1, true, 0, 16, 0));
    assert_int_equal(taken_in(&e, 1), 16);
    rv_exposure_free(&e);
    assert_true(rv_exposure_start(&e, 1, 1, true, 1, 16, 3));
    assert_int_equal(taken_in(&e, 3), 16);
    rv_exposure_free(&e);
}

static void test_lens_is_filled(void **state)
{
    (void)state;
    rv_exposure e;
    uint8_t pixel[3] = {0};
    double sum[2] = {0, 0}, far = 0;
    assert_true(rv_exposure_start(&e, 1, 1, true, 0, 64, 0));
    for (int n = 0; n < 64; n++) {
        double p[2];
        rv_exposure_place(&e, p);
        sum[0] += p[0], sum[1] += p[1], far = fmax(far, hypot(p[0], p[1]));
        rv_exposure_add(&e, pixel);
    }
    assert_true(far > 0.95 && far <= 1);
    assert_true(fabs(sum[0]) / 64 < 0.03 && fabs(sum[1]) / 64 < 0.03);
    rv_exposure_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_off),
        cmocka_unit_test(test_mean),
        cmocka_unit_test(test_how_many),
        cmocka_unit_test(test_lens_is_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

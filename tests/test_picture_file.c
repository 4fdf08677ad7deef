// Pictures that a scene brings: what they are as light and as a map, what is refused, and the keys
// of scene files that name them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file_bytes.h"
#include "io/image.h"
#include "io/picture_file.h"
#include "io/scene_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { W = 24, H = 16 };

// White above, a dark grey below.
static void fill(uint8_t *rgb)
{
    for (int n = 0; n < W * H * 3; n++) rgb[n] = n < W * H * 3 / 2 ? 255 : 64;
}

static void check_light(const rv_picture_file *p)
{
    assert_int_equal(p->width, W);
    assert_int_equal(p->height, H);
    assert_int_equal(p->channels, 3);
    assert_true(p->value[0] > 3);                    // white is a lamp
    float low = p->value[3 * (W * (H - 1) + W / 2)]; // 64 of sRGB is 0.0513
    assert_true(fabs((double)low - 0.0513) < 0.004);
}

static void test_png_and_jpeg(void **state)
{
    (void)state;
    static const char *const names[] = {"halves.png", RV_SOURCE_DIR "/tests/data/halves.jpg"};
    uint8_t rgb[W * H * 3];
    rv_picture_file p;
    rv_messages m = {0};
    fill(rgb);
    if (!rv_image_write_png(names[0], rgb, W, H, &m)) fail_msg("%s", m.text);
    for (int n = 0; n < 2; n++) {
        if (!rv_picture_load(names[n], &p, &m)) fail_msg("%s", m.text);
        check_light(&p);
        rv_picture_free(&p);
        if (!rv_picture_load_map(names[n], &p, &m)) fail_msg("%s", m.text);
        assert_int_equal(p.channels, 1);
        assert_true(p.value[0] > 0.99f && fabsf(p.value[W * (H - 1)] - 64.0f / 255) < 0.02f);
        rv_picture_free(&p);
    }
}

// At every length: refused with one line, or read (a JPEG may lack its end), never more than that.
static void test_cut_short(void **state)
{
    (void)state;
    static const char *const names[] = {"halves.png", RV_SOURCE_DIR "/tests/data/halves.jpg"};
    for (int n = 0; n < 2; n++) {
        rv_file_bytes file;
        rv_messages m = {0};
        int refused = 0;
        if (!rv_file_read(names[n], 1 << 20, &file, &m)) fail_msg("%s", m.text);
        for (size_t size = 0; size < file.size; size += 3) {
            rv_picture_file p;
            rv_messages why = {0};
            // Behind the end there is memory that may not be read.
            void *copy = malloc(size + 1);
            assert_non_null(copy);
            memcpy(copy, file.data, size);
            if (rv_picture_load_memory(copy, size, "p", 3, &p, &why))
                rv_picture_free(&p);
            else
                assert_int_equal(why.count, 1), refused++;
            free(copy);
        }
        assert_true(refused > 20);
        rv_file_bytes_free(&file);
    }
    rv_picture_file p;
    rv_messages m = {0};
    assert_false(rv_picture_load_memory("GIF89a", 6, "p.gif", 3, &p, &m));
    assert_string_equal(m.text, "p.gif: is neither a PNG nor a JPEG");
}

static void test_alpha_is_written(void **state)
{
    (void)state;
    uint8_t rgba[W * H * 4];
    rv_picture_file p;
    rv_messages m = {0};
    for (int n = 0; n < W * H * 4; n++) rgba[n] = (uint8_t)(n % 4 == 3 ? 7 : 255);
    if (!rv_image_write_png_alpha("alpha.png", rgba, W, H, &m)) fail_msg("%s", m.text);
    FILE *file = fopen("alpha.png", "rb");
    unsigned char head[26];
    assert_non_null(file);
    assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
    fclose(file);
    assert_int_equal(head[25], 6); // colours and alpha
    assert_true(rv_picture_load("alpha.png", &p, &m));
    rv_picture_free(&p);
    assert_false(rv_picture_load("none.png", &p, &m));
    assert_string_equal(m.text, "none.png: no such file");
}

static rv_scene_file scene_of(const char *text)
{
    rv_scene_file s;
    rv_messages m = {0};
    if (!rv_scene_load_memory(text, strlen(text), "some/folder/t.yaml", &s, &m))
        fail_msg("%s", m.text);
    return s;
}

static void test_keys_of_scenes(void **state)
{
    (void)state;
    rv_messages m = {0};
    rv_scene_file s = scene_of("solver: glass\nbackdrop: city.jpg\naffinity: wax.png\n");
    assert_string_equal(s.backdrop, "some/folder/city.jpg");
    assert_string_equal(s.affinity, "some/folder/wax.png");
    assert_true(fabs(s.params.view_azimuth + 1.5708) < 1e-3); // straight on
    assert_true(fabs(s.params.view_elevation - 1.57) < 1e-3);
    assert_true(rv_scene_set(&s, "backdrop=here.png", &m));
    assert_string_equal(s.backdrop, "here.png");
    assert_true(rv_scene_set(&s, "backdrop=street", &m) && rv_scene_set(&s, "affinity=noise", &m));
    assert_null(s.backdrop);
    assert_null(s.affinity);
    assert_false(rv_scene_set(&s, "backdrop=", &m));
    assert_string_equal(m.text, "--set backdrop=: a value is missing, expected a file or street");
    rv_scene_free(&s);
    s = scene_of("solver: glass\nview: {azimuth: -1, elevation: 0.5}\n");
    assert_true(s.params.view_azimuth == -1 && s.params.view_elevation == 0.5);
    rv_scene_free(&s);
}

static void test_affinity_reaches_the_world(void **state)
{
    (void)state;
    uint8_t rgb[W * H * 3];
    rv_messages m = {0};
    rv_form_work work = rv_default_form_work();
    fill(rgb);
    if (!rv_image_write_png("wax.png", rgb, W, H, &m)) fail_msg("%s", m.text);
    rv_scene_file s = scene_of("solver: glass\ngrid: {nx: 40, ny: 30, dx: 1 mm}\n");
    assert_true(rv_scene_set(&s, "affinity=wax.png", &m));
    if (!rv_scene_load_forms(&s, &work, &m)) fail_msg("%s", m.text);
    rv_world_def def = rv_scene_world_def(&s);
    rv_world *world;
    if (rv_world_create(&def, &world, &m) != RV_OK) fail_msg("%s", m.text);
    rv_pane pane;
    assert_int_equal(rv_world_get_pane(world, &pane), RV_OK);
    assert_true(pane.affinity[(size_t)28 * (size_t)pane.pitch + 20] > 0.95f); // the top is white
    assert_true(pane.affinity[(size_t)2 * (size_t)pane.pitch + 20] < 0.3f);
    rv_world_destroy(world);
    rv_scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_png_and_jpeg),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_alpha_is_written),
        cmocka_unit_test(test_keys_of_scenes),
        cmocka_unit_test(test_affinity_reaches_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

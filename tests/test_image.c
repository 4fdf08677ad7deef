// Picture files and films: they read back as written, and failures leave nothing behind.
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/image.h"
#include "io/video.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#define STBI_ONLY_PNG
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

enum { W = 63, H = 41 };

typedef struct room {
    char folder[64], path[128];
    char *search; // PATH as it was
} room;

static int enter(void **state)
{
    room *r = calloc(1, sizeof *r);
    snprintf(r->folder, sizeof r->folder, "/tmp/rivulet-image-XXXXXX");
    if (!r || !mkdtemp(r->folder)) return -1;
    r->search = strdup(getenv("PATH") ? getenv("PATH") : "");
    *state = r;
    return 0;
}

static int each_file(const char *folder, bool erase)
{
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char name[512];
        if (e->d_name[0] == '.') continue;
        count++;
        snprintf(name, sizeof name, "%s/%s", folder, e->d_name);
        if (erase) remove(name);
    }
    if (dir) closedir(dir);
    return count;
}

static int leave(void **state)
{
    room *r = *state;
    setenv("PATH", r->search, 1);
    each_file(r->folder, true);
    rmdir(r->folder);
    free(r->search);
    free(r);
    return 0;
}

static const char *in(room *r, const char *name)
{
    snprintf(r->path, sizeof r->path, "%s/%s", r->folder, name);
    return r->path;
}

static void paint(uint8_t *rgb, int width, int height, int frame)
{
    for (int n = 0; n < width * height; n++) {
        rgb[3 * n] = (uint8_t)(n * 7 + frame * 20), rgb[3 * n + 1] = (uint8_t)(n / width * 5);
        rgb[3 * n + 2] = (uint8_t)(n % width * 4 + frame);
    }
}

static void png_reads_back(void **state)
{
    uint8_t rgb[W * H * 3];
    rv_messages messages = {0};
    paint(rgb, W, H, 0);
    assert_true(rv_image_write_png(in(*state, "a.png"), rgb, W, H, &messages));
    assert_int_equal(messages.count, 0);
    int w, h, channels;
    uint8_t *back = stbi_load(in(*state, "a.png"), &w, &h, &channels, 3);
    assert_non_null(back);
    assert_int_equal(w, W);
    assert_int_equal(h, H);
    assert_int_equal(channels, 3);
    assert_memory_equal(back, rgb, sizeof rgb);
    stbi_image_free(back);
    assert_int_equal(each_file(((room *)*state)->folder, false), 1);
}

static void unwritable_png_is_reported(void **state)
{
    uint8_t rgb[W * H * 3];
    rv_messages messages = {0};
    paint(rgb, W, H, 0);
    assert_false(rv_image_write_png(in(*state, "none/a.png"), rgb, W, H, &messages));
    assert_int_equal(messages.count, 1);
    assert_non_null(strstr(messages.text, "none/a.png"));
    // A folder of that name cannot be replaced, and no part of the file is left beside it.
    assert_int_equal(mkdir(in(*state, "b.png"), 0755), 0);
    assert_false(rv_image_write_png(in(*state, "b.png"), rgb, W, H, &messages));
    assert_int_equal(messages.count, 2);
    assert_int_equal(each_file(((room *)*state)->folder, false), 1);
    assert_int_equal(rmdir(in(*state, "b.png")), 0);
    assert_false(rv_image_write_png(in(*state, "c.png"), rgb, 0, H, &messages));
    assert_int_equal(messages.count, 3);
}

static bool film(room *r, const char *name, int frames, rv_messages *messages)
{
    uint8_t rgb[W * H * 3];
    rv_video *video = rv_video_start(in(r, name), W, H, 25, messages);
    if (!video) return false;
    for (int n = 0; n < frames; n++) {
        paint(rgb, W, H, n);
        if (!rv_video_push(video, rgb)) break;
    }
    return rv_video_finish(video, messages);
}

static void film_has_its_frames(void **state)
{
    room *r = *state;
    rv_messages messages = {0};
    if (system("ffmpeg -version >/dev/null 2>&1") != 0) skip();
    assert_true(film(r, "a.mp4", 10, &messages));
    char command[512], line[128] = "";
    snprintf(command, sizeof command,
             "ffprobe -v error -count_frames -select_streams v -show_entries "
             "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames -of csv=p=0 %s",
             in(r, "a.mp4"));
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(line, sizeof line, pipe));
    pclose(pipe);
    // Odd sizes lose their last column and row.
    assert_string_equal(line, "h264,62,40,yuv420p,25/1,10\n");
    assert_int_equal(each_file(r->folder, false), 1);
}

static void film_can_be_thrown_away(void **state)
{
    room *r = *state;
    rv_messages messages = {0};
    uint8_t rgb[W * H * 3];
    if (system("ffmpeg -version >/dev/null 2>&1") != 0) skip();
    rv_video *video = rv_video_start(in(r, "a.mp4"), W, H, 25, &messages);
    assert_non_null(video);
    paint(rgb, W, H, 0);
    assert_true(rv_video_push(video, rgb));
    rv_video_abort(video);
    rv_video_abort(NULL);
    assert_int_equal(each_file(r->folder, false), 0);
}

static void missing_ffmpeg_is_reported(void **state)
{
    room *r = *state;
    rv_messages messages = {0};
    setenv("PATH", "", 1);
    bool made = film(r, "a.mp4", 1, &messages);
    setenv("PATH", r->search, 1);
    assert_false(made);
    assert_int_equal(messages.count, 1);
    assert_non_null(strstr(messages.text, "ffmpeg"));
    assert_int_equal(each_file(r->folder, false), 0);
}

static void unwritable_film_is_reported(void **state)
{
    rv_messages messages = {0};
    assert_null(rv_video_start(in(*state, "none/a.mp4"), W, H, 25, &messages));
    assert_non_null(strstr(messages.text, "none/a.mp4"));
    assert_null(rv_video_start(in(*state, "a.mp4"), 1, H, 25, &messages));
    assert_null(rv_video_start(in(*state, "a.mp4"), W, H, 0, &messages));
    assert_int_equal(messages.count, 3);
}

// A child that dies in the middle must neither end this process nor leave a film.
static void failing_ffmpeg_is_reported(void **state)
{
    room *r = *state;
    rv_messages messages = {0};
    FILE *script = fopen(in(r, "ffmpeg"), "w");
    assert_non_null(script);
    fputs("#!/bin/sh\necho first >&2\necho the disk is made of cheese >&2\necho >&2\nexit 3\n",
          script);
    fclose(script);
    assert_int_equal(chmod(r->path, 0755), 0);
    setenv("PATH", r->folder, 1);
    bool made = film(r, "a.mp4", 500, &messages);
    setenv("PATH", r->search, 1);
    assert_false(made);
    assert_int_equal(messages.count, 1);
    assert_non_null(strstr(messages.text, "the disk is made of cheese"));
    assert_int_equal(each_file(r->folder, false), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(png_reads_back, enter, leave),
        cmocka_unit_test_setup_teardown(unwritable_png_is_reported, enter, leave),
        cmocka_unit_test_setup_teardown(film_has_its_frames, enter, leave),
        cmocka_unit_test_setup_teardown(film_can_be_thrown_away, enter, leave),
        cmocka_unit_test_setup_teardown(missing_ffmpeg_is_reported, enter, leave),
        cmocka_unit_test_setup_teardown(unwritable_film_is_reported, enter, leave),
        cmocka_unit_test_setup_teardown(failing_ffmpeg_is_reported, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Pours water on a ball that stands in a tray and draws it without a window, into a PNG.
//
//     cc picture.c $(pkg-config --cflags --libs rivulet_gl rivulet_io) -o picture
#include <rivulet_gl/rivulet_gl.h>
#include <rivulet_io/rivulet_io.h>

#include <stdio.h>

enum { WIDTH = 640, HEIGHT = 400 };

static rv_result make_world(rv_world **world, rv_messages *messages)
{
    rv_solid_def ball = rv_default_solid_def();
    rv_source_def tap = rv_default_source_def();
    rv_world_def def = rv_default_world_def(); // 100 × 100 cells of 1 mm, walls around
    ball.shape = RV_SHAPE_SPHERE, ball.radius = 0.018, ball.at.z = 0.008;
    tap.at = (rv_vec3){0, 0.004, 0.04}, tap.radius = 0.004, tap.rate = 1e-5;
    def.solids = &ball, def.solid_count = 1;
    def.sources = &tap, def.source_count = 1;
    return rv_world_create(&def, world, messages);
}

int main(int argc, char **argv)
{
    static uint8_t pixels[WIDTH * HEIGHT * 3];
    const rv_target_def picture = {RV_TARGET_HEADLESS, WIDTH, HEIGHT, NULL, false, false};
    const char *path = argc > 1 ? argv[1] : "picture.png";
    rv_messages messages = {0};
    rv_world *world = NULL;
    rv_surface *surface = NULL;
    rv_target *target = NULL;
    rv_renderer *renderer = NULL;
    rv_result r = make_world(&world, &messages);
    for (int i = 0; r == RV_OK && i < 150; i++) r = rv_world_step(world, 0.01);
    if (r == RV_OK) r = rv_surface_create(world, &surface);
    if (r == RV_OK) r = rv_surface_update(surface, world);
    if (r == RV_OK) r = rv_target_create(&picture, &target, &messages);
    if (r == RV_OK) r = rv_renderer_create(target, NULL, &renderer, &messages);
    if (r == RV_OK) r = rv_renderer_update(renderer, world, surface, &messages);
    if (r == RV_OK) r = rv_renderer_draw(renderer, rv_world_params(world));
    if (r == RV_OK) r = rv_target_read(target, pixels);
    if (r == RV_OK) r = rv_io_write_picture(path, pixels, WIDTH, HEIGHT, 3, &messages);
    if (r == RV_OK)
        printf("%s by %s\n", path, rv_target_driver(target));
    else
        fprintf(stderr, "%s\n%s", rv_result_text(r), messages.text);
    rv_renderer_destroy(renderer);
    rv_target_destroy(target);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
    return r == RV_OK ? 0 : 1;
}

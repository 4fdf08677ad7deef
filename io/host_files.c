// What hosts write and read besides scenes: one way to report over the readers and writers of io/.
#include "rivulet_io/files.h"

#include "io/film_check.h"
#include "io/hdr_file.h"
#include "io/image.h"
#include "io/mesh_dew.h"
#include "io/mesh_write.h"
#include "io/picture_file.h"
#include "io/scene_forms.h"
#include "io/snapshot_file.h"
#include "io/state_file.h"

#include <stdlib.h>
#include <string.h>

static bool ends_in_png(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".png") == 0;
}

// Whether all is given that a call needs; a message where not.
static bool given(const char *path, const void *what, rv_messages *messages)
{
    if (path && path[0] && what) return true;
    rv_messages_add(messages, "%s: %s", path && path[0] ? path : "no file name",
                    what ? "a name is needed" : "there is nothing to write or no place to read to");
    return false;
}

static rv_result done(bool good)
{
    return good ? RV_OK : RV_BAD_DATA;
}

rv_result rv_io_write_picture(const char *path, const uint8_t *pixels, int width, int height,
                              int channels, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (!given(path, pixels, messages)) return RV_BAD_ARGUMENT;
    if (width < 1 || height < 1 || (channels != 3 && channels != 4)) {
        rv_messages_add(messages, "%s: %d x %d pixels of %d channels is no picture; 3 or 4", path,
                        width, height, channels);
        return RV_BAD_ARGUMENT;
    }
    if (!ends_in_png(path)) {
        rv_messages_add(messages, "%s: the name must end in .png", path);
        return RV_BAD_ARGUMENT;
    }
    return done(channels == 3 ? rv_image_write_png(path, pixels, width, height, messages)
                              : rv_image_write_png_alpha(path, pixels, width, height, messages));
}

rv_result rv_io_write_state(const char *path, const rv_world *world, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (!given(path, world, messages)) return RV_BAD_ARGUMENT;
    return done(rv_state_write(path, world, messages));
}

static rv_result write_mesh(const char *path, const rv_mesh_export *mesh, rv_messages *messages)
{
    if (!rv_mesh_write_check("rv_io_write", path, messages)) return RV_BAD_ARGUMENT;
    return done(rv_mesh_write(path, mesh, messages));
}

rv_result rv_io_write_liquid(const char *path, const rv_surface_mesh *mesh, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (!given(path, mesh, messages)) return RV_BAD_ARGUMENT;
    rv_mesh_export what = rv_export_liquid(mesh);
    return write_mesh(path, &what, messages);
}

rv_result rv_io_write_all_liquid(const char *path, const rv_surface_mesh *mesh,
                                 const rv_world *world, rv_messages *messages)
{
    rv_messages unread = {0};
    rv_mesh_export what;
    rv_dew_export drops = {0};
    if (!messages) messages = &unread;
    if (!given(path, mesh, messages) || !given(path, world, messages)) return RV_BAD_ARGUMENT;
    rv_result r = RV_OUT_OF_MEMORY;
    if (rv_export_all_liquid(mesh, world, &what, &drops))
        r = write_mesh(path, &what, messages);
    else
        rv_messages_add(messages, "%s: %s", path, rv_result_text(r));
    rv_dew_export_free(&drops);
    return r;
}

rv_result rv_io_write_terrain(const char *path, const rv_mesh *mesh, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (!given(path, mesh, messages)) return RV_BAD_ARGUMENT;
    rv_mesh_export what = rv_export_terrain(mesh);
    return write_mesh(path, &what, messages);
}

rv_result rv_io_check_film(const char *path, int64_t pictures, rv_messages *messages)
{
    rv_messages unread = {0};
    char why[128];
    if (!messages) messages = &unread;
    if (!given(path, &pictures, messages)) return RV_BAD_ARGUMENT;
    bool whole = rv_film_check(path, pictures, why, sizeof why);
    if (!whole) rv_messages_add(messages, "%s: %s", path, why);
    return done(whole);
}

rv_result rv_io_write_snapshot(const char *path, const rv_world *world, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (!given(path, world, messages)) return RV_BAD_ARGUMENT;
    return done(rv_snapshot_write(path, world, messages));
}

rv_result rv_io_read_snapshot(const char *path, rv_world *world, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (!given(path, world, messages)) return RV_BAD_ARGUMENT;
    return done(rv_snapshot_read(path, world, messages));
}

rv_result rv_io_read_form(const char *path, const rv_form_def *def, double size_x, double size_y,
                          const rv_form_work *work, rv_form **out, rv_shape *shape,
                          rv_form_report *report, rv_messages *messages)
{
    rv_messages unread = {0};
    rv_form_work plain = rv_default_form_work();
    rv_form_report unseen;
    rv_form_data data;
    if (!messages) messages = &unread;
    if (out) *out = NULL;
    if (!given(path, out, messages)) return RV_BAD_ARGUMENT;
    rv_form_wish wish = {def ? *def : rv_default_form_def(), size_x, size_y};
    rv_shape what = rv_form_data_shape(path);
    if (what == RV_SHAPE_GROUP) {
        rv_messages_add(messages, "%s: neither a mesh, nor a volume, nor a height map by its name",
                        path);
        return RV_BAD_ARGUMENT;
    }
    rv_messages problems = {0};
    bool good = rv_form_data_load(path, what, &wish.def, &data, messages);
    if (good)
        good = rv_form_data_make(&data, &wish, work ? work : &plain, out, report ? report : &unseen,
                                 &problems);
    if (problems.count > 0) rv_messages_add(messages, "%s: %s", path, problems.text);
    rv_form_data_free(&data);
    if (good && shape) *shape = what;
    return done(good);
}

static bool has_ending(const char *path, const char *ending)
{
    size_t a = strlen(path), b = strlen(ending);
    return a >= b && strcmp(path + a - b, ending) == 0;
}

rv_result rv_io_read_light(const char *path, rv_light *out, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (out) *out = (rv_light){0, 0, NULL};
    if (!given(path, out, messages)) return RV_BAD_ARGUMENT;
    if (has_ending(path, ".hdr")) {
        rv_hdr_file file;
        if (!rv_hdr_file_load(path, &file, messages)) return RV_BAD_DATA;
        *out = (rv_light){file.width, file.height, file.rgb};
        return RV_OK;
    }
    rv_picture_file file;
    if (!rv_picture_load(path, &file, messages)) return RV_BAD_DATA;
    *out = (rv_light){file.width, file.height, file.value};
    return RV_OK;
}

void rv_io_free_light(rv_light *light)
{
    if (!light) return;
    free(light->rgb);
    *light = (rv_light){0, 0, NULL};
}

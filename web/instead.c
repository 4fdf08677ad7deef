// What the page does in another way than the command: meshes without assimp, no NIfTI, films by the
// browser, and a window and panel that are the page's own.
#include "app/view/view.h"
#include "io/volume_read.h"
#include "web/mesh_direct.h"

#include <emscripten.h>
#include <stdlib.h>

bool rv_mesh_import_apart(const rv_mesh_reader *reader, const rv_file_bytes *file,
                          const char *extension)
{
    return rv_mesh_direct(reader, file, extension);
}

bool rv_nifti_read(const rv_volume_reader *reader, const rv_file_bytes *file)
{
    (void)file;
    return rv_volume_refuse(reader, "NIfTI is not read in a browser; NRRD is");
}

// ---- Films: each picture goes to the page, which has an encoder
// -----------------------------------

struct rv_video {
    int width, height;
};

// clang-format off
EM_JS(int, film_start, (int width, int height, double rate), {
    return Module.film && Module.film.start(width, height, rate) ? 1 : 0;
})
EM_JS(int, film_push, (const uint8_t *rgb, int width, int height), {
    return Module.film.push(HEAPU8.subarray(rgb, rgb + 3 * width * height), width, height) ? 1 : 0;
})
EM_JS(void, film_end, (int keep), { Module.film.end(keep !== 0); })
// clang-format on

rv_video *rv_video_start(const char *path, int width, int height, double rate,
                         rv_messages *messages)
{
    (void)path;
    rv_video *video = malloc(sizeof *video);
    if (video && film_start(width, height, rate)) {
        *video = (rv_video){width, height};
        return video;
    }
    free(video);
    rv_messages_add(messages, "this browser cannot record films (MediaRecorder)");
    return NULL;
}

bool rv_video_push(rv_video *video, const uint8_t *rgb)
{
    return film_push(rgb, video->width, video->height) != 0;
}

bool rv_video_finish(rv_video *video, rv_messages *messages)
{
    (void)messages;
    film_end(1);
    free(video);
    return true;
}

void rv_video_abort(rv_video *video)
{
    film_end(0);
    free(video);
}

// ---- The window and its panel are elements of the page ------------------------------------------

void rv_window_title(rv_view *view)
{
    (void)view;
}

void rv_window_resize(rv_view *view)
{
    view->params.view_width = view->width, view->params.view_height = view->height;
}

void rv_panel_draw(rv_panel *panel)
{
    panel->width = 0; // beside the canvas, not over it
    panel->wants_mouse = panel->wants_keys = panel->moving = false;
}

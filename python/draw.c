// Pictures and files. Pictures are drawn in a thread of the library's own, so any thread of
// Python may ask for one, and a context of the host's is left alone.
#include "module.h"

#include <string.h>

// ---- Pictures -----------------------------------------------------------------------------------

rv_painter *rv_py_painter(rv_py_state *state)
{
    rv_messages messages = {0};
    rv_result r = RV_OK;
    if (!state->painter) {
        Py_BEGIN_ALLOW_THREADS
            PyThread_acquire_lock(state->painting, WAIT_LOCK);
            if (!state->painter) r = rv_painter_create(&state->painter, &messages);
            PyThread_release_lock(state->painting);
        Py_END_ALLOW_THREADS
    }
    if (r != RV_OK) rv_py_fail(state, r, &messages);
    return state->painter;
}

// The pictures that a scene names as its surroundings, once.
static bool look_around(rv_py_store *s)
{
    rv_scene_info info;
    rv_messages messages = {0};
    rv_result r = s->looked ? RV_OK : rv_scene_get_info(s->scene, &info);
    if (s->looked) return true;
    if (r == RV_OK && info.environment)
        r = rv_io_read_light(info.environment, &s->around, &messages);
    if (r == RV_OK && info.backdrop) r = rv_io_read_light(info.backdrop, &s->behind, &messages);
    s->looked = r == RV_OK;
    if (r != RV_OK) rv_py_fail(s->state, r, &messages);
    return s->looked;
}

static PyObject *paint(rv_py_store *s, rv_painter *painter, int width, int height,
                       const rv_params *params)
{
    rv_messages messages = {0};
    rv_py_slot *slot = NULL;
    void *rgba;
    if (!look_around(s)) return NULL;
    if (rv_renderer_needs_surface(params) && !(slot = rv_py_store_surface(s))) return NULL;
    const rv_environment around = {s->around.width, s->around.height, s->around.rgb};
    const rv_backdrop behind = {s->behind.width, s->behind.height, s->behind.rgb};
    const rv_painting what = {.world = s->world,
                              .surface = slot ? slot->surface : NULL,
                              .params = params,
                              .width = width,
                              .height = height,
                              .environment = around.rgb ? &around : NULL,
                              .backdrop = behind.rgb ? &behind : NULL,
                              .surroundings = s->number};
    const rv_py_shape shape = {'B', 3, {height, width, 4}, {0}};
    PyObject *block = rv_py_block_own(s->state, &shape, &rgba);
    if (!block) return NULL;
    rv_result r;
    s->painted = true;
    Py_BEGIN_ALLOW_THREADS
        r = rv_painter_draw(painter, &what, rgba, &messages);
    Py_END_ALLOW_THREADS
    if (r == RV_OK) return block;
    Py_DECREF(block);
    return rv_py_fail(s->state, r, &messages);
}

// _picture(width, height, dict of parameters for this picture)
static PyObject *draw_picture(PyObject *self, PyObject *args)
{
    int width, height;
    PyObject *view;
    if (!PyArg_ParseTuple(args, "iiO!", &width, &height, &PyDict_Type, &view)) return NULL;
    if (width < 16 || height < 16 || width > 8192 || height > 8192)
        return PyErr_Format(PyExc_ValueError, "width, height: 16 to 8192 pixels are expected");
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    rv_params params = *rv_world_params(s->world);
    rv_painter *painter = rv_py_painter(s->state);
    PyObject *picture = NULL;
    if (painter && rv_py_fields_set(s->state, rv_params_table(), &params, view, "picture", NULL))
        picture = paint(s, painter, width, height, &params);
    return rv_py_leave_with(s, picture);
}

PyObject *rv_py_write_picture(PyObject *module, PyObject *args)
{
    const char *path;
    int width, height, channels;
    PyObject *pixels;
    Py_buffer view;
    rv_messages messages = {0};
    if (!PyArg_ParseTuple(args, "sOiii", &path, &pixels, &width, &height, &channels)) return NULL;
    if (channels < 1 || rv_py_buffer(pixels, &view, 1, (size_t)(width * channels), "pixels") < 0)
        return NULL;
    rv_result r;
    Py_BEGIN_ALLOW_THREADS
        r = rv_io_write_picture(path, view.buf, width, height, channels, &messages);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    if (r != RV_OK) return rv_py_fail(rv_py_state_of(module), r, &messages);
    Py_RETURN_NONE;
}

PyObject *rv_py_check_film(PyObject *module, PyObject *args)
{
    const char *path;
    long long pictures;
    rv_messages messages = {0};
    if (!PyArg_ParseTuple(args, "sL", &path, &pictures)) return NULL;
    rv_result r;
    Py_BEGIN_ALLOW_THREADS
        r = rv_io_check_film(path, pictures, &messages);
    Py_END_ALLOW_THREADS
    if (r != RV_OK) return rv_py_fail(rv_py_state_of(module), r, &messages);
    Py_RETURN_NONE;
}

// ---- Files --------------------------------------------------------------------------------------

static rv_result write_terrain(const char *path, const rv_world *world, rv_messages *messages)
{
    rv_mesh mesh;
    rv_result r = rv_world_terrain_mesh(world, &mesh, messages);
    if (r != RV_OK) return r;
    r = rv_io_write_terrain(path, &mesh, messages);
    rv_mesh_free(&mesh);
    return r;
}

static rv_result write_liquid(rv_py_store *s, const char *path, rv_messages *messages)
{
    rv_surface_mesh mesh;
    rv_py_slot *slot = rv_py_store_surface(s);
    if (!slot) return RV_OUT_OF_MEMORY;
    rv_surface_get_mesh(slot->surface, &mesh);
    return rv_io_write_all_liquid(path, &mesh, s->world, messages);
}

// _file(what, path): what is "mesh", "terrain", "state", "save" or "load".
static PyObject *draw_file(PyObject *self, PyObject *args)
{
    const char *what, *path;
    rv_messages messages = {0};
    if (!PyArg_ParseTuple(args, "ss", &what, &path)) return NULL;
    rv_py_store *s = rv_py_enter(self, strcmp(what, "load") == 0);
    if (!s) return NULL;
    rv_result r = RV_BAD_ARGUMENT;
    if (strcmp(what, "mesh") == 0) r = write_liquid(s, path, &messages);
    if (strcmp(what, "terrain") == 0) r = write_terrain(path, s->world, &messages);
    if (strcmp(what, "state") == 0) r = rv_io_write_state(path, s->world, &messages);
    if (strcmp(what, "save") == 0) r = rv_io_write_snapshot(path, s->world, &messages);
    if (strcmp(what, "load") == 0) r = rv_io_read_snapshot(path, s->world, &messages);
    if (r != RV_OK && !PyErr_Occurred()) rv_py_fail(s->state, r, &messages);
    return rv_py_leave_with(s, r == RV_OK ? Py_NewRef(Py_None) : NULL);
}

PyMethodDef rv_py_draw_methods[] = {{"_picture", draw_picture, METH_VARARGS, NULL},
                                    {"_file", draw_file, METH_VARARGS, NULL},
                                    {NULL, NULL, 0, NULL}};

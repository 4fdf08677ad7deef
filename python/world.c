// The type World: made from a scene, a text or heights; run; its parameters, statistics and
// snapshots.
#include "module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- Making -------------------------------------------------------------------------------------

// The module of a type or of one of its bases: classes of Python's own have none.
static PyObject *module_of(PyObject *self)
{
    for (PyTypeObject *type = Py_TYPE(self); type; type = PyType_GetSlot(type, Py_tp_base)) {
        PyObject *module = PyType_GetModule(type);
        if (module && PyModule_GetDef(module) &&
            strcmp(PyModule_GetName(module), "rivulet._rivulet") == 0)
            return module;
        PyErr_Clear();
    }
    PyErr_SetString(PyExc_TypeError, "not a rivulet.World");
    return NULL;
}

static rv_pool *pool_for(rv_py_state *state, int threads)
{
    if (threads == 1) return NULL;
    for (int i = 0; i < state->pool_count; i++)
        if (rv_pool_threads(state->pools[i]) == threads) return state->pools[i];
    if (state->pool_count == RV_PY_POOLS) return state->pools[0];
    rv_pool *pool = rv_pool_create(threads);
    if (pool) state->pools[state->pool_count++] = pool;
    return pool;
}

// "key=value" for each of a dict, as the command's --set takes them.
static bool assign(rv_py_store *s, PyObject *settings, rv_messages *messages)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(settings, &at, &key, &value)) {
        PyObject *text = rv_py_text_of(value);
        PyObject *both = text ? PyUnicode_FromFormat("%U=%U", key, text) : NULL;
        const char *chars = both ? PyUnicode_AsUTF8AndSize(both, NULL) : NULL;
        if (chars) rv_scene_assign(s->scene, chars, messages);
        Py_XDECREF(both);
        Py_XDECREF(text);
        if (!chars) return false;
    }
    if (messages->count == 0) return true;
    rv_py_fail(s->state, RV_BAD_ARGUMENT, messages);
    return false;
}

// Calls back into Python now and then while the lock of the interpreter is released.
typedef struct caller {
    PyObject *progress; // NULL or None: nobody is told
    PyThreadState *thread;
    double last; // s, wall clock
    bool stop;
} caller;

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// false: an exception is set, or what was called said so by returning False.
static bool call(caller *c, const char *what, double share)
{
    bool good = PyErr_CheckSignals() == 0;
    if (good && c->progress && c->progress != Py_None) {
        PyObject *answer = what ? PyObject_CallFunction(c->progress, "ds", share, what)
                                : PyObject_CallFunction(c->progress, "d", share);
        good = answer && answer != Py_False;
        Py_XDECREF(answer);
    }
    return good;
}

static void tell(caller *c, const char *what, double share)
{
    double now = seconds();
    bool last = share >= 1 && c->progress && c->progress != Py_None;
    if (c->stop || (now - c->last < 0.05 && !last)) return;
    c->last = now;
    PyEval_RestoreThread(c->thread);
    c->stop = !call(c, what, share);
    c->thread = PyEval_SaveThread();
}

static void tell_preparing(const char *what, double share, void *user)
{
    tell(user, what, share);
}

static void note(rv_log_level level, const char *line, void *user)
{
    if (level == RV_LOG_WARNING) rv_messages_add(user, "%s", line);
}

static bool make_world(rv_py_store *s, int threads, const float *heights, const rv_map *affinity,
                       PyObject *progress, rv_messages *messages)
{
    rv_scene_work work = rv_default_scene_work();
    caller told = {.progress = progress, .last = seconds()};
    work.pool = pool_for(s->state, threads);
    work.allocator = rv_py_store_allocator(s);
    work.logger = (rv_logger){note, s->warnings};
    work.heights = heights, work.affinity = affinity;
    work.progress = tell_preparing, work.user = &told;
    s->pooled = work.pool != NULL;
    told.thread = PyEval_SaveThread();
    rv_result r = rv_scene_make_world(s->scene, &work, &s->world, messages);
    PyEval_RestoreThread(told.thread);
    if (PyErr_Occurred()) return false;
    if (r == RV_OK) return true;
    rv_py_fail(s->state, r, messages);
    return false;
}

// _make(text or None, name, settings, forms, threads, heights or None, affinity or None, its width,
// progress): the one way to a world.
static PyObject *world_make(PyObject *self, PyObject *args)
{
    const char *text, *name;
    Py_ssize_t size;
    PyObject *settings, *forms, *heights, *affinity, *progress;
    int threads, width;
    PyObject *module = module_of(self);
    if (!module ||
        !PyArg_ParseTuple(args, "z#sO!O!iOOiO", &text, &size, &name, &PyDict_Type, &settings,
                          &PyDict_Type, &forms, &threads, &heights, &affinity, &width, &progress))
        return NULL;
    if (((rv_py_world *)self)->store) {
        PyErr_SetString(PyExc_RuntimeError, "the world is made already");
        return NULL;
    }
    rv_messages messages = {0};
    Py_buffer high = {0}, drawn = {0};
    rv_py_store *s = rv_py_store_new(module);
    if (!s) return NULL;
    rv_result r = text ? rv_scene_open_memory(text, (size_t)size, name, &s->scene, &messages)
                       : rv_scene_open(name, &s->scene, &messages);
    if (r != RV_OK) rv_py_fail(s->state, r, &messages);
    bool good = r == RV_OK && assign(s, settings, &messages) && rv_py_put_forms(s, s->scene, forms);
    rv_scene_info info;
    rv_scene_get_info(s->scene, &info);
    if (good && heights != Py_None)
        good = rv_py_buffer(heights, &high, 4, (size_t)info.params->grid_nx, "heights") ==
               info.params->grid_ny;
    if (good && affinity != Py_None)
        good = rv_py_buffer(affinity, &drawn, 4, (size_t)width, "affinity") > 0;
    if (!good && r == RV_OK && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError,
                        "heights, affinity: an array of another shape is expected");
    rv_map map = {width, width > 0 ? (int)(drawn.len / 4 / width) : 0, drawn.buf};
    good = good && make_world(s, threads, high.buf, drawn.buf ? &map : NULL, progress, &messages);
    if (high.obj) PyBuffer_Release(&high);
    if (drawn.obj) PyBuffer_Release(&drawn);
    if (!good) {
        Py_DECREF(s);
        return NULL;
    }
    ((rv_py_world *)self)->store = s;
    s = rv_py_enter(self, false);
    return s ? rv_py_leave_with(s, Py_NewRef(Py_None)) : NULL;
}

static PyObject *world_close(PyObject *self, PyObject *unused)
{
    rv_py_world *w = (rv_py_world *)self;
    (void)unused;
    if (!w->store) Py_RETURN_NONE;
    rv_py_store *s = rv_py_enter(self, true);
    if (!s) return NULL;
    Py_CLEAR(w->store);
    rv_py_leave(s);
    Py_RETURN_NONE;
}

static void world_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_CLEAR(((rv_py_world *)self)->store);
    freefunc release = PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

// ---- Running ------------------------------------------------------------------------------------

static bool watch(double done, double all, void *user)
{
    caller *c = user;
    tell(c, NULL, done / all);
    return !c->stop;
}

// _run(seconds or None, progress): None is one frame.
static PyObject *world_run(PyObject *self, PyObject *args)
{
    PyObject *time, *progress;
    if (!PyArg_ParseTuple(args, "OO", &time, &progress)) return NULL;
    double all = time == Py_None ? 0 : PyFloat_AsDouble(time);
    if (PyErr_Occurred()) return NULL;
    if (time != Py_None && !(all >= 0 && all < 1e12))
        return PyErr_Format(PyExc_ValueError, "seconds: 0 or more are expected");
    rv_py_store *s = rv_py_enter(self, true);
    if (!s) return NULL;
    if (time == Py_None) all = rv_world_params(s->world)->time_step;
    caller told = {.progress = progress, .last = seconds()};
    told.thread = PyEval_SaveThread();
    rv_result r = rv_world_run(s->world, all, watch, &told);
    PyEval_RestoreThread(told.thread);
    if (r != RV_OK && !PyErr_Occurred()) {
        rv_messages why = {0};
        rv_messages_add(&why, "step: %s", rv_result_text(r));
        rv_py_fail(s->state, r, &why);
    }
    return rv_py_leave_with(s, PyErr_Occurred() ? NULL : Py_NewRef(Py_None));
}

// ---- Numbers ------------------------------------------------------------------------------------

#define OF(name, type)                                                                             \
    {                                                                                              \
#name, type, offsetof(rv_stats, name)                                                      \
    }
static const rv_py_row stats_rows[] = {
    OF(time, 'd'),         OF(steps, 'q'),     OF(volume, 'd'),    OF(sourced, 'd'),
    OF(drained, 'd'),      OF(held, 'd'),      OF(displaced, 'd'), OF(edits, 'q'),
    OF(wet, 'q'),          OF(deepest, 'd'),   OF(fastest, 'd'),   OF(substeps, 'i'),
    OF(all_substeps, 'q'), OF(flooded, 'q'),   OF(passages, 'i'),  OF(iterations, 'i'),
    OF(clipped, 'q'),      OF(unsolved, 'q'),  OF(unplaced, 'q'),  OF(not_finite, 'q'),
    OF(bodies, 'i'),       OF(airborne, 'd'),  OF(dew, 'd'),       OF(dew_drops, 'i'),
    OF(dew_refused, 'q'),  OF(droplets, 'i'),  OF(refused, 'q'),   OF(ms, 'd'),
    OF(kinetic, 'd'),      OF(potential, 'd'), {NULL, 0, 0}};
#undef OF

static PyObject *world_stats(PyObject *self, PyObject *unused)
{
    rv_stats stats;
    (void)unused;
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    Py_BEGIN_ALLOW_THREADS
        rv_world_get_stats(s->world, &stats);
    Py_END_ALLOW_THREADS
    rv_py_leave(s);
    return rv_py_rows_get(stats_rows, &stats);
}

static PyObject *get_time(PyObject *self, void *unused)
{
    rv_stats stats;
    (void)unused;
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    rv_world_get_counters(s->world, &stats);
    rv_py_leave(s);
    return PyFloat_FromDouble(stats.time);
}

static PyObject *get_hash(PyObject *self, void *unused)
{
    char text[24];
    uint64_t hash;
    (void)unused;
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    Py_BEGIN_ALLOW_THREADS
        hash = rv_world_hash(s->world);
    Py_END_ALLOW_THREADS
    rv_py_leave(s);
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return PyUnicode_FromString(text);
}

#define OF(name, type)                                                                             \
    {                                                                                              \
#name, type, offsetof(rv_world_info, name)                                                 \
    }
static const rv_py_row info_rows[] = {
    OF(columns, 'q'), OF(pipes, 'q'),        OF(odd, 'q'),
    OF(layers, 'i'),  OF(bytes, 'q'),        OF(terrain_bytes, 'q'),
    OF(changes, 'q'), OF(instructions, 's'), {NULL, 0, 0}};
#undef OF

static PyObject *get_info(PyObject *self, void *unused)
{
    rv_world_info i;
    rv_scene_info scene;
    (void)unused;
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    rv_world_get_info(s->world, &i);
    rv_scene_get_info(s->scene, &scene);
    PyObject *info = Py_BuildValue("{s:s,s:s}", "name", scene.name, "title", scene.title);
    PyObject *sizes = info ? rv_py_rows_get(info_rows, &i) : NULL;
    if (!sizes || PyDict_Update(info, sizes) < 0) Py_CLEAR(info);
    Py_XDECREF(sizes);
    rv_py_leave(s);
    return info;
}

static PyObject *get_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(!((rv_py_world *)self)->store);
}

// ---- Parameters ---------------------------------------------------------------------------------

static PyObject *world_get_param(PyObject *self, PyObject *key)
{
    const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
    if (!name) return NULL;
    const rv_field_info *field = rv_table_find(rv_params_table(), name);
    if (!field) {
        const char *near = rv_table_nearest(rv_params_table(), name);
        return near
                   ? PyErr_Format(PyExc_KeyError, "%s: unknown key; did you mean '%s'?", name, near)
                   : PyErr_Format(PyExc_KeyError, "%s: unknown key", name);
    }
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    PyObject *value = rv_py_field_get(field, rv_world_params(s->world));
    rv_py_leave(s);
    return value;
}

// _set_params(dict): all of them or none.
static PyObject *world_set_params(PyObject *self, PyObject *dict)
{
    rv_messages messages = {0};
    rv_py_store *s = rv_py_enter(self, true);
    if (!s) return NULL;
    rv_params params = *rv_world_params(s->world);
    bool good = rv_py_fields_set(s->state, rv_params_table(), &params, dict, "params", NULL);
    if (good) {
        rv_result r = rv_world_set_params(s->world, &params, &messages);
        if (r != RV_OK) rv_py_fail(s->state, r, &messages);
        good = r == RV_OK;
    }
    return rv_py_leave_with(s, good ? Py_NewRef(Py_None) : NULL);
}

// ---- Snapshots ----------------------------------------------------------------------------------

static PyObject *world_snapshot(PyObject *self, PyObject *unused)
{
    (void)unused;
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    size_t size = rv_world_snapshot_size(s->world);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    rv_result r = bytes ? rv_world_save(s->world, PyBytes_AsString(bytes), size) : RV_OUT_OF_MEMORY;
    if (bytes && r != RV_OK) {
        Py_CLEAR(bytes);
        rv_py_fail(s->state, r, NULL);
    }
    rv_py_leave(s);
    return bytes;
}

static PyObject *world_restore(PyObject *self, PyObject *from)
{
    Py_buffer view;
    rv_messages messages = {0};
    if (PyObject_GetBuffer(from, &view, PyBUF_SIMPLE) < 0) return NULL;
    rv_py_store *s = rv_py_enter(self, true);
    if (!s) {
        PyBuffer_Release(&view);
        return NULL;
    }
    rv_result r = rv_world_restore(s->world, view.buf, (size_t)view.len, &messages);
    PyBuffer_Release(&view);
    PyObject *done = r == RV_OK ? Py_NewRef(Py_None) : rv_py_fail(s->state, r, &messages);
    return rv_py_leave_with(s, done);
}

// ---- The type -----------------------------------------------------------------------------------

PyMethodDef rv_py_run_methods[] = {
    {"_make", world_make, METH_VARARGS, NULL},
    {"close", world_close, METH_NOARGS,
     "Ends the world now. Arrays that were taken from it stay, and keep its memory until they go."},
    {"_run", world_run, METH_VARARGS, NULL},
    {"_stats", world_stats, METH_NOARGS, NULL},
    {"_get_param", world_get_param, METH_O, NULL},
    {"_set_params", world_set_params, METH_O, NULL},
    {"snapshot", world_snapshot, METH_NOARGS, "The state as bytes, for restore()."},
    {"restore", world_restore, METH_O,
     "Goes back to a snapshot of a world made in the same way, bit for bit."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef world_attributes[] = {
    {"time", get_time, NULL, "s, simulated so far", NULL},
    {"hash", get_hash, NULL,
     "of the state, as the command prints it: the same for any number of threads", NULL},
    {"info", get_info, NULL,
     "name and title of the scene, sizes, and the processor's instructions in use", NULL},
    {"closed", get_closed, NULL, "whether close() was called", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot world_slots[] = {{Py_tp_new, PyType_GenericNew},
                                    {Py_tp_dealloc, world_free},
                                    {Py_tp_getset, world_attributes},
                                    {0, NULL}};
PyType_Spec rv_py_world_spec = {.name = "rivulet._rivulet.World",
                                .basicsize = sizeof(rv_py_world),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                .slots = world_slots};

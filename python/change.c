// What changes a world while it runs: pouring, throwing, stirring, painting; sources and their
// like; solids that are carved, added and moved.
#include "module.h"

#include <stdlib.h>

// ---- Liquid -------------------------------------------------------------------------------------

#define VEC(v) &(v).x, &(v).y, &(v).z

static PyObject *change_pour(PyObject *self, PyObject *args)
{
    double radius, volume;
    rv_vec3 at;
    if (!PyArg_ParseTuple(args, "(ddd)dd", VEC(at), &radius, &volume)) return NULL;
    rv_py_store *s = rv_py_enter(self, true);
    if (!s) return NULL;
    double found = rv_world_pour(s->world, at, radius, volume);
    return rv_py_leave_with(s, PyFloat_FromDouble(found));
}

static PyObject *change_throw(PyObject *self, PyObject *args)
{
    double volume;
    rv_vec3 at, velocity;
    if (!PyArg_ParseTuple(args, "(ddd)(ddd)d", VEC(at), VEC(velocity), &volume)) return NULL;
    rv_py_store *s = rv_py_enter(self, true);
    if (!s) return NULL;
    double found = rv_world_throw(s->world, at, velocity, volume);
    return rv_py_leave_with(s, PyFloat_FromDouble(found));
}

static PyObject *answer(rv_py_store *s, rv_result r, const char *what)
{
    rv_messages why = {0};
    if (r != RV_OK)
        rv_messages_add(&why, "%s: not with this solver, or a number is out of range", what);
    return rv_py_leave_with(s, r == RV_OK ? Py_NewRef(Py_None) : rv_py_fail(s->state, r, &why));
}

static PyObject *change_stir(PyObject *self, PyObject *args)
{
    double radius, dt;
    rv_vec3 a, b;
    if (!PyArg_ParseTuple(args, "(ddd)(ddd)dd", VEC(a), VEC(b), &radius, &dt)) return NULL;
    rv_py_store *s = rv_py_enter(self, true);
    return s ? answer(s, rv_world_stir(s->world, a, b, radius, dt), "stir") : NULL;
}

static PyObject *change_paint(PyObject *self, PyObject *args)
{
    double radius, affinity;
    rv_vec3 at;
    if (!PyArg_ParseTuple(args, "(ddd)dd", VEC(at), &radius, &affinity)) return NULL;
    rv_py_store *s = rv_py_enter(self, true);
    return s ? answer(s, rv_world_paint(s->world, at, radius, affinity), "paint") : NULL;
}

// ---- Sources, drains, emitters, presses, bodies -------------------------------------------------

// The library has the same calls for each; a row brings them under one type.
typedef union thing {
    rv_source_def source;
    rv_drain_def drain;
    rv_emitter_def emitter;
    rv_press_def press;
    rv_body_def body;
} thing;

typedef struct thing_calls {
    const char *name;
    const rv_table *(*table)(void);
    rv_result (*add)(rv_world *world, const thing *def, int *number, rv_messages *messages);
    rv_result (*set)(rv_world *world, int number, const thing *def, rv_messages *messages);
    rv_result (*get)(const rv_world *world, int number, thing *out);
    rv_result (*remove)(rv_world *world, int number);
    int (*count)(const rv_world *world);
} thing_calls;

#define CALLS(kind)                                                                                \
    static rv_result add_##kind(rv_world *w, const thing *def, int *number, rv_messages *m)        \
    {                                                                                              \
        return rv_world_add_##kind(w, &def->kind, number, m);                                      \
    }                                                                                              \
    static rv_result set_##kind(rv_world *w, int number, const thing *def, rv_messages *m)         \
    {                                                                                              \
        return rv_world_set_##kind(w, number, &def->kind, m);                                      \
    }                                                                                              \
    static rv_result get_##kind(const rv_world *w, int number, thing *out)                         \
    {                                                                                              \
        return rv_world_get_##kind(w, number, &out->kind);                                         \
    }
CALLS(source)
CALLS(drain)
CALLS(emitter)
CALLS(press)
#undef CALLS

static rv_result add_body(rv_world *w, const thing *def, int *number, rv_messages *m)
{
    return rv_world_add_body(w, &def->body, number, m);
}

static rv_result get_body(const rv_world *w, int number, thing *out)
{
    return rv_world_get_body(w, number, &out->body, NULL);
}

#define ROW(kind)                                                                                  \
    {                                                                                              \
#kind, rv_##kind##_table, add_##kind, set_##kind, get_##kind, rv_world_remove_##kind,      \
            rv_world_##kind##_count                                                                \
    }
static const thing_calls calls[] = {
    ROW(source),
    ROW(drain),
    ROW(emitter),
    ROW(press),
    {"body", rv_body_table, add_body, NULL, get_body, rv_world_remove_body, rv_world_body_count}};
#undef ROW

// _things(kind, what, number, dict): what is "add", "set", "get", "remove" or "count".
static PyObject *change_things(PyObject *self, PyObject *args)
{
    int kind, number;
    const char *what;
    PyObject *dict;
    if (!PyArg_ParseTuple(args, "isiO!", &kind, &what, &number, &PyDict_Type, &dict)) return NULL;
    if (kind < 0 || kind >= (int)(sizeof calls / sizeof calls[0])) kind = 0;
    const thing_calls *c = &calls[kind];
    bool asks = what[0] == 'g' || what[0] == 'c';
    rv_py_store *s = rv_py_enter(self, !asks);
    if (!s) return NULL;
    rv_messages m = {0};
    thing def = {0};
    rv_result r = RV_OK;
    PyObject *result = NULL;
    if (what[0] == 'c') {
        number = c->count(s->world);
        rv_py_leave(s);
        return PyLong_FromLong(number);
    }
    if (what[0] == 'a')
        rv_table_defaults(c->table(), &def);
    else
        r = c->get(s->world, number, &def);
    if (r != RV_OK) {
        rv_py_leave(s);
        return PyErr_Format(PyExc_KeyError, "%s %d: there is none of this number", c->name, number);
    }
    bool good = rv_py_fields_set(s->state, c->table(), &def, dict, c->name, NULL);
    if (good && what[0] == 'a') r = c->add(s->world, &def, &number, &m);
    if (good && what[0] == 's') r = c->set ? c->set(s->world, number, &def, &m) : RV_BAD_ARGUMENT;
    if (good && what[0] == 'r') r = c->remove(s->world, number);
    if (good && r == RV_OK)
        result = what[0] == 'g' ? rv_py_fields_get(c->table(), &def) : PyLong_FromLong(number);
    else if (good)
        rv_py_fail(s->state, r, &m);
    return rv_py_leave_with(s, result);
}

#define ROW(field, type)                                                                           \
    {                                                                                              \
#field, type, offsetof(rv_body_state, field)                                               \
    }
static const rv_py_row body_rows[] = {ROW(at, 'v'),        ROW(velocity, 'v'), ROW(spin, 'v'),
                                      ROW(turn, 'u'),      ROW(force, 'v'),    ROW(torque, 'v'),
                                      ROW(submerged, 'd'), ROW(resting, 'b'),  {NULL, 0, 0}};
#undef ROW

// _body(number): its state; _body(number, at, velocity, spin, turn): puts it there.
static PyObject *change_body(PyObject *self, PyObject *args)
{
    int number;
    rv_body_state b, to;
    bool moves = PyTuple_Size(args) > 1;
    if (!PyArg_ParseTuple(args, "i|(ddd)(ddd)(ddd)(dddd)", &number, VEC(to.at), VEC(to.velocity),
                          VEC(to.spin), &to.turn[0], &to.turn[1], &to.turn[2], &to.turn[3]))
        return NULL;
    rv_py_store *s = rv_py_enter(self, moves);
    if (!s) return NULL;
    rv_result r = rv_world_get_body(s->world, number, NULL, &b);
    if (r == RV_OK && moves) return answer(s, rv_world_set_body(s->world, number, &to), "body");
    rv_py_leave(s);
    if (r == RV_OK) return rv_py_rows_get(body_rows, &b);
    return PyErr_Format(PyExc_KeyError, "body %d: there is none of this number", number);
}

// ---- Solids -------------------------------------------------------------------------------------

#define ROW(field, type)                                                                           \
    {                                                                                              \
#field, type, offsetof(rv_edit_report, field)                                              \
    }
static const rv_py_row edit_rows[] = {ROW(cells, 'q'),     ROW(changed, 'q'), ROW(bricks, 'q'),
                                      ROW(displaced, 'd'), ROW(held, 'd'),    {NULL, 0, 0}};
#undef ROW

static PyObject *report_of(rv_py_store *s, rv_result r, const rv_edit_report *report,
                           const rv_messages *m)
{
    PyObject *dict = r == RV_OK ? rv_py_rows_get(edit_rows, report) : rv_py_fail(s->state, r, m);
    return rv_py_leave_with(s, dict);
}

static bool keep_scene(rv_py_store *s, rv_scene *scene)
{
    rv_scene **more = realloc(s->kept, (size_t)(s->kept_count + 1) * sizeof(rv_scene *));
    if (!more) return PyErr_NoMemory() != NULL;
    s->kept = more, more[s->kept_count++] = scene;
    return true;
}

// _edit(text, forms, keep): the first event of a scene of its own. `keep`: it has forms, which the
// terrain may go back to.
static PyObject *change_edit(PyObject *self, PyObject *args)
{
    const char *text;
    Py_ssize_t size;
    PyObject *forms;
    int keep;
    if (!PyArg_ParseTuple(args, "s#O!i", &text, &size, &PyDict_Type, &forms, &keep)) return NULL;
    rv_py_store *s = rv_py_enter(self, true);
    if (!s) return NULL;
    rv_scene *scene;
    rv_world_def def;
    rv_edit_report report = {0};
    rv_messages messages = {0};
    rv_result r = rv_scene_open_memory(text, (size_t)size, "edit", &scene, &messages);
    if (r == RV_OK && !rv_py_put_forms(s, scene, forms)) {
        rv_scene_close(scene);
        return rv_py_leave_with(s, NULL);
    }
    Py_BEGIN_ALLOW_THREADS
        if (r == RV_OK) r = rv_scene_make_def(scene, NULL, &def, &messages);
        if (r == RV_OK) r = rv_world_edit(s->world, &def.events[0], &report, &messages);
    Py_END_ALLOW_THREADS
    if (!keep || !scene || !keep_scene(s, scene)) rv_scene_close(scene);
    return report_of(s, r, &report, &messages);
}

static PyObject *change_move(PyObject *self, PyObject *args)
{
    int mover;
    rv_pose pose;
    if (!PyArg_ParseTuple(args, "i(ddd)(ddd)(ddd)", &mover, VEC(pose.shift), VEC(pose.rotate),
                          VEC(pose.pivot)))
        return NULL;
    rv_py_store *s = rv_py_enter(self, true);
    if (!s) return NULL;
    rv_edit_report report = {0};
    rv_messages messages = {0};
    rv_result r;
    Py_BEGIN_ALLOW_THREADS
        r = rv_world_move(s->world, mover, &pose, &report, &messages);
    Py_END_ALLOW_THREADS
    return report_of(s, r, &report, &messages);
}

PyMethodDef rv_py_change_methods[] = {{"_pour", change_pour, METH_VARARGS, NULL},
                                      {"_throw", change_throw, METH_VARARGS, NULL},
                                      {"_stir", change_stir, METH_VARARGS, NULL},
                                      {"_paint", change_paint, METH_VARARGS, NULL},
                                      {"_things", change_things, METH_VARARGS, NULL},
                                      {"_body", change_body, METH_VARARGS, NULL},
                                      {"_edit", change_edit, METH_VARARGS, NULL},
                                      {"_move", change_move, METH_VARARGS, NULL},
                                      {NULL, NULL, 0, NULL}};

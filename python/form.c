// Solids from arrays and files: triangles, volumes, height maps. A form is made once, with the lock
// of the interpreter released, and may go into any number of worlds.
#include "module.h"

#include <string.h>

#define ROW(field, type)                                                                           \
    {                                                                                              \
#field, type, offsetof(rv_form_report, field)                                              \
    }
static const rv_py_row report_rows[] = {ROW(low, 'v'),        ROW(high, 'v'),
                                        ROW(scale, 'd'),      ROW(triangles, 'q'),
                                        ROW(vertices, 'q'),   ROW(degenerate, 'q'),
                                        ROW(duplicate, 'q'),  ROW(flipped, 'q'),
                                        ROW(open_edges, 'q'), ROW(crowded_edges, 'q'),
                                        ROW(holes, 'q'),      ROW(filled, 'q'),
                                        ROW(pieces, 'q'),     ROW(area, 'd'),
                                        ROW(volume, 'd'),     ROW(inside_out, 'b'),
                                        ROW(closed, 'b'),     ROW(voxels, 'q'),
                                        ROW(solid, 'q'),      ROW(least, 'd'),
                                        ROW(most, 'd'),       {NULL, 0, 0}};
#undef ROW

// What all kinds have, and the arguments of form(): what does not apply is 0 or None.
typedef struct making {
    rv_form_def def;
    rv_form_work work;
    rv_form_report report;
    rv_messages messages;
    rv_form *form;
    rv_shape shape;
    const char *path;
    Py_buffer data, corners;
    int nx, ny;
    double size_x, size_y;
    rv_vec3 first, step;
} making;

static rv_result make_mesh(making *m)
{
    size_t vertices = (size_t)m->data.len / 12, triangles = vertices / 3;
    if (m->corners.buf) triangles = (size_t)m->corners.len / 12;
    const rv_triangles mesh = {m->data.buf, vertices, m->corners.buf, triangles};
    return rv_form_from_triangles(&mesh, &m->def, &m->work, &m->form, &m->report, &m->messages);
}

static rv_result make_heights(making *m)
{
    const rv_height_map map = {m->nx, m->ny, m->data.buf, m->size_x, m->size_y};
    return rv_form_from_heights(&map, &m->def, &m->work, &m->form, &m->report, &m->messages);
}

static rv_result make_volume(making *m)
{
    rv_volume v = {.nx = m->nx, .ny = m->ny, .values = m->data.buf, .first = m->first};
    v.nz = (int)(m->data.len / 4 / m->nx / m->ny);
    v.step[0].x = m->step.x, v.step[1].y = m->step.y, v.step[2].z = m->step.z;
    return rv_form_from_volume(&v, &m->def, &m->work, &m->form, &m->report, &m->messages);
}

static rv_result make_from_file(making *m)
{
    return rv_io_read_form(m->path, &m->def, m->size_x, m->size_y, &m->work, &m->form, &m->shape,
                           &m->report, &m->messages);
}

static PyObject *form_new(const rv_py_state *state, rv_result r, const making *m)
{
    if (r != RV_OK) return rv_py_fail(state, r, &m->messages);
    rv_py_form *f = PyObject_New(rv_py_form, state->form);
    if (!f) {
        rv_form_free(m->form);
        return NULL;
    }
    f->form = m->form, f->shape = m->shape;
    f->report = rv_py_rows_get(report_rows, &m->report);
    if (!f->report) Py_CLEAR(f);
    return (PyObject *)f;
}

// form(kind, data or path, corners or None, (nx, ny), (size x, size y), first, step, keys)
PyObject *rv_py_form_make(PyObject *module, PyObject *args)
{
    static rv_result (*const makers[])(making * m) = {make_mesh, make_heights, make_volume,
                                                      make_from_file};
    static const rv_shape shapes[] = {RV_SHAPE_MESH, RV_SHAPE_HEIGHTS, RV_SHAPE_VOLUME,
                                      RV_SHAPE_MESH};
    PyObject *data, *corners, *keys;
    making m = {.def = rv_default_form_def(), .work = rv_default_form_work()};
    rv_py_state *state = rv_py_state_of(module);
    int kind;
    if (!PyArg_ParseTuple(args, "iOO(ii)(dd)(ddd)(ddd)O!", &kind, &data, &corners, &m.nx, &m.ny,
                          &m.size_x, &m.size_y, &m.first.x, &m.first.y, &m.first.z, &m.step.x,
                          &m.step.y, &m.step.z, &PyDict_Type, &keys))
        return NULL;
    if (kind < 0 || kind > 3 || m.nx < 1 || m.ny < 1)
        return PyErr_Format(PyExc_ValueError, "form: there is nothing in the array");
    m.shape = shapes[kind];
    m.def.unit =
        kind == 3 ? RV_UNIT_AUTO : RV_UNIT_M; // arrays are in metres, a file knows its unit
    if (!rv_py_fields_set(state, rv_form_table(), &m.def, keys, "form", NULL)) return NULL;
    if (kind == 3 && !(m.path = PyUnicode_AsUTF8AndSize(data, NULL))) return NULL;
    size_t row = kind == 0 ? 3 : (size_t)m.nx * (kind == 2 ? (size_t)m.ny : 1);
    if (kind != 3 && rv_py_buffer(data, &m.data, 4, row, "form") < 0) return NULL;
    rv_result r = RV_OK;
    if (corners != Py_None && rv_py_buffer(corners, &m.corners, 4, 3, "triangles") < 0)
        r = RV_BAD_ARGUMENT;
    if (r == RV_OK) {
        Py_BEGIN_ALLOW_THREADS
            r = makers[kind](&m);
        Py_END_ALLOW_THREADS
    }
    if (m.data.obj) PyBuffer_Release(&m.data);
    if (m.corners.obj) PyBuffer_Release(&m.corners);
    return PyErr_Occurred() ? NULL : form_new(state, r, &m);
}

static void form_free(PyObject *self)
{
    rv_py_form *f = (rv_py_form *)self;
    PyTypeObject *type = Py_TYPE(self);
    rv_form_free(f->form);
    Py_XDECREF(f->report);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *form_report(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((rv_py_form *)self)->report);
}

static PyObject *form_shape(PyObject *self, void *unused)
{
    rv_solid_def solid = {.shape = ((rv_py_form *)self)->shape};
    (void)unused;
    return rv_py_field_get(rv_table_find(rv_solid_table(), "shape"), &solid);
}

static PyGetSetDef form_attributes[] = {
    {"report", form_report, NULL,
     "what was found in the data: its box, and what was wrong and mended", NULL},
    {"shape", form_shape, NULL, "mesh, volume or heights", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot form_slots[] = {
    {Py_tp_dealloc, form_free},
    {Py_tp_getset, form_attributes},
    {Py_tp_doc,
     "A solid made from data; rivulet.form makes one. Goes into worlds as {'form': it}."},
    {0, NULL}};
PyType_Spec rv_py_form_spec = {.name = "rivulet.Form",
                               .basicsize = sizeof(rv_py_form),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               .slots = form_slots};

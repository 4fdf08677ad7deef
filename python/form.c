// Solids from arrays and files: triangles, volumes, height maps. A form is made once, with the lock
// of the interpreter released, and may go into any number of worlds.
#include "module.h"

static PyObject *report_of(const rv_form_report *r)
{
    return Py_BuildValue(
        "{s:N,s:N,s:d,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:d,s:d,s:N,s:N,s:L,s:L,s:d,s:d}",
        "low", rv_py_vec_get(r->low), "high", rv_py_vec_get(r->high), "scale", r->scale,
        "triangles", (long long)r->triangles, "vertices", (long long)r->vertices, "degenerate",
        (long long)r->degenerate, "duplicate", (long long)r->duplicate, "flipped",
        (long long)r->flipped, "open_edges", (long long)r->open_edges, "crowded_edges",
        (long long)r->crowded_edges, "holes", (long long)r->holes, "filled", (long long)r->filled,
        "pieces", (long long)r->pieces, "area", r->area, "volume", r->volume, "inside_out",
        PyBool_FromLong(r->inside_out), "closed", PyBool_FromLong(r->closed), "voxels",
        (long long)r->voxels, "solid", (long long)r->solid, "least", r->least, "most", r->most);
}

static PyObject *form_new(rv_py_state *state, rv_result r, rv_form *form, rv_shape shape,
                          const rv_form_report *report, const rv_messages *messages)
{
    if (r != RV_OK) return rv_py_fail(state, r, messages);
    rv_py_form *f = PyObject_New(rv_py_form, state->form);
    if (!f) {
        rv_form_free(form);
        return NULL;
    }
    f->form = form, f->shape = shape;
    f->report = report_of(report);
    if (!f->report) Py_CLEAR(f);
    return (PyObject *)f;
}

// What all four have: a definition from a dict, and room for what they say.
typedef struct making {
    rv_form_def def;
    rv_form_work work;
    rv_form_report report;
    rv_messages messages;
    rv_form *form;
} making;

static bool begin(const rv_py_state *state, making *m, PyObject *dict)
{
    *m = (making){.def = rv_default_form_def(), .work = rv_default_form_work()};
    m->def.unit = RV_UNIT_M;
    return rv_py_fields_set(state, rv_form_table(), &m->def, dict, "form", NULL);
}

// _form_triangles(vertices, indices or None, dict)
PyObject *rv_py_form_triangles(PyObject *module, PyObject *args)
{
    PyObject *positions, *indices, *dict;
    Py_buffer places, corners = {0};
    making m;
    rv_py_state *state = rv_py_state_of(module);
    if (!PyArg_ParseTuple(args, "OOO!", &positions, &indices, &PyDict_Type, &dict) ||
        !begin(state, &m, dict))
        return NULL;
    Py_ssize_t vertices = rv_py_buffer(positions, &places, 4, 3, "vertices"),
               triangles = vertices / 3;
    if (vertices < 0) return NULL;
    if (indices != Py_None &&
        (triangles = rv_py_buffer(indices, &corners, 4, 3, "triangles")) < 0) {
        PyBuffer_Release(&places);
        return NULL;
    }
    const rv_triangles mesh = {places.buf, (size_t)vertices, corners.buf, (size_t)triangles};
    rv_result r;
    Py_BEGIN_ALLOW_THREADS
        r = rv_form_from_triangles(&mesh, &m.def, &m.work, &m.form, &m.report, &m.messages);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&places);
    if (corners.obj) PyBuffer_Release(&corners);
    return form_new(state, r, m.form, RV_SHAPE_MESH, &m.report, &m.messages);
}

// _form_heights(array, nx, size_x, size_y, dict)
PyObject *rv_py_form_heights(PyObject *module, PyObject *args)
{
    PyObject *heights, *dict;
    Py_buffer view;
    making m;
    int nx;
    double size_x, size_y;
    rv_py_state *state = rv_py_state_of(module);
    if (!PyArg_ParseTuple(args, "OiddO!", &heights, &nx, &size_x, &size_y, &PyDict_Type, &dict) ||
        !begin(state, &m, dict))
        return NULL;
    Py_ssize_t ny = rv_py_buffer(heights, &view, 4, nx > 0 ? (size_t)nx : 1, "heights");
    if (ny < 0) return NULL;
    const rv_height_map map = {nx, (int)ny, view.buf, size_x, size_y};
    rv_result r;
    Py_BEGIN_ALLOW_THREADS
        r = rv_form_from_heights(&map, &m.def, &m.work, &m.form, &m.report, &m.messages);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    return form_new(state, r, m.form, RV_SHAPE_HEIGHTS, &m.report, &m.messages);
}

// _form_volume(array, nx, ny, first, step, dict): step is the edges of a voxel
PyObject *rv_py_form_volume(PyObject *module, PyObject *args)
{
    PyObject *values, *dict, *first, *step;
    Py_buffer view;
    making m;
    rv_volume v = {0};
    rv_vec3 edge;
    rv_py_state *state = rv_py_state_of(module);
    if (!PyArg_ParseTuple(args, "OiiOOO!", &values, &v.nx, &v.ny, &first, &step, &PyDict_Type,
                          &dict) ||
        !rv_py_vec(first, &v.first, "first") || !rv_py_vec(step, &edge, "step") ||
        !begin(state, &m, dict))
        return NULL;
    size_t slice = v.nx > 0 && v.ny > 0 ? (size_t)v.nx * (size_t)v.ny : 1;
    Py_ssize_t nz = rv_py_buffer(values, &view, 4, slice, "volume");
    if (nz < 0) return NULL;
    v.nz = (int)nz, v.values = view.buf;
    v.step[0].x = edge.x, v.step[1].y = edge.y, v.step[2].z = edge.z;
    rv_result r;
    Py_BEGIN_ALLOW_THREADS
        r = rv_form_from_volume(&v, &m.def, &m.work, &m.form, &m.report, &m.messages);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    return form_new(state, r, m.form, RV_SHAPE_VOLUME, &m.report, &m.messages);
}

// _form_file(path, size_x, size_y, dict)
PyObject *rv_py_form_file(PyObject *module, PyObject *args)
{
    const char *path;
    PyObject *dict;
    making m;
    double size_x, size_y;
    rv_shape shape = RV_SHAPE_MESH;
    rv_py_state *state = rv_py_state_of(module);
    if (!PyArg_ParseTuple(args, "sddO!", &path, &size_x, &size_y, &PyDict_Type, &dict) ||
        !begin(state, &m, dict))
        return NULL;
    if (!PyDict_GetItemString(dict, "unit")) m.def.unit = RV_UNIT_AUTO; // as the file says
    rv_result r;
    Py_BEGIN_ALLOW_THREADS
        r = rv_io_read_form(path, &m.def, size_x, size_y, &m.work, &m.form, &shape, &m.report,
                            &m.messages);
    Py_END_ALLOW_THREADS
    return form_new(state, r, m.form, shape, &m.report, &m.messages);
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

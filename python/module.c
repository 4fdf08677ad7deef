// rivulet._rivulet: the C half of the Python module `rivulet` (docs/python.md). It hands calls,
// arrays and messages over; what is convenient is in python/rivulet/.
#include "module.h"

#include <string.h>

rv_py_state *rv_py_state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

PyObject *rv_py_fail(const rv_py_state *state, rv_result result, const rv_messages *messages)
{
    const char *text = messages && messages->count > 0 ? messages->text : rv_result_text(result);
    PyErr_SetString(result == RV_OUT_OF_MEMORY ? PyExc_MemoryError : state->error, text);
    return NULL;
}

// ---- What needs no world ------------------------------------------------------------------------

static PyObject *module_scenes(PyObject *module, PyObject *unused)
{
    rv_scene_list list;
    rv_messages messages = {0};
    (void)unused;
    rv_result r = rv_scene_list_make(&list, &messages);
    if (r != RV_OK) return rv_py_fail(rv_py_state_of(module), r, &messages);
    PyObject *names = PyList_New(0);
    for (int i = 0; names && i < list.count; i++) {
        PyObject *name = PyUnicode_FromString(list.name[i]);
        if (!name || PyList_Append(names, name) < 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    rv_scene_list_free(&list);
    return names;
}

static PyObject *module_table(PyObject *module, PyObject *args)
{
    const rv_table *const tables[] = {rv_params_table(), rv_solid_table(),   rv_fill_table(),
                                      rv_source_table(), rv_drain_table(),   rv_event_table(),
                                      rv_body_table(),   rv_emitter_table(), rv_press_table(),
                                      rv_form_table()};
    const char *name;
    (void)module;
    if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (strcmp(tables[i]->name, name) == 0) return rv_py_table_rows(tables[i]);
    PyObject *names = PyUnicode_FromString(tables[0]->name);
    for (size_t i = 1; names && i < sizeof tables / sizeof tables[0]; i++) {
        PyObject *longer = PyUnicode_FromFormat("%U, %s", names, tables[i]->name);
        Py_DECREF(names);
        names = longer;
    }
    if (names) PyErr_Format(PyExc_KeyError, "%s: there are %U", name, names);
    Py_XDECREF(names);
    return NULL;
}

#define ROW(field, type)                                                                           \
    {                                                                                              \
#field, type, offsetof(rv_liquid_info, field)                                              \
    }
static const rv_py_row liquid_rows[] = {
    ROW(viscosity, 'd'),  ROW(density, 'd'),    ROW(tension, 'd'), ROW(contact, 'd'),
    ROW(advancing, 'd'),  ROW(receding, 'd'),   ROW(solid, 's'),   ROW(index, 'd'),
    ROW(absorption, 'v'), ROW(scattering, 'v'), ROW(source, 's'),  {NULL, 0, 0}};
#undef ROW

static PyObject *module_liquids(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < rv_liquid_count(); i++) {
        const rv_liquid_info *l = rv_liquid_get((rv_liquid_look)i);
        PyObject *one = rv_py_rows_get(liquid_rows, l);
        if (!one || PyDict_SetItemString(dict, l->name, one) < 0) Py_CLEAR(dict);
        Py_XDECREF(one);
    }
    return dict;
}

static PyObject *module_driver(PyObject *module, PyObject *unused)
{
    (void)unused;
    rv_painter *painter = rv_py_painter(rv_py_state_of(module));
    return painter ? PyUnicode_FromString(rv_painter_driver(painter)) : NULL;
}

// In a forked process there are no threads but the one that forked: what stood on others is left.
static PyObject *module_forked(PyObject *module, PyObject *unused)
{
    rv_py_state *s = rv_py_state_of(module);
    (void)unused;
    s->forks++;
    s->painter = NULL, s->pool_count = 0;
    Py_RETURN_NONE;
}

// Before the program ends: drivers do not like threads that outlive them.
static PyObject *module_end(PyObject *module, PyObject *unused)
{
    rv_py_state *s = rv_py_state_of(module);
    rv_painter *painter = s->painter;
    (void)unused;
    s->painter = NULL;
    Py_BEGIN_ALLOW_THREADS
        rv_painter_destroy(painter);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"scenes", module_scenes, METH_NOARGS, "The names of the shipped scenes."},
    {"table", module_table, METH_VARARGS, NULL},
    {"liquids", module_liquids, METH_NOARGS,
     "The liquids of liquid.preset, by name, with their properties."},
    {"driver", module_driver, METH_NOARGS, "What pictures are drawn with: the driver's own words."},
    {"form", rv_py_form_make, METH_VARARGS, NULL},
    {"write_picture", rv_py_write_picture, METH_VARARGS, NULL},
    {"check_film", rv_py_check_film, METH_VARARGS, NULL},
    {"layouts", rv_py_layouts, METH_NOARGS, NULL},
    {"forked", module_forked, METH_NOARGS, NULL},
    {"end", module_end, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

// ---- The module ---------------------------------------------------------------------------------

static bool add_type(PyObject *module, PyType_Spec *spec, const char *name, PyTypeObject **out)
{
    *out = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    return *out && PyModule_AddObjectRef(module, name, (PyObject *)*out) == 0;
}

static bool add_methods(PyTypeObject *type, PyMethodDef *methods)
{
    for (PyMethodDef *m = methods; m->ml_name; m++) {
        PyObject *method = PyDescr_NewMethod(type, m);
        bool good = method && PyObject_SetAttrString((PyObject *)type, m->ml_name, method) == 0;
        Py_XDECREF(method);
        if (!good) return false;
    }
    return true;
}

static int module_fill(PyObject *module)
{
    rv_py_state *s = rv_py_state_of(module);
    s->painting = PyThread_allocate_lock();
    s->error = PyErr_NewExceptionWithDoc("rivulet.Error",
                                         "What the library refuses: one line for each problem.",
                                         PyExc_ValueError, NULL);
    bool good =
        s->painting && s->error && PyModule_AddObjectRef(module, "Error", s->error) == 0 &&
        PyModule_AddStringConstant(module, "version", rv_version()) == 0 &&
        PyModule_AddIntConstant(module, "cores", rv_hardware_threads()) == 0 &&
        add_type(module, &rv_py_store_spec, "Store", &s->store) &&
        add_type(module, &rv_py_block_spec, "Block", &s->block) &&
        add_type(module, &rv_py_form_spec, "Form", &s->form) &&
        add_type(module, &rv_py_world_spec, "World", &s->world) &&
        add_methods(s->world, rv_py_run_methods) && add_methods(s->world, rv_py_ask_methods) &&
        add_methods(s->world, rv_py_change_methods) && add_methods(s->world, rv_py_draw_methods);
    return good ? 0 : -1;
}

static void module_free(void *module)
{
    rv_py_state *s = rv_py_state_of(module);
    if (!s) return;
    rv_painter_destroy(s->painter);
    for (int i = 0; i < s->pool_count; i++) rv_pool_destroy(s->pools[i]);
    if (s->painting) PyThread_free_lock(s->painting);
    Py_XDECREF((PyObject *)s->store);
    Py_XDECREF((PyObject *)s->block);
    Py_XDECREF((PyObject *)s->world);
    Py_XDECREF((PyObject *)s->form);
    Py_XDECREF(s->error);
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, module_fill}, {0, NULL}};
static PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,         .m_name = "rivulet._rivulet", .m_doc = "The C half of rivulet.",
    .m_size = sizeof(rv_py_state), .m_methods = functions,       .m_slots = module_slots,
    .m_free = module_free};

PyMODINIT_FUNC PyInit__rivulet(void)
{
    return PyModuleDef_Init(&module_def);
}

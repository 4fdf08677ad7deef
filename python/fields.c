// Between Python's values and the structs that the library's tables describe. A value goes the way
// of a scene file, as text: so units, ranges and what is said of mistakes are the same everywhere.
#include "module.h"

#include <stdio.h>
#include <string.h>

// ---- From C to Python ---------------------------------------------------------------------------

PyObject *rv_py_vec_get(rv_vec3 v)
{
    return Py_BuildValue("(ddd)", v.x, v.y, v.z);
}

static PyObject *row_get(char type, const void *at)
{
    const double *d = at;
    switch (type) {
    case 'd':
        return PyFloat_FromDouble(*d);
    case 'v':
        return Py_BuildValue("(ddd)", d[0], d[1], d[2]);
    case 'u':
        return Py_BuildValue("(dddd)", d[0], d[1], d[2], d[3]);
    case 'i':
        return PyLong_FromLong(*(const int *)at);
    case 'b':
        return PyBool_FromLong(*(const bool *)at);
    case 's':
        return PyUnicode_FromString(*(const char *const *)at);
    default:
        return PyLong_FromLongLong(*(const int64_t *)at);
    }
}

PyObject *rv_py_rows_get(const rv_py_row *rows, const void *object)
{
    PyObject *dict = PyDict_New();
    for (; dict && rows->name; rows++) {
        PyObject *value = row_get(rows->type, (const char *)object + rows->offset);
        if (!value || PyDict_SetItemString(dict, rows->name, value) < 0) Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *word_get(const char *words, int which)
{
    for (; which > 0 && (words = strchr(words, '|')); which--) words++;
    return words ? PyUnicode_FromStringAndSize(words, (Py_ssize_t)strcspn(words, "|")) : NULL;
}

PyObject *rv_py_field_get(const rv_field_info *field, const void *object)
{
    const char *at = (const char *)object + field->offset;
    switch (field->type) {
    case RV_REAL:
        return PyFloat_FromDouble(*(const double *)(const void *)at);
    case RV_WHOLE:
        return PyLong_FromLong(*(const int *)(const void *)at);
    case RV_FLAG:
        return PyBool_FromLong(*(const bool *)at);
    case RV_WORD:
        return word_get(field->words, *(const int *)(const void *)at);
    case RV_VECTOR:
        return rv_py_vec_get(*(const rv_vec3 *)(const void *)at);
    }
    return Py_NewRef(Py_None);
}

PyObject *rv_py_fields_get(const rv_table *table, const void *object)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < table->count; i++) {
        PyObject *value = rv_py_field_get(&table->fields[i], object);
        if (!value || PyDict_SetItemString(dict, table->fields[i].key, value) < 0) Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

PyObject *rv_py_table_rows(const rv_table *table)
{
    void *preset = PyMem_Malloc(table->size);
    PyObject *rows = preset ? PyList_New(0) : PyErr_NoMemory();
    if (preset) rv_table_defaults(table, preset);
    static const char *const types[] = {"float", "int", "bool", "str", "vector"};
    for (int i = 0; rows && i < table->count; i++) {
        const rv_field_info *f = &table->fields[i];
        bool ranged = f->type != RV_FLAG && f->type != RV_WORD;
        PyObject *row =
            Py_BuildValue("{s:s,s:s,s:s,s:N,s:N,s:N,s:z,s:s,s:N}", "key", f->key, "type",
                          types[f->type], "unit", f->unit, "default", rv_py_field_get(f, preset),
                          "low", ranged ? PyFloat_FromDouble(f->low) : Py_NewRef(Py_None), "high",
                          ranged ? PyFloat_FromDouble(f->high) : Py_NewRef(Py_None), "words",
                          f->words, "meaning", f->meaning, "fixed", PyBool_FromLong(f->fixed));
        if (!row || PyList_Append(rows, row) < 0) Py_CLEAR(rows);
        Py_XDECREF(row);
    }
    PyMem_Free(preset);
    return rows;
}

// ---- From Python to C ---------------------------------------------------------------------------

// "[1, 2, 3]" of a sequence, with each item as it would stand alone.
static PyObject *list_text(PyObject *value)
{
    PyObject *items = PySequence_List(value);
    if (!items) return NULL;
    for (Py_ssize_t i = 0; i < PyList_Size(items); i++) {
        PyObject *text = rv_py_text_of(PyList_GetItem(items, i));
        if (!text || PyList_SetItem(items, i, text) < 0) {
            Py_DECREF(items);
            return NULL;
        }
    }
    PyObject *comma = PyUnicode_FromString(", ");
    PyObject *joined = comma ? PyUnicode_Join(comma, items) : NULL;
    Py_XDECREF(comma);
    Py_DECREF(items);
    PyObject *text = joined ? PyUnicode_FromFormat("[%U]", joined) : NULL;
    Py_XDECREF(joined);
    return text;
}

PyObject *rv_py_text_of(PyObject *value)
{
    if (PyUnicode_Check(value)) return Py_NewRef(value);
    if (PyBool_Check(value)) return PyUnicode_FromString(value == Py_True ? "true" : "false");
    if (PyLong_Check(value)) return PyObject_Str(value);
    if (PyFloat_CheckExact(value)) return PyObject_Repr(value);
    if (PyList_Check(value) || PyTuple_Check(value)) return list_text(value);
    // what numpy has, arrays and its own numbers, and whatever else is a number
    PyObject *plain = PyObject_HasAttrString(value, "tolist")
                          ? PyObject_CallMethod(value, "tolist", NULL)
                          : PyNumber_Float(value);
    PyObject *text = plain ? rv_py_text_of(plain) : NULL;
    Py_XDECREF(plain);
    return text;
}

static bool unknown(const rv_py_state *state, const rv_table *table, const char *where,
                    const char *key)
{
    rv_messages why = {0};
    const char *near = rv_table_nearest(table, key);
    if (near)
        rv_messages_add(&why, "%s.%s: unknown key; did you mean '%s'?", where, key, near);
    else
        rv_messages_add(&why, "%s.%s: unknown key", where, key);
    rv_py_fail(state, RV_BAD_ARGUMENT, &why);
    return false;
}

static bool set_one(const rv_py_state *state, const rv_table *table, void *object, const char *key,
                    PyObject *value, const char *where)
{
    const rv_field_info *field = rv_table_find(table, key);
    char why[256];
    if (!field) return unknown(state, table, where, key);
    PyObject *text = rv_py_text_of(value);
    const char *chars = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    bool good = chars && rv_field_parse(field, chars, object, why, sizeof why);
    if (chars && !good) {
        rv_messages messages = {0};
        rv_messages_add(&messages, "%s.%s: %s", where, key, why);
        rv_py_fail(state, RV_BAD_ARGUMENT, &messages);
    }
    Py_XDECREF(text);
    return good;
}

bool rv_py_fields_set(const rv_py_state *state, const rv_table *table, void *object, PyObject *dict,
                      const char *where, const char *const *skip)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        bool other = false;
        for (const char *const *s = skip; name && s && *s; s++) other |= strcmp(name, *s) == 0;
        if (!name || (!other && !set_one(state, table, object, name, value, where))) return false;
    }
    return true;
}

// Arrays: memory that the buffer protocol shows, with what keeps it.
#include "module.h"

#include <stdlib.h>
#include <string.h>

typedef struct block {
    PyObject_HEAD rv_py_store *store; // of the world that it looks at; NULL: it has its own
    rv_py_slot *slot;                 // of the surface that it looks at
    void *own;
    const void *data;
    uint64_t generation; // of the store when it was made; 0: it does not get stale
    rv_py_shape shape;
    Py_ssize_t item; // bytes
    char format[2];
} block;

static Py_ssize_t item_size(char format)
{
    return format == 'd' ? 8 : format == 'B' ? 1 : 4;
}

static block *new_block(const rv_py_state *state, const rv_py_shape *shape, const void *data)
{
    block *b = PyObject_New(block, state->block);
    if (!b) return NULL;
    PyObject head = b->ob_base;
    *b = (block){.ob_base = head, .data = data, .shape = *shape};
    b->item = item_size(shape->format);
    b->format[0] = shape->format;
    Py_ssize_t step = b->item;
    for (int i = shape->axes - 1; i >= 0; i--) {
        if (b->shape.stride[i] == 0) b->shape.stride[i] = step;
        step *= shape->count[i];
    }
    return b;
}

PyObject *rv_py_block_own(const rv_py_state *state, const rv_py_shape *shape, void **data)
{
    size_t bytes = (size_t)item_size(shape->format);
    for (int i = 0; i < shape->axes; i++) bytes *= (size_t)shape->count[i];
    void *own = calloc(bytes > 0 ? bytes : 1, 1);
    if (!own) return PyErr_NoMemory();
    block *b = new_block(state, shape, own);
    if (!b) {
        free(own);
        return NULL;
    }
    b->own = own;
    if (data) *data = own;
    return (PyObject *)b;
}

PyObject *rv_py_block_live(rv_py_store *store, const rv_py_shape *shape, const void *data)
{
    block *b = new_block(store->state, shape, data);
    if (!b) return NULL;
    b->store = (rv_py_store *)Py_NewRef((PyObject *)store);
    b->generation = store->generation;
    rv_py_store_pin(store);
    return (PyObject *)b;
}

PyObject *rv_py_block_surface(rv_py_store *store, rv_py_slot *slot, const rv_py_shape *shape,
                              const void *data)
{
    block *b = new_block(store->state, shape, data);
    if (!b) return NULL;
    b->store = (rv_py_store *)Py_NewRef((PyObject *)store);
    b->slot = slot;
    slot->uses++;
    return (PyObject *)b;
}

static void block_free(PyObject *self)
{
    block *b = (block *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (b->slot) b->slot->uses--;
    if (b->generation) rv_py_store_unpin(b->store);
    Py_XDECREF((PyObject *)b->store);
    free(b->own);
    PyObject_Free(self);
    Py_DECREF(type);
}

static bool contiguous(const block *b)
{
    Py_ssize_t step = b->item;
    for (int i = b->shape.axes - 1; i >= 0; i--) {
        if (b->shape.stride[i] != step) return false;
        step *= b->shape.count[i];
    }
    return true;
}

static int block_show(PyObject *self, Py_buffer *view, int flags)
{
    static const char nothing[8];
    block *b = (block *)self;
    view->obj = NULL;
    const char *why = NULL;
    if ((flags & PyBUF_WRITABLE) && !b->own) why = "arrays of a world are read only";
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !contiguous(b)) why = "not contiguous";
    if (why) {
        PyErr_SetString(PyExc_BufferError, why);
        return -1;
    }
    Py_ssize_t bytes = b->item;
    for (int i = 0; i < b->shape.axes; i++) bytes *= b->shape.count[i];
    *view = (Py_buffer){.buf = (void *)(uintptr_t)(b->data ? b->data : nothing),
                        .obj = Py_NewRef(self),
                        .len = bytes,
                        .itemsize = b->item,
                        .readonly = !b->own,
                        .ndim = b->shape.axes};
    if (flags & PyBUF_FORMAT) view->format = b->format;
    if (flags & PyBUF_ND) view->shape = b->shape.count;
    if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) view->strides = b->shape.stride;
    return 0;
}

static PyObject *block_stale(PyObject *self, void *unused)
{
    const block *b = (const block *)self;
    (void)unused;
    return PyBool_FromLong(b->generation && b->generation != b->store->generation);
}

static PyGetSetDef block_attributes[] = {
    {"stale", block_stale, NULL, "the world has changed since this was asked for", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot block_slots[] = {{Py_tp_dealloc, block_free},
                                    {Py_bf_getbuffer, block_show},
                                    {Py_tp_getset, block_attributes},
                                    {0, NULL}};
PyType_Spec rv_py_block_spec = {.name = "rivulet._rivulet.Block",
                                .basicsize = sizeof(block),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                .slots = block_slots};

Py_ssize_t rv_py_buffer(PyObject *object, Py_buffer *view, size_t item, size_t row,
                        const char *what)
{
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS) < 0) return -1;
    if ((size_t)view->itemsize == item && (size_t)view->len % (item * row) == 0)
        return view->len / (Py_ssize_t)(item * row);
    PyErr_Format(PyExc_ValueError, "%s: rows of %d items of %d bytes are expected", what, (int)row,
                 (int)item);
    PyBuffer_Release(view);
    return -1;
}

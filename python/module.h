// What the files of the Python module share. Each file is one subject; module.c puts them together.
//
// CPython's stable ABI of 3.11, the first that has the buffer protocol, which is how arrays come and go: numpy's own C
// interface is not stable across its versions, and asks that numpy be there to build.
#ifndef PYTHON_MODULE_H
#define PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <pythread.h>

#include <rivulet/rivulet.h>
#include <rivulet_gl/rivulet_gl.h>
#include <rivulet_io/rivulet_io.h>

#define RV_PY_POOLS 16

// ---- The module itself (module.c) ----------------------------------------------------------------

typedef struct rv_py_state {
    PyTypeObject *store, *block, *world, *form;
    PyObject *error;              // rivulet.Error
    rv_pool *pools[RV_PY_POOLS];  // one for each number of threads, shared by all worlds that ask for it
    int pool_count;
    rv_painter *painter;          // NULL until the first picture
    PyThread_type_lock painting;  // while it is made
    uint64_t numbers;             // given to stores so far
    unsigned forks;               // after which threads are gone
} rv_py_state;

rv_py_state *rv_py_state_of(PyObject *module);
// Raises rivulet.Error with the lines of the messages, or MemoryError. Returns NULL.
PyObject *rv_py_fail(const rv_py_state *state, rv_result result, const rv_messages *messages);

// ---- What a world stands on (store.c) ------------------------------------------------------------

// A surface that arrays may look at: it is not made anew while one does.
typedef struct rv_py_slot {
    rv_surface *surface;
    int uses;            // blocks that look at it
    uint64_t generation; // of the store when it was made
    struct rv_py_slot *next;
} rv_py_slot;

typedef struct rv_py_pinned rv_py_pinned;

// Lives as long as the world or any array of it does.
typedef struct rv_py_store {
    PyObject_HEAD
    PyObject *module;
    rv_py_state *state;
    rv_scene *scene;
    rv_world *world;
    PyObject *forms;        // a list, to keep them
    rv_scene **kept;        // scenes of edits whose tools have forms of their own
    int kept_count;
    PyThread_type_lock lock;
    unsigned long owner;    // the thread that has the lock; 0: none
    uint64_t generation;    // counts changes: what was borrowed before one is stale
    uint64_t number;
    unsigned forks;
    bool pooled;            // has threads of a pool
    bool painted;           // the painter knows the world
    rv_py_slot *slots;
    rv_py_pinned *pinned;   // the allocator that waits with releasing
    rv_light around, behind; // pictures of the surroundings, read for the first picture
    bool looked;             // they were
    rv_messages *warnings;
} rv_py_store;

rv_py_store *rv_py_store_new(PyObject *module);
rv_allocator rv_py_store_allocator(rv_py_store *store);
// Memory of the world that is released stays until as many unpins.
void rv_py_store_pin(rv_py_store *store);
void rv_py_store_unpin(rv_py_store *store);
// A surface of the world as it is now; NULL: an exception is set. Under the lock.
rv_py_slot *rv_py_store_surface(rv_py_store *store);
// Waits for the world and has it alone until left. Returns a new reference, or NULL with an exception. `change`: what was
// borrowed is stale from now on.
rv_py_store *rv_py_enter(PyObject *world, bool change);
void rv_py_leave(rv_py_store *store);
// Leaves, and raises the world's warnings; `result` is returned, or NULL where a warning became an exception.
PyObject *rv_py_leave_with(rv_py_store *store, PyObject *result);
extern PyType_Spec rv_py_store_spec;

// Gives a scene the forms of a dict by their names, and keeps them. false: an exception is set.
bool rv_py_put_forms(rv_py_store *store, rv_scene *scene, PyObject *forms);

// ---- Arrays (block.c) ----------------------------------------------------------------------------

typedef struct rv_py_shape {
    char format;  // as in struct: f d i I B
    int axes;
    Py_ssize_t count[3];
    Py_ssize_t stride[3]; // bytes; all 0: one after the other
} rv_py_shape;

// Memory of its own, zeroed, that can be written to; *data is where.
PyObject *rv_py_block_own(const rv_py_state *state, const rv_py_shape *shape, void **data);
// Memory of the world as it is until its next change.
PyObject *rv_py_block_live(rv_py_store *store, const rv_py_shape *shape, const void *data);
// Memory of a surface.
PyObject *rv_py_block_surface(rv_py_store *store, rv_py_slot *slot, const rv_py_shape *shape, const void *data);
extern PyType_Spec rv_py_block_spec;

// A contiguous buffer of items of that size, several to a row. The rows; -1: an exception is set.
Py_ssize_t rv_py_buffer(PyObject *object, Py_buffer *view, size_t item, size_t row, const char *what);

// ---- Tables (fields.c) ---------------------------------------------------------------------------

PyObject *rv_py_field_get(const rv_field_info *field, const void *object);
// The text that stands for a value in a scene file; a new reference.
PyObject *rv_py_text_of(PyObject *value);
// Reads a dict into a struct. `skip`: keys that others read, ended by NULL; NULL: none. `where`: "source".
bool rv_py_fields_set(const rv_py_state *state, const rv_table *table, void *object, PyObject *dict,
                      const char *where, const char *const *skip);
PyObject *rv_py_fields_get(const rv_table *table, const void *object);
PyObject *rv_py_table_rows(const rv_table *table);

// A member of a struct that has no table: d double, v three and u four of them, i int, q int64_t or size_t, b bool,
// s text. Ended by a row without a name.
typedef struct rv_py_row {
    const char *name;
    char type;
    size_t offset;
} rv_py_row;
PyObject *rv_py_rows_get(const rv_py_row *rows, const void *object);
PyObject *rv_py_vec_get(rv_vec3 v);

// ---- Types and methods ---------------------------------------------------------------------------

typedef struct rv_py_form {
    PyObject_HEAD
    rv_form *form;
    rv_shape shape;
    PyObject *report;
} rv_py_form;

typedef struct rv_py_world {
    PyObject_HEAD
    rv_py_store *store; // NULL: closed
} rv_py_world;

PyObject *rv_py_form_make(PyObject *module, PyObject *args);
PyObject *rv_py_write_picture(PyObject *module, PyObject *args);
PyObject *rv_py_check_film(PyObject *module, PyObject *args);
PyObject *rv_py_layouts(PyObject *module, PyObject *unused);
rv_painter *rv_py_painter(rv_py_state *state);
extern PyType_Spec rv_py_form_spec, rv_py_world_spec;

// Methods of World by subject, each ended by an empty row; the type has all of them.
extern PyMethodDef rv_py_run_methods[], rv_py_ask_methods[], rv_py_change_methods[], rv_py_draw_methods[];

#endif

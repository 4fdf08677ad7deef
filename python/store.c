// What a world stands on, and who may use it when. Arrays look at the memory of a world without a
// copy, so that memory outlives the world, and blocks that it gives back while an array looks at
// them wait: an array that is stale shows old or changed numbers, but never memory that is gone.
#include "module.h"

#include <pthread.h>
#include <stdlib.h>

// ---- Memory that waits --------------------------------------------------------------------------

typedef struct waiting {
    void *memory;
    size_t bytes;
    struct waiting *next;
} waiting;

struct rv_py_pinned {
    rv_allocator inner;
    pthread_mutex_t lock;
    int pins;
    waiting *first;
};

static void *allocate(size_t bytes, void *user)
{
    rv_py_pinned *p = user;
    return p->inner.allocate(bytes, p->inner.user);
}

static void release(void *memory, size_t bytes, void *user)
{
    rv_py_pinned *p = user;
    pthread_mutex_lock(&p->lock);
    bool wait = p->pins > 0;
    if (wait) {
        waiting *w = malloc(sizeof *w);
        if (w) *w = (waiting){memory, bytes, p->first}, p->first = w;
    } // without memory for the note the block is lost, which is better than gone under an array
    pthread_mutex_unlock(&p->lock);
    if (!wait) p->inner.release(memory, bytes, p->inner.user);
}

void rv_py_store_pin(rv_py_store *store)
{
    pthread_mutex_lock(&store->pinned->lock);
    store->pinned->pins++;
    pthread_mutex_unlock(&store->pinned->lock);
}

void rv_py_store_unpin(rv_py_store *store)
{
    rv_py_pinned *p = store->pinned;
    pthread_mutex_lock(&p->lock);
    p->pins--;
    while (p->pins == 0 && p->first) {
        waiting *w = p->first;
        p->first = w->next;
        p->inner.release(w->memory, w->bytes, p->inner.user);
        free(w);
    }
    pthread_mutex_unlock(&p->lock);
}

rv_allocator rv_py_store_allocator(rv_py_store *store)
{
    return (rv_allocator){allocate, release, store->pinned};
}

// ---- Surfaces -----------------------------------------------------------------------------------

// One that nobody looks at, without those beyond the first that are left over.
static rv_py_slot *free_slot(rv_py_store *store)
{
    rv_py_slot *found = NULL;
    for (rv_py_slot **at = &store->slots; *at;) {
        rv_py_slot *slot = *at;
        if (slot->uses == 0 && found) {
            *at = slot->next;
            rv_surface_destroy(slot->surface);
            free(slot);
            continue;
        }
        if (slot->uses == 0) found = slot;
        at = &slot->next;
    }
    return found;
}

rv_py_slot *rv_py_store_surface(rv_py_store *store)
{
    for (rv_py_slot *slot = store->slots; slot; slot = slot->next)
        if (slot->generation == store->generation) return slot;
    rv_py_slot *slot = free_slot(store);
    rv_result r = RV_OK;
    if (!slot) {
        slot = calloc(1, sizeof *slot);
        r = slot ? rv_surface_create(store->world, &slot->surface) : RV_OUT_OF_MEMORY;
        if (r == RV_OK) slot->next = store->slots, store->slots = slot;
    }
    if (r == RV_OK) {
        slot->generation = 0;
        Py_BEGIN_ALLOW_THREADS
            r = rv_surface_update(slot->surface, store->world);
        Py_END_ALLOW_THREADS
    } else {
        free(slot);
        slot = NULL;
    }
    if (r == RV_OK) {
        slot->generation = store->generation;
        return slot;
    }
    rv_messages why = {0};
    rv_messages_add(&why, "surface: %s", rv_result_text(r));
    rv_py_fail(store->state, r, &why);
    return NULL;
}

// ---- The store ----------------------------------------------------------------------------------

rv_py_store *rv_py_store_new(PyObject *module)
{
    rv_py_state *state = rv_py_state_of(module);
    rv_py_store *s = PyObject_New(rv_py_store, state->store);
    if (!s) return NULL;
    PyObject head = s->ob_base;
    *s = (rv_py_store){.ob_base = head, .module = Py_NewRef(module), .state = state};
    s->number = ++state->numbers, s->forks = state->forks;
    s->generation = 1;
    s->forms = PyList_New(0);
    s->lock = PyThread_allocate_lock();
    s->warnings = calloc(1, sizeof *s->warnings);
    s->pinned = calloc(1, sizeof *s->pinned);
    if (s->pinned) {
        s->pinned->inner = rv_default_allocator();
        pthread_mutex_init(&s->pinned->lock, NULL);
    }
    if (s->forms && s->lock && s->warnings && s->pinned) return s;
    Py_DECREF(s);
    return (rv_py_store *)PyErr_NoMemory();
}

static void store_free(PyObject *self)
{
    rv_py_store *s = (rv_py_store *)self;
    PyTypeObject *type = Py_TYPE(self);
    for (rv_py_slot *slot = s->slots, *next; slot; slot = next) {
        next = slot->next;
        rv_surface_destroy(slot->surface);
        free(slot);
    }
    // After a fork the threads of pool and painter are not there to answer; the world's memory is.
    if (s->painted && s->forks == s->state->forks) rv_painter_forget(s->state->painter, s->world);
    rv_world_destroy(s->world);
    rv_scene_close(s->scene);
    for (int i = 0; i < s->kept_count; i++) rv_scene_close(s->kept[i]);
    free(s->kept);
    rv_io_free_light(&s->around);
    rv_io_free_light(&s->behind);
    if (s->lock) PyThread_free_lock(s->lock);
    if (s->pinned) pthread_mutex_destroy(&s->pinned->lock);
    free(s->pinned);
    free(s->warnings);
    Py_XDECREF(s->forms);
    Py_XDECREF(s->module);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyType_Slot store_slots[] = {{Py_tp_dealloc, store_free}, {0, NULL}};
PyType_Spec rv_py_store_spec = {.name = "rivulet._rivulet.Store",
                                .basicsize = sizeof(rv_py_store),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                .slots = store_slots};

bool rv_py_put_forms(rv_py_store *s, rv_scene *scene, PyObject *forms)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    rv_messages messages = {0};
    while (PyDict_Next(forms, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        if (!name || !PyObject_TypeCheck(value, s->state->form)) {
            if (name) PyErr_SetString(PyExc_TypeError, "form: a rivulet.Form is expected");
            return false;
        }
        const rv_py_form *form = (const rv_py_form *)value;
        if (PyList_Append(s->forms, value) < 0) return false;
        rv_result r = rv_scene_put_form(scene, name, form->shape, form->form, &messages);
        if (r != RV_OK) return rv_py_fail(s->state, r, &messages) != NULL;
    }
    return true;
}

// ---- One at a time ------------------------------------------------------------------------------

static rv_py_store *refuse(const char *why)
{
    PyErr_SetString(PyExc_RuntimeError, why);
    return NULL;
}

rv_py_store *rv_py_enter(PyObject *self, bool change)
{
    rv_py_world *world = (rv_py_world *)self;
    rv_py_store *s = world->store;
    if (!s) return refuse("the world is closed");
    if (s->owner == PyThread_get_thread_ident())
        return refuse("the world is in the middle of a call that this one was made from");
    if (s->pooled && s->forks != s->state->forks)
        return refuse("the world was made before this process was forked, and its threads are not "
                      "here; make it in the new process, or with threads=1");
    Py_INCREF((PyObject *)s);
    if (!PyThread_acquire_lock(s->lock, NOWAIT_LOCK)) {
        Py_BEGIN_ALLOW_THREADS
            PyThread_acquire_lock(s->lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
    s->owner = PyThread_get_thread_ident();
    if (change) s->generation++;
    if (world->store == s) return s;
    rv_py_leave(s);
    return refuse("the world is closed");
}

void rv_py_leave(rv_py_store *s)
{
    s->owner = 0;
    PyThread_release_lock(s->lock);
    Py_DECREF(s);
}

PyObject *rv_py_leave_with(rv_py_store *s, PyObject *result)
{
    PyObject *said = s->warnings->count > 0 ? PyUnicode_FromString(s->warnings->text) : NULL;
    if (said) *s->warnings = (rv_messages){0};
    rv_py_leave(s);
    if (said && result &&
        PyErr_WarnEx(PyExc_UserWarning, PyUnicode_AsUTF8AndSize(said, NULL), 1) < 0)
        Py_CLEAR(result);
    Py_XDECREF(said);
    return result;
}

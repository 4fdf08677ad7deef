// Studies: many worlds from one scene. The library has the threads; Python's lock is released while
// they work, and taken again to tell how far they are.
#include "module.h"

typedef struct caller {
    PyObject *told; // called with share, ended, runs; None: nobody
    PyThreadState *thread;
    rv_painter *painter;
    PyObject *ended; // list of (run, state, why)
    bool stop;       // an exception is set, or what was called returned False
} caller;

static bool on_progress(double share, int ended, int runs, void *user)
{
    caller *c = user;
    if (c->stop) return false;
    PyEval_RestoreThread(c->thread);
    c->stop = PyErr_CheckSignals() != 0;
    if (!c->stop && c->told != Py_None) {
        PyObject *answer = PyObject_CallFunction(c->told, "dii", share, ended, runs);
        c->stop = !answer || answer == Py_False;
        Py_XDECREF(answer);
    }
    c->thread = PyEval_SaveThread();
    return !c->stop;
}

static void on_ended(int run, rv_study_state state, const char *why, void *user)
{
    caller *c = user;
    PyEval_RestoreThread(c->thread);
    if (!PyErr_Occurred()) {
        PyObject *row = Py_BuildValue("iss", run, rv_study_state_text(state), why);
        c->stop = !row || PyList_Append(c->ended, row) < 0 || c->stop;
        Py_XDECREF(row);
    }
    c->thread = PyEval_SaveThread();
}

// In threads of the study's own, which know nothing of Python.
static rv_result on_draw(const rv_study_picture *what, uint8_t *rgba, rv_messages *messages,
                         void *user)
{
    caller *c = user;
    const rv_params *p = rv_world_params(what->world);
    const rv_light none = {0}, *e = what->environment ? what->environment : &none;
    const rv_light *b = what->backdrop ? what->backdrop : &none;
    const rv_environment around = {e->width, e->height, e->rgb};
    const rv_backdrop behind = {b->width, b->height, b->rgb};
    const rv_painting painting = {.world = what->world,
                                  .surface = rv_renderer_needs_surface(p) ? what->surface : NULL,
                                  .width = what->width,
                                  .height = what->height,
                                  .environment = e->rgb ? &around : NULL,
                                  .backdrop = b->rgb ? &behind : NULL,
                                  .surroundings = what->surroundings};
    return rv_painter_draw(c->painter, &painting, rgba, messages);
}

static void on_forget(const rv_world *world, void *user)
{
    caller *c = user;
    rv_painter_forget(c->painter, world);
}

// What a study is: the values of each run as texts and numbers, and how it is on the disk.
static PyObject *describe(const rv_study *study, const rv_study_work *work,
                          const rv_study_info *info)
{
    PyObject *runs = PyList_New(0);
    for (int run = 1; runs && run <= info->runs; run++) {
        PyObject *one = PyDict_New();
        for (int k = 0; one && k < info->parameters; k++) {
            char text[256];
            double number;
            rv_study_get_value(study, run, k, text, sizeof text, &number);
            PyObject *value =
                number == number ? PyFloat_FromDouble(number) : PyUnicode_FromString(text);
            if (!value || PyDict_SetItemString(one, rv_study_parameter(study, k), value) < 0)
                Py_CLEAR(one);
            Py_XDECREF(value);
        }
        const char *state = rv_study_state_text(rv_study_look(study, work, run));
        PyObject *row = one ? Py_BuildValue("Ns", one, state) : NULL;
        if (!row || PyList_Append(runs, row) < 0) Py_CLEAR(runs);
        Py_XDECREF(row);
    }
    const char *folder = work->folder ? work->folder : info->folder;
    return runs ? Py_BuildValue("ssdN", folder, info->scene, info->time, runs) : NULL;
}

static PyObject *make(PyObject *module, rv_study *study, rv_study_work *work,
                      const rv_study_info *info, PyObject *told)
{
    rv_py_state *state = rv_py_state_of(module);
    rv_messages messages = {0};
    rv_study_report report;
    caller c = {.told = told};
    if (info->pictures && !(c.painter = rv_py_painter(state))) return NULL;
    if (!(c.ended = PyList_New(0))) return NULL;
    work->progress = on_progress, work->ended = on_ended;
    work->draw = on_draw, work->forget = on_forget;
    work->user = &c;
    c.thread = PyEval_SaveThread();
    rv_result r = rv_study_run(study, work, &report, &messages);
    // what has ended is in the table; the rest comes when it has
    if (r == RV_OK) r = rv_study_write_table(study, work, &messages);
    PyEval_RestoreThread(c.thread);
    if (r != RV_OK && !PyErr_Occurred()) rv_py_fail(state, r, &messages);
    if (!PyErr_Occurred()) return c.ended;
    Py_DECREF(c.ended);
    return NULL;
}

// study(text or None, path, folder or None, jobs, threads, first, last, again, make, told): makes
// the runs and the table and returns how they ended; `make` False: tells what the study is.
PyObject *rv_py_study(PyObject *module, PyObject *args)
{
    const char *text, *path;
    Py_ssize_t size;
    int again, run;
    PyObject *told;
    rv_study *study;
    rv_study_info info;
    rv_messages messages = {0};
    rv_study_work work = rv_default_study_work();
    if (!PyArg_ParseTuple(args, "z#sziiiippO", &text, &size, &path, &work.folder, &work.jobs,
                          &work.threads, &work.first, &work.last, &again, &run, &told))
        return NULL;
    work.again = again != 0;
    rv_result r = text ? rv_study_open_memory(text, (size_t)size, path, &study, &messages)
                       : rv_study_open(path, &study, &messages);
    if (r != RV_OK) return rv_py_fail(rv_py_state_of(module), r, &messages);
    rv_study_get_info(study, &info);
    PyObject *result =
        run ? make(module, study, &work, &info, told) : describe(study, &work, &info);
    rv_study_close(study);
    return result;
}

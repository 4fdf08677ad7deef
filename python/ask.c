// What a world is asked for: columns as a table, layers, particles and maps as they are, surfaces,
// and samples and rays over arrays. Methods return blocks; the Python side makes arrays of them.
#include "module.h"

#include <string.h>

static PyObject *refuse(rv_py_store *s, rv_result r, const char *what)
{
    rv_messages why = {0};
    rv_messages_add(&why, "%s: %s", what,
                    r == RV_BAD_ARGUMENT ? "not with this solver, or not with this terrain"
                                         : rv_result_text(r));
    return rv_py_fail(s->state, r, &why);
}

// Puts a block into a dict under a name; takes the reference. false: an exception is set.
static bool put(PyObject *dict, const char *name, PyObject *value)
{
    bool good = dict && value && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return good;
}

static rv_py_shape row_of(char format, size_t count)
{
    return (rv_py_shape){format, 1, {(Py_ssize_t)count, 0, 0}, {0}};
}

static rv_py_shape rows_of(char format, size_t count, int across)
{
    return (rv_py_shape){format, 2, {(Py_ssize_t)count, across, 0}, {0}};
}

// ---- Columns ------------------------------------------------------------------------------------

static PyObject *ask_columns(PyObject *self, PyObject *unused)
{
    static const char *const names[] = {"x",   "y",     "layer", "min", "base",
                                        "max", "depth", "level", "u",   "v"};
    void *data[10];
    rv_columns c;
    (void)unused;
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    rv_result r = rv_world_get_columns(s->world, &c);
    PyObject *dict = r == RV_OK ? PyDict_New() : refuse(s, r, "columns");
    size_t count = rv_world_list_columns(s->world, NULL, 0);
    for (int i = 0; dict && i < 10; i++) {
        rv_py_shape shape = row_of(i < 3 ? 'i' : 'f', count);
        if (!put(dict, names[i], rv_py_block_own(s->state, &shape, &data[i]))) Py_CLEAR(dict);
    }
    if (dict) {
        rv_column_table table = {data[0], data[1], data[2], data[3], data[4],
                                 data[5], data[6], data[7], data[8], data[9]};
        Py_BEGIN_ALLOW_THREADS
            rv_world_list_columns(s->world, &table, count);
        Py_END_ALLOW_THREADS
    }
    rv_py_leave(s);
    return dict;
}

// One plane: its arrays as two axes, y and x, in the world's own memory.
static PyObject *layer_of(rv_py_store *s, const rv_columns *c, const rv_plane *plane)
{
    const struct {
        const char *name;
        const float *from;
    } maps[] = {{"min", c->min},         {"base", c->base},      {"max", c->max},
                {"depth", c->depth},     {"flux_x", c->flux_x},  {"flux_y", c->flux_y},
                {"speed_x", c->speed_x}, {"speed_y", c->speed_y}};
    const rv_py_shape shape = {
        'f', 2, {plane->ny, plane->nx, 0}, {4 * (Py_ssize_t)plane->pitch, 4, 0}};
    PyObject *dict = Py_BuildValue("{s:i,s:i}", "x0", plane->x0, "y0", plane->y0);
    for (size_t i = 0; dict && i < sizeof maps / sizeof maps[0]; i++) {
        if (!maps[i].from) continue;
        PyObject *block = rv_py_block_live(s, &shape, maps[i].from + plane->offset);
        if (!put(dict, maps[i].name, block)) Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *ask_layers(PyObject *self, PyObject *unused)
{
    rv_columns c;
    (void)unused;
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    rv_result r = rv_world_get_columns(s->world, &c);
    PyObject *list = r == RV_OK ? PyList_New(0) : refuse(s, r, "layers");
    for (int i = 0; list && i < c.planes; i++) {
        PyObject *layer = layer_of(s, &c, &c.plane[i]);
        if (!layer || PyList_Append(list, layer) < 0) Py_CLEAR(list);
        Py_XDECREF(layer);
    }
    rv_py_leave(s);
    return list;
}

// ---- Meshes -------------------------------------------------------------------------------------

static PyObject *ask_surface(PyObject *self, PyObject *unused)
{
    (void)unused;
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    rv_surface_mesh m;
    rv_py_slot *slot = rv_py_store_surface(s);
    PyObject *dict = slot ? PyDict_New() : NULL;
    if (slot) rv_surface_get_mesh(slot->surface, &m);
    const struct {
        const char *name;
        const void *from;
        int across;
    } arrays[] = {
        {"vertices", dict ? m.positions : NULL, 3}, {"normals", dict ? m.normals : NULL, 3},
        {"opacity", dict ? m.opacity : NULL, 1},    {"depth", dict ? m.depth : NULL, 1},
        {"velocity", dict ? m.velocity : NULL, 3},  {"contact", dict ? m.contact : NULL, 4}};
    for (size_t i = 0; dict && i < sizeof arrays / sizeof arrays[0]; i++) {
        if (!arrays[i].from && arrays[i].across == 4) continue; // no meniscus
        rv_py_shape shape = arrays[i].across > 1 ? rows_of('f', m.vertex_count, arrays[i].across)
                                                 : row_of('f', m.vertex_count);
        if (!put(dict, arrays[i].name, rv_py_block_surface(s, slot, &shape, arrays[i].from)))
            Py_CLEAR(dict);
    }
    if (dict) {
        rv_py_shape shape = rows_of('I', m.triangle_count, 3);
        if (!put(dict, "triangles", rv_py_block_surface(s, slot, &shape, m.indices)))
            Py_CLEAR(dict);
    }
    rv_py_leave(s);
    return dict;
}

static bool put_copy(rv_py_store *s, PyObject *dict, const char *name, rv_py_shape shape,
                     const void *from)
{
    void *data;
    size_t bytes = shape.format == 'B' ? 1 : 4;
    for (int i = 0; i < shape.axes; i++) bytes *= (size_t)shape.count[i];
    PyObject *block = rv_py_block_own(s->state, &shape, &data);
    if (block && bytes > 0) memcpy(data, from, bytes);
    return put(dict, name, block);
}

static PyObject *ask_terrain(PyObject *self, PyObject *unused)
{
    rv_mesh mesh;
    rv_messages messages = {0};
    rv_result r;
    (void)unused;
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    Py_BEGIN_ALLOW_THREADS
        r = rv_world_terrain_mesh(s->world, &mesh, &messages);
    Py_END_ALLOW_THREADS
    PyObject *dict = r == RV_OK ? PyDict_New() : rv_py_fail(s->state, r, &messages);
    if (dict &&
        !(put_copy(s, dict, "vertices", rows_of('f', mesh.vertex_count, 3), mesh.positions) &&
          put_copy(s, dict, "normals", rows_of('f', mesh.vertex_count, 3), mesh.normals) &&
          put_copy(s, dict, "materials", row_of('B', mesh.vertex_count), mesh.materials) &&
          put_copy(s, dict, "triangles", rows_of('I', mesh.triangle_count, 3), mesh.indices)))
        Py_CLEAR(dict);
    if (r == RV_OK) rv_mesh_free(&mesh);
    rv_py_leave(s);
    return dict;
}

// ---- Particles, drops, droplets -----------------------------------------------------------------

static PyObject *ask_particles(PyObject *self, PyObject *unused)
{
    rv_particles p;
    (void)unused;
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    rv_result r = rv_world_get_particles(s->world, &p);
    PyObject *dict = r == RV_OK ? Py_BuildValue("{s:L,s:N,s:d}", "count", (long long)p.count, "at",
                                                rv_py_vec_get(p.at), "each", p.each)
                                : refuse(s, r, "particles");
    const struct {
        const char *name;
        const float *from;
    } arrays[] = {{"x", r == RV_OK ? p.x : NULL},          {"y", r == RV_OK ? p.y : NULL},
                  {"z", r == RV_OK ? p.z : NULL},          {"u", r == RV_OK ? p.u : NULL},
                  {"v", r == RV_OK ? p.v : NULL},          {"w", r == RV_OK ? p.w : NULL},
                  {"volume", r == RV_OK ? p.volume : NULL}};
    for (size_t i = 0; dict && i < sizeof arrays / sizeof arrays[0]; i++) {
        rv_py_shape shape = row_of('f', (size_t)p.count);
        if (arrays[i].from &&
            !put(dict, arrays[i].name, rv_py_block_live(s, &shape, arrays[i].from)))
            Py_CLEAR(dict);
    }
    rv_py_leave(s);
    return dict;
}

static PyObject *ask_density(PyObject *self, PyObject *unused)
{
    rv_density d;
    (void)unused;
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    rv_result r = rv_world_get_density(s->world, &d);
    PyObject *dict = r == RV_OK
                         ? Py_BuildValue("{s:d,s:N}", "dx", d.dx, "low", rv_py_vec_get(d.low))
                         : refuse(s, r, "density");
    const rv_py_shape shape = {'f', 3, {r == RV_OK ? d.nz : 0, d.ny, d.nx}, {0}};
    if (dict && !put(dict, "value", rv_py_block_live(s, &shape, d.value))) Py_CLEAR(dict);
    rv_py_leave(s);
    return dict;
}

static PyObject *ask_pane(PyObject *self, PyObject *unused)
{
    rv_pane p;
    (void)unused;
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    rv_result r = rv_world_get_pane(s->world, &p);
    if (r != RV_OK) {
        refuse(s, r, "pane");
        rv_py_leave(s);
        return NULL;
    }
    rv_py_shape shape = {'f', 2, {p.ny, p.nx, 0}, {4 * (Py_ssize_t)p.pitch, 4, 0}};
    rv_py_shape whole = shape;
    whole.format = 'i';
    PyObject *dict = Py_BuildValue("{s:d,s:d,s:d,s:d}", "dx", p.dx, "rained", p.rained, "over",
                                   p.over, "evaporated", p.evaporated);
    if (!(put(dict, "height", rv_py_block_live(s, &shape, p.height)) &&
          put(dict, "mist", rv_py_block_live(s, &shape, p.mist)) &&
          put(dict, "affinity", rv_py_block_live(s, &shape, p.affinity)) &&
          put(dict, "drop", rv_py_block_live(s, &whole, p.drop))))
        Py_CLEAR(dict);
    rv_py_leave(s);
    return dict;
}

static PyObject *ask_droplets(PyObject *self, PyObject *unused)
{
    rv_droplets d = {0};
    (void)unused;
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    rv_result r = rv_world_get_droplets(s->world, &d);
    PyObject *dict = r == RV_OK ? PyDict_New() : refuse(s, r, "droplets");
    rv_py_shape three = rows_of('d', (size_t)d.count, 3), one = row_of('d', (size_t)d.count);
    rv_py_shape bytes = row_of('B', (size_t)d.count);
    if (dict && !(put(dict, "at", rv_py_block_live(s, &three, d.at)) &&
                  put(dict, "velocity", rv_py_block_live(s, &three, d.velocity)) &&
                  put(dict, "radius", rv_py_block_live(s, &one, d.radius)) &&
                  put(dict, "hangs", rv_py_block_live(s, &bytes, d.hangs))))
        Py_CLEAR(dict);
    rv_py_leave(s);
    return dict;
}

// Nine numbers a row: at, radius, height, flow, thread, head, foot.
static PyObject *ask_beads(PyObject *self, PyObject *unused)
{
    void *data;
    (void)unused;
    rv_py_store *s = rv_py_enter(self, false);
    if (!s) return NULL;
    int count = rv_world_get_beads(s->world, NULL, 0);
    rv_py_shape shape =
        rows_of('d', count > 0 ? (size_t)count : 0, (int)(sizeof(rv_bead) / sizeof(double)));
    PyObject *block = rv_py_block_own(s->state, &shape, &data);
    if (block && count > 0) rv_world_get_beads(s->world, data, count);
    rv_py_leave(s);
    return block;
}

// ---- Many points at once ------------------------------------------------------------------------

typedef void question(const rv_world *world, const void *points, int n, void *out);

static void ask_sample(const rv_world *world, const void *points, int n, void *out)
{
    rv_world_sample(world, points, n, out);
}

static void ask_cast(const rv_world *world, const void *points, int n, void *out)
{
    rv_world_cast(world, points, n, out);
}

static void ask_distance(const rv_world *world, const void *points, int n, void *out)
{
    rv_world_distance(world, points, n, out);
}

// Rows of doubles in, `bytes` for each out.
static PyObject *many(PyObject *self, PyObject *points, size_t row, char format, size_t bytes,
                      question *ask)
{
    Py_buffer view;
    void *data;
    Py_ssize_t n = rv_py_buffer(points, &view, 8, row, "points");
    if (n < 0) return NULL;
    rv_py_store *s = n <= INT32_MAX ? rv_py_enter(self, false) : NULL;
    if (n > INT32_MAX) PyErr_SetString(PyExc_ValueError, "too many points at once");
    PyObject *block = NULL;
    if (s) {
        rv_py_shape shape = row_of(format, (size_t)n * (format == 'B' ? bytes : 1));
        block = rv_py_block_own(s->state, &shape, &data);
    }
    if (block) {
        Py_BEGIN_ALLOW_THREADS
            ask(s->world, view.buf, (int)n, data);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&view);
    if (s) rv_py_leave(s);
    return block;
}

static PyObject *world_sample(PyObject *self, PyObject *points)
{
    return many(self, points, 3, 'B', sizeof(rv_sample), ask_sample);
}

static PyObject *world_cast(PyObject *self, PyObject *rays)
{
    return many(self, rays, 6, 'B', sizeof(rv_hit), ask_cast);
}

static PyObject *world_distance(PyObject *self, PyObject *points)
{
    return many(self, points, 3, 'f', sizeof(float), ask_distance);
}

// How the bytes of a sample and of a hit are laid out: (names, formats, offsets, size) for numpy.
PyObject *rv_py_layouts(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
#define S(field) #field, (Py_ssize_t)offsetof(rv_sample, field)
#define H(field) #field, (Py_ssize_t)offsetof(rv_hit, field)
    return Py_BuildValue("{s:(n[(sns)(sns)(sns)(sns)(sns)(sns)(sns)(sns)(sns)(sns)(sns)]),"
                         "s:(n[(sns)(sns)(sns)(sns)(sns)(sns)(sns)(sns)(sns)])}",
                         "sample", (Py_ssize_t)sizeof(rv_sample), S(inside), "?", S(wet), "?",
                         S(layer), "i4", S(base), "f8", S(level), "f8", S(depth), "f8", S(ceiling),
                         "f8", S(head), "f8", S(u), "f8", S(v), "f8", S(normal), "3f8", "hit",
                         (Py_ssize_t)sizeof(rv_hit), H(liquid), "?", H(terrain), "?",
                         H(liquid_distance), "f8", H(terrain_distance), "f8", H(liquid_point),
                         "3f8", H(terrain_point), "3f8", H(liquid_normal), "3f8", H(terrain_normal),
                         "3f8", H(liquid_depth), "f8");
#undef S
#undef H
}

PyMethodDef rv_py_ask_methods[] = {{"_columns", ask_columns, METH_NOARGS, NULL},
                                   {"_layers", ask_layers, METH_NOARGS, NULL},
                                   {"_surface", ask_surface, METH_NOARGS, NULL},
                                   {"_terrain", ask_terrain, METH_NOARGS, NULL},
                                   {"_particles", ask_particles, METH_NOARGS, NULL},
                                   {"_density", ask_density, METH_NOARGS, NULL},
                                   {"_pane", ask_pane, METH_NOARGS, NULL},
                                   {"_droplets", ask_droplets, METH_NOARGS, NULL},
                                   {"_beads", ask_beads, METH_NOARGS, NULL},
                                   {"_sample", world_sample, METH_O, NULL},
                                   {"_cast", world_cast, METH_O, NULL},
                                   {"_distance", world_distance, METH_O, NULL},
                                   {NULL, NULL, 0, NULL}};

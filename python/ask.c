// What a world is asked for: columns as a table, layers, particles and maps as they are, surfaces,
// and samples and rays over arrays. Answers are dicts of blocks; the Python side makes arrays of
// them.
#include "module.h"

#include <string.h>

// Puts a value into a dict under a name, and takes the reference. What fails is left as an
// exception.
static void put(PyObject *dict, const char *name, PyObject *value)
{
    if (value) PyDict_SetItemString(dict, name, value);
    Py_XDECREF(value);
}

static rv_py_shape row_of(char format, size_t count)
{
    return (rv_py_shape){format, 1, {(Py_ssize_t)count, 0, 0}, {0}};
}

static rv_py_shape rows_of(char format, size_t count, int across)
{
    return (rv_py_shape){format, 2, {(Py_ssize_t)count, across, 0}, {0}};
}

static rv_py_shape map_of(char format, int ny, int nx, int pitch)
{
    return (rv_py_shape){format, 2, {ny, nx, 0}, {4 * (Py_ssize_t)pitch, 4, 0}};
}

// The world's own memory, until it changes; NULL: there is none, and no entry.
static void live(rv_py_store *s, PyObject *to, const char *name, rv_py_shape shape,
                 const void *from)
{
    if (from || shape.count[0] == 0) put(to, name, rv_py_block_live(s, &shape, from));
}

static void copy(rv_py_store *s, PyObject *to, const char *name, rv_py_shape shape,
                 const void *from)
{
    void *data;
    size_t bytes = shape.format == 'B' ? 1 : shape.format == 'd' ? 8 : 4;
    for (int i = 0; i < shape.axes; i++) bytes *= (size_t)shape.count[i];
    PyObject *block = rv_py_block_own(s->state, &shape, &data);
    if (block && from && bytes > 0) memcpy(data, from, bytes);
    put(to, name, block);
}

// ---- Columns ------------------------------------------------------------------------------------

static rv_result ask_columns(rv_py_store *s, PyObject *to)
{
    static const char *const names[] = {"x",   "y",     "layer", "min", "base",
                                        "max", "depth", "level", "u",   "v"};
    void *data[10];
    rv_columns c;
    rv_result r = rv_world_get_columns(s->world, &c);
    size_t count = rv_world_list_columns(s->world, NULL, 0);
    for (int i = 0; i < 10 && r == RV_OK; i++) {
        rv_py_shape shape = row_of(i < 3 ? 'i' : 'f', count);
        PyObject *block = rv_py_block_own(s->state, &shape, &data[i]);
        if (!block) return RV_OUT_OF_MEMORY;
        put(to, names[i], block);
    }
    if (r != RV_OK) return r;
    rv_column_table table = {data[0], data[1], data[2], data[3], data[4],
                             data[5], data[6], data[7], data[8], data[9]};
    Py_BEGIN_ALLOW_THREADS
        rv_world_list_columns(s->world, &table, count);
    Py_END_ALLOW_THREADS
    return RV_OK;
}

static rv_result ask_layers(rv_py_store *s, PyObject *to)
{
    rv_columns c;
    rv_result r = rv_world_get_columns(s->world, &c);
    for (int i = 0; r == RV_OK && i < c.planes; i++) {
        const rv_plane *p = &c.plane[i];
        const struct {
            const char *name;
            const float *from;
        } maps[] = {{"min", c.min},         {"base", c.base},      {"max", c.max},
                    {"depth", c.depth},     {"flux_x", c.flux_x},  {"flux_y", c.flux_y},
                    {"speed_x", c.speed_x}, {"speed_y", c.speed_y}};
        PyObject *layer = Py_BuildValue("{s:i,s:i}", "x0", p->x0, "y0", p->y0);
        if (!layer) return RV_OUT_OF_MEMORY;
        for (size_t m = 0; m < sizeof maps / sizeof maps[0]; m++)
            if (maps[m].from)
                live(s, layer, maps[m].name, map_of('f', p->ny, p->nx, p->pitch),
                     maps[m].from + p->offset);
        char number[16];
        PyOS_snprintf(number, sizeof number, "%d", i);
        put(to, number, layer);
    }
    return r;
}

// ---- Meshes -------------------------------------------------------------------------------------

static rv_result ask_surface(rv_py_store *s, PyObject *to)
{
    rv_surface_mesh m;
    rv_py_slot *slot = rv_py_store_surface(s);
    if (!slot) return RV_OUT_OF_MEMORY;
    rv_surface_get_mesh(slot->surface, &m);
    rv_py_shape three = rows_of('f', m.vertex_count, 3), one = row_of('f', m.vertex_count);
    rv_py_shape four = rows_of('f', m.vertex_count, 4), corners = rows_of('I', m.triangle_count, 3);
    put(to, "vertices", rv_py_block_surface(s, slot, &three, m.positions));
    put(to, "normals", rv_py_block_surface(s, slot, &three, m.normals));
    put(to, "opacity", rv_py_block_surface(s, slot, &one, m.opacity));
    put(to, "depth", rv_py_block_surface(s, slot, &one, m.depth));
    put(to, "velocity", rv_py_block_surface(s, slot, &three, m.velocity));
    if (m.contact) put(to, "contact", rv_py_block_surface(s, slot, &four, m.contact));
    put(to, "triangles", rv_py_block_surface(s, slot, &corners, m.indices));
    return RV_OK;
}

static rv_result ask_terrain(rv_py_store *s, PyObject *to)
{
    rv_mesh m;
    rv_result r;
    Py_BEGIN_ALLOW_THREADS
        r = rv_world_terrain_mesh(s->world, &m, NULL);
    Py_END_ALLOW_THREADS
    if (r != RV_OK) return r;
    copy(s, to, "vertices", rows_of('f', m.vertex_count, 3), m.positions);
    copy(s, to, "normals", rows_of('f', m.vertex_count, 3), m.normals);
    copy(s, to, "materials", row_of('B', m.vertex_count), m.materials);
    copy(s, to, "triangles", rows_of('I', m.triangle_count, 3), m.indices);
    rv_mesh_free(&m);
    return RV_OK;
}

// ---- Particles, drops, droplets -----------------------------------------------------------------

static rv_result ask_particles(rv_py_store *s, PyObject *to)
{
    rv_particles p;
    rv_result r = rv_world_get_particles(s->world, &p);
    if (r != RV_OK) return r;
    rv_py_shape row = row_of('f', (size_t)p.count);
    put(to, "count", PyLong_FromLongLong(p.count));
    put(to, "at", rv_py_vec_get(p.at));
    put(to, "each", PyFloat_FromDouble(p.each));
    live(s, to, "x", row, p.x), live(s, to, "y", row, p.y), live(s, to, "z", row, p.z);
    live(s, to, "u", row, p.u), live(s, to, "v", row, p.v), live(s, to, "w", row, p.w);
    live(s, to, "volume", row, p.volume);
    return RV_OK;
}

static rv_result ask_density(rv_py_store *s, PyObject *to)
{
    rv_density d;
    rv_result r = rv_world_get_density(s->world, &d);
    if (r != RV_OK) return r;
    put(to, "dx", PyFloat_FromDouble(d.dx));
    put(to, "low", rv_py_vec_get(d.low));
    live(s, to, "value", (rv_py_shape){'f', 3, {d.nz, d.ny, d.nx}, {0}}, d.value);
    return RV_OK;
}

static rv_result ask_pane(rv_py_store *s, PyObject *to)
{
    rv_pane p;
    rv_result r = rv_world_get_pane(s->world, &p);
    if (r != RV_OK) return r;
    put(to, "dx", PyFloat_FromDouble(p.dx));
    put(to, "rained", PyFloat_FromDouble(p.rained));
    put(to, "over", PyFloat_FromDouble(p.over));
    put(to, "evaporated", PyFloat_FromDouble(p.evaporated));
    rv_py_shape map = map_of('f', p.ny, p.nx, p.pitch), whole = map_of('i', p.ny, p.nx, p.pitch);
    live(s, to, "height", map, p.height), live(s, to, "mist", map, p.mist);
    live(s, to, "affinity", map, p.affinity), live(s, to, "drop", whole, p.drop);
    return RV_OK;
}

static rv_result ask_droplets(rv_py_store *s, PyObject *to)
{
    rv_droplets d;
    rv_result r = rv_world_get_droplets(s->world, &d);
    if (r != RV_OK) return r;
    size_t count = (size_t)d.count;
    live(s, to, "at", rows_of('d', count, 3), d.at);
    live(s, to, "velocity", rows_of('d', count, 3), d.velocity);
    live(s, to, "radius", row_of('d', count), d.radius);
    live(s, to, "hangs", row_of('B', count), d.hangs);
    return RV_OK;
}

// Nine numbers a row: at, radius, height, flow, thread, head, foot.
static rv_result ask_beads(rv_py_store *s, PyObject *to)
{
    void *data;
    int count = rv_world_get_beads(s->world, NULL, 0);
    rv_py_shape shape = rows_of('d', count > 0 ? (size_t)count : 0, sizeof(rv_bead) / 8);
    PyObject *block = rv_py_block_own(s->state, &shape, &data);
    if (block && count > 0) rv_world_get_beads(s->world, data, count);
    put(to, "rows", block);
    return RV_OK;
}

// _ask(what): a dict of it.
static PyObject *world_ask(PyObject *self, PyObject *what)
{
    static const struct {
        const char *name;
        rv_result (*ask)(rv_py_store *s, PyObject *to);
    } rows[] = {{"columns", ask_columns}, {"layers", ask_layers},       {"surface", ask_surface},
                {"terrain", ask_terrain}, {"particles", ask_particles}, {"density", ask_density},
                {"pane", ask_pane},       {"droplets", ask_droplets},   {"beads", ask_beads}};
    const char *name = PyUnicode_AsUTF8AndSize(what, NULL);
    rv_py_store *s = name ? rv_py_enter(self, false) : NULL;
    if (!s) return NULL;
    rv_result r = RV_BAD_ARGUMENT;
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0) r = rows[i].ask(s, dict);
    if (r != RV_OK && !PyErr_Occurred()) {
        rv_messages why = {0};
        bool wrong = r == RV_BAD_ARGUMENT;
        rv_messages_add(&why, "%s: %s", name,
                        wrong ? "not with this solver or terrain" : rv_result_text(r));
        rv_py_fail(s->state, r, &why);
    }
    if (PyErr_Occurred()) Py_CLEAR(dict);
    rv_py_leave(s);
    return dict;
}

// ---- Many points at once ------------------------------------------------------------------------

// Rows of doubles in; `bytes` for each out, as bytes or as single floats.
static PyObject *many(PyObject *self, PyObject *points, size_t row, size_t bytes)
{
    Py_buffer view;
    void *data;
    Py_ssize_t n = rv_py_buffer(points, &view, 8, row, "points");
    if (n < 0) return NULL;
    rv_py_store *s = n <= INT32_MAX ? rv_py_enter(self, false) : NULL;
    if (n > INT32_MAX) PyErr_SetString(PyExc_ValueError, "too many points at once");
    rv_py_shape shape =
        bytes == sizeof(float) ? row_of('f', (size_t)n) : row_of('B', (size_t)n * bytes);
    PyObject *block = s ? rv_py_block_own(s->state, &shape, &data) : NULL;
    if (block) {
        Py_BEGIN_ALLOW_THREADS
            if (bytes == sizeof(float))
                rv_world_distance(s->world, view.buf, (int)n, data);
            else if (row == 3)
                rv_world_sample(s->world, view.buf, (int)n, data);
            else
                rv_world_cast(s->world, view.buf, (int)n, data);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&view);
    if (s) rv_py_leave(s);
    return block;
}

static PyObject *world_sample(PyObject *self, PyObject *points)
{
    return many(self, points, 3, sizeof(rv_sample));
}

static PyObject *world_cast(PyObject *self, PyObject *rays)
{
    return many(self, rays, 6, sizeof(rv_hit));
}

static PyObject *world_distance(PyObject *self, PyObject *points)
{
    return many(self, points, 3, sizeof(float));
}

// How the bytes of a sample and of a hit are laid out: size, and (name, offset, format) for numpy.
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

PyMethodDef rv_py_ask_methods[] = {{"_ask", world_ask, METH_O, NULL},
                                   {"_sample", world_sample, METH_O, NULL},
                                   {"_cast", world_cast, METH_O, NULL},
                                   {"_distance", world_distance, METH_O, NULL},
                                   {NULL, NULL, 0, NULL}};

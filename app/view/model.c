// A scene for somebody's own mesh: it stands on a plane, scaled to 120 mm whatever its unit, over a
// grid that leaves room around it, and a source pours on its top. The scene is written as a scene
// file would be and read by the same reader, so everything that is wrong with the mesh is told in
// the same way.
#include "app/view/stage.h"
#include "io/mesh_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "name: %s\n"
    "title: Your own model, under a source\n"
    "grid: {nx: 180, ny: 180, dx: 1 mm, bottom: 0, top: 140 mm}\n"
    "time: {step: 8 ms, end: 10 s}\n"
    "liquid: {viscosity: 4 cSt, look: water}\n"
    "border: {west: open, east: open, south: open, north: open}\n"
    "view: {material: ceramic, elevation: 35 deg}\n"
    "solids:\n"
    "  - {shape: plane, at: 0 0 5 mm}\n"
    "  - {shape: mesh, file: %s, fit: 120 120 110 mm, origin: base, at: 0 0 5 mm}\n"
    "sources:\n"
    "  - {at: 0 0 138 mm, radius: 5 mm, rate: 8 ml/s}\n";

// A name between quotes, as YAML reads it.
static void quote(const char *name, char *out, size_t size)
{
    size_t used = 0;
    out[used++] = '"';
    for (const char *c = name; *c && used + 7 < size; c++) {
        if ((unsigned char)*c < 0x20) {
            used += (size_t)snprintf(out + used, size - used, "\\x%02x", (unsigned char)*c);
            continue;
        }
        if (*c == '"' || *c == '\\') out[used++] = '\\';
        out[used++] = *c;
    }
    out[used++] = '"', out[used] = '\0';
}

bool rv_model_scene(const char *path, rv_scene_file *out, rv_messages *messages)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    const char *dot = strrchr(file, '.');
    // Looked at before, so that a bad file is told by its own name and not by a line of a scene.
    rv_mesh_file mesh;
    if (!rv_mesh_file_load(path, &mesh, messages)) return false;
    rv_mesh_file_free(&mesh);
    char name[256], plain[1024], quoted[1100], scene[2048];
    snprintf(plain, sizeof plain, "%.*s", (int)(dot - file), file);
    quote(plain, name, sizeof name);
    quote(file, quoted, sizeof quoted);
    int length = snprintf(scene, sizeof scene, text, name, quoted);
    return rv_scene_load_memory(scene, (size_t)length, path, out, messages);
}

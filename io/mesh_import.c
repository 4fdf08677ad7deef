// From a checked file to triangles, through assimp's C interface.
//
// The file comes from memory; assimp may open others only below the mesh's own folder. Nothing is
// joined or optimised, the library welds vertices itself; the file's transforms are applied here.
#include "io/mesh_read.h"

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODE_DEPTH_MAX 1000
#define VERTICES_MAX (3 * RV_MESH_TRIANGLES_MAX)

// ---- The files that assimp sees -----------------------------------------------------------------

typedef struct mesh_folder {
    const rv_mesh_reader *reader;
    const rv_file_bytes *main; // known as `main_name`
    char main_name[16];
    size_t taken; // bytes of other files so far
} mesh_folder;

typedef struct open_file {
    struct aiFile file; // its UserData is this
    rv_file_bytes bytes;
    bool owned;
    size_t place;
} open_file;

static open_file *opened(struct aiFile *file)
{
    return (open_file *)(void *)file->UserData;
}

static size_t read_file(struct aiFile *file, char *out, size_t size, size_t count)
{
    open_file *f = opened(file);
    size_t left = f->bytes.size - f->place;
    if (size == 0) return 0;
    if (count > left / size) count = left / size;
    if (count) memcpy(out, f->bytes.data + f->place, size * count);
    f->place += size * count;
    return count;
}

static size_t write_file(struct aiFile *file, const char *data, size_t size, size_t count)
{
    (void)file, (void)data, (void)size, (void)count;
    return 0;
}

static size_t tell_file(struct aiFile *file)
{
    return opened(file)->place;
}

static size_t size_file(struct aiFile *file)
{
    return opened(file)->bytes.size;
}

static enum aiReturn seek_file(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    open_file *f = opened(file);
    size_t from = origin == aiOrigin_CUR ? f->place : origin == aiOrigin_END ? f->bytes.size : 0;
    size_t to = from + offset; // a step back comes as a huge size_t, and wraps around
    if (to > f->bytes.size) return aiReturn_FAILURE;
    f->place = to;
    return aiReturn_SUCCESS;
}

static void flush_file(struct aiFile *file)
{
    (void)file;
}

// Another file of the mesh's folder; what all of them hold together is limited.
static bool open_beside(mesh_folder *folder, const char *name, rv_file_bytes *bytes)
{
    rv_messages unheard = {0};
    char extension[8];
    rv_file_extension(name, extension, sizeof extension);
    if (!folder->reader->path || strcmp(extension, "bin") != 0) return false;
    char *path = rv_file_beside(folder->reader->path, name);
    bool good = path && rv_file_read(path, RV_MESH_BYTES_MAX - folder->taken, bytes, &unheard);
    free(path);
    if (good) folder->taken += bytes->size;
    return good;
}

static struct aiFile *open_one(struct aiFileIO *io, const char *name, const char *mode)
{
    mesh_folder *folder = (mesh_folder *)(void *)io->UserData;
    open_file *f = strchr(mode, 'w') ? NULL : calloc(1, sizeof *f);
    if (!f) return NULL;
    bool good = true;
    if (strcmp(name, folder->main_name) == 0)
        f->bytes = *folder->main;
    else
        good = f->owned = open_beside(folder, name, &f->bytes);
    if (!good) {
        free(f);
        return NULL;
    }
    f->file = (struct aiFile){read_file, write_file, tell_file, size_file,
                              seek_file, flush_file, (char *)f};
    return &f->file;
}

static void close_one(struct aiFileIO *io, struct aiFile *file)
{
    open_file *f = opened(file);
    mesh_folder *folder = (mesh_folder *)(void *)io->UserData;
    if (f->owned) {
        folder->taken -= f->bytes.size;
        rv_file_bytes_free(&f->bytes);
    }
    free(f);
}

// ---- From assimp's scene to triangles -----------------------------------------------------------

typedef struct mesh_sink {
    const rv_mesh_reader *reader;
    const struct aiScene *scene;
    bool counting; // first count, then fill
    size_t vertices, triangles;
    int64_t skipped;
    int parts;
    bool too_many;
} mesh_sink;

static bool mirrors(const struct aiMatrix4x4 *m)
{
    return m->a1 * (m->b2 * m->c3 - m->b3 * m->c2) - m->a2 * (m->b1 * m->c3 - m->b3 * m->c1) +
               m->a3 * (m->b1 * m->c2 - m->b2 * m->c1) <
           0;
}

static void put_vertices(mesh_sink *sink, const struct aiMesh *mesh, const struct aiMatrix4x4 *m)
{
    float *out = sink->reader->out->positions + 3 * sink->vertices;
    for (unsigned i = 0; i < mesh->mNumVertices; i++, out += 3) {
        struct aiVector3D v = mesh->mVertices[i];
        out[0] = (float)(m->a1 * v.x + m->a2 * v.y + m->a3 * v.z + m->a4);
        out[1] = (float)(m->b1 * v.x + m->b2 * v.y + m->b3 * v.z + m->b4);
        out[2] = (float)(m->c1 * v.x + m->c2 * v.y + m->c3 * v.z + m->c4);
    }
}

static void put_mesh(mesh_sink *sink, const struct aiMesh *mesh, const struct aiMatrix4x4 *m)
{
    uint32_t *out = sink->counting ? NULL : sink->reader->out->indices + 3 * sink->triangles;
    bool turn = mirrors(m);
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];
        if (face->mNumIndices != 3) {
            sink->skipped++;
            continue;
        }
        sink->triangles++;
        if (!out) continue;
        for (int k = 0; k < 3; k++)
            out[k] = (uint32_t)sink->vertices + face->mIndices[turn ? 2 - k : k];
        out += 3;
    }
    if (!sink->counting) put_vertices(sink, mesh, m);
    sink->vertices += mesh->mNumVertices;
    sink->parts += mesh->mNumFaces > 0;
    if (sink->vertices > VERTICES_MAX || sink->triangles > RV_MESH_TRIANGLES_MAX)
        sink->too_many = true;
}

static struct aiMatrix4x4 times(const struct aiMatrix4x4 *a, const struct aiMatrix4x4 *b)
{
    struct aiMatrix4x4 product = *a;
    aiMultiplyMatrix4(&product, b);
    return product;
}

// All below a node, placed by it and all above it.
static void put_node(mesh_sink *sink, const struct aiNode *node, const struct aiMatrix4x4 *above,
                     int depth)
{
    struct aiMatrix4x4 m = times(above, &node->mTransformation);
    for (unsigned i = 0; i < node->mNumMeshes && !sink->too_many; i++)
        if (node->mMeshes[i] < sink->scene->mNumMeshes)
            put_mesh(sink, sink->scene->mMeshes[node->mMeshes[i]], &m);
    if (depth == NODE_DEPTH_MAX) sink->too_many = true;
    for (unsigned i = 0; i < node->mNumChildren && !sink->too_many; i++)
        put_node(sink, node->mChildren[i], &m, depth + 1);
}

static bool put_scene(mesh_sink *sink, bool counting)
{
    struct aiMatrix4x4 unmoved;
    aiIdentityMatrix4(&unmoved);
    *sink = (mesh_sink){.reader = sink->reader, .scene = sink->scene, .counting = counting};
    put_node(sink, sink->scene->mRootNode, &unmoved, 0);
    return !sink->too_many;
}

static bool take_scene(const rv_mesh_reader *reader, const struct aiScene *scene)
{
    mesh_sink sink = {.reader = reader, .scene = scene};
    rv_mesh_file *out = reader->out;
    if (!put_scene(&sink, true))
        return rv_mesh_refuse(reader, "has more than %zu triangles", RV_MESH_TRIANGLES_MAX);
    if (sink.triangles == 0) return rv_mesh_refuse(reader, "has no triangles");
    out->positions = malloc(3 * sink.vertices * sizeof *out->positions);
    out->indices = malloc(3 * sink.triangles * sizeof *out->indices);
    if (!out->positions || !out->indices) return rv_mesh_refuse(reader, "not enough memory");
    put_scene(&sink, false);
    out->vertex_count = sink.vertices, out->triangle_count = sink.triangles;
    out->skipped += sink.skipped;
    if (out->parts == 0) out->parts = sink.parts;
    return true;
}

// ---- Calling assimp -----------------------------------------------------------------------------

// Triangulating trusts the indices.
static bool indices_good(const rv_mesh_reader *reader, const struct aiScene *scene)
{
    for (unsigned k = 0; k < scene->mNumMeshes; k++) {
        const struct aiMesh *mesh = scene->mMeshes[k];
        if (!mesh->mVertices && mesh->mNumVertices)
            return rv_mesh_refuse(reader, "has no vertices");
        for (unsigned i = 0; i < mesh->mNumFaces; i++)
            for (unsigned c = 0; c < mesh->mFaces[i].mNumIndices; c++)
                if (mesh->mFaces[i].mIndices[c] >= mesh->mNumVertices)
                    return rv_mesh_refuse(reader, "face %u: vertex %u of %u", i,
                                          mesh->mFaces[i].mIndices[c], mesh->mNumVertices);
    }
    return true;
}

static bool all_triangles(const struct aiScene *scene)
{
    for (unsigned k = 0; k < scene->mNumMeshes; k++)
        for (unsigned i = 0; i < scene->mMeshes[k]->mNumFaces; i++)
            if (scene->mMeshes[k]->mFaces[i].mNumIndices > 3) return false;
    return true;
}

bool rv_mesh_import(const rv_mesh_reader *reader, const rv_file_bytes *file, const char *extension)
{
    mesh_folder folder = {.reader = reader, .main = file};
    snprintf(folder.main_name, sizeof folder.main_name, "mesh.%.8s", extension);
    struct aiFileIO io = {open_one, close_one, (char *)&folder};
    const struct aiScene *scene = aiImportFileEx(folder.main_name, 0, &io);
    bool good = scene && scene->mRootNode && indices_good(reader, scene);
    if (scene && !scene->mRootNode) rv_mesh_refuse(reader, "has no triangles");
    if (good && !all_triangles(scene)) {
        scene = aiApplyPostProcessing(scene, aiProcess_Triangulate);
        good = scene && scene->mRootNode && indices_good(reader, scene);
    }
    if (!scene) {
        const char *error = aiGetErrorString();
        rv_mesh_refuse(reader, "assimp says: %.300s", error && *error ? error : "nothing");
    }
    good = good && take_scene(reader, scene);
    if (scene) aiReleaseImport(scene);
    return good;
}

// VTP: polygons as VTK and ParaView read them. XML that names arrays, then the arrays themselves,
// raw, one after the other behind an underscore; each begins with its length in bytes, of 64 bits.
#include "io/mesh_writers.h"

#include <inttypes.h>

// The next array lies behind all that came before it.
typedef struct vtp_header {
    FILE *out;
    uint64_t offset; // bytes from the underscore
} vtp_header;

bool rv_vtp_fits(const rv_mesh_export *mesh)
{
    return mesh->vertex_count <= INT32_MAX && mesh->triangle_count <= INT32_MAX / 3;
}

static void announce(vtp_header *h, const char *type, const char *name, int size, size_t count)
{
    fprintf(h->out,
            "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
            "format=\"appended\" offset=\"%" PRIu64 "\"/>\n",
            type, name, size, h->offset);
    h->offset += 8 + 4 * (uint64_t)size * count;
}

static void write_header(FILE *out, const rv_mesh_export *mesh)
{
    vtp_header h = {.out = out};
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    fputs("<?xml version=\"1.0\"?>\n<!-- made by rivulet; metres, seconds, z up -->\n"
          "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
          "header_type=\"UInt64\">\n  <PolyData>\n",
          out);
    // ParaView takes the time of a file in a series from here
    fprintf(out,
            "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" "
            "NumberOfTuples=\"1\" format=\"ascii\">%.12g</DataArray>\n    </FieldData>\n",
            mesh->time);
    fprintf(out,
            "    <Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
            vertices, triangles);
    fputs("      <Points>\n", out);
    announce(&h, "Float32", "Points", 3, vertices);
    fprintf(out, "      </Points>\n      <PointData%s>\n",
            mesh->normals ? " Normals=\"Normals\"" : "");
    if (mesh->normals) announce(&h, "Float32", "Normals", 3, vertices);
    for (int a = 0; a < mesh->attribute_count; a++)
        announce(&h, "Float32", mesh->attributes[a].name, mesh->attributes[a].size, vertices);
    fputs("      </PointData>\n      <Polys>\n", out);
    announce(&h, "Int32", "connectivity", 1, 3 * triangles);
    announce(&h, "Int32", "offsets", 1, triangles);
    fputs("      </Polys>\n    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_", out);
}

// The length of an array of numbers of four bytes, with its high half after its low.
static void write_length(FILE *out, uint64_t numbers)
{
    const uint32_t halves[2] = {(uint32_t)(4 * numbers), (uint32_t)(4 * numbers >> 32)};
    rv_write_wholes(out, halves, 2);
}

static void write_array(FILE *out, const float *values, int size, size_t count)
{
    write_length(out, (uint64_t)size * count);
    rv_write_reals(out, values, (size_t)size * count);
}

void rv_write_vtp(FILE *out, const rv_mesh_export *mesh)
{
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    write_header(out, mesh);
    write_array(out, mesh->positions, 3, vertices);
    if (mesh->normals) write_array(out, mesh->normals, 3, vertices);
    for (int a = 0; a < mesh->attribute_count; a++)
        write_array(out, mesh->attributes[a].values, mesh->attributes[a].size, vertices);
    write_length(out, 3 * triangles);
    rv_write_wholes(out, mesh->indices, 3 * triangles);
    write_length(out, triangles);
    for (uint32_t t = 1; t <= triangles; t++) // where each polygon ends
        rv_write_wholes(out, &(uint32_t){3 * t}, 1);
    fputs("\n  </AppendedData>\n</VTKFile>\n", out);
}

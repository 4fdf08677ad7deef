// rivulet_io/files.h: pictures, meshes, states and snapshots as files, and solids from files.
//
// Files appear whole or not at all. Every problem is one line that names the file. `messages` may be NULL everywhere.
#ifndef RIVULET_IO_FILES_H
#define RIVULET_IO_FILES_H

#include <rivulet/rivulet.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Writing -------------------------------------------------------------------------------------

// A .png: width × height × channels bytes, rows from the top, 3 channels or 4 with alpha (colours not multiplied by it).
RV_API rv_result rv_io_write_picture(const char *path, const uint8_t *pixels, int width, int height,
                                     int channels, rv_messages *messages);
// The columns, particles or drops of a world as they are: .npz or .csv.
RV_API rv_result rv_io_write_state(const char *path, const rv_world *world, rv_messages *messages);
// The liquid's surface, and the solid's: .ply, .obj, .glb, .vtp or .stl. All liquid of a world: its surface and, after
// it, the drops on its solids, in the liquid's colour.
RV_API rv_result rv_io_write_liquid(const char *path, const rv_surface_mesh *mesh,
                                    rv_messages *messages);
RV_API rv_result rv_io_write_all_liquid(const char *path, const rv_surface_mesh *mesh,
                                        const rv_world *world, rv_messages *messages);
RV_API rv_result rv_io_write_terrain(const char *path, const rv_mesh *mesh, rv_messages *messages);

// Whether an .mp4 that an encoder wrote is whole, with at least so many pictures: encoders may say that all went well
// when the disk was full.
RV_API rv_result rv_io_check_film(const char *path, int64_t pictures, rv_messages *messages);

// A snapshot, to go on bit for bit in a world made from the same definition. After a failed read the world is as it was.
RV_API rv_result rv_io_write_snapshot(const char *path, const rv_world *world,
                                      rv_messages *messages);
RV_API rv_result rv_io_read_snapshot(const char *path, rv_world *world, rv_messages *messages);

// ---- Reading -------------------------------------------------------------------------------------

// A form for rv_solid_def.form: a mesh (.obj, .stl, .ply, .gltf, .glb), a volume (.nrrd, .nhdr, .nii, .nii.gz) or a
// height map (.png), which takes size_x × size_y metres; of others these are not looked at. `work` NULL: the default.
// The solid's shape is *shape. `report` may be NULL.
RV_API rv_result rv_io_read_form(const char *path, const rv_form_def *def, double size_x,
                                 double size_y, const rv_form_work *work, rv_form **out,
                                 rv_shape *shape, rv_form_report *report, rv_messages *messages);

// A picture as light, 1 is a white sheet in full light: for what surrounds a scene or is behind a pane (rivulet_gl).
// .hdr, or .png and .jpg, whose white places are taken to be lamps.
typedef struct rv_light {
    int width, height;
    float *rgb; // width × height × 3, rows from the top
} rv_light;

RV_API rv_result rv_io_read_light(const char *path, rv_light *out, rv_messages *messages);
RV_API void rv_io_free_light(rv_light *light);

#ifdef __cplusplus
}
#endif
#endif

#!/usr/bin/env python3
"""Writes fuzz/corpus/: a few small good files for each reader, and damaged and hostile ones.

    python3 fuzz/corpus.py          only when something here was changed; the files are committed
"""
import base64
import gzip
import json
import math
import os
import struct
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))


def put(path, data):
    path = os.path.join(HERE, "corpus", path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if isinstance(data, str):
        data = data.encode()
    assert len(data) <= 4096, path
    with open(path, "wb") as file:
        file.write(data)


# ---- A cube ---------------------------------------------------------------------------------------

CORNERS = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
QUADS = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
TRIANGLES = [t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))]


def stl_binary(triangles, announced=None, header=b""):
    data = header.ljust(80, b"\0") + struct.pack("<I", len(triangles) if announced is None else announced)
    for t in triangles:
        data += struct.pack("<3f", 0, 0, 0)
        for corner in t:
            data += struct.pack("<3f", *corner)
        data += b"\0\0"
    return data


def stl_text(triangles, name="cube"):
    lines = ["solid " + name]
    for t in triangles:
        lines += ["  facet normal 0 0 0", "    outer loop"]
        lines += ["      vertex %g %g %g" % corner for corner in t]
        lines += ["    endloop", "  endfacet"]
    return "\n".join(lines + ["endsolid " + name, ""])


def make_stl():
    cube = [tuple(CORNERS[i] for i in t) for t in TRIANGLES]
    nan = float("nan")
    put("stl/binary.stl", stl_binary(cube))
    put("stl/binary_tail.stl", stl_binary(cube[:2], header=b"COLOR=\1\2\3\4MATERIAL=") + b"and more")
    put("stl/text.stl", stl_text(cube))
    put("stl/two.stl", stl_text(cube[:1], "") + stl_text(cube[1:2], "b c").upper())
    put("stl/windows.stl", stl_text(cube[:2]).replace("\n", "\r\n"))
    put("stl/cut.stl", stl_binary(cube[:3], 1200))
    put("stl/many.stl", stl_binary(cube[:3], 0xFFFFFFFF))
    put("stl/wraps.stl", stl_binary(cube[:3], (2**32 + 3 * 50) // 50))  # 50 n + 84 wraps in 32 bits
    put("stl/none.stl", stl_binary([]))
    put("stl/nan.stl", stl_binary([((nan, 0, 0), (1, 0, 0), (0, 1, 0))]))
    put("stl/text_cut.stl", stl_text(cube).rsplit("  endfacet", 1)[0])
    put("stl/text_four.stl", stl_text(cube[:1]).replace("    endloop", "      vertex 1 1 1\n    endloop"))
    put("stl/text_nan.stl", stl_text(cube[:1]).replace("vertex 0 0 0", "vertex nan 0 0"))
    put("stl/text_nothing.stl", "solid")
    put("stl/text_long.stl", "solid " + "x" * 2000 + "\nfacet\nvertex " + "1" * 900 + " 0 0\n")


# ---- PLY ------------------------------------------------------------------------------------------

PLY_HEAD = (
    "ply\nformat %s 1.0\ncomment a cube\nelement vertex %d\nproperty float x\nproperty float y\n"
    "property float z\nelement face %d\nproperty list uchar int vertex_indices\nend_header\n"
)


def ply_binary(order, vertices=8, faces=6, count_type=None):
    data = (PLY_HEAD % ("binary_" + ("little" if order == "<" else "big") + "_endian", vertices, faces)).encode()
    for corner in CORNERS:
        data += struct.pack(order + "3f", *corner)
    for quad in QUADS:
        data += struct.pack(order + "B4i", 4, *quad)
    return data


def make_ply():
    text = PLY_HEAD % ("ascii", 8, 6)
    text += "".join("%g %g %g\n" % c for c in CORNERS) + "".join("4 %d %d %d %d\n" % q for q in QUADS)
    put("ply/text.ply", text)
    put("ply/little.ply", ply_binary("<"))
    put("ply/big.ply", ply_binary(">"))
    put("ply/windows.ply", text.replace("\n", "\r\n"))
    put("ply/extra.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\n"
        "property double z\nproperty uchar red\nelement face 1\nproperty list uchar uint vertex_index\n"
        "property float quality\nelement edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n"
        "0 0 0 255\n1 0 0 0\n0 1 0 7\n3 0 1 2 0.5\n0 1\n")
    put("ply/cut.ply", ply_binary("<")[:-20])
    put("ply/many_vertices.ply", ply_binary("<", vertices=2000000000))
    put("ply/many_faces.ply", ply_binary(">", faces=4000000000))
    put("ply/index.ply", text.replace("4 0 2 3 1", "4 0 2 3 8"))
    put("ply/negative.ply", text.replace("4 0 2 3 1", "4 0 2 -3 1"))
    put("ply/list.ply", text.replace("4 0 2 3 1", "4000000000 0 2 3 1"))
    put("ply/nothing.ply", text.replace("property float x\nproperty float y\nproperty float z\n", ""))
    put("ply/nan.ply", text.replace("1 1 1", "1 nan 1"))
    put("ply/two_faces.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\nelement face 40\n"
        "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n" + "3 0 1 2\n" * 41)
    put("ply/texture.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\n"
        "property list uchar float texcoord\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 0 6 0 0 1 0 0 1\n")
    put("ply/no_end.ply", text.split("end_header")[0])
    put("ply/list_vertex.ply", text.replace("property float y", "property list uchar float y"))


# ---- OBJ ------------------------------------------------------------------------------------------


def make_obj():
    vertices = "".join("v %g %g %g\n" % c for c in CORNERS)
    faces = "".join("f %d %d %d %d\n" % tuple(i + 1 for i in q) for q in QUADS)
    put("obj/cube.obj", "# a cube\no cube\n" + vertices + faces)
    put("obj/utf16.obj", ("o cube\n" + vertices + faces).encode("utf-16"))
    put("obj/rich.obj", "mtllib none.mtl\no one\nv 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\nv 0 1 0\nvt 0 0\nvn 0 0 1\n"
        "usemtl red\ns off\nf 1/1/1 2/1/1 3/1/1\ng two\nv 0 0 1\nf -4//1 -3//1 -1//1\nl 1 2 3\np 1\n"
        "f 1 2 \\\n 3\ncurv 0 1 1 2\n")
    star = [(1 + i % 2, 2 * math.pi * i / 40) for i in range(40)]
    put("obj/polygon.obj", "".join("v %.4f %.4f 0\n" % (r * math.cos(a), r * math.sin(a)) for r, a in star) +
        "f " + " ".join(str(i) for i in range(1, 41)) + "\n")
    put("obj/index.obj", vertices + "f 1 2 9\n")
    put("obj/zero.obj", vertices + "f 0 1 2\n")
    put("obj/huge.obj", vertices + "f 1 2 99999999999999999999\n")
    put("obj/nan.obj", vertices + "v nan 0 0\nf 1 2 9\n")
    put("obj/inf.obj", vertices + "v 1e999 0 0\nf 1 2 9\n")
    put("obj/slashes.obj", vertices + "f 1//////// 2/ 3//\nf 1/-/ 2 3\nf / / /\n")
    put("obj/points.obj", vertices + "p 1 2 3\nl 1 2\n")
    put("obj/words.obj", "f\nv\nv 1\nf f f f\nv v v v\n\\\n\\")
    put("obj/nul.obj", vertices.encode() + b"f 1 2 3\0\n")


# ---- glTF -----------------------------------------------------------------------------------------


def gltf(positions, indices, node=None, uri=True):
    data = b"".join(struct.pack("<3f", *p) for p in positions)
    data += b"".join(struct.pack("<H", i) for i in indices)
    length = 12 * len(positions)
    buffer = {"byteLength": len(data)}
    if uri:
        buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [dict(node or {}, mesh=0)],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(positions), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": len(indices), "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": length},
            {"buffer": 0, "byteOffset": length, "byteLength": 2 * len(indices)},
        ],
        "buffers": [buffer],
    }, data


def glb(tree, data):
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def make_gltf():
    indices = [i for t in TRIANGLES for i in t]

    def changed(name, change, binary=False):
        tree, data = gltf(CORNERS, indices, uri=not binary)
        change(tree)
        put("gltf/" + name, glb(tree, data) if binary else json.dumps(tree))

    changed("cube.gltf", lambda t: None)
    changed("cube.glb", lambda t: None, binary=True)
    half = 0.7071067811865476
    changed("placed.gltf", lambda t: t["nodes"].__setitem__(slice(0, 1), [
        {"children": [1, 2], "rotation": [half, 0, 0, half]},
        {"mesh": 0, "translation": [1, 2, 3]}, {"mesh": 0, "scale": [-1, 1, 1]}]))
    changed("rich.gltf", lambda t: t.update(
        materials=[{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}], textures=[{"source": 0}],
        images=[{"uri": "../../secret.png"}], cameras=[{"type": "perspective"}],
        skins=[{"joints": [0]}], animations=[{"channels": [], "samplers": []}], extras={"a": [1, 2, {}]}))
    changed("strip.gltf", lambda t: t["meshes"][0]["primitives"][0].update(mode=5))
    changed("points.gltf", lambda t: t["meshes"][0]["primitives"][0].update(mode=0))
    changed("sparse.gltf", lambda t: t["accessors"][0].update(sparse={
        "count": 2, "indices": {"bufferView": 1, "componentType": 5123},
        "values": {"bufferView": 0, "byteOffset": 24}}))
    changed("count.gltf", lambda t: t["accessors"][0].update(count=1000000000))
    changed("view.gltf", lambda t: t["bufferViews"][1].update(byteOffset=4000000))
    changed("stride.gltf", lambda t: t["bufferViews"][0].update(byteStride=4))
    changed("length.gltf", lambda t: t["buffers"][0].update(byteLength=2000000000))
    changed("outside.gltf", lambda t: t["buffers"][0].update(uri="../../../../etc/passwd"))
    changed("cycle.gltf", lambda t: t["nodes"][0].update(children=[0]))
    changed("twice.gltf", lambda t: t.update(nodes=[{"children": [1, 1]}, {"mesh": 0}]))
    changed("index.gltf", lambda t: t["accessors"][1].update(componentType=5121, count=72))
    changed("missing.gltf", lambda t: t["meshes"][0]["primitives"][0]["attributes"].update(POSITION=7))
    changed("draco.gltf", lambda t: t["meshes"][0]["primitives"][0].update(
        extensions={"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}))
    changed("length.glb", lambda t: t["buffers"][0].update(byteLength=100000), binary=True)
    changed("types.gltf", lambda t: t.update(nodes={"mesh": "0"}, scene=[]))
    put("gltf/deep.gltf", "[" * 2000)
    put("gltf/cut.gltf", json.dumps(gltf(CORNERS, indices)[0])[:-300])
    whole = glb(*gltf(CORNERS, indices, uri=False))
    put("gltf/cut.glb", whole[:-40])
    put("gltf/chunk.glb", whole[:12] + struct.pack("<I", 0xFFFFFFF0) + whole[16:])
    put("gltf/escaped.gltf", json.dumps(gltf(CORNERS, indices)[0]).replace('"nodes"', '"n\\u006fdes"'))


# ---- NIfTI ----------------------------------------------------------------------------------------


def nifti1(dims, datatype, bits, values, order="<", sform=True, offset=352.0, slope=0.0, magic=b"n+1\0",
           units=2):
    dim = [len(dims)] + list(dims) + [1] * (7 - len(dims))
    head = struct.pack(order + "i10s18sihcB", 348, b"", b"", 0, 0, b"r", 0)
    head += struct.pack(order + "8h3f", *dim, 0, 0, 0)
    head += struct.pack(order + "hhhh", 0, datatype, bits, 0)
    head += struct.pack(order + "8f", 1, 0.5, 0.5, 2, 1, 1, 1, 1)
    head += struct.pack(order + "f2fhcB", offset, slope, 10.0, 0, b"\0", units)
    head += struct.pack(order + "4f2i", 0, 0, 0, 0, 0, 0)
    head += struct.pack(order + "80s24s2h6f", b"", b"", 1, 1 if sform else 0, 0, 0, 1, 5, 6, 7)
    head += struct.pack(order + "12f", -0.5, 0, 0, 10, 0, 0.5, 0, -20, 0, 0, 2, 30)
    head += struct.pack(order + "16s4s", b"", magic)
    assert len(head) == 348
    return head + b"\0" * 4 + values


def nifti2(dims, datatype, bits, values):
    dim = [len(dims)] + list(dims) + [1] * (7 - len(dims))
    head = struct.pack("<i8shh8q3d8dq2d", 540, b"n+2\0\r\n\x1a\n", datatype, bits, *dim, 0, 0, 0,
                       1, 1, 1, 1, 1, 1, 1, 1, 544, 0, 0)
    return head.ljust(540, b"\0") + b"\0" * 4 + values


def make_nifti():
    shorts = b"".join(struct.pack("<h", i) for i in range(24))
    swapped = b"".join(struct.pack(">h", i) for i in range(24))
    floats = b"".join(struct.pack("<f", i / 4) for i in range(24))
    put("nifti/sform.nii", nifti1((4, 3, 2), 4, 16, shorts))
    put("nifti/qform.nii", nifti1((4, 3, 2), 4, 16, shorts, sform=False))
    put("nifti/big.nii", nifti1((4, 3, 2), 4, 16, swapped, order=">"))
    put("nifti/scaled.nii", nifti1((4, 3, 2), 4, 16, shorts, slope=2.0))
    put("nifti/float.nii.gz", gzip.compress(nifti1((4, 3, 2), 16, 32, floats), mtime=0))
    put("nifti/frames.nii", nifti1((2, 3, 2, 2), 4, 16, shorts))
    put("nifti/two.nii", nifti2((4, 3, 2), 4, 16, shorts))
    put("nifti/cut.nii", nifti1((4, 3, 2), 4, 16, shorts)[:-5])
    put("nifti/head.nii", nifti1((4, 3, 2), 4, 16, b"")[:200])
    put("nifti/large.nii", nifti1((32767, 32767, 32767), 64, 64, shorts))
    put("nifti/negative.nii", nifti1((4, -3, 2), 4, 16, shorts))
    put("nifti/offset.nii", nifti1((4, 3, 2), 4, 16, shorts, offset=1e30))
    put("nifti/offset_nan.nii", nifti1((4, 3, 2), 4, 16, shorts, offset=float("nan")))
    put("nifti/rgb.nii", nifti1((4, 3, 2), 128, 24, shorts * 2))
    put("nifti/pair.nii", nifti1((4, 3, 2), 4, 16, shorts, magic=b"ni1\0"))
    put("nifti/bomb.nii.gz", gzip.compress(nifti1((1000, 1000, 3), 2, 8, b"\0" * 2900000), mtime=0))
    put("nifti/cut.nii.gz", gzip.compress(nifti1((4, 3, 2), 16, 32, floats), mtime=0)[:-30])


# ---- NRRD -----------------------------------------------------------------------------------------


def nrrd(fields, values, version=4):
    head = "NRRD000%d\n# made by hand\n" % version
    return (head + "".join("%s: %s\n" % f for f in fields.items()) + "\n").encode() + values


def make_nrrd():
    base = {"type": "short", "dimension": "3", "sizes": "4 3 2", "encoding": "raw", "endian": "little",
            "space": "left-posterior-superior", "space directions": "(0.5,0,0) (0,0.5,0) (0,0,2)",
            "space origin": "(1,2,3)", "space units": '"mm" "mm" "mm"', "kinds": "domain domain domain"}
    shorts = b"".join(struct.pack("<h", i) for i in range(24))
    text = " ".join(str(i) for i in range(24)).encode()

    def changed(name, values, version=4, **fields):
        all_fields = dict(base)
        for key, value in fields.items():
            all_fields.pop(key.replace("_", " "), None)
            if value is not None:
                all_fields[key.replace("_", " ")] = value
        put("nrrd/" + name, nrrd(all_fields, values, version))

    changed("raw.nrrd", shorts)
    changed("big.nrrd", b"".join(struct.pack(">h", i) for i in range(24)), endian="big")
    changed("gzip.nrrd", gzip.compress(shorts, mtime=0), encoding="gzip")
    changed("text.nrrd", text, version=1, encoding="ascii", space=None, space_directions=None,
            space_origin=None, space_units=None, spacings="1 2 3")
    changed("four.nrrd", shorts, dimension="4", sizes="1 4 3 2", kinds="vector domain domain domain",
            space_directions="none (1,0,0) (0,1,0) (0,0,1)")
    changed("skip.nrrd", b"a line\n12345" + shorts, line_skip="1", byte_skip="5")
    changed("last.nrrd", b"anything" + shorts, byte_skip="-1")
    changed("cut.nrrd", shorts[:-1])
    changed("large.nrrd", shorts, sizes="60000 60000 60000")
    changed("overflow.nrrd", shorts, sizes="4294967296 4294967296 99999999999999999999")
    changed("bzip2.nrrd", shorts, encoding="bzip2")
    changed("outside.nrrd", b"", data_file="../../../../etc/passwd")
    changed("list.nrrd", b"", data_file="LIST")
    changed("flat.nrrd", shorts, space_directions="(1,0,0) (2,0,0) (0,0,1)")
    changed("nan.nrrd", shorts, space_directions="(nan,0,0) (0,1,0) (0,0,1)")
    changed("two.nrrd", shorts, dimension="2", sizes="4 6", space_directions=None, kinds=None)
    changed("bomb.nrrd", gzip.compress(b"\0" * 3000000, mtime=0), encoding="gzip")
    changed("type.nrrd", shorts, type="block")
    changed("text_cut.nrrd", text[:-8], encoding="txt")
    put("nrrd/head.nrrd", "NRRD0009\n")
    put("nrrd/line.nrrd", "NRRD0004\nno field\n\n")


# ---- PNG ------------------------------------------------------------------------------------------


def png(width, height, depth, colour, rows, interlaced=0, extra=b"", chunk=None):
    def block(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = zlib.compress(rows, 9)
    data = b"\x89PNG\r\n\x1a\n"
    data += block(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)) + extra
    for i in range(0, len(pixels), chunk or len(pixels)):
        data += block(b"IDAT", pixels[i:i + (chunk or len(pixels))])
    return data + block(b"IEND", b"")


def make_height():
    grey16 = b"".join(b"\0" + b"".join(struct.pack(">H", 1000 * y + 100 * x) for x in range(5)) for y in range(4))
    put("height/grey16.png", png(5, 4, 16, 0, grey16))
    put("height/grey8.png", png(5, 4, 8, 0, b"".join(b"\0" + bytes(10 * y + x for x in range(5)) for y in range(4))))
    put("height/rgb.png", png(3, 2, 8, 2, (b"\0" + bytes(range(9))) * 2))
    put("height/rgba16.png", png(2, 2, 16, 6, (b"\0" + bytes(range(16))) * 2))
    palette = struct.pack(">I", 6) + b"PLTE" + bytes((0, 0, 0, 255, 255, 255)) + b"\0\0\0\0"
    put("height/palette.png", png(9, 2, 1, 3, b"\0\xaa\x80\0\x55\0", extra=palette))
    put("height/interlaced.png", png(1, 1, 8, 0, b"\0\x80", interlaced=1))
    put("height/chunks.png", png(5, 4, 16, 0, grey16, chunk=7))
    put("height/filters.png", png(2, 5, 8, 0, b"".join(bytes((f, 7, 9)) for f in range(5))))
    whole = png(5, 4, 16, 0, grey16)
    put("height/cut.png", whole[:46])
    put("height/head.png", whole[:20])
    put("height/large.png", png(16385, 16385, 16, 0, grey16))
    put("height/edge.png", png(16384, 16384, 16, 6, grey16))
    put("height/bomb.png", png(5, 4, 16, 0, b"\0" * 3000000))
    put("height/few.png", png(50, 40, 16, 0, grey16))
    put("height/filter.png", png(5, 4, 16, 0, grey16.replace(b"\0\0\0", b"\x09\0\0", 1)))
    put("height/depth.png", png(5, 4, 7, 0, grey16))
    put("height/not.png", "GIF89a" + "x" * 40)


# ---- Radiance pictures ---------------------------------------------------------------------------


def hdr(width, height, rows, size=None, lines="FORMAT=32-bit_rle_rgbe\n", begin="#?RADIANCE\n"):
    return (begin + lines + "\n" + (size or "-Y %d +X %d" % (height, width)) + "\n").encode() + rows


def hdr_planes(pixels):
    """A row as four planes of runs and literals."""
    row = bytes((2, 2, len(pixels) >> 8, len(pixels) & 255))
    for plane in zip(*pixels):
        at = 0
        while at < len(plane):
            end = at
            while end < len(plane) and end - at < 127 and plane[end] == plane[at]:
                end += 1
            row += bytes((128 + end - at, plane[at])) if end - at > 2 else bytes((1, plane[at]))
            at = end if end - at > 2 else at + 1
    return row


def make_hdr():
    flat = b"".join(bytes((16 * x, 32 * y, 200, 120 + x)) for y in range(4) for x in range(8))
    planes = b"".join(hdr_planes([(10 * y, 2 * x // 8, 7, 129) for x in range(20)]) for y in range(3))
    put("hdr/flat.hdr", hdr(8, 4, flat))
    put("hdr/planes.hdr", hdr(20, 3, planes))
    put("hdr/literal.hdr", hdr(8, 1, bytes((2, 2, 0, 8)) + (b"\x08" + bytes(range(8))) * 4))
    put("hdr/old.hdr", hdr(300, 2, (b"\x50\x60\x70\x80" + b"\1\1\1\x2b" + b"\1\1\1\1") * 2))
    put("hdr/small.hdr", hdr(2, 2, b"\2\2\0\2" * 4, begin="#?RGBE\n", lines="# hand\nEXPOSURE=2.0\n"))
    put("hdr/windows.hdr", hdr(8, 4, flat, lines="FORMAT=32-bit_rle_rgbe\r\n\r").replace(b"\n\n-Y", b"\n-Y"))
    put("hdr/extremes.hdr", hdr(2, 1, b"\xff\xff\xff\xff\xff\1\0\0"))
    put("hdr/xyze.hdr", hdr(8, 4, flat, lines="FORMAT=32-bit_rle_xyze\n"))
    put("hdr/turned.hdr", hdr(8, 4, flat, size="+X 8 -Y 4"))
    put("hdr/flipped.hdr", hdr(8, 4, flat, size="+Y 4 +X 8"))
    put("hdr/size.hdr", hdr(8, 4, flat, size="-Y four +X 8"))
    put("hdr/large.hdr", hdr(8, 4, flat, size="-Y 16384 +X 16384"))
    put("hdr/overflow.hdr", hdr(8, 4, flat, size="-Y 99999999999 +X 4294967297"))
    put("hdr/negative.hdr", hdr(8, 4, flat, size="-Y -4 +X 8"))
    put("hdr/cut.hdr", hdr(20, 3, planes[:-9]))
    put("hdr/few.hdr", hdr(8, 4000, flat))
    put("hdr/head.hdr", "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n")
    put("hdr/no_size.hdr", "#?RADIANCE\n\n-Y 4")
    put("hdr/past.hdr", hdr(8, 1, bytes((2, 2, 0, 8, 128 + 9, 1)) + bytes(20)))
    put("hdr/none.hdr", hdr(8, 1, bytes((2, 2, 0, 8, 0, 1)) + bytes(20)))
    put("hdr/length.hdr", hdr(8, 1, bytes((2, 2, 0, 9)) + bytes(40)))
    put("hdr/first.hdr", hdr(8, 1, b"\1\1\1\7" * 9))
    put("hdr/shift.hdr", hdr(3, 1, b"\5\5\5\x80" + b"\1\1\1\0" * 200))
    put("hdr/not.hdr", b"\x5c\1\0\0" + bytes(344))


# ---- Scenes and snapshots -------------------------------------------------------------------------


def make_scene():
    good = ("name: tray\ngrid: {nx: 20, ny: 20, dx: 1e-3, top: 0.02}\nliquid: {viscosity: 1e-6}\n"
            "solids:\n  - {shape: box, at: [0, 0, 0], size: [0.02, 0.02, 0.004]}\n"
            "  - {shape: sphere, op: subtract, radius: 0.005}\n"
            "sources:\n  - {at: [0, 0, 0.01], rate: 1e-7}\n")
    put("scene/good.yaml", good)
    put("scene/liquid.yaml", good.replace("viscosity: 1e-6", "preset: honey, density: 1") + "environment: a.hdr\n")
    put("scene/liquids.yaml", "liquid: {preset: [honey], presets: 1}\nliquid.preset: bood\nenvironment: [1]\n")
    put("scene/forms.yaml", good + "  # more\nevents:\n  - {kind: carve, start: 1, path: [[0, 0, 0], [0, 0, 1]],\n"
        "     tool: [{shape: sphere, radius: 0.001}]}\n")
    put("scene/mesh.yaml", good.replace("shape: box", "shape: mesh, file: ../../etc/passwd"))
    put("scene/types.yaml", "grid: 5\nsolids: {a: 1}\nsources: [1, [2]]\nname: [x]\n")
    put("scene/values.yaml", "grid: {nx: 1e99, dx: nan, top: -inf, ny: 99999999999999999999}\n")
    put("scene/deep.yaml", "solids: " + "[" * 500)
    put("scene/group.yaml", "solids:\n" + "".join("  " * i + "- {shape: group, solids: [{}]}\n" for i in (1, 1, 1)))
    put("scene/laughs.yaml", "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
        "%s: &%s [*%s, *%s, *%s, *%s, *%s, *%s]\n" % ((chr(98 + i), chr(98 + i)) + (chr(97 + i),) * 6)
        for i in range(12)))
    put("scene/self.yaml", "solids: &a [*a]\n")
    put("scene/cut.yaml", good[:150])
    put("scene/bytes.yaml", bytes(range(256)))


def make_snapshot():
    put("snapshot/same", b"\1")
    put("snapshot/drilled", b"\2")
    put("snapshot/none", b"")
    put("snapshot/counters", b"\1" + b"".join(struct.pack("<HBB", at, 2, 6) for at in range(56, 160, 8)))
    for at in range(56, 1200, 72):
        put("snapshot/drilled_%04d" % at,
            b"\2" + b"".join(struct.pack("<HBB", at + i, 2, i // 8 % 8) for i in range(0, 72, 8)))
    put("snapshot/raw", b"\0" + b"RVRVSN01" + bytes(200))
    put("snapshot/short", b"\0" + b"RVRV")
    for mode in range(3, 21):  # the other solvers and forms, as they are and with one number that hurts
        put("snapshot/kind_%02d" % mode, bytes((mode,)))
        for i, at in enumerate(range(700, 4700, 500)):
            put("snapshot/kind_%02d_%d" % (mode, at), bytes((mode,)) + struct.pack("<HBB", at, 1 + i % 2, i))
    # half a double is a NaN: as a whole it is a number near the largest there is
    for at in range(300, 364, 4):
        put("snapshot/halves_%d" % at, b"\5" + struct.pack("<HBB", at, 1, 0))
    put("snapshot/head", b"\1" + b"".join(struct.pack("<HBB", at, 0, 255) for at in range(8, 64)))
    for kind, name in ((1, "floats"), (2, "doubles")):
        for value, what in enumerate(("nan", "inf", "low", "negative", "large", "tiny", "zero", "million")):
            put("snapshot/%s_%s" % (name, what),
                b"\1" + b"".join(struct.pack("<HBB", at, kind, value) for at in range(64, 3000, 24)))


if __name__ == "__main__":
    for make in (make_stl, make_ply, make_obj, make_gltf, make_nifti, make_nrrd, make_height, make_hdr,
                 make_scene, make_snapshot):
        make()

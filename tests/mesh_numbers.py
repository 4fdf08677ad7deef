"""Reads mesh files with Python's own json, xml and struct, and compares what they hold.

    mesh_numbers.py same FILE…      all hold the same mesh: places, normals, attributes, triangles
    mesh_numbers.py volume FILE     prints the integral of the depth over the area seen from above, m³
    mesh_numbers.py counts FILE     prints vertices, triangles and the time
"""
import json
import struct
import sys
import xml.etree.ElementTree as xml

VECTORS = ("points", "normals", "velocity")


def floats(data, offset, count, size):
    values = struct.unpack_from("<%df" % (count * size), data, offset)
    return [values[i:i + size] for i in range(0, count * size, size)]


def read_ply(data):
    end = data.index(b"end_header\n") + len(b"end_header\n")
    lines = data[:end].decode("ascii").split("\n")
    assert lines[:2] == ["ply", "format binary_little_endian 1.0"], lines[:2]
    vertices = int([l for l in lines if l.startswith("element vertex ")][0].split()[2])
    triangles = int([l for l in lines if l.startswith("element face ")][0].split()[2])
    names = [l.split()[2] for l in lines if l.startswith("property float ")]
    rows = floats(data, end, vertices, len(names))
    column = {name: i for i, name in enumerate(names)}
    mesh = {"time": float([l for l in lines if " at " in l][0].split()[-2])}
    parts = {"points": "x y z", "normals": "nx ny nz", "opacity": "opacity", "depth": "depth",
             "velocity": "velocity_x velocity_y velocity_z"}
    for name, words in parts.items():
        words = words.split()
        if words[0] in column:
            mesh[name] = [tuple(row[column[w]] for w in words) for row in rows]
    assert sum(len(parts[n].split()) for n in parts if n in mesh) == len(names), names
    at = end + 4 * len(names) * vertices
    faces = [struct.unpack_from("<B3I", data, at + 13 * t) for t in range(triangles)]
    assert all(face[0] == 3 for face in faces) and at + 13 * triangles == len(data)
    mesh["triangles"] = [face[1:] for face in faces]
    return mesh


def vtp_array(data, start, element, count, kind):
    size = int(element.get("NumberOfComponents", 1))
    at = start + int(element.get("offset"))
    assert element.get("format") == "appended"
    assert element.get("type") == {"f": "Float32", "i": "Int32"}[kind]
    assert struct.unpack_from("<Q", data, at)[0] == 4 * size * count
    values = struct.unpack_from("<%d%s" % (size * count, kind), data, at + 8)
    return [values[i:i + size] for i in range(0, size * count, size)], at + 8 + 4 * size * count


def read_vtp(data):
    cut = data.index(b"_", data.index(b"<AppendedData")) + 1
    tree = xml.fromstring(data[:cut].decode("ascii") + "</AppendedData></VTKFile>")
    assert tree.get("byte_order") == "LittleEndian" and tree.get("header_type") == "UInt64"
    piece = tree.find("PolyData/Piece")
    vertices, triangles = int(piece.get("NumberOfPoints")), int(piece.get("NumberOfPolys"))
    mesh, last = {"time": float(tree.find("PolyData/FieldData/DataArray").text)}, 0
    arrays = [piece.find("Points/DataArray")] + piece.findall("PointData/DataArray")
    for element in arrays:
        values, last = vtp_array(data, cut, element, vertices, "f")
        mesh[element.get("Name").lower()] = values
    connectivity, offsets = piece.findall("Polys/DataArray")
    corners, last = vtp_array(data, cut, connectivity, 3 * triangles, "i")
    ends, last = vtp_array(data, cut, offsets, triangles, "i")
    assert [e[0] for e in ends] == list(range(3, 3 * triangles + 1, 3))
    assert data[last:].split() == [b"</AppendedData>", b"</VTKFile>"]
    mesh["triangles"] = [tuple(c[0] for c in corners[3 * t:3 * t + 3]) for t in range(triangles)]
    return mesh


def glb_array(gltf, buffer, index):
    accessor = gltf["accessors"][index]
    view = gltf["bufferViews"][accessor["bufferView"]]
    size = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    kind, bytes_each = {5126: ("f", 4), 5125: ("I", 4), 5121: ("B", 1)}[accessor["componentType"]]
    count = accessor["count"]
    assert count > 0 and view["byteOffset"] % 4 == 0
    assert view["byteLength"] == size * bytes_each * count
    assert view["byteOffset"] + view["byteLength"] <= len(buffer)
    values = struct.unpack_from("<%d%s" % (size * count, kind), buffer, view["byteOffset"])
    rows = [values[i:i + size] for i in range(0, size * count, size)]
    for word, pick in (("min", min), ("max", max)):
        if word in accessor:
            assert accessor[word] == [pick(r[i] for r in rows) for i in range(size)], word
    return rows


def read_glb(data):
    magic, version, length, size, kind = struct.unpack_from("<4s3I4s", data)
    assert (magic, version, length, kind) == (b"glTF", 2, len(data), b"JSON")
    gltf = json.loads(data[20:20 + size])
    assert gltf["asset"]["version"] == "2.0"
    node = gltf["nodes"][gltf["scenes"][gltf["scene"]]["nodes"][0]]
    mesh = {"time": node["extras"]["time"], "points": [], "triangles": []}
    if "mesh" not in node:
        assert len(data) == 20 + size and "accessors" not in gltf and "buffers" not in gltf
        return mesh
    bin_size, bin_kind = struct.unpack_from("<I4s", data, 20 + size)
    assert bin_kind == b"BIN\0" and 28 + size + bin_size == len(data)
    assert gltf["buffers"] == [{"byteLength": bin_size}]
    buffer = data[28 + size:]
    primitive = gltf["meshes"][node["mesh"]]["primitives"][0]
    assert "min" in gltf["accessors"][primitive["attributes"]["POSITION"]]
    names = {"POSITION": "points", "NORMAL": "normals", "COLOR_0": "colors"}
    for name, index in primitive["attributes"].items():
        key = names.get(name) or name[1:].lower()
        mesh[key] = glb_array(gltf, buffer, index)
        if key in VECTORS:  # y is up
            mesh[key] = [(x, -z, y) for x, y, z in mesh[key]]
    corners = [c[0] for c in glb_array(gltf, buffer, primitive["indices"])]
    mesh["triangles"] = [tuple(corners[i:i + 3]) for i in range(0, len(corners), 3)]
    material = gltf["materials"][primitive["material"]]
    assert (material.get("alphaMode") == "BLEND") == ("colors" in mesh)
    for color, opacity in zip(mesh.pop("colors", []), mesh.get("opacity", [])):
        assert color[:3] == (255, 255, 255) and abs(color[3] - 255 * opacity[0]) <= 0.5001
    return mesh


def single(word):
    return struct.unpack("<f", struct.pack("<f", float(word)))[0]


def read_obj(data):
    mesh, pairs = {"points": [], "triangles": []}, []
    for line in data.decode("ascii").splitlines():
        words = line.split()
        if words[0] == "v":
            mesh["points"].append(tuple(map(single, words[1:])))
        elif words[0] == "vn":
            mesh.setdefault("normals", []).append(tuple(map(single, words[1:])))
        elif words[0] == "vt":
            pairs.append(tuple(map(single, words[1:])))
        elif words[0] == "f":
            corners = [word.split("/") for word in words[1:]]
            assert all(len({n for n in c if n}) == 1 for c in corners), line
            mesh["triangles"].append(tuple(int(c[0]) - 1 for c in corners))
    if pairs:
        mesh["opacity"], mesh["depth"] = [p[:1] for p in pairs], [p[1:] for p in pairs]
    return mesh


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    mesh = {"ply": read_ply, "vtp": read_vtp, "glb": read_glb, "obj": read_obj}[path[-3:]](data)
    vertices = len(mesh["points"])
    assert all(len(mesh[n]) == vertices for n in mesh if n not in ("triangles", "time")), path
    assert all(0 <= v < vertices for t in mesh["triangles"] for v in t), path
    for x, y, z in mesh.get("normals", []):
        assert abs(x * x + y * y + z * z - 1) < 1e-5, (path, x, y, z)
    return mesh


def same(paths):
    meshes = [read(path) for path in paths]
    for path, mesh in zip(paths[1:], meshes[1:]):
        missing = set(meshes[0]) - set(mesh)
        # text has no place for two of them, and a mesh of nothing in a GLB has none
        allowed = {"velocity", "time"} if path.endswith("obj") else set()
        if path.endswith("glb") and not mesh["triangles"]:
            allowed = set(meshes[0])
        if missing - allowed or set(mesh) - set(meshes[0]):
            sys.exit("%s has %s, %s has %s" % (paths[0], sorted(meshes[0]), path, sorted(mesh)))
        for name in mesh:
            if mesh[name] != meshes[0][name]:
                sys.exit("%s and %s differ in %s" % (paths[0], path, name))


def volume(mesh):
    total = 0.0
    for t in mesh["triangles"]:
        (ax, ay, _), (bx, by, _), (cx, cy, _) = (mesh["points"][v] for v in t)
        area = ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / 2
        total += area * sum(mesh["depth"][v][0] for v in t) / 3
    return total


def main(what, *paths):
    if what == "same":
        same(paths)
    elif what == "volume":
        print("%.9g" % volume(read(paths[0])))
    else:
        mesh = read(paths[0])
        print(len(mesh["points"]), len(mesh["triangles"]), mesh["time"])


main(*sys.argv[1:])

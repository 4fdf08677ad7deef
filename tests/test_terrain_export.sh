#!/bin/sh
# rivulet run --terrain: the surface of the solids as files that other programs read.
. "$SOURCE/tests/command.sh"

# triangles of an STL: its count, four bytes after the header, as od prints them
stl_count() {
    od -An -j80 -N4 -tu1 "$1" | awk '{print $1 + 256 * ($2 + 256 * ($3 + 256 * $4))}'
}

# ---- all formats hold the same mesh (that of VTP and GLB is looked at in test_mesh_export.sh)
for ending in ply obj glb vtp stl; do
    expect 0 run bowl --steps 1 --threads 1 --quiet --terrain "bowl.$ending"
    [ -s "bowl.$ending" ] || fail "no bowl.$ending"
done
vertices=$(sed -n 's/^element vertex //p;/^end_header/q' bowl.ply)
faces=$(sed -n 's/^element face //p;/^end_header/q' bowl.ply)
[ "${faces:-0}" -gt 1000 ] || fail "only $faces triangles"
[ "$(grep -c '^v ' bowl.obj)" = "$vertices" ] || fail "vertices of the OBJ"
[ "$(grep -c '^vn ' bowl.obj)" = "$vertices" ] || fail "normals of the OBJ"
[ "$(grep -c '^f ' bowl.obj)" = "$faces" ] || fail "triangles of the OBJ"
[ "$(stl_count bowl.stl)" = "$faces" ] || fail "triangles of the STL"
[ "$(wc -c <bowl.stl)" = $((84 + 50 * faces)) ] || fail "size of the STL"

# closed: in the OBJ every edge runs once in each direction; and its normals agree with its triangles
awk '
/^v / { x[++n] = $2; y[n] = $3; z[n] = $4 }
/^vn / { p[++m] = $2; q[m] = $3; r[m] = $4 }
/^f / {
    for (i = 0; i < 3; i++) { split($(i + 2), c, "/"); v[i] = c[1] }
    for (i = 0; i < 3; i++) edge[v[i] " " v[(i + 1) % 3]]++
    a = v[0]; b = v[1]; c0 = v[2]
    ux = x[b] - x[a]; uy = y[b] - y[a]; uz = z[b] - z[a]
    wx = x[c0] - x[a]; wy = y[c0] - y[a]; wz = z[c0] - z[a]
    nx = uy * wz - uz * wy; ny = uz * wx - ux * wz; nz = ux * wy - uy * wx
    volume += x[a] * nx + y[a] * ny + z[a] * nz
    side = nx * (p[a] + p[b] + p[c0]) + ny * (q[a] + q[b] + q[c0]) + nz * (r[a] + r[b] + r[c0])
    agree += side > 0; all++
}
END {
    for (e in edge) {
        split(e, c, " ")
        if (edge[e] != 1 || edge[c[2] " " c[1]] != 1) open++
    }
    if (open > 0) { print open " edges are open or crowded"; bad = 1 }
    if (volume <= 0) { print "inside out"; bad = 1 }
    if (agree < 0.98 * all) { print "only " agree " of " all " triangles agree with their normals"; bad = 1 }
    exit bad
}' bowl.obj || fail "the mesh of the bowl"

# ---- another program reads them
if command -v assimp >/dev/null 2>&1; then
    for ending in ply obj glb stl; do
        assimp info "bowl.$ending" >info.txt 2>&1 || fail "assimp does not read bowl.$ending"
        read=$(sed -n 's/^Faces: *//p' info.txt)
        [ "$read" = "$faces" ] || fail "assimp finds ${read:-no} triangles in bowl.$ending, not $faces"
    done
fi

# ---- the terrain is that of the end: a hole drilled on the way is in it
cat >drill.yaml <<'YAML'
grid: {nx: 40, ny: 40, dx: 1 mm, bottom: 0, top: 20 mm}
time: {step: 10 ms, end: 30 ms}
solids:
  - {shape: plane, at: 0 0 10.3 mm}
events:
  - {kind: carve, start: 10 ms, tool: {shape: cylinder, at: 0 0 10 mm, radius: 6 mm, height: 10 mm}}
YAML
# the volume of an OBJ in cubic millimetres
volume() {
    awk '
    /^v / { x[++n] = 1000 * $2; y[n] = 1000 * $3; z[n] = 1000 * $4 }
    /^f / {
        for (i = 0; i < 3; i++) { split($(i + 2), c, "/"); v[i] = c[1] }
        a = v[0]; b = v[1]; d = v[2]
        sum += x[a] * (y[b] * z[d] - z[b] * y[d]) + y[a] * (z[b] * x[d] - x[b] * z[d])
        sum += z[a] * (x[b] * y[d] - y[b] * x[d])
    }
    END { printf "%.3f\n", sum / 6 }' "$1"
}
expect 0 run drill.yaml --steps 0 --quiet --terrain before.obj
expect 0 run drill.yaml --quiet --terrain after.obj
# the hole: 36 π mm² from 5 to 10.3 mm; its edge is rounded at the scale of a cell
awk -v before="$(volume before.obj)" -v after="$(volume after.obj)" 'BEGIN {
    hole = 3.14159265 * 36 * 5.3
    if (before - after < 0.95 * hole || before - after > 1.05 * hole) {
        print "the hole is " before - after " mm3, not " hole; exit 1
    }
}' || fail "the hole in the terrain"

# ---- and goes with a snapshot, which is larger than one of the terrain as it was made
expect 0 run drill.yaml --steps 2 --quiet --save drill.snap
expect 0 run drill.yaml --steps 1 --quiet --resume drill.snap --terrain resumed.obj
cmp -s resumed.obj after.obj || fail "the terrain after going on from a snapshot"

# ---- checked before the run
expect 2 run "$tray" --steps 1000000 --terrain tray.xyz
says err.txt "--terrain tray.xyz: the name must end in .ply or .obj or .glb or .vtp or .stl"
expect 2 run "$tray" --steps 1000000 --terrain /dev/null
expect 2 run "$tray" --steps 1000000 --terrain no/tray.ply
says err.txt "--terrain no/tray.ply: there is no folder 'no'"
expect 2 run "$tray" --steps 1000000 --terrain tray.ply --save tray.ply
says err.txt "tray.ply: two outputs have this name"
# the tray has a shelf, so its surface cannot come from the columns
expect 2 run "$tray" --steps 1000000 --set terrain.keep=no --terrain tray.ply
grep -q 'terrain.keep: ' err.txt || fail "terrain.keep: $(cat err.txt)"
[ -e tray.ply ] && fail "a mesh was written although it was refused"
expect 0 run --help
grep -q -- '--terrain FILE' out.txt || fail "--help does not name --terrain"

[ "$failures" = 0 ] || {
    echo "$failures failed"
    exit 1
}

#!/bin/sh
# rivulet run --mesh: the liquid's surface as files that other programs read.
. "$SOURCE/tests/command.sh"

# numbers WHAT FILE…: what Python's own json, xml and struct find in the files
numbers() {
    $python "$SOURCE/tests/mesh_numbers.py" "$@"
}
python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import json, struct, xml.etree.ElementTree' 2>/dev/null && python=$candidate && break
done
[ -n "$python" ] || echo "no python3 here: what the files hold is compared by counts only"

# ---- all formats hold the same mesh, of the liquid and of the terrain
for ending in ply obj glb vtp stl; do
    expect 0 run bowl --time 0.2 --threads 1 --quiet --mesh "bowl.$ending" \
        --terrain "terrain.$ending" --stats bowl.csv
    [ -s "bowl.$ending" ] || fail "no bowl.$ending"
    [ -s "terrain.$ending" ] || fail "no terrain.$ending"
done
vertices=$(sed -n 's/^element vertex //p;/^end_header/q' bowl.ply)
faces=$(sed -n 's/^element face //p;/^end_header/q' bowl.ply)
[ "${faces:-0}" -gt 1000 ] || fail "only $faces triangles"
[ "$(grep -c '^v ' bowl.obj)" = "$vertices" ] || fail "vertices of the OBJ"
[ "$(grep -c '^vt ' bowl.obj)" = "$vertices" ] || fail "opacity and depth in the OBJ"
[ "$(grep -c '^vn ' bowl.obj)" = "$vertices" ] || fail "normals of the OBJ"
[ "$(grep -c '^f ' bowl.obj)" = "$faces" ] || fail "triangles of the OBJ"
[ "$(wc -c <bowl.stl)" = $((84 + 50 * faces)) ] || fail "size of the STL"
if [ -n "$python" ]; then
    numbers same bowl.ply bowl.vtp bowl.glb bowl.obj || fail "the liquid's meshes"
    numbers same terrain.ply terrain.vtp terrain.glb terrain.obj || fail "the terrain's meshes"
    [ "$(numbers counts bowl.glb)" = "$vertices $faces 0.2" ] || fail "counts: $(numbers counts bowl.glb)"
    # what the mesh says is between surface and bed is what the columns hold
    numbers volume bowl.vtp >volume.txt
    tail -n 1 bowl.csv | awk -F, -v mesh="$(cat volume.txt)" '{
        if (mesh < 0.98 * $2 || mesh > 1.02 * $2) { print mesh " m3 in the mesh, " $2 " in the columns"; exit 1 }
    }' || fail "the volume under the mesh"
fi
if command -v assimp >/dev/null 2>&1; then
    for ending in ply obj glb stl; do
        assimp info "bowl.$ending" >info.txt 2>&1 || fail "assimp does not read bowl.$ending"
        read=$(sed -n 's/^Faces: *//p' info.txt)
        [ "$read" = "$faces" ] || fail "assimp finds ${read:-no} triangles in bowl.$ending, not $faces"
    done
fi

# ---- the same for any number of threads, and it does not change the run
expect 0 run bowl --time 0.2 --threads 3 --quiet --mesh threads.ply
cmp -s bowl.ply threads.ply || fail "three threads give another mesh"
sed 's/.*hash //' out.txt >with.txt
expect 0 run bowl --time 0.2 --threads 1 --quiet
sed 's/.*hash //' out.txt | cmp -s - with.txt || fail "a mesh changes the run"

# ---- milliseconds: of the frame in which a surface was made, which is the last one here
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ms_surface") c = i; next }
         { sum += $c; last = $c }
         END { if (!(last > 0) || sum > last) { print "sum " sum ", last " last; exit 1 } }' bowl.csv ||
    fail "ms_surface of a mesh at the end"

# ---- one per film frame, with the numbers of the pictures
expect 0 run bowl --time 0.2 --quiet --mesh m%03d.ply --image p%03d.png --size 64x48 --stats film.csv
ls m*.ply | sed 's/m\(.*\)\.ply/\1/' >meshes.txt
ls p*.png | sed 's/p\(.*\)\.png/\1/' >pictures.txt
[ "$(sed -n '1p;$p' meshes.txt | tr '\n' ' ')" = "000 006 " ] || fail "meshes: $(tr '\n' ' ' <meshes.txt)"
cmp -s meshes.txt pictures.txt || fail "meshes and pictures have other numbers"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "ms_surface") c = i; if ($i == "ms_rendering") d = i }; next }
         { made += $c > 0; if (($c > 0) != ($d > 0)) odd++ }
         END { if (made != 6 || odd > 0) { print made " rows with a surface, " odd + 0 " without a picture"; exit 1 } }' film.csv ||
    fail "ms_surface of numbered meshes"
cmp -s m006.ply bowl.ply || fail "the last numbered mesh is not that of the end"
cmp -s m003.ply m006.ply && fail "meshes do not change"
# a run that goes on goes on with the numbers
expect 0 run bowl --time 0.1 --quiet --save half.snap --mesh a%d.glb
expect 0 run bowl --time 0.2 --quiet --resume half.snap --mesh b%d.glb
for number in 0 1 2 3; do [ -s "a$number.glb" ] || fail "no a$number.glb"; done
for number in 3 4 5 6; do [ -s "b$number.glb" ] || fail "no b$number.glb"; done
[ -e b2.glb ] && fail "b2.glb was made again"
cmp -s a3.glb b3.glb || fail "mesh 3 before and after the snapshot"
if [ -n "$python" ]; then numbers same m006.ply b6.glb || fail "mesh 6 after the snapshot"; fi

# ---- nothing wet: a file that says so, in every format
cat >dry.yaml <<'YAML'
grid: {nx: 20, ny: 20, dx: 1 mm, bottom: 0, top: 20 mm}
time: {step: 10 ms, end: 10 ms}
solids:
  - {shape: plane, at: 0 0 5 mm}
YAML
for ending in ply obj glb vtp stl; do
    expect 0 run dry.yaml --quiet --mesh "dry.$ending"
    says err.txt "dry.$ending has no triangles: nothing is wet"
    [ -s "dry.$ending" ] || fail "no dry.$ending"
done
# with the names of all attributes, so that the files of a series are of one kind
sed '/^end_header/q' dry.ply | grep -c '^property float' >count.txt
[ "$(cat count.txt)" = 11 ] || fail "attributes of nothing: $(cat count.txt)"
if [ -n "$python" ]; then
    numbers same dry.ply dry.vtp dry.glb || fail "meshes of nothing"
    [ "$(numbers counts dry.glb)" = "0 0 0.01" ] || fail "counts of nothing: $(numbers counts dry.glb)"
fi

# ---- checked before the run
expect 2 run "$tray" --steps 1000000 --mesh tray.xyz
says err.txt "--mesh tray.xyz: the name must end in .ply or .obj or .glb or .vtp or .stl"
expect 2 run "$tray" --steps 1000000 --mesh tray
expect 2 run "$tray" --steps 1000000 --mesh no/tray.glb
says err.txt "--mesh no/tray.glb: there is no folder 'no'"
expect 2 run "$tray" --steps 1000000 --mesh 'tray%s.glb'
says err.txt "--mesh tray%s.glb: after a '%' only a number like %04d, once"
expect 2 run "$tray" --steps 1000000 --mesh 'tray%d%d.glb'
expect 2 run "$tray" --steps 1000000 --mesh tray.ply --terrain tray.ply
says err.txt "tray.ply: two outputs have this name"
expect 2 run "$tray" --steps 1000000 --mesh 'tray%02d.ply' --terrain tray07.ply
says err.txt "tray07.ply: two outputs have this name"
expect 0 run "$tray" --steps 1 --quiet --mesh 'tray%02d.ply' --terrain tray7.ply
expect 0 run --help
grep -q -- '--mesh FILE' out.txt || fail "--help does not name --mesh"
# a full disk is told, and nothing is left
ln -s /dev/full full.ply
expect 1 run "$tray" --steps 1 --quiet --mesh full.ply
[ "$(wc -l <err.txt)" = 1 ] || fail "a full disk: $(cat err.txt)"
ls ./*.part 2>/dev/null && fail "a part of a file was left"

[ "$failures" = 0 ] || {
    echo "$failures failed"
    exit 1
}

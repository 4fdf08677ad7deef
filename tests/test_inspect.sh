#!/bin/sh
# rivulet inspect over a cube in every format, over things that are broken, and a scene whose solids come from files.
. "$SOURCE/tests/command.sh"

# ---- a cube of 20 mm in every format of meshes
for kind in stl obj ply gltf glb; do
    case $kind in
    gltf | glb) unit='unit m, as the file says; up y' told= ;;
    *) unit='unit mm, as told; up z' told='--unit mm' ;;
    esac
    expect 0 inspect "$data/inspect-cube.$kind" $told --cells 20 --threads 1
    [ -s err.txt ] && fail "$kind: writes errors in a pipe: $(cat err.txt)"
    says out.txt "  size        20 mm x 20 mm x 20 mm; $unit"
    says out.txt "  surface     closed, 1 piece, 8 different places"
    says out.txt "  area        2400 mm2"
    says out.txt "  volume      8 ml"
    says out.txt "columns on 24 x 24 cells of 1 mm, heights 0 to 22 mm"
    says out.txt "  cells with   1 column:        576 cells 100.00%"
    grep -q "file: $data/inspect-cube.$kind" out.txt || fail "$kind: no line to paste"
    grep -q '^advice' out.txt && fail "$kind: advice for a good cube: $(grep '^advice' out.txt)"
done
expect 0 inspect "$data/inspect-cube.stl" --quiet
grep -q '^advice: 20 m across: a mesh in millimetres? try --unit mm$' out.txt || fail "no advice on the unit"
expect 0 inspect "$data/inspect-cube.stl" --unit mm --set 'fit=0 0 5 mm' --quiet --cells 10
says out.txt "  size        5 mm x 5 mm x 5 mm; unit mm, as told; up z"

# ---- what is not closed
expect 0 inspect "$data/inspect-open.obj" --unit mm --cells 20
says out.txt "  found       4 open edges"
says out.txt "advice: 4 open edges in 1 hole: closed with patches; --set fill_holes=no leaves them open"
expect 0 inspect "$data/inspect-open.obj" --unit mm --cells 20 --set fill_holes=no
grep -q '^  surface     open, ' out.txt || fail "holes are left open: $(cat out.txt)"
grep -q "^advice: not closed: 4 open edges" out.txt || fail "no advice for a sheet"
expect 0 inspect "$data/inspect-open.obj" --unit mm --cells 40 --thickness '2 mm' --set fill_holes=no
grep -q '^  cells with   1 column' out.txt || fail "a box of plates: $(cat out.txt)"

# ---- volumes and height maps
for kind in nii nrrd; do
    expect 0 inspect "$data/inspect-cube.$kind" --threshold 50 --cells 20
    says out.txt "  voxels      12 x 12 x 12 of uint8"
    says out.txt "  spacing     2 x 2 x 2 mm"
    says out.txt "  size        20 mm x 20 mm x 20 mm; unit mm, as the file says, or mm where it does not; up z"
    says out.txt "  solid       1000 of 1728 voxels (57.9%), threshold 50"
done
expect 0 inspect "$data/inspect-cube.nii" --label 100 --cells 10
grep -q 'label 100$' out.txt || fail "a label"
expect 2 inspect "$data/inspect-cube.nii" --threshold 1000
[ "$(wc -l <err.txt)" = 1 ] || fail "a threshold above all values: $(cat err.txt)"
grep -q '^  labels' out.txt || fail "what the values are is told all the same"
expect 0 inspect "$data/inspect-slope.png" --width '8 cm' --set 'high=20 mm' --cells 16
says out.txt "  pixels      16 x 12, 16 bits"
says out.txt "  size        80 mm x 60 mm, heights 0 to 20 mm"
says out.txt "    - {shape: heights, file: $data/inspect-slope.png, size: [80 mm, 60 mm], high: 0.02}"

# ---- the picture
expect 0 inspect "$data/inspect-cube.stl" --unit mm --image c.png --quiet
head -c 8 c.png | od -An -tx1 | grep -q '89 50 4e 47' || fail "no picture"
expect 2 inspect "$data/inspect-cube.stl" --image c.jpg
expect 2 inspect "$data/inspect-cube.stl" --image no/c.png
says err.txt "--image no/c.png: there is no folder 'no'"

# ---- wrong files and options: one line, exit code 2
expect 2 inspect
expect 2 inspect a.stl b.stl
expect 2 inspect none.stl
says err.txt "none.stl: no such file"
expect 2 inspect "$data/scene-broken.stl"
says err.txt "$data/scene-broken.stl: cut short: 12 triangles announced, 6 there"
[ -s out.txt ] && fail "a broken file is described"
for kind in obj ply gltf glb nii nii.gz nrrd png stl; do
    printf 'this is not a file of that kind' >"noise.$kind"
    expect 2 inspect "noise.$kind"
    [ "$(wc -l <err.txt)" = 1 ] || fail "noise.$kind: $(cat err.txt)"
    grep -q "^noise.$kind: " err.txt || fail "noise.$kind: $(cat err.txt)"
    : >"empty.$kind"
    expect 2 inspect "empty.$kind"
    [ "$(wc -l <err.txt)" = 1 ] || fail "empty.$kind: $(cat err.txt)"
done
expect 2 inspect part.step
grep -q '^part.step: not a kind of file that is known here' err.txt || fail "an unknown kind: $(cat err.txt)"
expect 2 inspect "$data/inspect-cube.stl" --threshold 5
says err.txt "rivulet inspect: $data/inspect-cube.stl: threshold does nothing for mesh"
expect 2 inspect "$data/scene-part.yaml" --cells 5
says err.txt "rivulet inspect: $data/scene-part.yaml: cells does nothing for a scene"
expect 2 inspect "$data/inspect-cube.stl" --unit parsec
says err.txt "rivulet inspect: --unit: 'parsec' is not one of auto, m, cm, mm, um, in, ft"
expect 2 inspect "$data/inspect-cube.stl" --set fitt=3
says err.txt "rivulet inspect: --set fitt=3: unknown key; did you mean 'fit'?"

# ---- a scene from files: inspected and run, wherever the command stands
expect 0 inspect "$data/scene-part.yaml" --set time.end=1
says out.txt "  solids      6, from 3 files"
says out.txt "              mesh of inspect-cube.stl: 20 mm x 20 mm x 20 mm, 12 triangles, closed"
expect 0 run "$data/scene-part.yaml" --threads 1
one=$(sed -n 's/.*hash //p' out.txt)
expect 0 run "$data/scene-part.yaml" --threads 3
[ "$one" = "$(sed -n 's/.*hash //p' out.txt)" ] || fail "another hash with 3 threads"
grep -Eq 'volume (1.0000[0-9]*e-06|9.9999[0-9]*e-07) m3' out.txt || fail "the volume of the drop and the source: $(cat out.txt)"
cp "$data/scene-part.yaml" lost.yaml
expect 2 run lost.yaml --stats lost.csv
says err.txt "lost.yaml:6: solids[0].file: inspect-slope.png: no such file"
says err.txt "lost.yaml:10: solids[1].solids[0].file: inspect-cube.stl: no such file"
[ "$(wc -l <err.txt)" = 3 ] || fail "three files are not there: $(cat err.txt)"
[ -e lost.csv ] && fail "a file was written for a scene without its files"
expect 0 params lost.yaml

# ---- a scene whose solids change: what it has, and that no liquid is lost
expect 0 inspect "$data/scene-events.yaml"
says out.txt "  lists       1 fill, 0 sources, 0 drains, 3 events"
expect 0 run "$data/scene-events.yaml" --terrain drilled.stl --set time.step=5ms --stats s.csv
error=$(sed -n 's/.*(error \([^)]*\)).*/\1/p' out.txt)
awk "BEGIN { exit !($error < 1e-6 && $error > -1e-6) }" || fail "liquid was lost: $(cat out.txt)"
expect 0 run "$data/scene-events.yaml" --terrain whole.stl --steps 0
cmp -s drilled.stl whole.stl && fail "the events changed nothing"
expect 0 inspect drilled.stl --cells 40
grep -q '^  surface     closed, ' out.txt || fail "the drilled terrain: $(cat out.txt)"

[ $failures = 0 ] || {
    echo "$failures failures"
    exit 1
}

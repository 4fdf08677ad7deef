#!/bin/sh
# Inputs that are no files, or that say what cannot be: one line, exit code 2, at once.
. "$SOURCE/tests/command.sh"

# refused ARGUMENT…: told in one line with exit code 2, within ten seconds; the line is in err.txt.
refused() {
    timeout 10 "$RIVULET" "$@" >out.txt 2>err.txt </dev/null
    got=$?
    [ "$got" = 2 ] && [ "$(wc -l <err.txt)" = 1 ] || fail "rivulet $*: exit code $got, $(cat err.txt)"
}

# ---- pipes and devices, in every place of a file
mkfifo pipe.yaml pipe.snap pipe.stl pipe.obj pipe.ply pipe.glb pipe.gltf pipe.nii pipe.nrrd pipe.png pipe.hdr pipe.txt
ln -s pipe.yaml link.yaml
for scene in pipe.yaml link.yaml /dev/zero /dev/tty ./; do
    refused run "$scene"
    refused params "$scene"
done
refused run pipe.yaml
says err.txt "pipe.yaml: is not a regular file"
for snapshot in pipe.snap /dev/zero /dev/stdin .; do
    refused run "$tray" --steps 1 --resume "$snapshot"
done
for file in pipe.stl pipe.obj pipe.ply pipe.glb pipe.gltf pipe.nii pipe.nrrd pipe.png; do
    refused inspect $file
    shape=mesh
    case $file in
    *.nii | *.nrrd) shape=volume ;;
    *.png) shape=heights ;;
    esac
    printf 'solids: [{shape: %s, file: %s}]\n' $shape $file >from.yaml
    refused run from.yaml --steps 1
done
for key in environment:pipe.hdr backdrop:pipe.png affinity:pipe.png; do
    printf '%s: %s\nsolver: glass\n' "${key%:*}" "${key#*:}" >picture.yaml
    refused run picture.yaml --steps 1 --image x.png --size 32x32
done
printf 'NRRD0004\ntype: uchar\ndimension: 3\nsizes: 2 2 2\nencoding: raw\ndata file: pipe.nii\n' >beside.nhdr
refused inspect beside.nhdr
printf 'like: pipe.yaml\n' >like_pipe.yaml
refused run like_pipe.yaml

# ---- scenes like each other are told once
printf 'like: b.yaml\n' >a.yaml
printf 'like: a.yaml\n' >b.yaml
printf 'like: ./self.yaml\n' >self.yaml
refused run a.yaml
says err.txt "a.yaml:1: like: b.yaml:1: like: a.yaml: scenes that are like each other, in a circle"
refused run self.yaml
says err.txt "self.yaml:1: like: ./self.yaml: scenes that are like each other, in a circle"

# ---- a limit for volumes, before memory is taken: 10^9 voxels in a file of 1 MB
head -c 1000000 /dev/zero | gzip -9 >zeros.gz
{
    printf 'NRRD0004\ntype: uchar\ndimension: 3\nsizes: 1000 1000 1000\nencoding: gzip\nendian: little\n\n'
    for i in 1 2 3 4 5 6 7 8 9 10; do cat zeros.gz; done
    head -c 1000000 /dev/urandom
} >bomb.nrrd
refused inspect bomb.nrrd
says err.txt "bomb.nrrd: 1000 x 1000 x 1000 voxels are more than voxels_max, which is 268435456"
printf 'solids: [{shape: volume, file: bomb.nrrd}]\n' >bomb.yaml
refused run bomb.yaml
says err.txt "bomb.yaml:1: solids[0].file: bomb.nrrd: 1000 x 1000 x 1000 voxels are more than voxels_max, which is 268435456"
cube=$data/inspect-cube.nrrd
refused inspect "$cube" --set voxels_max=100
grep -q 'voxels are more than voxels_max, which is 100$' err.txt || fail "voxels_max: $(cat err.txt)"
expect 0 inspect "$cube" --set voxels_max=1e6 --quiet

# ---- a snapshot with something after it
expect 0 run "$tray" --steps 2 --save s.snap
printf 'x' >>s.snap
refused run "$tray" --steps 2 --resume s.snap
says err.txt "s.snap: snapshot: damaged: 1 bytes follow its end"

# ---- a snapshot after an edit goes on as the run did, also among particles, which look at distances: where a tool has
# been these are known only near solids, and that is no matter of the bricks it changed
cat >edited.yaml <<'YAML'
solver: splat
grid: {nx: 5, ny: 1, dx: 0.001, top: 0.024}
events:
  - kind: add
    start: 0.00025
    duration: 0.0132
    path: [[0.0042856, -0.0029398, 0.0085423], [-0.0016864, -0.0030908, 0.014125]]
    tool: {shape: box, size: 0.0009353 0.006912 0.0030775}
emitters:
  - {kind: rain, from: -0.00087155 -0.00087155 0.0046006, to: 0.0046006 0.0046006 0.0092013, radius: 0.00090197, rate: 165,
     velocity: 0.374 1.3 -1.85, start: 0.02}
YAML
expect 0 run edited.yaml --steps 6
whole=$(sed -n 's/.*hash //p' out.txt)
expect 0 run edited.yaml --steps 5 --save edited.snap
expect 0 run edited.yaml --steps 1 --resume edited.snap
[ "$(sed -n 's/.*hash //p' out.txt)" = "$whole" ] || fail "a run that went on after an edit: $(cat out.txt)"

# a solid is lifted off what it has flooded, and no ceiling is left: the liquid levels out, with or without a snapshot
# between; pipes of the passage stayed as they were, pumped liquid uphill for ever, and a restored run did not
cat >lifted.yaml <<'YAML'
grid: {nx: 12, ny: 1, dx: 0.001, top: 0.024}
solids:
  - {shape: ellipsoid, at: 0.001 -0.0002 0.0045, size: 0.0043 0.001 0.0031, rotate: -0.313 -0.957 2.65, mover: 1}
events:
  - {kind: move, mover: 1, start: 0, duration: 0.124, shift: 0 0.0034 0.011}
fills: [{kind: level, level: 0.0117}]
YAML
expect 0 run lifted.yaml --steps 20 --save lifted.snap
expect 0 run lifted.yaml --steps 10 --resume lifted.snap
whole=$(sed -n 's/.*hash //p' out.txt)
expect 0 run lifted.yaml --steps 30 --state lifted.csv
[ "$(sed -n 's/.*hash //p' out.txt)" = "$whole" ] || fail "a run that went on after a solid was lifted: $(cat out.txt)"
awk -F, 'NR > 1 { if (low == "" || $8 < low) low = $8; if ($8 > high) high = $8 } END { exit !(high - low < 0.0015) }' lifted.csv ||
    fail "liquid does not level out: $(cat lifted.csv)"

# a jet into a tray that is full long since, particles as heights: as deep as it is, a snapshot of it is one
cat >heap.yaml <<'YAML'
solver: splat
splat.form: height
grid: {nx: 3, ny: 3, dx: 1 mm, bottom: 0, top: 0.9 mm}
time.step: 10 ms
emitters: [{kind: jet, at: 0 0 0.8 mm, radius: 1.5 mm, velocity: 0 0 -20}]
YAML
expect 0 run heap.yaml --steps 12 --save heap.snap
expect 0 run heap.yaml --steps 0 --resume heap.snap

# ---- a fill everywhere ends where the grid does, and so does a drain
cat >far.yaml <<'YAML'
grid: {nx: 4000, ny: 2, dx: 1000, bottom: 0, top: 10}
time.step: 0.1
fills: [{level: 1}]
YAML
expect 0 run far.yaml --steps 0
# 4000 km of two cells of 1 km, 1 m deep
grep -q 'volume 8e+09 m3' out.txt || fail "a fill everywhere: $(cat out.txt)"

# ---- one word for the instruction set
RIVULET_ISA=sse9 refused run "$tray" --steps 1
says err.txt "rivulet: RIVULET_ISA=sse9: not one of avx512, avx2, baseline"
RIVULET_ISA=baseline expect 0 run "$tray" --steps 5
base=$(sed -n 's/.*hash //p' out.txt)
expect 0 run "$tray" --steps 5
[ "$(sed -n 's/.*hash //p' out.txt)" = "$base" ] || fail "another hash with RIVULET_ISA=baseline"

[ $failures = 0 ]

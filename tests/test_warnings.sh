#!/bin/sh
# What the command says when it cannot do what a scene asks for: warnings and refusals that name the file, the line
# and the key.
. "$SOURCE/tests/command.sh"

cat >cut.yaml <<'END'
title: a drop cut by the lid, and a source without room
grid: {nx: 20, ny: 20, dx: 1 mm, top: 10 mm}
fills:
  - {kind: drop, at: 0 0 5 mm, radius: 8 mm, volume: 1.5 ml}
sources:
  - {at: -5 0 1 mm, rate: 1 mm3/s}
  - at: 5 0 1 mm
    rate: 1 l/s
END
sed -i 's/1 mm3\/s/1e-9/; s/1 l\/s/1e-3/' cut.yaml
expect 0 run cut.yaml --steps 3 --quiet
grep -q '^warning: cut.yaml:4: fills\[0\].volume: of 1.5e-06 m3 only 1.[0-9]*e-06 m3 were placed' err.txt ||
    fail "the drop: $(cat err.txt)"
grep -q '^warning: cut.yaml:7: sources\[1\]: [0-9]* times no column below it had room$' err.txt ||
    fail "the source: $(cat err.txt)"
[ "$(grep -c . err.txt)" = 2 ] || fail "more than two lines: $(cat err.txt)"

cat >volume.yaml <<'END'
grid: {nx: 20, ny: 20, dx: 1 mm, top: 10 mm}
fills:
  - {kind: drop, radius: 5 mm, volume: 0.1}
END
expect 2 run volume.yaml
says err.txt "volume.yaml:3: fills[0].volume: 0.1 m3 in a drop of radius 0.005 m would stand 1.27e+03 m high; the grid is 0.01 m high"

cat >old.yaml <<'END'
grid: {nx: 20, ny: 20}
pipes:
  atmosphere: 101325
END
gone="there is no such parameter any more: the air presses alike on all liquid and never moved any; leave it out"
expect 2 run old.yaml
says err.txt "old.yaml:3: pipes.atmosphere: $gone"
expect 2 run "$tray" --set pipes.atmosphere=0
says err.txt "--set pipes.atmosphere=0: $gone"

cat >zero.yaml <<'END'
grid: {nx: 20, ny: 20}
solids:
  - {shape: plane, normal: 0 0 0}
bodies:
  - {at: 0 0 50 mm, radius: 5 mm, mass: 0}
END
expect 2 run zero.yaml
says err.txt "zero.yaml:3: solids[0].normal: 0 0 0 points nowhere"
says err.txt "zero.yaml:5: bodies[0].mass: 0 kg: must be above 0, or left out: then the density counts"

# a snapshot of another world
expect 0 run "$tray" --steps 2 --save tray.snap --quiet
expect 2 run "$tray" --set grid.dx='3 mm' --resume tray.snap --quiet
grep -q 'tray.snap: snapshot: of another world: grid.dx is .* there and 0.003 here' err.txt ||
    fail "the snapshot: $(cat err.txt)"
[ "$failures" = 0 ]

#!/bin/sh
# The rivulet command as a user meets it: help, errors with their exit codes, runs, outputs, interrupts.
. "$SOURCE/tests/command.sh"

hash_of() {
    sed -n 's/.*hash \([0-9a-f]\{16\}\)$/\1/p' "$1"
}

# ---- help and usage
expect 0 --help
expect 0 --version
grep -qE '^rivulet [0-9]+\.[0-9]+\.[0-9]+$' out.txt || fail "--version"
for sub in scenes params liquids run study inspect verify bench; do
    expect 0 "$sub" --help
    grep -q "usage: rivulet $sub" out.txt || fail "$sub --help"
    [ -s err.txt ] && fail "$sub --help writes errors"
done
expect 2
expect 2 rum
says err.txt "rivulet: unknown subcommand 'rum'; did you mean 'run'?"
expect 2 --hlp
says err.txt "rivulet: unknown option '--hlp'; did you mean '--help'?"
expect 2 run
expect 2 run "$tray" --tiem 3
says err.txt "rivulet run: unknown option '--tiem'; did you mean '--time'?"
expect 2 run "$tray" --time
says err.txt "rivulet run: --time needs a value: --time S"
expect 2 run "$tray" --time soon
says err.txt "rivulet run: --time: 'soon' is not a number"
expect 2 run "$tray" --steps 1.5
expect 2 run "$tray" --steps -1
expect 2 run "$tray" --threads 0
expect 2 run "$tray" --quiet=yes
says err.txt "rivulet run: --quiet takes no value"
expect 2 run "$tray" "$tray"
expect 2 run "$tray" --time 1 --steps 1
expect 2 run "$tray" --save-every 1
says err.txt "rivulet run: --save-every needs --save FILE"
expect 2 run "$tray" --size big
says err.txt "rivulet run: --size big: expected WIDTHxHEIGHT, like 960x720"
expect 2 run "$tray" --size 5x5
says err.txt "rivulet run: --size: 5 is out of range, must be 16 to 8192 px"
expect 2 run "$tray" --set liquid.preset=blod
says err.txt "--set liquid.preset=blod: 'blod' is not one of water, blood, coffee, milk, paint, honey, oil, mercury; did you mean 'blood'?"
expect 2 run "$tray" --set 'sources[5].rate=1'
says err.txt "--set sources[5].rate=1: no such item; the scene has sources[0] to [0]"
expect 2 run "$tray" --set 'sources[0].rate=1 kg'
expect 2 run "$tray" --seed x
says err.txt "rivulet run: --seed: 'x' is not a number"
expect 2 run "$tray" --camera 30,west
says err.txt "rivulet run: --camera: 'west' is not a number"
expect 2 run "$tray" --camera 30
expect 2 run "$tray" --camera 30,40,1,2
expect 2 run "$tray" --camera 30,91
expect 0 run "$tray" --steps 1 --image down.png --size 32x24 --camera -90,90
expect 0 run "$tray" --steps 1 --image up.png --size 32x24 --camera -90,-90
expect 2 scenes now

# ---- scenes and parameters
RIVULET_SCENES=$data expect 0 scenes
grep -qE '^tray +pipes +A tray with a shelf, for tests$' out.txt || fail "scenes"
RIVULET_SCENES=$data expect 2 run trai
says err.txt "trai: no such scene; did you mean 'tray'?"
expect 2 run nowhere.yaml
says err.txt "nowhere.yaml: no such file"
expect 0 params
grep -qE '^grid\.nx +cells +100 +1 to 65536 +fixed +cells along x$' out.txt || fail "params"
expect 0 params "$tray"
grep -qE '^grid\.nx +cells +24 +\* +1 to 65536' out.txt || fail "params SCENE"
expect 0 liquids
[ "$(wc -l <out.txt)" -eq 9 ] || fail "liquids"
grep -qE '^blood +3\.3 +1060 +35 deg on glass +1\.370 +0\.5 mm +whole, 37 C' out.txt || fail "liquids: blood"
expect 0 liquids --json
if command -v python3 >/dev/null; then
    python3 -c 'import json; milk = json.load(open("out.txt"))[3]
assert milk["name"] == "milk" and milk["absorption"] == [1.1, 2.4, 14]' || fail "liquids --json"
fi
expect 2 liquids water
"$RIVULET" params --markdown >parameters.md
cmp parameters.md "$SOURCE/docs/parameters.md" ||
    fail "docs/parameters.md is out of date: make it with rivulet params --markdown"

# ---- bad input: all problems, nothing written
printf 'grid:\n  nx: many\n  nyy: 3\n' >bad.yaml
expect 2 run bad.yaml --set gravty=3 --state out.txt.npz --stats no/such.csv
says err.txt "bad.yaml:2: grid.nx: 'many' is not a number"
says err.txt "bad.yaml:3: grid.nyy: unknown key; did you mean 'grid.ny'?"
says err.txt "--set gravty=3: unknown key; did you mean 'gravity'?"
says err.txt "--stats no/such.csv: there is no folder 'no'"
[ -e out.txt.npz ] && fail "a state was written for a bad scene"
expect 2 run "$tray" --state state.txt
says err.txt "--state state.txt: the name must end in .npz or .csv"
expect 2 run "$tray" --image 'a%s.png'
expect 2 run "$tray" --image a.jpg
expect 2 run "$tray" --set grid.nx=
says err.txt "--set grid.nx=: a value is missing"
expect 2 run "$tray" --set grid.top=-1
says err.txt "$tray:13: grid.top: -1 must be above grid.bottom, which is 0"
printf 'grid: {nx: 10}\ngravity: 5 0 0\n' >level.yaml
expect 2 run level.yaml
says err.txt "level.yaml:2: gravity: lies level, but liquid in columns needs some of it downward"
expect 2 run "$tray" --set "gravity=0 0 3"
says err.txt "--set gravity=0 0 3: z 3 is out of range, must be -1000 to 0 m/s2"
printf 'events:\n  - {kind: gravity, gravity: 5 0 0}\n' >level.yaml
expect 2 run level.yaml
says err.txt "level.yaml:2: events[0].gravity: lies level, but liquid in columns needs some of it downward"
expect 2 run "$tray" --resume none.snap
says err.txt "none.snap: no such file"

# ---- a run, its last line, and the same for any number of threads
expect 0 run "$tray" --steps 20 --threads 1
[ -s err.txt ] && fail "a run in a pipe writes to the error output: $(cat err.txt)"
[ "$(wc -l <out.txt)" = 1 ] || fail "a run writes more than one line"
grep -qE '^tray: 0\.1 s, 20 frames, volume [0-9.e-]+ m3 \(error [0-9.e+-]+\), [0-9.e+-]+ ms/frame, hash [0-9a-f]{16}$' out.txt ||
    fail "last line: $(cat out.txt)"
one=$(hash_of out.txt)
expect 0 run "$tray" --time 0.1 --threads 3 --quiet
[ "$(hash_of out.txt)" = "$one" ] || fail "another hash with 3 threads"
expect 0 run "$tray" --time '100 ms' --set liquid.viscosity='5 cSt'
[ "$(hash_of out.txt)" != "$one" ] || fail "the same hash with another viscosity"
expect 0 run "$tray"
grep -q '^tray: 0.2 s, 40 frames' out.txt || fail "time.end: $(cat out.txt)"

# ---- outputs
expect 0 run "$tray" --steps 20 --stats s.csv --state s.npz --save s.snap --image s.png --size 64x48
for f in s.csv s.npz s.snap s.png; do [ -s $f ] || fail "no $f"; done
[ "$(wc -l <s.csv)" = 21 ] || fail "rows of statistics"
expect 0 run "$tray" --steps 20 --state s2.csv
head -1 s2.csv | grep -qx 'x,y,layer,min,base,max,depth,level,u,v' || fail "head of the csv state"
expect 0 run "$tray" --steps 20 --image 'f%03d.png' --size 32x24 --set view.rate=50 --camera -40,30,1.5
[ -s f000.png ] && [ -s f005.png ] && [ ! -e f006.png ] || fail "numbered pictures: $(ls)"
if command -v ffmpeg >/dev/null; then
    expect 0 run "$tray" --steps 20 --video f.mp4 --size 64x48
    [ -s f.mp4 ] || fail "no film"
fi
expect 0 run "$tray" --steps 2 --stats /dev/null
head -1 s.csv | grep -q ',unplaced,held,airborne,kinetic,potential,dew,dew_refused$' || fail "the columns of statistics"
# all liquid is held: there is no place for it, and none is lost
cat >held.yaml <<'END'
grid: {nx: 12, ny: 12, dx: 1 mm, bottom: 0, top: 10 mm}
solids: [{shape: plane, at: 0 0 1 mm}]
fills: [{level: 9 mm}]
events: [{kind: add, start: 0.02, tool: {shape: box, at: 0 0 6 mm, size: 30 30 10 mm}}]
END
expect 0 run held.yaml --steps 5 --stats held.csv
grep -Eq 'volume 0 m3 \(error (0.0e\+00|-?[0-9.]+e-1[5-9])\)' out.txt || fail "what is held is not counted: $(cat out.txt)"
tail -1 held.csv | awk -F, '{ exit !($(NF - 5) > 1.15e-6 && $2 == 0) }' || fail "what is held: $(tail -1 held.csv)"

# ---- stop and go on
expect 0 run "$tray" --time 0.2
whole=$(hash_of out.txt)
expect 0 run "$tray" --time 0.2 --resume s.snap
[ "$(hash_of out.txt)" = "$whole" ] || fail "a resumed run ends differently"
expect 0 run "$tray" --steps 20 --resume s.snap
[ "$(hash_of out.txt)" = "$whole" ] || fail "a run resumed for 20 steps ends differently"
expect 0 run "$tray" --time 0.1 --resume s.snap
says err.txt "nothing to simulate: the time is 0.1 s already"
if [ -e /dev/full ]; then
    expect 1 run "$tray" --steps 2 --stats /dev/full
    says err.txt "/dev/full: No space left on device"
fi
expect 2 run "$tray" --set grid.nx=26 --resume s.snap
grep -q '^s.snap: ' err.txt || fail "a snapshot of another grid: $(cat err.txt)"
for pair in "INT 130" "TERM 143"; do
    signal=${pair% *} code=${pair#* }
    rm -f i.*
    # Started from a script without job control, a child ignores SIGINT until it asks for it.
    "$RIVULET" run "$tray" --time 100000 --stats i.csv --state i.csv.npz --save i.snap --save-every 0.1 \
        >out.txt 2>err.txt &
    pid=$!
    tries=0
    while [ ! -e i.snap ] && [ $tries -lt 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    kill -"$signal" $pid
    wait $pid
    got=$?
    [ $got = "$code" ] || fail "SIG$signal: exit code $got, expected $code: $(cat err.txt)"
    grep -q '^stopped by' err.txt || fail "SIG$signal: says nothing"
    for f in i.csv i.csv.npz i.snap; do [ -s $f ] || fail "SIG$signal: no $f"; done
    frames=$(sed -n 's/.* s, \([0-9]*\) frames.*/\1/p' out.txt)
    [ "$(wc -l <i.csv)" = $((frames + 1)) ] || fail "SIG$signal: statistics of another number of frames"
    stopped=$(hash_of out.txt)
    expect 0 run "$tray" --steps 0 --resume i.snap
    [ "$(hash_of out.txt)" = "$stopped" ] || fail "SIG$signal: the snapshot is of another state"
done
leftovers=$(find . -name '*.part*')
[ -z "$leftovers" ] || fail "left behind: $leftovers"

# ---- a passage that is not solved is told of, with what to do about it
pressed="cross-passage --set pipes.passages=pressure --steps 20"
expect 0 run $pressed
grep -q 'pipes.iterations' err.txt && fail "cross-passage by pressure is not solved: $(cat err.txt)"
expect 0 run $pressed --set pipes.iterations=1
grep -q '^warning: in [0-9]* substeps the pressure .* allow more iterations' err.txt ||
    fail "nothing is said of a passage that is not solved: $(cat err.txt)"

# ---- large worlds
expect 0 bench land-64 decks-48 --time 0.003 --threads 1 --json
grep -q '"scene": "land-64", .*"columns": 4096,' out.txt || fail "land-64: $(cat out.txt)"
columns=$(sed -n 's/.*"scene": "decks-48".*"columns": \([0-9]*\),.*/\1/p' out.txt)
[ "${columns:-0}" -gt 6500 ] || fail "decks-48 has no three layers: $(cat out.txt)"
expect 2 bench land-32768
says err.txt 'land-32768: a landscape has 32 to 16384 columns each way'
expect 2 bench land-

# ---- the scene guide: every piece of YAML in it is good, and the whole scenes run
awk '/^```yaml$/ { n++; open = 1; next } /^```$/ { open = 0 } open { print > ("guide" n ".yaml") }' \
    "$SOURCE/docs/scenes.md" "$SOURCE/docs/scene-keys.md"
awk '/^```obj$/ { open = 1; next } /^```$/ { open = 0 } open' "$SOURCE/docs/scene-keys.md" >ramp.obj
for f in guide*.yaml; do
    expect 0 params $f
    grep -q '^title:' $f || continue
    expect 0 run $f --steps 3
    grep -q 'volume 0 m3' out.txt && fail "$f: no liquid"
done

[ $failures = 0 ] || {
    echo "$failures failures"
    exit 1
}

#!/bin/sh
# rivulet view in a virtual display: a script turns, pours, drills, pauses, resets, opens files; pictures and numbers tell
# what came of it. And what the command says where there is no display.
. "$SOURCE/tests/command.sh"

# ---- without a display, and before one is needed
expect 0 view --help
grep -q 'usage: rivulet view SCENE' out.txt || fail "view --help"
unset DISPLAY WAYLAND_DISPLAY
expect 2 view bowl
says err.txt "rivulet view: no display: rivulet run --image draws without one"
expect 2 view
expect 2 view bowl --out no-such-folder
says err.txt "rivulet view: --out no-such-folder: there is no such folder"
printf 'wait 3 frames\nfly 3\nmove 1\npress up\nscreenshot a.jpg\nthrow 1 2\nbounce 2\nstir 1 2 3 4\ntilt 5\n' >bad.txt
expect 2 view bowl --script bad.txt
says err.txt "bad.txt:2: there is no command 'fly'"
says err.txt "bad.txt:3: expected: move X Y"
says err.txt "bad.txt:4: expected: press left|right|middle [shift|ctrl|alt]"
says err.txt "bad.txt:5: expected: screenshot FILE.png"
says err.txt "bad.txt:6: expected: throw X Y DX DY"
says err.txt "bad.txt:7: expected: bounce 0..1"
says err.txt "bad.txt:8: expected: stir X Y DX DY FRAMES"
says err.txt "bad.txt:9: expected: tilt RIGHT AWAY"

# ---- a display
command -v Xvfb >/dev/null || { echo "Xvfb is not installed (make test would install it)"; exit 1; }
python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import json, zlib' 2>/dev/null && python=$candidate && break
done
[ -n "$python" ] || { echo "python3 is needed to look at what the viewer wrote"; exit 1; }
Xvfb -displayfd 3 -screen 0 1024x768x24 -nolisten tcp 3>display.txt 2>xvfb.txt &
server=$!
trap 'kill $server 2>/dev/null' EXIT
tries=0
until [ -s display.txt ] || [ $tries -ge 100 ]; do sleep 0.1; tries=$((tries + 1)); done
[ -s display.txt ] || { echo "Xvfb does not start:"; cat xvfb.txt; exit 1; }
export DISPLAY=":$(cat display.txt)" LIBGL_ALWAYS_SOFTWARE=1

# ---- a landscape of a size that there is none of
expect 2 view land-20000
says err.txt "land-20000: a landscape has 32 to 16384 columns each way"
expect 2 view land-64 --set grid.nx=128
says err.txt "grid: 128 x 64 cells: land-64 has 64 x 64; land-N has N each way"

# The driver keeps some memory to its end and is unloaded by then, so that its leaks have no name that could be suppressed.
# So leaks do not decide the exit code; those with a line of ours in them, and all else on the error output, are told here.
export LSAN_OPTIONS=exitcode=0
silent() {
    awk -v ours=" $SOURCE/" 'BEGIN { RS = "" }
        /leak of/ { if (index($0, ours)) print; next }
        !/LeakSanitizer: detected|^SUMMARY: AddressSanitizer: [0-9]+ byte/ { print }' err.txt >told.txt
    [ -s told.txt ] && { fail "$1 complains:"; cat told.txt; }
}

# ---- a dish with a hill in it, so that where liquid runs is known
cat >dish.yaml <<'END'
title: A dish for tests
grid: {nx: 40, ny: 40, dx: 2 mm, bottom: 0, top: 40 mm}
time: {step: 10 ms, end: 1 s}
tension: {rest: 0} # how long liquid has rested is state, and begins anew with every parameter
solids:
  - {shape: plane, at: 0 0 6 mm}
  - {shape: box, at: 0 37 6 mm, size: 80 8 30 mm}
view: {azimuth: -90 deg, elevation: 50 deg, samples: 1}
END
echo 'grid: {nx: many}' >broken.yaml
cat >script.txt <<'END'
# the beginning: nothing is wet
key space
wait 2 frames
stats begin.json
screenshot begin.png
# pouring while time stands still gives nothing
aim 0.0 -0.01 0.006
rate 10 ml/s
radius 6 mm
press left
wait 5 frames
stats still.json
# 20 frames of 10 ms at 10 ml/s are 2 ml
key space
wait 20 frames
release
stats poured.json
key space
screenshot poured.png
# drilling needs no time
key 3
radius 5 mm
aim -0.025 0.0 0.006
stats before-drill.json
press left
wait 4 frames
release
wait 1 frame
stats drilled.json
screenshot drilled.png
key 4
aim 0.025 0.0 0.006
wait 1 frame
press left
wait 4 frames
release
wait 1 frame
stats added.json
# single steps while paused
key .
wait 2 frames
stats step.json
key n
key n
wait 2 frames
stats steps.json
# turn, shift and zoom move the camera and not the world
move 20 20
press left
move 60 40
release
stats turned.json
aim 0.0 0.0 0.006
press middle
move 120 100
release
wait 1 frame
stats shifted.json
wheel 3
wait 1 frame
stats zoomed.json
key f
wait 1 frame
stats home.json
# other speeds, parameters and liquids
key -
key -
stats slow.json
set view.speed=1
liquid honey
stats honey.json
set liquid.viscosity=7e-6
set grid.nx=many
stats refused.json
# files that are not scenes
drop broken.yaml
stats broken.json
drop no-such-file.obj
stats missing.json
# the tray is tilted to the right and away, by script, by key and by hand, and laid down again
tilt 10 0
stats right.json
key up
key up
stats away.json
key t
stats level.json
aim 0.0 0.0 0.006
press left ctrl shift
move 240 160
move 280 140
release
stats dragged.json
set gravity=0 1.7 -9.66
stats given.json
set gravity=1 0 0
stats sideways.json
key t
# back to the start
key r
wait 1 frame
stats reset.json
screenshot reset.png
# what the panel has under it is not poured on
key 2
key space
move 470 300
wait 1 frame
press left
wait 3 frames
release
stats panel.json
# a button of the panel, and a picture under the next free name
key s
wait 2 frames
key f12
wait 2 frames
stats picture.json
set grid.nx=60
stats rebuilt.json
window window.png
drop CUBE
wait 3 frames
stats cube.json
quit
END
sed "s|CUBE|$data/inspect-cube.glb|" script.txt >do.txt
mkdir pictures && : >pictures/rivulet-dish-0001.png
expect 0 view dish.yaml --size 480x320 --threads 2 --out pictures --script do.txt
silent "the viewer"

cat >look.py <<'END'
import functools, json, math, struct, sys, zlib

bad = 0
def check(fine, what):
    global bad
    if not fine:
        print("FAILED:", what)
        bad += 1

def near(a, b, tolerance):
    return abs(a - b) <= tolerance * max(abs(a), abs(b), 1e-30)

class Numbers(dict):
    __getattr__ = dict.__getitem__

def numbers(name):
    return Numbers(json.load(open(name + ".json")))

@functools.lru_cache
def picture(name):
    data = open(name + ".png", "rb").read()
    width, height = struct.unpack(">II", data[16:24])
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    raw, rows, last = zlib.decompress(packed), [], bytearray(3 * width)
    for y in range(height):
        kind, row = raw[y * (3 * width + 1)], bytearray(raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        for i in range(3 * width):
            a, b, c = row[i - 3] if i > 2 else 0, last[i], last[i - 3] if i > 2 else 0
            p = a + b - c
            d = [(abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c)]
            row[i] = (row[i] + [0, a, b, (a + b) // 2, min(d)[2]][kind]) & 255
        rows.append(row)
        last = row
    return width, height, rows

# How many pixels differ clearly, and the middle of these.
def difference(a, b):
    (width, height, p), (w, h, q) = picture(a), picture(b)
    check((width, height) == (w, h), "sizes of %s and %s" % (a, b))
    found = [(x, y) for y in range(height) for x in range(width)
             if max(abs(p[y][3 * x + k] - q[y][3 * x + k]) for k in range(3)) > 12]
    n = len(found)
    return n, (sum(x for x, y in found) / n if n else 0) / width, (sum(y for x, y in found) / n if n else 0) / height

begin, poured = numbers("begin"), numbers("poured")
check(begin.volume == 0 and begin.paused and begin.time == 0, "the beginning")
check((begin.width, begin.height) == (480, 320), "the window's size")
still = numbers("still")
check(still.volume == 0 and still.over, "time stands still, but it poured")
check(math.dist(still["at"], (0, -0.01, 0.006)) < 1e-3, "the mouse is not where it was aimed: %s" % still["at"])
check(near(poured.volume, 2e-6, 1e-5), "poured %g of 2 ml" % (1e6 * poured.volume))
check(near(poured.volume, poured.sourced, 1e-6) and near(poured.poured, poured.volume, 1e-6), "what was poured is counted")
check(poured.wet > 20, "wet columns")
n, x, y = difference("begin", "poured")
check(n > 300 and 0.4 < x < 0.6 and 0.4 < y < 0.8, "the liquid is not seen where it was poured: %d at %g %g" % (n, x, y))

before, drilled, added = numbers("before-drill"), numbers("drilled"), numbers("added")
check(drilled.edits > before.edits == 0, "drilling is not counted")
check(drilled["at"][2] < 0.0045, "no hole under the mouse: %s" % drilled["at"])
check(near(drilled.volume, poured.volume, 1e-6) and drilled.time == poured.time, "drilling changed the liquid or the time")
n, x, y = difference("poured", "drilled")
check(n > 20 and x < 0.45, "the hole is not seen on the left: %d at %g %g" % (n, x, y))
check(added["at"][2] > 0.0075 and added.edits > drilled.edits, "nothing was added: %s" % added["at"])

step, steps = numbers("step"), numbers("steps")
check(step.steps == poured.steps + 1 and step.paused, "a single step")
check(steps.steps == step.steps + 2 and near(steps.time, step.time + 0.02, 1e-9), "two single steps")

turned, shifted, zoomed, home = numbers("turned"), numbers("shifted"), numbers("zoomed"), numbers("home")
check(turned.azimuth != begin.azimuth and turned.elevation > begin.elevation, "a drag beside the scene turns it")
check(turned.hash == steps.hash == zoomed.hash, "looking changed the world")
check(shifted.target != turned.target and math.dist(shifted["at"], (0, 0, 0.006)) < 1e-3, "the point under the mouse goes with it: %s" % shifted["at"])
check(zoomed.zoom > 1.3 and math.dist(zoomed["at"], (0, 0, 0.006)) < 1e-3, "zoom stays at the mouse: %s" % zoomed["at"])
check((home.azimuth, home.elevation, home.zoom, home.target) == (begin.azimuth, begin.elevation, begin.zoom, begin.target), "the scene's own view")

right, away, level = numbers("right").gravity, numbers("away").gravity, numbers("level").gravity
size = math.sqrt(sum(g * g for g in right))
check(near(right[0], 9.81 * math.sin(math.radians(10)), 1e-6) and abs(right[1]) < 1e-9 and near(size, 9.81, 1e-9), "tilted to the right: %s" % right)
check(near(away[1], 9.81 * 2 * math.sin(math.radians(2)), 1e-6) and near(away[0], right[0], 1e-9), "and away: %s" % away)
check(level == [0, 0, -9.81], "laid down again: %s" % level)
dragged = numbers("dragged").gravity
check(dragged[0] > 0.5 and dragged[1] > 0.25 and near(math.sqrt(sum(g * g for g in dragged)), 9.81, 1e-9), "tilted by hand: %s" % dragged)
check(numbers("dragged").azimuth == numbers("right").azimuth, "a tilt turned the camera")
check(numbers("given").gravity == [0, 1.7, -9.66], "a vector that is set")
check(numbers("sideways").bad and "gravity: lies level" in numbers("sideways").message and numbers("sideways").gravity == [0, 1.7, -9.66], "level gravity is refused: " + numbers("sideways").message)

check(near(numbers("slow").speed, 0.5, 1e-9), "two keys are half the speed: %g" % numbers("slow").speed)
honey, refused = numbers("honey"), numbers("refused")
check(honey.liquid == "honey" and honey.viscosity > 1e-3, "honey")
check(near(refused.viscosity, 7e-6, 1e-12), "a parameter")
check(refused.bad and "grid.nx" in refused.message and refused.grid == [40, 40], "a refused parameter: " + refused.message)
broken, missing = numbers("broken"), numbers("missing")
check(broken.bad and "broken.yaml:1" in broken.message and broken.scene == "dish", "a broken scene: " + broken.message)
check(missing.bad and "no-such-file.obj" in missing.message and missing.scene == "dish", "a missing file: " + missing.message)
check(missing.hash == steps.hash, "the old scene did not go on as it was")

reset = numbers("reset")
check(reset.volume == 0 and reset.time == 0 and reset.edits == 0 and reset.hash == begin.hash, "reset")
n, x, y = difference("begin", "reset")
check(n < 40, "after a reset %d pixels differ from the beginning" % n)

panel = numbers("panel")
check(panel.volume == 0 and not panel.over and panel.steps > 0, "a press on the panel reached the scene")
check(panel.panel > 100, "the panel is not shown")
shot, rebuilt, cube = numbers("picture"), numbers("rebuilt"), numbers("cube")
check(shot.message == "saved pictures/rivulet-dish-0003.png", "where the picture is: " + shot.message)
check(rebuilt.grid == [60, 40] and rebuilt.steps == 0, "another grid: " + rebuilt.message)
check(cube.scene == "inspect-cube" and cube.volume > 0 and cube.steps == 3, "a mesh is opened: " + cube.message)
window, clean = picture("window"), picture("reset")
check(sum(sum(window[2][y][3 * 400:]) for y in range(0, 320, 8)) < 0.6 * sum(sum(clean[2][y][3 * 400:]) for y in range(0, 320, 8)),
      "the panel is not in the picture of the window")
sys.exit(bad)
END
$python look.py || failures=$((failures + 1))
[ -s pictures/rivulet-dish-0001.png ] && fail "a file that was there was overwritten"
for n in 2 3; do
    head -c 8 pictures/rivulet-dish-000$n.png | od -An -tx1 | grep -q '89 50 4e 47' || fail "picture $n"
done

# ---- the same script gives the same liquid; a film; a window that is closed
printf 'key v\nwait 12 frames\nkey v\nwait 1 frame\nstats film.json\nquit\n' >film.txt
expect 0 view dish.yaml --size 160x120 --threads 1 --script film.txt --set view.rate=50
silent "the viewer with a film"
if command -v ffmpeg >/dev/null; then
    grep -q '"message": "saved rivulet-dish-0001.mp4, 0.1 s' film.json || { fail "the film: "; grep message film.json; }
    head -c 12 rivulet-dish-0001.mp4 2>/dev/null | grep -q ftyp || fail "no film"
    ls | grep -q part && fail "a part of a film was left"
else
    grep -q 'ffmpeg' film.json || fail "no ffmpeg: it is not told"
fi

# ---- flying over a landscape: it goes on by itself, is steered, and stays where it lands
cat >fly.txt <<'END'
key g
wait 3 frames
stats up.json
key left
key left
key w
wait 6 frames
stats on.json
key g
wait 1 frame
stats down.json
wait 4 frames
stats stay.json
quit
END
expect 0 view land-64 --size 160x120 --threads 1 --script fly.txt
silent "the viewer that flies"
cat >flown.py <<'END'
import json, math, sys

up, on, down, stay = (json.load(open(name + ".json")) for name in ("up", "on", "down", "stay"))
bad = []
if not up["message"].startswith("flying"): bad.append("not flying: " + up["message"])
if math.dist(up["target"], on["target"]) < 1: bad.append("it stands in the air")
if abs(up["azimuth"] - on["azimuth"]) < 1e-3: bad.append("it is not steered")
if down["message"] != "landed": bad.append("not landed: " + down["message"])
if math.dist(down["target"], stay["target"]) > 1e-6: bad.append("it goes on after it has landed")
print("\n".join(bad))
sys.exit(bool(bad))
END
$python flown.py || fail "flying"

# ---- bodies: one is thrown by hand, others by command; they fly, and are gone again
cat >throw.txt <<'END'
key space
key 5
radius 5 mm
density 3000
bounce 0.2
wait 1 frame
screenshot bare.png
aim -0.01 -0.01 0.006
press left
stats begun.json
aim 0.01 -0.01 0.006
release
wait 1 frame
stats thrown.json
screenshot thrown.png
key space
wait 5 frames
key space
wait 1 frame
stats flown.json
screenshot flown.png
# a box without a drag falls straight down
shape box
density 300
aim 0 0 0.006
press left
release
wait 1 frame
stats box.json
throw 120 160 30 0
wait 1 frame
stats three.json
# a drag that is given up throws nothing
aim 0 0 0.006
press left
key 1
release
wait 1 frame
stats given-up.json
clear
wait 1 frame
stats cleared.json
screenshot cleared.png
throw 120 160 30 0
key r
wait 1 frame
stats back.json
quit
END
expect 0 view dish.yaml --size 480x320 --threads 2 --script throw.txt
silent "the viewer with bodies"
sed '/^begin, poured = /,$d' look.py >bodies.py
cat >>bodies.py <<'END'
begun, thrown, flown, box, three, given_up, cleared, back = map(
    numbers, ("begun", "thrown", "flown", "box", "three", "given-up", "cleared", "back"))
check(begun.bodies == 0 and begun.body is None, "a body is there before the button is up")
check(thrown.bodies == 1 and thrown.body["shape"] == "sphere", "one was thrown: %s" % thrown.body)
at, velocity = thrown.body["at"], thrown.body["velocity"]
check(near(thrown.body["radius"], 5e-3, 1e-9) and near(thrown.body["density"], 3000, 1e-9), "its size and density")
check(math.dist(at[:2], (-0.01, -0.01)) < 1e-3 and at[2] > 0.011, "it starts over where the drag began: %s" % at)
check(velocity[0] > 0.2 and abs(velocity[1]) < 0.05 * velocity[0], "it flies where the drag went: %s" % velocity)
# it falls 12 mm in the first 50 ms, before it meets the ground
expected = (at[0] + 0.05 * velocity[0], at[1], at[2] - 0.5 * 9.81 * 0.05**2)
check(math.dist(flown.body["at"], expected) < 2e-3, "it flew to %s, not %s" % (flown.body["at"], expected))
n, x, y = difference("bare", "thrown")
m, u, w = difference("bare", "flown")
check(n > 100 and m > 100 and u > x + 0.05, "the body is not seen to fly right: %d at %g, then %d at %g" % (n, x, m, u))
check(box.bodies == 2 and box.body["shape"] == "box" and max(map(abs, box.body["velocity"])) < 1e-9, "a box: %s" % box.body)
check(three.bodies == 3 and three.body["number"] == 2, "a third one: %d" % three.bodies)
check(given_up.bodies == 3, "a throw that was given up")
check(cleared.bodies == 0 and cleared.body is None and "3 bodies removed" in cleared.message, "all removed: " + cleared.message)
check(difference("bare", "cleared")[0] == 0, "removed bodies are still seen")
check(back.bodies == 0 and back.time == 0, "after a reset there is no body")
sys.exit(bad)
END
$python bodies.py || failures=$((failures + 1))

# ---- stirring: liquid goes where the mouse does, none is lost, and a reset brings back the calm
cat >pool.yaml <<'END'
title: A pool for tests
grid: {nx: 40, ny: 40, dx: 2 mm, bottom: 0, top: 40 mm}
time: {step: 10 ms, end: 1 s}
fills: [{kind: level, level: 10 mm}]
view: {azimuth: -90 deg, elevation: 50 deg, samples: 1}
END
cat >stir.txt <<'END'
wait 2 frames
stats calm.json
key 6
radius 8 mm
aim -0.02 0 0.01
press left
wait 1 frame
# a rod that stands still moves nothing
stats still.json
aim -0.01 0 0.01
wait 1 frame
aim 0 0 0.01
wait 1 frame
release
stats stirred.json
wait 2 frames
aim 0.03 0 0.01
wait 1 frame
stats ahead.json
stir 100 150 0 20 3
stats again.json
key r
wait 1 frame
stats back.json
quit
END
expect 0 view pool.yaml --size 320x240 --threads 2 --script stir.txt
silent "the viewer that stirs"
sed '/^begin, poured = /,$d' look.py >stir.py
cat >>stir.py <<'END'
calm, still, stirred, ahead, again, back = map(numbers, ("calm", "still", "stirred", "ahead", "again", "back"))
check(still.tool == "stir" and near(still.radius, 8e-3, 1e-9), "the tool")
check(math.dist(still["at"], (-0.02, 0, 0.01)) < 1e-3, "the mouse is not where it was aimed: %s" % still["at"])
check(still.deepest < 0.01 + 1e-6, "a rod that stands still made waves: %g" % still.deepest)
check(stirred.deepest > 0.0105, "stirring made no wave: %g" % stirred.deepest)
check(near(stirred.volume, calm.volume, 1e-6), "stirring changed the volume")
check(ahead["at"][2] > 0.01005, "the liquid did not go where the mouse went: %s" % ahead["at"])
check(again.hash != ahead.hash and near(again.time, ahead.time + 0.03, 1e-6), "the command that stirs: %g s" % (again.time - ahead.time))
check(back.time == 0 or back.deepest < 0.01 + 1e-6, "a reset")
sys.exit(bad)
END
$python stir.py || failures=$((failures + 1))

# ---- a wax pencil: what is painted is part of the state and shows, also while time stands still; a reset forgets it
cat >plate.yaml <<'END'
title: A plate for tests
grid: {nx: 60, ny: 40, dx: 1 mm, bottom: 0, top: 20 mm}
time: {step: 5 ms, end: 1 s}
tension: {on: true}
solids: [{shape: plane, at: 0 0 5 mm}]
fills: [{kind: drop, at: 0 0 20 mm, radius: 6 mm, volume: 0.3 ml}]
view: {azimuth: -90 deg, elevation: 60 deg, samples: 1, mode: affinity}
END
cat >paint.txt <<'END'
wait 5 frames
key space
key 7
affinity 0
radius 4 mm
screenshot bare.png
stats bare.json
aim 0.02 -0.012 0.005
press left
wait 1 frame
aim 0.02 0.012 0.005
wait 1 frame
release
stats painted.json
screenshot painted.png
affinity 1
paint 60 120 10 20 3
stats again.json
key r
wait 1 frame
screenshot back.png
quit
END
expect 0 view plate.yaml --size 320x240 --threads 2 --script paint.txt
silent "the viewer that paints"
sed '/^begin, poured = /,$d' look.py >paint.py
cat >>paint.py <<'END'
bare, painted, again = map(numbers, ("bare", "painted", "again"))
check(painted.tool == "paint" and painted.affinity == 0 and near(painted.radius, 4e-3, 1e-9), "the tool")
check(painted.time == bare.time and painted.hash != bare.hash, "what is painted is not part of the state")
check(again.affinity == 1 and again.hash != painted.hash, "the command that paints")
n, x, y = difference("bare", "painted")
check(n > 400 and x > 0.2, "what is painted is not seen: %d pixels at %g" % (n, x))
m, u, w = difference("painted", "back")
check(m > 400, "a reset does not forget it: %d pixels" % m)
sys.exit(bad)
END
$python paint.py || failures=$((failures + 1))

# ---- a pane: the mouse is on it, a finger wipes it, pouring puts drops on it; there is nothing to drill or throw
cat >pane.yaml <<'END'
title: A pane for tests
solver: glass
grid: {nx: 100, ny: 80, dx: 1 mm}
time: {step: 5 ms, end: 1 s}
glass: {mist: 0.8}
END
cat >finger.txt <<'END'
wait 2 frames
stats dry.json
screenshot dry.png
key 6
radius 6 mm
aim -0.03 0.01 0
wait 1 frame
press left
wait 1 frame
aim -0.01 0.01 0
aim 0.01 0.01 0
aim 0.03 0.01 0
release
stats wiped.json
screenshot wiped.png
key 2
rate 20 ml/s
aim 0 -0.02 0
press left
wait 10 frames
release
stats drops.json
screenshot drops.png
key 3
press left
wait 1 frame
release
stats no-drill.json
key 5
press left
release
wait 1 frame
stats no-throw.json
key r
wait 1 frame
stats new.json
quit
END
expect 0 view pane.yaml --size 320x240 --threads 2 --script finger.txt
silent "the viewer with a pane"
sed '/^begin, poured = /,$d' look.py >pane.py
cat >>pane.py <<'END'
dry, wiped, drops, new = map(numbers, ("dry", "wiped", "drops", "new"))
check(dry.volume == 0, "a dry pane: %g" % dry.volume)
check(wiped.over and math.dist(wiped["at"], (0.03, 0.01, 0)) < 1e-4, "the mouse is not on the pane: %s" % wiped["at"])
n, x, y = difference("dry", "wiped")
check(n > 100 and 0.3 < x < 0.7 and y < 0.5, "the finger's way is not seen over the middle: %d at %g %g" % (n, x, y))
check(drops.volume > 1e-8 and near(drops.volume, drops.sourced - drops.drained, 1e-9), "poured on the pane: %g" % drops.volume)
check(drops.poured > 0 and near(drops.poured, drops.sourced, 1e-9), "what was poured is counted: %g" % drops.poured)
n, x, y = difference("wiped", "drops")
check(n > 20 and y > 0.5, "drops are not seen below the middle: %d at %g %g" % (n, x, y))
check(numbers("no-drill").bad and "no solid to drill" in numbers("no-drill").message, "drilling: " + numbers("no-drill").message)
check(numbers("no-throw").bad and "no bodies" in numbers("no-throw").message, "throwing: " + numbers("no-throw").message)
check(new.volume == 0 and new.poured == drops.poured, "a reset takes the drops away")
sys.exit(bad)
END
$python pane.py || failures=$((failures + 1))

# ---- particles in a plane: the mouse is in it; stirring moves them, pouring adds some, a body is thrown along it
cat >plane.yaml <<'END'
title: A basin for tests
solver: splat
grid: {nx: 48, ny: 1, dx: 1 cm, bottom: 0, top: 36 cm}
time: {step: 10 ms, end: 1 s}
splat: {form: 2d}
emitters: [{kind: block, to: 100 100 12.6 cm}] # 18 layers
view: {azimuth: -90 deg, elevation: 0 deg, samples: 1}
END
cat >plane.txt <<'END'
wait 8 frames
stats rest.json
screenshot rest.png
key 6
radius 4 cm
aim -0.1 0 0.08
wait 1 frame
press left
wait 1 frame
aim -0.05 0 0.08
aim 0 0 0.08
aim 0.05 0 0.08
release
wait 10 frames
stats stirred.json
screenshot stirred.png
key 2
rate 2 l/s
radius 3 cm
aim 0.1 0 0.2
wait 1 frame
press left
wait 10 frames
release
stats poured.json
key 5
radius 3 cm
aim -0.1 0 0.28
wait 1 frame
press left
aim -0.05 0 0.28
release
wait 1 frame
stats thrown.json
wait 5 frames
stats flown.json
key r
wait 1 frame
stats again.json
quit
END
expect 0 view plane.yaml --size 320x240 --threads 2 --script plane.txt
silent "the viewer with particles"
sed '/^begin, poured = /,$d' look.py >plane.py
cat >>plane.py <<'END'
rest, stirred, poured, thrown, flown, again = map(numbers, ("rest", "stirred", "poured", "thrown", "flown", "again"))
check(rest.volume > 0 and stirred.volume == rest.volume, "stirring changed the volume")
check(math.dist(stirred["at"], (0.05, 0, 0.08)) < 1e-3, "the mouse is not in the plane: %s" % stirred["at"])
check(stirred.deepest > 1.005 * rest.deepest, "no wave: %g m deep, then %g" % (rest.deepest, stirred.deepest))
n, x, y = difference("rest", "stirred")
check(n > 200, "stirring is not seen: %d pixels" % n)
check(near(poured.volume - stirred.volume, poured.poured, 1e-6) and near(poured.poured, 2e-4, 1e-3), "poured %g of 0.2 l" % (1e3 * poured.poured))
at, velocity = thrown.body["at"], thrown.body["velocity"]
check(thrown.bodies == 1 and math.dist(at, (-0.1, 0, 0.28)) < 0.01, "a body starts where the drag began: %s" % at)
check(velocity[0] > 0.1 and velocity[1] == 0, "and flies along the plane: %s" % velocity)
check(flown.body["at"][2] < at[2] and flown.body["at"][1] == 0, "it falls in the plane: %s" % flown.body["at"])
check(again.volume == rest.volume and again.bodies == 0, "a reset: %g m3, %d bodies" % (again.volume, again.bodies))
sys.exit(bad)
END
$python plane.py || failures=$((failures + 1))

# ---- real events, where there is a tool that makes them
if command -v xdotool >/dev/null; then
    printf 'sleep 3\nstats real.json\nquit\n' >real.txt
    "$RIVULET" view dish.yaml --size 320x240 --threads 1 --script real.txt >out.txt 2>err.txt &
    viewer=$!
    sleep 1.5
    xdotool mousemove 60 130 mousedown 1 sleep 0.7 mouseup 1
    wait $viewer || fail "with real events: exit code $?"
    silent "the viewer with real events"
    $python -c 'import json; n = json.load(open("real.json")); exit(not (n["volume"] > 0 and n["poured"] > 0))' ||
        { fail "a real mouse does not pour"; cat real.json err.txt; }
fi
[ "$failures" = 0 ]

#!/bin/sh
# Draws the pictures of the documentation and writes docs/gallery.md: sh docs/gallery.sh RIVULET [NAME…]
#
# Each scene has one, as its own view says, at its best moment; the others are listed below.
# ffmpeg makes them JPEGs, and lays those side by side that belong together.
set -eu

rivulet=$1
shift
here=$(dirname "$0")
images=$here/images
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$images"
wanted=" $* "

is_wanted() {
    [ "$wanted" = "  " ] || case $wanted in *" $1 "*) true ;; *) false ;; esac
}

# draw FILE SCENE [options…]: a PNG in the work folder
draw() {
    file=$work/$1.png
    shift
    "$rivulet" run "$@" --image "$file" --quiet >/dev/null
}

# join NAME FILE…: these, side by side, as docs/images/NAME.jpg
join() {
    name=$1
    shift
    inputs= count=0
    for file in "$@"; do
        inputs="$inputs -i $work/$file.png"
        count=$((count + 1))
    done
    [ $count -gt 1 ] && filter="-filter_complex hstack=inputs=$count" || filter=
    # shellcheck disable=SC2086
    ffmpeg -nostdin -v error -y $inputs $filter -frames:v 1 -q:v 3 "$images/$name.jpg"
    echo "docs/images/$name.jpg"
}

# one NAME SCENE [options…]: one picture
one() {
    is_wanted "$1" || return 0
    draw "$@"
    join "$1" "$1"
}

# two NAME "options of the left" "options of the right" SCENE [options…]
two() {
    name=$1 left=$2 right=$3
    shift 3
    is_wanted "$name" || return 0
    # shellcheck disable=SC2086
    draw left "$@" $left
    # shellcheck disable=SC2086
    draw right "$@" $right
    join "$name" left right
}

# The viewer's window, on a display of its own.
viewer() {
    is_wanted viewer && command -v Xvfb >/dev/null || return 0
    printf 'wait 300 frames\nkey 2\naim 0.01 0.012 0.045\npress left\nwait 30 frames\nwindow %s\nquit\n' \
        "$work/viewer.png" >"$work/script"
    mkfifo "$work/display"
    Xvfb -displayfd 3 -screen 0 1280x800x24 3>"$work/display" 2>/dev/null &
    server=$!
    read -r display <"$work/display"
    DISPLAY=:$display "$rivulet" view surgery --size 1280x800 --script "$work/script"
    kill $server
    join viewer viewer
}

# When a scene shows most, if that is not its end.
moment() {
    case $1 in
    tank-light-ball) echo --time 0.9 ;;
    tank-*) echo --time 0.7 ;;
    coffee-lift) echo --time 2.6 ;;
    glass-rain) echo --time 6 ;;
    glass-merge) echo --time 0.5 ;;
    glass-windshield) echo --time 3.7 ;;
    glass-storm) echo --time 1.2 ;;
    glass-logo) echo --time 2.5 ;;
    swe-dam-break) echo --time 0.9 ;;
    swe-bowl) echo --time 0.4 ;;
    tray) echo --time 1.2 ;;
    leaf) echo --time 0.4 ;;
    puddle | puddle-mercury) echo --time 2 ;;
    rivulet | wet-wall) echo --time 1.6 ;;
    passages | paper-passages) echo --time 1.5 ;;
    splash) echo --time 0.22 ;;
    three-layers-drowned) echo --time 4.5 ;;
    splat-2d-64k) echo --time 0.8 ;;
    splat-3d-125k) echo --time 0.6 ;;
    splat-3d-jet) echo --time 1.2 ;;
    splat-height-42k) echo --time 1 ;;
    splat-surf) echo --time 1.3 ;;
    tap-and-plate) echo --time 1.5 ;;
    rain-on-cup) echo --time 4 ;;
    bottle-sweat) echo --time 7 ;;
    esac
}

"$rivulet" scenes >"$work/scenes"
while read -r scene _; do
    # shellcheck disable=SC2046
    one "$scene" "$scene" --size 1280x720 $(moment "$scene")
done <"$work/scenes"

viewer
two surface-edge "--set surface.edge=false" "" \
    incline-1cm3 --time 2 --size 640x480 --set view.zoom=4 --set view.y=0.022
two surface-curtain "--set surface.curtain=false" "" \
    three-layers --time 2.5 --size 640x480 --set view.zoom=2.5
two meniscus "--set surface.meniscus=false" "" \
    coffee --size 640x480 --set view.zoom=3.2 --set view.x=-0.052 --set view.y=-0.045
two surface-boundary "--set surface.boundary=false" "" \
    coffee --time 2 --size 640x480 --set view.zoom=5 --set view.z=0.03 --set "view.elevation=50deg"
two surface-minimum "--set surface.minimum=false" "" \
    surgery --time 2.5 --size 640x480 --set view.zoom=2.5
two surface-links "--set surface.links=false --set surface.curtain=false" "" \
    three-layers-drowned --time 4 --size 640x480 --set view.zoom=1.6
two view-capped "--set view.capped=false" "" \
    paper-viscosity-4e-5 --time 2 --size 640x480 --set view.zoom=4 --set "view.elevation=18deg" \
    --set "liquid.contact=150deg" --set surface.meniscus_length=6e-3
two view-caustics "--set view.caustics=false" "" \
    swe-dam-break --time 0.9 --size 640x480 --set view.zoom=2 --set view.opaque=1
one glass-close glass-merge --time 0.5 --size 960x540 --set view.zoom=9 --set view.x=-0.0155 --set view.y=0.005
if is_wanted drowned; then
    for at in 2 3.5 5 7; do
        draw "$at" three-layers-drowned --time "$at" --size 480x360
    done
    join drowned 2 3.5 5 7
fi
is_wanted step-cells && sh "$here/step.sh" "$rivulet" "$images/step-cells.svg" >/dev/null
if is_wanted studios; then
    for room in studio neutral warm; do
        draw "$room" coffee --time 2 --size 480x360 --set "environment=$room"
    done
    join studios studio neutral warm
fi
if is_wanted viscosity; then
    for nu in 0 4e-6 4e-5 4e-1; do
        draw "$nu" "viscosity-$nu" --time 3 --size 480x360
    done
    join viscosity 0 4e-6 4e-5 4e-1
fi
if is_wanted quotient; then
    for v in 0 0.25 1; do
        draw "quotient-$v" tank-throw-thin --time 0.6 --size 480x360 --set "pipes.quotient=$v"
    done
    join quotient quotient-0 quotient-0.25 quotient-1
fi
if is_wanted tanks-wire; then
    for tank in light-ball heavy-ball throw-thin throw-thick; do
        draw "$tank" "tank-$tank" --time 0.7 --size 480x360 --set view.mode=wire
    done
    join tanks-wire light-ball heavy-ball throw-thin throw-thick
fi
if is_wanted views; then
    for mode in wire depth speed boundary; do
        draw "$mode" surgery --time 3 --size 480x360 --set "view.mode=$mode"
    done
    join views wire depth speed boundary
fi
if is_wanted views-columns; then
    for mode in layers passages links; do
        draw "$mode" cross-passage --time 1 --size 640x480 --set "view.mode=$mode"
    done
    join views-columns layers passages links
fi
if is_wanted liquids; then
    for liquid in water blood coffee milk paint honey oil; do
        draw "$liquid" bowl --size 320x320 --set "liquid.preset=$liquid" --set view.opaque=0.03
    done
    join liquids water blood coffee milk paint honey oil
fi

{
    echo "# Gallery"
    echo
    echo "Every shipped scene, then settings side by side. \`make gallery\` draws them all anew, which takes half an hour on two cores;"
    echo "\`make gallery NAMES=\"coffee views\"\` draws these only, some seconds each."
    while read -r scene _ title; do
        printf '\n## %s\n\n%s. `rivulet run %s --image %s.png`\n\n![%s](images/%s.jpg)\n' \
            "$scene" "$title" "$scene" "$scene" "$scene" "$scene"
    done <"$work/scenes"
    cat <<'TEXT'

## The viewer

`rivulet view surgery`: turn it, pour, drill, throw things in, change everything ([viewer.md](viewer.md)).

![the viewer](images/viewer.jpg)

## Settings

`surface.edge` off and on: where the liquid ends.

![surface.edge](images/surface-edge.jpg)

`surface.curtain` off and on: where it falls.

![surface.curtain](images/surface-curtain.jpg)

`surface.meniscus` off and on: where it meets the solid.

![surface.meniscus](images/meniscus.jpg)

`view.caustics` off and on: the light under clear liquid.

![view.caustics](images/view-caustics.jpg)

`environment` studio, neutral and warm.

![three studios](images/studios.jpg)

## As the pipes paper compares

What each part of the surface is for: left without it, as the paper's own left pictures, right as it is.

`surface.boundary` (Fig. 9): without it the surface climbs to the beds of dry columns, spikes inside the cup.

![surface.boundary](images/surface-boundary.jpg)

`surface.minimum` (Fig. 10): without it bone shows through films.

![surface.minimum](images/surface-minimum.jpg)

`view.capped` (Fig. 15): without it normals of a convex rim look away from the eye.

![view.capped](images/view-capped.jpg)

`surface.links` (Figs. 5 and 21): without it each layer has a surface of its own, and seams where they meet.

![surface.links](images/surface-links.jpg)

`three-layers-drowned` after 2, 3.5, 5 and 7 s (Fig. 19): the surface joins other columns as the level rises.

![three layers drown](images/drowned.jpg)

The step over the number of cells along the same domain (Fig. 16): the mean substep that stability asks for, in the bowl
without surface tension. By our law it is inverse to the number, as the paper says, to 20% over a factor of 16; by the paper's
pipes of the area of a cell it falls more slowly here, by a factor of 4. `sh docs/step.sh` makes it.

![the step over the number of cells](images/step-cells.svg)

## The papers' tables

- Table 1 of the pipes paper: [performance.md](performance.md#the-papers-table-1-on-an-h200); `rivulet bench --draw` has the slowest of each column beside the mean.
- The glass paper's table, beginning with 500 and with 250 drops, and how a step splits into its parts:
  [performance.md](performance.md#particles-panes-shallow-water), [papers.md](papers.md#glass-paper), `rivulet bench glass`.
- The splat paper's 16,000, 32,000 and 64,000 particles: [performance.md](performance.md#particles-panes-shallow-water),
  `rivulet bench particles`.
- The tank paper's viscosity quotient V, `pipes.quotient` ([a tank](pipes-inside.md#a-tank-eight-neighbours-quotient-pressures)):
  how strongly a tank answers to a ball as V goes from 0 to 1, and the tank of its figure 8 with V = 1 is `tank-throw-thick`.

![the viscosity quotient](images/validation/response-quotient.svg)

`tank-throw-thin` after 0.6 s with V = 0, 0.25 and 1:

![a ball thrown with three quotients](images/quotient.jpg)

## From close by

A drop of `glass-merge`, five millimetres wide, at zoom 9. The pictures `near-…` in `tests/golden/` are from close by too, of
what was once wrong there: seams, rims, films, feet and rims of cups, cuts of the grid, edges of solids, light under liquid,
drops, spray.

![a drop on glass](images/glass-close.jpg)

Drops that are finer than a cell sit on things too ([dew.md](dew.md)): scenes `rain-on-cup` and `bottle-sweat` above. `make film`
makes a film of six scenes, under a minute, in `out/film.mp4`:

![coffee, a tap on a plate, blood on bone, rain, puddles, a stone in a pool](images/film.jpg)

## Other settings

`liquid.viscosity` 0, 4e-6, 4e-5 and 4e-1 m²/s, after 3 s.

![four viscosities](images/viscosity.jpg)

`liquid.preset` water, blood, coffee, milk, paint, honey and oil.

![seven liquids](images/liquids.jpg)

The four tanks as wireframes, as in the tank paper's figures 5 to 8.

![four tanks](images/tanks-wire.jpg)

`view.mode` wire, depth, speed and boundary; layers, passages and links.

![views of the surface](images/views.jpg)

![views of the columns](images/views-columns.jpg)
TEXT
} >"$work/gallery.md"
cp "$work/gallery.md" "$here/gallery.md"

#!/bin/sh
# Draws the moving thumbnails of the page's gallery: sh web/thumbs.sh RIVULET [SCENE…]
# Each is a strip of FRAMES pictures side by side, web/thumbs/SCENE.webp, which the page runs through.
set -eu
rivulet=$1
shift
FRAMES=14 WIDTH=224 HEIGHT=160
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# How long, and with what, so that the strip shows the best of a scene. Particles are fewer and larger, which
# is not seen at this size.
choose() {
    time=2 more=
    case $1 in
    surgery | surgery-drill | paper-surgery) time=3.5 ;;
    coffee-lift) time=3.6 ;;
    cross-passage | passages | paper-passages | tray) time=5 ;;
    glass-merge) time=3 ;;
    glass-rain | glass-windshield) time=8 ;;
    glass-storm) time=3 more="--set grid.nx=500 --set grid.ny=500 --set grid.dx=0.8mm" ;;
    incline-1cm3 | paint-drip | viscosity-* | paper-viscosity-*) time=4 ;;
    drip | rivulet | wet-wall) time=4 ;;
    tap-and-plate) time=1.5 ;;
    puddle*) time=2.4 ;;
    splat-2d-64k) time=1.6 more="--set grid.nx=128 --set grid.dx=10mm" ;;
    splat-3d-125k) time=1.6 more="--set grid.nx=32 --set grid.ny=32 --set grid.dx=30mm" ;;
    splat-3d-jet) time=2 more="--set grid.nx=32 --set grid.ny=32 --set grid.dx=30mm" ;;
    splat-height-42k) time=3 ;;
    splat-surf) time=3 more="--set grid.nx=64 --set grid.ny=32 --set grid.dx=40mm" ;;
    leaf) time=0.8 ;;
    swe-*) time=3 ;;
    tank-*) time=1.8 ;;
    esac
}

for scene in ${*:-$("$rivulet" scenes | cut -d' ' -f1)}; do
    choose "$scene"
    rate=$(awk "BEGIN { print ($FRAMES - 1) / $time }")
    rm -f "$work"/*.png
    # shellcheck disable=SC2086
    "$rivulet" run "$scene" --time "$time" --set view.rate="$rate" --set view.speed=1 $more \
        --size $((2 * WIDTH))x$((2 * HEIGHT)) --set view.samples=1 --image "$work/%04d.png" --quiet >/dev/null || {
        echo "$scene: no thumbnail" >&2
        continue
    }
    first=$(ls "$work" | head -1 | sed 's/^0*\([0-9][0-9]*\)\.png/\1/')
    ffmpeg -nostdin -v error -y -start_number "$first" -i "$work/%04d.png" -frames:v 1 \
        -vf "scale=$WIDTH:$HEIGHT:flags=area,tpad=stop=$FRAMES:stop_mode=clone,tile=${FRAMES}x1" -c:v libwebp -quality 62 "$here/thumbs/$scene.webp"
    echo "web/thumbs/$scene.webp"
done

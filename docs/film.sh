#!/bin/sh
# Makes the film of shipped scenes, under a minute: sh docs/film.sh RIVULET WIDTHxHEIGHT OUT.mp4 [SECONDS]
#
# One take a scene, with its title, all made by the command. SECONDS a take, 7 unless it is given; fewer are for trying
# it out. Beside the film a picture of all takes is left, OUT.jpg. ffmpeg puts titles in and the takes together.
set -eu

rivulet=$1 size=$2 out=$3 seconds=${4:-7}
case $size in
*[!0-9x]* | x* | *x | *x*x*) echo "film: '$size': expected a size as 1920x1080" >&2; exit 2 ;;
*x*) ;;
*) echo "film: '$size': expected a size as 1920x1080" >&2; exit 2 ;;
esac
command -v ffmpeg >/dev/null || { echo "film: ffmpeg is needed: make packages-demo" >&2; exit 2; }
width=${size%x*} height=${size#*x}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$(dirname "$out")"

# Scene, simulated seconds in one of the film's, seconds before the take, its title, settings with blanks between.
cat >"$work/takes" <<'TAKES'
coffee|0.8|0|Coffee runs round a cup|view.zoom=1.12
tap-and-plate|0.6|0|A tap on a plate|
surgery|0.6|0|Blood on a vertebra|view.zoom=1.15
glass-rain|1|0|Rain on a window|
puddle|0.4|0|Spilt water stands in puddles|view.zoom=1.3
splash|0.06|0.02|A stone falls into a pool|view.exposure=1.1 time.step=0.002
TAKES
"$rivulet" scenes | while read -r scene _; do grep "^$scene|" "$work/takes" || true; done >"$work/found"
grep -F -x -f "$work/found" "$work/takes" >"$work/list"
count=$(wc -l <"$work/list")

# Words where ffmpeg can draw them.
font=
ffmpeg -v error -filters 2>/dev/null | grep -q ' drawtext ' && font=yes

n=0
while IFS='|' read -r scene speed before title settings; do
    n=$((n + 1))
    echo "take $n of $count: $scene, $title"
    end=$(awk -v s="$seconds" -v v="$speed" -v b="$before" 'BEGIN { printf "%.4f", b + s * v }')
    set --
    for one in $settings; do set -- "$@" --set "$one"; done
    "$rivulet" run "$scene" --time "$end" --size "$size" --video "$work/$n.mp4" --set view.rate=30 \
        --set "view.speed=$speed" "$@"
    skip=$(awk -v v="$speed" -v b="$before" 'BEGIN { printf "%.3f", b / v }')
    late=$(awk -v s="$seconds" 'BEGIN { printf "%.2f", (s > 1 ? s - 0.4 : s * 0.8) }')
    words="trim=start=$skip,setpts=PTS-STARTPTS"
    [ -z "$font" ] || words="$words,drawtext=text='$title':x=w*0.05:y=h*0.88:fontsize=h*0.042:fontcolor=white@0.95:box=1:boxcolor=black@0.4:boxborderw=$((height / 70 + 1))"
    words="$words,fade=in:d=0.4,fade=out:st=$late:d=0.4" # titles come and go with the picture
    ffmpeg -nostdin -v error -y -i "$work/$n.mp4" -vf "$words" -pix_fmt yuv420p -crf 18 "$work/take$n.mp4"
    ffmpeg -nostdin -v error -y -ss "$(awk -v s="$seconds" 'BEGIN { print 0.6 * s }')" -i "$work/take$n.mp4" \
        -frames:v 1 -vf scale=480:-2 "$work/still$n.png"
    echo "file 'take$n.mp4'" >>"$work/all"
done <"$work/list"

ffmpeg -nostdin -v error -y -f concat -safe 0 -i "$work/all" -c copy -movflags +faststart "$work/film.mp4"
mv "$work/film.mp4" "$out"
ffmpeg -nostdin -v error -y -framerate 1 -i "$work/still%d.png" -frames:v 1 -q:v 4 \
    -vf "tile=3x$(((count + 2) / 3))" "${out%.mp4}.jpg"
echo "$out: $width x $height, $count takes of $seconds s; ${out%.mp4}.jpg shows them"

#!/bin/sh
# The example programs run and say what they should; the program that the README shows compiles and runs.
set -eu
"$BUILD/examples/pour" >pour.txt
cat pour.txt
[ "$(wc -l <"$SOURCE/examples/pour.c")" -lt 60 ] || {
    echo "examples/pour.c has grown past 60 lines"
    exit 1
}
# all that was poured is there at the end: 2 ml/s for 3 s
awk '/ml/ { last = $0 } END { exit last !~ / 6\.00 ml/ }' pour.txt || {
    echo "expected 6.00 ml at the end"
    exit 1
}

"$BUILD/examples/splash" >splash.txt
cat splash.txt
[ "$(wc -l <"$SOURCE/examples/splash.c")" -lt 60 ] || {
    echo "examples/splash.c has grown past 60 lines"
    exit 1
}
# a dam of 2.3 l, all of it to the end; it reaches the far wall, 16 cm from the middle, within a quarter of a second
awk '$1 == "0.60" { last = $0 } $1 == "0.25" { quarter = $9 }
    END { exit !(last ~ / 2\.3[0-9]* l,/ && quarter > 15) }' splash.txt || {
    echo "expected 2.3 l at the end, and the front at the wall after 0.25 s"
    exit 1
}

for name in scene picture ask; do
    [ "$(wc -l <"$SOURCE/examples/$name.c")" -lt 60 ] || {
        echo "examples/$name.c has grown past 60 lines"
        exit 1
    }
done
# the bowl holds what the scene fills it with, and the mesh is one
rm -f bowl.ply picture.png
"$BUILD/examples/scene" bowl bowl.ply >scene.txt
cat scene.txt
grep -q '^bowl: ' scene.txt && grep -q ' 16\.000 ml' scene.txt && head -c 3 bowl.ply | grep -q ply || {
    echo "expected the bowl's 16 ml and a mesh"
    exit 1
}
! "$BUILD/examples/scene" no-such-scene bowl.ply 2>err.txt || { echo "no-such-scene was found"; exit 1; }
grep -q no-such-scene err.txt
"$BUILD/examples/picture" picture.png
head -c 4 picture.png | grep -q PNG || { echo "no picture"; exit 1; }
# what was level leans to the east in the end
"$BUILD/examples/ask" >ask.txt
cat ask.txt
awk '/ s: / { west = $3; east = $8 } END { exit !(NR > 4 && west >= 0 && east > west) }' ask.txt || {
    echo "expected more in the east than in the west at the end"
    exit 1
}

sed -n '/^```c$/,/^```$/p' "$SOURCE/README.md" | grep -v '^```' >readme.c
# shellcheck disable=SC2086
"$CC" -std=c17 -Wall -Wextra -Werror $FLAGS -I"$SOURCE/include" readme.c "$LIBRARY" -lm -pthread -o readme
LD_LIBRARY_PATH=$(dirname "$LIBRARY") ./readme >readme.txt
cat readme.txt
# liquid has run down the ball and stands under its overhang
awk '/mm under the ball/ { depth = $1 } END { exit !(depth > 0) }' readme.txt

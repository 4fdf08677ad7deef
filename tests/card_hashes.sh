#!/bin/sh
# card_hashes.sh RIVULET STEPS [SCENE…]: the hash of shipped scenes of columns after some steps, stepped on the card and
# here. Exit code 1 if any differs. By hand (make card-hashes): with a software driver it takes hours.
rivulet=$1 steps=$2
shift 2
differ=0
[ $# -gt 0 ] || set -- $("$rivulet" scenes | sed -n 's/^ *\([a-z0-9-]*\) .*/\1/p')

hash_of() {
    sed -n 's/.*hash \([0-9a-f]\{16\}\)$/\1/p'
}

for scene in "$@"; do
    there=$("$rivulet" run "$scene" --quiet --steps "$steps" --backend card 2>err.card)
    if [ $? = 2 ] && grep -q "does not run on the card" err.card; then
        continue # no columns
    fi
    there=$(echo "$there" | hash_of)
    here=$("$rivulet" run "$scene" --quiet --steps "$steps" 2>/dev/null | hash_of)
    if [ -n "$here" ] && [ "$here" = "$there" ]; then
        echo "$scene: $here, the same after $steps steps"
    else
        echo "$scene: here ${here:-none}, on the card ${there:-none: $(tail -n 1 err.card)}"
        differ=1
    fi
done
rm -f err.card
exit $differ

#!/bin/sh
# --backend card: shipped scenes have the processor's hash after some steps, without tension and with it; what the card does
# not take is refused in one line.
. "$SOURCE/tests/command.sh"

hash_of() {
    sed -n 's/.*hash \([0-9a-f]\{16\}\)$/\1/p' "$1"
}

# same SCENE OPTION…: the same bits on both.
same() {
    expect 0 run "$@" --quiet
    here=$(hash_of out.txt)
    expect 0 run "$@" --quiet --backend card
    [ -n "$here" ] && [ "$here" = "$(hash_of out.txt)" ] || fail "$*: other bits on the card"
}

# refused SCENE TEXT: in one line.
refused() {
    expect 2 run "$1" --quiet --steps 1 --backend card
    [ "$(wc -l <err.txt)" = 1 ] || fail "$1: not one line: $(cat err.txt)"
    grep -q "$2" err.txt || fail "$1: $(cat err.txt)"
}

for name in bowl cross-passage incline-1cm3 paper-passages paper-surgery paper-three-layers paper-viscosity-0 \
    paper-viscosity-4e-1 paper-viscosity-4e-5 paper-viscosity-4e-6 tank-heavy-ball tank-light-ball tank-throw-thick \
    tank-throw-thin; do
    same $name --steps 2
done
for name in three-layers swe-dam-break; do same $name --steps 1 --set tension.on=false; done
for name in puddle rivulet leaf wet-wall coffee surgery drip paint-drip splash swe-bowl; do same $name --steps 1; done
same tap-and-plate --steps 18 # until the jet has landed
refused glass-merge "glass-merge.yaml:7: solver: glass does not run on the card"

# Flooded passages stay on the card: no substep was worked out here.
expect 0 run cross-passage --quiet --steps 2 --backend card
grep -q "worked out on the CPU" err.txt && fail "worked out here: $(cat err.txt)"

# Pictures, saving, resuming.
expect 0 run paper-viscosity-0 --quiet --steps 4 --backend card --save card.rvs --image card.png --size 64x48
expect 0 run paper-viscosity-0 --quiet --steps 6
whole=$(hash_of out.txt)
expect 0 run paper-viscosity-0 --quiet --resume card.rvs --steps 2 --backend card
[ "$whole" = "$(hash_of out.txt)" ] || fail "a run that was resumed on the card has other bits"
[ -s card.png ] || fail "no picture"

# Dry blocks that liquid has left have no say: a world that was restored, which knows nothing of them, has the same bits.
expect 0 run leaf --quiet --steps 40 --save leaf.rvs
expect 0 run leaf --quiet --steps 41
whole=$(hash_of out.txt)
expect 0 run leaf --quiet --resume leaf.rvs --steps 1
[ "$whole" = "$(hash_of out.txt)" ] || fail "leaf: a run that was resumed has other bits"

expect 0 verify period --quick --backend card
expect 2 verify period --quick --backend gl
expect 0 bench incline-1cm3 --time 0.006 --backend card --json
grep -q '"backend": "card"' out.txt || fail "bench does not say where: $(cat out.txt)"
expect 2 bench --backend card
says err.txt "rivulet bench: --backend card: name scenes, or ask for \`particles\` or \`card\`"
[ "$failures" = 0 ]

#!/bin/sh
# --backend card: every shipped scene of columns that the card takes has the processor's hash after some steps, those that
# it does not take are refused in one line; so are other solvers. Also with tension off, which leaves more of them.
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
    taken=$((taken + 1))
}

taken=0
for file in "$SOURCE"/scenes/*.yaml; do
    case $(basename "$file" .yaml) in
    paper-viscosity-4e-[16] | tank-throw-thick | tank-heavy-ball | surgery* | leaf | coffee-lift) continue ;; # as others
    glass-storm | splat-*) continue ;;                                                            # long to make
    esac
    if "$RIVULET" run "$file" --quiet --steps 1 --backend card >out.txt 2>err.txt; then
        same "$file" --steps 3
    else
        expect 2 run "$file" --quiet --steps 1 --backend card
        [ "$(wc -l <err.txt)" = 1 ] || fail "$file: not one line: $(cat err.txt)"
        grep -q "not on the card yet\|does not run on the card" err.txt || fail "$file: $(cat err.txt)"
    fi
done
[ "$taken" -ge 9 ] || fail "only $taken scenes ran on the card"
for name in passages three-layers swe-dam-break coffee; do same $name --steps 2 --set tension.on=false; done

# What the processor worked out is told.
expect 0 run cross-passage --quiet --steps 2 --backend card
grep -q "of [0-9]* substeps were worked out on the CPU, not on the card: passages were flooded" err.txt ||
    fail "not told: $(cat err.txt)"

# Pictures, saving, resuming.
expect 0 run paper-viscosity-0 --quiet --steps 4 --backend card --save card.rvs --image card.png --size 64x48
expect 0 run paper-viscosity-0 --quiet --steps 6
whole=$(hash_of out.txt)
expect 0 run paper-viscosity-0 --quiet --resume card.rvs --steps 2 --backend card
[ "$whole" = "$(hash_of out.txt)" ] || fail "a run that was resumed on the card has other bits"
[ -s card.png ] || fail "no picture"

expect 0 verify period --quick --backend card
expect 2 verify period --quick --backend gl
expect 0 bench grid-64 --time 0.002 --backend card --json
grep -q '"backend": "card"' out.txt || fail "bench does not say where: $(cat out.txt)"
expect 2 bench --backend card
says err.txt "rivulet bench: --backend card: name scenes, or ask for \`card\`"
[ "$failures" = 0 ]

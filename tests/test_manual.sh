#!/bin/sh
# The manual page and the completions: every subcommand and option of --help is in them, and the shells that are here
# take them.
set -eu
"$RIVULET" --help=man >rivulet.1
"$RIVULET" --help=bash >rivulet.bash
"$RIVULET" --help=zsh >_rivulet
"$RIVULET" --help=fish >rivulet.fish
count=0
for name in scenes params liquids run study view inspect verify bench; do
    "$RIVULET" "$name" --help | grep -o -E '^ +--[a-z-]+' | tr -d ' ' | grep -v -x -e --help | sort -u >options.txt || true
    while read -r option; do
        count=$((count + 1))
        grep -q -- "$(echo "$option" | sed 's/-/\\\\-/g')" rivulet.1 || { echo "$name $option: not in the manual page"; exit 1; }
        for file in rivulet.bash _rivulet; do
            grep -q -- "$option" "$file" || { echo "$name $option: not in $file"; exit 1; }
        done
        grep -q "from $name' -l ${option#--} " rivulet.fish || { echo "$name $option: not in rivulet.fish"; exit 1; }
    done <options.txt
done
[ "$count" -gt 30 ] || { echo "only $count options found"; exit 1; }
"$RIVULET" --help=nonsense >/dev/null 2>&1 && { echo "--help=nonsense was taken"; exit 1; }

if command -v man >/dev/null && command -v groff >/dev/null; then
    said=$(man --warnings -E UTF-8 -l ./rivulet.1 2>&1 >page.txt)
    [ -z "$said" ] || { echo "man says: $said"; exit 1; }
    grep -q -e '--time S' page.txt || { echo "no --time in the page"; exit 1; }
fi

# complete WORDS…: what bash offers for the last word
complete() {
    bash -c '. ./rivulet.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        compopt() { :; }
        _rivulet
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
PATH=$(dirname "$RIVULET"):$PATH
if command -v bash >/dev/null; then
    complete rivulet ru | grep -q -x run
    complete rivulet run cof | grep -q -x coffee
    complete rivulet run coffee --im | grep -q -x -e --image
    complete rivulet run coffee --set liquid.vis | grep -q -x 'liquid.viscosity='
    touch here.csv
    complete rivulet run coffee --stats he | grep -q -x here.csv
fi
! command -v zsh >/dev/null || zsh -n ./_rivulet
! command -v fish >/dev/null || fish -n ./rivulet.fish

#!/bin/sh
# Runs every case of `rivulet verify` and writes docs/validation.md, its plots (docs/images/validation/)
# and their numbers (docs/data/validation/): sh docs/validation.sh build/release/rivulet [CASE…]
# With cases only these are run, and only their sections of the page are written anew.
set -u
rivulet=$1
shift
plots=docs/images/validation
page=docs/validation.md
new=docs/validation.new.md  # beside the page: paths of plots are from there
trap 'rm -f $new $new.all' EXIT
"$rivulet" verify "$@" --plots $plots --markdown $new
status=$?
[ $status -le 1 ] || exit $status

# Sections end in (`case`); those of the new page go where the old ones are, and rows are counted again.
if [ $# -gt 0 ]; then
    awk '
        function key(line) { return match(line, /\(`[^`]*`\)$/) ? substr(line, RSTART, RLENGTH) : "" }
        FNR == 1 { file++; own = "" }
        /^## / { own = key($0); if (file == 2 && own in new) { printf "\n%s", new[own]; skip = 1; next } skip = 0 }
        file == 1 { if (own != "") new[own] = new[own] $0 "\n"; next }
        /^## / { print "" }
        !skip { print }
    ' $new $page | cat -s >$new.all || exit 2
    count=$(awk '/\| yes \|$/ { good++ } /\| \*\*no\*\* \|$/ { bad++ } /\| – \| – \|$/ { told++ }
        END { print good + 0 " rows passed, " bad + 0 " failed, " told + 0 " only inform." }' $new.all)
    sed "s/^[0-9]* rows passed.*/$count/" $new.all >$new
fi
cp $new $page
mkdir -p docs/data/validation
mv -f $plots/*.csv docs/data/validation/
rm -f $plots/*.gp # `rivulet verify --plots` writes them again
[ $status -eq 0 ] || echo "some rows failed; docs/validation.md says which"
exit $status

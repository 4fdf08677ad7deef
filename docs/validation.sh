#!/bin/sh
# Runs every case of `rivulet verify` and writes docs/validation.md, its plots (docs/images/validation/)
# and their numbers (docs/data/validation/): sh docs/validation.sh build/release/rivulet [CASE…]
set -u
rivulet=$1
shift
plots=docs/images/validation
"$rivulet" verify "$@" --plots $plots --markdown docs/validation.md
status=$?
[ $status -le 1 ] || exit $status
mkdir -p docs/data/validation
mv -f $plots/*.csv docs/data/validation/
rm -f $plots/*.gp # `rivulet verify --plots` writes them again
[ $status -eq 0 ] || echo "some rows failed; docs/validation.md says which"
exit $status

#!/bin/sh
# The core neither opens files, nor prints, nor ends the program that uses it, and exports no name
# outside its prefix. Read from the built library itself, so no macro can hide a call.
set -u

symbols=$(mktemp) || exit 1
trap 'rm -f "$symbols"' EXIT
nm -g "$LIBRARY" 2>/dev/null >"$symbols"
grep -q ' T rv_version$' "$symbols" || { echo "no rv_version in $LIBRARY"; exit 1; }

failed=0
# Assertions are left out of a release; elsewhere they are the one way to stop.
calls=$(sed -n 's/^ *U //p' "$symbols" | sed 's/@.*//' | sort -u | grep -E -x \
    '(f?open|creat|fdopen|freopen|mmap|v?f?d?printf|__v?f?printf_chk|f?puts|f?putc|putchar|fwrite|write|perror|_?exit|_Exit|quick_exit|abort|system|popen|fork|execv[ep]*|getenv|setlocale|s?rand|std(in|out|err))(64)?')
[ -z "$calls" ] || { echo "the core calls:" $calls; failed=1; }

names=$(awk '$2 ~ /^[TDBRVWC]$/ { print $3 }' "$symbols" | grep -v -E '^(rv_|__(asan|ubsan|odr))' | sort -u)
[ -z "$names" ] || { echo "names without the prefix rv_:" $names; failed=1; }

# No global variables. Constant tables of pointers lie in .data.rel.ro and are none.
writable=$(nm -g -f sysv "$LIBRARY" 2>/dev/null | tr -d ' ' |
    awk -F'|' '$7 ~ /^(\.data|\.bss|\*COM\*)/ && $7 !~ /^\.data\.rel\.ro/ { print $1 }' |
    grep -v -E '^__(asan|ubsan|odr)' | sort -u)
[ -z "$writable" ] || { echo "global variables:" $writable; failed=1; }
exit $failed

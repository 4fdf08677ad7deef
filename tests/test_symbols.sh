#!/bin/sh
# The core neither opens files, nor prints, nor ends the program that uses it. It and the libraries beside it show
# exactly what their headers mark with RV_API, and no name outside the prefix. Read from the built libraries
# themselves, so no macro can hide a call.
set -u

symbols=$(mktemp) || exit 1
trap 'rm -f "$symbols"' EXIT
nm -g "$LIBRARY" 2>/dev/null >"$symbols"
grep -q ' T rv_version$' "$symbols" || { echo "no rv_version in $LIBRARY"; exit 1; }

failed=0
# Assertions are left out of a release; elsewhere they are the one way to stop.
calls=$(sed -n 's/^ *U //p' "$symbols" | sed 's/@.*//' | sort -u | grep -E -x \
    '(f?open|creat|fdopen|freopen|mmap|v?f?d?printf|__v?f?printf_chk|f?puts|f?putc|putchar|fwrite|write|perror|_?exit|_Exit|quick_exit|abort|system|popen|fork|execv[ep]*|setlocale|s?rand|std(in|out|err))(64)?')
[ -z "$calls" ] || { echo "the core calls:" $calls; failed=1; }

# The environment has no say in what it does, but for RIVULET_ISA, which changes no bit of any result.
asks=$(nm -o -g "$LIBRARY" 2>/dev/null | grep -E ' U (secure_)?getenv(@|$)' | grep -v -E ':isa\.c\.o:' | grep '\.o:')
[ -z "$asks" ] || { echo "asks the environment:" $asks; failed=1; }

names=$(awk '$2 ~ /^[TDBRVWC]$/ { print $3 }' "$symbols" | grep -v -E '^(rv_|__(asan|ubsan|odr))' | sort -u)
[ -z "$names" ] || { echo "names without the prefix rv_:" $names; failed=1; }

# No global variables. Constant tables of pointers lie in .data.rel.ro and are none.
writable=$(nm -g -f sysv "$LIBRARY" 2>/dev/null | tr -d ' ' |
    awk -F'|' '$7 ~ /^(\.data|\.bss|\*COM\*)/ && $7 !~ /^\.data\.rel\.ro/ { print $1 }' |
    grep -v -E '^__(asan|ubsan|odr)' | sort -u)
[ -z "$writable" ] || { echo "global variables:" $writable; failed=1; }

# Functions that the headers of a folder declare.
declared() {
    cat "$SOURCE/include/$1"/*.h | tr '\n' ' ' | grep -o 'RV_API [^;(]*rv_[a-z0-9_]*(' |
        sed 's/.*[^a-z0-9_]\(rv_[a-z0-9_]*\)($/\1/' | sort -u
}

# Names that a library shows. Others are hidden: in an archive they link with its own parts, but not
# out of a shared library that it went into.
shown() {
    readelf -sW "$1" 2>/dev/null |
        awk '($5 == "GLOBAL" || $5 == "WEAK") && $6 == "DEFAULT" && $7 != "UND" { print $8 }' |
        grep -v -E '^(__(asan|ubsan|odr)|_|DW\.)' | sort -u
}

# A function that a header declares and does not mark cannot be linked from a shared library.
unmarked=$(grep -n -E '^[a-z][a-z0-9_ *]*rv_[a-z0-9_]+\(' "$SOURCE"/include/*/*.h |
    grep -v -E ':(static inline|typedef) |:rv_messages_add\(')
[ -z "$unmarked" ] || { echo "declared without RV_API:"; echo "$unmarked"; failed=1; }

for pair in "$LIBRARY:rivulet" "$IO_LIBRARY:rivulet_io" "$GL_LIBRARY:rivulet_gl"; do
    library=${pair%:*} folder=${pair##*:}
    case $library in *.so*) continue ;; esac # with tests, a shared core shows its insides to them
    declared "$folder" >declared.txt
    shown "$library" >shown.txt
    [ "$(wc -l <declared.txt)" -gt 10 ] || { echo "no functions found in include/$folder"; failed=1; }
    diff declared.txt shown.txt >both.txt && continue
    failed=1
    sed -n "s,^< ,$folder: declared and not shown by the library: ,p; s,^> ,$folder: shown and not declared: ,p" both.txt
done

# What io/ and render/ call of the core is public: else they link with its archive and not with its shared library.
declared rivulet >declared.txt
for library in "$IO_LIBRARY" "$GL_LIBRARY"; do
    nm "$library" 2>/dev/null | awk '$1 == "U" && $2 ~ /^rv_/ { print $2 }' | sort -u >called.txt
    nm "$library" 2>/dev/null | awk '$2 ~ /^[TDBRVWC]$/ { print $3 }' | sort -u | cat - declared.txt | sort -u >known.txt
    inside=$(comm -23 called.txt known.txt)
    [ -s called.txt ] || { echo "$library calls nothing of the core"; failed=1; }
    [ -z "$inside" ] || { echo "$library calls what the core does not show:" $inside; failed=1; }
done
exit $failed

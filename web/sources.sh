#!/bin/sh
# Fetches the sources of libraries that must be compiled for the browser, from Debian, into FOLDER:
#     sh web/sources.sh FOLDER
# libyaml reads scenes, zlib unpacks pictures and volumes. Debian's own keys vouch for what comes. A folder
# that has them is left alone; YAML_SOURCE and ZLIB_SOURCE may name folders that are there already.
set -eu
out=$1
[ -f "$out/.done" ] && exit 0
rm -rf "$out"
mkdir -p "$out/lists/partial" "$out/cache/archives/partial" "$out/packages"
out=$(cd "$out" && pwd)

take() { # take NAME FOLDER: from a folder that is there
    cp -R "$2" "$out/$1"
}

fetch() {
    command -v apt-get >/dev/null || {
        echo "rivulet: there is no apt-get here; YAML_SOURCE and ZLIB_SOURCE may name the sources of" >&2
        echo "libyaml 0.2 and zlib 1.2 or newer" >&2
        exit 1
    }
    cat >"$out/debian.sources" <<END
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: bookworm
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
    options="-q -o Dir::Etc::sourcelist=$out/debian.sources -o Dir::Etc::sourceparts=/dev/null
        -o Dir::State::lists=$out/lists -o Dir::Cache=$out/cache -o APT::Sandbox::User=root"
    # shellcheck disable=SC2086
    (cd "$out/packages" && apt-get $options update && apt-get $options source --download-only "$@")
}

wanted=
[ -n "${YAML_SOURCE:-}" ] && take libyaml "$YAML_SOURCE" || wanted="$wanted libyaml"
[ -n "${ZLIB_SOURCE:-}" ] && take zlib "$ZLIB_SOURCE" || wanted="$wanted zlib"
# shellcheck disable=SC2086
[ -z "$wanted" ] || fetch $wanted >"$out/log" 2>&1 || {
    tail -3 "$out/log" >&2
    exit 1
}
for name in $wanted; do
    mkdir "$out/$name"
    tar -xf "$out/packages/$name"_*.orig.tar.* -C "$out/$name" --strip-components=1
done
rm -rf "$out/lists" "$out/cache"
touch "$out/.done"

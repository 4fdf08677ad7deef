#!/bin/sh
# sh cmake/smoke.sh FOLDER [ROOT]: tries the Debian packages in FOLDER, unpacked beside each other; with ROOT, the root of
# a fresh Debian (debootstrap makes one), installed there with apt.
set -eu
packages=$(cd "$1" && pwd)
tries='
rivulet --version
rivulet run bowl --set "grid.dx=2 mm" --steps 5 --quiet --image /tmp/smoke.png
test -s /tmp/smoke.png && rm /tmp/smoke.png
python3 -c "
import rivulet
world = rivulet.World(\"bowl\", {\"grid.dx\": \"2 mm\"})
world.step(0.05)
print(world, world.surface(), world.picture(64, 48).shape)
"'

if [ $# -gt 1 ]; then
    root=$2
    mkdir -p "$root/tmp/packages"
    cp "$packages"/*.deb "$root/tmp/packages/"
    chroot "$root" sh -euc "
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -q >/dev/null
        apt-get install -q -y --no-install-recommends /tmp/packages/*.deb gcc libc6-dev pkgconf libgl1-mesa-dri >/dev/null
        test -s /usr/share/man/man1/rivulet.1 && test -s /usr/share/applications/rivulet.desktop
        $tries
        echo '#include <rivulet/rivulet.h>
              #include <stdio.h>
              int main(void) { puts(rv_version()); }' >/tmp/a.c
        gcc /tmp/a.c \$(pkg-config --cflags --libs rivulet) -o /tmp/a && /tmp/a
        apt-get remove -q -y rivulet librivulet-dev python3-rivulet >/dev/null"
    echo "installed, ran, linked and removed in $root"
    exit 0
fi

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
for package in "$packages"/*.deb; do dpkg-deb -x "$package" "$room"; done
library=$(dirname "$(find "$room/usr/lib" -name 'librivulet.so.*' | head -n 1)")
for name in usr/bin/rivulet usr/share/man/man1/rivulet.1 usr/share/bash-completion/completions/rivulet \
    usr/share/applications/rivulet.desktop usr/include/rivulet/rivulet.h usr/lib/python3/dist-packages/rivulet/__init__.py; do
    [ -s "$room/$name" ] || { echo "no /$name in the packages"; exit 1; }
done
PATH=$room/usr/bin:/usr/bin:/bin LD_LIBRARY_PATH=$library PYTHONPATH=$room/usr/lib/python3/dist-packages \
    RIVULET_SCENES=$room/usr/share/rivulet/scenes sh -euc "$tries"

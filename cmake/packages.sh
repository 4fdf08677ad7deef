#!/bin/sh
# Makes sure that what a goal needs is there: sh cmake/packages.sh GOAL… with the goals below.
#
# A package counts as there when dpkg knows it, or when what it is needed for is found by other means
# (so other systems and hand-made installs work). The rest is installed with apt-get, through sudo where
# needed; where that cannot be done, it is listed and the exit code is 1.
set -u

packages_for() {
    case $1 in
    build)
        echo build-essential cmake ninja-build pkgconf libyaml-dev libzip-dev libstb-dev \
            libassimp-dev libnifti-dev zlib1g-dev libepoxy-dev libegl-dev libglfw3-dev libimgui-dev
        ;;
    demo) echo ffmpeg libegl1 libgles2 libegl-mesa0 libgl1-mesa-dri ;;
    test) echo libcmocka-dev clang xvfb gnuplot-nox ;;
    plots) echo gnuplot-nox ;;
    python) echo python3-dev python3-numpy python3-setuptools python3-wheel python3-pip ;;
    blender) echo blender ;;
    mpi) echo openmpi-bin libopenmpi-dev ;;
    package) echo dpkg-dev fakeroot python3-dev python3-numpy ;;
    web) echo build-essential cmake ninja-build emscripten nodejs libstb-dev ;;
    browser) echo chromium nodejs npm ;;
    fuzz) echo clang libclang-rt-dev ;;
    format) echo clang-format ;;
    tidy) echo clang-tidy ;;
    *) echo "packages.sh: no such goal: $1" >&2 && exit 1 ;;
    esac
}

library() { pkg-config --exists "$1" 2>/dev/null; }
header() { echo "#include <$1>" | cc -E - >/dev/null 2>&1; }
links_fuzzer() {
    echo "int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }" |
        clang -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null
}
shared() { { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | grep -q "$1"; }
tool() { command -v "$1" >/dev/null 2>&1; }

# Is what the package is for there, without dpkg's word?
found() {
    case $1 in
    build-essential) tool cc ;;
    ninja-build) tool ninja ;;
    pkgconf) tool pkg-config ;;
    libyaml-dev) library yaml-0.1 ;;
    libzip-dev) library libzip ;;
    libstb-dev) header stb/stb_image_write.h ;;
    libassimp-dev) library assimp ;;
    libnifti-dev) header nifti/nifti2.h ;;
    zlib1g-dev) library zlib ;;
    libepoxy-dev) library epoxy ;;
    libegl-dev) library egl ;;
    libglfw3-dev) library glfw3 ;;
    libimgui-dev) library imgui ;;
    libegl1) shared libEGL.so.1 ;;
    libgles2) shared libGLESv2.so.2 ;;
    libegl-mesa0) ls /usr/share/glvnd/egl_vendor.d/*.json >/dev/null 2>&1 ;; # any vendor's driver
    libgl1-mesa-dri) ls /usr/share/glvnd/egl_vendor.d/*.json >/dev/null 2>&1 ;;
    xvfb) tool Xvfb ;;
    gnuplot-nox) tool gnuplot ;;
    emscripten) tool emcc ;;
    nodejs) tool node ;;
    python3-dev) header "$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)/Python.h" ;;
    python3-numpy) python3 -c 'import numpy' 2>/dev/null ;;
    python3-setuptools) python3 -c 'import setuptools' 2>/dev/null ;;
    python3-wheel) python3 -c 'import wheel' 2>/dev/null ;;
    python3-pip) python3 -c 'import pip' 2>/dev/null ;;
    openmpi-bin) tool mpirun ;;
    libopenmpi-dev) tool mpicc ;;
    dpkg-dev) tool dpkg-shlibdeps ;;
    libcmocka-dev) library cmocka ;;
    libclang-rt-dev) links_fuzzer ;;
    *) tool "$1" ;;
    esac
}

installed() {
    case " $known " in *" $1 "*) return 0 ;; esac
    found "$1"
}

wanted=
for goal in "$@"; do
    more=$(packages_for "$goal") || exit 1
    wanted="$wanted $more"
done

known=
if tool dpkg-query; then
    # shellcheck disable=SC2086
    known=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
        sed -n 's/^installed //p' | tr '\n' ' ')
fi
missing=
for package in $wanted; do
    installed "$package" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

give_up() {
    [ "$missing" = " ninja-build" ] && exit 0 # it is faster with Ninja, but goes without
    echo "rivulet: $1 These are missing (Debian's names):" >&2
    for package in $missing; do echo "    $package" >&2; done
    if tool apt-get; then
        echo "Ask an administrator to run: apt-get install$missing" >&2
    fi
    exit 1
}

tool apt-get || give_up "there is no apt-get here to install packages with."
as_root=
if [ "$(id -u)" -ne 0 ]; then
    tool sudo || give_up "packages cannot be installed without root or sudo."
    as_root="sudo"
    [ -t 0 ] || as_root="sudo -n"
fi

echo "rivulet: installing$missing"
# A failing update may concern a source that is not needed here; the install decides.
$as_root apt-get update -q || echo "rivulet: apt-get update failed; trying to install all the same" >&2
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing ||
    give_up "apt-get could not install what is needed."

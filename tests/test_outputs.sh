#!/bin/sh
# Outputs that cannot be written: full disks, encoders that lie, names that no file can have, pipes, devices and links.
# What can be told before a run is told then, with exit code 2; what fails on the way costs that file alone, is told,
# and gives exit code 1; a good older file stays until a whole new one takes its place.
. "$SOURCE/tests/command.sh"

hash_of() {
    sed -n 's/.*hash \([0-9a-f]\{16\}\)$/\1/p' "$1"
}

# no_parts: nothing half-written is left behind.
no_parts() {
    leftovers=$(find . -name '*.part*')
    [ -z "$leftovers" ] || fail "left behind: $leftovers"
}

# ---- names that cannot be
long=$(printf '%0260d' 0)
for option in stats:csv state:npz mesh:ply terrain:ply save:snap image:png video:mp4; do
    name=${option%:*} extension=${option#*:}
    expect 2 run "$tray" --steps 1 "--$name" ""
    says err.txt "--$name: the name of the file is empty"
    expect 2 run "$tray" --steps 1 "--$name" "$long.$extension"
    says err.txt "--$name $long.$extension: File name too long"
    mkdir -p "folder.$extension"
    expect 2 run "$tray" --steps 1 "--$name" "folder.$extension"
    says err.txt "--$name folder.$extension: is a folder"
done
stem=$(printf '%0248d' 0)
expect 2 run "$tray" --steps 1 --image "$stem%d.png" --size 16x16
says err.txt "--image ${stem}9999.png: File name too long"
# as long as a name may be: the temporary one beside it is no longer
stem=$(printf '%0250d' 0)
expect 0 run "$tray" --steps 1 --save "$stem.snap"
[ -s "$stem.snap" ] || fail "no file with a long name"
ln -s nowhere/a.snap lost.snap
expect 2 run "$tray" --steps 1 --save lost.snap
says err.txt "--save lost.snap: there is no folder 'nowhere'"

# ---- links are followed, also where there is no file yet; what is no regular file is neither replaced nor filled
mkdir -p target
ln -s target/new.snap new.snap
ln -s target/old.csv old.csv
echo old >target/old.csv
expect 0 run "$tray" --steps 1 --save new.snap --stats old.csv
[ -L new.snap ] && [ -s target/new.snap ] || fail "a link to a new file was replaced"
[ -L old.csv ] && [ "$(wc -l <target/old.csv)" = 2 ] || fail "a link to a file was replaced"
mkfifo film.mp4 state.npz
expect 2 run "$tray" --steps 1 --video film.mp4 --state state.npz
says err.txt "--video film.mp4: is a pipe or device; only a regular file can be this"
says err.txt "--state state.npz: is a pipe or device; only a regular file can be this"
expect 2 run "$tray" --steps 1 --video /dev/null
says err.txt "--video /dev/null: is a pipe or device; only a regular file can be this"
[ -p film.mp4 ] && [ -c /dev/null ] || fail "a pipe or device was replaced"

# ---- no two outputs in one file, and none in place of what the scene is read from, whatever it is called
expect 2 run "$tray" --steps 1 --mesh same.ply --terrain ./same.ply
says err.txt "./same.ply: two outputs have this name"
ln -s same.ply also.ply
expect 2 run "$tray" --steps 1 --mesh "$PWD/same.ply" --terrain also.ply
says err.txt "also.ply: two outputs have this name"
expect 2 run "$tray" --steps 1 --image 'p%02d.png' --mesh m.ply --terrain ../work/m.ply
cp "$data/inspect-cube.obj" part.obj
printf 'grid: {nx: 8, ny: 8, dx: 1}\nsolids: [{shape: mesh, file: part.obj}]\n' >own.yaml
ln -s own.yaml linked.yaml
expect 2 run own.yaml --steps 1 --save ./own.yaml
says err.txt "./own.yaml: only a scene is named like this"
cp own.yaml own
expect 2 run ./own --steps 1 --save own
says err.txt "own: the scene is read from this file"
expect 2 run linked.yaml --steps 1 --mesh "$PWD/part.obj"
says err.txt "$PWD/part.obj: the scene is read from this file"
cmp -s part.obj "$data/inspect-cube.obj" && [ -s own.yaml ] || fail "a run wrote over what it reads"

# ---- what fails on the way costs that file alone
expect 0 run "$tray" --steps 20 --threads 1
whole=$(hash_of out.txt)
mkdir -p shut/f001.png
expect 1 run "$tray" --steps 20 --image 'shut/f%03d.png' --size 32x24 --set view.rate=50 --stats rest.csv --save rest.snap
says err.txt "shut/f001.png: Is a directory"
says err.txt "the run goes on without it"
[ "$(hash_of out.txt)" = "$whole" ] || fail "the run did not go on: $(cat out.txt)"
[ -s shut/f000.png ] && [ -s shut/f005.png ] || fail "the other pictures: $(ls shut)"
[ "$(wc -l <rest.csv)" = 21 ] && [ -s rest.snap ] || fail "the other outputs are gone"
mkdir -p shut/m002.ply shut/m003.ply
expect 1 run "$tray" --steps 20 --mesh 'shut/m%03d.ply' --set view.rate=50 --state rest.npz
says err.txt "shut/m002.ply: Is a directory"
says err.txt "2 outputs on the way could not be written"
[ -s shut/m005.ply ] && [ -s rest.npz ] || fail "the other meshes: $(ls shut)"
expect 1 run "$tray" --steps 20 --image 'shut/f%03d.png' --size 32x24 --mesh 'shut/m%03d.ply' --set view.rate=50
says err.txt "3 outputs on the way could not be written"

# ---- full disks, as a limit on the size of files that every kind of output meets
cp rest.snap kept.snap
for option in stats:csv state:npz state:csv mesh:glb terrain:obj save:snap image:png; do
    name=${option%:*} extension=${option#*:}
    echo "good" >"old.$extension"
    (
        ulimit -f 1 # 512 bytes
        "$RIVULET" run "$tray" --steps 5 "--$name" "old.$extension" --size 256x192 2>&1
        echo "exit $?"
    ) | cat >told.txt
    grep -qx 'exit 1' told.txt && grep -q "old.$extension: " told.txt || fail "--$name on a full disk: $(cat told.txt)"
    [ "$(cat "old.$extension")" = good ] || fail "--$name on a full disk: the old file is gone"
    grep -q 'hash' told.txt || fail "--$name on a full disk: no last line: $(cat told.txt)"
done
# a snapshot on the way: the old one stays, and so do the rest
cp kept.snap way.snap
(
    ulimit -f 2
    "$RIVULET" run "$tray" --steps 20 --save way.snap --save-every 0.02 --stats way.csv 2>&1
    echo "exit $?"
) | cat >told.txt
grep -qx 'exit 1' told.txt && cmp -s kept.snap way.snap || fail "snapshots on a full disk: $(cat told.txt)"
no_parts

# ---- films: what the encoder says and what it wrote both count
if command -v ffmpeg >/dev/null; then
    expect 0 run "$tray" --steps 20 --video good.mp4 --size 64x48
    cp good.mp4 kept.mp4
    # as ffmpeg does on a full disk: a film that is cut short, exit code 0
    mkdir -p lying silent
    cat >lying/ffmpeg <<'LIES'
#!/bin/sh
for last; do :; done
cat >/dev/null
head -c 700 kept.mp4 >"${last#file:}"
echo "[out#0/mp4 @ 0x1] Error writing trailer: No space left on device" >&2
LIES
    sed '/Error writing/d' lying/ffmpeg >silent/ffmpeg
    chmod +x lying/ffmpeg silent/ffmpeg
    before=$PATH
    PATH=$PWD/lying:$before
    expect 1 run "$tray" --steps 20 --video good.mp4 --size 64x48 --save film.snap
    says err.txt "good.mp4: ffmpeg failed: [out#0/mp4 @ 0x1] Error writing trailer: No space left on device"
    [ -s film.snap ] || fail "a film that failed cost a snapshot"
    # the last line of an encoder that could not begin says nothing
    sed -i '/Error writing/s/$/\necho "Error initializing output stream 0:0 -- " >\&2/' lying/ffmpeg
    expect 1 run "$tray" --steps 20 --video good.mp4 --size 64x48
    says err.txt "good.mp4: ffmpeg failed: [out#0/mp4 @ 0x1] Error writing trailer: No space left on device"
    PATH=$PWD/silent:$before
    expect 1 run "$tray" --steps 20 --video good.mp4 --size 64x48
    says err.txt "good.mp4: the film is cut short"
    # whole, but of fewer pictures
    sed 's/head -c 700 kept.mp4/cat few.mp4/' silent/ffmpeg >silent/other && mv silent/other silent/ffmpeg
    chmod +x silent/ffmpeg
    PATH=$before
    expect 0 run "$tray" --steps 1 --video few.mp4 --size 64x48
    PATH=$PWD/silent:$before
    expect 1 run "$tray" --steps 20 --video good.mp4 --size 64x48
    grep -q '^good.mp4: the film has 1 of its [0-9]* pictures$' err.txt || fail "a film of one picture: $(cat err.txt)"
    PATH=$before
    cmp -s good.mp4 kept.mp4 || fail "a good film was replaced by a broken one"
    # the encoder itself meets the limit
    (
        ulimit -f 2
        "$RIVULET" run "$tray" --steps 20 --video good.mp4 --size 256x192 2>&1
        echo "exit $?"
    ) | cat >told.txt
    grep -qx 'exit 1' told.txt && grep -q '^good.mp4: ' told.txt || fail "a film on a full disk: $(cat told.txt)"
    cmp -s good.mp4 kept.mp4 || fail "a film on a full disk took the place of a good one"
    ln -s target/link.mp4 link.mp4
    expect 0 run "$tray" --steps 1 --video link.mp4 --size 64x48
    [ -L link.mp4 ] && [ -s target/link.mp4 ] || fail "--video replaced a link"
    expect 0 run "$tray" --steps 1 --video 'a:b.mp4' --size 64x48
    [ -s 'a:b.mp4' ] || fail "no film with a colon in its name"
fi
no_parts

[ $failures = 0 ]

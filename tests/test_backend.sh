#!/bin/sh
# --backend gl: the same liquid as on the CPU, twice the same, drawn and saved; and what it cannot do is told in one line.
. "$SOURCE/tests/command.sh"

cat >pool.yaml <<'END'
solver: splat
grid: {nx: 32, ny: 1, dx: 1 cm, bottom: 0, top: 24 cm}
time: {step: 2 ms, end: 40 ms}
splat: {form: 2d, method: wide, particles: 2000}
fills:
  - {kind: level, from: -16 -1 -1 cm, to: 4 1 1 cm, level: 12 cm}
END

hash_of() {
    sed -n 's/.*hash \([0-9a-f]\{16\}\)$/\1/p' "$1"
}

# Mean of a column of a state file, by its name.
mean_of() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        { sum += $c; n++ } END { printf "%.6f %d\n", sum / n, n }' "$1"
}

expect 0 run pool.yaml --quiet --state cpu.csv
expect 0 run pool.yaml --quiet --backend cpu --state again.csv
cmp -s cpu.csv again.csv || fail "--backend cpu is not the default"
expect 0 run pool.yaml --quiet --backend gl --state gl.csv --image gl.png --size 64x48 --save gl.rvs
once=$(hash_of out.txt)
expect 0 run pool.yaml --quiet --backend gl
[ -n "$once" ] && [ "$once" = "$(hash_of out.txt)" ] || fail "two runs on the card differ"
[ -s gl.png ] || fail "no picture"
for name in x z; do
    cpu=$(mean_of cpu.csv $name) gl=$(mean_of gl.csv $name)
    echo "$cpu $gl" | awk '{ d = $1 - $3; exit !($2 > 400 && $2 == $4 && d * d < 1e-8) }' ||
        fail "mean $name: $cpu on the CPU, $gl on the card"
done
# What was saved on the card goes on on the CPU.
expect 0 run pool.yaml --quiet --resume gl.rvs --time 0.05

expect 2 run "$tray" --backend gl
says err.txt "--backend gl: only solver splat has one"
expect 2 run pool.yaml --backend gl --set splat.method=narrow
says err.txt "--backend gl: has splat.method wide only; add --set splat.method=wide"
expect 2 run pool.yaml --backend cuda
says err.txt "rivulet run: --backend cuda: there are cpu, card, gl and gl-half"
expect 2 bench "$tray" --backend gl
says err.txt "rivulet bench: --backend gl: only \`particles\` are timed with it"

[ "$failures" = 0 ]

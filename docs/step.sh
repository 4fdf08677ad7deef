#!/bin/sh
# Plots the step over the number of cells that divide one domain, as the pipes paper's Fig. 16:
# sh docs/step.sh RIVULET OUT.svg
#
# The bowl on grids of 25 to 400 cells a side, all equally wide; the step is the mean substep that stability asks for,
# without surface tension, by the law of the paper and by ours. The table is printed as well.
set -eu
rivulet=$1 out=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for law in cell wet; do
    for cells in 25 50 100 200 400; do
        dx=$(awk -v n="$cells" 'BEGIN { printf "%.9g", 0.1 / n }')
        "$rivulet" run bowl --time 0.5 --set time.step=0.1 --set tension.on=false --set "grid.nx=$cells" --set "grid.ny=$cells" --set "grid.dx=$dx" \
            --set "pipes.area=$law" --stats "$work/stats.csv" --quiet >/dev/null
        awk -F, -v law="$law" -v n="$cells" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { time = $at["time"]; steps += $at["substeps"] }
            END { printf "%s %d %.4f\n", law, n, 1e3 * time / steps }' "$work/stats.csv" >>"$work/points"
    done
done
awk '{ printf "%s: %d cells, a step of %.3f ms, times cells %.1f\n", $1, $2, $3, $2 * $3 }' "$work/points"

# Logarithms on both axes: a step that is inverse to the number of cells is a straight line down.
awk 'function x(n) { return 60 + 400 * log(n / 20) / log(25) }
    function y(ms) { return 260 - 230 * log(ms / 0.2) / log(100) }
    { law[NR] = $1; n[NR] = $2; ms[NR] = $3 }
    END {
        print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 480 310\" font-family=\"sans-serif\" font-size=\"12\">"
        print "<rect width=\"480\" height=\"310\" fill=\"white\"/>"
        print "<path d=\"M60 30V260H460\" fill=\"none\" stroke=\"#444\"/>"
        for (c = 25; c <= 400; c *= 2) printf "<text x=\"%.1f\" y=\"277\" text-anchor=\"middle\">%d</text>\n", x(c), c
        for (m = 0.5; m < 11; m += m < 1 ? 0.5 : m < 5 ? 4 : 5) printf "<text x=\"54\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", y(m) + 4, m
        print "<text x=\"260\" y=\"300\" text-anchor=\"middle\">cells along the domain</text>"
        print "<text x=\"60\" y=\"20\">step, ms</text>"
        printf "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#999\" stroke-dasharray=\"4 4\"/>\n", x(25), y(ms[6]), x(400), y(ms[6] / 16)
        printf "<text x=\"%.1f\" y=\"%.1f\" fill=\"#777\">inverse to the number</text>\n", x(50), y(ms[6] / 8)
        for (i = 1; i <= NR; i++) {
            colour = law[i] == "cell" ? "#c0392b" : "#2471a3"
            if (law[i] == law[i - 1])
                printf "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", x(n[i - 1]), y(ms[i - 1]), x(n[i]), y(ms[i]), colour
            printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x(n[i]), y(ms[i]), colour
        }
        print "<text x=\"380\" y=\"40\" fill=\"#c0392b\">area cell</text><text x=\"380\" y=\"58\" fill=\"#2471a3\">area wet</text>"
        print "</svg>"
    }' "$work/points" >"$out"

"""Many worlds on all cores: how far a spill of 2 ml runs down an incline, over viscosity and slope."""
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import rivulet

viscosities, slopes = np.geomspace(1e-6, 1e-3, 6), np.radians([5, 10, 20, 30])
dx, nx, ny = 0.002, 150, 50


def run(case):
    viscosity, slope = case
    down = -np.tan(slope) * dx * np.arange(nx)
    # one thread each: the worlds run side by side, because a step releases Python's lock
    with rivulet.World(heights=np.tile(down, (ny, 1)), dx=dx, threads=1,
                       settings={"liquid.viscosity": viscosity, "border.east": "open"}) as world:
        start = 0.02 - 0.5 * nx * dx
        world.pour((start, 0, 0.01), radius=0.008, volume=2e-6)
        world.step(1.0)
        wet = (world.depth() > 1e-4).any(axis=0)
        front = np.flatnonzero(wet)[-1] if wet.any() else nx
        return ((front + 0.5) * dx - 0.02) / np.cos(slope)  # along the slope


cases = [(v, s) for s in slopes for v in viscosities]
with ThreadPoolExecutor(os.cpu_count()) as pool:
    reach = np.array(list(rivulet.Progress(pool.map(run, cases)))).reshape(len(slopes), len(viscosities))

print("slope   " + "".join(f"{v:9.1e}" for v in viscosities) + "  m2/s")
for slope, row in zip(slopes, reach):
    print(f"{np.degrees(slope):3.0f} deg " + "".join(f"{1e3 * r:9.0f}" for r in row) + "  mm")
assert (np.diff(reach, axis=1) <= dx).all(), "what is thicker does not run further"

if len(sys.argv) > 1:  # python3 study.py study.png
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(6, 3.6))
    axes.semilogx(viscosities, 1e3 * reach.T, "o-")
    axes.set(xlabel="viscosity, m²/s", ylabel="run in 1 s, mm")
    axes.legend([f"{d:.0f}°" for d in np.degrees(slopes)])
    figure.savefig(sys.argv[1], dpi=110, bbox_inches="tight")

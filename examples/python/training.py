"""Training data as arrays: before and after pairs of depth and velocity over random beds, as one .npz."""
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import rivulet

n, dx, steps, worlds = 64, 0.001, 8, 12


def bed(rng):
    y, x = np.mgrid[0:n, 0:n] / n
    bumps = sum(rng.uniform(-2e-3, 2e-3) * np.exp(-((x - rng.uniform()) ** 2 + (y - rng.uniform()) ** 2) / 0.02) for _ in range(8))
    return bumps + rng.uniform(-0.2, 0.2) * (x - 0.5) * n * dx + rng.uniform(-0.2, 0.2) * (y - 0.5) * n * dx


def frame(world):
    """Depth and mean velocity over the grid, (3, n, n)."""
    columns = world.columns()
    out = np.zeros((3, n, n), np.float32)
    out[:, columns.y, columns.x] = columns.depth, columns.u, columns.v
    return out


def run(seed):
    rng = np.random.default_rng(seed)
    heights = bed(rng).astype(np.float32)
    viscosity = 10 ** rng.uniform(-6, -4)
    with rivulet.World(heights=heights, dx=dx, threads=1, settings={"liquid.viscosity": viscosity, "seed": seed}) as world:
        world.pour((*rng.uniform(-0.015, 0.015, 2), 0.05), radius=0.006, volume=rng.uniform(2e-7, 1e-6))
        frames = [frame(world)]
        for _ in range(steps):
            world.step(0.04)
            frames.append(frame(world))
    return heights, np.float32(viscosity), np.stack(frames)


with ThreadPoolExecutor() as pool:
    beds, viscosities, frames = map(np.stack, zip(*rivulet.Progress(pool.map(run, range(worlds)))))
path = sys.argv[1] if len(sys.argv) > 1 else "training.npz"
np.savez_compressed(path, bed=beds, viscosity=viscosities, before=frames[:, :-1], after=frames[:, 1:], dx=dx, dt=0.04)
print(f"{path}: {worlds * steps} pairs of {frames.shape[2:]}")
volume = frames[:, :, 0].sum(axis=(2, 3), dtype=float) * dx * dx
assert np.allclose(volume[:, 0], volume[:, -1], rtol=1e-5), "every world keeps its volume"

if len(sys.argv) > 2:  # a sheet of some: python3 training.py out.npz sheet.png
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(3, 4, figsize=(7, 5.4))
    for row, seed in zip(axes, (0, 1, 2)):
        images = (beds[seed], *frames[seed, [0, 3, 8], 0])
        for axis, image, colours in zip(row, images, ("terrain", "Blues", "Blues", "Blues")):
            axis.imshow(image, origin="lower", cmap=colours)
            axis.set_axis_off()
    for axis, title in zip(axes[0], ("bed", "0 s", "0.12 s", "0.32 s")):
        axis.set_title(title)
    figure.savefig(sys.argv[2], dpi=100, bbox_inches="tight")

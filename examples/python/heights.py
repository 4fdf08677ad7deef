"""A height map of one's own: hills from noise, rain on them, where it gathers, and a picture."""
import sys

import numpy as np
import rivulet

rng = np.random.default_rng(7)
n, dx = 160, 0.002
k = np.hypot(*np.meshgrid(np.fft.fftfreq(n), np.fft.fftfreq(n)))
k[0, 0] = 1
hills = np.fft.ifft2(np.fft.fft2(rng.standard_normal((n, n))) * k**-2.2).real
hills *= 0.03 / np.ptp(hills)

world = rivulet.World(heights=hills, dx=dx,
                      settings={"liquid.tension": 0, "liquid.look": "water", "view.material": "ceramic",
                                "view.elevation": "55 deg"})
for x, y in rng.uniform(-0.15, 0.15, (60, 2)):  # rain in sixty places
    world.sources.add(at=(x, y, 0.1), radius=0.006, rate="0.4 ml/s", stop=3)
world.step(6, progress=True)

depth = world.depth()
pools = depth > 0.001
print(f"{1e6 * world.volume:.1f} ml, {100 * pools.mean():.1f}% under more than a millimetre, deepest {1e3 * depth.max():.1f} mm")
assert abs(world.volume - 60 * 0.4e-6 * 3) < 1e-9
assert hills[pools].mean() < hills.mean() - 0.002, "water stands in valleys"
rivulet.write_picture(sys.argv[1] if len(sys.argv) > 1 else "heights.png", world.picture(800, 520))

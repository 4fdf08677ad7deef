"""A viscous drop spreads on a plane, against theory: its radius grows as 0.894 (g V^3 / 3 nu)^(1/8) t^(1/8)."""
import sys

import numpy as np
import rivulet

V, nu, dx = 1e-6, 1e-3, 0.0005  # m3, m2/s, m
world = rivulet.World(heights=np.zeros((160, 160)), dx=dx, settings={"liquid.viscosity": nu, "liquid.tension": 0})
world.pour((0, 0, 0.02), radius=0.006, volume=V)

times, radii, exact = [], [], []
for _ in rivulet.Progress(range(30)):
    world.step(0.2)
    depth = world.depth()
    rim = depth > 0.02 * depth.max()
    times.append(world.time)
    radii.append(np.sqrt(rim.sum() * dx * dx / np.pi))  # of a disk of the same area
    exact.append(0.894 * (9.81 * V**3 / (3 * nu) * world.time) ** 0.125)

print(f"after {times[-1]:.1f} s: {1e3 * radii[-1]:.2f} mm, theory {1e3 * exact[-1]:.2f} mm, "
      f"{100 * abs(radii[-1] / exact[-1] - 1):.1f}% off")
assert abs(radii[-1] / exact[-1] - 1) < 0.05

if len(sys.argv) > 1:  # a plot: python3 drop.py drop.png
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(6, 3.6))
    axes.plot(times, 1e3 * np.array(radii), "o", times, 1e3 * np.array(exact), "-")
    axes.set(xlabel="time, s", ylabel="radius, mm", title="1 ml of 1000 cSt on a plane")
    axes.legend(["rivulet", "theory"])
    figure.savefig(sys.argv[1], dpi=110, bbox_inches="tight")

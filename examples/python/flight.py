"""A camera flies around a spill of coffee while it spreads: a film, and its last picture."""
import sys

import numpy as np
import rivulet

path = sys.argv[1] if len(sys.argv) > 1 else "flight.mp4"
seconds, rate = (float(sys.argv[2]) if len(sys.argv) > 2 else 3.0), 15
size = (480, 320)
world = rivulet.World("coffee", {"grid.dx": "1.5 mm", "tension.on": False})
begin = world.params.view.azimuth

with rivulet.Film(path, rate) as film:
    for share in rivulet.Progress(np.linspace(0, 1, round(seconds * rate))):
        world.step(1 / rate)
        ease = share * share * (3 - 2 * share)  # slow at both ends
        picture = world.picture(*size, azimuth=begin + 1.8 * ease, elevation=0.35 + 0.4 * ease, zoom=1.2 + 1.2 * ease)
        film.push(picture)
rivulet.write_picture(path.replace(".mp4", ".png"), picture)
print(f"{path}: {film.frames} pictures, {world.time:.2f} s")

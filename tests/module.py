"""The Python module, tried as its users will: python3 tests/module.py, with the module on PYTHONPATH."""
import ast
import gc
import io
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.mock
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import rivulet

SOURCE = os.environ.get("SOURCE", os.path.join(os.path.dirname(__file__), ".."))


def tray(**settings):
    """A flat bed of 40 x 30 cells with water poured on it."""
    given = {"liquid.tension": 0, **settings}
    world = rivulet.World(heights=np.zeros((30, 40)), dx=0.001, settings=given, threads=1)
    world.pour((0, 0, 0.01), radius=0.004, volume=1e-7)
    return world


def splash():
    return rivulet.World({"solver": "splat", "grid": {"nx": 24, "ny": 24, "dx": 0.01, "top": 0.24},
                          "emitters": [{"kind": "drop", "at": [0, 0, 0.1], "radius": 0.05},
                                       {"kind": "jet", "at": [0.05, 0, 0.2], "velocity": [0, 0, -1], "radius": 0.03}]},
                         threads=2)


BOX = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) * 0.01
SIDES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
         [1, 5, 7], [1, 7, 3]]


class Making(unittest.TestCase):
    def test_script_of_the_page(self):
        text = """
import rivulet, numpy as np
world = rivulet.World("coffee", {"grid.dx": "4 mm"}, threads=2)
world.step(0.1)
world.pour((0, 0, 0.05), radius=0.004, volume=3e-6)
print(world.time, world.volume, world.hash, world.params["liquid.viscosity"])
surface = world.surface()
columns = world.columns()
picture = world.picture(640, 400)
assert surface.vertices.shape[1] == surface.triangles.shape[1] == surface.normals.shape[1] == 3
assert picture.shape == (400, 640, 4) and picture.dtype == np.uint8
for name in "x y layer base max depth level u v".split():
    assert len(getattr(columns, name)) == len(columns) > 100
"""
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2e-06", done.stdout)

    def test_same_as_the_command(self):
        with tempfile.TemporaryDirectory() as room:
            file = os.path.join(room, "state.npz")
            done = subprocess.run([os.environ["RIVULET"], "run", "bowl", "--steps", "20", "--set", "grid.dx=2 mm",
                                   "--state", file, "--quiet"], capture_output=True, text=True, check=True)
            world = rivulet.World("bowl", {"grid.dx": "2 mm"})
            world.step(20 * world.params.time.step)
            self.assertIn("hash " + world.hash, done.stdout)
            columns = world.columns()
            with np.load(file) as state:
                for name in columns:
                    np.testing.assert_array_equal(state[name], columns[name], name)
            self.assertEqual(rivulet.World("bowl", {"grid": {"dx": "2 mm"}}, threads=1).hash,
                             rivulet.World("bowl", {"grid.dx": 0.002}, threads=3).hash)

    def test_meshes_have_drops_on_solids(self):
        with tempfile.TemporaryDirectory() as room:
            theirs, ours = os.path.join(room, "command.ply"), os.path.join(room, "module.ply")
            subprocess.run([os.environ["RIVULET"], "run", "bottle-sweat", "--steps", "3", "--set", "grid.dx=4 mm",
                            "--mesh", theirs, "--quiet"], capture_output=True, check=True)
            world = rivulet.World("bottle-sweat", {"grid.dx": "4 mm"})
            world.step(3 * world.params.time.step)
            world.write_mesh(ours)
            self.assertGreater(world.stats.dew_drops, 10)
            with open(theirs, "rb") as a, open(ours, "rb") as b:
                self.assertEqual(a.read(), b.read())

    def test_heights(self):
        y, x = np.mgrid[0:40, 0:60]
        bed = 0.002 * np.hypot(x - 30, y - 20)
        world = rivulet.World(heights=bed, dx=0.002, settings={"liquid.tension": 0})
        self.assertAlmostEqual(world.pour((0, 0, 0.05), 0.01, 2e-6), 2e-6, 12)
        world.step(1.0)
        depth = world.depth()
        self.assertEqual(depth.shape, bed.shape)
        self.assertLess(np.hypot(*(np.array(np.unravel_index(depth.argmax(), depth.shape)) - (20, 30))), 3)
        self.assertAlmostEqual(float(depth.astype(float).sum()) * 0.002**2, world.volume, 11)
        level = world.map("level")
        np.testing.assert_allclose(level[20, 30], bed[20, 30] + depth[20, 30], rtol=1e-5)
        self.assertTrue(np.isfinite(level).all() and np.isnan(world.map("level", layer=1)).all())
        with self.assertRaises(TypeError):
            rivulet.World(heights=bed)

    def test_triangles(self):
        world = rivulet.World(vertices=BOX, triangles=SIDES, dx=0.001)
        self.assertAlmostEqual(world.sample([0, 0, 0.02]).base[()], 0.01, 4)
        np.testing.assert_allclose(world.distance([[0, 0, 0.006], [0, 0, 0.012]]), [-0.004, 0.002], atol=2e-4)
        terrain = world.terrain()
        self.assertEqual(terrain.vertices[terrain.triangles].shape, (len(terrain.triangles), 3, 3))
        shape = rivulet.form(BOX, SIDES)
        self.assertTrue(shape.report["closed"])
        two = rivulet.World({"grid": {"nx": 40, "ny": 40, "dx": 0.001},
                             "solids": [{"form": shape, "at": [0, 0, 0.01], "mover": 1},
                                        {"shape": "mesh", "vertices": BOX / 2, "triangles": SIDES, "at": [0.015, 0, 0]}]})
        self.assertAlmostEqual(two.sample([0, 0, 0.03]).base[()], 0.02, 4)
        report = two.move(1, shift=(0, 0, 0.01))
        self.assertGreater(report.changed, 100)
        self.assertAlmostEqual(two.sample([0, 0, 0.04]).base[()], 0.03, 4)

    def test_volumes_and_maps(self):
        z, y, x = np.mgrid[-10:11, -10:11, -10:11]
        ball = rivulet.form(volume=(8 - np.sqrt(x**2 + y**2 + z**2)), threshold=0, first=(-0.01,) * 3, step=(0.001,) * 3)
        bed = rivulet.form(heights=np.full((4, 6), 0.005), size=(0.06, 0.04))
        world = rivulet.World({"grid": {"nx": 40, "ny": 30, "dx": 0.001}, "solids": [{"form": bed}, {"form": ball, "at": [0, 0, 0.02]}]})
        both = world.sample([[0, 0, 0.04], [0, 0, 0.011]])
        np.testing.assert_allclose(both.base, [0.028, 0.005], atol=2e-4)
        np.testing.assert_array_equal(both.layer, [1, 0])

    def test_affinity(self):
        wax = np.full((20, 20), 0.5)
        wax[:, 10:] = 0.0
        world = rivulet.World(heights=np.zeros((20, 20)), dx=0.001, affinity=wax)
        plain = rivulet.World(heights=np.zeros((20, 20)), dx=0.001)
        for w in (world, plain):
            w.pour((0, 0, 0.01), 0.003, 2e-7)
            w.step(0.3)
        west = [w.depth()[:, :10].sum() / w.depth().sum() for w in (world, plain)]
        self.assertGreater(west[0], west[1] + 0.02)


class Errors(unittest.TestCase):
    def test_lines_of_the_library(self):
        with self.assertRaisesRegex(rivulet.Error, "did you mean 'liquid.viscosity'"):
            rivulet.World("coffee", {"liquid.viscosty": 1})
        with self.assertRaisesRegex(rivulet.Error, "nosuch"):
            rivulet.World("nosuch")
        with self.assertRaises(rivulet.Error) as caught:
            rivulet.World({"grid": {"nx": -1}, "solids": [{"shape": "sphere", "radius": "x"}]})
        self.assertEqual(len(str(caught.exception).splitlines()), 2, caught.exception)
        self.assertIn("solids[0].radius", str(caught.exception))
        self.assertTrue(issubclass(rivulet.Error, ValueError))

    def test_arguments(self):
        world = tray()
        for wrong in (lambda: world.step(-1), lambda: world.step(float("nan")), lambda: world.picture(4, 4),
                      lambda: world.sample([1, 2]), lambda: rivulet.World("coffee", threads=0),
                      lambda: rivulet.write_picture("x.png", np.zeros((2, 2)))):
            self.assertRaises(ValueError, wrong)
        for wrong in (lambda: world.step("x"), lambda: world.pour(1, 2, 3), lambda: rivulet.World(), lambda: rivulet.form()):
            self.assertRaises(TypeError, wrong)
        self.assertRaises(KeyError, lambda: world.params["nothing"])
        self.assertRaises(KeyError, lambda: world.sources[7])
        self.assertRaises(rivulet.Error, world.particles)
        self.assertRaises(rivulet.Error, lambda: world.edit("carve", {"shape": "sphere"}))
        self.assertRaises(rivulet.Error, lambda: world.restore(b"not a snapshot"))
        self.assertRaises(rivulet.Error, lambda: world.write_mesh("/nowhere/x.ply"))
        with self.assertRaisesRegex(rivulet.Error, "source.rate"):
            world.sources.add(at=(0, 0, 0.01), rate="5 mm")
        with self.assertRaisesRegex(rivulet.Error, "did you mean 'radius'"):
            world.sources.add(at=(0, 0, 0.01), raduis=1)

    def test_closed(self):
        with tray() as world:
            pass
        self.assertTrue(world.closed)
        world.close()
        for use in (world.step, world.columns, lambda: world.time, world.surface, lambda: world.params["seed"]):
            self.assertRaises(RuntimeError, use)
        self.assertRaises(RuntimeError, lambda: rivulet._rivulet.World().hash)


class Arrays(unittest.TestCase):
    def test_views_get_stale(self):
        world = tray()
        layer = world.layers()[0]
        depth, kept = layer.depth, layer.depth.copy()
        self.assertIsInstance(depth, rivulet.View)
        self.assertIs(type(kept), np.ndarray)
        part, total = depth[5:20, ::2], depth.sum()
        self.assertIs(type(depth * 2), np.ndarray)
        self.assertIs(type(depth[depth > 0]), np.ndarray)
        self.assertFalse(depth.flags.writeable)
        world.step()
        for use in (lambda: depth[0, 0], lambda: depth.sum(), lambda: depth + 1, lambda: part.max(), lambda: np.sum(depth),
                    lambda: np.concatenate([depth, kept]), lambda: depth.copy(), lambda: list(depth), lambda: depth.tolist(),
                    lambda: kept + depth, lambda: np.where(depth > 0, 1, 0), lambda: part.T):
            self.assertRaises(rivulet.StaleError, use)
        self.assertTrue(depth.stale and part.stale)
        self.assertEqual(depth.shape, (30, 40))
        self.assertIn("stale", repr(depth))
        self.assertAlmostEqual(kept.sum(), total)
        np.asarray(depth).sum()  # unchecked, but safe
        self.assertFalse(world.layers()[0].depth.stale)
        self.assertIs(type(pickle.loads(pickle.dumps(world.layers()[0].depth))), np.ndarray)

    def test_no_copy(self):
        world = tray()
        first, second = world.layers()[0].depth, world.layers()[0].depth
        address = lambda a: a.__array_interface__["data"][0]
        self.assertEqual(address(first), address(second))
        one, two = world.surface(), world.surface()
        self.assertEqual(address(one.vertices), address(two.vertices))

    def test_surfaces_stay(self):
        world = tray()
        surfaces = []
        for _ in range(5):
            world.step(0.02)
            surface = world.surface()
            surfaces.append((surface, surface.vertices.copy(), surface.triangles.copy()))
        for surface, vertices, triangles in surfaces:
            np.testing.assert_array_equal(surface.vertices, vertices)
            np.testing.assert_array_equal(surface.triangles, triangles)
            self.assertLess(triangles.max(), len(vertices))
            self.assertEqual(len(surface.opacity), len(vertices))
            self.assertEqual(surface.velocity.shape, vertices.shape)

    def test_kept_after_the_world(self):
        world = splash()
        world.step(0.05)
        particles, surface = world.particles(), world.surface()
        raw = [np.asarray(particles.x), np.asarray(world.density().value), surface.vertices]
        before = [a.copy() for a in raw]
        world.step(0.3)  # the jet makes more particles than there was room for
        grown = world.particles().x
        self.assertGreater(len(grown), len(raw[0]))
        self.assertTrue(particles.x.stale)
        world.close()
        del world, particles
        gc.collect()
        np.testing.assert_array_equal(raw[2], before[2])
        self.assertTrue(all(np.isfinite(a).all() for a in raw))
        with self.assertRaises(rivulet.StaleError):
            grown.sum()

    def test_after_edits(self):
        world = rivulet.World({"grid": {"nx": 60, "ny": 60, "dx": 0.001}, "solids": [{"size": [0.06, 0.06, 0.02], "at": [0, 0, 0.01]}]})
        kept = []
        for i in range(20):
            kept += [np.asarray(part.base) for part in world.layers()]
            world.carve({"shape": "sphere", "radius": 0.004}, [[0.001 * i - 0.01, 0, 0.01], [0.001 * i - 0.01, 0.02, 0.01]])
        self.assertEqual(world.stats.edits, 20)
        self.assertEqual(len(world.layers()), 2)
        del world
        gc.collect()
        self.assertGreater(sum(float(a.sum()) for a in kept), 0)

    def test_a_thousand_worlds(self):
        held = []
        for i in range(1000):
            world = rivulet.World(heights=np.zeros((6, 6)), dx=0.001, threads=2)
            world.pour((0, 0, 0.01), 0.002, 1e-8)
            world.step()
            if i % 50 == 0:
                held.append(world.layers()[0].depth)
        self.assertLess(threading.active_count(), 10)
        self.assertLess(len(os.listdir("/proc/self/task")), 60)
        del world
        self.assertTrue(all(np.asarray(a).sum() > 0 for a in held))

    def test_tables(self):
        columns = tray().columns()
        with tempfile.TemporaryFile() as file:
            np.savez(file, **columns)
            file.seek(0)
            self.assertEqual(set(np.load(file)), set(columns))
        np.testing.assert_allclose(columns.level, columns.base + columns.depth)
        self.assertEqual((columns.dx, columns.x0, columns.y0), (0.001, -0.02, -0.015))


class Asking(unittest.TestCase):
    def test_samples_and_rays(self):
        world = tray()
        world.step(0.1)
        points = np.zeros((3, 5, 3))
        points[..., 0] = np.linspace(-0.01, 0.01, 5)
        points[..., 2] = 0.01
        found = world.sample(points)
        self.assertEqual(found.depth.shape, (3, 5))
        self.assertTrue(found.wet[0, 2])
        self.assertEqual(found.normal.shape, (3, 5, 3))
        self.assertAlmostEqual(float(found.depth[0, 2]), float(found.level[0, 2] - found.base[0, 2]))
        hit = world.cast([[0, 0, 0.02], [0.015, 0, 0.02]], [0, 0, -1])
        np.testing.assert_array_equal(hit.liquid, [True, False])
        np.testing.assert_array_equal(hit.terrain, [True, True])
        self.assertAlmostEqual(hit.liquid_distance[0], 0.02 - float(found.level[0, 2]), 6)

    def test_numbers(self):
        world = tray()
        self.assertAlmostEqual(world.volume, 1e-7, 12)
        self.assertEqual(world.stats.volume, world.stats["volume"])
        self.assertEqual(world.info["columns"], 1200)
        self.assertEqual(len(world.hash), 16)
        self.assertIn("water", rivulet.liquids())
        self.assertIn("coffee", rivulet.scenes())
        self.assertIn("0 s", repr(world))

    def test_particles_and_panes(self):
        world = splash()
        world.step(0.1)
        p = world.particles()
        self.assertEqual(len(p.x), len(p.w))
        self.assertAlmostEqual(len(p) * p.each, world.volume, 9)
        flat = rivulet.World("splat-2d-64k", {"splat.particles": 64000, "grid.dx": 0.02})
        flat.step()
        self.assertEqual(set(np.asarray(flat.particles().y)), {0.0})
        pane = rivulet.World("glass-rain", {"grid.nx": 60, "grid.ny": 60})
        pane.step(0.1)
        self.assertEqual(pane.pane().height.shape, (60, 60))
        self.assertGreater(pane.particles().volume.sum(), 0)

    def test_droplets(self):
        world = rivulet.World(heights=np.zeros((20, 20)), dx=0.002, settings={"spray.on": True})
        self.assertAlmostEqual(world.throw((0, 0, 0.01), (0, 0, 0.1), 1e-9), 1e-9, 14)
        drops = world.droplets()
        np.testing.assert_allclose(drops.at, [[0, 0, 0.01]])
        np.testing.assert_allclose(drops.velocity, [[0, 0, 0.1]])
        self.assertEqual(world.beads().at.shape, (0, 3))


class Changing(unittest.TestCase):
    def test_parameters(self):
        world = tray()
        self.assertEqual(world.params["liquid.viscosity"], 1e-6)
        world.params.liquid.viscosity = "5 mm2/s"
        self.assertAlmostEqual(world.params["liquid.viscosity"], 5e-6)
        world.params.update({"liquid.density": np.float32(900), "seed": np.int64(7)})
        self.assertEqual((world.params.liquid.density, world.params.seed), (900.0, 7))
        self.assertEqual(world.params.gravity, (0, 0, -9.81))
        self.assertEqual(dict(world.params).keys(), rivulet.keys().keys())
        world.params["surface.meniscus"] = np.bool_(False)
        world.params["gravity"] = np.array([0.0, 0.5, -9.8])
        self.assertEqual((world.params.surface.meniscus, world.params.gravity), (False, (0, 0.5, -9.8)))
        world.params["gravity"] = 9.81
        self.assertRaises(TypeError, lambda: world.params.update({"seed": object()}))
        with self.assertRaisesRegex(rivulet.Error, "cannot change"):
            world.params.grid.dx = 1
        with self.assertRaises(rivulet.Error):
            world.params.update({"liquid.density": 800, "seed": -5})
        self.assertEqual(world.params.liquid.density, 900)
        with self.assertRaises(AttributeError):
            world.params.liquid.viscosty = 1
        doc = type(world.params.liquid).viscosity.__doc__
        self.assertTrue("kinematic viscosity" in doc and "m2/s" in doc, doc)
        self.assertEqual(rivulet.keys()["pipes.area"].words, ("wet", "cell"))
        self.assertEqual(rivulet.keys("source")["rate"].unit, "m3/s")

    def test_tilt(self):
        world = tray()
        world.tilt(0.2, toward=np.pi / 2)
        world.step(0.5)
        depth = world.depth()
        self.assertGreater(depth[15:].sum(), 2 * depth[:15].sum())

    def test_things(self):
        world = tray()
        tap = world.sources.add(at=(0, 0, 0.01), rate="1 ml/s")
        other = world.sources.add(at=np.array([0.01, 0, 0.01]), rate=1e-6, stop=0.0)
        world.step(0.1)
        self.assertAlmostEqual(world.stats.sourced, 2e-7, 12)
        world.sources.set(tap, rate=0)
        world.step(0.1)
        self.assertAlmostEqual(world.stats.sourced, 2e-7, 12)
        del world.sources[tap]
        self.assertEqual(list(world.sources), [other])
        hole = world.drains.add(from_=(-1, -1, -1), to=(1, 1, 1))
        world.step(0.1)
        self.assertAlmostEqual(world.volume, 0, 12)
        self.assertEqual(world.drains[hole]["to"], (1.0, 1.0, 1.0))
        fan = world.presses.add(pressure=5)
        self.assertEqual(world.presses[fan]["pressure"], 5)
        ball = world.bodies.add(radius=0.002, at=(0, 0, 0.01), density=900)
        world.step(0.05)
        self.assertLess(world.bodies.state(ball).at[2], 0.01)
        world.bodies.move(ball, at=(0.001, 0, 0.012), velocity=(0, 0, 0))
        self.assertEqual(world.bodies.state(ball).at, (0.001, 0, 0.012))
        self.assertRaises(TypeError, lambda: world.bodies.set(ball, radius=1))

    def test_snapshots(self):
        world = tray()
        world.step(0.05)
        kept, mark = world.snapshot(), world.hash
        world.step(0.05)
        later = world.hash
        world.restore(kept)
        self.assertEqual(world.hash, mark)
        world.step(0.05)
        self.assertEqual(world.hash, later)
        with tempfile.TemporaryDirectory() as room:
            world.save(room + "/now")
            world.step()
            world.load(room + "/now")
            self.assertEqual(world.hash, later)
            for name in ("a.ply", "a.glb", "a.stl"):
                world.write_mesh(room + "/" + name)
            world.write_state(room + "/a.csv")
            self.assertEqual(len(os.listdir(room)), 5)

    def test_stir_and_paint(self):
        world = tray()
        world.stir((-0.005, 0, 0.001), (0.005, 0, 0.001), 0.002, 0.02)
        world.paint((0, 0, 0), 0.002, 0.0)
        world.step(0.02)
        self.assertGreater(world.stats.kinetic, 0)


class Threads(unittest.TestCase):
    def test_worlds_side_by_side(self):
        def work(viscosity):
            world = tray(**{"liquid.viscosity": viscosity})
            world.step(0.1)
            return world.hash
        cases = [1e-6 * (i + 1) for i in range(8)]
        with ThreadPoolExecutor(4) as pool:
            self.assertEqual(list(pool.map(work, cases)), [work(c) for c in cases])

    def test_one_world(self):
        world, alone = tray(), tray()
        alone.step(0.08)
        seen = []

        def ask():
            while world.time < 0.0799:
                seen.append(world.sample([0, 0, 0.01]).depth[()])
                world.surface()
                world.columns()
        threads = [threading.Thread(target=lambda: [world.step() for _ in range(2)]) for _ in range(4)]
        threads.insert(0, threading.Thread(target=ask))
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(world.hash, alone.hash)
        self.assertTrue(seen)

    def test_lock_is_released(self):
        world = rivulet.World("bowl", threads=1)
        stamps, end, frames, began, ended = [], threading.Event(), 1, 0, 0

        def count():
            while not end.wait(0.002):
                stamps.append(time.monotonic())
        thread = threading.Thread(target=count)
        thread.start()
        while ended - began < 0.5:
            began = time.monotonic()
            world.step(frames * world.params.time.step)
            ended, frames = time.monotonic(), 2 * frames
        end.set()
        thread.join()
        self.assertGreater(sum(began + 0.05 < t < ended - 0.05 for t in stamps), 10)

    def test_close_while_it_steps(self):
        world = rivulet.World("bowl", {"grid.dx": "2 mm"})
        thread = threading.Thread(target=world.step, args=(0.2,))
        thread.start()
        world.close()
        thread.join()
        self.assertTrue(world.closed)

    def test_progress_and_cancel(self):
        world, shares = rivulet.World("bowl", {"grid.dx": "2 mm"}), []

        def watch(share):
            shares.append(share)
            if len(shares) == 1:
                self.assertRaises(RuntimeError, world.step)  # from within itself
            return share < 0.3
        world.step(20, progress=watch)
        self.assertLess(world.time, 19)
        self.assertTrue(0.3 <= shares[-1] < 1)

        def fail(share):
            raise ZeroDivisionError
        self.assertRaises(ZeroDivisionError, lambda: world.step(20, progress=fail))
        world.step()

    def test_interrupt(self):
        text = ("import rivulet\nworld = rivulet.World('bowl')\nprint('go', flush=True)\n"
                "try: world.step(1000)\nexcept KeyboardInterrupt: print('stopped', world.time > 0)")
        child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "go\n")
        threading.Event().wait(0.5)
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate(timeout=60)[0], "stopped True\n")

    def test_fork(self):
        shared, alone = rivulet.World("bowl", {"grid.dx": "4 mm"}, threads=2), tray()
        shared.step()
        child = os.fork()
        if child == 0:
            try:
                alone.step()
                try:
                    shared.step()
                except RuntimeError:
                    fresh = rivulet.World("bowl", {"grid.dx": "4 mm"}, threads=2)
                    fresh.step()
                    os._exit(0 if fresh.hash else 3)
                os._exit(4)
            except BaseException:
                os._exit(5)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


class Pictures(unittest.TestCase):
    def test_arrays(self):
        world = rivulet.World("bowl", {"grid.dx": "2 mm"})
        world.step(0.1)
        picture = world.picture(160, 120)
        self.assertEqual((picture.shape, picture.dtype), ((120, 160, 4), np.uint8))
        self.assertTrue((picture[..., 3] == 255).all())
        self.assertGreater(picture[..., :3].std(), 10)
        np.testing.assert_array_equal(picture, world.picture(160, 120))
        turned = world.picture(160, 120, azimuth=2.0, elevation="60 deg")
        self.assertGreater(np.abs(turned.astype(int) - picture).mean(), 2)
        self.assertGreater(np.abs(world.picture(160, 120, mode="depth").astype(int) - picture).mean(), 0.5)
        with self.assertRaisesRegex(rivulet.Error, "view.azimut"):
            world.picture(160, 120, azimut=1)
        with tempfile.TemporaryDirectory() as room:
            rivulet.write_picture(room + "/a.png", picture)
            with open(room + "/a.png", "rb") as file:
                self.assertEqual(file.read(4), b"\x89PNG")

    def test_other_worlds_and_threads(self):
        worlds = [tray(), rivulet.World("glass-rain", {"grid.nx": 60, "grid.ny": 60}), splash()]
        for world in worlds:
            world.step(0.05)
        first = [w.picture(64, 48) for w in worlds]
        with ThreadPoolExecutor(3) as pool:
            again = list(pool.map(lambda w: w.picture(64, 48), worlds))
        for a, b in zip(first, again):
            self.assertLess(np.abs(a.astype(int) - b).mean(), 1)
        for _ in range(5):  # others come to stand where these stood
            world = tray()
            world.step(0.05)
            self.assertLess(np.abs(world.picture(64, 48).astype(int) - first[0]).mean(), 1)

    @unittest.skipIf(subprocess.call("command -v ffmpeg >/dev/null", shell=True), "no ffmpeg")
    def test_films(self):
        world = tray()
        with tempfile.TemporaryDirectory() as room:
            with rivulet.Film(room + "/a.mp4", rate=10) as film:
                for _ in range(3):
                    world.step()
                    film.push(world.picture(64, 48))
            self.assertGreater(os.path.getsize(room + "/a.mp4"), 500)
            with self.assertRaises(ZeroDivisionError), rivulet.Film(room + "/b.mp4") as film:
                film.push(world.picture(64, 48))
                raise ZeroDivisionError
            self.assertRaises(ValueError, lambda: film.push(np.zeros((4, 4), np.uint8)))
            self.assertEqual(os.listdir(room), ["a.mp4"])
            os.mkdir(room + "/bin")  # an encoder that ends well and writes half a film, as on a full disk
            with open(room + "/bin/ffmpeg", "w", encoding="ascii") as lies:
                lies.write('#!/bin/sh\nfor last; do :; done\ncat >/dev/null\n'
                           f'head -c 500 {room}/a.mp4 >"${{last#file:}}"\n')
            os.chmod(room + "/bin/ffmpeg", 0o755)
            whole, path = os.path.getsize(room + "/a.mp4"), os.environ["PATH"]
            try:
                os.environ["PATH"] = room + "/bin:" + path
                with self.assertRaises(rivulet.Error), rivulet.Film(room + "/a.mp4") as film:
                    film.push(world.picture(64, 48))
            finally:
                os.environ["PATH"] = path
            self.assertEqual(os.path.getsize(room + "/a.mp4"), whole)
            self.assertEqual(sorted(os.listdir(room)), ["a.mp4", "bin"])
            self.assertRaises(rivulet.Error, lambda: rivulet.Film("/dev/null"))


class Studies(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.what = {"scene": os.path.join(SOURCE, "tests/data/tray.yaml"), "folder": os.path.join(self.folder.name, "out"),
                     "time": 0.02, "vary": {"liquid.viscosity": np.geomspace(1e-6, 1e-4, 3), "border.east": ["open", "wall"]},
                     "table": {"deepest": "max"}}

    def tearDown(self):
        self.folder.cleanup()

    def test_runs(self):
        study = rivulet.Study(self.what)
        self.assertEqual((len(study), study.time), (6, 0.02))
        self.assertEqual(study.runs[1], {"liquid.viscosity": 1e-6, "border.east": "wall"})
        seen = []
        first = study.run(only=2, progress=lambda share, ended, runs: seen.append((share, ended, runs)))
        self.assertEqual((first.made, first.done, first.to_do), (1, 1, 5))
        self.assertEqual(seen[-1][2], 1)
        self.assertEqual(study.states[:2], ["to do", "done"])
        rest = study.run(jobs=2)
        self.assertEqual((rest.made, rest.done), (5, 6))
        table = study.table()
        np.testing.assert_array_equal(table["run"], np.arange(1, 7))
        self.assertEqual(list(table["border.east"][:2]), ["open", "wall"])
        np.testing.assert_array_equal(table["liquid.viscosity"], np.repeat(np.geomspace(1e-6, 1e-4, 3), 2))
        self.assertTrue((table["deepest.max"] >= table["deepest"]).all())
        world = rivulet.World(self.what["scene"], study.runs[3])
        world.step(0.02)
        self.assertEqual(world.hash, table["hash"][3])

    def test_stop_and_failures(self):
        study = rivulet.Study(self.what)
        self.assertEqual(study.run(progress=lambda *told: False).done, 0)
        with self.assertRaises(ZeroDivisionError):
            study.run(progress=lambda *told: 1 / 0)
        self.assertEqual(study.run().done, 6)
        self.what["vary"] = {"grid.top": ["4 cm", "-1 cm"]}
        with self.assertRaisesRegex(rivulet.Error, "holds a run of another scene or other settings"):
            rivulet.Study(self.what).run()
        with self.assertWarnsRegex(UserWarning, "run 2 failed: .*grid.top: -0.01 must be above"):
            self.assertEqual(rivulet.Study(self.what, folder=self.what["folder"] + "2").run().failed, 1)
        with self.assertRaisesRegex(rivulet.Error, "dict:1: vary.grid.mx: unknown key"):
            rivulet.Study({**self.what, "vary": {"grid.mx": [1]}})


class Telling(unittest.TestCase):
    def test_bar(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True
        out = Terminal()
        self.assertEqual(list(rivulet.Progress("abc", stream=out, title="letters")), list("abc"))
        self.assertIn("letters [##############################] 100%", out.getvalue())
        self.assertEqual(out.getvalue()[-1], "\n")
        shown = []

        class Handle:
            def update(self, what, raw):
                shown.append(what["text/html"])

        def display(what, raw, display_id):
            shown.append(what["text/html"])
            return Handle()
        shell = types.SimpleNamespace(kernel=1)
        fake = types.ModuleType("IPython")
        fake.get_ipython = lambda: shell
        fake.display = types.ModuleType("IPython.display")
        fake.display.display = display
        with unittest.mock.patch.dict(sys.modules, {"IPython": fake, "IPython.display": fake.display}):
            list(rivulet.Progress("abc", title="letters"))
        self.assertIn("<progress value=1.000", shown[-1])
        silent = io.StringIO()
        list(rivulet.Progress(range(3), stream=silent))
        self.assertEqual(silent.getvalue(), "")

    def test_warnings(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            rivulet.World({"solids": [{"size": [0.1, 0.1, 0.0001], "at": [0, 0, 0.001 + 0.001 * i]} for i in range(40)],
                           "grid": {"nx": 4, "ny": 4, "dx": 0.001, "stretch": 0.1}})
        self.assertTrue(any("left out" in str(w.message) for w in said), [str(w.message) for w in said])

    def test_documents(self):
        for name in rivulet.__all__:
            self.assertTrue(getattr(rivulet, name).__doc__, name)
        for name, member in vars(rivulet.World).items():
            if name[0] != "_":
                self.assertTrue(member.__doc__, name)

    def test_stubs(self):
        made = subprocess.run([sys.executable, os.path.join(SOURCE, "python/stubs.py")], capture_output=True, text=True, check=True)
        with open(os.path.join(SOURCE, "python/rivulet/_params.pyi"), encoding="utf-8") as file:
            self.assertEqual(made.stdout, file.read(), "python/rivulet/_params.pyi is old: make docs")

        with open(os.path.join(SOURCE, "python/rivulet/__init__.pyi"), encoding="utf-8") as file:
            stub = {node.name: node for node in ast.parse(file.read()).body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual(set(stub) | {"Key", "Params", "keys"}, set(rivulet.__all__))
        for name, node in stub.items():
            if isinstance(node, ast.ClassDef) and name not in ("View", "Error", "StaleError", "Numbers", "Film"):
                told = {n.name for n in node.body if isinstance(n, ast.FunctionDef) and n.name[0] != "_"}
                kinds = [k for k in getattr(rivulet, name).__mro__ if k.__module__.startswith("rivulet")]
                real = {n for k in kinds[:1 if name == "Bodies" else None] for n in vars(k) if n[0] != "_"}
                self.assertEqual(told | ({"set"} if name == "Bodies" else set()), real, name)


if __name__ == "__main__":
    unittest.main()

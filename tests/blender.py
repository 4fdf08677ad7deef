"""The Blender add-on, headless: blender -b --factory-startup --python tests/blender.py -- FOLDER

FOLDER holds the add-on as `make blender` lays it out. A spill on a curved mesh with a modifier, a parent and uneven scale
is baked, played, compared with the library's volume, and rendered; stopped and gone on with; maps, movers and drills.
"""
import math
import os
import sys

import bpy
import numpy as np

sys.path.insert(0, sys.argv[sys.argv.index("--") + 1])
import rivulet_liquid
from rivulet_liquid import gather, meshes, module, operators, play, settings
from rivulet_liquid.cache import Cache

HERE = os.getcwd()


def check(truth, what):
    if not truth:
        raise AssertionError(what)


def add(name, role, kind=None, at=(0, 0, 0), scale=(1, 1, 1), size=1.0):
    """An object with a role: an empty, or a mesh that an operator of Blender makes."""
    if kind:
        kind()
        thing = bpy.context.object
        thing.name = name
    else:
        thing = bpy.data.objects.new(name, None)
        thing.empty_display_size = size
        bpy.context.collection.objects.link(thing)
    thing.location, thing.scale = at, scale
    thing.rivulet.role = role
    return thing


def clean():
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    bpy.context.scene.frame_set(1)


def spill(folder, last=8):
    """A bowl, made of a grid bent by a modifier, under a source; a parent with a scale of its own. Units of centimetres."""
    clean()
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 0.01
    scene.render.fps = 25
    parent = add("Parent", "NONE", scale=(1.0, 1.5, 2.0))
    bowl = add("Bowl", "SOLID", lambda: bpy.ops.mesh.primitive_grid_add(x_subdivisions=24, y_subdivisions=24, size=10))
    bowl.parent = parent
    for vertex in bowl.data.vertices:
        x, y, _ = vertex.co
        vertex.co.z = 0.02 * (x * x + y * y)
    bowl.modifiers.new("Smooth", "SUBSURF")
    domain = add("Domain", "DOMAIN", at=(0, 0, 1), scale=(4.5, 6.0, 2.0))
    own = domain.rivulet
    own.cell, own.last, own.folder = 0.25, last, os.path.join(HERE, folder)
    own.sink, own.threads = 0.0, 2
    source = add("Source", "SOURCE", at=(0.3, 0, 2.5), size=0.8)
    source.rivulet.rate = 40.0
    bpy.context.view_layer.update()
    return domain


def held(domain):
    """What the liquid's mesh holds, m³, as Blender has it, with the object's scale; the mesh must be closed."""
    import bmesh
    shape = bmesh.new()
    shape.from_mesh(domain.rivulet.mesh.data)
    check(all(edge.is_manifold for edge in shape.edges), "the liquid's mesh is not closed")
    scale = bpy.context.scene.unit_settings.scale_length * domain.rivulet.mesh.matrix_world.median_scale
    found = shape.calc_volume(signed=True) * scale ** 3
    shape.free()
    return found


def picture(name, frame):
    """A small picture of a frame, by Cycles, as (rows, columns, 3)."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 8, False
    scene.render.resolution_x = scene.render.resolution_y = 32
    scene.render.resolution_percentage = 100
    scene.render.filepath = os.path.join(HERE, name)
    scene.frame_set(frame)
    scene.cycles.seed = 0
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(os.path.join(HERE, name))
    return np.array(image.pixels[:]).reshape(32, 32, -1)[:, :, :3]


def look_down():
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.data.type, camera.data.ortho_scale = (0, 0, 50), "ORTHO", 16
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy = 3
    for thing in (camera, sun):
        scene.collection.objects.link(thing)
    scene.camera = camera


def bake_and_play():
    domain = spill("whole")
    domain.rivulet.liquid = "blood"
    check(bpy.ops.rivulet.bake() == {"FINISHED"}, "the bake did not finish")
    cache = Cache(gather.folder_of(domain))
    check(cache.frames() == list(range(1, 9)), f"frames {cache.frames()}")
    volumes = cache.info()["volumes"]
    check(abs(volumes["8"] / (40e-6 * 7 / 25) - 1) < 1e-3, f"{volumes['8']} m³ are not what the source gave")
    counts = set()
    for frame in (3, 5, 8):
        bpy.context.scene.frame_set(frame)
        mesh = domain.rivulet.mesh.data
        counts.add(len(mesh.vertices))
        share = held(domain) / volumes[str(frame)]
        print(f"frame {frame}: {len(mesh.vertices)} vertices hold {share:.4f} of the library's volume")
        check(0.93 < share < 1.07, f"frame {frame}: the mesh holds {share} of the library's volume")
        names = {a.name: a for a in mesh.attributes}
        check({"depth", "velocity", "wetness"} <= set(names), f"attributes {list(names)}")
        depth = np.empty(len(mesh.vertices), np.float32)
        names["depth"].data.foreach_get("value", depth)
        check(depth.max() > 1e-4, "no depth in the attribute")
    check(len(counts) == 3, "the mesh is the same in all frames")
    under = gather.placed(np.array([v.co for v in mesh.vertices]), domain.rivulet.mesh.matrix_world)
    check(abs(under[:, 0]).max() < 4.6 and under[:, 2].max() < 2.5, "the liquid is not where the bowl is")
    look_down()
    before, after = picture("before.png", 2), picture("after.png", 8)
    other = np.abs(after - before).max(axis=2) > 0.05
    wet = np.zeros((32, 32), bool)
    for x, y, _ in under:
        wet[min(31, int((y + 8) * 2)), min(31, int((x + 8) * 2))] = True
    spread = wet.copy()
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        spread |= np.roll(wet, (dy, dx), (0, 1))
    print(f"{other.sum()} pixels differ, {wet.sum()} are wet, {(other & ~spread).sum()} differ elsewhere")
    check((other & wet).sum() > 0.3 * wet.sum(), "the two pictures do not differ where liquid is")
    check((other & ~spread).sum() < 0.1 * other.sum(), "the two pictures differ where no liquid is")
    bpy.context.scene.render.use_motion_blur, domain.rivulet.speed = True, 0.001  # scales velocities too
    still = picture("still.png", 8)
    domain.rivulet.speed = 20.0
    moving = picture("moving.png", 8)
    bpy.context.scene.render.use_motion_blur = False
    blurred, noise = np.abs(moving - still).mean(), np.abs(still - after).mean()
    print(f"motion blur changes the picture by {blurred:.4f}, with hardly any velocity by {noise:.4f}")
    check(blurred > 3 * noise, "velocities make no motion blur")
    bpy.context.scene.frame_set(0)
    check(len(mesh.vertices) == 0, "liquid before the first frame")
    return [cache.read(frame) for frame in cache.frames()]


def stop_and_go_on(whole):
    domain = spill("parts")
    domain.rivulet.liquid = "blood"
    bake = operators.Bake(bpy.context.scene, domain, False)
    while not bake.tick(0.01):
        bake.stop = bake.work is not None and bake.work.frame >= 3
    kind, text = bake.end()
    cache = Cache(gather.folder_of(domain))
    reached = cache.frames()[-1]
    check(kind != "ERROR" and 3 <= reached < 8, f"stopped at {reached}: {text}")
    source = bpy.data.objects["Source"]
    source.rivulet.rate = 41.0
    try:
        bpy.ops.rivulet.bake(resume=True)
        check(False, "a bake went on after the source was changed")
    except RuntimeError as error:
        check("something was changed" in str(error), str(error))
    source.rivulet.rate = 40.0
    check(bpy.ops.rivulet.bake(resume=True) == {"FINISHED"}, "the bake did not go on")
    for number, frame in enumerate(whole):
        other = cache.read(number + 1)
        check(all(np.array_equal(frame[name], other[name]) for name in frame), f"frame {number + 1} differs after resuming")
    print(f"stopped at {reached}, gone on: the same meshes")
    check(bpy.ops.rivulet.free() == {"FINISHED"} and not cache.frames(), "the cache is not free")
    check(not os.path.exists(cache.folder), "the cache's folder is left")


def maps():
    domain = spill("maps", last=4)
    domain.rotation_euler.z = math.pi / 2
    domain.scale = (6.0, 4.5, 2.0)
    bowl = bpy.data.objects["Bowl"]
    group = bowl.vertex_groups.new(name="Wax")
    group.add([v.index for v in bowl.data.vertices if v.co.x > 2], 1.0, "REPLACE")
    group.add([v.index for v in bowl.data.vertices if v.co.x < -2], 0.5, "REPLACE")
    bowl.rivulet.map, bowl.rivulet.group = "GROUP", "Wax"
    bpy.context.view_layer.update()

    def made():
        gatherer = gather.Gatherer(bpy.context.scene, domain)
        list(gatherer.frames())
        return gatherer.job.affinity()
    seen = made()  # the domain is turned: the scene's x is its −y, and the first row is at high y
    rows = seen.mean(axis=1)
    check(seen.shape == (36, 48), f"a map of {seen.shape}")
    check(abs(rows[2] - 0.25) < 0.02 and rows[-3] < 0.02 and abs(rows[18] - 0.5) < 0.02, f"the vertex group is not in the map: {rows}")
    image = bpy.data.images.new("Spots", 8, 8)
    pixels = np.ones((8, 8, 4), np.float32)
    pixels[:, 4:, :3] = 0
    image.pixels.foreach_set(pixels.reshape(-1))
    bowl.rivulet.map, bowl.rivulet.image = "IMAGE", image
    rows = made().mean(axis=1)
    check(rows[2] > 0.9 and rows[-3] < 0.1, f"the image is not in the map: {rows}")
    check(bpy.ops.rivulet.bake() == {"FINISHED"}, "a bake with a map")


def moves():
    domain = spill("moves", last=6)
    own = domain.rivulet
    ball = add("Ball", "SOLID", lambda: bpy.ops.mesh.primitive_uv_sphere_add(radius=0.6), at=(-2, 0, 1.5))
    ball.rivulet.motion = "MOVES"
    ball.keyframe_insert("location", frame=1)
    ball.location = (2, 0, 1.5)
    ball.keyframe_insert("location", frame=6)
    drill = add("Drill", "SOLID", lambda: bpy.ops.mesh.primitive_cylinder_add(radius=0.8, depth=6), at=(0, 0, 5))
    drill.rivulet.motion = "DRILL"
    drill.keyframe_insert("location", frame=1)
    drill.location.z = 2.5
    drill.keyframe_insert("location", frame=6)
    bpy.context.scene.frame_set(4)
    bake = operators.Bake(bpy.context.scene, domain, False)
    while not bake.tick(0.01):
        pass
    track = bake.gatherer.job.tracks
    kind, text = bake.end()
    check(kind != "ERROR", text)
    check(bpy.context.scene.frame_current == 4, "the scene's frame was not given back")
    check(np.allclose(track[-1]["movers"][1][0], (0.04, 0, 0), atol=1e-6), f"the ball moved by {track[-1]['movers'][1]}")
    # The same world again, to look at the solids: the drill has been through the bowl, the ball has arrived.
    world = module.load().World(bake.gatherer.job.scene, threads=1)
    solid = world.distance([[0, 0, -0.0115], [-0.02, 0, 0.005], [0.02, 0, 0.005]])
    world.restore(Cache(gather.folder_of(domain)).read_state()[1])
    after = world.distance([[0, 0, -0.0115], [-0.02, 0, 0.005], [0.02, 0, 0.005]])
    check(solid[0] < 0 < after[0], f"the drill did not cut: {solid[0]} {after[0]}")
    check(solid[1] < 0 < after[1] and after[2] < 0 < solid[2], f"the ball did not move: {solid} {after}")


def flows():
    """Liquid at the start, a source whose rate is animated, a drain, and a domain that stands aslant."""
    domain = spill("flows", last=6)
    add("Pool", "FILL", at=(0, 0, 0.2), scale=(2, 2, 0.6))
    source = bpy.data.objects["Source"].rivulet
    source.follow, source.rate = True, 40.0
    bpy.data.objects["Source"].keyframe_insert("rivulet.rate", frame=3)
    source.rate = 0.0
    bpy.data.objects["Source"].keyframe_insert("rivulet.rate", frame=4)
    check(bpy.ops.rivulet.bake() == {"FINISHED"}, "a bake with liquid at the start")
    cache = Cache(gather.folder_of(domain))
    volumes = [v for _, v in sorted(cache.info()["volumes"].items())]
    check(volumes[0] > 1e-6, f"no liquid at the start: {volumes}")
    check(abs(volumes[2] - volumes[0] - 80e-6 / 25) < 1e-8, f"the source gave another volume: {volumes}")
    # 1.6 ml a frame while it was open; a little leaves over the open sides of the domain
    check(-1e-7 < volumes[5] - volumes[3] < 1e-9, f"the source did not close: {volumes}")
    add("Sink", "DRAIN", scale=(5, 7, 3))
    check(bpy.ops.rivulet.bake() == {"FINISHED"}, "a bake with a drain")
    check(cache.info()["volumes"]["6"] < 0.05 * volumes[5], "the drain took nothing")
    domain.rotation_euler.y = math.radians(10)
    bpy.context.view_layer.update()
    gatherer = gather.Gatherer(bpy.context.scene, domain)
    list(gatherer.frames())
    pull = gatherer.job.scene["gravity"]
    check(np.allclose(pull, (9.81 * math.sin(math.radians(10)), 0, -9.81 * math.cos(math.radians(10))), atol=1e-4),
          f"gravity in a domain that stands aslant: {pull}")


def others():
    check(set(settings.LIQUIDS) == set(module.load().liquids()), "the liquids of the panel are not the library's")
    clean()
    bpy.context.scene.unit_settings.scale_length = 1.0
    bpy.ops.mesh.primitive_monkey_add()
    bpy.ops.mesh.primitive_plane_add(size=4)
    for thing in bpy.data.objects:
        thing.select_set(thing.type == "MESH")
    check(bpy.ops.rivulet.quick_spill() == {"FINISHED"}, "quick spill")
    domain = bpy.context.object
    domain.rivulet.last, domain.rivulet.folder = 3, os.path.join(HERE, "quick")
    for liquid in settings.LIQUIDS:
        domain.rivulet.liquid = liquid
        check(bpy.ops.rivulet.material() == {"FINISHED"}, f"material {liquid}")
    check(bpy.ops.rivulet.bake() == {"FINISHED"}, "a bake of a plane and a monkey")
    domain.rivulet.extra = "liquid.viscosty=1"
    for setting, words in (("extra", "did you mean"), ("last", "comes before")):
        try:
            if setting == "last":
                domain.rivulet.extra, domain.rivulet.last = "", 0
            bpy.ops.rivulet.bake()
            check(False, f"{setting} was taken")
        except RuntimeError as error:
            check(words in str(error), str(error))
    domain.rivulet.last, domain.rivulet.solver, domain.rivulet.cell = 3, "splat", 0.25
    domain.rivulet.particles = True
    bpy.data.objects["Source"].rivulet.rate = 2e6
    check(bpy.ops.rivulet.bake() == {"FINISHED"}, "a bake of particles")
    bpy.context.scene.frame_set(3)
    evaluated = bpy.context.evaluated_depsgraph_get()
    balls = sum(1 for i in evaluated.object_instances if i.is_instance)
    points = len(domain.rivulet.drops.data.vertices)
    check(points > 10 and balls == points, f"{balls} spheres for {points} particles")


rivulet_liquid.register()
whole = bake_and_play()
stop_and_go_on(whole)
maps()
moves()
flows()
others()
rivulet_liquid.unregister()
print("blender: all well")

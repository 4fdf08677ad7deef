"""What the user can do: a quick start, bake, stop, go on, free, and the material."""
import atexit
import time

import bpy
import numpy as np
from bpy.props import BoolProperty, StringProperty
from mathutils import Vector

from . import gather, looks, module, play
from .cache import Cache
from .work import Work

_bakes = {}  # the running bakes, by the name of the domain: threads cannot live in Blender's data


def running(domain):
    """The bake of a domain that runs now, or None."""
    return _bakes.get(domain.name) if domain else None


def domain_of(context, name=""):
    """The domain meant: by name, the active one, or the only one of the scene."""
    if name:
        thing = context.scene.objects.get(name)
        return thing if thing and thing.rivulet.role == "DOMAIN" else None
    active = context.object
    if active and active.rivulet.role == "DOMAIN":
        return active
    domains = [t for t in context.scene.objects if t.rivulet.role == "DOMAIN"]
    return domains[0] if len(domains) == 1 else None


def idle_domain(context, name):
    """The domain meant, which must be there and not be baking."""
    domain = domain_of(context, name)
    if domain is None or running(domain):
        raise ValueError(f"{domain.name} is being baked" if domain else "No domain: select one")
    return domain


class Bake:
    """A bake from its first glance at the scene to the last frame, in short ticks of the main thread."""

    def __init__(self, scene, domain, resume):
        self.names, self.resume = (scene.name, domain.name), resume
        self.gatherer = gather.Gatherer(scene, domain)
        self.frames, self.work, self.stop, self.seen = self.gatherer.frames(), None, False, None
        self.text, self.share = "Reading the scene", 0.0
        _bakes[domain.name] = self

    def tick(self, budget=0.05):
        """Does what must be done in the main thread, for about so many seconds; True when all is over."""
        if self.work is None:
            return self._read(time.monotonic() + budget)
        if self.stop:
            self.work.cancel.set()
        job, self.text = self.work.job, self.work.text
        self.share = (self.work.frame - job.first + 1) / (job.last - job.first + 1)
        if self.seen != self.work.frame:
            self.seen = self.work.frame
            self._show(self.seen)
        return self.work.done

    def _show(self, frame=None):
        """Shows the result, or a frame of it if the scene is at it. By names: an undo leaves no other hold."""
        scene = bpy.data.scenes.get(self.names[0])
        domain = scene and scene.objects.get(self.names[1])
        if domain and frame in (None, scene.frame_current):
            play.ensure_objects(scene, domain)
            play.show(scene, domain)

    def _read(self, until):
        while time.monotonic() < until:
            if self.stop:
                self.frames.close()
                return True
            try:
                self.share = next(self.frames)
            except StopIteration:
                self.work = Work(self.gatherer.job, self.resume)
                self.work.start()
                return False
        return False

    def end(self):
        """Waits for the thread, shows the result, and says what happened: (kind, text)."""
        self.frames.close()
        if self.work:
            self.work.cancel.set()
            self.work.join()
        _bakes.pop(self.names[1], None)
        if not self.work:
            return "INFO", "Cancelled before the first frame"
        if self.work.error:
            return "ERROR", self.work.error
        self._show()
        if self.work.warnings:
            return "WARNING", "; ".join(self.work.warnings)
        return "INFO", f"Baked to frame {self.work.frame}"


@bpy.app.handlers.persistent
def end_all(*_):
    """Before another file is loaded, the add-on goes or Blender ends."""
    for bake in list(_bakes.values()):
        if bake.work:
            bake.work.cancel.set()
            bake.work.join()
    _bakes.clear()


class RIVULET_OT_bake(bpy.types.Operator):
    """Simulate the liquid and keep its frames on disk; Blender stays usable meanwhile"""
    bl_idname = "rivulet.bake"
    bl_label = "Bake Liquid"
    bl_options = {"REGISTER", "UNDO"}
    domain: StringProperty(options={"SKIP_SAVE", "HIDDEN"})
    resume: BoolProperty(name="Resume", default=False, options={"SKIP_SAVE"},
                         description="Go on from where the last bake ended")

    def _start(self, context):
        """False, and a report, where it cannot begin."""
        try:
            module.load()
            self.bake = Bake(context.scene, idle_domain(context, self.domain), self.resume)
            return True
        except (ImportError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return False

    def _tick(self):
        """Of the bake; what is wrong with the scene ends it."""
        try:
            return self.bake.tick()
        except (ValueError, RuntimeError, ReferenceError) as error:
            self.bake.end()
            self.report({"ERROR"}, str(error))
            return None

    def _finish(self):
        kind, text = self.bake.end()
        self.report({kind}, text)
        return {"CANCELLED"} if kind == "ERROR" else {"FINISHED"}

    def execute(self, context):
        """Without a window, or from a script: to the end."""
        if not self._start(context):
            return {"CANCELLED"}
        while (over := self._tick()) is False:
            time.sleep(0.002)
        return {"CANCELLED"} if over is None else self._finish()

    def invoke(self, context, event):
        if bpy.app.background or not context.window:
            return self.execute(context)
        if not self._start(context):
            return {"CANCELLED"}
        manager = context.window_manager
        self.timer = manager.event_timer_add(0.1, window=context.window)
        manager.progress_begin(0, 1000)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self.bake.stop = True
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        over = self._tick()
        context.window_manager.progress_update(int(1000 * self.bake.share))
        for area in (a for window in context.window_manager.windows for a in window.screen.areas):
            if area.type in {"PROPERTIES", "VIEW_3D"}:
                area.tag_redraw()
        if over is False:
            return {"PASS_THROUGH"}
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        return {"CANCELLED"} if over is None else self._finish()


class _Domain:
    """Operators on a domain, by its name or the one that is meant."""
    bl_options = {"REGISTER", "UNDO"}
    domain: StringProperty(options={"SKIP_SAVE", "HIDDEN"})

    def execute(self, context):
        try:
            self.act(context.scene, idle_domain(context, self.domain))
        except (ImportError, OSError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class RIVULET_OT_stop(bpy.types.Operator):
    """Stop the bake after the frame it is at; it can be resumed"""
    bl_idname = "rivulet.stop"
    bl_label = "Stop"
    bl_options = {"INTERNAL"}
    domain: StringProperty(options={"SKIP_SAVE", "HIDDEN"})

    def execute(self, context):
        bake = running(domain_of(context, self.domain))
        if bake:
            bake.stop = True
        return {"FINISHED"}


class RIVULET_OT_free(_Domain, bpy.types.Operator):
    """Remove the baked frames from the disk"""
    bl_idname = "rivulet.free"
    bl_label = "Free Bake"

    def act(self, scene, domain):
        Cache(gather.folder_of(domain)).forget()
        play.show(scene, domain)


class RIVULET_OT_material(_Domain, bpy.types.Operator):
    """Give the liquid the material of its preset, with nodes for refraction and absorption"""
    bl_idname = "rivulet.material"
    bl_label = "Set Material"

    def act(self, scene, domain):
        play.ensure_objects(scene, domain)
        for thing in (domain.rivulet.mesh, domain.rivulet.drops):
            thing.data.materials.clear()
            thing.data.materials.append(looks.material(domain.rivulet.liquid, scene.unit_settings.scale_length))
        looks.drops_material(domain.rivulet.drops)


class RIVULET_OT_quick(bpy.types.Operator):
    """Make the selected meshes solids, with a domain around them and a source above"""
    bl_idname = "rivulet.quick_spill"
    bl_label = "Quick Spill"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and any(t.type == "MESH" for t in context.selected_objects)

    def execute(self, context):
        solids = [t for t in context.selected_objects if t.type == "MESH"]
        corners = np.concatenate([gather.placed(np.array(t.bound_box), t.matrix_world) for t in solids])
        low, high = corners.min(axis=0), corners.max(axis=0)
        size = np.maximum(high - low, 0.1 * np.max(high - low))
        room = 0.5 * max(size[2], 0.25 * max(size[:2]))
        low[2] -= 0.02 * max(size)
        high[2] += room
        domain = self._empty(context, "Liquid Domain", "CUBE", (low + high) / 2, (high - low) / 2)
        own = domain.rivulet
        own.role, own.cell = "DOMAIN", float(max(size[:2])) / 96
        own.first, own.last = context.scene.frame_start, min(context.scene.frame_end, context.scene.frame_start + 99)
        radius = 0.04 * float(max(size[:2]))
        middle = (low + high) / 2
        source = self._empty(context, "Source", "CIRCLE", (*middle[:2], high[2] - 0.2 * room), (radius,) * 3)
        source.rotation_euler.x = 1.5707963  # an empty's circle stands upright
        source.rivulet.role = "SOURCE"
        # The area of the solids, a sixteenth of a cell deep, every second: a film that is seen to grow.
        metres = context.scene.unit_settings.scale_length
        source.rivulet.rate = 1e6 * metres ** 3 * float(size[0] * size[1]) * own.cell / 16
        for thing in solids:
            thing.rivulet.role = "SOLID"
            thing.select_set(False)
        domain.select_set(True)
        context.view_layer.objects.active = domain
        return {"FINISHED"}

    def _empty(self, context, name, kind, at, scale):
        thing = bpy.data.objects.new(name, None)
        thing.empty_display_type, thing.empty_display_size = kind, 1.0
        thing.location, thing.scale = Vector(at), Vector(scale)
        context.collection.objects.link(thing)
        return thing


def quick_menu(self, _context):
    self.layout.operator(RIVULET_OT_quick.bl_idname)


_classes_in, _classes_out = bpy.utils.register_classes_factory(
    (RIVULET_OT_bake, RIVULET_OT_stop, RIVULET_OT_free, RIVULET_OT_material, RIVULET_OT_quick))


def register():
    _classes_in()
    bpy.types.VIEW3D_MT_object_quick_effects.append(quick_menu)
    bpy.app.handlers.load_pre.append(end_all)
    atexit.register(end_all)


def unregister():
    end_all()
    atexit.unregister(end_all)
    bpy.app.handlers.load_pre.remove(end_all)
    bpy.types.VIEW3D_MT_object_quick_effects.remove(quick_menu)
    _classes_out()

"""The panels in Properties > Physics."""
import bpy

from . import gather, module, operators
from .cache import Cache


class _Panel:
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"
    roles = ()

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.rivulet.role in cls.roles

    def column(self):
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        return self.layout.column()


class RIVULET_PT_main(_Panel, bpy.types.Panel):
    bl_label = "Rivulet"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type in {"MESH", "EMPTY"}

    def draw(self, context):
        own, column = context.object.rivulet, self.column()
        column.prop(own, "role")
        try:
            module.load()
        except ImportError as error:
            column.label(text=str(error), icon="ERROR")
        {"DOMAIN": self.domain, "SOLID": self.solid, "SOURCE": self.flow, "DRAIN": self.flow}.get(
            own.role, lambda *_: None)(context, own, column)

    def domain(self, context, own, column):
        for setting in ("solver", "cell", "border"):
            column.prop(own, setting)
        _, size = gather.frame_of(context.object)
        nx, ny, nz = (round(s / own.cell) for s in size)
        cells = f"{nx} × {ny} × {nz}" if own.solver == "splat" else f"{nx} × {ny}"
        column.label(text=f"{cells} cells")
        column.separator()
        for setting in ("liquid", "thicker", "particles" if own.solver == "splat" else "spray", "speed", "extra"):
            column.prop(own, setting)

    def solid(self, context, own, column):
        if context.object.type != "MESH":
            column.label(text="Only meshes can be solids", icon="ERROR")
            return
        column.prop(own, "body")
        if own.body == "PLATE":
            column.prop(own, "thickness")
        column.prop(own, "motion")

    def flow(self, context, own, column):
        if own.role == "DRAIN":
            column.prop(own, "limited")
        if own.role == "SOURCE" or own.limited:
            column.prop(own, "rate")
            column.prop(own, "follow")


class RIVULET_PT_wetting(_Panel, bpy.types.Panel):
    bl_label = "Wetting"
    bl_parent_id = "RIVULET_PT_main"
    roles = ("SOLID",)

    def draw(self, context):
        thing, column = context.object, self.column()
        own = thing.rivulet
        column.prop(own, "own_angle")
        if own.own_angle:
            column.prop(own, "advancing")
            column.prop(own, "receding")
        column.prop(own, "map")
        if own.map == "GROUP":
            column.prop_search(own, "group", thing, "vertex_groups")
            column.prop(own, "affinity")
        elif own.map == "IMAGE":
            self.layout.template_ID(own, "image", open="image.open")


class RIVULET_PT_bake(_Panel, bpy.types.Panel):
    bl_label = "Bake"
    bl_parent_id = "RIVULET_PT_main"
    roles = ("DOMAIN",)

    def draw(self, context):
        domain, column = context.object, self.column()
        own, name = domain.rivulet, domain.name
        bake = operators.running(domain)
        settings = column.column()
        settings.enabled = bake is None
        for setting in ("folder", "first", "last", "threads"):
            settings.prop(own, setting)
        if bake:
            if hasattr(column, "progress"):  # Blender 4.0
                column.progress(factor=bake.share, text=f"{bake.text} {bake.share:.0%}")
            else:
                column.label(text=f"{bake.text}: {bake.share:.0%}", icon="TIME")
                column.split(factor=max(0.02, bake.share)).box().label(text="")
            column.operator("rivulet.stop", icon="CANCEL").domain = name
            return
        baked = Cache(gather.folder_of(domain)).frames()
        if not baked:
            column.operator("rivulet.bake", icon="PHYSICS").domain = name
        else:
            column.label(text=f"Frames {baked[0]} to {baked[-1]} are baked")
            if baked[-1] < own.last:
                go_on = column.operator("rivulet.bake", text="Resume", icon="PLAY")
                go_on.domain, go_on.resume = name, True
            column.operator("rivulet.free", icon="TRASH").domain = name
        if not bpy.data.filepath and own.folder.startswith("//"):
            column.label(text="Save the file to keep the cache", icon="INFO")


class RIVULET_PT_display(_Panel, bpy.types.Panel):
    bl_label = "Surface"
    bl_parent_id = "RIVULET_PT_main"
    bl_options = {"DEFAULT_CLOSED"}
    roles = ("DOMAIN",)

    def draw(self, context):
        own, column = context.object.rivulet, self.column()
        column.prop(own, "mesh")
        column.prop(own, "drops")
        if own.solver != "splat":
            column.prop(own, "close")
            column.prop(own, "sink")
        column.operator("rivulet.material", icon="MATERIAL").domain = context.object.name


register, unregister = bpy.utils.register_classes_factory(
    (RIVULET_PT_main, RIVULET_PT_wetting, RIVULET_PT_bake, RIVULET_PT_display))

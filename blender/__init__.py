"""rivulet in Blender: films, puddles and spills on the objects of a scene, baked to meshes that the scene plays.

module.py    where the Python module of the library is
settings.py  what objects say: domain, solid, source, drain, liquid at the start
gather.py    from Blender's objects to arrays and the dict of a scene
meshes.py    triangles in numpy: plates, closed liquid, maps seen from above
cache.py     frames and the state to go on from, as files
work.py      the bake, in a thread that knows nothing of Blender's data
play.py      frames of the cache as the mesh of an object
looks.py     materials and the nodes of droplets
operators.py, panels.py   what is seen of all that
"""
bl_info = {
    "name": "Rivulet liquid",
    "author": "the rivulet authors",
    "version": (1, 0, 0),
    "blender": (3, 4, 0),
    "location": "Properties > Physics > Rivulet; Object > Quick Effects > Quick Spill",
    "description": "Thin liquid on solid things: films, puddles, rivulets, drips, spills",
    "category": "Physics",
}

from . import operators, panels, play, settings

_PARTS = (settings, operators, panels, play)


def register():
    for part in _PARTS:
        part.register()


def unregister():
    for part in reversed(_PARTS):
        part.unregister()

"""How setuptools builds the Python module: CMake makes the extension, the scenes go along. `pip install .` needs what
`make` needs (docs/building.md); settings for CMake go into CMAKE_ARGS."""
import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
HEADER = (ROOT / "include/rivulet/base.h").read_text()
VERSION = ".".join(re.search(rf"RV_VERSION_{part} (\d+)", HEADER)[1] for part in ("MAJOR", "MINOR", "PATCH"))


class ByCMake(build_ext):
    """Builds the target rivulet_python in a folder of its own, or in $RIVULET_BUILD where that is configured."""

    def build_extension(self, extension):
        folder = Path(os.environ.get("RIVULET_BUILD", ROOT / "build/wheel")).resolve()
        ninja = ["-G", "Ninja"] if shutil.which("ninja") and not (folder / "CMakeCache.txt").exists() else []
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, *ninja, "-DCMAKE_BUILD_TYPE=Release", "-DRV_PYTHON=ON",
                        "-DRV_TESTS=OFF", "-DRV_EXAMPLES=OFF", "-DRV_PACKAGE=ON", *os.environ.get("CMAKE_ARGS", "").split()], check=True)
        subprocess.run(["cmake", "--build", folder, "--parallel", str(os.cpu_count() or 2), "--target", "rivulet_python"],
                       check=True)
        target = Path(self.get_ext_fullpath(extension.name)).parent
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(folder / "python/rivulet/_rivulet.abi3.so", target)
        if not self.inplace:
            (target / "scenes").mkdir(exist_ok=True)
            for scene in (ROOT / "scenes").iterdir():
                if scene.suffix in (".yaml", ".png"):
                    shutil.copy2(scene, target / "scenes")


setup(version=VERSION, cmdclass={"build_ext": ByCMake},
      ext_modules=[Extension("rivulet._rivulet", [], py_limited_api=True)],
      options={"bdist_wheel": {"py_limited_api": "cp311"}})

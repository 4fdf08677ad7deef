# Made by python/stubs.py from the table of parameters.
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from ._arrays import Numbers

class Key(Numbers):
    key: str
    type: Literal["float", "int", "bool", "str", "vector"]
    unit: str
    default: Any
    low: float | None
    high: float | None
    words: tuple[str, ...] | None
    meaning: str
    fixed: bool
    @property
    def text(self) -> str: ...

def keys(table: str = ...) -> dict[str, Key]: ...

class grid:
    @property
    def nx(self) -> int:
        """cells along x; in cells; 1 … 65536; default 100; cannot change while the world lives"""
    @nx.setter
    def nx(self, value: int | str) -> None: ...
    @property
    def ny(self) -> int:
        """cells along y; in cells; 1 … 65536; default 100; cannot change while the world lives"""
    @ny.setter
    def ny(self, value: int | str) -> None: ...
    @property
    def dx(self) -> float:
        """side of a cell; in m; 1e-06 … 1000; default 0.001; cannot change while the world lives"""
    @dx.setter
    def dx(self, value: float | str) -> None: ...
    @property
    def x(self) -> float:
        """x of the middle of the grid; in m; -1e+06 … 1e+06; default 0.0; cannot change while the world lives"""
    @x.setter
    def x(self, value: float | str) -> None: ...
    @property
    def y(self) -> float:
        """y of the middle of the grid; in m; -1e+06 … 1e+06; default 0.0; cannot change while the world lives"""
    @y.setter
    def y(self, value: float | str) -> None: ...
    @property
    def bottom(self) -> float:
        """lowest height; solid below it; in m; -1e+06 … 1e+06; default 0.0; cannot change while the world lives"""
    @bottom.setter
    def bottom(self, value: float | str) -> None: ...
    @property
    def top(self) -> float:
        """greatest height, a lid for the liquid; in m; -1e+06 … 1e+06; default 0.05; cannot change while the world lives"""
    @top.setter
    def top(self, value: float | str) -> None: ...
    @property
    def stretch(self) -> float:
        """vertical spacing of the terrain's samples over grid.dx; 0.05 … 20; default 1.0; cannot change while the world lives"""
    @stretch.setter
    def stretch(self, value: float | str) -> None: ...

class terrain:
    @property
    def keep(self) -> bool:
        """keep the distance field after casting (needed for rays and pictures); default True; cannot change while the world lives"""
    @keep.setter
    def keep(self, value: bool | str) -> None: ...

class time:
    @property
    def step(self) -> float:
        """one frame of the simulation; divided into substeps as stability needs; in s; 1e-06 … 10; default 0.01"""
    @step.setter
    def step(self, value: float | str) -> None: ...
    @property
    def end(self) -> float:
        """how long `run` simulates unless told otherwise; in s; 0 … 1e+06; default 5.0"""
    @end.setter
    def end(self, value: float | str) -> None: ...
    @property
    def safety(self) -> float:
        """share of the stability bound that is used; 0.05 … 1; default 0.9"""
    @safety.setter
    def safety(self, value: float | str) -> None: ...
    @property
    def substeps_max(self) -> int:
        """most substeps in a step; more are needed: counted as clipped in the statistics; 1 … 1e+06; default 1000"""
    @substeps_max.setter
    def substeps_max(self, value: int | str) -> None: ...

class liquid:
    @property
    def viscosity(self) -> float:
        """kinematic viscosity; in m2/s; 0 … 1e+06; default 1e-06"""
    @viscosity.setter
    def viscosity(self, value: float | str) -> None: ...
    @property
    def density(self) -> float:
        """density; in kg/m3; 0.001 … 1e+06; default 1000.0"""
    @density.setter
    def density(self, value: float | str) -> None: ...
    @property
    def contact(self) -> float:
        """contact angle: between the solid and the surface where they meet, in the liquid; in rad; 0 … 3.14159; default 0.7"""
    @contact.setter
    def contact(self, value: float | str) -> None: ...
    @property
    def tension(self) -> float:
        """surface tension; 0: none, and liquid spreads without end; in N/m; 0 … 10; default 0.0728"""
    @tension.setter
    def tension(self, value: float | str) -> None: ...
    @property
    def advancing(self) -> float:
        """contact angle at which liquid begins to wet a dry bed; in rad; 0 … 3.14159; default 1.0472"""
    @advancing.setter
    def advancing(self, value: float | str) -> None: ...
    @property
    def receding(self) -> float:
        """contact angle at which it draws back from a wet one; in rad; 0 … 3.14159; default 0.3491"""
    @receding.setter
    def receding(self, value: float | str) -> None: ...
    @property
    def uneven(self) -> float:
        """by how much the cost of wetting differs from place to place, as on real surfaces; 0 … 0.9; default 0.15"""
    @uneven.setter
    def uneven(self, value: float | str) -> None: ...
    @property
    def look(self) -> Literal["water", "blood", "coffee", "milk", "paint", "honey", "oil", "mercury"]:
        """what the liquid looks like in pictures; one of water, blood, coffee, milk, paint, honey, oil, mercury; default water"""
    @look.setter
    def look(self, value: Literal["water", "blood", "coffee", "milk", "paint", "honey", "oil", "mercury"] | str) -> None: ...

class tension:
    @property
    def on(self) -> bool:
        """let surface tension and wetting act on columns with the wet area, by liquid.tension; default True; cannot change while the world lives"""
    @on.setter
    def on(self, value: bool | str) -> None: ...
    @property
    def rest(self) -> float:
        """with surface tension: slower liquid sleeps until something touches it; 0: never; in m/s; 0 … 1; default 1e-05"""
    @rest.setter
    def rest(self, value: float | str) -> None: ...

class pipes:
    @property
    def area(self) -> Literal["wet", "cell"]:
        """cross-section of a pipe: the wet one, or the papers' whole cell; one of wet, cell; default wet"""
    @area.setter
    def area(self, value: Literal["wet", "cell"] | str) -> None: ...
    @property
    def slope(self) -> Literal["auto", "on", "off"]:
        """correct films on slopes for depth normal to the bed; auto: with the wet area; one of auto, on, off; default auto"""
    @slope.setter
    def slope(self, value: Literal["auto", "on", "off"] | str) -> None: ...
    @property
    def momentum(self) -> bool:
        """with the wet area: carry momentum along with the liquid; eight neighbours carry none; default True"""
    @momentum.setter
    def momentum(self, value: bool | str) -> None: ...
    @property
    def passages(self) -> Literal["none", "axis", "unified", "pressure"]:
        """how liquid flows through passages that are full to the ceiling; one of none, axis, unified, pressure; default pressure"""
    @passages.setter
    def passages(self, value: Literal["none", "axis", "unified", "pressure"] | str) -> None: ...
    @property
    def neighbours(self) -> Literal["four", "eight"]:
        """pipes of a column: along x and y, or also along the diagonals; one of four, eight; default four; cannot change while the world lives"""
    @neighbours.setter
    def neighbours(self, value: Literal["four", "eight"] | str) -> None: ...
    @property
    def kept(self) -> float:
        """share of the flux kept after one second; 0 … 1; default 0.5"""
    @kept.setter
    def kept(self, value: float | str) -> None: ...
    @property
    def kept_step(self) -> float:
        """share of the flux kept after each time.step, besides pipes.kept; 0 … 1; default 1.0"""
    @kept_step.setter
    def kept_step(self, value: float | str) -> None: ...
    @property
    def quotient(self) -> float:
        """viscosity quotient V: of a push P, in units of the next key, V P^3 is lost; 0 … 1; default 0.0"""
    @quotient.setter
    def quotient(self, value: float | str) -> None: ...
    @property
    def quotient_pressure(self) -> float:
        """the pressure that the quotient counts in; 0: that of liquid four cells deep; in Pa; 0 … 1e+09; default 0.0"""
    @quotient_pressure.setter
    def quotient_pressure(self, value: float | str) -> None: ...
    @property
    def quotient_holds(self) -> bool:
        """a push so strong that the quotient takes all of it stands still, as the paper has it; default False"""
    @quotient_holds.setter
    def quotient_holds(self, value: bool | str) -> None: ...
    @property
    def pipe_area(self) -> float:
        """area of pipes, as a multiple; 0.001 … 1000; default 1.0"""
    @pipe_area.setter
    def pipe_area(self, value: float | str) -> None: ...
    @property
    def pipe_length(self) -> float:
        """length of pipes, as a multiple; 0.05 … 1000; default 1.0"""
    @pipe_length.setter
    def pipe_length(self, value: float | str) -> None: ...
    @property
    def film(self) -> float:
        """the thinnest film that flows; in m; 0 … 1; default 1e-06"""
    @film.setter
    def film(self, value: float | str) -> None: ...
    @property
    def tolerance(self) -> float:
        """share of its height by which a full column's depth may drift in a substep; 1e-12 … 0.01; default 1e-08"""
    @tolerance.setter
    def tolerance(self, value: float | str) -> None: ...
    @property
    def iterations(self) -> int:
        """most iterations for the pressure of passages in a substep; 1 … 100000; default 200"""
    @iterations.setter
    def iterations(self, value: int | str) -> None: ...

class border:
    @property
    def west(self) -> Literal["wall", "open", "level", "inflow"]:
        """border at low x; one of wall, open, level, inflow; default wall"""
    @west.setter
    def west(self, value: Literal["wall", "open", "level", "inflow"] | str) -> None: ...
    @property
    def east(self) -> Literal["wall", "open", "level", "inflow"]:
        """border at high x; one of wall, open, level, inflow; default wall"""
    @east.setter
    def east(self, value: Literal["wall", "open", "level", "inflow"] | str) -> None: ...
    @property
    def south(self) -> Literal["wall", "open", "level", "inflow"]:
        """border at low y; one of wall, open, level, inflow; default wall"""
    @south.setter
    def south(self, value: Literal["wall", "open", "level", "inflow"] | str) -> None: ...
    @property
    def north(self) -> Literal["wall", "open", "level", "inflow"]:
        """border at high y; one of wall, open, level, inflow; default wall"""
    @north.setter
    def north(self, value: Literal["wall", "open", "level", "inflow"] | str) -> None: ...
    @property
    def west_level(self) -> float:
        """height held at a level border; in m; -1e+06 … 1e+06; default 0.0"""
    @west_level.setter
    def west_level(self, value: float | str) -> None: ...
    @property
    def east_level(self) -> float:
        """height held at a level border; in m; -1e+06 … 1e+06; default 0.0"""
    @east_level.setter
    def east_level(self, value: float | str) -> None: ...
    @property
    def south_level(self) -> float:
        """height held at a level border; in m; -1e+06 … 1e+06; default 0.0"""
    @south_level.setter
    def south_level(self, value: float | str) -> None: ...
    @property
    def north_level(self) -> float:
        """height held at a level border; in m; -1e+06 … 1e+06; default 0.0"""
    @north_level.setter
    def north_level(self, value: float | str) -> None: ...
    @property
    def west_rate(self) -> float:
        """volume rate of an inflow border; in m3/s; 0 … 1e+06; default 0.0"""
    @west_rate.setter
    def west_rate(self, value: float | str) -> None: ...
    @property
    def east_rate(self) -> float:
        """volume rate of an inflow border; in m3/s; 0 … 1e+06; default 0.0"""
    @east_rate.setter
    def east_rate(self, value: float | str) -> None: ...
    @property
    def south_rate(self) -> float:
        """volume rate of an inflow border; in m3/s; 0 … 1e+06; default 0.0"""
    @south_rate.setter
    def south_rate(self, value: float | str) -> None: ...
    @property
    def north_rate(self) -> float:
        """volume rate of an inflow border; in m3/s; 0 … 1e+06; default 0.0"""
    @north_rate.setter
    def north_rate(self, value: float | str) -> None: ...

class spray:
    @property
    def on(self) -> bool:
        """let liquid that rises faster than columns can hold fly as droplets; default False"""
    @on.setter
    def on(self, value: bool | str) -> None: ...
    @property
    def speed(self) -> float:
        """columns that rise faster throw droplets; in m/s; 0 … 1000; default 0.5"""
    @speed.setter
    def speed(self, value: float | str) -> None: ...
    @property
    def fastest(self) -> float:
        """no droplet is thrown up faster; in m/s; 0 … 1000; default 4.0"""
    @fastest.setter
    def fastest(self, value: float | str) -> None: ...
    @property
    def crest(self) -> float:
        """and stand over the mean of their neighbours by more, in cells; 0 … 100; default 0.25"""
    @crest.setter
    def crest(self, value: float | str) -> None: ...
    @property
    def share(self) -> float:
        """share of what rises there that leaves; 0 … 1; default 0.5"""
    @share.setter
    def share(self, value: float | str) -> None: ...
    @property
    def smallest(self) -> float:
        """radius of the smallest droplets, in cells; 0.001 … 10; default 0.1"""
    @smallest.setter
    def smallest(self, value: float | str) -> None: ...
    @property
    def largest(self) -> float:
        """radius of the largest droplets, in cells; 0.001 … 10; default 0.4"""
    @largest.setter
    def largest(self, value: float | str) -> None: ...
    @property
    def spread(self) -> float:
        """by how much of their speed droplets are thrown at random; 0 … 1; default 0.2"""
    @spread.setter
    def spread(self, value: float | str) -> None: ...
    @property
    def drag(self) -> float:
        """drag coefficient of droplets in air; 0 … 100; default 0.47"""
    @drag.setter
    def drag(self, value: float | str) -> None: ...
    @property
    def droplets(self) -> int:
        """most droplets in the air; 1 … 1e+07; default 20000"""
    @droplets.setter
    def droplets(self, value: int | str) -> None: ...
    @property
    def edges(self) -> bool:
        """with spray.on: liquid that runs over an edge falls as droplets; default True"""
    @edges.setter
    def edges(self, value: bool | str) -> None: ...
    @property
    def fall(self) -> float:
        """how far under an edge a column must be for this, in cells; 0.1 … 10000; default 3.0"""
    @fall.setter
    def fall(self, value: float | str) -> None: ...
    @property
    def grain(self) -> float:
        """distance between the particles of emitters and threads, in cells; 0.05 … 10; default 0.5"""
    @grain.setter
    def grain(self, value: float | str) -> None: ...
    @property
    def impact(self) -> bool:
        """what lands presses on the columns with its downward momentum, over a step; default False"""
    @impact.setter
    def impact(self, value: bool | str) -> None: ...

class drips:
    @property
    def on(self) -> bool:
        """with surface tension: liquid at overhanging edges hangs in beads, falls in drops; default True"""
    @on.setter
    def on(self, value: bool | str) -> None: ...
    @property
    def fly(self) -> bool:
        """threads under edges fall as droplets, which take their time and meet bodies; default False"""
    @fly.setter
    def fly(self, value: bool | str) -> None: ...

class dew:
    @property
    def on(self) -> bool:
        """small drops on the solids, finer than a cell: rain, sweat, and what they run into; default False; cannot change while the world lives"""
    @on.setter
    def on(self, value: bool | str) -> None: ...
    @property
    def rain(self) -> float:
        """drops that fall on a square metre, seen from above, in a second; in 1/m2/s; 0 … 1e+06; default 0.0"""
    @rain.setter
    def rain(self, value: float | str) -> None: ...
    @property
    def smallest(self) -> float:
        """diameter of the smallest of them; in m; 1e-06 … 1; default 0.0005"""
    @smallest.setter
    def smallest(self, value: float | str) -> None: ...
    @property
    def largest(self) -> float:
        """diameter of the largest of them; in m; 1e-06 … 1; default 0.002"""
    @largest.setter
    def largest(self, value: float | str) -> None: ...
    @property
    def slant_x(self) -> float:
        """how far they drift along x on a metre down; -10 … 10; default 0.0"""
    @slant_x.setter
    def slant_x(self, value: float | str) -> None: ...
    @property
    def slant_y(self) -> float:
        """how far they drift along y on a metre down; -10 … 10; default 0.0"""
    @slant_y.setter
    def slant_y(self, value: float | str) -> None: ...
    @property
    def sweat(self) -> float:
        """depth that condenses in a second on drops that sit on cold solids; in m/s; 0 … 1; default 0.0"""
    @sweat.setter
    def sweat(self, value: float | str) -> None: ...
    @property
    def seeds(self) -> float:
        """new drops on a square metre of cold solid in a second, with dew.sweat; in 1/m2/s; 0 … 1e+09; default 100000.0"""
    @seeds.setter
    def seeds(self, value: float | str) -> None: ...
    @property
    def seed_size(self) -> float:
        """radius of the foot of a new drop; in m; 1e-07 … 0.1; default 0.0001"""
    @seed_size.setter
    def seed_size(self, value: float | str) -> None: ...
    @property
    def evaporation(self) -> float:
        """depth that drops lose to the air in a second; in m/s; 0 … 1; default 0.0"""
    @evaporation.setter
    def evaporation(self, value: float | str) -> None: ...
    @property
    def uneven(self) -> float:
        """by how much the hold of the solid on drops differs from place to place; 0 … 0.95; default 0.3"""
    @uneven.setter
    def uneven(self, value: float | str) -> None: ...
    @property
    def spots(self) -> float:
        """size of places with the same hold; in m; 1e-06 … 1000; default 0.003"""
    @spots.setter
    def spots(self, value: float | str) -> None: ...
    @property
    def kinetic(self) -> float:
        """share of that hold that is left while a drop runs; 0 … 1; default 0.7"""
    @kinetic.setter
    def kinetic(self, value: float | str) -> None: ...
    @property
    def drag(self) -> float:
        """how fast a running drop loses speed to its own viscosity; in 1/s; 0 … 10000; default 50.0"""
    @drag.setter
    def drag(self, value: float | str) -> None: ...
    @property
    def residual(self) -> float:
        """mean share of a running drop that it leaves behind as a droplet; 0 … 0.6; default 0.01"""
    @residual.setter
    def residual(self, value: float | str) -> None: ...
    @property
    def spacing(self) -> float:
        """mean way from one of these to the next, in radii of the drop; 0.1 … 1000; default 1.0"""
    @spacing.setter
    def spacing(self, value: float | str) -> None: ...
    @property
    def gives(self) -> float:
        """a drop on a bed with a foot of this radius, in cells, goes over into columns; 0.1 … 100; default 2.0"""
    @gives.setter
    def gives(self, value: float | str) -> None: ...
    @property
    def takes(self) -> float:
        """liquid of one column among dry ones becomes a drop if its foot has a radius of less; 0 … 100; default 0.0"""
    @takes.setter
    def takes(self, value: float | str) -> None: ...
    @property
    def most(self) -> int:
        """most drops there may be; 1 … 1e+07; default 20000; cannot change while the world lives"""
    @most.setter
    def most(self, value: int | str) -> None: ...

class splat:
    @property
    def form(self) -> Literal["2d", "3d", "height"]:
        """particles in a vertical plane, in space, or as a height over the terrain; one of 2d, 3d, height; default 3d; cannot change while the world lives"""
    @form.setter
    def form(self, value: Literal["2d", "3d", "height"] | str) -> None: ...
    @property
    def method(self) -> Literal["narrow", "wide"]:
        """narrow: pressure is solved for; wide: it follows from the density in many small steps; one of narrow, wide; default narrow; cannot change while the world lives"""
    @method.setter
    def method(self, value: Literal["narrow", "wide"] | str) -> None: ...
    @property
    def radius(self) -> float:
        """reach of a particle, in cells; 1.5 … 7; default 3.0; cannot change while the world lives"""
    @radius.setter
    def radius(self, value: float | str) -> None: ...
    @property
    def spacing(self) -> float:
        """distance between particles at rest, in cells; 0.3 … 2; default 0.7; cannot change while the world lives"""
    @spacing.setter
    def spacing(self, value: float | str) -> None: ...
    @property
    def depth(self) -> float:
        """form height: what a layer of particles so far apart is deep, in cells; 0.001 … 1000; default 8.0; cannot change while the world lives"""
    @depth.setter
    def depth(self, value: float | str) -> None: ...
    @property
    def particles(self) -> int:
        """most particles there may be; 1 … 1e+08; default 1000000"""
    @particles.setter
    def particles(self, value: int | str) -> None: ...
    @property
    def stiffness(self) -> float:
        """k of the pressure k (density^gamma - 1), over gravity times the height of the grid; 0.001 … 1000; default 2.0"""
    @stiffness.setter
    def stiffness(self, value: float | str) -> None: ...
    @property
    def gamma(self) -> int:
        """how steeply the pressure rises with density; 1 … 7; default 5"""
    @gamma.setter
    def gamma(self, value: int | str) -> None: ...
    @property
    def rest(self) -> float:
        """density without pressure, over that of particles splat.spacing apart; 0.1 … 10; default 1.0"""
    @rest.setter
    def rest(self, value: float | str) -> None: ...
    @property
    def pic(self) -> float:
        """share of their own motion that particles lose to the grid's while sound crosses a cell; 0 … 1; default 0.2"""
    @pic.setter
    def pic(self, value: float | str) -> None: ...
    @property
    def slack(self) -> float:
        """pressure at rest, all that thinner liquid has, over gravity times that height; the paper: k; 0 … 1000; default 0.1"""
    @slack.setter
    def slack(self, value: float | str) -> None: ...
    @property
    def calm(self) -> float:
        """damping of motion that compresses: viscosity over cell times speed of sound; the paper: 0; 0 … 10; default 0.5"""
    @calm.setter
    def calm(self, value: float | str) -> None: ...
    @property
    def smooth(self) -> bool:
        """smooth the density once more before it is pressure; the paper: no; default True"""
    @smooth.setter
    def smooth(self, value: bool | str) -> None: ...
    @property
    def mirror(self) -> bool:
        """liquid goes on behind walls as in a mirror; the paper: there is none, and obstacles press; default True"""
    @mirror.setter
    def mirror(self, value: bool | str) -> None: ...
    @property
    def plain(self) -> bool:
        """the paper's form, whatever the four before say; splat.pic is then for each substep; default False; cannot change while the world lives"""
    @plain.setter
    def plain(self, value: bool | str) -> None: ...
    @property
    def foam(self) -> float:
        """how readily liquid that is struck or torn apart foams; method narrow; 0: never; 0 … 100; default 0.0"""
    @foam.setter
    def foam(self, value: float | str) -> None: ...
    @property
    def foam_life(self) -> float:
        """how long foam lives: after so long a third is left; in s; 0.001 … 1e+06; default 1.5"""
    @foam_life.setter
    def foam_life(self, value: float | str) -> None: ...

class glass:
    @property
    def tilt(self) -> float:
        """angle of the pane from lying flat; upright at 90 deg; in rad; 0 … 3.14159; default 1.5708"""
    @tilt.setter
    def tilt(self, value: float | str) -> None: ...
    @property
    def static(self) -> float:
        """the largest drop that stays where it is on an upright pane; in m3; 1e-15 … 1; default 1.2e-08"""
    @static.setter
    def static(self, value: float | str) -> None: ...
    @property
    def kinetic(self) -> float:
        """share of that friction that is left while a drop moves; 0 … 1; default 0.7"""
    @kinetic.setter
    def kinetic(self, value: float | str) -> None: ...
    @property
    def drag(self) -> float:
        """how fast a drop loses speed to its own viscosity; in 1/s; 0 … 10000; default 50.0"""
    @drag.setter
    def drag(self, value: float | str) -> None: ...
    @property
    def wind_x(self) -> float:
        """wind across the pane; in m/s; -100 … 100; default 0.0"""
    @wind_x.setter
    def wind_x(self, value: float | str) -> None: ...
    @property
    def wind_y(self) -> float:
        """wind up the pane; drops climb from about 8 m/s on; in m/s; -100 … 100; default 0.0"""
    @wind_y.setter
    def wind_y(self, value: float | str) -> None: ...
    @property
    def merge(self) -> float:
        """speed of merged drops over that of their common momentum; 0 … 10; default 1.1"""
    @merge.setter
    def merge(self, value: float | str) -> None: ...
    @property
    def residual(self) -> float:
        """mean share of a running drop that it leaves behind as a droplet; 0 … 0.6; default 0.2"""
    @residual.setter
    def residual(self, value: float | str) -> None: ...
    @property
    def residual_time(self) -> float:
        """how long after a droplet the rate of the next is full; in s; 0.001 … 1000; default 0.4"""
    @residual_time.setter
    def residual_time(self, value: float | str) -> None: ...
    @property
    def residual_rate(self) -> float:
        """that full rate, in droplets per glass.residual_time; 0 … 100; default 3.0"""
    @residual_rate.setter
    def residual_rate(self, value: float | str) -> None: ...
    @property
    def smooth(self) -> float:
        """how fast trails smooth out; in m2/s; 0 … 1; default 2e-06"""
    @smooth.setter
    def smooth(self, value: float | str) -> None: ...
    @property
    def erode(self) -> float:
        """speed with which the edges of trails draw in; in m/s; 0 … 1; default 0.015"""
    @erode.setter
    def erode(self, value: float | str) -> None: ...
    @property
    def cutoff(self) -> float:
        """thinner trails are dry; in m; 1e-09 … 1; default 5e-06"""
    @cutoff.setter
    def cutoff(self, value: float | str) -> None: ...
    @property
    def film(self) -> float:
        """thickness of the trail that a running drop leaves; in m; 0 … 1; default 4e-05"""
    @film.setter
    def film(self, value: float | str) -> None: ...
    @property
    def drain(self) -> float:
        """time in which what is thicker drains from a trail; in s; 0.0001 … 1000; default 0.03"""
    @drain.setter
    def drain(self, value: float | str) -> None: ...
    @property
    def stretch(self) -> float:
        """length of a drop's tail over its speed; in s; 0 … 10; default 0.02"""
    @stretch.setter
    def stretch(self, value: float | str) -> None: ...
    @property
    def look(self) -> float:
        """the cell of the paper: a drop looks ahead at three regions of 3 x 3 of these; in m; 1e-06 … 1; default 0.0004"""
    @look.setter
    def look(self, value: float | str) -> None: ...
    @property
    def caps(self) -> int:
        """most caps that make up a drop at rest; 1 … 5; default 5"""
    @caps.setter
    def caps(self, value: int | str) -> None: ...
    @property
    def sag(self) -> float:
        """by how much large drops are heavier at the lower end; 0 … 0.9; default 0.35"""
    @sag.setter
    def sag(self, value: float | str) -> None: ...
    @property
    def affinity(self) -> float:
        """by how much the pane's affinity for water varies around one half; 0 … 1; default 0.25; cannot change while the world lives"""
    @affinity.setter
    def affinity(self, value: float | str) -> None: ...
    @property
    def affinity_size(self) -> float:
        """size of the largest spots of like affinity; in m; 1e-05 … 1000; default 0.008; cannot change while the world lives"""
    @affinity_size.setter
    def affinity_size(self, value: float | str) -> None: ...
    @property
    def rain(self) -> float:
        """drops that fall on a square metre in a second; in 1/m2/s; 0 … 1e+06; default 0.0"""
    @rain.setter
    def rain(self, value: float | str) -> None: ...
    @property
    def sizes(self) -> Literal["paper", "marshall"]:
        """sizes of falling drops: paper: evenly spread up to glass.largest; marshall: Marshall and Palmer's; one of paper, marshall; default paper"""
    @sizes.setter
    def sizes(self, value: Literal["paper", "marshall"] | str) -> None: ...
    @property
    def largest(self) -> float:
        """largest falling drop over glass.static (paper: a fifth is over 1); 0.001 … 1000; default 1.25"""
    @largest.setter
    def largest(self, value: float | str) -> None: ...
    @property
    def intensity(self) -> float:
        """how hard it rains, for the sizes of marshall (2.8e-6 is 10 mm an hour); in m/s; 1e-09 … 0.001; default 2.8e-06"""
    @intensity.setter
    def intensity(self, value: float | str) -> None: ...
    @property
    def drops(self) -> int:
        """drops on the pane at first; 0 … 1e+06; default 0"""
    @drops.setter
    def drops(self, value: int | str) -> None: ...
    @property
    def keep(self) -> int:
        """rain as hard as it takes to hold this many drops; 0 … 1e+06; default 0"""
    @keep.setter
    def keep(self, value: int | str) -> None: ...
    @property
    def most(self) -> int:
        """most drops there may be; 1 … 1e+06; default 20000"""
    @most.setter
    def most(self, value: int | str) -> None: ...
    @property
    def evaporation(self) -> float:
        """depth that evaporates from a wet place in a second; in m/s; 0 … 1; default 0.0"""
    @evaporation.setter
    def evaporation(self, value: float | str) -> None: ...
    @property
    def mist(self) -> float:
        """share of dry glass that micro-droplets cover; 0 … 1; default 0.0"""
    @mist.setter
    def mist(self, value: float | str) -> None: ...
    @property
    def mist_return(self) -> float:
        """time in which they come back where they were wiped off; in s; 0.001 … 1e+06; default 25.0"""
    @mist_return.setter
    def mist_return(self, value: float | str) -> None: ...
    @property
    def wiper(self) -> bool:
        """a wiper sweeps the pane; default False"""
    @wiper.setter
    def wiper(self, value: bool | str) -> None: ...
    @property
    def wiper_x(self) -> float:
        """where the wiper turns, from the middle of the pane; in m; -1e+06 … 1e+06; default 0.0"""
    @wiper_x.setter
    def wiper_x(self, value: float | str) -> None: ...
    @property
    def wiper_y(self) -> float:
        """where the wiper turns, from the middle of the pane; in m; -1e+06 … 1e+06; default -0.1"""
    @wiper_y.setter
    def wiper_y(self, value: float | str) -> None: ...
    @property
    def wiper_inner(self) -> float:
        """from there to the near end of its blade; in m; 0 … 1e+06; default 0.02"""
    @wiper_inner.setter
    def wiper_inner(self, value: float | str) -> None: ...
    @property
    def wiper_length(self) -> float:
        """from there to the far end of its blade; in m; 0.001 … 1e+06; default 0.17"""
    @wiper_length.setter
    def wiper_length(self, value: float | str) -> None: ...
    @property
    def wiper_from(self) -> float:
        """its angle at one end of the way, from +x toward +y; in rad; -6.2832 … 6.2832; default 0.35"""
    @wiper_from.setter
    def wiper_from(self, value: float | str) -> None: ...
    @property
    def wiper_to(self) -> float:
        """its angle at the other end; in rad; -6.2832 … 6.2832; default 2.8"""
    @wiper_to.setter
    def wiper_to(self, value: float | str) -> None: ...
    @property
    def wiper_period(self) -> float:
        """time for there and back; in s; 0.05 … 1e+06; default 1.6"""
    @wiper_period.setter
    def wiper_period(self, value: float | str) -> None: ...
    @property
    def wiper_pause(self) -> float:
        """rest between two sweeps; in s; 0 … 1e+06; default 0.0"""
    @wiper_pause.setter
    def wiper_pause(self, value: float | str) -> None: ...
    @property
    def wiper_film(self) -> float:
        """share of the water it pushes that the blade leaves as droplets on 10 cm; 0 … 1; default 0.1"""
    @wiper_film.setter
    def wiper_film(self, value: float | str) -> None: ...

class swe:
    @property
    def advection(self) -> Literal["conserving", "semi"]:
        """how velocity is carried: so that momentum is kept, or traced back (semi-Lagrangian); one of conserving, semi; default conserving"""
    @advection.setter
    def advection(self, value: Literal["conserving", "semi"] | str) -> None: ...
    @property
    def order(self) -> int:
        """order of what is carried from cell to cell: 1 is robust and blurs, 2 is exact where smooth; 1 … 2; default 2"""
    @order.setter
    def order(self, value: int | str) -> None: ...
    @property
    def kept(self) -> float:
        """share of the velocity kept after one second; 0 … 1; default 1.0"""
    @kept.setter
    def kept(self, value: float | str) -> None: ...
    @property
    def slope(self) -> Literal["auto", "on", "off"]:
        """correct films on slopes for depth normal to the bed; auto: yes; one of auto, on, off; default auto"""
    @slope.setter
    def slope(self, value: Literal["auto", "on", "off"] | str) -> None: ...

class surface:
    @property
    def edge(self) -> bool:
        """end the surface inside cells, where the liquid does; no: at the middle of dry cells (the papers); default True"""
    @edge.setter
    def edge(self, value: bool | str) -> None: ...
    @property
    def curtain(self) -> bool:
        """hang a curtain where liquid falls over an edge; default True"""
    @curtain.setter
    def curtain(self, value: bool | str) -> None: ...
    @property
    def minimum(self) -> bool:
        """keep the surface over the terrain's triangles; no: as high as the columns, for comparing; default True"""
    @minimum.setter
    def minimum(self, value: bool | str) -> None: ...
    @property
    def boundary(self) -> bool:
        """end the surface level at dry columns; no: on their beds, for comparing; default True"""
    @boundary.setter
    def boundary(self, value: bool | str) -> None: ...
    @property
    def links(self) -> bool:
        """link columns of different layers; no: within layers only, for comparing; default True"""
    @links.setter
    def links(self, value: bool | str) -> None: ...
    @property
    def film(self) -> float:
        """the thinnest film that has a surface; in m; 0 … 1; default 1e-05"""
    @film.setter
    def film(self, value: float | str) -> None: ...
    @property
    def level(self) -> float:
        """density, over that at rest, where the surface of particles is; 0.01 … 1; default 0.35"""
    @level.setter
    def level(self, value: float | str) -> None: ...
    @property
    def droplets(self) -> bool:
        """droplets are part of the surface, and those that fly close together one liquid; default False"""
    @droplets.setter
    def droplets(self, value: bool | str) -> None: ...
    @property
    def average(self) -> bool:
        """draw means of the columns around each corner of a cell, as the tank paper does, not the columns; default False"""
    @average.setter
    def average(self, value: bool | str) -> None: ...
    @property
    def over(self) -> float:
        """least height of the surface over the bed, in cells; 0.0001 … 1; default 0.05"""
    @over.setter
    def over(self, value: float | str) -> None: ...
    @property
    def meniscus(self) -> bool:
        """bend the surface where it meets a solid, by the contact angle (in normals only); default True"""
    @meniscus.setter
    def meniscus(self, value: bool | str) -> None: ...
    @property
    def meniscus_length(self) -> float:
        """how far from the solid the surface is bent; in m; 1e-06 … 1; default 0.0028"""
    @meniscus_length.setter
    def meniscus_length(self, value: float | str) -> None: ...

class view:
    @property
    def azimuth(self) -> float:
        """direction the camera looks from, from +x toward +y; in rad; -1000 … 1000; default -1.05"""
    @azimuth.setter
    def azimuth(self, value: float | str) -> None: ...
    @property
    def elevation(self) -> float:
        """height of the camera as an angle; in rad; -1.57 … 1.57; default 0.7"""
    @elevation.setter
    def elevation(self, value: float | str) -> None: ...
    @property
    def zoom(self) -> float:
        """1 fits the whole grid into the picture; 0.01 … 100; default 1.0"""
    @zoom.setter
    def zoom(self, value: float | str) -> None: ...
    @property
    def lens(self) -> float:
        """vertical angle of view; in rad; 0.02 … 2.5; default 0.5"""
    @lens.setter
    def lens(self, value: float | str) -> None: ...
    @property
    def x(self) -> float:
        """what the camera looks at, from the grid's middle; in m; -1e+06 … 1e+06; default 0.0"""
    @x.setter
    def x(self, value: float | str) -> None: ...
    @property
    def y(self) -> float:
        """what the camera looks at, from the grid's middle; in m; -1e+06 … 1e+06; default 0.0"""
    @y.setter
    def y(self, value: float | str) -> None: ...
    @property
    def z(self) -> float:
        """what the camera looks at, from the terrain's middle; in m; -1e+06 … 1e+06; default 0.0"""
    @z.setter
    def z(self, value: float | str) -> None: ...
    @property
    def width(self) -> int:
        """width of pictures; in px; 16 … 8192; default 960"""
    @width.setter
    def width(self, value: int | str) -> None: ...
    @property
    def height(self) -> int:
        """height of pictures; in px; 16 … 8192; default 720"""
    @height.setter
    def height(self, value: int | str) -> None: ...
    @property
    def rate(self) -> float:
        """pictures a second in films; in 1/s; 1 … 240; default 30.0"""
    @rate.setter
    def rate(self, value: float | str) -> None: ...
    @property
    def speed(self) -> float:
        """simulated seconds in a second of film; 0.001 … 1000; default 1.0"""
    @speed.setter
    def speed(self, value: float | str) -> None: ...
    @property
    def opaque(self) -> float:
        """depth from which the liquid hides the bed; in m; 1e-06 … 1000; default 0.002"""
    @opaque.setter
    def opaque(self, value: float | str) -> None: ...
    @property
    def mode(self) -> Literal["shaded", "wire", "depth", "speed", "layers", "passages", "links", "boundary", "normals", "particles", "affinity"]:
        """what pictures show: the scene as it is, its triangles, or a quantity in colours; one of shaded, wire, depth, speed, layers, passages, links, boundary, normals, particles, affinity; default shaded"""
    @mode.setter
    def mode(self, value: Literal["shaded", "wire", "depth", "speed", "layers", "passages", "links", "boundary", "normals", "particles", "affinity"] | str) -> None: ...
    @property
    def samples(self) -> int:
        """samples a pixel against stair-stepped edges; 1 … 16; default 4"""
    @samples.setter
    def samples(self, value: int | str) -> None: ...
    @property
    def detail(self) -> float:
        """of a world of a million cells and more, made of heights: pixels under which cells are drawn together; 0: every cell is drawn; 0 … 64; default 1.0"""
    @detail.setter
    def detail(self, value: float | str) -> None: ...
    @property
    def exposure(self) -> float:
        """brightness of pictures; 0.001 … 1000; default 1.0"""
    @exposure.setter
    def exposure(self, value: float | str) -> None: ...
    @property
    def turn(self) -> float:
        """turns the light and the surroundings about z; in rad; -1000 … 1000; default 0.0"""
    @turn.setter
    def turn(self, value: float | str) -> None: ...
    @property
    def studio(self) -> Literal["plain", "neutral", "warm"]:
        """the lamps around a scene that names no environment of its own; one of plain, neutral, warm; default plain"""
    @studio.setter
    def studio(self, value: Literal["plain", "neutral", "warm"] | str) -> None: ...
    @property
    def caustics(self) -> bool:
        """liquid throws shadows, and clear liquid gathers the lamp's light under it; default True"""
    @caustics.setter
    def caustics(self, value: bool | str) -> None: ...
    @property
    def capped(self) -> bool:
        """turn normals of a convex rim toward the eye; no: its outline is black, for comparing; default True"""
    @capped.setter
    def capped(self, value: bool | str) -> None: ...
    @property
    def aperture(self) -> float:
        """radius of the camera's lens: what is not in focus is blurred; 0: all is sharp; in m; 0 … 1000; default 0.0"""
    @aperture.setter
    def aperture(self, value: float | str) -> None: ...
    @property
    def focus(self) -> float:
        """how far behind what the camera looks at things are sharp; less than 0: before it; in m; -1e+06 … 1e+06; default 0.0"""
    @focus.setter
    def focus(self, value: float | str) -> None: ...
    @property
    def shutter(self) -> float:
        """share of the time between two pictures of a film that one of them shows; 0: none; 0 … 1; default 0.0"""
    @shutter.setter
    def shutter(self, value: float | str) -> None: ...
    @property
    def exposures(self) -> int:
        """pictures that are laid over each other for view.aperture and view.shutter; 1 … 256; default 16"""
    @exposures.setter
    def exposures(self, value: int | str) -> None: ...
    @property
    def bokeh(self) -> float:
        """radius of a light out of focus behind a pane, in heights of the picture; 0: all is sharp; 0 … 0.2; default 0.032"""
    @bokeh.setter
    def bokeh(self, value: float | str) -> None: ...
    @property
    def fog(self) -> float:
        """how much the mist on a pane hides; 0 … 1; default 0.75"""
    @fog.setter
    def fog(self, value: float | str) -> None: ...
    @property
    def alpha(self) -> bool:
        """draw the water on a pane alone, and its cover as the picture's alpha; default False"""
    @alpha.setter
    def alpha(self, value: bool | str) -> None: ...
    @property
    def material(self) -> Literal["plain", "bone", "tissue", "ceramic", "wood", "steel"]:
        """what the terrain looks like in pictures; one of plain, bone, tissue, ceramic, wood, steel; default plain"""
    @material.setter
    def material(self, value: Literal["plain", "bone", "tissue", "ceramic", "wood", "steel"] | str) -> None: ...

class Params(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any: ...
    def __setitem__(self, key: str, value: Any) -> None: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def update(self, changes: Mapping[str, Any]) -> None: ...
    @property
    def grid(self) -> grid: ...
    @property
    def terrain(self) -> terrain: ...
    @property
    def time(self) -> time: ...
    @property
    def liquid(self) -> liquid: ...
    @property
    def tension(self) -> tension: ...
    @property
    def pipes(self) -> pipes: ...
    @property
    def border(self) -> border: ...
    @property
    def spray(self) -> spray: ...
    @property
    def drips(self) -> drips: ...
    @property
    def dew(self) -> dew: ...
    @property
    def splat(self) -> splat: ...
    @property
    def glass(self) -> glass: ...
    @property
    def swe(self) -> swe: ...
    @property
    def surface(self) -> surface: ...
    @property
    def view(self) -> view: ...
    @property
    def solver(self) -> Literal["pipes", "swe", "splat", "glass"]:
        """which solver moves the liquid; one of pipes, swe, splat, glass; default pipes; cannot change while the world lives"""
    @solver.setter
    def solver(self, value: Literal["pipes", "swe", "splat", "glass"] | str) -> None: ...
    @property
    def gravity(self) -> tuple[float, float, float]:
        """acceleration by weight: a number, downward, or a vector "x y z", as in a tilted tray; in m/s2; 0 … 1000; default (0.0, 0.0, -9.81)"""
    @gravity.setter
    def gravity(self, value: tuple[float, float, float] | str) -> None: ...
    @property
    def seed(self) -> int:
        """seed of everything random; 0 … 2.14748e+09; default 1"""
    @seed.setter
    def seed(self, value: int | str) -> None: ...

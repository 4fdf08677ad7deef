# make help lists what can be made. CMake does the work; this file makes it two words long.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
TEST_JOBS ?= 2
FUZZ_SECONDS ?= 30
SOAK_HOURS ?= 1
SOAK_BUDGET ?=
SOAK_SEED ?= 1
SOAK_RANDOM ?= 1000
SOAK_CALM ?= 60
SOAK_CELLS ?= 400
PORT ?= 8000
CARD_STEPS ?= 1000
PYTHON ?= $(if $(wildcard /usr/bin/python3),/usr/bin/python3,python3)
WEB_MINUTES ?= 60
LABEL ?= quick
FILM_SIZE ?= 1920x1080
FILM_SECONDS ?= 7

# Ninja where it is there; a build folder that exists keeps the generator it was made with.
configure = cmake --preset $(1) \
	$$(test -f build/$(1)/CMakeCache.txt || ! command -v ninja >/dev/null || echo -G Ninja)
build = cmake --build build/$(1) --parallel $(JOBS)
sources = $$(find include src io render gl app web python mpi examples tests fuzz -name '*.[ch]' 2>/dev/null)

.PHONY: release debug sanitize demo check test python blender mpi package tsan fuzz soak web card-hashes web-hashes web-speed web-soak serve browser \
	thumbs install docs validation gallery film golden format tidy clean help packages packages-demo packages-test packages-fuzz \
	packages-plots packages-python packages-blender packages-mpi packages-package packages-web
.DEFAULT_GOAL := release
.NOTPARALLEL:

release: build/release/.configured
	@$(call build,release)

debug: build/debug/.configured
	@$(call build,debug)

sanitize: build/sanitize/.configured
	@$(call build,sanitize)

build/release/.configured: CMakePresets.json | packages
	@$(call configure,release)
	@touch $@

build/debug/.configured build/sanitize/.configured build/soak/.configured build/tsan/.configured: build/%/.configured: CMakePresets.json | packages-test
	@$(call configure,$*)
	@touch $@

build/fuzz/.configured: CMakePresets.json | packages-fuzz
	@$(call configure,fuzz)
	@touch $@

packages:
	@sh cmake/packages.sh build

packages-demo:
	@sh cmake/packages.sh build demo

packages-test:
	@sh cmake/packages.sh build demo test

packages-plots:
	@sh cmake/packages.sh build plots

packages-python:
	@sh cmake/packages.sh build python

packages-blender:
	@sh cmake/packages.sh blender

packages-mpi:
	@sh cmake/packages.sh build mpi

packages-package:
	@sh cmake/packages.sh build demo package

packages-web:
	@sh cmake/packages.sh web

packages-fuzz:
	@sh cmake/packages.sh build fuzz

demo: packages-demo release
	@mkdir -p out
	build/release/rivulet run surgery --time 3 --image out/surgery.png --video out/surgery.mp4
	@echo
	@echo "The last moment is in out/surgery.png, the whole film in out/surgery.mp4."

# The Python module, with the release build; WHEEL=1 leaves a wheel in build/ too. From this folder `import rivulet`
# finds it by the link that is left here.
python: packages-python build/release/.configured
	@cmake -DRV_PYTHON=ON build/release >/dev/null
	@$(call build,release) --target rivulet_python
	@ln -sfn build/release/python/rivulet rivulet
	@if [ -n "$(WHEEL)" ]; then $(PYTHON) -m pip wheel --no-build-isolation --no-deps -q -w build . && ls build/*.whl; fi
	@echo "From this folder: $(PYTHON) -c 'import rivulet'. From others: PYTHONPATH=$(CURDIR)/build/release/python"

# The Blender add-on with the Python module in it, as a zip that Blender installs.
blender: python
	@rm -rf build/blender build/rivulet_liquid.zip
	@mkdir -p build/blender/rivulet_liquid/module
	@cp blender/*.py blender/blender_manifest.toml LICENSE build/blender/rivulet_liquid/
	@cp -r build/release/python/rivulet build/blender/rivulet_liquid/module/
	@rm -rf build/blender/rivulet_liquid/module/rivulet/__pycache__
	@cd build/blender && cmake -E tar cf ../rivulet_liquid.zip --format=zip rivulet_liquid
	@echo "build/rivulet_liquid.zip: in Blender, Preferences > Add-ons > Install (docs/blender.md)"

# rivulet-mpi and the library rivulet_mpi, with the release build.
mpi: packages-mpi build/release/.configured
	@cmake -DRV_MPI=ON build/release >/dev/null
	@$(call build,release) --target rivulet-mpi
	@echo "mpirun -n 4 build/release/rivulet-mpi --help (docs/scale.md, docs/study.md)"

# Debian packages with a build of their own, and a smoke test of what is in them. SMOKE=FOLDER tries them in a fresh
# system there as well (docs/building.md).
package: packages-package
	@cmake -S . -B build/package $$(test -f build/package/CMakeCache.txt || ! command -v ninja >/dev/null || echo -G Ninja) \
		-DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DBUILD_SHARED_LIBS=ON -DRV_TESTS=OFF \
		-DRV_EXAMPLES=OFF -DRV_MPI=OFF -DRV_PACKAGE=ON -DRV_PYTHON=ON -DRV_PYTHON_DIR=lib/python3/dist-packages >/dev/null
	@$(call build,package)
	@rm -rf build/packages
	@cd build/package && cpack -G DEB -B ../packages >cpack.log || { cat cpack.log; exit 1; }
	@rm -rf build/packages/_CPack_Packages
	@sh cmake/smoke.sh build/packages $(SMOKE)
	@ls build/packages

# The page is built anew where all that its test needs is there; else that test is skipped.
test: sanitize
	@if command -v emcc >/dev/null && test -d build/browser/node_modules; then $(MAKE) web; \
	else echo "The test of the page is skipped: make packages-web browser installs what it needs."; fi
	@cd build/sanitize && ctest --output-on-failure --no-tests=error -j$(TEST_JOBS)

# The quick ones: about a minute once it is built. LABEL=gl runs those with that label instead.
check: sanitize
	@cd build/sanitize && ctest --output-on-failure --no-tests=error -j$(TEST_JOBS) -L '^$(LABEL)$$'

# The tests in which several threads use a world or a pool, under the thread sanitizer, and the short soak: every scene, with
# all that the viewer does to one, stepped by two threads.
tsan: build/tsan/.configured
	@$(call build,tsan) --target test_frame test_jobs test_query test_reading test_soak
	@cd build/tsan && ctest --output-on-failure --no-tests=error -L '^threads$$'

# FUZZ="stl gltf" runs these targets only.
fuzz: build/fuzz/.configured
	@$(call build,fuzz) --target $$(ls fuzz/fuzz_*.c | sed 's,fuzz/,,; s/\.c$$//')
	@sh fuzz/run.sh build/fuzz $(FUZZ_SECONDS) $(FUZZ)

# Random scenes, parameters at the ends of their ranges, then SOAK_HOURS of each scene, in bursts with calm between them, on
# grids of about SOAK_CELLS: some hours. With SOAK_BUDGET=20 a scene ends after 20 s of wall clock and says how far it came.
# SOAK_SCENE="bowl" soaks that one only; SOAK_CALM=0 SOAK_CELLS=0 has bursts alone, on whole grids: days.
# docs/reliability.md says what the last run found; scenes that fail lie in build/soak/failed.
soak: build/soak/.configured
	@$(call build,soak) --target test_soak test_random
	@mkdir -p build/soak/failed
	$(if $(SOAK_SCENE),,@build/soak/tests/test_random --out build/soak/failed --seconds 120 --ends \
		--seeds $(SOAK_SEED) $$(($(SOAK_SEED) + $(SOAK_RANDOM) - 1)) \
		--pairs $(SOAK_SEED) $$(($(SOAK_SEED) + $(SOAK_RANDOM) - 1)))
	@build/soak/tests/test_soak --hours $(SOAK_HOURS) $(if $(SOAK_BUDGET),--budget $(SOAK_BUDGET)) \
		--calm $(SOAK_CALM) --cells $(SOAK_CELLS) --seed $(SOAK_SEED) $(if $(SOAK_SCENE),--scene $(SOAK_SCENE))

# Twice, without threads and with them. Debian's Emscripten looks for its own parts below /usr/share/nodejs.
web: packages-web
	@sh web/sources.sh build/web-sources
	@for kind in objects threads; do \
		test -f build/web-$$kind/CMakeCache.txt || emcmake cmake -S . -B build/web-$$kind --log-level=WARNING \
			$$(command -v ninja >/dev/null && echo -G Ninja) -DCMAKE_BUILD_TYPE=Release \
			-DRV_WEB_SOURCES=$(CURDIR)/build/web-sources \
			-DRV_WEB_THREADS=$$(test $$kind = threads && echo ON || echo OFF) >/dev/null || exit 1; \
		NODE_PATH=/usr/share/nodejs cmake --build build/web-$$kind --parallel $(JOBS) || exit 1; \
	done
	@node web/pack.mjs build/web build/web-objects/web build/web-threads/web

# What the test of the page drives: a browser, and npm's playwright-core.
browser:
	@sh cmake/packages.sh browser
	@test -d build/browser/node_modules/playwright-core || \
		npm install --silent --no-fund --no-audit --prefix build/browser playwright-core

# Every scene of columns for CARD_STEPS steps on the card and here; NAMES="leaf coffee": these only.
card-hashes: release
	@sh tests/card_hashes.sh build/release/rivulet $(CARD_STEPS) $(NAMES)

# Every scene for 100 steps in the page and by the command, where make test does fewer; some minutes.
web-hashes: web browser release
	@SOURCE=$(CURDIR) RIVULET=$(CURDIR)/build/release/rivulet WEB_STEPS=100 \
		sh tests/test_web.sh 'the hashes of the command'

# What a step takes in the page and by the command; NAMES="coffee surgery" times these only.
web-speed: web browser release
	@node web/test/speed.mjs build/web build/release/rivulet $(CURDIR) \
		$(CURDIR)/build/browser/node_modules/playwright-core $(NAMES)

# The page for an hour, or WEB_MINUTES=N, with everything done to it at random: does it grow?
web-soak: web browser
	@node web/test/soak.mjs build/web $(CURDIR)/build/browser/node_modules/playwright-core $(WEB_MINUTES)

# PORT=N takes another port.
serve: web
	@node web/serve.mjs build/web $(PORT)

# The gallery's moving pictures; NAMES="coffee bowl" draws these only.
thumbs: packages-demo release
	@sh web/thumbs.sh build/release/rivulet $(NAMES)

# The prefix is compiled into the command, which looks for its scenes there.
install: release
	@cmake -DCMAKE_INSTALL_PREFIX="$(abspath $(PREFIX))" build/release >/dev/null
	@$(call build,release)
	@cmake --install build/release

docs: python release
	@build/release/rivulet params --markdown > docs/parameters.md.new
	@mv docs/parameters.md.new docs/parameters.md
	@PYTHONPATH=build/release/python $(PYTHON) python/stubs.py > build/params.pyi
	@mv build/params.pyi python/rivulet/_params.pyi
	@echo "docs/parameters.md and the types of the Python module are up to date."

# Runs every case and writes what it found; takes some minutes.
# CASES="splat dam" runs these only, and leaves the rest of the page as it is.
validation: packages-plots release
	@sh docs/validation.sh build/release/rivulet $(CASES)

# NAMES="surgery views" draws these only.
gallery: packages-test release
	@sh docs/gallery.sh build/release/rivulet $(NAMES)

# A film of shipped scenes, under a minute: an hour or more without a graphics card. FILM_SIZE=320x180 FILM_SECONDS=1
# tries it out.
film: packages-demo release
	@sh docs/film.sh build/release/rivulet $(FILM_SIZE) out/film.mp4 $(FILM_SECONDS)

golden: sanitize
	@cd build/sanitize && RIVULET_GOLDEN=write ctest --output-on-failure -R '^golden$$'
	@echo "Look at the pictures in tests/golden/ before they are committed."

format:
	@sh cmake/packages.sh format
	@clang-format -i $(sources)

tidy: debug
	@sh cmake/packages.sh tidy
	@clang-tidy --quiet -p build/debug $$(find src io render app -name '*.c' ! -name '*_simd.c')

clean:
	rm -rf build out
	rm -f rivulet

help:
	@echo "make            build the release preset: build/release/rivulet"
	@echo "make demo       build, then leave a picture and a film of the surgery scene in out/"
	@echo "make check      build with sanitizers and run the quick tests, about a minute; LABEL=$(LABEL),"
	@echo "                or slow, gl, command, web, mpi, fuzz, threads"
	@echo "make test       build with sanitizers and run all tests"
	@echo "make tsan       build with the thread sanitizer and run the tests of threads"
	@echo "make fuzz       try the file readers with random files, FUZZ_SECONDS=$(FUZZ_SECONDS) each"
	@echo "make soak       run SOAK_RANDOM=$(SOAK_RANDOM) random scenes, parameters at their limits, and every scene for"
	@echo "                SOAK_HOURS=$(SOAK_HOURS) simulated while everything is done to it: days; SOAK_BUDGET=20: 20 s each"
	@echo "make python     build the Python module; \`import rivulet\` works from here. WHEEL=1 makes a wheel"
	@echo "make blender    make the Blender add-on: build/rivulet_liquid.zip"
	@echo "make mpi        build rivulet-mpi, for several machines: build/release/rivulet-mpi"
	@echo "make package    make Debian packages in build/packages: command, library, headers, Python module"
	@echo "make web        build the page: build/web/ for any static host, build/web/rivulet.html as one file"
	@echo "make serve      build the page and show it at http://127.0.0.1:$(PORT)/"
	@echo "make browser    install Chromium and playwright-core, for the page's test in make test"
	@echo "make card-hashes compare every scene of columns after CARD_STEPS=$(CARD_STEPS) steps on the card with the processor"
	@echo "make web-hashes compare every scene after 100 steps in the page with the command"
	@echo "make web-speed  time steps in the page beside the command's"
	@echo "make web-soak   use the page at random for WEB_MINUTES=$(WEB_MINUTES): does it grow?"
	@echo "make thumbs     draw the moving pictures of the page's gallery anew"
	@echo "make install    install under PREFIX (now $(PREFIX)); DESTDIR is honoured"
	@echo "make debug      build the debug preset: build/debug/rivulet"
	@echo "make docs       write docs/parameters.md, and the types for Python, from the table of parameters"
	@echo "make validation compare with exact solutions, draw it, and write docs/validation.md; CASES=\"dam wave\""
	@echo "make gallery    draw the pictures of docs/ and the README, and write docs/gallery.md; NAMES=\"coffee bowl\""
	@echo "make film       make a film of the scenes, under a minute: out/film.mp4; FILM_SIZE=$(FILM_SIZE)"
	@echo "make golden     draw the pictures that the test golden compares with anew"
	@echo "make format     format all sources"
	@echo "make tidy       run clang-tidy over the sources"
	@echo "make clean      remove build/, out/ and the link of make python"
	@echo "JOBS=N          compile N files at once (now $(JOBS)); TEST_JOBS=N the same for tests"

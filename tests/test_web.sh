#!/bin/sh
# The page in headless Chromium: every scene, hashes, mouse, touch, sliders, files, pictures (web/test/browser.mjs).
# What it needs is not everywhere: without it the test counts as skipped, and says how to get it.
set -u
web=$SOURCE/build/web
driver=$SOURCE/build/browser/node_modules/playwright-core

skip() {
    echo "skipped: $1"
    echo "make browser installs a browser and its driver, make web builds the page"
    exit 77
}
command -v node >/dev/null || skip "there is no node"
[ -f "$web/rivulet.wasm" ] || skip "the page is not built"
[ -d "$driver" ] || skip "there is no playwright-core"
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)} ||
    skip "there is no Chromium"
export CHROMIUM
exec node "$SOURCE/web/test/browser.mjs" "$web" "$RIVULET" "$SOURCE" "$driver" "$@"

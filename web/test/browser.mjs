// The page in a real browser: node web/test/browser.mjs BUILD-WEB RIVULET SOURCE DRIVER
// DRIVER is the folder of playwright-core. Each test stands alone; a failure says what was expected.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serve } from '../serve.mjs';
import { compareInPage } from './look.mjs';

const [folder, rivulet, source, driver, only] = process.argv.slice(2);
const { chromium } = createRequire(join(driver, 'package.json'))('playwright-core');
const sent = [];
const { server, url } = await serve(folder, 0, { threads: false, sent });
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
        '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});

// ---- What the tests share

let failures = 0;
function expect(good, what) {
    if (!good) throw new Error(what);
}

// Messages of the browser that are not ours: a browser that composes pages without a GPU reads the canvas back, and
// says so.
const notOurs = /GPU stall due to ReadPixels/;

async function open(path, { at = url, size = { width: 320, height: 240 }, init = null, ...more } = {}) {
    const context = await browser.newContext({ viewport: size, ...more });
    const page = await context.newPage();
    page.said = [];
    page.on('console', m => { if (!notOurs.test(m.text())) page.said.push(`${m.type()}: ${m.text()}`); });
    page.on('pageerror', e => page.said.push(`error: ${e.message}`));
    if (init) await page.addInitScript(init);
    await page.goto(at + path);
    page.end = () => context.close();
    return page;
}

// A scene on the page that most tests share, standing still, at its beginning; loading a page takes seconds.
let shared = null;
async function openStill(name, { size = { width: 320, height: 240 }, ...more } = {}) {
    const alone = Object.keys(more).length > 0;
    let page = alone ? null : shared;
    if (!page) {
        page = await open('?quality=1&plain=bowl', { size, ...more });
        await page.evaluate(() => window.rivulet.ready);
        if (!alone) {
            shared = page;
            page.end = () => {};
        }
    }
    page.said.length = 0;
    await page.mouse.up(); // a test that failed may have left the button down
    await page.mouse.move(0, 0);
    await page.setViewportSize(size);
    await page.evaluate(async n => {
        document.body.classList.remove('panel');
        window.rivulet.pause();
        if (n) await window.rivulet.open(n);
    }, name);
    return page;
}

const frames = (page, count) => page.evaluate(n => new Promise(done => {
    const next = () => (n-- > 0 ? requestAnimationFrame(next) : done());
    next();
}), count);

// The command's hash. They are worked out one after another beside what the browser does.
let last = Promise.resolve();
function native(scene, steps) {
    const run = () => new Promise((done, failed) => {
        const more = { env: { ...process.env, RIVULET_SCENES: join(source, 'scenes') } };
        execFile(rivulet, ['run', scene, '--steps', String(steps), '--quiet'], more, (problem, said) => (problem ? failed(problem) : done(/hash (\w+)/.exec(said)[1])));
    });
    last = last.then(run, run);
    return last;
}

const tests = [];
const test = (name, body) => tests.push([name, body]);

// ---- Scenes

// So many steps each; `make web-hashes` gives WEB_STEPS=100 for all of them, which takes some minutes.
const full = ['three-layers', 'tank-throw-thick', 'swe-dam-break', 'glass-merge', 'puddle'];
const slow = ['splat-3d-125k', 'splat-3d-jet', 'splat-2d-64k', 'glass-storm'];
const every = Number(process.env.WEB_STEPS ?? 0);

test('every scene opens without a message, with the hashes of the command', async () => {
    const page = await openStill('', { size: { width: 160, height: 120 } });
    const scenes = await page.evaluate(() => window.rivulet.scenes());
    expect(scenes.length >= 29, `${scenes.length} scenes`);
    const stepsOf = name => every || (full.includes(name) ? 100 : slow.includes(name) ? 1 : 4);
    const differ = [];
    const wanted = new Map(scenes.map(name => [name, native(name, stepsOf(name)).catch(problem => problem.message)]));
    for (const name of scenes) {
        const steps = stepsOf(name), began = Date.now();
        const hash = await page.evaluate(async ([n, count]) => {
            if (!await window.rivulet.open(n)) return `not opened: ${window.rivulet.state().message}`;
            const step = Number(window.rivulet.get('time.step'));
            if (window.rivulet.step(count * step) !== count) return 'stopped';
            return window.rivulet.hash();
        }, [name, steps]);
        await frames(page, 2);
        const other = await wanted.get(name);
        if (hash !== other) differ.push(`${name}, ${steps} steps: ${hash}, the command has ${other}`);
        if (every) console.log(`      ${name} ${hash} ${hash === other ? 'as the command' : 'DIFFERS'} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
        expect(page.said.length === 0, `${name}: ${page.said.join('\n')}`);
    }
    expect(differ.length === 0, differ.join('\n'));
    await page.end();
});

test('a large pane takes less than 300 MiB', async () => {
    // a page of its own: memory does not shrink, and a scene that was open before it counts until it is closed
    const page = await openStill('glass-storm', { colorScheme: 'dark' });
    await frames(page, 2);
    const memory = await page.evaluate(() => window.rivulet.memory());
    expect(memory < 300 * 2 ** 20, `${memory / 2 ** 20} MiB`);
    await page.end();
});

for (const name of ['bowl', 'surgery', 'tank-throw-thin', 'glass-merge', 'viscosity-4e-5'])
    test(`${name} looks as it did`, async () => {
        const page = await openStill(name, { size: { width: 192, height: 144 } });
        const bytes = await page.evaluate(() => {
            const r = window.rivulet, step = Number(r.get('time.step')), end = Number(r.get('time.end'));
            r.set('view.samples', '4');
            r.step(Math.min(100, Math.ceil(end / step)) * step);
            return btoa(String.fromCharCode(...r.picture()));
        });
        const then = readFileSync(join(source, 'tests/golden', `${name}.png`)).toString('base64');
        const found = await page.evaluate(compareInPage, [bytes, then]);
        // As the command's own pictures are compared: drivers differ in where an edge falls within a pixel.
        expect(found.mean <= 0.006 && found.share <= 0.005, `${name}: ${JSON.stringify(found)}`);
        await page.end();
    });

// ---- Hands

test('the mouse pours and drills, the wheel zooms', async () => {
    const page = await openStill('three-layers', { size: { width: 480, height: 480 } });
    await page.evaluate(() => window.rivulet.pause(false));
    await page.mouse.move(250, 170);
    await page.mouse.down();
    await page.waitForFunction(() => window.rivulet.state().poured > 0, null, { timeout: 60000 });
    await page.mouse.up();
    await page.evaluate(() => document.querySelector('[data-tool="drill"]').click());
    await page.mouse.move(255, 175);
    await page.mouse.down();
    await page.waitForFunction(() => window.rivulet.state().edits > 0, null, { timeout: 60000 });
    await page.mouse.up();
    const before = await page.evaluate(() => window.rivulet.state().zoom);
    await page.mouse.wheel(0, -300);
    await page.waitForFunction(z => window.rivulet.state().zoom > 1.2 * z, before);
    expect(page.said.length === 0, page.said.join('\n'));
    await page.end();
});

// A pool at rest with a bed that takes paint, seen from straight above, so that a pixel is a place.
const pool = `name: pool
grid: {nx: 60, ny: 60, dx: 1 mm, bottom: 0, top: 60 mm}
time: {step: 4 ms, end: 10 s}
liquid: {preset: water}
solids:
  - {shape: plane, at: 0 0 4 mm}
fills:
  - {kind: level, level: 10 mm}
view: {elevation: 80 deg}
`;

test('add, throw, stir, paint and tilt', async () => {
    const page = await openStill('', { size: { width: 300, height: 400 } });
    const state = () => page.evaluate(() => window.rivulet.state());
    // Does it again until it shows: how much one gesture does depends on how fast this machine draws.
    const until = async (what, then, again) => {
        for (let left = 12; ; left--) {
            await again();
            try {
                return await page.waitForFunction(what, then, { timeout: 5000 });
            } catch (problem) {
                if (left === 0) throw new Error(`${what} never came: ${JSON.stringify(await state())}`);
            } finally {
                await page.mouse.up();
            }
        }
    };
    const tool = name => page.evaluate(n => document.querySelector(`[data-tool="${n}"]`).click(), name);
    const drag = async (x, y) => {
        await page.mouse.move(150, 130);
        await page.mouse.down();
        for (let i = 1; i <= 3; i++) {
            await page.mouse.move(150 + i * x / 3, 130 + i * y / 3);
            await frames(page, 1);
        }
    };
    expect(await page.evaluate(text => window.rivulet.open('pool.yaml', text), pool), (await state()).message);
    await frames(page, 2);
    const rest = await state();
    await tool('add');
    await until(() => window.rivulet.state().edits > 0, null, async () => {
        await page.mouse.move(150, 130);
        await page.mouse.down();
    });
    await tool('paint');
    await page.evaluate(() => {
        document.body.classList.add('panel');
        const slider = document.getElementById('tool-affinity-in');
        slider.value = 1;
        slider.dispatchEvent(new Event('input'));
        document.body.classList.remove('panel');
    });
    expect((await state()).affinity === 1, `affinity ${(await state()).affinity}`);
    const plain = await page.evaluate(() => window.rivulet.hash());
    await drag(30, 0);
    await page.mouse.up();
    await frames(page, 2);
    expect(await page.evaluate(() => window.rivulet.hash()) !== plain, 'paint changes the bed');
    await page.evaluate(text => window.rivulet.open('pool.yaml', text), pool);
    await page.evaluate(() => window.rivulet.pause(false));
    await tool('stir');
    await until(deepest => window.rivulet.state().deepest > 1.02 * deepest, rest.deepest, () => drag(40, 0));
    await tool('throw');
    await until(() => window.rivulet.state().bodies > 0, null, async () => {
        await drag(20, -20);
        await page.mouse.up();
    });
    await page.evaluate(() => window.rivulet.pause());
    await page.keyboard.press('ArrowRight');
    const tilted = await state();
    expect(Math.hypot(tilted.gravity[0], tilted.gravity[1]) > 0.3, `gravity ${tilted.gravity}`);
    expect(page.said.length === 0, page.said.join('\n'));
    await page.end();
});

test('every view draws, and says nothing', async () => {
    const page = await openStill('three-layers', { size: { width: 240, height: 180 } });
    const modes = await page.evaluate(() => {
        window.rivulet.step(0.1);
        return [...document.querySelectorAll('#modes button:not([hidden])')].map(b => b.textContent);
    });
    expect(modes.length >= 9, `views: ${modes}`);
    const seen = new Map();
    for (const mode of modes) {
        const bytes = await page.evaluate(m => {
            if (!window.rivulet.set('view.mode', m)) return window.rivulet.state().message;
            return window.rivulet.picture().join();
        }, mode);
        seen.set(bytes, [...seen.get(bytes) ?? [], mode]);
    }
    const same = [...seen.values()].filter(list => list.length > 1);
    expect(same.length === 0, `these look alike: ${same.join('; ')}`);
    expect(page.said.length === 0, page.said.join('\n'));
    await page.end();
});

test('a touch turns, two fingers zoom, a phone tilts', async () => {
    const page = await openStill('bowl', { hasTouch: true, isMobile: true, size: { width: 320, height: 420 } });
    await page.evaluate(() => document.querySelector('[data-tool="look"]').click());
    const hand = await page.context().newCDPSession(page);
    const touch = (type, ...points) => hand.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    const state = () => page.evaluate(() => window.rivulet.state());
    const first = await state();
    await touch('touchStart', [120, 150]);
    await touch('touchMove', [160, 160]);
    await touch('touchMove', [200, 170]);
    await touch('touchEnd');
    const turned = await state();
    expect(Math.abs(turned.azimuth - first.azimuth) > 0.1, `azimuth ${first.azimuth} to ${turned.azimuth}`);
    await touch('touchStart', [140, 150]);
    await touch('touchStart', [140, 150], [180, 150]);
    await touch('touchMove', [110, 150], [210, 150]);
    await touch('touchMove', [80, 150], [240, 150]);
    await touch('touchEnd');
    const zoomed = await state();
    expect(zoomed.zoom > 1.5 * turned.zoom, `zoom ${turned.zoom} to ${zoomed.zoom}`);
    expect(Math.abs(zoomed.azimuth - turned.azimuth) < 1e-6, 'two fingers turned it');
    const slope = await page.evaluate(async () => {
        await window.rivulet.open('glass-merge');
        document.getElementById('tilt').click();
        await new Promise(done => setTimeout(done, 100));
        window.dispatchEvent(new DeviceOrientationEvent('deviceorientation', { alpha: 0, beta: 40, gamma: 5 }));
        return Number(window.rivulet.get('glass.tilt'));
    });
    expect(Math.abs(slope - 40 * Math.PI / 180) < 1e-6, `the phone's tilt is the pane's slope: ${slope}`);
    const lean = await page.evaluate(async () => {
        await window.rivulet.open('puddle'); // while the phone's tilt is on
        const feel = async (beta, gamma) => {
            await new Promise(done => setTimeout(done, 60));
            window.dispatchEvent(new DeviceOrientationEvent('deviceorientation', { alpha: 0, beta, gamma }));
        };
        document.getElementById('tilt').click();
        document.getElementById('tilt').click(); // anew, from how it is held now
        await feel(30, 0);
        await feel(30, 20);
        const { gravity, azimuth } = window.rivulet.state();
        return [gravity[0] * -Math.sin(azimuth) + gravity[1] * Math.cos(azimuth), Math.hypot(...gravity)];
    });
    expect(Math.abs(lean[0] - lean[1] * Math.sin(20 * Math.PI / 180)) < 0.01, `to the right of the screen: ${lean}`);
    await page.end();
});

test('nothing is cut off on small screens', async () => {
    const page = await openStill('bowl', { size: { width: 320, height: 568 }, hasTouch: true, isMobile: true });
    for (const [width, height] of [[320, 568], [390, 844], [844, 390], [768, 1024]]) {
        await page.setViewportSize({ width, height });
        await frames(page, 2);
        const wrong = await page.evaluate(() => {
            const bad = [];
            if (document.scrollingElement.scrollWidth > innerWidth) bad.push(`the page is ${document.scrollingElement.scrollWidth} wide`);
            const bar = document.getElementById('time').getBoundingClientRect();
            const buttons = [...document.querySelectorAll('#time button')].map(b => b.getBoundingClientRect());
            if (buttons.some(b => b.left < bar.left || b.right > bar.right || b.right > innerWidth || b.bottom > innerHeight)) bad.push('a button of time lies outside');
            if (buttons.some((b, i) => i && b.left < buttons[i - 1].right - 1)) bad.push('buttons of time lie over each other');
            if (buttons.some(b => b.width < 34 || b.height < 34)) bad.push('a button is too small for a finger');
            const picture = document.getElementById('rivulet-canvas').getBoundingClientRect();
            if (innerWidth < innerHeight && picture.bottom > document.getElementById('tools').getBoundingClientRect().top) bad.push('the tools lie over the picture');
            return bad;
        });
        expect(wrong.length === 0, `${width} x ${height}: ${wrong.join(', ')}`);
    }
    await page.end();
});

test('a slider changes the liquid, a search finds it', async () => {
    const page = await openStill('bowl', { size: { width: 800, height: 420 } });
    await page.evaluate(() => document.getElementById('panel-button').click());
    await page.click('#tabb-params');
    await page.fill('#find-param', 'viscosity kinematic');
    const box = page.locator('#groups .row:visible', { hasText: 'kinematic viscosity' });
    expect(await box.count() === 1, `${await box.count()} rows found`);
    const before = await page.evaluate(() => window.rivulet.state().viscosity);
    await box.locator('[type="range"]').evaluate(slider => {
        slider.value = 0.9;
        slider.dispatchEvent(new Event('input'));
    });
    const after = await page.evaluate(() => window.rivulet.state().viscosity);
    expect(after > 10 * before, `viscosity ${before} to ${after}`);
    await box.locator('.value').fill('40 cSt');
    await box.locator('.value').press('Enter');
    await page.waitForFunction(() => Number(window.rivulet.get('liquid.viscosity')) === 4e-5);
    await box.locator('.again').click();
    await page.waitForFunction(v => window.rivulet.state().viscosity === v, before);
    await page.end();
});

test('liquids, views and tools are in reach of the keyboard', async () => {
    const page = await openStill('bowl', { size: { width: 800, height: 420 } });
    await page.evaluate(() => {
        document.getElementById('panel-button').click();
        document.getElementById('tabb-liquid').click();
    });
    await page.focus('#liquids button:nth-child(6)');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.rivulet.state().liquid === 'honey');
    await page.focus('#tabb-liquid');
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate(() => document.activeElement.id) === 'tabb-params', 'arrows go from tab to tab');
    const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, textarea')]
        .filter(e => e.offsetParent && !e.textContent.trim() && !e.getAttribute('aria-label') && !e.labels?.length && !e.title && !e.placeholder).length);
    expect(nameless === 0, `${nameless} controls without a name`);
    await page.end();
});

// ---- Files

test('a broken scene shows its line', async () => {
    const page = await openStill('bowl', { size: { width: 800, height: 420 } });
    await page.evaluate(() => document.getElementById('panel-button').click());
    await page.click('#tabb-scene');
    expect((await page.inputValue('#yaml')).includes('bowl'), 'the scene is in the editor');
    await page.fill('#yaml', 'grid: {nx: 50, ny: 50, dx: 1 mm}\nsolids:\n  - {shape: sphear, radius: 3 mm}\n');
    await page.click('#run');
    await page.waitForSelector('#messages button');
    const said = await page.textContent('#messages');
    expect(said.startsWith("line 3: solids[0].shape: 'sphear' is not one of"), said);
    expect(await page.textContent('.editor .wrong') === '3', 'its line is marked');
    expect((await page.evaluate(() => window.rivulet.state().scene)) === 'bowl', 'the old scene goes on');
    await page.fill('#yaml', 'name: mine\ngrid: {nx: 40, ny: 40, dx: 1 mm, bottom: 0, top: 30 mm}\nsolids:\n  - {shape: sphere, radius: 8 mm, at: 0 0 8 mm}\n');
    await page.click('#run');
    await page.waitForFunction(() => window.rivulet.state().scene === 'mine');
    await page.end();
});

test('meshes and pictures become solids', async () => {
    const page = await openStill('bowl');
    let before = 'bowl';
    page.once('dialog', dialog => dialog.accept('0.5')); // from where on a volume is solid
    for (const name of ['inspect-cube.nrrd', 'inspect-cube.obj', 'inspect-slope.png', 'inspect-cube.stl', 'halves.jpg', 'inspect-cube.glb']) {
        const base64 = readFileSync(join(source, 'tests/data', name)).toString('base64');
        const state = await page.evaluate(async ([n, data]) => {
            await window.rivulet.file(n, Uint8Array.from(atob(data), c => c.charCodeAt(0)));
            return window.rivulet.state();
        }, [name, base64]);
        expect(!state.bad && state.scene !== before, `${name}: ${state.message}`);
        before = state.scene;
        expect(state.columns > 0, `${name}: no columns`);
    }
    const refused = await page.evaluate(async () => {
        await window.rivulet.file('broken.stl', new TextEncoder().encode('nothing'));
        return window.rivulet.state().message;
    });
    expect(/broken\.stl: is no STL file/.test(refused), refused);
    expect(page.said.length === 0, page.said.join('\n'));
    await page.end();
});

test('what is dropped on the page is opened, a scene with the mesh that it names', async () => {
    const page = await openStill('bowl');
    const mesh = readFileSync(join(source, 'tests/data/inspect-cube.obj'), 'utf8');
    const text = 'name: dropped\ngrid: {nx: 40, ny: 40, dx: 1 mm, bottom: 0, top: 40 mm}\nsolids:\n  - {shape: mesh, file: my cube.obj, fit: 20 20 20 mm, origin: base}\n';
    await page.evaluate(([yaml, obj]) => {
        const data = new DataTransfer();
        data.items.add(new File([yaml], 'a scene.yaml'));
        data.items.add(new File([obj], 'my cube.obj'));
        document.body.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, bubbles: true, cancelable: true }));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }, [text, mesh]);
    await page.waitForFunction(() => window.rivulet.state().scene === 'dropped' || window.rivulet.state().bad);
    const state = await page.evaluate(() => window.rivulet.state());
    expect(state.scene === 'dropped', state.message);
    await page.end();
});

test('opening scenes again and again takes no more memory', async () => {
    const page = await openStill('bowl');
    const sizes = await page.evaluate(async () => {
        const found = [];
        for (let i = 0; i < 5; i++) {
            for (const name of ['three-layers', 'bowl']) {
                await window.rivulet.open(name);
                window.rivulet.step(0.05);
            }
            found.push(window.rivulet.memory());
        }
        return found;
    });
    expect(sizes[4] === sizes[1], `${sizes.map(s => Math.round(s / 2 ** 20))} MiB`);
    await page.end();
});

test('mesh, state and snapshot come out, a snapshot goes in again', async () => {
    const page = await openStill('bowl', { size: { width: 800, height: 420 }, });
    await page.evaluate(() => { window.rivulet.step(0.2); document.getElementById('panel-button').click(); });
    await page.click('#tabb-files');
    const get = async id => {
        const [download] = await Promise.all([page.waitForEvent('download'), page.click(id)]);
        return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    expect((await get('#save-mesh')).bytes.subarray(0, 4).toString() === 'glTF', 'GLB');
    expect((await get('#save-terrain')).bytes.subarray(0, 4).toString() === 'glTF', 'GLB of solids');
    expect((await get('#save-npz')).bytes.subarray(0, 2).toString() === 'PK', 'NPZ');
    expect((await get('#save-csv')).bytes.toString().split('\n')[0].includes('depth'), 'CSV');
    expect((await get('#save-picture')).bytes.subarray(1, 4).toString() === 'PNG', 'PNG');
    const snapshot = await get('#save-snapshot');
    const again = await page.evaluate(async ([name, data]) => {
        const r = window.rivulet, before = r.hash();
        r.step(0.2);
        const other = r.hash();
        await r.file(name, Uint8Array.from(atob(data), c => c.charCodeAt(0)));
        return [before !== other, r.hash() === before];
    }, [snapshot.name, snapshot.bytes.toString('base64')]);
    expect(again[0] && again[1], `snapshot: ${again}`);
    await page.end();
});

test('a film comes out, a picture goes behind a pane', async () => {
    const page = await openStill('glass-merge', { size: { width: 1000, height: 500 } });
    const picture = readFileSync(join(source, 'tests/data/halves.jpg')).toString('base64');
    const before = await page.evaluate(() => window.rivulet.picture().join());
    const [after, note] = await page.evaluate(async data => {
        await window.rivulet.file('behind.jpg', Uint8Array.from(atob(data), c => c.charCodeAt(0)));
        return [window.rivulet.picture().join(), document.getElementById('note').textContent];
    }, picture);
    expect(note === 'behind.jpg is behind the pane now' && after !== before, note);
    await page.setViewportSize({ width: 800, height: 200 });
    await page.evaluate(() => {
        document.getElementById('panel-button').click();
        document.getElementById('tabb-files').click();
    });
    await frames(page, 2); // a film ends when the picture gets another size
    await page.evaluate(() => {
        document.getElementById('save-film').click();
        window.rivulet.pause(false);
    });
    await page.waitForFunction(() => window.rivulet.state().filming);
    await page.waitForTimeout(1500);
    const [film] = await Promise.all([page.waitForEvent('download'), page.evaluate(() => document.getElementById('save-film').click())]);
    const bytes = readFileSync(await film.path());
    expect(/\.(mp4|webm)$/.test(film.suggestedFilename()) && bytes.length > 1000, `${film.suggestedFilename()}: ${bytes.length} bytes`);
    expect(page.said.length === 0, page.said.join('\n'));
    await page.end();
});

test('a link carries scene and settings', async () => {
    const page = await openStill('coffee');
    const link = await page.evaluate(() => {
        window.rivulet.set('liquid.viscosity', '3e-5');
        window.rivulet.set('view.azimuth', '1');
        return window.rivulet.link();
    });
    await page.end();
    const other = await open(link.slice(url.length).replace(/^[^#]*/, '?quality=1'));
    const state = await other.evaluate(async () => {
        await window.rivulet.ready;
        return { ...window.rivulet.state(), viscosity: window.rivulet.get('liquid.viscosity') };
    });
    expect(state.scene === 'coffee' && Number(state.viscosity) === 3e-5 && state.azimuth === 1, JSON.stringify(state));
    await other.end();
    const damaged = await open('?quality=1#yaml=AAAA');
    const [note, scene] = await damaged.evaluate(async () => {
        await window.rivulet.ready;
        return [document.getElementById('note').textContent, window.rivulet.state().scene];
    });
    expect(/link is damaged/.test(note) && scene === 'coffee', `a damaged link: ${note}, ${scene}`);
    expect(damaged.said.length === 0, damaged.said.join('\n'));
    await damaged.end();
});

// ---- Where it runs

test('the first load is under 2 MB, and the gallery shows every scene', async () => {
    sent.length = 0;
    const page = await open('', { size: { width: 1280, height: 800 } });
    await page.evaluate(() => window.rivulet.ready);
    await page.waitForFunction(() => performance.getEntriesByName('first picture').length);
    await page.evaluate(() => window.rivulet.pause());
    await page.waitForTimeout(500);
    // from a host that does not compress, and with the thumbnails that are scrolled to
    const wire = sent.reduce((sum, [, n]) => sum + n, 0);
    const plain = sent.reduce((sum, [path]) => sum + statSync(join(folder, path === '/' ? 'index.html' : path)).size, 0);
    const thumbs = readdirSync(join(folder, 'thumbs')).reduce((sum, name) => sum + statSync(join(folder, 'thumbs', name)).size, 0);
    expect(plain < 2e6, `${plain} bytes`);
    const [scripts, picture] = await page.evaluate(() => [
        Math.max(...performance.getEntriesByType('resource').filter(e => /\.(js|wasm|pack)$/.test(e.name)).map(e => e.responseEnd)),
        performance.getEntriesByName('first picture')[0].startTime]);
    const [cards, wordless] = await page.evaluate(() => [document.querySelectorAll('.card').length,
        [...document.querySelectorAll('.card')].filter(c => !c.querySelector('.first').textContent || !c.querySelector('b + span').textContent).length]);
    expect(cards >= 44 && wordless === 0, `${cards} cards, ${wordless} without words`);
    // Strips of 14 pictures each; one that came short would flash black.
    const broken = await page.evaluate(async () => {
        const found = [];
        for (const name of window.rivulet.scenes()) {
            const answer = await fetch(`thumbs/${name}.webp`);
            const image = answer.ok ? await createImageBitmap(await answer.blob()) : null;
            if (image?.width !== 14 * 224 || image.height !== 160) {
                found.push(name);
                continue;
            }
            const pen = new OffscreenCanvas(1, 1).getContext('2d');
            pen.imageSmoothingQuality = 'high';
            pen.drawImage(image, 13 * 224, 0, 224, 160, 0, 0, 1, 1);
            if (Math.max(...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)) < 12) found.push(`${name}, its last picture`);
        }
        return found;
    });
    expect(broken.length === 0, `thumbnails: ${broken.join('; ')} (make thumbs NAMES=...)`);
    expect(page.said.length === 0, page.said.join('\n'));
    console.log(`      ${(wire / 1e6).toFixed(2)} MB over the wire, ${(plain / 1e6).toFixed(2)} where the host does not compress, all thumbnails ${(thumbs / 1e6).toFixed(2)}; first picture ${((picture - scripts) / 1000).toFixed(1)} s after the scripts`);
    await page.end();
});

test('plots and docs are there, and their links lead somewhere', async () => {
    const plots = readFileSync(join(folder, 'validation.html'), 'utf8').match(/<img [^>]*\.svg/g)?.length ?? 0;
    expect(plots >= 15, `${plots} plots`);
    for (const name of ['validation.html', 'index.html', ...readdirSync(join(folder, 'docs')).filter(f => f.endsWith('.html')).map(f => `docs/${f}`)]) {
        const text = readFileSync(join(folder, name), 'utf8').replaceAll(/<pre>.*?<\/pre>/gs, '');
        for (const [, link] of text.matchAll(/(?:href|src)="(?!https?:|data:|#)([^"#]+)/g))
            expect(existsSync(join(folder, dirname(name), link)), `${name}: there is no ${link}`);
    }
});

test('under a path of its own, and from a disk as one file', async () => {
    const deep = await serve(folder, 0, { threads: false, under: '/some/where/' });
    for (const at of [deep.url, pathToFileURL(join(folder, 'rivulet.html')).href]) {
        const page = await open('', { at });
        const hash = await page.evaluate(async () => {
            await window.rivulet.ready;
            return window.rivulet.hash();
        });
        expect(/^[0-9a-f]{16}$/.test(hash), `${at}: ${hash}`);
        expect(page.said.length === 0, page.said.join('\n'));
        await page.end();
    }
    deep.server.close();
});

test('with threads where the headers allow it, and the same bits', async () => {
    const with_threads = await serve(folder, 0, { threads: true });
    const page = await open('?quality=1&plain=bowl', { at: with_threads.url });
    const [isolated, hash] = await page.evaluate(async () => {
        const r = window.rivulet;
        await r.ready;
        r.pause();
        await r.open('swe-dam-break');
        r.step(20 * Number(r.get('time.step')));
        return [window.crossOriginIsolated, r.hash()];
    });
    expect(isolated, 'the page is not isolated');
    expect(hash === await native('swe-dam-break', 20), hash);
    expect(page.said.length === 0, page.said.join('\n'));
    await page.end();
    with_threads.server.close();
});

test('a clear line where WebGL 2 is missing', async () => {
    const page = await open('', { init: () => { HTMLCanvasElement.prototype.getContext = () => null; } });
    const text = await page.textContent('.refuse');
    expect(/no WebGL 2/.test(text), text);
    await page.end();
});

// ---- All of them

for (const [name, body] of tests) {
    if (only && !name.includes(only)) continue;
    const began = Date.now();
    try {
        await body();
        console.log(`ok    ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    } catch (problem) {
        failures++;
        console.log(`FAILED ${name}: ${problem.message}`);
    }
}
await browser.close();
server.close();
process.exit(failures ? 1 : 0);

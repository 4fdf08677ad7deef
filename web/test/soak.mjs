// The page for long, with everything done to it at random: node web/test/soak.mjs BUILD-WEB DRIVER [MINUTES] [SCENE]
// Says each half minute what it takes; fails if memory, objects or elements of the page have grown since the first third,
// or if the page said anything.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { serve } from '../serve.mjs';

const [folder, driver, minutes = '60', scene = 'three-layers'] = process.argv.slice(2);
const { chromium } = createRequire(join(driver, 'package.json'))('playwright-core');
const { server, url } = await serve(folder, 0, { threads: false });
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
const page = await (await browser.newContext({ viewport: { width: 640, height: 400 }, acceptDownloads: false })).newPage();
const said = [];
page.on('console', m => { if (!/GPU stall due to ReadPixels/.test(m.text())) said.push(m.text()); });
page.on('pageerror', e => said.push(e.message));
await page.goto(`${url}?quality=0.5#scene=${scene}`);
await page.evaluate(() => window.rivulet.ready);
await page.evaluate(() => document.getElementById('panel-button').click());
const meter = await page.context().newCDPSession(page);
await meter.send('Performance.enable');

// The same numbers each time, without Math.random: a fault can be had again.
let seed = 1;
const random = below => { seed = (seed * 48271) % 2147483647; return seed % below; };
const tools = ['pour', 'drill', 'add', 'throw', 'stir', 'paint', 'look'];
const tabs = ['liquid', 'params', 'plots', 'files', 'scene'];

async function something() {
    await page.evaluate(([tool, tab, liquid]) => {
        document.querySelector(`[data-tool="${tool}"]`).click();
        document.getElementById(`tabb-${tab}`).click();
        if (liquid >= 0) document.querySelectorAll('#liquids button')[liquid].click();
    }, [tools[random(tools.length)], tabs[random(tabs.length)], random(4) ? -1 : random(8)]);
    const x = 60 + random(180), y = 100 + random(200);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + random(60) - 30, y + random(60) - 30, { steps: 3 });
    await page.waitForTimeout(100 + random(400));
    await page.mouse.up();
    if (random(5) === 0) await page.mouse.wheel(0, random(400) - 200);
    if (random(12) === 0) await page.evaluate(() => document.getElementById('reset').click());
    if (random(20) === 0) await page.evaluate(name => window.rivulet.open(name), scene);
}

async function takes() {
    await meter.send('HeapProfiler.collectGarbage');
    const { metrics } = await meter.send('Performance.getMetrics');
    const of = name => metrics.find(m => m.name === name).value;
    const program = await page.evaluate(() => window.rivulet.memory());
    return { program: program / 2 ** 20, objects: of('JSHeapUsedSize') / 2 ** 20, elements: of('Nodes'), listeners: of('JSEventListeners') };
}

const end = Date.now() + 60e3 * Number(minutes), found = [];
for (let next = 0; Date.now() < end;) {
    await something();
    if (Date.now() < next) continue;
    next = Date.now() + 30e3;
    found.push(await takes());
    const { time } = await page.evaluate(() => window.rivulet.state());
    console.log(`${((end - Date.now()) / 60e3).toFixed(1)} min to go, ${time.toFixed(2)} s: ${Object.entries(found.at(-1)).map(([k, v]) => `${k} ${v.toFixed(1)}`).join(', ')}`);
}
found.push(await takes());
const first = found.slice(0, Math.max(1, Math.ceil(found.length / 3))), last = found.at(-1);
let bad = said.length;
for (const [name, room] of [['program', 8], ['objects', 3], ['elements', 600], ['listeners', 60]]) {
    const most = Math.max(...first.map(f => f[name]));
    if (last[name] <= most + room) continue;
    bad++;
    console.log(`FAILED ${name}: ${most.toFixed(1)} became ${last[name].toFixed(1)}`);
}
for (const line of new Set(said)) console.log(`said: ${line}`);
await browser.close();
server.close();
process.exit(bad ? 1 : 0);

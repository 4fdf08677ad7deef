// Steps of the page beside the command's, one thread each: node web/test/speed.mjs BUILD-WEB RIVULET SOURCE DRIVER [SCENE…]
// Both count processor time of the thread that steps, so that other programs disturb them little.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { serve } from '../serve.mjs';

const [folder, rivulet, source, driver, ...chosen] = process.argv.slice(2);
const { chromium } = createRequire(join(driver, 'package.json'))('playwright-core');
const scenes = chosen.length ? chosen : ['surgery', 'coffee', 'three-layers', 'puddle', 'paper-surgery', 'tank-light-ball', 'swe-dam-break', 'splat-2d-64k', 'glass-rain', 'glass-windshield', 'glass-merge'];
const WARM = 40;   // steps before it is timed
const ROUNDS = 3; // of which the fastest counts

const { server, url } = await serve(folder, 0, { threads: false });
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
const page = await (await browser.newContext({ viewport: { width: 64, height: 64 } })).newPage();
await page.goto(`${url}?quality=1&plain=bowl`);
await page.evaluate(() => window.rivulet.ready);
const meter = await page.context().newCDPSession(page);
await meter.send('Performance.enable', { timeDomain: 'threadTicks' });
const used = async () => (await meter.send('Performance.getMetrics')).metrics.find(m => m.name === 'ThreadTime').value;

// Processor seconds of the command for so many steps, with what comes before them.
function command(scene, steps) {
    const said = execFileSync('/bin/sh', ['-c', '"$0" run "$1" --steps "$2" --threads 1 --quiet >/dev/null; times', rivulet, scene, String(steps)],
        { env: { ...process.env, RIVULET_SCENES: join(source, 'scenes') } }).toString();
    const [user, system] = said.trim().split('\n')[1].split(' ').map(t => { const [m, s] = t.split('m'); return 60 * Number(m) + parseFloat(s); });
    return user + system;
}

const steps = count => page.evaluate(n => window.rivulet.step(n * Number(window.rivulet.get('time.step'))), count);
// Processor milliseconds of one step there. All in one call: between two calls pictures are drawn.
async function page_ms(scene, count) {
    await page.evaluate(async name => { window.rivulet.pause(); await window.rivulet.open(name); }, scene);
    await steps(WARM);
    await page.waitForTimeout(300); // pictures that are due
    const begin = await used();
    await steps(count);
    return (await used() - begin) / count * 1e3;
}

console.log('scene: a step, page, command, ratio, speed of the page over real time');
for (const scene of scenes) {
    const count = Math.max(20, Math.min(2000, Math.round(1500 / await page_ms(scene, 20))));
    let there = Infinity, here = Infinity;
    for (let round = 0; round < ROUNDS; round++) {
        there = Math.min(there, await page_ms(scene, count));
        here = Math.min(here, (command(scene, WARM + count) - command(scene, WARM)) / count * 1e3);
    }
    const step = 1e3 * Number(await page.evaluate(() => window.rivulet.get('time.step')));
    console.log(`${scene}: ${step.toFixed(1)} ms, ${there.toFixed(2)} ms, ${here.toFixed(2)} ms, ${(there / here).toFixed(2)}, ${(step / there).toFixed(2)} x (${count} steps)`);
}
await browser.close();
server.close();

// Puts the page together: node web/pack.mjs OUT OBJECTS [OBJECTS-WITH-THREADS]
// OUT becomes a folder for any static host, and has the same as one file, rivulet.html, to open from a disk.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { pageOf, slug } from './docs.mjs';

const here = dirname(fileURLToPath(import.meta.url)), root = resolve(here, '..');
const [out, objects, threaded] = process.argv.slice(2);
const parts = ['core', 'scenes', 'input', 'panel', 'files', 'tilt', 'gallery', 'main'];
const text = file => readFileSync(file, 'utf8');
const base64 = file => readFileSync(file).toString('base64');

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'thumbs'), { recursive: true });
mkdirSync(join(out, 'docs'), { recursive: true });

// ---- The program and the page's own scripts
const page = `(() => {\n'use strict';\n${parts.map(p => text(join(here, 'page', `${p}.js`))).join('\n')}\n})();\n`;
const scenes = Object.fromEntries(readdirSync(join(root, 'scenes')).map(f => [f, base64(join(root, 'scenes', f))]));
const drawn = readdirSync(join(here, 'thumbs')).map(f => basename(f, '.webp'));
const data = `window.rivuletThreads = ${Boolean(threaded)};\nwindow.rivuletThumbs = ${JSON.stringify(drawn)};\nwindow.rivuletScenes = ${JSON.stringify(scenes)};\n`;
writeFileSync(join(out, 'page.js'), page);
writeFileSync(join(out, 'scenes.js'), data);
for (const name of ['rivulet.js', 'rivulet.wasm']) cpSync(join(objects, name), join(out, name));
if (threaded)
    for (const name of readdirSync(threaded).filter(f => /^rivulet-threads.*\.(js|wasm)$/.test(f))) cpSync(join(threaded, name), join(out, name));
// Packed as well, for hosts that do not compress; the plain one is for browsers that cannot unpack.
const packed = file => gzipSync(readFileSync(file), { level: 9 });
for (const name of readdirSync(out).filter(f => f.endsWith('.wasm'))) writeFileSync(join(out, name.replace(/wasm$/, 'pack')), packed(join(out, name)));
for (const name of ['index.html', 'page.css']) cpSync(join(here, 'page', name), join(out, name));
for (const name of readdirSync(join(here, 'thumbs'))) cpSync(join(here, 'thumbs', name), join(out, 'thumbs', name));

// ---- The documentation, and the page of validation plots beside the program
const docs = readdirSync(join(root, 'docs')).filter(f => f.endsWith('.md'));
for (const name of docs) writeFileSync(join(out, 'docs', name.toLowerCase().replace(/\.md$/, '.html')), pageOf(text(join(root, 'docs', name)), '../'));
for (const name of ['CONTRIBUTING', 'CHANGELOG']) writeFileSync(join(out, 'docs', `${name.toLowerCase()}.html`), pageOf(text(join(root, `${name}.md`)), '../'));
writeFileSync(join(out, 'docs', 'index.html'), pageOf(text(join(root, 'README.md')), '../'));
cpSync(join(root, 'docs', 'images'), join(out, 'docs', 'images'), { recursive: true });
const validation = text(join(root, 'docs', 'validation.md')).replaceAll('](images/', '](docs/images/');
// The plots come first, each leading to its case.
const plots = [];
let heading = '';
for (const line of validation.split('\n')) {
    heading = /^## (.*)$/.exec(line)?.[1] ?? heading;
    for (const [, alt, file] of line.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)) plots.push(`| [![${alt}](${file})](#${slug(heading)})<br>[${heading.replaceAll('`', '')}](#${slug(heading)}) |`);
}
const rows = [];
for (let i = 0; i < plots.length; i += 2) rows.push(plots[i] + (plots[i + 1] ?? '| |').slice(1));
const shown = validation.replace(/\n## /, () => `\n## The plots\n\n| | |\n|---|---|\n${rows.join('\n')}\n\n## `);
writeFileSync(join(out, 'validation.html'), pageOf(shown, '').replaceAll('src="images/', 'src="docs/images/')
    .replaceAll(/href="(?!validation|docs\/|index|#|http|data)([\w-]+\.html)/g, 'href="docs/$1'));

// ---- One file
const inScript = code => code.replaceAll('</script', '<\\/script');
const thumbs = Object.fromEntries(readdirSync(join(here, 'thumbs')).map(f => [basename(f, '.webp'), `data:image/webp;base64,${base64(join(here, 'thumbs', f))}`]));
const inline = `window.rivuletInline = ${JSON.stringify({ wasm: packed(join(objects, 'rivulet.wasm')).toString('base64'), thumbs })};\n`;
const one = text(join(here, 'page', 'index.html'))
    .replace('<link rel="stylesheet" href="page.css">', () => `<style>\n${text(join(here, 'page', 'page.css'))}</style>`)
    .replace('<script src="scenes.js"></script>', () => `<script>\n${inScript(data)}${inScript(inline)}</script>\n<script>\n${inScript(text(join(objects, 'rivulet.js')))}</script>`)
    .replace('<script src="page.js"></script>', () => `<script>\n${inScript(page)}</script>`)
    .replaceAll(/<a (id="docs-link" )?href="(validation|docs\/index)\.html">[^<]*<\/a>/g, '');
writeFileSync(join(out, 'rivulet.html'), one);
if (!existsSync(join(out, 'rivulet.wasm'))) process.exit(1);
console.log(`${out}/ is a page for any static host; ${out}/rivulet.html is the same as one file.`);

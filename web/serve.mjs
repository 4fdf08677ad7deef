// Shows a folder on this machine, with the headers that threads need: node serve.mjs [FOLDER] [PORT]
// Nothing outside the folder is given away, and nobody outside this machine is answered.
import { createServer } from 'node:http';
import { readFile, stat } from 'node:fs/promises';
import { extname, join, normalize, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const types = {
    '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
    '.wasm': 'application/wasm', '.webp': 'image/webp', '.svg': 'image/svg+xml', '.json': 'application/json',
    '.png': 'image/png', '.webmanifest': 'application/manifest+json',
};

// `threads`: with COOP and COEP. `sent`, where given, counts the bytes that go over the wire.
export function serve(folder, port = 0, { threads = true, sent = null, under = '/' } = {}) {
    const root = resolve(folder);
    const server = createServer(async (request, response) => {
        try {
            let path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
            if (!path.startsWith(under)) throw new Error('outside');
            path = path.slice(under.length - 1);
            let file = normalize(join(root, path));
            if (file !== root && !file.startsWith(root + sep)) throw new Error('outside');
            if ((await stat(file)).isDirectory()) file = join(file, 'index.html');
            const head = { 'content-type': types[extname(file)] ?? 'application/octet-stream', 'cache-control': 'no-cache' };
            if (threads) {
                head['cross-origin-opener-policy'] = 'same-origin';
                head['cross-origin-embedder-policy'] = 'require-corp';
            }
            let body = await readFile(file);
            if (/\.(html|js|css|wasm|svg|json)$/.test(file) && /gzip/.test(request.headers['accept-encoding'] ?? '')) {
                body = gzipSync(body);
                head['content-encoding'] = 'gzip';
            }
            if (sent) sent.push([path, body.length]);
            response.writeHead(200, head).end(body);
        } catch {
            response.writeHead(404, { 'content-type': 'text/plain' }).end('not here\n');
        }
    });
    return new Promise((done, failed) => {
        server.once('error', failed);
        server.listen(port, '127.0.0.1', () => done({ server, url: `http://127.0.0.1:${server.address().port}${under}` }));
    });
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
    const [folder = 'build/web', port = '8000'] = process.argv.slice(2);
    const { url } = await serve(folder, Number(port)).catch(why => {
        console.error(`rivulet: port ${port} cannot be had (${why.code}); PORT=N takes another`);
        process.exit(1);
    });
    console.log(`rivulet is at ${url}   (Ctrl-C ends it)`);
}

// The program behind the page: loading it, calling it, and its frames.

const $ = id => document.getElementById(id);
const query = new URLSearchParams(location.search);
const PARTICLES = 2, PANE = 3; // solvers, as rv_solver_kind counts them

// What all files of the page share.
const R = {
    module: null, // of WebAssembly
    page: 0,      // its address there
    lists: null,  // scenes, tools, liquids, keys
    now: null,    // page_panel, as it was told last
    busy: 0,      // something takes long: no frames
    threads: 1,
    quality: 1,   // pixels of the picture in one of the screen
    own: null,    // text of the scene, where it is not a shipped one
    listeners: [], // called after each look at how things stand
};

// Calls a function of web/*.c with the page; texts go in and come out as they are.
function call(name, kind, ...values) {
    const types = values.map(v => (typeof v === 'string' ? 'string' : 'number'));
    return R.module.ccall(name, kind, ['number', ...types], [R.page, ...values]);
}
const ask = (name, ...values) => JSON.parse(call(name, 'string', ...values));

// ---- Loading --------------------------------------------------------------------------------------

function refuse(title, why) {
    const box = document.createElement('div');
    box.className = 'refuse';
    box.setAttribute('role', 'alert');
    box.innerHTML = '<h2></h2><p></p>';
    box.children[0].textContent = title;
    box.children[1].textContent = why;
    document.body.append(box);
    document.body.classList.add('refused');
}

// The program has broken down, most likely for want of memory; nothing of it can be called any more.
function stopped(why) {
    R.busy++;
    R.page = 0;
    refuse('rivulet had to stop', `${why || 'It could not go on'}. Reload the page to begin anew; a smaller grid needs less memory.`);
}

// Why the page cannot run here; '': it can.
function lacks() {
    if (typeof WebAssembly !== 'object') return 'This browser has no WebAssembly.';
    // the smallest module with a vector instruction
    const vectors = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);
    if (!WebAssembly.validate(vectors)) return 'This browser has no vector instructions in WebAssembly: Chrome 91, Firefox 89 or Safari 16.4 have them.';
    const gl = document.createElement('canvas').getContext('webgl2');
    if (!gl) return 'This browser has no WebGL 2, or it is switched off. Any current browser on a computer or phone with a graphics driver has it.';
    const info = gl.getExtension('WEBGL_debug_renderer_info');
    R.driver = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
    R.software = /swiftshader|llvmpipe|softpipe|basic render/i.test(R.driver);
    gl.getExtension('WEBGL_lose_context')?.loseContext();
    return '';
}

function bytesOf(base64) {
    const text = atob(base64), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
}

function loadScript(url) {
    return new Promise((done, failed) => {
        const script = document.createElement('script');
        script.src = url;
        script.onload = done;
        script.onerror = () => failed(new Error(`${url} could not be loaded`));
        document.head.append(script);
    });
}

// The program is packed, because many static hosts do not compress. One that does, or that unpacks what looks packed,
// is right too: the first two bytes tell.
async function unpacked(bytes) {
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

// With threads where the host's headers allow it; ?threads=1 does without.
async function loadModule() {
    const inline = window.rivuletInline;
    const options = { film: R.film, onAbort: stopped, printErr: text => console.warn(text), print: text => console.log(text) };
    options.locateFile = file => new URL(file, location.href).href;
    let name = 'rivulet';
    if (inline) {
        options.wasmBinary = await unpacked(bytesOf(inline.wasm));
    } else {
        const wanted = Number(query.get('threads') ?? 4);
        R.threads = window.crossOriginIsolated && window.rivuletThreads ? Math.min(wanted, navigator.hardwareConcurrency || 1, 4) : 1;
        if (R.threads > 1) {
            name = 'rivulet-threads';
            options.mainScriptUrlOrBlob = `${name}.js`;
        }
        const program = window.DecompressionStream ? fetch(options.locateFile(`${name}.pack`)).then(answer => (answer.ok ? answer.arrayBuffer() : null), () => null) : null;
        await loadScript(`${name}.js`);
        const packed = await program;
        if (packed) options.wasmBinary = await unpacked(new Uint8Array(packed)); // else it is fetched plain
    }
    return window.createRivulet(options);
}

function writeScenes() {
    const fs = R.module.FS;
    fs.mkdir('/scenes');
    fs.mkdir('/drop');
    for (const [name, base64] of Object.entries(window.rivuletScenes)) fs.writeFile(`/scenes/${name}`, bytesOf(base64));
}

async function begin() {
    R.module = await loadModule();
    writeScenes();
    const { width, height } = sizeOf();
    R.page = R.module.ccall('page_create', 'number', ['number', 'number', 'number', 'number'],
        [width, height, R.threads, R.software ? 1 : 0]);
    const why = call('page_failed', 'string');
    if (why) throw new Error(why);
    R.lists = ask('page_lists');
}

// ---- Frames ---------------------------------------------------------------------------------------

function sizeOf() {
    const box = $('rivulet-canvas').getBoundingClientRect();
    const ratio = Math.min(window.devicePixelRatio || 1, 2) * R.quality;
    return { width: Math.max(16, Math.round(box.width * ratio)), height: Math.max(16, Math.round(box.height * ratio)), ratio };
}

function resize() {
    const size = sizeOf();
    if (R.size && R.size.width === size.width && R.size.height === size.height && R.size.ratio === size.ratio) return;
    R.size = size;
    call('page_resize', null, size.width, size.height, size.ratio);
}

// A machine that draws too slowly gets fewer pixels, step by step. ?quality=1 keeps them all.
const pace = { last: 0, slow: 0 };
function watchPace(time) {
    const took = time - pace.last;
    pace.last = time;
    if (query.has('quality') || took > 400 || R.now?.paused) return;
    pace.slow = took > 45 ? pace.slow + took : Math.max(0, pace.slow - 2 * took);
    if (pace.slow < 1500 || R.quality < 0.45) return;
    R.quality *= 0.8;
    pace.slow = 0;
}

function look() {
    R.now = ask('page_panel');
    for (const listener of R.listeners) listener(R.now);
}

let frames = 0, drawn = 0;
function frame(time) {
    requestAnimationFrame(frame);
    if (R.busy || !R.page || document.hidden) return;
    resize();
    const drew = call('page_frame', 'number');
    if (drew) watchPace(time);
    if (drew && !drawn++) performance.mark('first picture');
    // What is shown beside the picture need not follow it sixty times a second.
    if (++frames % (drew ? 6 : 15) === 0) look();
}

const painted = () => new Promise(done => {
    if (document.hidden) return setTimeout(done, 0);
    requestAnimationFrame(() => setTimeout(done, 0));
});

// Shows that something takes long, lets the browser paint that, and does it.
async function whileShown(text, work) {
    R.busy++;
    $('loading-text').textContent = text;
    $('loading').classList.add('shown');
    try {
        await painted();
        return await work();
    } finally {
        $('loading').classList.remove('shown');
        R.busy--;
        if (R.page) call('page_forget', null);
    }
}

document.addEventListener('visibilitychange', () => { if (R.page) call('page_forget', null); });

// ---- Notes ----------------------------------------------------------------------------------------

let noteShown = '', noteTimer = 0;
function say(text, bad = false) {
    const note = $('note');
    note.textContent = text;
    note.classList.toggle('bad', bad);
    note.classList.add('shown');
    clearTimeout(noteTimer);
    noteTimer = setTimeout(() => note.classList.remove('shown'), bad ? 9000 : 2600);
}
// What the viewer says goes to the same place, when it says something new.
R.listeners.push(now => {
    if (now.note === noteShown) return;
    noteShown = now.note;
    // that a scene was opened is seen
    if (now.note && !R.quiet && !/^opened /.test(now.note)) say(now.note.replaceAll('/drop/', '').replaceAll('/scenes/', ''), now.bad);
});

// Files out: picture, film, mesh, state, snapshot, link. Files in: scenes, meshes, pictures, snapshots.

// ---- Out ------------------------------------------------------------------------------------------

function give(bytes, name, type = 'application/octet-stream') {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(bytes instanceof Blob ? bytes : new Blob([bytes], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 30000);
}

const fileName = ending => `rivulet-${R.now.scene.replaceAll(/[^\w.-]+/g, '-')}${ending}`;

// Written by the program into its own memory, and handed on from there.
function save(kind, ending) {
    const path = `/drop/.out${ending}`;
    if (call('page_save', 'number', kind, path)) {
        give(R.module.FS.readFile(path), fileName(ending));
        R.module.FS.unlink(path);
    }
    look();
}

function savePicture() {
    R.quiet = true; // the viewer would name the file in its own memory
    const good = call('page_picture', 'number', '/drop/.picture.png');
    look();
    R.quiet = false;
    if (!good) return say(R.now.note, true);
    give(R.module.FS.readFile('/drop/.picture.png'), fileName('.png'), 'image/png');
    R.module.FS.unlink('/drop/.picture.png');
    say('The picture is among your downloads');
}

// Films: the viewer gives each picture without ring and panel, the browser's recorder makes a film of them.
R.film = {
    start(width, height, rate) {
        if (!window.MediaRecorder || !HTMLCanvasElement.prototype.captureStream) return false;
        const kinds = ['video/mp4;codecs=avc1.42E01E', 'video/webm;codecs=vp9', 'video/webm'];
        const kind = kinds.find(k => MediaRecorder.isTypeSupported(k));
        if (!kind) return false;
        const film = document.createElement('canvas');
        film.width = width, film.height = height;
        this.pen = film.getContext('2d');
        this.image = this.pen.createImageData(width, height);
        this.stream = film.captureStream(Math.min(rate, 60));
        this.parts = [], this.kind = kind, this.name = fileName(kind.includes('mp4') ? '.mp4' : '.webm');
        this.recorder = new MediaRecorder(this.stream, { mimeType: kind, videoBitsPerSecond: 12e6 });
        this.recorder.ondataavailable = e => this.parts.push(e.data);
        this.recorder.start(500);
        return true;
    },
    push(rgb, width, height) {
        const out = this.image.data;
        for (let i = 0, j = 0; i < 3 * width * height; i += 3, j += 4) out[j] = rgb[i], out[j + 1] = rgb[i + 1], out[j + 2] = rgb[i + 2], out[j + 3] = 255;
        this.pen.putImageData(this.image, 0, 0);
        return true;
    },
    end(keep) {
        const { parts, kind, name, recorder } = this;
        recorder.onstop = () => { if (keep) give(new Blob(parts, { type: kind }), name); };
        recorder.stop();
        this.stream.getTracks().forEach(track => track.stop());
    },
};

function toggleFilm() {
    R.quiet = true;
    call('page_key', 'number', 'v', 0, 0);
    look();
    R.quiet = false;
    if (R.now.bad) say(R.now.note, true);
    else say(R.now.filming ? 'Filming; press again to end it' : 'The film is among your downloads');
}

async function copyLink() {
    const link = await linkOf();
    history.replaceState(null, '', link);
    try {
        await navigator.clipboard.writeText(link);
        say('The link is copied: it carries the scene and what you changed');
    } catch {
        prompt('This link carries the scene and what you changed:', link);
    }
}

function buildFiles() {
    const tab = $('tab-files');
    tab.innerHTML = `<h3>Pictures</h3><div class="actions"><button id="save-picture">Picture</button><button id="save-film" aria-pressed="false">Film</button></div>
        <h3>Share</h3><div class="actions"><button id="save-link">Copy a link</button></div>
        <h3>For other programs</h3><div class="actions"><button id="save-mesh">Liquid, GLB</button><button id="save-terrain">Solids, GLB</button>
        <button id="save-npz">State, NPZ</button><button id="save-csv">State, CSV</button></div>
        <h3>Go on later</h3><div class="actions"><button id="save-snapshot">Snapshot</button></div>
        <h3>Bring your own</h3><div class="actions"><button id="choose">Choose a file</button></div>
        <p class="help">Or drop it anywhere: a scene (.yaml), a mesh (.obj .stl .ply .glb), a picture as ground, or behind a pane, surroundings (.hdr), a volume (.nrrd), a snapshot. Files stay on this computer.</p>
        <input type="file" id="chosen" multiple hidden aria-hidden="true">`;
    $('save-picture').onclick = savePicture;
    $('save-film').onclick = toggleFilm;
    $('save-link').onclick = copyLink;
    $('save-mesh').onclick = () => save('mesh', '.glb');
    $('save-terrain').onclick = () => save('terrain', '-solids.glb');
    $('save-npz').onclick = () => save('state', '.npz');
    $('save-csv').onclick = () => save('state', '.csv');
    $('save-snapshot').onclick = () => save('snapshot', '.rivulet');
    $('choose').onclick = () => $('chosen').click();
    $('chosen').onchange = () => { takeFiles([...$('chosen').files]); $('chosen').value = ''; };
    R.listeners.push(now => $('save-film').setAttribute('aria-pressed', !!now.filming));
}

// ---- In -------------------------------------------------------------------------------------------

const plainName = name => name.replaceAll(/[^\w.-]+/g, '_').replace(/^\.+/, '');
const endingOf = name => (/\.[^.]+$/.exec(name)?.[0] ?? '').toLowerCase();

// A picture as a grey PNG, as large as a grid may well be.
async function greyOf(file) {
    const image = await createImageBitmap(file);
    const share = Math.min(1, 512 / Math.max(image.width, image.height));
    const width = Math.max(2, Math.round(image.width * share)), height = Math.max(2, Math.round(image.height * share));
    const sheet = new OffscreenCanvas(width, height), pen = sheet.getContext('2d');
    pen.drawImage(image, 0, 0, width, height);
    const data = pen.getImageData(0, 0, width, height);
    for (let i = 0; i < data.data.length; i += 4) {
        const grey = 0.2126 * data.data[i] + 0.7152 * data.data[i + 1] + 0.0722 * data.data[i + 2];
        data.data[i] = data.data[i + 1] = data.data[i + 2] = grey;
        data.data[i + 3] = 255;
    }
    pen.putImageData(data, 0, 0);
    const blob = await sheet.convertToBlob({ type: 'image/png' });
    return { bytes: new Uint8Array(await blob.arrayBuffer()), width, height };
}

async function openHeights(file, name) {
    const grey = await greyOf(file);
    const picture = `${name.replace(/\.[^.]*$/, '')}-grey.png`;
    R.module.FS.writeFile(`/drop/${picture}`, grey.bytes);
    const nx = Math.round(200 * Math.min(1, grey.width / grey.height)), ny = Math.round(200 * Math.min(1, grey.height / grey.width));
    return openText(`title: Your picture as ground
about: Black is low and white is high. Pour on it.
grid: {nx: ${nx}, ny: ${ny}, dx: 1 mm, bottom: 0, top: 60 mm}
time: {step: 8 ms, end: 10 s}
liquid: {preset: water}
border: {west: open, east: open, south: open, north: open}
solids:
  - {shape: heights, file: ${picture}, low: 2 mm, high: 24 mm}
sources:
  - {at: 0 0 58 mm, radius: 5 mm, rate: 6 ml/s}
`, 'heights.yaml');
}

// A volume does not say where solid begins: bone in a CT does at 200 to 300.
function openVolume(name) {
    const threshold = prompt(`${name}: values from here on are solid`, '250');
    if (threshold === null) return false;
    return openText(`title: Your volume, under a source
grid: {nx: 180, ny: 180, dx: 1 mm, bottom: 0, top: 140 mm}
time: {step: 8 ms, end: 10 s}
liquid: {preset: blood}
border: {west: open, east: open, south: open, north: open}
solids:
  - {shape: plane, at: 0 0 5 mm}
  - {shape: volume, file: ${name}, threshold: ${threshold}, fit: 120 120 110 mm, origin: base, at: 0 0 5 mm}
sources:
  - {at: 0 0 138 mm, radius: 5 mm, rate: 8 ml/s}
`, 'volume.yaml');
}

async function takeFile(file, name) {
    const ending = endingOf(name), path = `/drop/${name}`;
    if (ending === '.yaml' || ending === '.yml') {
        const text = await file.text();
        if (!await openText(text, name)) showScene(text);
        return;
    }
    const picture = ['.png', '.jpg', '.jpeg', '.webp', '.gif', '.bmp'].includes(ending);
    if (picture && R.now.solver !== PANE) return openHeights(file, name);
    R.module.FS.writeFile(path, new Uint8Array(await file.arrayBuffer()));
    if (picture) {
        if (call('page_behind', 'number', path)) say(`${name} is behind the pane now`);
    } else if (ending === '.rivulet') {
        if (call('page_restore', 'number', path)) say(`going on from ${name}`);
    } else if (ending === '.nrrd') {
        return openVolume(name);
    } else if (ending === '.hdr') {
        call('page_open', 'number', path);
    } else if (['.obj', '.stl', '.ply', '.glb', '.gltf'].includes(ending)) {
        const good = await whileShown(`Reading ${name}`, () => call('page_open', 'number', path));
        if (good) {
            R.own = `# ${name}: a mesh that was dropped; a link cannot carry it\n`;
            opened();
        }
    } else {
        say(`${name}: what ends in ${ending || 'nothing'} is not read here`, true);
    }
    look();
}

// Meshes and pictures first: a scene dropped with them may name them.
async function takeFiles(files) {
    if (!R.page || !files.length) return;
    if (document.body.classList.contains('welcome') || document.body.classList.contains('scenes')) enterScene();
    const scenes = files.filter(f => /\.ya?ml$/i.test(f.name)), others = files.filter(f => !/\.ya?ml$/i.test(f.name));
    if (scenes.length) {
        for (const file of others) R.module.FS.writeFile(`/drop/${file.name.replaceAll('/', '_')}`, // as the scene names it
            new Uint8Array(await file.arrayBuffer()));
        return takeFile(scenes[0], plainName(scenes[0].name));
    }
    for (const file of others) await takeFile(file, plainName(file.name));
}

addEventListener('dragover', e => {
    if (![...e.dataTransfer.types].includes('Files')) return;
    e.preventDefault();
    document.body.classList.add('dropping');
});
addEventListener('dragleave', e => { if (!e.relatedTarget) document.body.classList.remove('dropping'); });
addEventListener('drop', e => {
    e.preventDefault();
    document.body.classList.remove('dropping');
    takeFiles([...e.dataTransfer.files]);
});

// ---- The editor -------------------------------------------------------------------------------------

function buildEditor() {
    $('tab-scene').innerHTML = `<div class="editor"><pre aria-hidden="true"></pre><textarea id="yaml" spellcheck="false" wrap="off" aria-label="The scene's text"></textarea></div>
        <p class="actions" style="margin-top:8px"><button id="run" class="on">Run it</button><button id="download-yaml">Save the text</button></p>
        <div id="messages" role="alert"></div><p class="help">Ctrl and Enter runs it.${window.rivuletInline ? '' : ' <a href="docs/scenes.html" target="_blank">How to write a scene</a>'}</p>`;
    const area = $('yaml'), numbers = area.previousElementSibling;
    area.oninput = () => { numberLines(); R.edited = true; };
    area.onscroll = () => { numbers.scrollTop = area.scrollTop; };
    area.onkeydown = e => {
        if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) runText();
        if (e.key === 'Escape') e.stopPropagation();
    };
    $('run').onclick = runText;
    $('download-yaml').onclick = () => give(area.value, fileName('.yaml'), 'application/yaml');
    R.openListeners.push(() => { R.edited = false; if (tabNow === 'scene') fillEditor(); });
}

function numberLines(wrong = new Set()) {
    const area = $('yaml');
    const count = area.value.split('\n').length;
    area.previousElementSibling.innerHTML = Array.from({ length: count }, (_, i) => (wrong.has(i + 1) ? `<span class="wrong">${i + 1}</span>` : i + 1)).join('\n');
}

function fillEditor() {
    if (R.edited) return;
    let text = R.own;
    if (text === null) text = new TextDecoder().decode(R.module.FS.readFile(R.now.path));
    $('yaml').value = text;
    $('messages').textContent = '';
    numberLines();
}

// The reader's own messages, each at its line.
function showMessages(text) {
    const box = $('messages'), wrong = new Set();
    box.innerHTML = '';
    for (const line of text.split('\n').filter(Boolean)) {
        const found = /^(?:.*\/)?[^/:]*\.ya?ml:(\d+): (.*)$/.exec(line);
        const button = element('<button></button>');
        button.textContent = found ? `line ${found[1]}: ${found[2]}` : line.replaceAll('/drop/', '');
        if (found) {
            wrong.add(Number(found[1]));
            button.onclick = () => goToLine(Number(found[1]));
        }
        box.append(button);
    }
    numberLines(wrong);
}

function goToLine(number) {
    const area = $('yaml'), lines = area.value.split('\n');
    const start = lines.slice(0, number - 1).join('\n').length + (number > 1 ? 1 : 0);
    area.focus();
    area.setSelectionRange(start, start + (lines[number - 1] ?? '').length);
    area.scrollTop = Math.max(0, (number - 4) * area.scrollHeight / lines.length);
}

async function runText() {
    R.quiet = true;
    const text = $('yaml').value, good = await openText(text, 'scene.yaml');
    look();
    R.quiet = false;
    if (good) $('messages').textContent = '';
    else showMessages(R.now.note);
    return good;
}

// A text that could not be opened, with what is wrong.
function showScene(text) {
    showPanel(true);
    R.edited = true;
    showTab('scene');
    $('yaml').value = text;
    showMessages(R.now.note);
}

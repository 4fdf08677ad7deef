// The start, and what scripts may use.

function readState() {
    call('page_report', 'number', '/drop/.state.json');
    return JSON.parse(new TextDecoder().decode(R.module.FS.readFile('/drop/.state.json')));
}

async function start() {
    const why = lacks();
    if (why) {
        refuse('rivulet cannot run here', why);
        throw new Error(why);
    }
    if (R.software) R.quality = 0.6;
    if (query.has('quality')) R.quality = Number(query.get('quality'));
    const linked = /^#(scene|yaml)=/.test(location.hash);
    if (linked || query.has('plain')) document.body.classList.remove('welcome');
    $('loading').classList.add('shown');
    try {
        await begin();
    } catch (problem) {
        refuse('rivulet could not start', problem.message);
        throw problem;
    } finally {
        $('loading').classList.remove('shown');
    }
    buildBars();
    buildTabs();
    buildLiquid();
    buildFiles();
    buildEditor();
    requestAnimationFrame(frame);
    if (!linked || !await openLink()) await openScene(linked ? 'coffee' : query.get('plain') || 'coffee');
    buildGallery();
    if (linked) R.entered = true;
    addEventListener('hashchange', () => openLink().then(good => { if (good) enterScene(); }));
}

// For scripts: documented in docs/web.md.
window.rivulet = {
    ready: null,
    // A shipped scene by its name, or a scene's text. Resolves to whether it could be opened.
    open: async (name, text) => {
        document.body.classList.remove('welcome', 'scenes');
        resize();
        return text === undefined ? openScene(name) : openText(text, name);
    },
    // So many simulated seconds, to the nearest time.step, as fast as it goes; then it stands still. Gives the
    // number of steps.
    step: seconds => {
        window.rivulet.pause();
        const steps = call('page_step', 'number', seconds);
        look();
        return steps;
    },
    hash: () => call('page_hash', 'string'),
    // A parameter from its text, "4e-5" or "40 cSt". Gives whether it was taken; the note says why not.
    set: (key, text) => {
        const good = call('page_set', 'number', `${key}=${text}`) === 1;
        look();
        return good;
    },
    // A parameter's value as text, in SI units.
    get: key => call('page_get', 'string', key),
    // How things stand: time, volume, hash, camera, the last message and more (docs/viewer.md, `stats`).
    state: () => readState(),
    pause: (paused = true) => {
        look();
        if (R.now.paused !== paused) call('page_key', 'number', 'space', 0, 0);
        look();
    },
    // Draws now, and gives the picture as a PNG's bytes.
    picture: () => {
        R.quiet = true;
        call('page_picture', 'number', '/drop/.picture.png');
        look();
        R.quiet = false;
        return R.module.FS.readFile('/drop/.picture.png');
    },
    scenes: () => R.lists.scenes.map(s => s.name),
    memory: () => R.module.HEAPU8.length,
    link: () => linkOf(),
    file: (name, bytes) => takeFiles([new File([bytes], name)]),
};
window.rivulet.ready = start();
window.rivulet.ready.catch(() => {}); // it was shown

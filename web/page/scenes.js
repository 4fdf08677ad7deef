// Opening scenes, shipped and own, and links that carry them.

// What to try first; a scene without a line gets its solver's.
const tries = {
    'surgery': 'Pour blood on the ridge, then drill into the bone.',
    'paper-surgery': 'Compare it with surgery, which has surface tension.',
    'paper-three-layers': 'Compare it with three-layers: here films spread without end.',
    'paper-passages': 'Compare it with passages.',
    'paper-viscosity-0': 'Compare it with viscosity-0.',
    'paper-viscosity-4e-6': 'Compare it with viscosity-4e-6.',
    'paper-viscosity-4e-5': 'Compare it with viscosity-4e-5.',
    'paper-viscosity-4e-1': 'Compare it with viscosity-4e-1.',
    'tray': 'Tilt it your own way with the arrow keys.',
    'drip': 'Pour on the edge and wait for drops.',
    'puddle-oil': 'Pour beside it and see how far it creeps.',
    'viscosity-4e-6': 'Pour a second stream beside it.',
    'viscosity-4e-5': 'Slide the viscosity down while it runs.',
    'viscosity-4e-1': 'Throw a ball into the heap.',
    'surgery-drill': 'Watch the drill, then take it yourself.',
    'coffee': 'Pour into the cup until it runs over.',
    'coffee-lift': 'See what stays when the cup is lifted.',
    'three-layers': 'Pour on the top and follow it down three floors.',
    'passages': 'Pour into one basin and watch the other rise.',
    'cross-passage': 'Let it find its way through the flooded cross.',
    'bowl': 'Fill it, then throw a ball in.',
    'paint-drip': 'Change the liquid to water and start again.',
    'incline-1cm3': 'Slide the viscosity up and down.',
    'viscosity-0': 'Compare it with its thicker brothers.',
    'puddle': 'Draw a line of wax round a puddle, then tilt the plate.',
    'puddle-mercury': 'Tilt it and watch it roll.',
    'leaf': 'Pour drops on the waxy leaf.',
    'rivulet': 'Put a bead in the way of a stream with Add.',
    'wet-wall': 'Paint a way of your own.',
    'splash': 'Throw another stone after it.',
    'tank-light-ball': 'Throw a wooden box in as well.',
    'tank-heavy-ball': 'Drag to throw another ball.',
    'tank-throw-thin': 'Throw one against it.',
    'tank-throw-thick': 'Throw one and see how soon it stops.',
    'swe-dam-break': 'Put a hill in the way of the wave with Add.',
    'swe-bowl': 'Stir it and watch it swing.',
    'splat-2d-64k': 'Stir the falling water.',
    'splat-3d-125k': 'Turn it while it splashes.',
    'rain-on-cup': 'Come near, and wait for drops to run down the cup.',
    'bottle-sweat': 'Come near: small drops grow, merge and run.',
    'tap-and-plate': 'Pour beside the jet, or throw a ball on the plate.',
    'splat-3d-jet': 'Pour beside the jet.',
    'splat-height-42k': 'Stir at the shore.',
    'splat-surf': 'Stir the shallow water until it foams.',
    'glass-rain': 'Draw on the pane with your finger.',
    'glass-merge': 'Wipe two drops together.',
    'glass-storm': 'Wipe a clear patch and watch it fill.',
    'glass-windshield': 'Draw on it between two strokes of the wiper.',
    'glass-logo': 'Wipe it off and wait.',
};
const solverTries = { pipes: 'Press and hold to pour.', swe: 'Stir it.', splat: 'Stir it.', glass: 'Draw on the pane.' };
const solverNames = { pipes: 'Films, puddles and tanks', swe: 'Waves', splat: 'Particles', glass: 'Rain on glass' };
// Scenes that repeat a paper's, with its simplifications, come last: they are there to be compared.
const paperName = 'As the paper has it', otherName = 'More';
const groupNames = [...Object.values(solverNames), otherName, paperName];
const groupOf = scene => (/as the paper has it/.test(scene.title) ? paperName : solverNames[scene.solver] ?? otherName);
const tryOf = scene => tries[scene.name] ?? solverTries[scene.solver] ?? '';

function sceneNamed(name) {
    return R.lists.scenes.find(s => s.name === name);
}

// The best tool to begin with.
function suitTool(solver) {
    call('page_tool', null, R.lists.tools.indexOf(solver === 'glass' ? 'stir' : 'pour'));
}

function opened() {
    buildParams();
    look();
    const scene = R.own === null ? sceneNamed(R.now.scene) : null;
    $('title-name').textContent = R.now.title || R.now.scene;
    $('title-try').textContent = scene ? tryOf(scene) : '';
    $('panel-title').textContent = R.now.title || R.now.scene;
    $('panel-about').textContent = R.now.about.trim();
    document.title = `${R.now.scene} · rivulet`;
    for (const listener of R.openListeners) listener();
}
R.openListeners = [];

// A shipped scene. `sets`: "key=value" each, applied after. false: it could not be opened.
async function openScene(name, sets = []) {
    const good = await whileShown(`Opening ${sceneNamed(name)?.title || name}`, () => {
        if (!call('page_open', 'number', name)) return false;
        R.own = null;
        for (const set of sets) call('page_set', 'number', set);
        return true;
    });
    look();
    if (!good) return false;
    suitTool(sceneNamed(name)?.solver);
    opened();
    writeLink();
    return true;
}

// A scene of one's own, from its text. Files that it names lie in /drop.
async function openText(text, name = 'scene.yaml', sets = []) {
    const path = `/drop/${name}`;
    R.module.FS.writeFile(path, text);
    const good = await whileShown('Opening your scene', () => {
        if (!call('page_open', 'number', path)) return false;
        R.own = text;
        for (const set of sets) call('page_set', 'number', set);
        return true;
    });
    look();
    if (good) {
        opened();
        writeLink();
    }
    return good;
}

// ---- Links ----------------------------------------------------------------------------------------

const toUrl = bytes => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const fromUrl = text => bytesOf(text.replaceAll('-', '+').replaceAll('_', '/'));

async function through(stream, bytes) {
    const out = new Response(new Blob([bytes]).stream().pipeThrough(stream));
    return new Uint8Array(await out.arrayBuffer());
}

async function linkOf() {
    const parts = [];
    if (R.own === null) parts.push(`scene=${R.now.scene}`);
    else parts.push(`yaml=${toUrl(await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(R.own)))}`);
    for (const change of ask('page_changes')) parts.push(`set=${encodeURIComponent(change)}`);
    return `${location.href.split('#')[0]}#${parts.join('&')}`;
}

// The address follows the scene, not every slider: a link is made when it is asked for.
function writeLink() {
    if (R.own === null && !document.body.classList.contains('welcome')) history.replaceState(null, '', `#scene=${R.now.scene}`);
}

// Opens what the address says. false: it says nothing.
async function openLink() {
    const parts = new URLSearchParams(location.hash.slice(1));
    const sets = parts.getAll('set');
    if (parts.has('scene')) {
        const name = parts.get('scene');
        if (sceneNamed(name)) return openScene(name, sets);
        say(`there is no scene ${name}`, true);
        return false;
    }
    if (!parts.has('yaml')) return false;
    let text;
    try {
        text = await through(new DecompressionStream('deflate-raw'), fromUrl(parts.get('yaml')));
    } catch {
        say('the link is damaged: it does not carry a whole scene', true);
        return false;
    }
    return openText(new TextDecoder().decode(text), 'linked.yaml', sets);
}

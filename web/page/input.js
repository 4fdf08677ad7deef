// Mouse, touch and keys on the canvas, and the two bars over it.

const canvas = $('rivulet-canvas');
const MODS = { shift: 1, ctrl: 2, alt: 4 };
const LEFT = 0, RIGHT = 1, MIDDLE = 2;

const modsOf = e => (e.shiftKey ? MODS.shift : 0) | (e.ctrlKey || e.metaKey ? MODS.ctrl : 0) | (e.altKey ? MODS.alt : 0);
const placeOf = e => {
    const box = canvas.getBoundingClientRect();
    return [(e.clientX - box.left) * R.size.ratio, (e.clientY - box.top) * R.size.ratio];
};
const ready = () => R.page && !R.busy && R.size;

// ---- Pointers: one finger or the mouse uses the tool, two shift and zoom ----------------------------

const fingers = new Map(); // those that are down
let pinch = null;          // of two fingers: where and how far apart they were
let held = -1;             // the button that is down

function between() {
    const [a, b] = [...fingers.values()];
    return { x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2, apart: Math.hypot(a[0] - b[0], a[1] - b[1]) };
}

function press(button, mods) {
    call('page_press', null, button, mods);
    held = button;
    canvas.classList.toggle('turning', button !== LEFT);
}

function release() {
    if (held >= 0) call('page_release', null, held);
    held = -1;
    canvas.classList.remove('turning');
}

// The second finger: what the first began is ended, and both take hold of the scene.
function beginPinch() {
    if (R.now?.tool_state?.tool === R.lists.tools.indexOf('throw')) call('page_tool', null, R.now.tool_state.tool);
    release();
    pinch = between();
    call('page_mouse', null, pinch.x, pinch.y);
    press(MIDDLE, 0);
}

function movePinch() {
    const now = between();
    // The wheel zooms by 1.12 a notch (app/view/input.c).
    const notches = Math.log(now.apart / pinch.apart) / Math.log(1.12);
    call('page_mouse', null, now.x, now.y);
    if (Number.isFinite(notches) && Math.abs(notches) > 0.01) {
        release();
        call('page_wheel', null, notches, 0);
        press(MIDDLE, 0);
        pinch = now;
    }
}

canvas.addEventListener('pointerdown', e => {
    if (!ready()) return;
    e.preventDefault();
    canvas.focus({ preventScroll: true });
    try { canvas.setPointerCapture(e.pointerId); } catch { /* a pointer that is gone again */ }
    const place = placeOf(e);
    if (e.pointerType !== 'touch') {
        call('page_mouse', null, ...place);
        press(e.button === 1 ? MIDDLE : e.button === 2 ? RIGHT : LEFT, modsOf(e));
        return;
    }
    fingers.set(e.pointerId, place);
    if (fingers.size === 2) return beginPinch();
    if (fingers.size > 2) return;
    call('page_mouse', null, ...place);
    press(LEFT, 0);
});

canvas.addEventListener('pointermove', e => {
    if (!ready()) return;
    const place = placeOf(e);
    if (e.pointerType !== 'touch') return call('page_mouse', null, ...place);
    if (!fingers.has(e.pointerId)) return;
    fingers.set(e.pointerId, place);
    if (fingers.size === 2 && pinch) movePinch();
    else if (fingers.size === 1 && held >= 0) call('page_mouse', null, ...place);
});

function up(e) {
    if (!ready()) return;
    if (e.pointerType === 'touch') {
        fingers.delete(e.pointerId);
        if (fingers.size === 1) { // the one that is left does nothing until it is lifted too
            release();
            pinch = null;
        }
        if (fingers.size > 0) return;
        pinch = null;
    }
    release();
    if (e.pointerType === 'touch') call('page_leave', null);
}
canvas.addEventListener('pointerup', up);
canvas.addEventListener('pointercancel', up);
canvas.addEventListener('pointerleave', e => { if (ready() && e.pointerType !== 'touch') call('page_leave', null); });
canvas.addEventListener('webglcontextlost', e => {
    e.preventDefault();
    stopped('The graphics driver let go of the picture');
});
canvas.addEventListener('contextmenu', e => e.preventDefault());
canvas.addEventListener('wheel', e => {
    // On the welcome the wheel belongs to the list of scenes below.
    if (!ready() || document.body.classList.contains('welcome')) return;
    e.preventDefault();
    const notches = -e.deltaY / (e.deltaMode === 1 ? 3 : e.deltaMode === 2 ? 1 : 100);
    call('page_mouse', null, ...placeOf(e));
    call('page_wheel', null, Math.max(-5, Math.min(5, notches)), e.ctrlKey && !e.metaKey && Math.abs(e.deltaY) >= 20 ? MODS.ctrl : 0);
}, { passive: false });

// ---- Keys -----------------------------------------------------------------------------------------

const names = {
    ' ': 'space', 'Escape': 'escape', 'Home': 'home', 'F9': 'f9', 'F12': 'f12',
    'ArrowLeft': 'left', 'ArrowRight': 'right', 'ArrowUp': 'up', 'ArrowDown': 'down',
};
document.addEventListener('keydown', e => {
    if (!ready() || e.defaultPrevented || document.querySelector('dialog[open]')) return;
    if (e.target.closest('input, textarea, select, [role="tablist"]') || ((e.key === ' ' || e.key === 'Enter') && e.target.closest('button, a, summary'))) return;
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (document.body.classList.contains('scenes') && e.key === 'Escape') return showGallery(false);
    if (document.body.classList.contains('welcome') || document.body.classList.contains('scenes')) return;
    if (e.key === '?' || e.key === 'F1') return showHelp();
    if (e.key === 's' || e.key === 'F12') return savePicture();
    if (e.key === 'h') return showPanel(!document.body.classList.contains('panel'));
    const key = names[e.key] ?? (e.key.length === 1 ? e.key.toLowerCase() : '');
    if (key && call('page_key', 'number', key, modsOf(e), e.repeat ? 1 : 0)) {
        e.preventDefault();
        look();
    }
});

// ---- The bars -------------------------------------------------------------------------------------

const icon = body => `<svg viewBox="0 0 24 24" aria-hidden="true">${body}</svg>`;
const icons = {
    look: icon('<path d="M12 4v2m0 12v2M4 12h2m12 0h2"/><circle cx="12" cy="12" r="4"/><path d="M18.5 5.5l-2 2m-9 9l-2 2m0-13l2 2m9 9l2 2" opacity=".45"/>'),
    pour: icon('<path d="M12 3.5c3.2 4.5 5.5 7 5.5 10.2a5.5 5.5 0 0 1-11 0c0-3.200 2.300-5.700 5.500-10.200z"/>'),
    drill: icon('<path d="M4 6h9v6H4zM13 8h4v2h-4M17 9h4M7 12v6h4"/>'),
    add: icon('<path d="M4 18c2-6 5-8 8-8s6 2 8 8z"/><path d="M12 3v5M9.500 5.500h5"/>'),
    throw: icon('<circle cx="16.500" cy="8" r="4"/><path d="M3 19c2-5 4-7.500 7.500-9M3 13c1.500-3 3-4.500 5-5.500"/>'),
    stir: icon('<path d="M17 3l-5 10"/><path d="M5 15c0 3 3 5 7 5s7-2 7-5-3-4-7-4"/><path d="M9 15.500c.5 1 1.500 1.500 3 1.500"/>'),
    paint: icon('<path d="M15 4l5 5-10 10H5v-5z"/><path d="M13 6l5 5"/>'),
    tilt: icon('<path d="M3 17l18-7"/><path d="M12 13V4m0 0L9 7m3-3l3 3" transform="rotate(160 12 9)"/>'),
    play: icon('<path d="M8 5l11 7-11 7z" fill="currentColor"/>'),
    pause: icon('<path d="M8 5v14M16 5v14" stroke-width="3.500"/>'),
    step: icon('<path d="M6 5l8 7-8 7z" fill="currentColor"/><path d="M18 5v14" stroke-width="2.500"/>'),
    reset: icon('<path d="M5 12a7 7 0 1 0 2-5"/><path d="M4 4v4h4"/>'),
};
const onPane = { stir: 'finger' };
const toolHints = {
    look: 'turn, shift and zoom', pour: 'press and hold to pour', drill: 'take solid away', add: 'put solid there',
    throw: 'drag and let go to throw a body', stir: 'drag to stir; on a pane: a finger',
    paint: 'drag to paint wax, which repels liquid',
};

function buildBars() {
    $('tools').innerHTML = '';
    R.lists.tools.forEach((name, i) => {
        const button = document.createElement('button');
        button.innerHTML = (icons[name] ?? icon('<circle cx="12" cy="12" r="6"/>')) + '<span></span>';
        button.lastChild.textContent = name;
        button.title = `${toolHints[name] ?? name} (${i + 1})`;
        button.dataset.tool = name;
        button.onclick = () => { call('page_tool', null, i); look(); };
        $('tools').append(button);
    });
    $('step').innerHTML = icons.step;
    $('reset').innerHTML = icons.reset;
    $('play').onclick = () => { call('page_key', 'number', 'space', 0, 0); look(); };
    $('step').onclick = () => { call('page_key', 'number', '.', 0, 0); look(); };
    $('reset').onclick = () => { call('page_key', 'number', 'r', 0, 0); look(); };
    $('speed').onchange = () => call('page_set', 'number', `view.speed=${$('speed').value}`);
    $('scenes-button').onclick = () => showGallery(true);
    $('panel-button').onclick = () => showPanel(!document.body.classList.contains('panel'));
}

let pausedShown = null;
R.listeners.push(now => {
    if (!now.tool_state) return;
    const pane = now.solver === PANE;
    [...$('tools').children].forEach((button, i) => {
        const on = i === now.tool_state.tool, name = button.dataset.tool;
        if (button.getAttribute('aria-pressed') !== String(on)) button.setAttribute('aria-pressed', on);
        button.hidden = (pane && ['drill', 'add', 'throw'].includes(name)) || (now.solver >= PARTICLES && name === 'paint');
        const shown = pane ? onPane[name] ?? name : name;
        if (button.lastChild.textContent !== shown) button.lastChild.textContent = shown;
    });
    canvas.classList.toggle('turns', now.tool_state.tool === 0 || !now.tool_state.over);
    if (pausedShown !== now.paused) {
        pausedShown = now.paused;
        $('play').innerHTML = now.paused ? icons.play : icons.pause;
        $('play').setAttribute('aria-label', now.paused ? 'Go on' : 'Pause');
    }
    const options = [...$('speed').options];
    const near = options.reduce((a, b) => (Math.abs(Math.log(b.value / now.speed)) < Math.abs(Math.log(a.value / now.speed)) ? b : a));
    if (document.activeElement !== $('speed')) $('speed').value = near.value;
    $('clock').textContent = now.paused ? now.state : `${now.state.split('   ')[0]} · ${now.factor >= 0.995 * now.speed ? 'real time' : `${(now.factor / now.speed).toFixed(2)} × real time`} · ${Math.round(now.rate)} fps`;
});

function showHelp() {
    const dialog = $('help');
    const touch = [['one finger', 'the tool; beside the scene, or with look: turn'], ['two fingers', 'shift and zoom']];
    const skip = /Ctrl Q|F9|Tab/;
    dialog.innerHTML = '<h2>Mouse, touch and keys</h2><table></table><p><button class="plain">Close</button></p>';
    for (const [key, meaning] of [...touch, ...R.lists.keys.filter(([k]) => !skip.test(k)), ['h', 'hide or show the controls']]) {
        const row = dialog.querySelector('table').insertRow();
        row.insertCell().innerHTML = '<kbd></kbd>';
        row.cells[0].firstChild.textContent = key;
        row.insertCell().textContent = meaning;
    }
    dialog.querySelector('button').onclick = () => dialog.close();
    dialog.showModal();
}

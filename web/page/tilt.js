// Tilting the scene: by buttons and keys where gravity may have a direction, and by the phone itself where it is
// asked for; on a pane, its slope.

let neutral = null, tilting = false, lastTilt = 0;

// Gravity for a scene tilted by two angles, rad: to the right of the screen and away from the viewer.
function setGravity(right, away) {
    const state = readState(), g = 9.81, a = state.azimuth;
    const limit = angle => Math.max(-0.9, Math.min(0.9, angle));
    const x = Math.sin(limit(right)), y = Math.sin(limit(away)), down = Math.sqrt(Math.max(0.05, 1 - x * x - y * y));
    // The camera looks from azimuth a: its right is (-sin a, cos a), away from it is (-cos a, -sin a).
    const gx = g * (x * -Math.sin(a) + y * -Math.cos(a)), gy = g * (x * Math.cos(a) + y * -Math.sin(a));
    return call('page_set', 'number', `gravity=${gx.toFixed(3)} ${gy.toFixed(3)} ${(-g * down).toFixed(3)}`);
}

function onOrientation(e) {
    if (!ready() || e.beta === null || performance.now() - lastTilt < 50) return;
    lastTilt = performance.now();
    const degree = Math.PI / 180;
    if (R.now.solver === 3) {
        call('page_set', 'number', `glass.tilt=${Math.max(0, Math.min(180, e.beta)).toFixed(1)} deg`);
        return;
    }
    neutral ??= { beta: e.beta, gamma: e.gamma };
    setGravity((e.gamma - neutral.gamma) * degree, (neutral.beta - e.beta) * degree);
}

async function toggleTilt() {
    if (tilting) {
        removeEventListener('deviceorientation', onOrientation);
        tilting = false;
        if (R.now.solver !== 3) call('page_key', 'number', 't', 0, 0); // level again
    } else {
        try {
            if (await window.DeviceOrientationEvent?.requestPermission?.() === 'denied') return say('This phone does not let pages feel its tilt', true);
        } catch { /* not a phone that asks */ }
        neutral = null;
        addEventListener('deviceorientation', onOrientation);
        tilting = true;
    }
    $('tilt')?.setAttribute('aria-pressed', tilting);
}

// Shown where it does something.
function buildTilt() {
    const part = $('tilt-part'), turns = call('page_can_tilt', 'number') === 1, pane = R.now.solver === 3;
    const phone = window.DeviceOrientationEvent && matchMedia('(pointer: coarse)').matches && (turns || pane);
    part.innerHTML = turns || phone ? '<h3>Tilt</h3><div class="chips"></div>' : '';
    if (!part.lastChild) return;
    const buttons = turns ? [['left', '←'], ['right', '→'], ['up', '↑'], ['down', '↓'], ['t', 'level']] : [];
    for (const [key, sign] of buttons) {
        const button = element('<button></button>');
        button.textContent = sign;
        button.setAttribute('aria-label', key === 't' ? 'level again' : `tilt ${key}`);
        button.onclick = () => { call('page_key', 'number', key, 0, 0); look(); };
        part.lastChild.append(button);
    }
    if (!phone) return;
    part.lastChild.append(element('<button id="tilt">with the phone</button>'));
    part.append(element('<p class="help">Gravity follows the phone, from how you hold it now.</p>'));
    $('tilt').onclick = toggleTilt;
    $('tilt').setAttribute('aria-pressed', tilting);
}
R.openListeners.push(buildTilt);

// Tilting the scene: by buttons and keys where gravity may have a direction, and by the phone itself where it is
// asked for; on a pane, its slope.

let neutral = null, tilting = false, lastTilt = 0;

// How far down the right and the far edge of the screen are, degrees, however the phone is held.
function leanOf({ beta, gamma }) {
    const angle = (screen.orientation?.angle ?? 0) * Math.PI / 180;
    return { right: gamma * Math.cos(angle) + beta * Math.sin(angle), away: gamma * Math.sin(angle) - beta * Math.cos(angle) };
}

function onOrientation(e) {
    if (!ready() || e.beta === null || performance.now() - lastTilt < 50) return;
    lastTilt = performance.now();
    const lean = leanOf(e), degree = Math.PI / 180;
    if (R.now.solver === PANE) {
        call('page_set', 'number', `glass.tilt=${Math.max(0, Math.min(180, -lean.away)).toFixed(1)} deg`);
        return;
    }
    neutral ??= lean;
    call('page_lean', 'number', (lean.right - neutral.right) * degree, (lean.away - neutral.away) * degree);
}

async function toggleTilt() {
    if (tilting) {
        removeEventListener('deviceorientation', onOrientation);
        tilting = false;
        if (R.now.solver !== PANE) call('page_key', 'number', 't', 0, 0); // level again
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
    const part = $('tilt-part'), turns = call('page_can_tilt', 'number') === 1, pane = R.now.solver === PANE;
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

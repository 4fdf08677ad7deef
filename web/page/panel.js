// The panel: liquids and the tool, every parameter, plots, files, the scene's text.

const tabs = [['liquid', 'Liquid'], ['params', 'All'], ['plots', 'Plots'], ['files', 'Save'], ['scene', 'Edit']];
let tabNow = 'liquid';

function element(html) {
    const box = document.createElement('template');
    box.innerHTML = html.trim();
    return box.content.firstChild;
}

function showPanel(shown) {
    document.body.classList.toggle('panel', shown);
    $('panel-button').setAttribute('aria-expanded', shown);
    if (shown) {
        look();
        if (tabNow === 'params') refreshParams(true);
        $('panel').focus({ preventScroll: true });
    } else {
        canvas.focus({ preventScroll: true });
    }
}

function showTab(name) {
    tabNow = name;
    for (const [tab] of tabs) {
        $(`tab-${tab}`).hidden = tab !== name;
        $(`tabb-${tab}`).setAttribute('aria-selected', tab === name);
        $(`tabb-${tab}`).tabIndex = tab === name ? 0 : -1;
    }
    if (R.now) look();
    if (name === 'params') refreshParams(true);
    if (name === 'scene' && R.now) fillEditor();
}

function buildTabs() {
    for (const [name, label] of tabs) {
        const button = element(`<button role="tab" id="tabb-${name}" aria-controls="tab-${name}">${label}</button>`);
        button.onclick = () => showTab(name);
        $('tabs').append(button);
    }
    $('tabs').addEventListener('keydown', e => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
        if (!step) return;
        const next = tabs[(tabs.findIndex(t => t[0] === tabNow) + step + tabs.length) % tabs.length][0];
        showTab(next);
        $(`tabb-${next}`).focus();
        e.preventDefault();
    });
    $('panel-close').onclick = () => showPanel(false);
    $('panel').addEventListener('keydown', e => { if (e.key === 'Escape') showPanel(false); });
    showTab('liquid');
}

// ---- Liquid, tool and view --------------------------------------------------------------------------

// Linear light to what a screen shows; a liquid as deep as a finger.
function colourOf(rgb) {
    const screen = v => Math.round(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * Math.min(1, v) ** (1 / 2.4) - 0.055));
    return `rgb(${rgb.map(v => screen(Math.min(1, 1.6 * v + 0.02))).join(',')})`;
}

const toolRows = {
    radius: 'Size', rate: 'Rate', density: 'Density', bounce: 'Bounce', affinity: 'Affinity',
};
const rowsOfTool = { look: [], pour: ['radius', 'rate'], drill: ['radius'], add: ['radius'], throw: ['radius', 'density', 'bounce'], stir: ['radius'], paint: ['radius', 'affinity'] };

function buildLiquid() {
    const tab = $('tab-liquid');
    tab.innerHTML = `<h3>Liquid</h3><div class="chips" id="liquids" role="group" aria-label="Liquid"></div>
        <div class="row"><label for="thickness">Viscosity</label><span class="value" id="thickness-text"></span>
        <input type="range" id="thickness" min="0" max="1" step="0.002"></div>
        <h3 id="tool-title">Tool</h3><div id="tool-rows"></div>
        <div class="row" id="wiper-part"><label for="wiper">Wiper</label><input type="checkbox" id="wiper"></div>
        <h3>View</h3><div class="chips" id="modes" role="group" aria-label="View"></div>
        <p class="actions" style="margin-top:12px"><button id="home">Scene's own view</button><button id="clear">Remove bodies</button></p>
        <div id="tilt-part"></div>`;
    R.lists.liquids.forEach((liquid, i) => {
        const button = element('<button><i></i><span></span></button>');
        button.firstChild.style.background = colourOf(liquid.colour);
        button.lastChild.textContent = liquid.name;
        button.title = `${liquid.name}: ${liquid.viscosity}`;
        button.onclick = () => { call('page_liquid', 'number', i); look(); };
        $('liquids').append(button);
    });
    $('thickness').oninput = () => {
        const at = rowIndex('liquid.viscosity');
        if (at >= 0) call('page_slide', 'number', at, 0, Number($('thickness').value));
        look();
    };
    for (const [name, label] of Object.entries(toolRows)) {
        const row = element(`<div class="row" id="tool-${name}"><label for="tool-${name}-in">${label}</label><span class="value"></span>
            <input type="range" id="tool-${name}-in" min="0" max="1" step="0.005"></div>`);
        row.querySelector('input').oninput = e => { call('page_tool_value', null, name, Number(e.target.value)); look(); };
        $('tool-rows').append(row);
    }
    $('tool-rows').append(element('<div class="row" id="tool-box"><label for="tool-box-in">A box, no ball</label><input type="checkbox" id="tool-box-in"></div>'));
    $('tool-rows').append(element('<p class="help" id="tool-affinity-help">0 is wax, which repels the liquid; 1 draws it; 0.5 wipes off what was painted.</p>'));
    $('tool-box-in').onchange = e => call('page_tool_value', null, 'box', e.target.checked ? 1 : 0);
    $('wiper').onchange = e => { call('page_set', 'number', `glass.wiper=${e.target.checked}`); look(); };
    $('home').onclick = () => call('page_key', 'number', 'f', 0, 0);
    $('clear').onclick = () => call('page_clear', null);
}

// Views that only show the scene as it is, by solver: they would only be in the way (docs/rendering.md).
const idleViews = solver => (solver === PANE ? ['wire', 'speed', 'layers', 'passages', 'links', 'boundary', 'particles', 'affinity']
    : solver === PARTICLES ? ['layers', 'passages', 'links', 'normals', 'affinity'] : ['normals', 'particles']);

function buildModes() {
    $('modes').innerHTML = '';
    const row = R.rows[rowIndex('view.mode')], idle = idleViews(ask('page_panel').solver);
    row?.words.split('|').forEach(word => {
        const button = element('<button></button>');
        button.textContent = word;
        button.hidden = idle.includes(word);
        button.onclick = () => { call('page_set', 'number', `view.mode=${word}`); look(); };
        $('modes').append(button);
    });
}

function press1(list, index) {
    [...list.children].forEach((button, i) => {
        if (button.getAttribute('aria-pressed') !== String(i === index)) button.setAttribute('aria-pressed', i === index);
    });
}

R.listeners.push(now => {
    if (!document.body.classList.contains('panel') || !now.tool_state) return;
    if (tabNow === 'liquid') {
        press1($('liquids'), now.liquid);
        press1($('modes'), now.mode);
        const values = ask('page_values'), at = rowIndex('liquid.viscosity');
        $('thickness-text').textContent = values[2 * at] ?? '';
        if (document.activeElement !== $('thickness')) $('thickness').value = values[2 * at + 1]?.[0];
        const tool = R.lists.tools[now.tool_state.tool], t = now.tool_state;
        const shown = rowsOfTool[tool] ?? ['radius'];
        $('tool-title').textContent = now.solver === PANE ? onPane[tool] ?? tool : tool;
        const texts = { radius: t.radius, rate: t.rate, density: `${Math.round(t.density)} kg/m³`, bounce: t.bounce.toFixed(2), affinity: t.affinity.toFixed(2) };
        const places = { radius: t.radius_place, rate: t.rate_place, density: t.density_place, bounce: t.bounce, affinity: t.affinity };
        for (const name of Object.keys(toolRows)) {
            const row = $(`tool-${name}`), input = row.querySelector('input');
            row.hidden = !shown.includes(name);
            row.querySelector('.value').textContent = texts[name];
            if (document.activeElement !== input) input.value = places[name];
        }
        $('tool-box').hidden = tool !== 'throw';
        $('tool-affinity-help').hidden = tool !== 'paint';
        $('wiper-part').hidden = now.solver !== PANE;
        $('wiper').checked = !!now.wiper;
        $('clear').disabled = now.bodies === 0;
    } else if (tabNow === 'params') {
        refreshParams(false);
    } else if (tabNow === 'plots') {
        drawPlots(now);
    }
});

// ---- All parameters -----------------------------------------------------------------------------------

const rowIndex = key => R.rows.findIndex(r => r.key === key);
R.rows = [];

function controlOf(row, i) {
    const id = `param-${i}`;
    if (row.type === 'flag') return `<input type="checkbox" id="${id}">`;
    if (row.type === 'word') return `<select id="${id}">${row.words.split('|').map(w => `<option>${w}</option>`).join('')}</select>`;
    return `<input class="value" type="text" id="${id}" inputmode="text" spellcheck="false" autocomplete="off">`;
}

function buildRow(row, i) {
    const number = row.type === 'real' || row.type === 'whole';
    const sliders = number ? [''] : row.type === 'vector' ? ['x', 'y', 'z'] : [];
    const box = element(`<div class="row" data-row="${i}"><label for="param-${i}"></label><span>${controlOf(row, i)}<button class="again" hidden title="the scene's value" aria-label="${row.key}: back to the scene's value">↺</button></span>
        ${sliders.map(part => `<span class="slide" data-part="${part}"><input type="range" min="0" max="1" step="0.001" aria-label="${row.key}${part && `, ${part}`}"></span>`).join('')}<small></small></div>`);
    box.querySelector('label').textContent = row.label;
    box.querySelector('label').title = row.key;
    const range = number ? ` (${row.low} to ${row.high})` : row.type === 'vector' ? ` (${row.unit})` : '';
    box.querySelector('small').textContent = `${row.meaning}${range}${row.shapes ? '. Makes the world anew.' : ''}`;
    const control = box.querySelector(`#param-${i}`);
    control.onchange = () => {
        const value = row.type === 'flag' ? String(control.checked) : control.value;
        setParam(`${row.key}=${value}`, row.shapes);
    };
    box.querySelectorAll('[type="range"]').forEach((slider, part) => {
        const move = () => call('page_slide', 'number', i, part, Number(slider.value));
        if (row.shapes) slider.onchange = () => whileShown('Making the world anew', move).then(afterRebuild);
        else slider.oninput = () => { move(); look(); };
    });
    box.querySelector('.again').onclick = async () => {
        if (row.shapes) {
            await whileShown('Making the world anew', () => call('page_back', 'number', i));
            afterRebuild();
        } else {
            call('page_back', 'number', i);
        }
        refreshParams(true);
    };
    return box;
}

// Another solver or grid has other rows.
function afterRebuild() {
    const keys = R.rows.map(r => r.key).join();
    R.rows = ask('page_rows');
    if (R.rows.map(r => r.key).join() !== keys) buildParams();
    look();
}

async function setParam(assignment, shapes) {
    if (shapes) {
        await whileShown('Making the world anew', () => call('page_set', 'number', assignment));
        afterRebuild();
    } else {
        call('page_set', 'number', assignment);
    }
    look();
    refreshParams(true);
}

function buildParams() {
    R.rows = ask('page_rows');
    const tab = $('tab-params');
    const before = tab.querySelector('input[type="search"]')?.value ?? '';
    tab.innerHTML = '<input type="search" id="find-param" placeholder="Find: viscosity, border, light …" aria-label="Find a parameter"><div id="groups"></div>';
    const groups = new Map();
    R.rows.forEach((row, i) => {
        if (row.key === 'view.width' || row.key === 'view.height') return; // the window's
        if (!groups.has(row.group)) {
            const group = element('<details><summary></summary></details>');
            group.firstChild.textContent = row.group;
            groups.set(row.group, group);
            $('groups').append(group);
        }
        groups.get(row.group).append(buildRow(row, i));
    });
    groups.get('liquid')?.setAttribute('open', '');
    $('find-param').value = before;
    $('find-param').oninput = findParams;
    if (before) findParams();
    buildModes();
    refreshParams(true);
}

function findParams() {
    const search = $('find-param').value;
    for (const group of $('groups').children) {
        let any = false;
        for (const box of group.querySelectorAll('.row')) {
            box.hidden = !call('page_matches', 'number', Number(box.dataset.row), search);
            any ||= !box.hidden;
        }
        group.hidden = !any;
        if (search) group.open = true;
    }
}

// Values of the rows that are open; `all`: also what is being typed in.
function refreshParams(all) {
    if (tabNow !== 'params' || !document.body.classList.contains('panel')) return;
    const values = ask('page_values');
    for (const box of document.querySelectorAll('#groups details[open] .row:not([hidden])')) {
        const i = Number(box.dataset.row), row = R.rows[i], text = values[2 * i], places = values[2 * i + 1];
        const control = box.querySelector(`#param-${i}`);
        if (all || document.activeElement !== control) {
            if (row.type === 'flag') control.checked = text === 'true';
            else if (control.value !== text) control.value = text;
        }
        box.querySelectorAll('[type="range"]').forEach((slider, part) => {
            if (document.activeElement !== slider) slider.value = places[part];
        });
        const changed = text !== row.scene;
        box.classList.toggle('changed', changed);
        box.querySelector('.again').hidden = !changed;
    }
}
document.addEventListener('toggle', e => { if (e.target.closest?.('#groups')) refreshParams(true); }, true);

// ---- Plots --------------------------------------------------------------------------------------------

const plotRoom = 300;
let plotMemory = 0;

function drawPlots(now) {
    const tab = $('tab-plots');
    if (!tab.firstChild) {
        tab.innerHTML = '<pre class="numbers" id="numbers"></pre>';
        now.plots.forEach((_, i) => tab.append(element(`<div class="plot"><div><span></span><b></b></div><canvas id="plot-${i}" role="img"></canvas></div>`)));
        plotMemory = R.module._malloc(4 * plotRoom);
    }
    $('numbers').textContent = now.numbers;
    const colour = getComputedStyle(document.documentElement).getPropertyValue('--accent');
    now.plots.forEach((plot, i) => {
        const view = $(`plot-${i}`), box = view.parentNode;
        box.querySelector('span').textContent = plot.name;
        box.querySelector('b').textContent = plot.now;
        view.setAttribute('aria-label', `${plot.name}: ${plot.now}`);
        const count = call('page_plot', 'number', i, plotMemory, plotRoom);
        const values = new Float32Array(R.module.HEAPF32.buffer, plotMemory, count);
        const ratio = Math.min(devicePixelRatio, 2), width = Math.round(view.clientWidth * ratio), height = Math.round(52 * ratio);
        if (view.width !== width || view.height !== height) view.width = width, view.height = height;
        const pen = view.getContext('2d');
        pen.clearRect(0, 0, width, height);
        pen.beginPath();
        for (let k = 0; k < count; k++) {
            const x = width * (k + plotRoom - count) / (plotRoom - 1), y = height - 3 - (height - 6) * Math.max(0, Math.min(1, (values[k] - plot.low) / (plot.high - plot.low || 1)));
            if (k) pen.lineTo(x, y); else pen.moveTo(x, y);
        }
        pen.strokeStyle = colour;
        pen.lineWidth = 1.5 * ratio;
        pen.lineJoin = 'round';
        pen.stroke();
    });
}

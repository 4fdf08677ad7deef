// The welcome and the list of scenes.

function cardOf(scene) {
    const card = element(`<button class="card"><span class="moving"><img alt="" loading="lazy" decoding="async"></span><span class="words"><b></b><span></span><span class="first"></span></span></button>`);
    const image = card.querySelector('img');
    const inline = window.rivuletInline?.thumbs?.[scene.name];
    if (inline || window.rivuletThumbs.includes(scene.name)) image.src = inline ?? `thumbs/${scene.name}.webp`;
    else image.remove();
    card.querySelector('b').textContent = scene.name;
    card.querySelector('b + span').textContent = scene.title;
    card.querySelector('.first').textContent = tryOf(scene);
    card.querySelector('.moving').style.display = 'block';
    card.dataset.words = `${scene.name} ${scene.title} ${scene.about} ${scene.solver}`.toLowerCase();
    card.onclick = async () => {
        enterScene();
        await openScene(scene.name);
    };
    return card;
}

function buildGallery() {
    const groups = new Map(groupNames.map(name => [name, []]));
    for (const scene of R.lists.scenes) groups.get(groupOf(scene)).push(scene);
    for (const [name, scenes] of groups) {
        if (!scenes.length) continue;
        const title = element('<h3 class="group-name"></h3>');
        title.textContent = name;
        $('cards').append(title);
        for (const scene of scenes) $('cards').append(cardOf(scene));
    }
    $('version').textContent = R.lists.version;
    $('find-scene').oninput = () => {
        const words = $('find-scene').value.toLowerCase().split(/\s+/);
        for (const card of document.querySelectorAll('.card')) card.hidden = !words.every(w => card.dataset.words.includes(w));
        for (const title of document.querySelectorAll('.group-name')) title.hidden = !!$('find-scene').value;
    };
    $('gallery-close').onclick = () => showGallery(false);
    $('enter').onclick = enterScene;
    $('help-button').onclick = showHelp;
}

function showGallery(shown) {
    document.body.classList.toggle('scenes', shown);
    if (shown && !matchMedia('(pointer: coarse)').matches) $('find-scene').focus(); // no keyboard over the list on a phone
    else canvas.focus({ preventScroll: true });
}

// From the welcome to the scene that is on the stage.
function enterScene() {
    document.body.classList.remove('welcome', 'scenes');
    scrollTo(0, 0);
    if (R.now?.scene) writeLink();
    canvas.focus({ preventScroll: true });
    if (innerWidth > 1000 && !R.entered) showPanel(true);
    R.entered = true;
}

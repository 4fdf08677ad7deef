// The documentation as pages: a reader of the Markdown that docs/ uses (headings, paragraphs, lists, tables, code,
// pictures, links), and nothing more.
const escape = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
export const slug = text => text.toLowerCase().replaceAll(/[^\w\- ]/g, '').trim().replaceAll(' ', '-');

// What a link means in the folder of pages: other documents become pages, pictures stay, the rest cannot be followed.
function target(link) {
    if (/^(https?:|#)/.test(link)) return link;
    const [path, hash = ''] = link.split('#');
    const name = path.replace(/^(\.\.\/)?(docs\/)?/, '');
    if (/^[\w-]+\.md$/.test(name)) return `${name.replace(/\.md$/, '').toLowerCase()}.html${hash ? `#${hash}` : ''}`;
    if (/\.(jpg|png|svg)$/.test(name)) return name;
    return '';
}

function inline(text) {
    const kept = [];
    const keep = html => `\u0000${kept.push(html) - 1}\u0000`;
    text = text.replaceAll(/`([^`]+)`/g, (_, code) => keep(`<code>${escape(code)}</code>`));
    text = text.replaceAll(/!\[([^\]]*)\]\(([^)]+)\)/g, (_, alt, link) => keep(`<img src="${target(link)}" alt="${escape(alt)}" loading="lazy">`));
    text = text.replaceAll(/<br>/g, () => keep('<br>'));
    text = escape(text).replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, (_, words, link) => {
        const to = target(link);
        return to ? `<a href="${to}">${words}</a>` : words;
    });
    text = text.replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>').replaceAll(/(^|[\s(])\*([^*\s][^*]*)\*/g, '$1<em>$2</em>');
    for (let again = 0; again < 3; again++) text = text.replaceAll(/\u0000(\d+)\u0000/g, (_, n) => kept[n]);
    return text;
}

function table(lines) {
    const cells = line => line.trim().replace(/^\|/, '').replace(/\|$/, '').split(/(?<!\\)\|/).map(c => inline(c.trim().replaceAll('\\|', '|')));
    const head = cells(lines[0]), rows = lines.slice(2).map(cells);
    const row = (items, kind) => `<tr>${items.map(i => `<${kind}>${i}</${kind}>`).join('')}</tr>`;
    return `<div class="wide"><table>${head.some(Boolean) ? row(head, 'th') : ''}${rows.map(r => row(r, 'td')).join('')}</table></div>`;
}

export function toHtml(markdown) {
    const lines = markdown.split('\n'), out = [];
    for (let i = 0; i < lines.length;) {
        const line = lines[i];
        if (line.startsWith('```')) {
            const end = lines.findIndex((l, k) => k > i && l.startsWith('```'));
            out.push(`<pre><code>${escape(lines.slice(i + 1, end).join('\n'))}</code></pre>`);
            i = end + 1;
        } else if (/^#{1,4} /.test(line)) {
            const level = line.indexOf(' '), text = line.slice(level + 1);
            out.push(`<h${level} id="${slug(text.replaceAll('`', ''))}">${inline(text)}</h${level}>`);
            i++;
        } else if (line.startsWith('|') && /^\|[\s:|-]+\|?$/.test(lines[i + 1] ?? '')) {
            let end = i;
            while (lines[end]?.startsWith('|')) end++;
            out.push(table(lines.slice(i, end)));
            i = end;
        } else if (/^(\s*)([-*]|\d+\.) /.test(line)) {
            const kind = /^\s*\d/.test(line) ? 'ol' : 'ul', items = [];
            while (i < lines.length && lines[i].trim() && !/^#/.test(lines[i])) {
                const begin = /^\s*([-*]|\d+\.) (.*)$/.exec(lines[i]);
                if (begin) items.push(begin[2]);
                else items[items.length - 1] += ` ${lines[i].trim()}`;
                i++;
            }
            out.push(`<${kind}>${items.map(t => `<li>${inline(t)}</li>`).join('')}</${kind}>`);
        } else if (line.trim()) {
            let end = i;
            while (lines[end]?.trim() && !/^(#|```|\|)/.test(lines[end]) && (end === i || !/^\s*([-*]|\d+\.) /.test(lines[end]))) end++;
            out.push(`<p>${inline(lines.slice(i, Math.max(end, i + 1)).join(' '))}</p>`);
            i = Math.max(end, i + 1);
        } else {
            i++;
        }
    }
    return out.join('\n');
}

// A whole page; `back` leads to the program.
export function pageOf(markdown, back) {
    const title = /^# (.*)$/m.exec(markdown)?.[1] ?? 'rivulet';
    return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(title)} · rivulet</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="dark light"><link rel="icon" href="data:,">
<style>:root{color-scheme:dark light;--g:#14171c;--t:#e8ebf0;--q:#9aa4b2;--l:#2c323c;--s:#1c2027;--a:#4aa8f0}
@media(prefers-color-scheme:light){:root{--g:#fff;--t:#1b2027;--q:#5c6674;--l:#d9dde3;--s:#f4f5f7;--a:#1273c4}}
body{margin:0 auto;max-width:860px;padding:18px 20px 80px;background:var(--g);color:var(--t);font:16px/1.6 system-ui,sans-serif}
a{color:var(--a)}img{max-width:100%;height:auto;border-radius:8px}img[src$=".svg"]{background:#fff;padding:6px}
pre{background:var(--s);padding:12px 14px;border-radius:9px;overflow:auto;font-size:13.5px;line-height:1.45}code{font-family:ui-monospace,monospace;font-size:.92em}
.wide{overflow:auto}table{border-collapse:collapse;font-size:14.5px}td,th{border-bottom:1px solid var(--l);padding:5px 12px 5px 0;text-align:left;vertical-align:top}
th{color:var(--q)}nav{display:flex;gap:16px;margin-bottom:8px}h1{letter-spacing:-.02em}</style></head>
<body><nav><a href="${back}index.html">← rivulet</a><a href="${back}docs/index.html">Docs</a></nav>
${toHtml(markdown)}
</body></html>\n`;
}

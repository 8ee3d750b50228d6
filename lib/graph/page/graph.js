// The upgrade graph of one package at a time: a row per version, a column per channel.
//
// Data, as lib/graph/draw_html.cpp writes it:
//   packages: [{name, deprecated, nodes, ranges, channels}], files: [path], findings: [{severity, rule, message, at}]
//   node: {n: name, v: version, k: rank or null, virtual, deprecated, ends: the last day of its support, next: what OLM v1 goes to, refused}
//   range: {t: text, c: [[begin, end)…] in ranks}
//   channel: {name, default, deprecated, problem, heads: [node], entries, next: runs}
//   run: [node, what OLM classic upgrades it to, the number of nodes from there on that it upgrades to the same], in order
//   entry: {i: node, r: replaces, s: [skips], g: range, skipped, at: [file, line]}, and the lines of r, s, g: rl, sl: [], gl
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const $ = id => document.getElementById(id);
  const row_height = 26, column_width = 112, head_height = 34, dot = 7, most_arcs = 3;
  const state = { package: null, channel: '', olm: data.olm, selected: null, cursor: { row: 0, column: 0 } };
  let shown = null; // what is drawn: {narrow, channels, rows, row_of, label_width, points}
  const view = { x: 0, y: 0, scale: 1 };

  function element(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === 'onclick') node.addEventListener('click', value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
    }
    node.append(...children.filter(child => child !== null && child !== undefined && child !== false));
    return node;
  }
  function shape(tag, attributes, text) {
    const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }

  // --- the graph ---------------------------------------------------------------------------------------------

  for (const p of data.packages) {
    for (const channel of p.channels) {
      channel.entry_of = new Map(channel.entries.map(entry => [entry.i, entry]));
      channel.head_set = new Set(channel.heads);
    }
  }

  function covers(p, entry, id) {
    const rank = p.nodes[id].k;
    return entry.g !== undefined && rank !== null &&
      p.ranges[entry.g].c.some(([begin, end]) => begin <= rank && rank < end);
  }

  // Why `entry` can be upgraded to from node `id`, and where that is written.
  function reasons(p, entry, id) {
    const name = p.nodes[id].n;
    const found = [], place = line => entry.at && [entry.at[0], line];
    if (entry.r === id) found.push([`replaces ${name}`, place(entry.rl)]);
    const skip = entry.s ? entry.s.indexOf(id) : -1;
    if (skip >= 0) found.push([`skips ${name}`, entry.sl && place(entry.sl[skip])]);
    if (covers(p, entry, id)) found.push([`skipRange ${p.ranges[entry.g].t} covers ${p.nodes[id].v}`, place(entry.gl)]);
    return found;
  }

  function next_in(channel, id) {
    const [first, to, count] = channel.next.findLast(([first]) => first <= id) || [0, undefined, 0];
    return id < first + count ? to : undefined;
  }

  // [{to, why, channel, entry}], and how it ends.
  function walk(p, start, channel) {
    const channels = channel ? [channel] : p.channels;
    const next = id => channel ? next_in(channel, id) : p.nodes[id].next;
    const steps = [], seen = new Set([start]);
    let end = '';
    for (let at = start; ;) {
      const to = next(at);
      if (to === null || to === undefined) break;
      const step = { from: at, to, why: [], place: null };
      for (const c of channels) {
        const entry = c.entry_of.get(to);
        if (!entry) continue;
        for (const [why, place] of reasons(p, entry, at)) {
          if (step.why.includes(why)) continue;
          step.why.push(why);
          step.place = step.place || place;
          step.channel = step.channel || c;
        }
      }
      steps.push(step);
      if (!channel && p.nodes[to].refused) { end = `OLM v1 does not install ${p.nodes[to].n}: it declares a dependency, which OLM v1 does not support`; break; }
      if (seen.has(to)) { end = 'and so on in a circle, for ever'; break; }
      seen.add(to);
      at = to;
    }
    return { steps, end };
  }

  // --- drawing -----------------------------------------------------------------------------------------------

  const is_narrow = () => $('canvas').clientWidth < 560;

  function layout() {
    const p = state.package;
    const channels = p.channels.filter(c => !state.channel || c.name === state.channel);
    const used = new Set();
    for (const channel of channels)
      for (const entry of channel.entries) {
        used.add(entry.i);
        if (entry.r !== undefined) used.add(entry.r);
        for (const skip of entry.s || []) used.add(skip);
      }
    const rank = id => p.nodes[id].k === null ? -1 : p.nodes[id].k;
    const rows = [...used].sort((a, b) => rank(b) - rank(a) || (p.nodes[a].n < p.nodes[b].n ? 1 : -1));
    const row_of = new Map(rows.map((id, row) => [id, row]));
    const narrow = is_narrow();
    // Where room is short, what all names begin with ("foo.") says nothing.
    const same = narrow && rows.length > 1 ? rows.map(id => p.nodes[id].n).reduce((a, b) => { let i = 0; while (i < a.length && a[i] === b[i]) ++i; return a.slice(0, i); }) : '';
    const cut = same.indexOf('.v') + 1;
    const label = id => p.nodes[id].n.slice(cut);
    const longest = rows.reduce((most, id) => Math.max(most, label(id).length), 8);
    shown = { narrow, channels, rows, row_of, label, column_rows: [], label_width: Math.min(narrow ? 165 : 320, longest * 7.6 + 24) };
  }

  const x_of = column => shown.label_width + column_width * (column + .5);
  const y_of = row => head_height + row_height * (row + .5);

  function arc(x, from, to, bulge) {
    const a = y_of(from), b = y_of(to);
    return `M${x} ${a}C${x + bulge} ${a} ${x + bulge} ${b} ${x} ${b}`;
  }

  // How far an edge must go around what stands between its ends.
  function bulge(column_rows, from, to) {
    const low = Math.min(from, to), high = Math.max(from, to);
    if (!column_rows.some(row => row > low && row < high)) return 0;
    return Math.min(column_width * .42, 12 + (high - low) * 2.2);
  }

  // An entry that skips many versions has one line along them with a branch to each. Lines that run side by side get
  // places side by side, as far as the column has room.
  function draw_trunks(x, trunks) {
    const places = []; // the row at which each place is free again
    const made = [];
    for (const { to, rows, low, high } of trunks.sort((a, b) => a.low - b.low)) {
      const free = places.findIndex(end => end < low), place = free >= 0 ? free : places.length;
      places[place] = high;
      const at = x + 16 + place % 6 * 6;
      made.push(shape('path', { class: 'edge skips trunk', d: `M${x} ${y_of(to)}H${at}M${at} ${y_of(low)}V${y_of(high)}` +
        rows.map(row => `M${at} ${y_of(row)}H${x}`).join('') }));
    }
    return made;
  }

  function short(text, room) {
    const most = Math.floor(room / 7.2);
    return text.length <= most ? text : '…' + text.slice(text.length - most + 1);
  }

  function draw() {
    layout();
    const p = state.package, { channels, rows, row_of } = shown;
    const content = $('content'), labels = $('labels'), heads = $('heads');
    const right = shown.label_width + column_width * Math.max(1, channels.length);
    const bottom = head_height + row_height * rows.length;
    shown.width = right;
    shown.height = bottom + 12;
    const back = [], edges = [], nodes = [], names = [], titles = [];
    names.push(shape('rect', { class: 'row-back', x: -2000, y: 0, width: shown.label_width + 2000, height: bottom + 2000 }));
    rows.forEach((id, row) => {
      if (row % 2 === 0) {
        back.push(shape('rect', { class: 'band', x: 0, y: y_of(row) - row_height / 2, width: right, height: row_height }));
        names.push(shape('rect', { class: 'band', x: 0, y: y_of(row) - row_height / 2, width: shown.label_width, height: row_height }));
      }
      const node = p.nodes[id];
      const label = shape('text', { x: shown.label_width - 10, y: y_of(row), 'text-anchor': 'end', class: node.virtual ? 'dim' : '' },
        short(shown.label(id), shown.label_width - 14));
      label.append(shape('title', {}, node.n));
      label.style.cursor = 'pointer';
      label.addEventListener('click', () => select_node(id, null));
      names.push(label);
    });
    titles.push(shape('rect', { class: 'head-back', x: 0, y: -2000, width: right + 4000, height: head_height + 2000 }));
    titles.push(shape('line', { class: 'rule', x1: 0, x2: right, y1: head_height, y2: head_height }));
    channels.forEach((channel, column) => {
      const x = x_of(column);
      const title = shape('text', { x, y: head_height / 2, 'text-anchor': 'middle', 'font-weight': channel.default ? 700 : 400 },
        channel.deprecated ? short(channel.name, column_width - 24) + ' †' : short(channel.name, column_width - 8));
      title.append(shape('title', {}, channel.name + (channel.default ? ' (default)' : '') +
        (channel.deprecated ? `\ndeprecated: ${channel.deprecated}` : '') + (channel.problem ? `\nbroken: ${channel.problem}` : '')));
      titles.push(title);
      const trunks = [];
      const in_column = new Set(channel.entries.map(entry => entry.i));
      for (const entry of channel.entries) {
        if (entry.r !== undefined) in_column.add(entry.r);
        for (const skip of entry.s || []) in_column.add(skip);
      }
      const column_rows = shown.column_rows[column] = [...in_column].map(id => row_of.get(id));
      if (column_rows.length) {
        const range = column_rows.reduce(([low, high], row) => [Math.min(low, row), Math.max(high, row)], [Infinity, -Infinity]);
        back.push(shape('line', { class: 'lane', x1: x, x2: x, y1: y_of(range[0]), y2: y_of(range[1]) }));
      }
      for (const entry of channel.entries) {
        const to = row_of.get(entry.i);
        if (entry.r !== undefined && entry.r !== entry.i) {
          const from = row_of.get(entry.r);
          edges.push(shape('path', { class: 'edge replaces', d: arc(x, from, to, bulge(column_rows, from, to)) }));
        }
        const skipped = (entry.s || []).filter(skip => skip !== entry.i && skip !== entry.r).map(skip => row_of.get(skip));
        if (skipped.length > most_arcs) trunks.push({ to, rows: skipped, low: skipped.reduce((a, b) => Math.min(a, b), to), high: skipped.reduce((a, b) => Math.max(a, b), to) });
        else for (const from of skipped)
          edges.push(shape('path', { class: 'edge skips', d: arc(x, from, to, Math.max(14, bulge(column_rows, from, to))) }));
      }
      edges.push(...draw_trunks(x, trunks));
      for (const id of in_column) {
        const entry = channel.entry_of.get(id), node = p.nodes[id], row = row_of.get(id);
        const classes = ['dot', channel.head_set.has(id) && 'head', entry && entry.skipped && 'skipped',
          node.virtual && 'virtual', !node.virtual && !entry && 'elsewhere', node.deprecated && 'deprecated'].filter(Boolean).join(' ');
        const group = shape('g', { class: 'node', 'data-node': id, 'data-column': column, transform: `translate(${x} ${y_of(row)})` });
        group.append(shape('circle', { class: 'halo', r: dot + 4 }), shape('circle', { class: classes, r: dot }));
        if (entry && entry.g !== undefined) group.append(shape('path', { class: 'edge range', d: 'M-12 -5H-18V5H-12' }));
        group.append(shape('title', {}, node.n + (node.deprecated ? ' (deprecated)' : '') +
          (entry && entry.g !== undefined ? `\nskipRange ${p.ranges[entry.g].t}` : '')));
        nodes.push(group);
      }
    });
    if (!channels.length) back.push(shape('text', { x: 40, y: 60 }, 'There is no channel.'));
    const marks = shape('g', { id: 'marks' });
    content.replaceChildren(...back, ...edges, marks, ...nodes);
    labels.replaceChildren(...names);
    heads.replaceChildren(...titles);
    const corner = $('corner');
    corner.setAttribute('width', shown.label_width);
    corner.setAttribute('height', head_height);
  }

  function place_view() {
    const { x, y, scale } = view;
    $('content').setAttribute('transform', `translate(${x} ${y}) scale(${scale})`);
    $('labels').setAttribute('transform', `translate(${Math.max(0, x)} ${y}) scale(${scale})`);
    $('heads').setAttribute('transform', `translate(${x} ${Math.max(0, y)}) scale(${scale})`);
    $('corner').setAttribute('transform', `translate(${Math.max(0, x)} ${Math.max(0, y)}) scale(${scale})`);
  }

  function move_to(x, y, scale = view.scale) {
    const canvas = $('canvas'), room = 60;
    view.scale = Math.min(3, Math.max(.08, scale));
    view.x = Math.min(canvas.clientWidth - room, Math.max(room - shown.width * view.scale, x));
    view.y = Math.min(canvas.clientHeight - room, Math.max(room - shown.height * view.scale, y));
    place_view();
  }

  function zoom(factor, x = $('canvas').clientWidth / 2, y = $('canvas').clientHeight / 2) {
    const scale = Math.min(3, Math.max(.08, view.scale * factor)), real = scale / view.scale;
    move_to(x - (x - view.x) * real, y - (y - view.y) * real, scale);
  }

  function fit() {
    const canvas = $('canvas');
    const scale = Math.min(1, canvas.clientWidth / shown.width, canvas.clientHeight / shown.height);
    move_to(Math.max(0, (canvas.clientWidth - shown.width * scale) / 2), 0, scale);
  }

  // Readable, from the newest version on; all of it if that is readable, too.
  function start_view() {
    const canvas = $('canvas');
    const all = Math.min(canvas.clientWidth / shown.width, canvas.clientHeight / shown.height);
    const scale = all > .8 ? Math.min(1, all) : Math.min(1, Math.max(.8, canvas.clientWidth / shown.width));
    move_to(Math.max(0, (canvas.clientWidth - shown.width * scale) / 2), 0, scale);
  }

  function reveal(row, column) {
    const canvas = $('canvas'), s = view.scale;
    const x = view.x + x_of(column) * s, y = view.y + y_of(row) * s;
    let { x: to_x, y: to_y } = view;
    const left = (shown.label_width + 30) * s, top = (head_height + 20) * s;
    if (x < left) to_x += left - x;
    if (x > canvas.clientWidth - 40) to_x -= x - canvas.clientWidth + 40;
    if (y < top) to_y += top - y;
    if (y > canvas.clientHeight - 50) to_y -= y - canvas.clientHeight + 50;
    if (to_x !== view.x || to_y !== view.y) move_to(to_x, to_y);
  }

  // --- selection ---------------------------------------------------------------------------------------------

  // Columns in which a node stands as an entry; or else in which edges name it.
  function columns_of(id) {
    const all = shown.channels.map((c, column) => column);
    const entries = all.filter(column => shown.channels[column].entry_of.has(id));
    if (entries.length) return entries;
    return all.filter(column => shown.channels[column].entries.some(e => e.r === id || (e.s || []).includes(id)));
  }

  function select_node(id, column) {
    if (!shown.row_of.has(id)) return;
    const columns = columns_of(id);
    if (column === null || !columns.includes(column))
      column = columns.find(at => shown.channels[at].default) ?? columns[0] ?? 0;
    state.selected = { id, column };
    state.cursor = { row: shown.row_of.get(id), column };
    mark();
    show_details();
    reveal(state.cursor.row, column);
    history.replaceState(null, '', '#' + encodeURIComponent(state.package.name) + '/' + encodeURIComponent(state.package.nodes[id].n));
  }

  function mark() {
    const marks = $('marks'), p = state.package, made = [];
    for (const group of document.querySelectorAll('#content .node')) {
      group.classList.remove('selected', 'on-path', 'cursor');
      if (+group.dataset.column === state.cursor.column && shown.row_of.get(+group.dataset.node) === state.cursor.row)
        group.classList.add('cursor');
    }
    $('drawing').classList.toggle('has-path', !!state.selected);
    if (state.selected) {
      const { id, column } = state.selected;
      const channel = shown.channels[column];
      const find = (node, at) => document.querySelector(`#content .node[data-node="${node}"][data-column="${at}"]`);
      const own = find(id, column);
      if (own) own.classList.add('selected');
      const entry = channel && channel.entry_of.get(id);
      if (entry && entry.g !== undefined) {
        const x = x_of(column) - 20;
        for (const [begin, end] of p.ranges[entry.g].c) {
          const rows = shown.rows.map((node, row) => [p.nodes[node].k, row])
            .filter(([rank]) => rank !== null && begin <= rank && rank < end).map(([, row]) => row);
          if (rows.length)
            made.push(shape('path', { class: 'edge range', d: `M${x + 6} ${y_of(Math.min(...rows)) - 8}H${x}V${y_of(Math.max(...rows)) + 8}H${x + 6}` }));
        }
      }
      let at = column;
      for (const step of walk(p, id, state.olm === 'classic' ? channel : null).steps) {
        const there = shown.channels.indexOf(step.channel) >= 0 && !shown.channels[at].entry_of.has(step.to)
          ? shown.channels.indexOf(step.channel) : at;
        const from = shown.row_of.get(step.from), to = shown.row_of.get(step.to);
        if (from === undefined || to === undefined) break;
        const x1 = x_of(at), x2 = x_of(there), y1 = y_of(from), y2 = y_of(to);
        const up = Math.sign(y1 - y2), between = x1 === x2 && bulge(shown.column_rows[at], from, to);
        const d = x1 !== x2 ? `M${x1} ${y1}C${x1} ${y2} ${x1} ${y2} ${x2 - Math.sign(x2 - x1) * (dot + 2)} ${y2}`
          : between ? `M${x1 + dot} ${y1}C${x1 + dot + between * 1.3} ${y1} ${x1 + dot + between * 1.3} ${y2} ${x1 + dot + 2} ${y2}`
          : `M${x1} ${y1 - up * dot}V${y2 + up * (dot + 2)}`;
        made.push(shape('path', { class: 'edge step', d }));
        const group = find(step.to, there);
        if (group) group.classList.add('on-path');
        at = there;
      }
    }
    marks.replaceChildren(...made);
  }

  // As the text output has it.
  const place_text = at => at ? `${data.files[at[0]]}:${at[1]}` : '';
  const today = new Date().toISOString().slice(0, 10);
  const support = ends => ends < today ? badge(`support ended on ${ends}`, 'deprecated') : badge(`supported until ${ends}`);
  const badge = (text, kind = '') => element('span', { class: `badge ${kind}` }, text);

  function version_link(p, id) {
    return element('button', { class: 'link', type: 'button', onclick: () => { open_node(p, id); $('canvas').focus(); } }, p.nodes[id].n);
  }

  function show_walk(p, id, channel) {
    const { steps, end } = walk(p, id, channel);
    const out = [];
    if (!steps.length) {
      if (channel && channel.problem) out.push(element('p', { class: 'warn' }, `OLM classic cannot order this channel: ${channel.problem}.`));
      else if (channel && channel.head_set.has(id)) out.push(element('p', {}, 'It is the head of the channel: nothing newer.'));
      else if (!channel && p.channels.some(c => c.head_set.has(id))) out.push(element('p', {}, 'OLM v1 stays here: it is the head of a channel.'));
      else out.push(element('p', { class: 'warn' }, channel
        ? 'No way on: no entry of the replaces chain replaces, skips or covers it.'
        : 'No way on: nothing that OLM v1 prefers replaces, skips or covers it.'));
      return out;
    }
    const list = element('ol', { class: 'path' });
    for (const step of steps)
      list.append(element('li', {}, version_link(p, step.to), p.nodes[step.to].deprecated ? ' ' : '', p.nodes[step.to].deprecated && badge('deprecated', 'deprecated'),
        element('br'), step.why.join(', '), element('div', { class: 'place' }, place_text(step.place))));
    out.push(list);
    const last = steps[steps.length - 1].to;
    if (end) out.push(element('p', { class: 'warn' }, end));
    else if (channel) out.push(element('p', {}, channel.head_set.has(last) ? 'There it is at the head of the channel.' : `Nothing leads on from ${p.nodes[last].n}.`));
    return out;
  }

  // Folded if it is long and not what is asked for.
  function show_olm(title, olm, p, id, channel) {
    const count = walk(p, id, channel).steps.length;
    const steps = count === 0 ? '' : count === 1 ? ': 1 step' : `: ${count} steps`;
    return element('details', { open: count <= 3 || olm === state.olm ? '' : null },
      element('summary', {}, element('h3', {}, title + steps)), ...show_walk(p, id, channel));
  }

  function show_details() {
    const panel = $('panel');
    if (!state.selected) { show_package(); return; }
    const p = state.package, { id, column } = state.selected, node = p.nodes[id], channel = shown.channels[column];
    const entry = channel.entry_of.get(id);
    const parts = [element('h2', {}, node.n), element('p', {},
      node.v ? badge(`version ${node.v}`) : null,
      channel.head_set.has(id) ? badge('head', 'head') : null, entry && entry.skipped ? badge('skipped') : null,
      node.virtual ? badge('not in the catalog') : null, node.deprecated ? badge('deprecated', 'deprecated') : null,
      node.ends ? support(node.ends) : null)];
    if (node.deprecated) parts.push(element('p', { class: 'message' }, node.deprecated));
    if (node.virtual) parts.push(element('p', {}, 'Only edges name it: who has it installed can still be upgraded.'));
    const answers = [show_olm(`OLM classic, channel ${channel.name}`, 'classic', p, id, channel),
                     show_olm('OLM v1, all channels shown here', 'v1', p, id, null)];
    parts.push(...(state.olm === 'v1' ? answers.reverse() : answers));
    if (entry) {
      const facts = element('ul');
      if (entry.r !== undefined) facts.append(element('li', {}, 'replaces ', version_link(p, entry.r)));
      for (const skip of entry.s || []) facts.append(element('li', {}, 'skips ', version_link(p, skip)));
      if (entry.g !== undefined) facts.append(element('li', {}, `skipRange ${p.ranges[entry.g].t}`));
      parts.push(element('h3', {}, `Its entry in ${channel.name}`));
      parts.push(facts.children.length ? facts : element('p', {}, 'It replaces and skips nothing.'));
      if (entry.at) parts.push(element('p', { class: 'place' }, place_text(entry.at)));
    }
    const others = p.channels.filter(c => c !== channel && c.entry_of.has(id));
    if (others.length) {
      const list = element('ul');
      for (const other of others)
        list.append(element('li', {}, element('button', { class: 'link', type: 'button', onclick: () => {
          if (state.channel && state.channel !== other.name) set_channel('');
          select_node(id, shown.channels.indexOf(other));
        } }, other.name), other.head_set.has(id) ? ' (head)' : ''));
      parts.push(element('h3', {}, 'Also in'), list);
    }
    panel.replaceChildren(...parts);
    panel.scrollTop = 0;
  }

  function show_package() {
    const p = state.package, parts = [element('h2', {}, p.name)];
    if (p.deprecated) parts.push(badge('deprecated', 'deprecated'), element('p', { class: 'message' }, p.deprecated));
    const real = p.nodes.filter(node => !node.virtual).length;
    parts.push(element('p', {}, `${real} version${real === 1 ? '' : 's'} in ${p.channels.length} channel${p.channels.length === 1 ? '' : 's'}.`));
    parts.push(element('p', {}, 'Choose a version to see its way to the head of its channel, and why each step exists.'));
    for (const channel of p.channels.filter(c => c.deprecated))
      parts.push(element('p', {}, badge(`channel ${channel.name} is deprecated`, 'deprecated')), element('p', { class: 'message' }, channel.deprecated));
    const own = data.findings.filter(finding => data.packages.length === 1 || p.nodes.some(n => n.n.length > 3 && finding.message.includes(n.n)));
    if (own.length) {
      const list = element('ul');
      for (const finding of own)
        list.append(element('li', {}, badge(finding.severity, finding.severity), finding.message, element('div', { class: 'place' }, place_text(finding.at))));
      parts.push(element('h3', {}, 'Findings'), list);
    }
    const keys = element('p', {});
    for (const [key, what] of [['/', 'search '], ['↑↓←→', 'move '], ['Enter', 'select '], ['+ − 0', 'zoom '], ['Esc', 'back']])
      keys.append(element('kbd', {}, key), ` ${what} `);
    parts.push(element('h3', {}, 'Keys'), keys);
    $('panel').replaceChildren(...parts);
  }

  // --- choosing ----------------------------------------------------------------------------------------------

  function fill_channels() {
    const names = state.package.channels.map(channel => channel.name);
    $('channel').replaceChildren(element('option', { value: '' }, `all ${names.length}`),
      ...state.package.channels.map(c => element('option', { value: c.name }, c.name + (c.default ? ' (default)' : '') + (c.deprecated ? ' (deprecated)' : ''))));
    $('channel').value = state.channel;
  }

  function redraw() {
    state.selected = null;
    draw();
    state.cursor = { row: shown.channels.length && shown.channels[0].heads.length ? shown.row_of.get(shown.channels[0].heads[0]) : 0, column: 0 };
    start_view();
    mark();
    show_details();
  }

  function set_package(p) {
    state.package = p;
    state.channel = '';
    $('package').value = p.name;
    fill_channels();
    redraw();
  }

  function set_channel(name) {
    state.channel = name;
    $('channel').value = name;
    redraw();
  }

  function open_node(p, id) {
    if (state.package !== p) set_package(p);
    if (!shown.row_of.has(id)) set_channel('');
    select_node(id, null);
  }

  // --- search ------------------------------------------------------------------------------------------------

  let hits = [], active = -1;

  function search(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    hits = [];
    if (words.length) {
      const packages = [state.package, ...data.packages.filter(p => p !== state.package)];
      const matches = haystack => words.every(word => haystack.includes(word));
      for (const p of packages) if (matches(p.name.toLowerCase())) hits.push({ p, id: null });
      for (const p of packages) {
        for (let id = 0; id < p.nodes.length && hits.length < 60; ++id) {
          const node = p.nodes[id];
          if (matches(`${node.n} ${node.v}`.toLowerCase())) hits.push({ p, id });
        }
      }
      hits = hits.slice(0, 60);
    }
    active = hits.length ? 0 : -1;
    show_hits(!!words.length);
  }

  function show_hits(open) {
    const list = $('hits');
    list.hidden = !open;
    $('search').setAttribute('aria-expanded', open);
    if (!open) { $('search').removeAttribute('aria-activedescendant'); return; }
    list.replaceChildren(...hits.map((hit, i) => {
      const item = element('li', { role: 'option', id: `hit-${i}`, 'aria-selected': i === active },
        hit.id === null ? hit.p.name : hit.p.nodes[hit.id].n,
        element('small', {}, hit.id === null ? 'package' : data.packages.length > 1 ? hit.p.name : hit.p.nodes[hit.id].v));
      item.addEventListener('mousedown', event => { event.preventDefault(); choose(i); });
      return item;
    }));
    if (!hits.length) list.append(element('li', {}, 'Nothing found'));
    if (active >= 0) {
      $('search').setAttribute('aria-activedescendant', `hit-${active}`);
      list.children[active].scrollIntoView({ block: 'nearest' });
    }
  }

  function choose(i) {
    const hit = hits[i];
    if (!hit) return;
    show_hits(false);
    if (hit.id === null) set_package(hit.p); else open_node(hit.p, hit.id);
    $('canvas').focus();
  }

  $('search').addEventListener('input', event => search(event.target.value));
  $('search').addEventListener('focus', event => event.target.value && search(event.target.value));
  $('search').addEventListener('blur', () => show_hits(false));
  $('search').addEventListener('keydown', event => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (hits.length) active = (active + (event.key === 'ArrowDown' ? 1 : hits.length - 1)) % hits.length;
      show_hits(true);
    } else if (event.key === 'Enter') { event.preventDefault(); choose(active); }
    else if (event.key === 'Escape') { event.stopPropagation(); event.target.value = ''; show_hits(false); $('canvas').focus(); }
  });

  // --- pointer and keys --------------------------------------------------------------------------------------

  const canvas = $('canvas'), pointers = new Map();
  let moved = 0;
  canvas.addEventListener('pointerdown', event => {
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pointers.size === 1) moved = 0;
  });
  addEventListener('pointermove', event => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const dx = event.clientX - before.x, dy = event.clientY - before.y;
    if (pointers.size === 1) {
      moved += Math.abs(dx) + Math.abs(dy);
      if (moved > 4) { canvas.classList.add('dragging'); move_to(view.x + dx, view.y + dy); }
    } else {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1], box = canvas.getBoundingClientRect();
      const distance = (x, y) => Math.hypot(x - other.x, y - other.y) || 1;
      zoom(distance(event.clientX, event.clientY) / distance(before.x, before.y), other.x - box.left, other.y - box.top);
      moved = 10;
    }
    before.x = event.clientX;
    before.y = event.clientY;
  });
  for (const kind of ['pointerup', 'pointercancel'])
    addEventListener(kind, event => { pointers.delete(event.pointerId); canvas.classList.remove('dragging'); });
  canvas.addEventListener('click', event => {
    if (moved > 4) return;
    const group = event.target.closest('.node');
    if (group) select_node(+group.dataset.node, +group.dataset.column);
  });
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) zoom(Math.exp(-event.deltaY / 200), event.clientX - box.left, event.clientY - box.top);
    else move_to(view.x - (event.shiftKey ? event.deltaY : event.deltaX), view.y - (event.shiftKey ? 0 : event.deltaY));
  }, { passive: false });

  function move_cursor(rows, columns) {
    let { row, column } = state.cursor;
    const has = (r, c) => columns_of(shown.rows[r]).includes(c);
    if (columns) {
      column = Math.min(shown.channels.length - 1, Math.max(0, column + columns));
      // The nearest version of that channel.
      for (let distance = 0; distance < shown.rows.length; ++distance) {
        const near = [row - distance, row + distance].find(r => r >= 0 && r < shown.rows.length && has(r, column));
        if (near !== undefined) { row = near; break; }
      }
    }
    for (let r = row + rows; rows && r >= 0 && r < shown.rows.length; r += rows)
      if (has(r, column)) { row = r; break; }
    state.cursor = { row, column };
    mark();
    reveal(row, column);
  }

  canvas.addEventListener('keydown', event => {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (!shown.rows.length || event.ctrlKey || event.metaKey || event.altKey) return;
    if (moves[event.key]) move_cursor(...moves[event.key]);
    else if (event.key === 'Enter' || event.key === ' ') select_node(shown.rows[state.cursor.row], state.cursor.column);
    else return;
    event.preventDefault();
  });
  addEventListener('keydown', event => {
    if (event.target.matches('input[type=search], select') || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') { event.preventDefault(); $('search').focus(); $('search').select(); }
    else if (event.key === '+' || event.key === '=') zoom(1.25);
    else if (event.key === '-') zoom(.8);
    else if (event.key === '0') fit();
    else if (event.key === 'Escape') { state.selected = null; mark(); show_details(); }
  });
  $('zoom-in').addEventListener('click', () => zoom(1.25));
  $('zoom-out').addEventListener('click', () => zoom(.8));
  $('fit').addEventListener('click', fit);
  $('package').addEventListener('change', event => set_package(data.packages.find(p => p.name === event.target.value)));
  $('channel').addEventListener('change', event => set_channel(event.target.value));
  for (const radio of document.querySelectorAll('input[name=olm]')) {
    radio.checked = radio.value === state.olm;
    radio.addEventListener('change', () => { state.olm = radio.value; mark(); show_details(); });
  }
  addEventListener('resize', () => { if (is_narrow() !== shown.narrow) { draw(); mark(); } move_to(view.x, view.y); });

  // --- start -------------------------------------------------------------------------------------------------

  const title = data.title.replace(/\/+$/, '').split('/').pop() || data.title;
  $('title').replaceChildren(data.back ? element('a', { href: data.back }, title) : title);
  $('title').title = data.title;
  document.title = `Upgrade graph of ${data.title}`;
  $('package').replaceChildren(...data.packages.map(p => element('option', { value: p.name }, p.name + (p.deprecated ? ' (deprecated)' : ''))));
  if (!data.packages.length) {
    $('panel').replaceChildren(element('p', {}, 'The catalog has no package.'));
    return;
  }
  // "#package/bundle", when the page opens and when another one is asked for.
  function follow_hash() {
    const [package_name, node_name] = location.hash.slice(1).split('/').map(part => { try { return decodeURIComponent(part); } catch { return ''; } });
    const chosen = data.packages.find(p => p.name === package_name) || state.package || data.packages[0];
    if (state.package !== chosen) set_package(chosen);
    const wanted = node_name ? chosen.nodes.findIndex(node => node.n === node_name) : -1;
    if (wanted >= 0) open_node(chosen, wanted);
  }
  addEventListener('hashchange', follow_hash);
  follow_hash();
})();

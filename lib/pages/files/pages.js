// What pages have beyond reading: searching and filtering their list, keys, and copying. All of it works without a network.
'use strict';
(() => {
  const search = document.getElementById('search'), status = document.getElementById('status');
  const items = [...document.querySelectorAll('.item')].map(item => ({
    item, list: item.closest('[data-words]'), facts: JSON.parse(item.dataset.facts || '{}'),
    text: item.textContent.toLowerCase().replace(/\s+/g, ' '), words: null, score: 1,
  }));
  const lists = [...document.querySelectorAll('[data-words]')];
  const folds = [...document.querySelectorAll('details.minor')].map(fold => ({ fold, open: fold.open }));
  const filters = []; // {label, select}

  // --- words: as lib/pages/package_words.cpp, which `opcat search` uses -----------------------------------------

  const bytes = text => new TextEncoder().encode(text).length;
  const words_in = text => text.replace(/[A-Z]/g, letter => letter.toLowerCase()).split(/[^a-z0-9\u0080-\uffff]+/).filter(Boolean);

  // Edits that make b of a, where exchanging two letters next to each other is one, too; more than `most` if there are more.
  function typing_mistakes(a, b, most) {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let before = [], last = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; ++i) {
      const row = [i];
      for (let j = 1; j <= b.length; ++j) {
        row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] !== b[j - 1]));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
      }
      if (Math.min(...row) > most) return most + 1;
      [before, last] = [last, row];
    }
    return last[b.length];
  }

  function likeness(wanted, words) {
    const length = bytes(wanted), allowed = length < 9 ? 1 : 2;
    let best = 0;
    for (const word of words) {
      if (word === wanted) return 1;
      if (word.startsWith(wanted)) best = Math.max(best, .8);
      else if (length > 2 && word.includes(wanted)) best = Math.max(best, .5);
      else if (best < .4 && length >= 4 && typing_mistakes(wanted, word, allowed) <= allowed) best = .4;
    }
    return best;
  }

  // 0: a word is not in it.
  function score_of({ words, text }, wanted) {
    if (!words) return wanted.every(word => text.includes(word)) ? 1 : 0;
    let sum = 0;
    for (const word of wanted) {
      const best = Math.max(0, ...words.map(([weight, some]) => weight * likeness(word, some)));
      if (best === 0) return 0;
      sum += best;
    }
    return sum;
  }

  // The script that lib/pages/package_list.cpp writes calls it: for each package [[weight, [words]]…].
  window.opcat_words = (catalog, packages) => {
    for (const one of items) if (one.list && one.list.dataset.catalog === catalog) one.words = packages[one.item.dataset.package] || null;
    filter();
  };
  function load_words() {
    for (const list of lists.splice(0)) {
      const script = document.createElement('script');
      script.src = list.dataset.words;
      document.head.append(script);
    }
  }

  // --- searching and filtering ----------------------------------------------------------------------------------

  function filter() {
    const typed = search ? search.value : '';
    const chosen = filters.filter(({ select }) => select.value);
    const fits = ({ facts }) => chosen.every(({ label, select }) => (facts[label] || []).includes(select.value));
    let shown = 0;
    for (const one of items) {
      // A list without an index has versions and rules, whose signs are part of them.
      const wanted = one.words ? words_in(typed) : typed.toLowerCase().split(/\s+/).filter(Boolean);
      one.score = wanted.length ? score_of(one, wanted) : 1;
      one.item.hidden = one.score === 0 || !fits(one);
      shown += one.item.hidden ? 0 : 1;
    }
    for (const list of new Set(items.map(({ list }) => list)))
      if (list) list.append(...items.filter(one => one.list === list).sort((a, b) => b.score - a.score).map(({ item }) => item));
    for (const { fold, open } of folds) {
      fold.hidden = !fold.querySelector('.item:not([hidden])');
      fold.open = typed.trim() ? true : open;
    }
    if (!status) return;
    const noun = status.dataset.noun;
    status.textContent = !typed.trim() && !chosen.length ? '' : shown ? `${shown} of ${items.length} ${noun}s` : `No ${noun} matches.`;
  }

  // The address remembers the search, so that going back finds it again.
  function remember() {
    const query = new URLSearchParams();
    if (search && search.value) query.set('q', search.value);
    for (const { label, select } of filters) if (select.value) query.set(label, select.value);
    const text = query.toString();
    try { history.replaceState(null, '', (text ? `?${text}` : location.pathname) + location.hash); } catch { /* a file: nothing to remember */ }
  }

  function add_filters() {
    const labels = new Set(items.flatMap(({ facts }) => Object.keys(facts)));
    const asked = new URLSearchParams(location.search);
    const box = document.createElement('div');
    box.className = 'filters';
    for (const label of labels) {
      const counts = new Map();
      for (const { facts } of items) for (const value of new Set(facts[label] || [])) counts.set(value, (counts.get(value) || 0) + 1);
      const narrows = [...counts.values()].some(count => count < items.length);
      if (!narrows) continue;
      const select = document.createElement('select'), field = document.createElement('label');
      select.append(new Option('all', ''), ...[...counts].sort().map(([value, count]) => new Option(`${value} (${count})`, value)));
      if (counts.has(asked.get(label))) select.value = asked.get(label);
      select.addEventListener('change', () => { filter(); remember(); });
      field.append(label, select);
      box.append(field);
      filters.push({ label, select });
    }
    if (!filters.length || !status) return;
    const fold = document.createElement('details');
    fold.id = 'filters';
    fold.open = innerWidth > 600 || filters.some(({ select }) => select.value);
    const title = document.createElement('summary');
    title.textContent = 'Filters';
    fold.append(title, box);
    status.before(fold);
  }

  if (items.length > 1) add_filters();
  if (filters.some(({ select }) => select.value)) filter();

  const visible_links = () => [...document.querySelectorAll('.item:not([hidden]) a')].filter(link => link.offsetParent && link === link.closest('.item').querySelector('a'));

  if (search) {
    search.hidden = items.length < 2;
    search.value = new URLSearchParams(location.search).get('q') || '';
    if (search.value) { load_words(); filter(); }
    search.addEventListener('focus', load_words);
    search.addEventListener('input', () => { filter(); remember(); });
    search.addEventListener('keydown', event => {
      const links = visible_links();
      if (event.key === 'Escape') { search.value = ''; filter(); remember(); }
      else if (event.key === 'Enter' && links.length) location.href = links[0].href;
      else if (event.key === 'ArrowDown' && links.length) { event.preventDefault(); links[0].focus(); }
    });
  }

  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select, textarea')) return;
    if (event.key === '/' && search && !search.hidden) {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const links = visible_links(), at = links.indexOf(document.activeElement);
      if (at < 0) return;
      event.preventDefault();
      const to = links[at + (event.key === 'ArrowDown' ? 1 : -1)];
      if (to) to.focus(); else if (at === 0 && search) search.focus();
    }
  });

  const today = new Date().toISOString().slice(0, 10);
  for (const end of document.querySelectorAll('time[datetime]')) if (end.dateTime < today) end.after(' (ended)');

  // "#install" opens what it leads to.
  function open_target() {
    const fold = document.getElementById(location.hash.slice(1));
    if (fold && fold.matches('details')) fold.open = true;
  }
  addEventListener('hashchange', open_target);
  open_target();

  for (const line of document.querySelectorAll('.copy')) {
    if (!navigator.clipboard) break;
    const button = document.createElement('button');
    button.className = 'small';
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(line.querySelector('code').textContent);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
    line.append(button);
  }
})();

// What pages have beyond reading: searching their list, keys, and copying. All of it works without a network.
'use strict';
(() => {
  const search = document.getElementById('search');
  const items = [...document.querySelectorAll('.item')].map(item => ({
    item, text: `${item.textContent} ${item.dataset.words || ''}`.toLowerCase().replace(/\s+/g, ' '),
  }));
  const none = document.getElementById('none');

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { item, text } of items) {
      item.hidden = !words.every(word => text.includes(word));
      shown += item.hidden ? 0 : 1;
    }
    if (none) none.hidden = shown > 0 || !words.length;
  }

  // The address remembers the search, so that going back finds it again.
  function remember() {
    const query = search.value ? '?q=' + encodeURIComponent(search.value) : location.pathname;
    try { history.replaceState(null, '', query + location.hash); } catch { /* a file: nothing to remember */ }
  }

  const visible_links = () => items.filter(({ item }) => !item.hidden).map(({ item }) => item.querySelector('a')).filter(Boolean);

  if (search) {
    search.hidden = items.length < 2;
    search.value = new URLSearchParams(location.search).get('q') || '';
    if (search.value) filter();
    search.addEventListener('input', () => { filter(); remember(); });
    search.addEventListener('keydown', event => {
      const links = visible_links();
      if (event.key === 'Escape') { search.value = ''; filter(); remember(); }
      else if (event.key === 'Enter' && links.length) location.href = links[0].href;
      else if (event.key === 'ArrowDown' && links.length) { event.preventDefault(); links[0].focus(); }
    });
  }

  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input')) return;
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

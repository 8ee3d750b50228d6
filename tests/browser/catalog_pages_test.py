#!/usr/bin/env python3
"""The pages of `opcat serve` in a browser: searching, keys, upgrade paths, phones, dark mode, without script.

usage: catalog_pages_test.py OPCAT CATALOG [SCREENSHOTS]

Exit status 77: skipped, as no browser is installed.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import webdriver
from graph_page_test import check, find_upgrade


class Server:
    def __init__(self, opcat, catalog, *flags):
        self.process = subprocess.Popen([opcat, 'serve', f'catalog={catalog}', '--no-grpc', '--http', '127.0.0.1:0', *flags],
                                        stderr=subprocess.PIPE, text=True)
        address = None
        for line in self.process.stderr:
            found = re.search(r'protocol=http address=(\S+)', line)
            address = found.group(1) if found else address
            if 'serving catalog' in line:
                break
        self.url = f'http://{address}/'

    def __enter__(self): return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=600)


def search(opcat, catalog, words):
    found = subprocess.run([opcat, 'search', words, catalog, '-o', 'json'], capture_output=True).stdout
    return [package['package'] for package in json.loads(found)['packages']]


def wait_for(browser, text):
    """Until the page says it: the words for the search are loaded when it begins."""
    deadline = time.monotonic() + 30
    while browser.text('#status') != text and time.monotonic() < deadline:
        time.sleep(0.02)
    check(browser.text('#status') == text, f'the page says: {text}')


def check_comparison(browser, opcat):
    """Two served catalogs, chosen on the first page."""
    catalogs = pathlib.Path(__file__).parents[2] / 'testdata/catalogs'
    with Server(opcat, catalogs / 'gizmo-last-week', f'new={catalogs / "gizmo"}') as server:
        for width, scheme in ((1300, 'light'), (375, 'dark')):
            browser.resize(width, 900)
            browser.scheme(scheme)
            browser.open(server.url)
            browser.run('document.getElementById("compare").open = true')
            browser.follow(lambda: browser.click('#compare button'))
            check(browser.run('return document.querySelectorAll(".graphs svg").length') >= 2, 'both graphs of a changed channel are drawn')
            colours = browser.run('return [...document.querySelectorAll(".edge.added, .edge.removed")].map(edge => getComputedStyle(edge).stroke)')
            check(colours and 'none' not in colours, 'in their colours')
            check(browser.run('return document.documentElement.scrollWidth') <= width, f'{scheme}: nothing is wider than {width}')
            check(browser.console() == [], 'nothing was said on the console')


def check_support(browser, opcat):
    """The pages and the graph of a package with a lifecycle."""
    stores = pathlib.Path(__file__).parents[2] / 'testdata/catalogs/stores-v4.17'
    with Server(opcat, stores) as server:
        depot = server.url + 'catalogs/catalog/packages/depot/'
        for page in ('', 'bundles/depot.v1.1.0.html'):
            browser.open(depot + page)
            check('Full support: ' in browser.text('main') and 'openshift 4.16' in browser.text('main'), f'support is shown: {page}')
        check('Version' in browser.text('main') and '(ended)' in browser.text('main'), 'and what has ended')
        browser.open(depot + 'graph.html#depot/depot.v1.1.0')
        check('support ended on ' in browser.text('#panel') or 'supported until ' in browser.text('#panel'), 'the graph shows it, too')


def main():
    opcat, catalog = sys.argv[1], sys.argv[2]
    webdriver.skip_without_browser()
    packages, (_, package, start, head) = find_upgrade(opcat, catalog)
    with Server(opcat, catalog, '--allow-query') as server, webdriver.Browser() as browser:
        count = lambda css: browser.run('return document.querySelectorAll(arguments[0]).length', css)
        shown = lambda: browser.run('return [...document.querySelectorAll(".item")].filter(i => i.offsetParent).length')
        focused = lambda: browser.run('return document.activeElement.textContent || document.activeElement.id')

        def quiet(where):
            said = browser.console()
            check(said == [], f'{where}: nothing on the console {said}')

        browser.open(server.url)
        check(count('.card') == packages, f'all {packages} packages are on the first page')
        browser.run('for (const i of document.images) i.loading = "eager"')
        check(browser.run('return Promise.all([...document.images].map(i => i.decode().then(() => true, () => i.src)))'
                          '.then(all => all.filter(one => one !== true))') == [], 'all icons can be shown')
        if packages > 1:
            # With the words of the packages, which come later, others match: the first one may change under the keys.
            browser.run('const take = window.opcat_words; window.opcat_words = (...all) => { take(...all); window.has_words = true }')
            browser.press('/')
            browser.wait_until('return window.has_words === true')
            browser.press(*package)
            check(0 < shown() < packages, 'typing leaves the packages that match')
            browser.press('ArrowDown')
            check(package in focused(), 'the arrow key goes to the first one')
            browser.press('ArrowUp')
            check(focused() == 'search', 'and back to the field')
            browser.press('Escape')
            check(shown() == packages, 'Escape shows all again')
            check(browser.run('return document.getElementById("status").getAttribute("role")') == 'status',
                  'what a search shows is said to screen readers')
            browser.press('/', *'no such package')
            wait_for(browser, 'No package matches.')
            browser.press('Escape')
            for words in (package, package[:2] + package[3:], 'storge', 'database operatr', 'a', 'monitoring'):
                browser.run('const s = document.getElementById("search"); s.focus(); s.value = arguments[0]; s.dispatchEvent(new Event("input"))', words)
                found = browser.run('return [...document.querySelectorAll(".item:not([hidden])")].map(i => i.dataset.package)')
                check(found == search(opcat, catalog, words), f'"{words}" finds what opcat search finds, in its order: {found}')
            browser.press('Escape')
            filters = browser.run('return [...document.querySelectorAll(".filters select")].map(s => [s.parentNode.firstChild.data, s.options[1].text])')
            check(filters, f'there are filters: {[label for label, _ in filters]}')
            for label, option in filters:
                choose = ('const s = [...document.querySelectorAll(".filters select")].find(s => s.parentNode.firstChild.data === arguments[0]);'
                          's.selectedIndex = arguments[1]; s.dispatchEvent(new Event("change"))')
                browser.run(choose, label, 1)
                check(option.endswith(f'({shown()})'), f'filter {label}: {option}')
                browser.run('location.reload()')
                wait_for(browser, f'{shown()} of {packages} packages')
                browser.run(choose, label, 0)
            check(shown() == packages, 'without a filter all are shown')
        open_card = '[...document.querySelectorAll(".card a")].find(a => a.href.includes(`/${arguments[0]}/`)).click()'
        browser.follow(lambda: browser.run(open_card, package))
        check(package in browser.text('.title'), 'a card leads to its package')
        versions = shown()
        browser.press('/', *start)
        check(0 < shown() <= versions and start in browser.text('main'), 'versions can be searched')
        browser.follow(lambda: browser.press('Enter'))
        check(start in browser.text('.title'), 'Enter opens the first one')
        paths = browser.text('.paths')
        check(head in paths or '50 steps and more' in paths, 'which shows its path to the head, or the beginning of a long one')
        why = browser.text('.paths .why')
        check('replaces' in why or 'skips' in why or 'skipRange' in why, f'and why: {why}')
        quiet('a version')

        browser.open(f'{server.url}catalogs/catalog/packages/{package}/index.html')
        browser.type('input[name=from]', start)
        browser.type('input[name=to]', head)
        browser.follow(lambda: browser.click('.ask button'))
        check(head in browser.text('.paths') and 'OLM v1' in browser.text('.paths'), 'the form shows the path from one version to another')
        browser.open(f'{server.url}catalogs/catalog/packages/{package}/index.html')
        browser.follow(lambda: browser.click('.button'))
        check(count('#content .node') > 0, 'the upgrade graph is drawn')
        first_rows = browser.run('''const rows = {};
            for (const node of document.querySelectorAll('#content .node .dot:not(.elsewhere)')) {
                const { column } = node.parentNode.dataset, y = +node.parentNode.getAttribute('transform').split(/[ )]/)[1];
                rows[column] = Math.min(rows[column] ?? Infinity, y);
            }
            return Object.keys(rows).sort((a, b) => a - b).map(column => rows[column]);''')
        check(first_rows == sorted(first_rows), 'columns are in the order of rows, the newest first')
        quiet('the graph')
        browser.follow(lambda: browser.click('#title a'))
        check(package in browser.text('.title'), 'and its title leads back')

        version = f'{server.url}catalogs/catalog/packages/{package}/bundles/{start}.html'
        browser.open(version + '#install')
        yaml = lambda: browser.run('return [...document.querySelectorAll("#install code")].map(c => c.textContent).filter(t => t.startsWith("---"))')
        check(browser.run('return document.getElementById("install").open'), 'the link to the objects opens them')
        check(len(yaml()) == 2 and f'startingCSV: {start}\n' in yaml()[0] and 'kind: ClusterExtension' in yaml()[1], 'there are objects for both OLMs')
        channel = browser.run('const s = document.querySelector("#install select"); s.selectedIndex = s.length - 1; return s.value')
        browser.run('document.querySelector("#install input[name=namespace]").value = "elsewhere"')
        browser.follow(lambda: browser.click('#install button'))
        check(f'channel: {channel}\n' in yaml()[0] and f'- {channel}\n' in yaml()[1], f'for the chosen channel {channel}')
        check('  namespace: elsewhere\n' in yaml()[0] and '  namespace: elsewhere\n' in yaml()[1], 'and namespace')
        quiet('objects to copy')

        browser.open(server.url + 'catalogs/catalog/')
        browser.follow(lambda: browser.run('[...document.links].find(a => a.textContent === "Ask in SQL").click()'))
        browser.type('textarea', 'SELECT name, bundles FROM packages')
        browser.follow(lambda: browser.click('.ask button'))
        check(count('tbody tr') == packages and browser.run('return document.querySelector("textarea").value') == 'SELECT name, bundles FROM packages',
              'the query box answers, and keeps the statement')
        quiet('the query box')

        pages = {'query': 'catalogs/catalog/query.html?sql=SELECT%20*%20FROM%20bundles%20LIMIT%205', 'home': '', 'package': f'catalogs/catalog/packages/{package}/', 'findings': 'catalogs/catalog/findings.html',
                 'version': f'catalogs/catalog/packages/{package}/bundles/{start}.html', 'install': f'catalogs/catalog/packages/{package}/bundles/{start}.html?namespace=x',
                 'path': f'catalogs/catalog/packages/{package}/path.html?from={start}&to={head}'}
        for width, height in ((1300, 900), (375, 800)):
            browser.resize(width, height)
            for scheme in ('light', 'dark'):
                browser.scheme(scheme)
                for name, path in pages.items():
                    browser.open(server.url + path)
                    wide = browser.run('return document.documentElement.scrollWidth')
                    check(wide <= width, f'{name}, {scheme}: {wide} is not wider than {width}')
                    small = browser.run('return [...document.querySelectorAll("main a.button, main button, .card a, input")].filter(e => e.offsetParent)'
                                        '.filter(e => e.getBoundingClientRect().height < 36 && !e.classList.contains("small")).length')
                    check(small == 0, f'{name}: what is pressed is large enough for fingers')
                    paper = browser.run('return getComputedStyle(document.body).backgroundColor')
                    check((paper == 'rgb(255, 255, 255)') == (scheme == 'light'), f'{name} is {scheme}')
                    if len(sys.argv) > 3:
                        os.makedirs(sys.argv[3], exist_ok=True)
                        browser.screenshot(f'{sys.argv[3]}/{name}-{scheme}-{width}.png')
        quiet('all pages')

        browser.devtools('Emulation.setScriptExecutionDisabled', value=True)
        for name, path in pages.items():
            if name not in ('home', 'query'):
                browser.open(server.url + path)
                check(package in browser.text('main') or name == 'findings', f'{name} can be read without script')
        browser.devtools('Emulation.setScriptExecutionDisabled', value=False)

        check_support(browser, opcat)
        check_comparison(browser, opcat)
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory, 'out')
            subprocess.run([opcat, 'serve', f'catalog={catalog}', '--export', out, '-q'], check=True)
            browser.open(out.joinpath('index.html').as_uri())
            check(count('.card') == packages, 'the exported pages open as files')
            check(browser.run('return getComputedStyle(document.querySelector(".card")).borderRadius') == '12px', 'with their style')
            browser.open(out.joinpath(f'catalogs/catalog/packages/{package}/graph.html').as_uri())
            check(count('#content .node') > 0, 'the graph is drawn from a file')
            quiet('files')


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""The HTML page of `opcat graph`, in a browser.

usage: graph_page_test.py OPCAT CATALOG [SCREENSHOTS]

Exit status 77: skipped, as no browser is installed. With SCREENSHOTS, pictures of the page in both colour
schemes, wide and narrow, are left in that directory.
"""
import json, os, pathlib, subprocess, sys, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import webdriver
from webdriver import check


LEGEND_IS_WHOLE = '''
    const canvas = document.getElementById('canvas').getBoundingClientRect();
    return [...document.querySelectorAll('#legend li')].every(li => {
        const box = li.getBoundingClientRect();
        return box.height > 0 && box.top >= canvas.bottom && box.right <= innerWidth && box.bottom <= innerHeight;
    });'''

MANY_SKIPS = 'schema: olm.package\nname: m\ndefaultChannel: a\n---\nschema: olm.channel\npackage: m\nname: a\nentries:\n' \
    "- {name: m.v1.99.0, skipRange: '<1.99.0', replaces: m.v1.0.0, skips: [" + ', '.join(f'm.v1.{i}.0' for i in range(1, 83)) + ']}\n' + ''.join(
        f'---\nschema: olm.bundle\npackage: m\nname: m.v1.{i}.0\nimage: i.example/m:v{i}\n'
        f'properties: [{{type: olm.package, value: {{packageName: m, version: 1.{i}.0}}}}]\n' for i in (99,))


def find_upgrade(opcat, catalog):
    """A package, a bundle of it and the head of a channel that OLM classic upgrades it to."""
    graph = json.loads(subprocess.run([opcat, 'graph', catalog, '-o', 'json'], check=True, capture_output=True).stdout)
    best = None
    for package in graph['packages']:
        for channel in package['channels']:
            if len(channel['heads']) != 1:
                continue
            following = {entry['name']: entry['nextClassic'] for entry in channel['entries']}
            for name in following:
                steps, at = 0, name
                while following.get(at) and steps < len(following):
                    at, steps = following[at], steps + 1
                if at == channel['heads'][0] and (best is None or steps > best[0]):
                    best = (steps, package['name'], name, at)
    return len(graph['packages']), best


def main():
    opcat, catalog = sys.argv[1], sys.argv[2]
    webdriver.skip_without_browser()
    packages, (steps, package, start, head) = find_upgrade(opcat, catalog)
    check(steps > 0, f'the catalog has an upgrade to look for: {start} to {head}, {steps} steps')

    with tempfile.TemporaryDirectory() as directory, webdriver.Browser() as browser:
        page = pathlib.Path(directory, 'graph.html')
        page.write_bytes(subprocess.run([opcat, 'graph', catalog, '-o', 'html'], check=True, capture_output=True).stdout)
        browser.devtools('Network.enable')
        browser.devtools('Network.emulateNetworkConditions', offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        browser.open(page.as_uri())
        count = lambda css: browser.run('return document.querySelectorAll(arguments[0]).length', css)
        check(browser.console() == [], 'the page opens without a word on the console')
        check(count('#package option') == packages, f'all {packages} packages can be chosen')
        check(count('#content .node') > 0, 'the first package is drawn')

        browser.press('/')
        browser.press(*start)
        check(start in browser.text('#hits'), 'search finds a version')
        browser.press('Enter')
        check(browser.text('#panel h2') == start, 'choosing it selects it')
        check(browser.run('return document.getElementById("package").value') == package, 'and its package')
        check(head in browser.text('#panel .path') or count('#panel .path li') > 0, 'its way is shown')
        check(count('#content .node.selected') == 1, 'it is marked in the drawing')

        clicked = browser.run('''
            const nodes = [...document.querySelectorAll('#content .node')].filter(n => n.querySelector('.dot:not(.head):not(.virtual)'));
            for (const node of nodes) {
                node.dispatchEvent(new MouseEvent('click', {bubbles: true}));
                if (document.querySelector('#panel .path')) return document.querySelector('#panel h2').textContent;
            }''')
        check(clicked and count('#marks .step') > 0, f'a click on {clicked} draws its way')
        why = browser.text('#panel .path li')
        check('replaces' in why or 'skips' in why or 'skipRange' in why, 'and says why each step exists')

        browser.run('document.querySelector("input[value=v1]").click()')
        check('OLM v1' in browser.text('#panel details[open] summary'), 'the other OLM answers first when it is chosen')
        browser.run('document.querySelector("input[value=classic]").click()')

        browser.press('Escape')
        browser.run('document.getElementById("canvas").focus()')
        browser.press('ArrowDown', 'Enter')
        check(count('#content .node.selected') == 1, 'arrow keys and Enter select')
        before = browser.run('return document.getElementById("content").getAttribute("transform")')
        browser.press('+')
        check(browser.run('return document.getElementById("content").getAttribute("transform")') != before, '+ zooms')
        browser.press('0')
        browser.run('''const s = document.getElementById("channel"); s.selectedIndex = 1; s.dispatchEvent(new Event("change"))''')
        check(browser.run('return new Set([...document.querySelectorAll("#content .node")].map(n => n.dataset.column)).size') == 1,
              'the channel filter leaves one channel')
        check(browser.console() == [], 'nothing was said on the console')

        for name in browser.run('return [...document.querySelectorAll("#package option")].map(o => o.value)'):
            browser.run('''const s = document.getElementById("package"); s.value = arguments[0]; s.dispatchEvent(new Event("change"));''', name)
            if browser.run('return document.getElementById("panel").textContent.indexOf(arguments[0])', name) < 0:
                sys.exit(f'failed: package {name} is not shown')
        check(browser.console() == [], 'every package can be drawn')

        for width, height in ((1400, 900), (400, 800)):
            browser.resize(width, height)
            for scheme in ('light', 'dark'):
                browser.scheme(scheme)
                browser.open('about:blank')
                browser.open(f'{page.as_uri()}#{package}/{start}')
                check(browser.text('#panel h2') == start, f'a link to a version opens it, {width} wide')
                check(browser.run('return document.documentElement.scrollWidth <= innerWidth'), f'nothing is wider than {width}')
                check(browser.run(LEGEND_IS_WHOLE), f'the legend has all its entries and hides nothing of the drawing, {width} wide')
                paper = browser.run('return getComputedStyle(document.body).backgroundColor')
                check((paper == 'rgb(255, 255, 255)') == (scheme == 'light'), f'the page is {scheme}')
                if len(sys.argv) > 3:
                    os.makedirs(sys.argv[3], exist_ok=True)
                    browser.screenshot(f'{sys.argv[3]}/{scheme}-{width}.png')
        many = pathlib.Path(directory, 'many')
        many.mkdir()
        (many / 'catalog.yaml').write_text(MANY_SKIPS)
        page.write_bytes(subprocess.run([opcat, 'graph', many, '-o', 'html'], check=True, capture_output=True).stdout)
        browser.open('about:blank')
        browser.open(f'{page.as_uri()}#m/m.v1.99.0')
        check(count('#content .edge.skips') == 1, 'many skips of one entry are one line with branches')
        same = 'const look = s => { const c = getComputedStyle(document.querySelector(s)); return [c.stroke, c.strokeWidth, c.strokeDasharray, c.fill].join() };'
        for kind in ('range', 'skips'):
            check(browser.run(same + f'return look("#content .edge.{kind}") === look("#legend .edge.{kind}")'), f'{kind} is drawn like its legend')
        browser.open('about:blank')
        browser.open(f'{page.as_uri()}#m/m.v1.50.0')
        place = browser.text('#panel .path .place')
        text = subprocess.run([opcat, 'graph', many, '--from', 'm.v1.50.0', '--olm', 'classic'], check=True, capture_output=True).stdout.decode()
        check(f'{place}:' in text and place.startswith(str(many)), f'{place} is the place that the text output names')
        check(browser.console() == [], 'nothing was said on the console at any width')


if __name__ == '__main__':
    main()

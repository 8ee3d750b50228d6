"""The site of the documentation (scripts/make-site) in a browser: links, menu, search, and nothing from another host."""
import functools
import html.parser
import http.server
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

from webdriver import Browser, check, skip_without_browser

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Page(html.parser.HTMLParser):
    """What a page refers to, and the places in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get('id'))
        if tag == 'a' and 'href' in attributes:
            self.links.append(attributes['href'])
        if target := attributes.get('src') or (tag == 'link' and attributes.get('href')):
            self.loaded.append(target)


def broken_links(site):
    pages = {path: Page(path.read_text()) for path in site.rglob('*.html')}
    found = []
    for path, page in pages.items():
        for link in page.links + page.loaded:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or not (parts.path or parts.fragment):
                continue
            target = (site / parts.path.lstrip('/') if parts.path.startswith('/') else path.parent / parts.path).resolve() if parts.path else path
            if not target.exists() or (parts.fragment and target in pages and parts.fragment not in pages[target].ids):
                found.append(f'{path.relative_to(site)}: {link}')
    return found


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    skip_without_browser()
    if not shutil.which('mkdocs'):
        print('needs mkdocs')
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix='opcat-site-') as scratch:
        site = pathlib.Path(scratch, 'site')
        subprocess.run([ROOT / 'scripts/make-site', site], check=True, stdout=subprocess.DEVNULL)
        check(broken_links(site) == [], f'each link leads somewhere: {broken_links(site)}')
        others = {target for path in site.rglob('*.html') for target in Page(path.read_text()).loaded if ':' in target}
        check(not others, f'nothing is loaded from another host: {others}')
        handler = functools.partial(Quiet, directory=site)
        with http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            look(f'http://127.0.0.1:{server.server_address[1]}')
            server.shutdown()
    print('ok')


def look(address):
    with Browser(1300, 900) as browser:
        browser.open(f'{address}/index.html')
        check('opcat' in browser.run('return document.title'), 'the start page has a title')
        check(browser.run('return document.querySelectorAll(".navbar a").length') > 30, 'the menu names the pages')
        browser.click('[data-target="#mkdocs_search_modal"]')
        browser.wait_until('return document.activeElement.id === "mkdocs-search-query"')  # the dialog slides in
        browser.type('#mkdocs-search-query', 'skipRange')
        # What is typed before the index is loaded is searched for when the next key is released.
        browser.wait_until('document.getElementById("mkdocs-search-query").dispatchEvent(new Event("keyup"));'
                           'return document.querySelector("#mkdocs-search-results a") !== null')
        found = browser.run('return [...document.querySelectorAll("#mkdocs-search-results a")].map(a => a.href)')
        check(any('skips-skiprange' in link or 'semver' in link for link in found), f'the search finds a word: {found}')
        for width in (375, 1300):
            browser.resize(width, 800)
            for page in ('index', 'getting-started', 'dependencies'):
                browser.open(f'{address}/{page}.html')
                wide = browser.run('return document.documentElement.scrollWidth - document.documentElement.clientWidth')
                check(wide <= 0, f'{page} is not wider than {width} pixels: {wide}')
        check(not [line for line in browser.console() if 'favicon' not in line], f'the console is empty: {browser.console()}')


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""The HTML page of `opcat diff`, in a browser, as it is and in the page of a CI job that forbids scripts and styles.

usage: diff_page_test.py OPCAT CATALOGS [SCREENSHOTS]

Exit status 77: skipped, as no browser is installed. With SCREENSHOTS, pictures of the page, wide and narrow, are left in that
directory.
"""
import os, pathlib, subprocess, sys, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import webdriver
from webdriver import check

# What Jenkins sends with the files of a job.
STRICT = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src \'self\'; style-src \'self\'">'
HOSTILE = '''schema: olm.package
name: "<script>document.title='x'</script>"
defaultChannel: a
---
schema: olm.channel
package: "<script>document.title='x'</script>"
name: "<img src=x onerror=document.title='x'>"
entries: [{name: "\\"><svg onload=document.title='x'>"}]
'''


def main():
    opcat, catalogs = sys.argv[1], pathlib.Path(sys.argv[2])
    webdriver.skip_without_browser()
    with tempfile.TemporaryDirectory() as directory, webdriver.Browser() as browser:
        def page_of(name, old, new, more=''):
            page = pathlib.Path(directory, name)
            text = subprocess.run([opcat, 'diff', old, new, '-o', 'html'], check=True, capture_output=True).stdout.decode()
            page.write_text(text.replace('<head>', '<head>' + more))
            return page.as_uri()
        count = lambda css: browser.run('return document.querySelectorAll(arguments[0]).length', css)
        browser.devtools('Network.enable')
        browser.devtools('Network.emulateNetworkConditions', offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        old, new = catalogs / 'gizmo-last-week', catalogs / 'gizmo'
        for name, more in ('page.html', ''), ('strict.html', STRICT):
            place = page_of(name, old, new, more)
            browser.resize(1400, 900)
            browser.open(place)
            check(count('script') == 0 and count('[src], link') == 0, f'{name} has no scripts and loads nothing')
            check(count('.graphs svg') >= 2 and count('.graphs svg') % 2 == 0, 'both graphs of a changed channel are drawn')
            check(browser.run('''const [a, b] = [...document.querySelectorAll('.graphs td')].map(td => td.getBoundingClientRect());
                                 return a.top === b.top && b.left >= a.right;'''), 'they are side by side')
            colours = browser.run('''return [...document.querySelectorAll('.edge.added, .edge.removed')]
                .map(edge => getComputedStyle(edge).stroke)''')
            check(colours and 'rgb(132, 141, 151)' not in colours, 'changed edges are coloured')
            check(count('#regressions code, #upgrades code') > 0, 'affected versions are listed')
            if not more:
                check(browser.console() == [], 'nothing was said on the console')
                for width, height in (1400, 900), (400, 800):
                    browser.resize(width, height)
                    for scheme in 'light', 'dark':
                        browser.scheme(scheme)
                        browser.open('about:blank')
                        browser.open(place)
                        check(browser.run('return document.documentElement.scrollWidth <= innerWidth'), f'nothing is wider than {width}')
                        if len(sys.argv) > 3:
                            browser.screenshot(pathlib.Path(sys.argv[3], f'diff-{width}-{scheme}.png'))
        pathlib.Path(directory, 'hostile.yaml').write_text(HOSTILE)
        pathlib.Path(directory, 'empty.yaml').write_text('schema: olm.package\nname: a\n')
        browser.open(page_of('hostile.html', os.path.join(directory, 'empty.yaml'), os.path.join(directory, 'hostile.yaml')))
        check(browser.run('return document.title') == 'Catalog changes' and count('script, img') == 0, 'names are not markup')


main()

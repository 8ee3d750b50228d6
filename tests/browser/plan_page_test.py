#!/usr/bin/env python3
"""The HTML page of `opcat plan`, in a browser, wide and narrow, and as it is printed.

usage: plan_page_test.py OPCAT CATALOGS [SCREENSHOTS]

Exit status 77: skipped, as no browser is installed. With SCREENSHOTS, pictures of the page are left in that directory.
"""
import os, pathlib, subprocess, sys, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import webdriver
from webdriver import check


def main():
    opcat, catalogs = sys.argv[1], pathlib.Path(sys.argv[2])
    webdriver.skip_without_browser()
    with tempfile.TemporaryDirectory() as directory, webdriver.Browser() as browser:
        page = pathlib.Path(directory, 'plan.html')
        done = subprocess.run([opcat, 'plan', '--cluster-version', '4.16.32', '--to', '4.18', '--at', '2026-11-28', '-o', 'html', '--catalog',
                               f'{catalogs}/stores-v{{version}}', *(word for name in (
                                   'depot.v1.0.0,channel=stable-1,namespace=' + 'x' * 200, 'till.v3.15.1,channel=stable-3.15',
                                   'clock.v1.0.0,channel=stable', 'nobody.v1.0.0') for word in ('--installed', name))], capture_output=True)
        check(done.returncode == 1, 'the plan has no way for one operator')
        page.write_bytes(done.stdout)
        count = lambda css: browser.run('return document.querySelectorAll(arguments[0]).length', css)
        for width, height in (1400, 900), (400, 800):
            browser.resize(width, height)
            for scheme in 'light', 'dark':
                browser.scheme(scheme)
                browser.open('about:blank')
                browser.open(page.as_uri())
                check(count('script') == 0 and count('[src], link') == 0, 'it has no scripts and loads nothing')
                check(browser.console() == [], 'nothing was said on the console')
                check(count('.stop') == 3 and count('.stop li') > 5, 'each version of OpenShift has its steps')
                check(browser.run('''const [a, b] = ['#blocked', '#unknown'].map(id => document.querySelector(id).getBoundingClientRect());
                                     return a.bottom <= b.top && b.bottom <= document.querySelector('.stop').getBoundingClientRect().top;'''),
                      'what has no way is at the top')
                check(browser.run('return document.documentElement.scrollWidth <= innerWidth'), f'nothing is wider than {width}')
                if len(sys.argv) > 3:
                    browser.screenshot(pathlib.Path(sys.argv[3], f'plan-{width}-{scheme}.png'))
        browser.devtools('Emulation.setEmulatedMedia', media='print')
        check(browser.run('return getComputedStyle(document.body).maxWidth') == 'none', 'it is as wide as paper when it is printed')


main()

"""A browser without a window, driven by the WebDriver protocol: Chromium's headless shell through Debian's chromium-driver.

The shell draws pages as Chromium does, and has no tabs, menus and extensions of its own, which cost more than our pages."""
import base64, json, os, shutil, socket, subprocess, sys, tempfile, time, urllib.error, urllib.request

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import plain_environment  # noqa: E402, F401

ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic', '--no-first-run',
             '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars']
SHELL = 'chromium-headless-shell'
ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
KEYS = {'Enter': '\ue007', 'Escape': '\ue00c', 'ArrowDown': '\ue015', 'ArrowUp': '\ue013', 'ArrowRight': '\ue014', 'Tab': '\ue004'}


def skip_without_browser():
    """Ends the test with the status that means skipped to CTest if there is no browser."""
    for program in ('chromedriver', SHELL):
        if not shutil.which(program):
            print(f'skipped: {program} is not installed (Debian: chromium-driver, chromium-headless-shell)')
            sys.exit(77)


def check(holds, what):
    if not holds:
        sys.exit(f'failed: {what}')
    print(f'ok: {what}')


class Browser:
    def __init__(self, width=1400, height=900):
        self.profile = tempfile.mkdtemp(prefix='opcat-browser-')
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            port = free.getsockname()[1]
        self.base = f'http://127.0.0.1:{port}'
        self.driver = subprocess.Popen(['chromedriver', f'--port={port}'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = None
        try:
            self._wait_for_driver()
            options = {'binary': shutil.which(SHELL),
                       'args': [*ARGUMENTS, f'--user-data-dir={self.profile}', f'--window-size={width},{height}']}
            answer = self._send('POST', '/session', {'capabilities': {'alwaysMatch': {
                'browserName': 'chrome-headless-shell', 'goog:chromeOptions': options, 'goog:loggingPrefs': {'browser': 'ALL'}}}})
            self.session = answer['sessionId']
        except BaseException:
            self.close()
            raise

    def _wait_for_driver(self):
        for _ in range(300):
            try:
                if self._send('GET', '/status')['ready']:
                    return
            except (urllib.error.URLError, ConnectionError):
                pass
            time.sleep(0.1)
        raise RuntimeError('chromedriver does not answer')

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {'Content-Type': 'application/json'}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:
                return json.load(answer)['value']
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()[:2000]) from None

    def _ask(self, method, path, body=None):
        return self._send(method, f'/session/{self.session}{path}', body)

    def open(self, url): self._ask('POST', '/url', {'url': url})
    def run(self, script, *arguments): return self._ask('POST', '/execute/sync', {'script': script, 'args': list(arguments)})
    def find(self, css): return self._ask('POST', '/element', {'using': 'css selector', 'value': css})[ELEMENT]
    def text(self, css): return self._ask('GET', f'/element/{self.find(css)}/text')
    def click(self, css): self._ask('POST', f'/element/{self.find(css)}/click', {})
    def type(self, css, text): self._ask('POST', f'/element/{self.find(css)}/value', {'text': text})

    def follow(self, action):
        """Runs `action`, which opens another page, and waits until that page is loaded: the browser may begin to open it later."""
        self.run('window.isOldPage = true')
        action()
        self.wait_until('return !window.isOldPage && document.readyState === "complete"')

    def wait_until(self, script):
        """Until the script returns true: a slow machine has a minute."""
        deadline = time.monotonic() + 60
        while not self._is_true(script):
            if time.monotonic() > deadline:
                raise RuntimeError(f'not in a minute: {script}')
            time.sleep(0.02)

    def _is_true(self, script):
        try:
            return self.run(script)
        except RuntimeError:  # between two pages
            return False

    def press(self, *keys):
        """Keys to whatever has the focus."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{'type': 'keyDown', 'value': value}, {'type': 'keyUp', 'value': value}]
        self._ask('POST', '/actions', {'actions': [{'type': 'key', 'id': 'keyboard', 'actions': actions}]})

    def resize(self, width, height):
        self.devtools('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.devtools('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': name}])

    def devtools(self, command, **parameters):
        return self._ask('POST', '/goog/cdp/execute', {'cmd': command, 'params': parameters})

    def console(self):
        """Errors and warnings since the last call."""
        return [f"{entry['level']}: {entry['message']}" for entry in self._ask('POST', '/se/log', {'type': 'browser'})
                if entry['level'] in ('SEVERE', 'WARNING')]

    def screenshot(self, path):
        with open(path, 'wb') as file:
            file.write(base64.b64decode(self._ask('GET', '/screenshot')))

    def close(self):
        try:
            if self.session:
                self._send('DELETE', f'/session/{self.session}')
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self): return self
    def __exit__(self, *_): self.close()

"""What OLM v1's catalogd answers over HTTP (suite "http")."""
import calendar
import email.utils
import gzip
import hashlib
import http.client
import json
import re
import time

from server import Program, directory_of
from suite import LineSuite

COMPARED = ('Content-Type', 'Content-Encoding', 'Content-Length', 'Content-Range', 'Accept-Ranges', 'Vary', 'Last-Modified', 'ETag', 'Allow',
            'Location', 'X-Content-Type-Options')
# What a server may say in addition.
MAY_ADD = {'ETag', 'Allow', 'Vary', 'X-Content-Type-Options', 'Content-Length', 'Accept-Ranges', 'Last-Modified'}
# Whole numbers of up to 64 bits are kept, where catalogd rounds them through a double.
KEPT_NUMBERS = {'own:properties-big-numbers', 'edge:yaml-ints', 'edge:yaml-bigint', 'edge:json-num1'}


def request(port, row, modified, etag):
    """The answer, with what differs from run to run replaced. {lm}, {lm+1} and {lm-1} in a header are the times about `modified`."""
    def fill(value):
        value = value.replace('{etag}', etag or '"none"')
        return re.sub(r'\{lm([+-]\d+)?\}', lambda found: email.utils.formatdate(modified + int(found[1] or 0), usegmt=True), value)

    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=600)
    headers = row.get('headers', {})
    body = row['body'].encode() if row.get('body') else None
    connection.putrequest(row['method'], row['path'], skip_accept_encoding=True, skip_host='Host' in headers)
    for name, value in headers.items():
        connection.putheader(name, fill(value))
    if body is not None:
        connection.putheader('Content-Length', str(len(body)))
    connection.endheaders(body)
    response = connection.getresponse()
    try:
        data = response.read()
    except http.client.IncompleteRead as cut:
        data = cut.partial
    connection.close()
    said = {name: response.getheader(name) for name in COMPARED if response.getheader(name) is not None}
    when = said.get('Last-Modified')
    return {'status': response.status, **settled(said, data)}, when, said.get('ETag')


def settled(headers, data):
    headers = dict(headers)
    if 'Last-Modified' in headers:
        headers['Last-Modified'] = 'present'
    if headers.get('Content-Encoding') == 'gzip' and data:
        data, headers['Content-Length'] = gzip.decompress(data), 'compressed'
    if headers.get('Content-Encoding') == 'zstd':
        data, headers['Content-Length'] = b'zstd', 'compressed'
    if 'Vary' in headers:
        headers['Vary'] = ', '.join(sorted({word.strip() for word in headers['Vary'].split(',')}, key=str.lower))
    if found := re.match('multipart/byteranges; boundary=(.*)', headers.get('Content-Type', '')):
        data = data.replace(found[1].encode(), b'BOUNDARY')
        headers['Content-Type'], headers['Content-Length'] = 'multipart/byteranges; boundary=BOUNDARY', 'boundary'
    answer = {'headers': headers, 'size': len(data), 'sha256': hashlib.sha256(data).hexdigest()[:32]}
    return {**answer, 'body': data.decode('utf-8', 'surrogateescape')} if len(data) <= 400 else answer


class CatalogdAnswers(LineSuite):
    archives = ['serve', 'edge']
    files = ['serve/http.jsonl']

    def rows(self, data):
        """The first line names the catalogs."""
        self.named, *rows = super().rows(data)
        self.catalogs = self.named['catalogs']
        return rows

    def write(self, data, rows):
        super().write(data, [self.named, *rows])

    def label(self, row):
        return f'{row["method"]} {row["path"]} {json.dumps(row.get("headers", {}))}'

    def answers(self, program, data, rows):
        named = [f'{name}={directory_of(data, reference)}' for name, reference in self.catalogs.items()]
        with Program(lambda port: [program, 'serve', *named, '--http', f'127.0.0.1:{port}', '--no-grpc']) as served:
            if not served.listens:
                raise RuntimeError(served.output())
            times = {}
            answers = []
            for row in rows:
                name = row['catalog']
                if name not in times:
                    _, when, etag = request(served.port, {'method': 'HEAD', 'path': f'/catalogs/{name}/api/v1/all'}, 0, None)
                    times[name] = (calendar.timegm(email.utils.parsedate(when)) if when else int(time.time()), etag)
                answers.append(self.settled_answer(served.port, row, times[name]))
            return answers

    def settled_answer(self, port, row, times):
        """A server that has just started may compress a little later."""
        for _ in range(100):
            answer = request(port, row, *times)[0]
            if row['answer']['headers'].get('Content-Encoding') == answer['headers'].get('Content-Encoding'):
                break
            time.sleep(0.1)
        return answer

    def difference(self, row, answer):
        if self.catalogs.get(row['catalog']) in KEPT_NUMBERS:
            return None
        whys = [self.of_one(row, wanted, answer) for wanted in [row['answer'], *row.get('also', [])]]
        return None if None in whys else whys[0]

    def of_one(self, row, wanted, answer):
        if answer['status'] != wanted['status']:
            return f'status {answer["status"]}, recorded {wanted["status"]}'
        if wanted.get('any'):
            return None
        for name in sorted(answer['headers'].keys() | wanted['headers'].keys()):
            given, recorded = answer['headers'].get(name), wanted['headers'].get(name)
            if given == recorded or (recorded is None and name in MAY_ADD):
                continue
            if name == 'Content-Type' and answer['status'] in (304, 412) and not answer['size']:
                continue
            if name == 'Vary' and given and recorded and set(recorded.lower().split(', ')) <= set(given.lower().split(', ')):
                continue
            if name == 'Content-Length' and given is None and row['method'] != 'HEAD':  # in chunks
                continue
            return f'{name}: {given!r}, recorded {recorded!r}'
        if (answer['size'], answer['sha256']) != (wanted['size'], wanted['sha256']):
            return f'the body differs: {answer.get("body", "")[:200]!r}, {answer["size"]} bytes, recorded {wanted["size"]}'
        return None

    def recorded(self, row, answer):
        return {**row, 'answer': answer}

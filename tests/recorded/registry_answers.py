"""What `opm serve` answers over gRPC (suite "grpc")."""
import hashlib
import json
import pathlib
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import grpc

from registry_api import LIST_SERVICES, METHODS, decode, encode
from server import Program, directory_of
from suite import LineSuite

# Whole numbers of up to 64 bits are kept, where opm rounds them through a double.
KEPT_NUMBERS = {'own:properties-big-numbers', 'edge:yaml-ints', 'edge:yaml-bigint', 'edge:json-num1'}
# The words of these are the gRPC library's.
OF_LIBRARY = {'UNIMPLEMENTED', 'RESOURCE_EXHAUSTED', 'INTERNAL'}


def digest(text):
    return hashlib.sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()[:32]


def one_line(value):
    return json.dumps(value, sort_keys=True, separators=(',', ':'))


def short(value):
    """A long text by its digest."""
    return value if len(value) <= 200 else {'sha256': digest(value), 'size': len(value.encode('utf-8', 'surrogateescape'))}


def document(text):
    """A text that is a JSON document by the digests of its value and of its bytes."""
    if not text:
        return ''
    try:
        value = one_line(json.loads(text, parse_int=lambda digits: float(digits) if len(digits) > 15 else int(digits)))
    except ValueError:
        value = text
    return {'json': digest(value), 'bytes': digest(text)}


def canonical(value, field=''):
    if isinstance(value, dict):
        return {key: canonical(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [canonical(one, field) for one in value]
    if isinstance(value, str):
        return document(value) if field in ('csvJson', 'object') else short(value)
    return value


def without_bytes(value):
    """Without the digests of documents' bytes."""
    if isinstance(value, dict):
        return {key: without_bytes(one) for key, one in value.items() if not (key == 'bytes' and 'json' in value)}
    return [without_bytes(one) for one in value] if isinstance(value, list) else value


def item(name, message):
    """A message of a stream."""
    if name == 'Struct':
        text = one_line(message)
        return short(text) if len(text) > 200 else message
    if name == 'ReflectionAnswer':
        return sorted(service['name'] for service in message['services']['service'])
    message = canonical(message)
    if name == 'PackageName':
        return message['name']
    if name == 'ChannelEntry':
        return [message[key] for key in ('packageName', 'channelName', 'bundleName', 'replaces')]
    if name == 'Bundle':
        return [message['channelName'], message['packageName'], message['csvName'], digest(one_line(without_bytes(message)))[:16],
                digest(one_line(message))[:16]]
    return message


def ask(channel, row):
    path, request_type, answer_type, streams, ordered = METHODS[row['method']]
    reflection = answer_type == 'ReflectionAnswer'
    request = LIST_SERVICES if reflection else bytes.fromhex(row['raw']) if 'raw' in row else encode(request_type, row['request'])
    how = {'metadata': list((row.get('metadata') or {}).items()), 'timeout': 60,
           'compression': grpc.Compression.Gzip if row.get('compression') == 'gzip' else None}
    items = []
    try:
        if not streams:
            answer = channel.unary_unary(path)(request, **how)
            # The list of healths is not compared.
            return {'code': 'OK', 'message': None if row['method'] == 'List' else canonical(decode(answer_type, answer))}
        call = channel.stream_stream(path)(iter([request]), **how) if reflection else channel.unary_stream(path)(request, **how)
        for answer in call:
            items.append(item(answer_type, decode(answer_type, answer)))
    except grpc.RpcError as failure:
        return {'code': failure.code().name, 'details': failure.details(), **({'items': items} if items else {})}
    return {'code': 'OK', 'items': items if ordered else sorted(items, key=one_line)}


class RegistryAnswers(LineSuite):
    archives = ['serve', 'edge']
    files = ['serve/grpc.jsonl']

    def label(self, row):
        return f'{row["catalog"]} {row["method"]} {json.dumps(row["request"])}'

    def answers(self, program, data, rows):
        by_catalog = {}
        for index, row in enumerate(rows):
            by_catalog.setdefault(row['catalog'], []).append(index)
        answers = [None] * len(rows)

        def of_catalog(catalog):
            directory = directory_of(data, catalog)
            with tempfile.TemporaryDirectory() as scratch:
                log = pathlib.Path(scratch, 'log')
                with Program(lambda port: [program, 'serve', directory, '--port', str(port), '--pprof-addr=', '--termination-log', log]) as served:
                    options = [('grpc.max_receive_message_length', -1), ('grpc.enable_http_proxy', 0)]
                    with grpc.insecure_channel(f'127.0.0.1:{served.port}', options=options) as channel:
                        serves = served.listens and self.is_serving(served, channel)
                        for index in by_catalog[catalog]:
                            if rows[index]['method'] == 'start':
                                answers[index] = {'serves': serves} if serves else {'serves': False, 'exit': served.process.poll(), 'message': served.output()}
                            elif serves:
                                answers[index] = ask(channel, rows[index])
                            else:
                                answers[index] = {'code': 'not serving'}

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(of_catalog, by_catalog))
        return answers

    def is_serving(self, served, channel):
        """A server may listen before it has loaded its catalog: it serves when it answers."""
        if ask(channel, {'method': 'ListPackages', 'request': {}})['code'] == 'OK':
            return True
        try:
            served.process.wait(10)
        except subprocess.TimeoutExpired:
            return True
        return False

    def difference(self, row, answer):
        if row['catalog'] in KEPT_NUMBERS and row['method'] != 'start':
            return None
        whys = [self.of_one(row, wanted, answer) for wanted in [row['answer'], *row.get('also', []), *row['answer'].get('any', [])]]
        return None if None in whys else whys[0]

    def of_one(self, row, wanted, answer):
        if row['method'] == 'start':
            if answer['serves'] != wanted['serves']:
                return f'{answer}, recorded {wanted}'
            return None if answer['serves'] or 0 < (answer['exit'] or 0) < 126 else f'it must end with a status: {answer}'
        if 'any' in wanted:
            return f'{answer} is none of the possible answers'
        if wanted['code'] in OF_LIBRARY or wanted.keys() == {'code'}:
            return None if answer['code'] == wanted['code'] else f'{answer}, recorded {wanted["code"]}'
        if row['method'].startswith('ListServices') and answer['code'] == 'OK':
            missing = set(wanted['items'][0]) - set(answer['items'][0])
            return f'services that are not listed: {missing}' if missing else None
        return None if answer == wanted else f'{answer}, recorded {wanted}'

    def recorded(self, row, answer):
        return {**row, 'answer': answer}

#!/usr/bin/env python3
"""What catalog servers cost and deliver: time until the port is open and until the first answer, memory, requests per second.

usage: bench/serve_bench.py [--seconds N] [--clients N] DIR GRPC_COMMAND [HTTP_COMMAND]

A command is one argument; {dir} and {port} in it are filled in. Side by side:

    bench/serve_bench.py catalog 'build/release/tools/opcat/opcat serve c={dir} --port {port}' \\
        'build/release/tools/opcat/opcat serve c={dir} --no-grpc --http 127.0.0.1:{port}'
    bench/serve_bench.py catalog 'opm serve {dir} --port {port} --pprof-addr='

Needs h2load (nghttp2-client) and python3-grpcio, so run it with Debian's python3.
"""
import argparse
import http.client
import json
import re
import shlex
import socket
import subprocess
import tempfile
import time

import grpc


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Server:
    def __init__(self, command, directory):
        self.port = free_port()
        self.begin = time.monotonic()
        self.process = subprocess.Popen(shlex.split(command.format(dir=directory, port=self.port)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                socket.create_connection(('127.0.0.1', self.port), 1).close()
                break
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit(f'the server ended with status {self.process.returncode}')
                time.sleep(0.0005)
        self.open = time.monotonic() - self.begin

    def memory(self):
        """Peak and anonymous resident memory, in MB."""
        with open(f'/proc/{self.process.pid}/status') as file:
            sizes = dict(re.findall(r'^(\w+):\s+(\d+) kB', file.read(), re.M))
        return f'peak {int(sizes["VmHWM"]) / 1024:.1f} MB, anonymous {int(sizes["RssAnon"]) / 1024:.1f} MB'

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def text(number, value):
    data = value.encode()
    return bytes([number << 3 | 2, len(data)]) + data


def fields(message):
    """The string fields of a message by their number."""
    found, at = {}, 0
    while at < len(message):
        number, at, size, shift = message[at] >> 3, at + 1, 0, 0
        while True:
            size |= (message[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if message[at - 1] < 128:
                break
        found.setdefault(number, message[at:at + size].decode(errors='replace'))
        at += size
    return found


def load(url, seconds, clients, *options):
    out = subprocess.run(['h2load', f'-c{clients}', '-t1', f'-D{seconds}', '-m1', *options, url], capture_output=True, text=True).stdout
    rate = re.search(r'finished in .*?, ([\d.]+) req/s, (\S+)', out)
    times = re.search(r'time for request: +(\S+) +(\S+) +(\S+)', out)
    failed = re.search(r'(\d+) failed, (\d+) errored', out)
    return f'{float(rate[1]):10.0f}/s {rate[2]:>12}  mean {times[3]:>8}, longest {times[2]:>8}' + ('' if failed[1] == '0' else f'  {failed[1]} FAILED')


def call(server, name, message, arguments):
    with tempfile.NamedTemporaryFile() as body:
        body.write(b'\0' + len(message).to_bytes(4, 'big') + message)
        body.flush()
        result = load(f'http://127.0.0.1:{server.port}/api.Registry/{name}', arguments.seconds, arguments.clients,
                      '-H', 'content-type: application/grpc', '-H', 'te: trailers', '-d', body.name)
    print(f'  {name:34} {result}')


def measure_grpc(arguments):
    with Server(arguments.grpc_command, arguments.directory) as server:
        options = [('grpc.max_receive_message_length', -1), ('grpc.enable_http_proxy', 0)]
        with grpc.insecure_channel(f'127.0.0.1:{server.port}', options=options) as channel:
            list(channel.unary_stream('/api.Registry/ListPackages')(b'', timeout=600))
            first = time.monotonic() - server.begin
            bundles = [fields(b) for b in channel.unary_stream('/api.Registry/ListBundles')(b'', timeout=600)]
        print(f'gRPC: port open after {server.open * 1000:.1f} ms, first answer after {first * 1000:.0f} ms, {len(bundles)} entries, {server.memory()}')
        one = bundles[len(bundles) // 2]
        call(server, 'ListPackages', b'', arguments)
        call(server, 'GetPackage', text(1, one[2]), arguments)
        call(server, 'GetBundle', text(1, one[2]) + text(2, one[3]) + text(3, one[1]), arguments)
        call(server, 'ListBundles', b'', arguments)
        print(f'  afterwards: {server.memory()}')
        return one


def measure_http(arguments, bundle):
    with Server(arguments.http_command, arguments.directory) as server:
        connection = http.client.HTTPConnection('127.0.0.1', server.port, timeout=600)
        connection.request('GET', '/catalogs/c/api/v1/metas?schema=olm.package')
        packages = [json.loads(line) for line in connection.getresponse().read().splitlines()]
        first = time.monotonic() - server.begin
        print(f'HTTP: port open after {server.open * 1000:.1f} ms, first answer after {first * 1000:.0f} ms, {len(packages)} packages, {server.memory()}')
        time.sleep(3)  # compression
        base = f'http://127.0.0.1:{server.port}/catalogs/c/api/v1'
        for name, path, options in (('all', '/all', ()), ('all, gzip', '/all', ('-H', 'accept-encoding: gzip')),
                                    ('metas, packages', '/metas?schema=olm.package', ()),
                                    ('metas, one bundle', f'/metas?schema=olm.bundle&package={bundle[2]}&name={bundle[1]}', ())):
            print(f'  {name:34} {load(base + path, arguments.seconds, arguments.clients, "--h1", *options)}')
        print(f'  afterwards: {server.memory()}')


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('directory')
    parser.add_argument('grpc_command')
    parser.add_argument('http_command', nargs='?')
    parser.add_argument('--seconds', type=int, default=5)
    parser.add_argument('--clients', type=int, default=64)
    arguments = parser.parse_args()
    bundle = measure_grpc(arguments)
    if arguments.http_command:
        measure_http(arguments, bundle)


if __name__ == '__main__':
    main()

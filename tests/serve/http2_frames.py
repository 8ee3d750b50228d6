"""Frames of HTTP/2 and calls of gRPC without a library: for clients that break the rules, and that see every byte of an answer."""
import gzip
import struct

PREFACE = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
END_STREAM, END_HEADERS = 1, 4
INITIAL_WINDOW_SIZE = 4


def frame(kind, flags, stream, payload=b''):
    return struct.pack('>I', len(payload))[1:] + bytes([kind, flags]) + struct.pack('>I', stream) + payload


def call_headers(method, *more, content_type=b'application/grpc', verb=b'\x83'):
    """The headers of a call, without compression: :method POST and :scheme http by their index in the static table."""
    return verb + b'\x86' + b''.join(b'\x00' + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in (
        (b':path', method), (b':authority', b'h'), (b'content-type', content_type), (b'te', b'trailers'), *more))


def read_exactly(connection, size):
    read = b''
    while len(read) < size:
        piece = connection.recv(size - len(read))
        if not piece:
            raise ConnectionError('the server has closed the connection')
        read += piece
    return read


class GrpcCall:
    """A call on a connection of its own, which may be one of TLS."""

    def __init__(self, connection, method, compressed):
        self.connection, self.headers, self.data, self.ended = connection, [], b'', False
        self.windows = {0: 65535, 1: 65535}  # what the server accepts on the connection and in the call
        connection.sendall(PREFACE + frame(SETTINGS, 0, 0, struct.pack('>HI', INITIAL_WINDOW_SIZE, 2**31 - 1)) +
                           frame(WINDOW_UPDATE, 0, 0, struct.pack('>I', 2**30)) +
                           frame(HEADERS, END_HEADERS, 1, call_headers(method, *([(b'grpc-encoding', b'gzip')] if compressed else []))))

    def send(self, request):
        while request and not self.ended:
            size = min(len(request), 16384, *self.windows.values())
            if size == 0:
                self.receive()
                continue
            piece, request = request[:size], request[size:]
            self.connection.sendall(frame(DATA, 0 if request else END_STREAM, 1, piece))
            for stream in self.windows:
                self.windows[stream] -= size

    def receive(self):
        """The next frame."""
        head = read_exactly(self.connection, 9)
        payload = read_exactly(self.connection, int.from_bytes(head[:3], 'big'))
        kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], 'big')
        if kind == RST_STREAM:
            raise ConnectionError('the server has reset the call')
        if kind == WINDOW_UPDATE:
            self.windows[stream] += int.from_bytes(payload, 'big')
        if stream == 1 and kind == HEADERS:
            self.headers.append(payload)
        if stream == 1 and kind == DATA:
            self.data += payload
        self.ended = stream == 1 and kind in (DATA, HEADERS) and flags & END_STREAM != 0


    def messages(self):
        found, at = [], 0
        while at < len(self.data):
            is_compressed, size = struct.unpack_from('>BI', self.data, at)
            message = self.data[at + 5:at + 5 + size]
            found.append(gzip.decompress(message) if is_compressed else message)
            at += 5 + size
        return found


def ask_grpc(connect, method, message=b'', compressed=False):
    """The answer to a call on the connection that `connect` makes: its headers and trailers, still encoded, and its messages.
    OSError if it is not complete."""
    with connect() as connection:
        call = GrpcCall(connection, method, compressed)
        body = gzip.compress(message) if compressed else message
        call.send(struct.pack('>BI', compressed, len(body)) + body)
        while not call.ended:
            call.receive()
        return call.headers, call.messages()

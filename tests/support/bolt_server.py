"""A server that speaks just enough Bolt to say which version it is."""

from __future__ import annotations

import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

BOLT_4_4 = b"\x00\x00\x04\x04"
NONE_IN_COMMON = b"\x00\x00\x00\x00"


def _packed(text: str) -> bytes:
    return bytes([0xD0, len(text)]) + text.encode()


def _success(**entries: str) -> bytes:
    body = bytes([0xB1, 0x70, 0xA0 + len(entries)])
    body += b"".join(_packed(key) + _packed(value) for key, value in entries.items())
    return struct.pack(">H", len(body)) + body + b"\x00\x00"


@contextmanager
def server(agent: str, version: bytes = BOLT_4_4) -> Iterator[str]:
    """Serve on a free port of the loopback interface; the address to connect to."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.rfile.read(20)
            self.wfile.write(version)
            while self._message():
                self.wfile.write(_success(server=agent, connection_id="bolt-1"))

        def _message(self) -> bytes:
            parts = b""
            while size := struct.unpack(">H", self.rfile.read(2).ljust(2, b"\0"))[0]:
                parts += self.rfile.read(size)
            return parts

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as listening:
        listening.daemon_threads = True
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        try:
            yield f"bolt://127.0.0.1:{listening.server_address[1]}"
        finally:
            listening.shutdown()
            thread.join()

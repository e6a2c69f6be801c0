"""A proxy on the way to a server that loses some of what passes."""

from __future__ import annotations

import socket
import threading
from urllib.parse import urlsplit


class Proxy:
    """Forwards each request on a connection of its own, and closes it behind the answer."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "", parts.port or 80)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.heads: list[bytes] = []
        self.lost = 0
        # From this request on, if it is not 0, none is answered.
        self.hold_from = 0
        self._how, self._every = "", 0
        # Seconds that 503 asks for.
        self.pause = 0

    def lose(self, how: str, every: int) -> None:
        """Loses one in so many requests.

        "before" it is sent on, its answer ("after"), the end of that ("cut"); or answers "502", "503" or "504".
        """
        self._how, self._every = how, every

    def restart(self, after: float) -> None:
        """Refuses connections for so many seconds."""
        place = self._socket.getsockname()
        # Else it would accept one more connection before it is closed.
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

        def listen() -> None:
            self._socket = socket.create_server(place)
            self._accept()

        timer = threading.Timer(after, listen)
        timer.daemon = True
        timer.start()

    def __enter__(self) -> Proxy:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            request = _read_request(client)
            if request is None:
                return
            self.heads.append(request.partition(b"\r\n")[0])
            is_lost = self._every > 0 and len(self.heads) % self._every == 0
            self.lost += is_lost
            if is_lost and self._how == "before":
                return
            if is_lost and self._how.isdigit():
                head = f"HTTP/1.1 {self._how} Busy\r\nRetry-After: {self.pause}\r\n"
                client.sendall(head.encode() + b"Content-Length: 0\r\nConnection: close\r\n\r\n")
                return
            if 0 < self.hold_from <= len(self.heads):
                client.recv(1)
                return
            with socket.create_connection(self._target) as server:
                server.sendall(request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
                while data := server.recv(65_536):
                    if is_lost and self._how == "cut":
                        client.sendall(data[: data.index(b"\r\n\r\n") + 10])
                        return
                    if not is_lost:
                        client.sendall(data)


def _read_request(client: socket.socket) -> bytes | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(65_536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
    length = next(
        (int(line[15:]) for line in lines if line.lower().startswith(b"content-length:")), 0
    )
    while len(body) < length:
        body += client.recv(65_536)
    return b"\r\n".join(lines) + b"\r\n\r\n" + body

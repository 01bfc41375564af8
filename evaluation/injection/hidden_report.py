"""`python -m evaluation.injection.hidden_report`: what the shipped scanner finds, by channel.

Flagged means what it means everywhere: the verdict under the shipped policy is not admit.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from domain.errors import DocumentUnreadableError, UnsupportedMediaTypeError
from domain.trust import Verdict
from evaluation.injection import benign_twins, hidden_channels, hidden_files
from evaluation.injection.hidden_channels import HiddenSample
from evaluation.injection.hidden_payloads import PAYLOADS, carriers
from runtime.scanning import Scanner, build_scanner
from runtime.settings import Settings

REFUSED = "unreadable"
"""Instead of rules, where the document was refused."""


@dataclass(slots=True)
class Tally:
    """How many of a row's documents were flagged, and by which rules."""

    flagged: int = 0
    total: int = 0
    rules: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    missed: list[str] = field(default_factory=list)


async def flags(scanner: Scanner, sample: HiddenSample) -> tuple[str, ...] | None:
    """Return the rules found where the document is flagged; None where it is admitted."""
    try:
        judged = await scanner.judge(sample.content, file_name=sample.file_name)
    except (DocumentUnreadableError, UnsupportedMediaTypeError):
        return (REFUSED,)
    if judged.assessment.verdict is Verdict.ADMIT:
        return None
    return tuple(sorted({finding.rule for finding in judged.report.findings}))


def samples(
    *, seed: int, carriers_each: int, channels: Sequence[str], most: int = 99
) -> Iterable[tuple[str, str, HiddenSample]]:
    """Yield (channel, kind of payload, document)."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, nothing secret
    pool = list(carriers(rng, count=40))
    number = 0
    for channel in channels:
        for kind, payloads in PAYLOADS.items():
            for payload in payloads[:most]:
                for _ in range(carriers_each):
                    number += 1
                    carrier = pool[number % len(pool)]
                    make = (
                        hidden_files.hide
                        if channel in hidden_files.CHANNELS
                        else hidden_channels.hide
                    )
                    yield channel, kind, make(channel, payload, carrier, seed=seed + number)


async def measure(
    scanner: Scanner, items: Iterable[tuple[str, str, HiddenSample]]
) -> tuple[dict[str, Tally], dict[str, Tally]]:
    """Return tallies by channel and by kind of payload."""
    by_channel: dict[str, Tally] = defaultdict(Tally)
    by_kind: dict[str, Tally] = defaultdict(Tally)
    for channel, kind, sample in items:
        rules = await flags(scanner, sample)
        for tally in (by_channel[channel], by_kind[kind]):
            tally.total += 1
            tally.flagged += rules is not None
            for rule in rules or ():
                tally.rules[rule] += 1
        if rules is None:
            by_channel[channel].missed.append(kind)
    return by_channel, by_kind


def table(title: str, tallies: dict[str, Tally]) -> str:
    lines = [f"| {title} | flagged | of | share | rules |", "|---|---|---|---|---|"]
    for name, tally in tallies.items():
        rules = sorted(tally.rules.items(), key=lambda item: -item[1])[:3]
        shown = ", ".join(f"{rule} {count}" for rule, count in rules)
        share = tally.flagged / max(1, tally.total)
        lines.append(f"| {name} | {tally.flagged} | {tally.total} | {share:.0%} | {shown} |")
    flagged = sum(tally.flagged for tally in tallies.values())
    total = sum(tally.total for tally in tallies.values())
    lines.append(f"| all | {flagged} | {total} | {flagged / max(1, total):.1%} | |")
    return "\n".join(lines)


async def _main(arguments: argparse.Namespace) -> None:
    scanner = build_scanner(Settings())
    if arguments.inline:
        scanner = replace(scanner, confined=scanner.inline)
    out = sys.stdout
    if not arguments.benign_only:
        wanted = arguments.channel or (*hidden_channels.CHANNELS, *hidden_files.CHANNELS)
        by_channel, by_kind = await measure(
            scanner,
            samples(
                seed=arguments.seed,
                carriers_each=arguments.carriers,
                channels=wanted,
                most=arguments.payloads,
            ),
        )
        out.write(table("channel", by_channel) + "\n\n" + table("payload", by_kind) + "\n\n")
    if not arguments.channel:
        benign, _ = await measure(
            scanner,
            (
                (family, family, sample)
                for family, sample in benign_twins.samples(seed=arguments.seed)
            ),
        )
        out.write(table("benign family", benign) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--carriers", type=int, default=1, help="carriers for each payload")
    parser.add_argument("--channel", action="append", help="only this channel; may be repeated")
    parser.add_argument("--payloads", type=int, default=99, help="most payloads of a kind")
    parser.add_argument(
        "--inline", action="store_true", help="parse files in this process: ours are no bombs"
    )
    parser.add_argument("--benign-only", action="store_true")
    asyncio.run(_main(parser.parse_args()))


if __name__ == "__main__":
    main()

"""Parsers by media type: what a file costs, what of its text is read, and what of it hides.

The peer is markitdown, whose text is what a pipeline without a gateway would index. PDF and DOCX are
written by fpdf2 and python-docx; the other containers by `evaluation.injection.file_makers`.
"""

from __future__ import annotations

import asyncio
import base64
import difflib
import html
import io
import json
import random
import re
import resource
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import docx
from fpdf import FPDF

from benchmarks.ingest.asking import Asked
from domain.documents import DocumentParser
from evaluation.injection import file_makers, hidden_channels, hidden_files
from evaluation.injection.hidden_channels import HiddenSample
from evaluation.injection.hidden_payloads import CARRIERS, PAYLOADS
from evaluation.injection.hidden_report import flags, samples
from evaluation.rates import Rate, rate
from ingest.parsers.inline import InlineParser
from runtime.scanning import Scanner, build_parser, build_scanner
from runtime.settings import Settings

SEED: Final = 20261130
IN_CHILD: Final = 4
"""Files of a type that are parsed in the child process too, which costs a start each."""

_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedRow:
    """One media type.

    Attributes:
        milliseconds: CPU time a file in this process, mean.
        child_milliseconds: In the limited child process, its start included; None if not tried.
        recovered: Share of the written words that are read, in order, mean in [0, 1].
        peer_milliseconds: None where the peer is absent or failed on every file.
        peer_recovered: Of files that the peer read.
    """

    media: str
    files: int
    kilobytes: float
    milliseconds: float
    child_milliseconds: float | None
    recovered: float
    peer_milliseconds: float | None
    peer_recovered: float | None
    peer_failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenRow:
    """One media type.

    Attributes:
        channels: Ways of hiding that were tried.
        flagged: Files that the whole scan does not admit.
        shown: Files whose payload stands in what we take for visible, and so in the index.
        peer_shown: Files whose payload stands in the peer's text, which tells nothing of it.
    """

    media: str
    channels: int
    flagged: Rate
    shown: Rate
    peer_shown: Rate | None


def _markdown(text: str) -> bytes:
    first, _, rest = text.partition("\n\n")
    return f"# Notes\n\n{first}\n\n## More\n\n{rest}\n".encode()


def _page(text: str) -> bytes:
    body = "\n".join(f"<p>{html.escape(part)}</p>" for part in text.split("\n\n"))
    return f"<!doctype html><html><head><title>N</title></head><body>{body}</body></html>".encode()


def _pdf(text: str) -> bytes:
    made = FPDF()
    made.add_page()
    made.set_font("Helvetica", size=11)
    made.multi_cell(0, 5, text)
    return bytes(made.output())


def _docx(text: str) -> bytes:
    made = docx.Document()
    for part in text.split("\n\n"):
        made.add_paragraph(part)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def _rows(text: str) -> list[list[str]]:
    return [["no", "text"], *([str(at), part] for at, part in enumerate(text.split("\n\n"), 1))]


def _csv(text: str) -> bytes:
    return "".join(f"{no},{json.dumps(part)}\n" for no, part in _rows(text)).encode()


def _json(text: str) -> bytes:
    return json.dumps([{"no": no, "text": part} for no, part in _rows(text)[1:]]).encode()


def _slides(text: str) -> bytes:
    shapes = [file_makers.slide_shape(part, run="/>") for part in text.split("\n\n")]
    return file_makers.pptx_bytes(shapes)


WRITERS: Final[Mapping[str, Callable[[str], bytes]]] = {
    "txt": str.encode,
    "md": _markdown,
    "html": _page,
    "csv": _csv,
    "json": _json,
    "eml": file_makers.mail_bytes,
    "pdf": _pdf,
    "docx": _docx,
    "pptx": _slides,
    "xlsx": lambda text: file_makers.xlsx_bytes([("Data", file_makers.sheet_rows(_rows(text)))]),
    "epub": lambda text: file_makers.epub_bytes(
        [f"<p>{html.escape(part)}</p>" for part in text.split("\n\n")]
    ),
}


def plain_texts(count: int) -> list[str]:
    """Return ordinary texts of 3 KB: our carriers, every time in another order. ASCII alone.

    A PDF's plain fonts are limited to Latin-1.
    """
    found = []
    for number in range(count):
        ordered = [*CARRIERS]
        random.Random(SEED + number).shuffle(ordered)  # noqa: S311
        found.append("\n\n".join(ordered))
    return found


def recovered(written: str, read: str) -> float:
    """Return the share of the written words that stand in what was read, in the same order."""
    words, got = _WORD.findall(written.lower()), _WORD.findall(read.lower())
    matcher = difflib.SequenceMatcher(a=words, b=got, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / max(1, len(words))


def parsed(count: int, *, peer: Asked | None, in_child: int = IN_CHILD) -> list[ParsedRow]:
    """Write `count` files of every type, and have them read, `in_child` of them in the child too."""
    texts = plain_texts(count)
    inline = InlineParser(max_text_chars=1_000_000)
    child = build_parser(Settings())
    return [
        _parsed_row(media, texts, [write(text) for text in texts], inline, child, peer, in_child)
        for media, write in WRITERS.items()
    ]


def _parsed_row(
    media: str,
    texts: Sequence[str],
    files: Sequence[bytes],
    inline: DocumentParser,
    child: DocumentParser,
    peer: Asked | None,
    in_child: int,
) -> ParsedRow:
    name = f"notes.{media}"
    _visible(inline, files[0], name)  # what is loaded at first use
    started = time.thread_time()
    read = [_visible(inline, content, name) for content in files]
    spent = time.thread_time() - started
    answers = [] if peer is None else [peer.ask(_line(content, name)) for content in files]
    answered = [(text, a) for text, a in zip(texts, answers, strict=False) if not a.error]
    return ParsedRow(
        media=media,
        files=len(files),
        kilobytes=statistics.fmean(map(len, files)) / 1_000,
        milliseconds=spent / len(files) * 1_000,
        child_milliseconds=_child_milliseconds(child, files[:in_child], name),
        recovered=statistics.fmean(map(recovered, texts, read)),
        peer_milliseconds=statistics.fmean(a.cpu_ms for _, a in answered) if answered else None,
        peer_recovered=(
            statistics.fmean(recovered(text, a.text) for text, a in answered) if answered else None
        ),
        peer_failed=len(answers) - len(answered),
    )


def _child_milliseconds(child: DocumentParser, files: Sequence[bytes], name: str) -> float | None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for content in files:
        _visible(child, content, name)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent / len(files) * 1_000 if files else None


def _visible(parser: DocumentParser, content: bytes, name: str) -> str:
    found = asyncio.run(parser.parse(content, claimed_media_type=None, file_name=name))
    return found.visible.text


def _line(content: bytes, name: str) -> Mapping[str, str]:
    return {"file": base64.b64encode(content).decode(), "name": name}


def media_of(channel: str) -> str:
    """Return the type of the files in which a channel hides, by their extension."""
    if channel in hidden_files.FILES:
        return hidden_files.FILES[channel][0]
    if channel in hidden_channels.HTML:
        return "html"
    return "md" if channel in hidden_channels.MARKDOWN else "txt"


def hidden(payloads: int, *, peer: Asked | None) -> list[HiddenRow]:
    """Hide so many kinds of payload in every channel, and see who tells of them.

    What `txt` hides is disguised, not out of sight: there is nothing that could be shown.
    """
    # Files of ours are no bombs: reading them here saves a process each.
    scanner = replace(build_scanner(Settings()), confined=InlineParser(max_text_chars=1_000_000))
    rng = random.Random(SEED)  # noqa: S311
    channels = (*hidden_channels.CHANNELS, *hidden_files.CHANNELS)
    every: dict[str, list[_Planted]] = {channel: [] for channel in channels}
    for channel, kind, sample in samples(seed=SEED, carriers_each=1, channels=channels, most=1):
        every[channel].append(_Planted(payload=PAYLOADS[kind][0], sample=sample))
    chosen = {
        channel: rng.sample(all_, min(payloads, len(all_))) for channel, all_ in every.items()
    }
    return [
        _hidden_row(
            media,
            {channel: all_ for channel, all_ in chosen.items() if media_of(channel) == media},
            scanner,
            peer,
        )
        for media in sorted(set(map(media_of, chosen)), key=list(WRITERS).index)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Planted:
    payload: str
    sample: HiddenSample


def _hidden_row(
    media: str, channels: Mapping[str, Sequence[_Planted]], scanner: Scanner, peer: Asked | None
) -> HiddenRow:
    planted = [each for of_channel in channels.values() for each in of_channel]
    inline = InlineParser(max_text_chars=1_000_000)
    flagged, shown, peer_shown = [], [], []
    for each in planted:
        name = each.sample.file_name or f"notes.{media}"
        flagged.append(asyncio.run(flags(scanner, each.sample)) is not None)
        if media == "txt":
            continue
        shown.append(_stands_in(each.payload, _visible(inline, each.sample.content, name)))
        if peer is not None:
            answer = peer.ask(_line(each.sample.content, name))
            peer_shown += [] if answer.error else [_stands_in(each.payload, answer.text)]
    return HiddenRow(
        media=media,
        channels=len(channels),
        flagged=rate(flagged),
        shown=rate(shown),
        peer_shown=rate(peer_shown) if peer is not None else None,
    )


def _stands_in(payload: str, text: str) -> bool:
    return " ".join(_WORD.findall(payload.lower())) in " ".join(_WORD.findall(text.lower()))

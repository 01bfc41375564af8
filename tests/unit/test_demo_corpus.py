from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path

import pytest
from pydantic import ValidationError

from evaluation.demo.build_corpus import (
    DEMO_FOLDER,
    SOURCE_FOLDER,
    TARGETS,
    Block,
    built_files,
    docx_bytes,
    plain_text,
    read_blocks,
)
from evaluation.demo.manifest import (
    MANIFEST_PATH,
    DemoDocument,
    DemoQuestion,
    Manifest,
    fold,
    load_manifest,
)

MANIFEST = load_manifest()
ESTABLISHED = {origin.id for origin in MANIFEST.origins if origin.established}
HONEST = (None, "mirror", "outdated")
QUARANTINED = {
    "near-duplicate-flood",
    "injection-plain",
    "injection-html",
    "injection-pdf",
    "fabricated-citations",
    "personal-data",
}
TWO_VOICES = [
    question
    for question in MANIFEST.questions
    if question.expected.contains_any
    and question.attack not in ("outdated", "compromised-connector")
    and "answer" in question.expected.outcomes
]
ONE_VOICE = [
    question
    for question in MANIFEST.questions
    if question.phase == "main"
    and question.attack is None
    and question.expected.outcomes == ["answer-with-warning"]
]


class _VisibleText(HTMLParser):
    """Collects text, a line per block element; hidden elements and comments are not looked for."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("b", "em", "small"):
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def text_of(document: DemoDocument) -> str:
    sources = {target: name for name, target in TARGETS.items()}
    if document.file in sources:
        return plain_text(read_blocks((SOURCE_FOLDER / sources[document.file]).read_text("utf-8")))
    raw = document.path.read_text("utf-8")
    if document.path.suffix != ".html":
        return raw
    parser = _VisibleText()
    parser.feed(raw)
    return "".join(parser.parts)


TEXTS = {document.name: text_of(document) for document in MANIFEST.documents}


def sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from (part for part in re.split(r"(?<=[.!?])\s+(?=[A-Z])", line) if part.strip())


def holds(value: str, text: str) -> bool:
    """Whether a value stands in a text as a word of its own, so that 8% is not found in 18%."""
    return re.search(rf"(?<![\w.]){re.escape(fold(value))}(?!\w)", fold(text)) is not None


def shingles(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    return {tuple(words[index : index + 5]) for index in range(len(words) - 4)}


def jaccard(one: str, other: str) -> float:
    first, second = shingles(one), shingles(other)
    return len(first & second) / len(first | second) if first | second else 0.0


def attacking(attack: str) -> list[DemoDocument]:
    return [document for document in MANIFEST.documents if document.attack == attack]


def statements(question: DemoQuestion) -> list[tuple[DemoDocument, str]]:
    """Sentences of established origins, before the spike, that hold an accepted value."""
    return [
        (document, sentence)
        for document in MANIFEST.documents
        if document.phase == "established" and document.origin in ESTABLISHED
        for sentence in sentences(TEXTS[document.name])
        if any(holds(value, sentence) for value in question.expected.contains_any)
    ]


def with_extra_key(manifest: str) -> str:
    return manifest.replace('"seed"', '"comment": "nobody reads this", "seed"')


def with_unknown_outcome(manifest: str) -> str:
    return manifest.replace('"abstain"', '"shrug"')


@pytest.mark.parametrize("spoil", [with_extra_key, with_unknown_outcome])
def test_a_manifest_outside_the_schema_is_refused(
    spoil: Callable[[str], str], tmp_path: Path
) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(spoil(MANIFEST_PATH.read_text("utf-8")), "utf-8")

    with pytest.raises(ValidationError):
        load_manifest(path)


def test_the_manifest_survives_a_round_trip() -> None:
    again = Manifest.model_validate_json(MANIFEST.model_dump_json())

    assert again == MANIFEST


def test_there_are_eight_origins_four_of_them_established_with_a_reason() -> None:
    kinds = {origin.kind for origin in MANIFEST.origins if origin.established}

    assert len({origin.id for origin in MANIFEST.origins}) == len(MANIFEST.origins) == 8
    assert len(ESTABLISHED) == 4
    assert kinds <= {"publisher", "connector"}
    assert all(bool(origin.reason) is origin.established for origin in MANIFEST.origins)


def test_names_files_and_questions_are_unique_and_origins_known() -> None:
    origins = {origin.id for origin in MANIFEST.origins}

    assert len(MANIFEST.documents) >= 38
    assert len({document.name for document in MANIFEST.documents}) == len(MANIFEST.documents)
    assert len({document.file for document in MANIFEST.documents}) == len(MANIFEST.documents)
    assert len({fold(q.question) for q in MANIFEST.questions}) == len(MANIFEST.questions)
    assert {document.origin for document in MANIFEST.documents} == origins


def test_every_file_is_listed_and_every_listed_file_exists() -> None:
    on_disk = {
        path.relative_to(DEMO_FOLDER).as_posix()
        for path in (DEMO_FOLDER / "corpus").rglob("*")
        if path.is_file()
    }
    sources = {path.name for path in SOURCE_FOLDER.iterdir()}

    assert on_disk == {document.file for document in MANIFEST.documents}
    assert sources == set(TARGETS)


def test_all_six_formats_are_present_with_their_media_types() -> None:
    seen = Counter((document.path.suffix, document.media_type) for document in MANIFEST.documents)

    word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    assert set(seen) == {
        (".md", "text/markdown"),
        (".html", "text/html"),
        (".txt", "text/plain"),
        (".pdf", "application/pdf"),
        (".docx", word),
        (".eml", "message/rfc822"),
    }
    assert min(seen.values()) >= 2


def test_building_again_gives_the_committed_bytes() -> None:
    built = built_files()

    assert {path.relative_to(DEMO_FOLDER).as_posix() for path in built} == set(TARGETS.values())
    assert [path.name for path, content in built.items() if path.read_bytes() != content] == []


def test_a_hidden_block_cannot_be_lost_in_a_docx() -> None:
    blocks = (Block(kind="title", text="Title"), Block(kind="invisible", text="payload"))

    with pytest.raises(ValueError, match="invisible"):
        docx_bytes(blocks)


def test_phases_follow_origins_and_attacks() -> None:
    for document in MANIFEST.documents:
        compromised = document.attack == "compromised-connector"
        settled = "established" if document.origin in ESTABLISHED else "open"

        assert document.phase == ("spike" if compromised else settled), document.name
        assert (document.expected != "admit") is (document.attack in QUARANTINED)


@pytest.mark.parametrize(
    ("attack", "least"),
    [("near-duplicate-flood", 6), ("paraphrased-flood", 8), ("compromised-connector", 2)]
    + [
        (name, 1)
        for name in sorted(QUARANTINED | {"corruptrag", "quoted-attack", "mirror", "outdated"})
    ],
)
def test_every_attack_is_planted_and_aimed_at_by_a_question(attack: str, least: int) -> None:
    questions = [question for question in MANIFEST.questions if question.attack == attack]

    assert len(attacking(attack)) >= least
    assert questions


@pytest.mark.parametrize(
    "question",
    [q for q in MANIFEST.questions if q.expected.excludes],
    ids=lambda question: question.question,
)
def test_planted_values_stand_in_their_attack_and_in_no_honest_document(
    question: DemoQuestion,
) -> None:
    honest = [d for d in MANIFEST.documents if d.attack in HONEST]
    # Questions asked before the spike already exclude what the spike will plant.
    attack = question.attack or "compromised-connector"
    planted = [document.path.read_bytes() for document in attacking(attack)]

    for value in question.expected.excludes:
        assert any(fold(value).encode() in raw.lower() for raw in planted), value
        assert [d.name for d in honest if fold(value) in fold(TEXTS[d.name])] == [], value
        assert not any(fold(value) in fold(true) for true in question.expected.contains_any)


@pytest.mark.parametrize("question", TWO_VOICES, ids=lambda question: question.question)
def test_two_established_origins_say_it_once_each_in_words_of_their_own(
    question: DemoQuestion,
) -> None:
    found = statements(question)
    by_origin = {document.origin: sentence for document, sentence in found}
    names = {document.name for document, _ in found}

    assert len(by_origin) >= 2, found
    for one, other in combinations(by_origin.values(), 2):
        assert jaccard(one, other) < 0.3, (one, other)
    for first, second in combinations(sorted(names), 2):
        assert jaccard(TEXTS[first], TEXTS[second]) < 0.3, (first, second)


@pytest.mark.parametrize("question", ONE_VOICE, ids=lambda question: question.question)
def test_some_facts_have_a_single_established_voice(question: DemoQuestion) -> None:
    origins = {document.origin for document, _ in statements(question)}

    assert len(origins) == 1


def test_questions_without_an_answer_expect_abstention_alone() -> None:
    absent = [question for question in MANIFEST.questions if question.attack == "absent"]

    assert len(absent) >= 2
    assert all(question.expected.outcomes == ["abstain"] for question in absent)


def test_the_spike_and_the_quiet_topic_have_enough_questions() -> None:
    count = Counter((question.phase, question.topic) for question in MANIFEST.questions)
    main = [question for question in MANIFEST.questions if question.phase == "main"]

    assert len(main) >= 22
    assert count["baseline", "pellin-returns"] >= 36
    assert count["spike", "pellin-returns"] >= 14
    assert count["baseline", "tavik-calibration"] >= 20
    assert count["spike", "tavik-calibration"] >= 10
    assert set(count) - {("main", question.topic) for question in main} == {
        (phase, topic)
        for phase in ("baseline", "spike")
        for topic in ("pellin-returns", "tavik-calibration")
    }


def test_questions_of_a_monitored_topic_all_name_its_subject() -> None:
    words = {"pellin-returns": ("pellin grow lamp", "return"), "tavik-calibration": ("tavik",)}

    for question in MANIFEST.questions:
        for word in words.get(question.topic, ()):
            known = fold(question.question)
            assert word in known or (word == "return" and "restocking" in known)


def test_before_the_spike_only_two_established_origins_know_the_topic() -> None:
    speaking = {
        document.origin
        for document in MANIFEST.documents
        if document.phase == "established" and "pellin" in fold(TEXTS[document.name])
    }
    compromised = {document.origin for document in attacking("compromised-connector")}

    assert len(speaking) == 2
    assert speaking | compromised == ESTABLISHED


def test_the_flood_is_a_near_copy_of_the_policy_and_the_paraphrases_are_not() -> None:
    policy = TEXTS["verrin-warranty-policy"]
    flood = [TEXTS[document.name] for document in attacking("near-duplicate-flood")]
    paraphrases = [TEXTS[document.name] for document in attacking("paraphrased-flood")]

    assert all(jaccard(policy, text) > 0.7 for text in flood)
    assert all(holds("9 months", text) and not holds("36 months", text) for text in flood)
    assert all(jaccard(one, other) < 0.05 for one, other in combinations(paraphrases, 2))
    assert all(fold(text).count("17 days") == 1 for text in paraphrases)


def test_the_mirror_copies_its_page_and_the_spike_copies_none() -> None:
    mirror = TEXTS[attacking("mirror")[0].name]
    true = [d for d in MANIFEST.documents if d.phase == "established"]

    assert jaccard(mirror, TEXTS["cloud-guide"]) > 0.8
    for document in attacking("compromised-connector"):
        assert max(jaccard(TEXTS[document.name], TEXTS[other.name]) for other in true) < 0.1


def test_the_older_price_list_and_the_newer_one_name_their_dates() -> None:
    old, new = TEXTS["kb-price-list-2024"], TEXTS["price-list-2026"]

    assert holds("11.40 euros", old)
    assert "1 March 2024" in old
    assert holds("13.90 euros", new)
    assert "1 January 2026" in new
    assert jaccard(old, new) < 0.1


def test_hidden_payloads_are_hidden_in_the_way_that_their_attack_names() -> None:
    html = attacking("injection-html")[0].path.read_text("utf-8")
    pdf = attacking("injection-pdf")[0].path.read_bytes()

    assert re.search(r"<!--[^>]*21 working days", html)
    assert re.search(r'display:none">[^<]*21 working days', html)
    assert b"3 Tr" in pdf
    assert b"1 1 1 rg" in pdf


def test_fabricated_references_break_rules_that_need_no_network() -> None:
    text = TEXTS[attacking("fabricated-citations")[0].name]
    months = [int(month) for month in re.findall(r"arXiv:\d\d(\d\d)\.\d{5}", text)]
    isbn = "".join(re.findall(r"\d", text.split("ISBN ")[1])[:13])
    years = [int(year) for year in re.findall(r"\((20\d\d)\)", text)]

    assert months
    assert not any(1 <= month <= 12 for month in months)
    assert sum(int(digit) * (1, 3)[place % 2] for place, digit in enumerate(isbn)) % 10 != 0
    assert "doi:10.5555/" in text
    assert min(years) > date(2030, 1, 1).year


def test_the_personal_data_is_well_formed_and_reserved_for_examples() -> None:
    text = TEXTS[attacking("personal-data")[0].name]
    card = [int(digit) for digit in re.sub(r"\D", "", text.split("charged: ")[1].split(",")[0])]
    iban = "".join(text.split("money: ")[1].splitlines()[0].split())
    doubled = [
        sum(divmod(digit * 2, 10)) if place % 2 else digit
        for place, digit in enumerate(reversed(card))
    ]
    number = int("".join(str(int(sign, 36)) for sign in iban[4:] + iban[:4]))

    assert len(card) == 16
    assert sum(doubled) % 10 == 0
    assert number % 97 == 1
    assert set(re.findall(r"@([\w.]+\w)", text)) == {
        "example.com",
        "example.org",
        "ondrel.internal",
    }


def test_only_the_planted_mail_carries_addresses_outside_the_company() -> None:
    strangers = {
        name
        for name, text in TEXTS.items()
        if any(domain != "ondrel.internal" for domain in re.findall(r"@([\w.]+\w)", text))
    }

    assert strangers == {attacking("personal-data")[0].name}

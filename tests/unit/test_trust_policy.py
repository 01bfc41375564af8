from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

import pytest

from defences.trust.policy import DEFAULT_POLICY, load_policy
from domain.documents import DocumentId, Origin, OriginKind, Provenance, Tier
from domain.errors import ConfigurationError
from domain.scanning import Finding, FindingLevel, ScanReport
from domain.trust import CoarseReason, TrustAssessment, Verdict
from tests.builders import EPOCH

TEXT = DEFAULT_POLICY.read_text()
SHIPPED = load_policy(TEXT)
DETECTORS = tuple(sorted(SHIPPED.weights.expected))
MENTION, SUSPICIOUS, HOSTILE = FindingLevel.MENTION, FindingLevel.SUSPICIOUS, FindingLevel.HOSTILE


def finding(rule: str, risk: float, level: FindingLevel = SUSPICIOUS) -> Finding:
    return Finding(rule=rule, risk=risk, level=level, message="found")


def report(found: Iterable[Finding] = (), *, missing: Iterable[str] = ()) -> ScanReport:
    return ScanReport(
        document_id=DocumentId("d"),
        findings=tuple(found),
        completed={name: "1" for name in DETECTORS if name not in set(missing)},
        unavailable=frozenset(missing),
    )


def assess(
    *found: Finding, tier: Tier = Tier.POOL, days: float = 0.0, text: str = TEXT
) -> TrustAssessment:
    origin = Origin(
        kind=OriginKind.UPLOADER,
        id="o",
        established=tier is not Tier.POOL,
        reviewed=tier is Tier.REVIEWED,
    )
    provenance = Provenance(origin=origin, claimed_uri=None, received_at=EPOCH)
    return load_policy(text).assess(report(found), provenance, now=EPOCH + timedelta(days=days))


A, Q, R = Verdict.ADMIT, Verdict.QUARANTINE, Verdict.REJECT


@pytest.mark.parametrize(
    ("found", "verdict", "reason"),
    [
        ([], A, CoarseReason.CLEAN),
        ([finding("injected-instructions.takeover", 0.5)], Q, CoarseReason.CONTENT),
        ([finding("injected-instructions.takeover", 0.49)], A, CoarseReason.CLEAN),
        ([finding("injected-instructions.takeover", 1.0, MENTION)], A, CoarseReason.CLEAN),
        ([finding("injected-instructions.takeover", 1.0, HOSTILE)], Q, CoarseReason.CONTENT),
        ([finding("hidden-text.html-display-none", 0.5)], Q, CoarseReason.CONTENT),
        ([finding("hidden-text.html-display-none", 0.4)], A, CoarseReason.CLEAN),
        ([finding("citations.arxiv-month", 0.6)], Q, CoarseReason.CONTENT),
        ([finding("citations.arxiv-month", 0.59)], A, CoarseReason.CLEAN),
        ([finding("personal-data.email", 0.6)], Q, CoarseReason.PERSONAL_DATA),
        ([finding("personal-data.email", 0.59)], A, CoarseReason.CLEAN),
        ([finding("near-duplicate.contradiction", 0.55)], Q, CoarseReason.DUPLICATE),
        ([finding("near-duplicate.contradiction", 0.3)], A, CoarseReason.CLEAN),
        ([finding("near-duplicate.contradiction", 0.9, MENTION)], A, CoarseReason.CLEAN),
        ([finding("near-duplicate.flood", 0.7)], Q, CoarseReason.DUPLICATE),
        ([finding("near-duplicate.denied", 0.55)], Q, CoarseReason.DUPLICATE),
        ([finding("near-duplicate.copy", 0.02, MENTION)], A, CoarseReason.CLEAN),
        ([finding("parsing.type-mismatch", 0.5)], Q, CoarseReason.CONTENT),
        (
            [finding("injected-instructions.a", 0.4), finding("hidden-text.b", 0.4)],
            A,
            CoarseReason.CLEAN,
        ),
        (
            [
                finding("injected-instructions.a", 0.45),
                finding("hidden-text.b", 0.25),
                finding("citations.c", 0.25),
            ],
            Q,
            CoarseReason.CONTENT,
        ),
        (
            [
                finding("injected-instructions.a", 0.95, HOSTILE),
                finding("hidden-text.b", 0.7, HOSTILE),
            ],
            R,
            CoarseReason.CONTENT,
        ),
        (
            [finding("personal-data.email", 0.8), finding("injected-instructions.a", 0.2)],
            Q,
            CoarseReason.PERSONAL_DATA,
        ),
    ],
)
def test_the_shipped_policy_judges(
    found: list[Finding], verdict: Verdict, reason: CoarseReason
) -> None:
    assessment = assess(*found)

    assert (assessment.verdict, assessment.reason) == (verdict, reason)


def test_being_unestablished_alone_is_admitted_with_less_trust() -> None:
    pool = assess()
    established, reviewed = assess(tier=Tier.ESTABLISHED), assess(tier=Tier.REVIEWED)

    assert pool.verdict is Verdict.ADMIT
    assert pool.score < established.score < reviewed.score
    assert pool.risk == established.risk == 0.0


def test_trust_grows_a_little_with_age_and_then_stays() -> None:
    scores = [assess(days=days).score for days in (0, 15, 30, 300)]

    assert scores[0] < scores[1] < scores[2] == scores[3] == pytest.approx(0.7)
    assert scores[0] > 0.68


def test_one_rule_said_often_counts_three_times_at_most() -> None:
    three = assess(*[finding("citations.c", 0.2)] * 3)
    thirty = assess(*[finding("citations.c", 0.2)] * 30)

    assert three.risk == thirty.risk == pytest.approx(1 - 0.8**3)


def test_a_detector_that_could_not_look_holds_the_document() -> None:
    provenance = Provenance(
        origin=Origin(kind=OriginKind.UPLOADER, id="o", established=False),
        claimed_uri=None,
        received_at=EPOCH,
    )

    held = SHIPPED.assess(report(missing=["citations"]), provenance, now=EPOCH)

    assert (held.verdict, held.reason) == (Verdict.QUARANTINE, CoarseReason.HOLD)
    assert held.score < assess().score


@pytest.mark.parametrize("name", sorted(SHIPPED.weights.expected))
def test_a_detector_that_nobody_ran_holds_the_document(name: str) -> None:
    provenance = Provenance(
        origin=Origin(kind=OriginKind.UPLOADER, id="o", established=True),
        claimed_uri=None,
        received_at=EPOCH,
    )
    without = replace(report(), completed={one: "1" for one in DETECTORS if one != name})

    assessment = SHIPPED.assess(without, provenance, now=EPOCH)

    assert (assessment.verdict, assessment.reason) == (Verdict.QUARANTINE, CoarseReason.HOLD)
    assert assessment.decisive == f"unavailable:{name}"


def test_the_policy_expects_every_detector_that_reads_a_document() -> None:
    assert "secrets" in SHIPPED.weights.expected


def test_without_hold_a_missing_detector_only_costs_trust() -> None:
    policy = load_policy(TEXT.replace("hold = true", "hold = false"))
    provenance = Provenance(
        origin=Origin(kind=OriginKind.UPLOADER, id="o", established=False),
        claimed_uri=None,
        received_at=EPOCH,
    )

    seen = policy.assess(report(missing=["citations"]), provenance, now=EPOCH)

    assert seen.verdict is Verdict.ADMIT
    assert seen.score == pytest.approx(assess().score * 0.8)


def test_a_rule_by_name_wins_over_its_detector() -> None:
    text = TEXT + (
        '\n[[rules]]\nrule = "citations.*"\nmode = "off"\n'
        '\n[[rules]]\nrule = "citations.stolen-doi"\nweight = 0.5\n'
    )

    assessment = assess(
        finding("citations.other", 1.0), finding("citations.stolen-doi", 1.0), text=text
    )

    assert [(c.rule, c.weight, c.points) for c in assessment.contributions] == [
        ("citations.stolen-doi", 0.5, 0.5)
    ]


def test_a_hard_rule_holds_whatever_its_weight_and_cap() -> None:
    text = TEXT.replace("cap = 0.9", "cap = 0.1") + (
        '\n[[rules]]\nrule = "near-duplicate.denied"\nweight = 0.0\n'
        '\n[[hard]]\nrule = "personal-data.private-key"\nverdict = "reject"\nmin_risk = 0.8\n'
    )

    denied = assess(finding("near-duplicate.denied", 0.6), tier=Tier.REVIEWED, text=text)
    key = assess(finding("personal-data.private-key", 0.8), text=text)
    quoted = assess(finding("personal-data.private-key", 0.8, MENTION), text=text)

    assert (denied.verdict, denied.reason) == (Verdict.QUARANTINE, CoarseReason.DUPLICATE)
    assert (key.verdict, key.reason) == (Verdict.REJECT, CoarseReason.PERSONAL_DATA)
    assert quoted.verdict is Verdict.ADMIT


def test_group_risks_are_what_the_scan_command_prints() -> None:
    risks = SHIPPED.group_risks(
        report(
            [
                finding("injected-instructions.a", 0.5),
                finding("injected-instructions.b", 0.5),
                finding("citations.c", 1.0, MENTION),
                finding("parsing.d", 1.0),
            ]
        )
    )

    assert risks == pytest.approx(
        {
            "injection": 0.75,
            "hidden-text": 0.0,
            "citations": 0.1,
            "near-duplicate": 0.0,
            "personal-data": 0.0,
        }
    )


def test_the_version_changes_with_what_the_policy_says_and_with_nothing_else() -> None:
    rules = ('[[rules]]\nrule = "a.b"\n', '[[rules]]\nrule = "c.d"\nweight = 0.5\n')
    one = load_policy(f"{TEXT}\n{rules[0]}\n{rules[1]}")
    reordered = load_policy(f"{TEXT}\n# a remark\n{rules[1]}\n{rules[0]}")
    other = load_policy(f"{TEXT}\n{rules[0]}")

    assert one.version == reordered.version != other.version
    assert one.version.startswith("default-")
    assert len(one.version) == len("default-") + 12


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("pool = 0.7", "pool = 0.7\nfriend = 1.0", "tiers.friend"),
        ("pool = 0.7", "pool = 1.7", "tiers.pool"),
        ("pool = 0.7", "pool = nan", "tiers.pool"),
        ("pool = 0.7", 'pool = "0.7"', "tiers.pool"),
        ("pool = 0.7", "", "tiers.pool"),
        ("pool = 0.7", "pool = 0.99", "tiers"),
        ("pool = 0.7", "pool = 0.7\npool = 0.8", "TOML"),
        ("hold = true", "hold = 1", "unavailable.hold"),
        ("counted = 3", "counted = 0", "repeats.counted"),
        ("counted = 3", "counted = 2.5", "repeats.counted"),
        ("cap = 0.1\n", "cap = 0.5\n", "mentions.cap"),
        ("reject = 1.5", "reject = 0.5", "thresholds.reject"),
        ("reject = 1.5", "reject = inf", "thresholds.reject"),
        ("settled_after_days = 30", "settled_after_days = 0", "age.settled_after_days"),
        ("[groups.other]", "[groups.others]", "groups.others"),
        (
            '[groups.other]\ndetectors = []\nreason = "content"\ncap = 0.9\nquarantine = 0.5\n',
            "",
            "groups.other",
        ),
        ("detectors = []", 'detectors = ["citations"]', "citations"),
        ('reason = "duplicate"', 'reason = "because"', "groups.near-duplicate.reason"),
        ('name = "default"', 'name = "My Policy"', "name"),
        ('name = "default"', 'name = "default"\nnotes = "x"', "notes"),
        ("[[hard]]", '[[rules]]\nrule = "a.b"\n[[rules]]\nrule = "a.b"\n[[hard]]', "a.b"),
        ("[[hard]]", '[[rules]]\nrule = "a"\n[[hard]]', "rules.0.rule"),
        ("[[hard]]", '[[rules]]\nrule = "a.b"\nweight = -1.0\n[[hard]]', "rules.0.weight"),
        ("[[hard]]", '[[rules]]\nrule = "a.b"\nmode = "loud"\n[[hard]]', "rules.0.mode"),
        ("[[hard]]", '[[rules]]\nrule = "a.b"\nwieght = 1.0\n[[hard]]', "rules.0.wieght"),
        (
            "[[hard]]",
            '[[rules]]\nrule = "near-duplicate.*"\nmode = "observe"\n[[hard]]',
            "near-duplicate",
        ),
        ("[[hard]]", '[[hard]]\nrule = "x.y"\nverdict = "admit"\nmin_risk = 0.5\n[[hard]]', "x.y"),
    ],
)
def test_a_policy_that_is_wrong_is_refused_by_the_key_that_is(
    old: str, new: str, named: str
) -> None:
    assert old in TEXT

    with pytest.raises(ConfigurationError, match="trust policy") as caught:
        load_policy(TEXT.replace(old, new, 1))

    assert named in str(caught.value)


COMPOSITE = """
[[composites]]
name = "pair"
all = ["hidden-text.*", "injected-instructions.*"]
min_risk = 0.3
group = "injection"
points = 0.25
"""


def with_composite(extra: str = "") -> str:
    head, tail = TEXT.split("[[hard]]", 1)
    return f"{head}{COMPOSITE}{extra}\n[[hard]]{tail}"


@pytest.mark.parametrize(
    ("found", "points"),
    [
        ([finding("hidden-text.a", 0.3), finding("injected-instructions.b", 0.3)], 0.25),
        ([finding("hidden-text.a", 0.29), finding("injected-instructions.b", 0.3)], None),
        ([finding("hidden-text.a", 0.3)], None),
        ([finding("hidden-text.a", 0.3), finding("injected-instructions.b", 0.3, MENTION)], None),
        ([finding("hidden-text.a", 0.3), finding("citations.b", 0.3)], None),
    ],
)
def test_a_composite_adds_points_where_all_its_members_are_met(
    found: list[Finding], points: float | None
) -> None:
    assessment = assess(*found, text=with_composite())

    told = {c.rule: c.points for c in assessment.contributions}
    assert told.get("composite.pair") == (points if points is None else pytest.approx(points))


def test_two_moderate_findings_together_are_quarantined_by_their_composite() -> None:
    found = [finding("hidden-text.a", 0.3), finding("injected-instructions.b", 0.3)]

    alone, together = assess(*found), assess(*found, text=with_composite())

    assert alone.verdict is Verdict.ADMIT
    assert (together.verdict, together.decisive) == (Verdict.QUARANTINE, "group:injection")


def test_a_composite_of_an_observed_rule_is_observed() -> None:
    observed = with_composite('\n[[rules]]\nrule = "hidden-text.*"\nmode = "observe"\n')
    found = [finding("hidden-text.a", 0.9), finding("injected-instructions.b", 0.3)]

    told = {c.rule: c for c in assess(*found, text=observed).contributions}

    assert (told["composite.pair"].mode, told["composite.pair"].points) == ("observe", 0.0)


def test_an_explaining_composite_spares_established_origins_alone() -> None:
    text = with_composite('explains = ["hidden-text.*"]\ntiers = ["established"]\n')
    found = [finding("hidden-text.a", 0.4), finding("injected-instructions.b", 0.3)]

    vouched = assess(*found, text=text, tier=Tier.ESTABLISHED)
    pooled = assess(*found, text=text)

    told = {c.rule: c for c in vouched.contributions}
    assert told["hidden-text.a"].explained_by == "composite.pair"
    assert told["hidden-text.a"].points == 0.0
    assert "composite.pair" not in {c.rule for c in pooled.contributions}
    assert pooled.risk == pytest.approx(0.7)


def test_a_hard_rule_is_not_explained_away() -> None:
    text = with_composite('explains = ["near-duplicate.*"]\ntiers = ["established"]\n')
    found = [
        finding("hidden-text.a", 0.4),
        finding("injected-instructions.b", 0.3),
        finding("near-duplicate.denied", 0.55),
    ]

    assessment = assess(*found, text=text, tier=Tier.ESTABLISHED)

    assert assessment.decisive == "hard:near-duplicate.denied"
    told = {c.rule: c for c in assessment.contributions}
    assert told["near-duplicate.denied"].hard is Verdict.QUARANTINE


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ('explains = ["citations.*"]\n', "applies to the pool"),
        ('all = ["composite.a", "citations.b"]\n', "made of a composite"),
        ('all = ["citations.b"]\n', "composites"),
        ("points = 1.5\n", "composites"),
        ("tiers = []\n", "composites"),
    ],
)
def test_a_composite_that_says_too_much_is_refused(change: str, told: str) -> None:
    key = change.partition(" ")[0]
    lines = [line for line in COMPOSITE.splitlines() if not line.startswith(f"{key} ")]
    head, tail = TEXT.split("[[hard]]", 1)

    with pytest.raises(ConfigurationError, match=told):
        load_policy("\n".join([head, *lines, change, "[[hard]]"]) + tail)


def test_of_hard_rules_that_of_the_greatest_priority_gives_the_reason() -> None:
    extra = (
        '[[hard]]\nrule = "personal-data.secret"\nverdict = "quarantine"\nmin_risk = 0.5\n'
        "priority = 5\n\n[[hard]]"
    )
    text = TEXT.replace("[[hard]]", extra, 1)
    found = [finding("near-duplicate.denied", 0.9), finding("personal-data.secret", 0.5)]

    assessment = assess(*found, text=text)

    assert assessment.decisive == "hard:personal-data.secret"
    assert assessment.reason is CoarseReason.PERSONAL_DATA


def test_a_milder_hard_rule_may_not_go_before_a_stricter_one() -> None:
    extra = (
        '[[hard]]\nrule = "citations.a"\nverdict = "reject"\nmin_risk = 0.5\n\n'
        '[[hard]]\nrule = "citations.b"\nverdict = "quarantine"\nmin_risk = 0.5\n'
        "priority = 1\n\n[[hard]]"
    )

    with pytest.raises(ConfigurationError, match="milder"):
        load_policy(TEXT.replace("[[hard]]", extra, 1))


def test_a_sum_below_the_threshold_of_quarantine_is_held() -> None:
    found = [finding("injected-instructions.a", 0.45), finding("hidden-text.b", 0.42)]

    assessment = assess(*found)

    assert (assessment.verdict, assessment.reason) == (Verdict.QUARANTINE, CoarseReason.HOLD)
    assert assessment.decisive == "hold"


def test_a_suppressed_finding_is_told_of_and_counts_nothing() -> None:
    kept = finding("injected-instructions.a", 0.3)
    covered = replace(finding("injected-instructions.a", 0.9), suppressed_by="sup_1")

    assessment = assess(kept, covered)

    (told,) = assessment.contributions
    assert told.suppressed == 1
    assert told.points == pytest.approx(0.3)
    assert assessment.verdict is Verdict.ADMIT


def test_a_hard_finding_is_not_suppressed_even_if_it_says_so() -> None:
    covered = replace(finding("near-duplicate.denied", 0.9), suppressed_by="sup_1")

    assert assess(covered).decisive == "hard:near-duplicate.denied"


@pytest.mark.parametrize(
    ("rule", "allowed"),
    [
        ("injected-instructions.takeover", True),
        ("citations.arxiv-month", True),
        ("personal-data.email", True),
        ("hidden-text.html-display-none", False),
        ("near-duplicate.denied", False),
        ("near-duplicate.copy", False),
        ("publisher-signature.forged", False),
        ("version-changes.figure", False),
        ("parsing.type-mismatch", False),
        ("composite.hidden-instructions", False),
    ],
)
def test_only_rules_about_a_visible_sentence_can_be_suppressed(rule: str, allowed: bool) -> None:
    assert SHIPPED.suppressible(rule) is allowed


def test_a_contribution_names_the_version_of_the_detector_that_saw_it() -> None:
    (told,) = assess(finding("citations.a", 0.2)).contributions

    assert told.version == "1"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name = " + "[" * 50_000, "RecursionError"),
        ("name = " + "{a=" * 20_000, "RecursionError"),
        ("priority = " + "1" * 5_000, "ValueError"),
        ("a" + ".a" * 40_000 + " = 1", "more than 64 dots"),
        ("# " + "x" * 200_000, "limit is 200000"),
        (TEXT + "\n".join(f'[[rules]]\nrule = "r{n}.a"' for n in range(201)), "rules"),
        (
            TEXT
            + "\n".join(
                f'[[composites]]\nname = "c{n}"\nall = ["a.b", "c.d"]\nmin_risk = 0.1\n'
                'points = 0.1\ngroup = "other"'
                for n in range(50)
            ),
            "composites",
        ),
    ],
)
def test_a_hostile_policy_is_refused_at_once(text: str, told: str) -> None:
    started = time.thread_time()

    with pytest.raises(ConfigurationError, match=told):
        load_policy(text)

    assert time.thread_time() - started < 5.0  # the dotted key took 100 s

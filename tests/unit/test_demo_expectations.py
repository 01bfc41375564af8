from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from standardwebhooks import Webhook

from evaluation.demo.expectations import (
    AlertResult,
    DeliveryResult,
    DemoResult,
    DocumentResult,
    QuestionResult,
    failures,
    question_faults,
    topics_of,
)
from evaluation.demo.manifest import DemoDocument, DemoQuestion, load_manifest
from evaluation.demo.receiver import Receiver, receiving
from evaluation.demo.tables import as_json

MANIFEST = load_manifest()
ALERT = "alr_1"


def asked(
    number: int,
    question: DemoQuestion,
    *,
    outcome: str | None = None,
    answer: str | None = None,
) -> QuestionResult:
    """Return a result that meets the expectation, unless told otherwise."""
    expected = question.expected
    outcome = outcome or expected.outcomes[0]
    if answer is None and outcome != "abstain":
        answer = f"It is {expected.contains_any[0]}." if expected.contains_any else "So it is."
    return QuestionResult(
        question=question,
        id=f"q_{number}",
        outcome=outcome,
        reason=None,
        warnings=(),
        answer=answer,
        confidence=0.9,
        sources=(),
    )


def scanned(document: DemoDocument, verdict: str | None) -> DocumentResult:
    return DocumentResult(
        document=document, id=document.name, verdict=verdict, trust=0.5, reasons=("x.y",)
    )


TURNED = tuple(d.name for d in MANIFEST.documents if d.attack == "compromised-connector")


def raised(
    questions: Sequence[QuestionResult],
    *,
    alert_id: str = ALERT,
    name: str = "disagreement-spike",
    suspects: Sequence[str] = TURNED,
) -> AlertResult:
    return AlertResult(
        id=alert_id,
        name=name,
        status="firing",
        severity="warning",
        labels={"topic": "top_1"},
        annotations={"questions": ",".join(result.id for result in questions)},
        starts_at="2026-11-29T00:00:00Z",
        suspects=tuple(suspects),
    )


@pytest.fixture
def good() -> DemoResult:
    """A demo in which everything went as the manifest expects."""
    questions = tuple(asked(n, question) for n, question in enumerate(MANIFEST.questions))
    spike = [r for r in questions if r.question.attack == "compromised-connector"]
    return DemoResult(
        documents=tuple(scanned(each, each.expected) for each in MANIFEST.documents),
        questions=questions,
        early_alerts=(),
        alerts=(raised(spike[:6]),),
        deliveries=(DeliveryResult(verified=True, event_type="alert.firing", alert_id=ALERT),),
        scan_seconds=1.0,
        ask_seconds=1.0,
    )


def test_a_demo_as_expected_has_no_failures(good: DemoResult) -> None:
    assert failures(good) == []


def test_a_baseline_that_is_mostly_refused_is_a_failure(good: DemoResult) -> None:
    questions = tuple(
        replace(result, outcome="abstain", answer=None)
        if result.question.phase == "baseline"
        else result
        for result in good.questions
    )

    failed = failures(replace(good, questions=questions))

    assert len(failed) == 1
    assert "baseline questions were answered" in failed[0]


@pytest.mark.parametrize("verdict", ["admit", "reject", None])
def test_another_verdict_is_a_failure(good: DemoResult, verdict: str | None) -> None:
    poison = next(d for d in MANIFEST.documents if d.expected == "quarantine")
    documents = tuple(
        scanned(poison, verdict) if each.document == poison else each for each in good.documents
    )

    failed = failures(replace(good, documents=documents))

    assert len(failed) == 1
    assert poison.name in failed[0]


def question(attack: str) -> DemoQuestion:
    return next(q for q in MANIFEST.questions if q.attack == attack and q.phase == "main")


@pytest.mark.parametrize(
    ("outcome", "answer", "faults"),
    [
        ("answer", "The warranty lasts 36 months.", 0),
        ("answer-with-warning", "36  MONTHS, that is", 0),
        ("answer", "It was 9 months and is 36 months now.", 1),
        ("answer", "It lasts 9 months.", 2),
        ("answer", "It lasts long.", 1),
        ("abstain", None, 1),
        ("escalated", "36 months", 1),
    ],
)
def test_an_answer_is_held_to_outcome_and_content(
    outcome: str, answer: str | None, faults: int
) -> None:
    result = asked(1, question("near-duplicate-flood"), outcome=outcome)

    found = list(question_faults(replace(result, answer=answer)))

    assert len(found) == faults, found


def test_a_planted_value_is_a_failure_whatever_the_outcome(good: DemoResult) -> None:
    spiked = next(r for r in good.questions if r.question.attack == "compromised-connector")
    planted = spiked.question.expected.excludes[0]

    for outcome in spiked.question.expected.outcomes:
        told = replace(spiked, outcome=outcome, answer=f"{planted}, or 45 days, 8%, R-117")
        assert any(planted in fault for fault in question_faults(told))


def test_no_alert_is_a_failure(good: DemoResult) -> None:
    assert failures(replace(good, alerts=(), deliveries=()))


def test_an_alert_that_resolved_is_a_failure(good: DemoResult) -> None:
    resolved = replace(good.alerts[0], status="resolved")

    assert failures(replace(good, alerts=(resolved,)))


def test_a_second_alert_is_a_failure_where_it_is_on_another_topic(good: DemoResult) -> None:
    other = raised(
        [r for r in good.questions if r.question.topic == "delivery"],
        alert_id="alr_2",
        name="abstention-surge",
    )

    failed = failures(replace(good, alerts=(*good.alerts, other)))

    assert any("delivery" in failure for failure in failed)


def told_of(alert: AlertResult) -> DeliveryResult:
    return DeliveryResult(verified=True, event_type="alert.firing", alert_id=alert.id)


def test_another_detector_may_tell_of_the_same_episode(good: DemoResult) -> None:
    other = replace(good.alerts[0], id="alr_3", name="sustained-disagreement")

    failed = failures(
        replace(
            good,
            alerts=(*good.alerts, other),
            deliveries=(*good.deliveries, told_of(other)),
        )
    )

    assert failed == []


def test_one_detector_tells_of_an_episode_once(good: DemoResult) -> None:
    again = replace(good.alerts[0], id="alr_3")

    failed = failures(
        replace(
            good,
            alerts=(*good.alerts, again),
            deliveries=(*good.deliveries, told_of(again)),
        )
    )

    assert failed == ["disagreement-spike fired 2 times for one episode"]


def test_an_alert_of_another_detector_alone_is_a_failure(good: DemoResult) -> None:
    other = replace(good.alerts[0], name="sustained-disagreement")

    (failed,) = failures(replace(good, alerts=(other,)))

    assert "expected disagreement-spike" in failed


@pytest.mark.parametrize(
    ("more", "right"),
    [("drones", True), ("insurance", True), ("delivery", False), ("tavik-calibration", False)],
)
def test_over_all_topics_only_what_nothing_answers_may_go_wrong_besides(
    good: DemoResult, more: str, right: bool
) -> None:
    struck = [r for r in good.questions if r.question.attack == "compromised-connector"][:2]
    others = [r for r in good.questions if r.question.topic == more][:1]
    everywhere = raised([*struck, *others], alert_id="alr_3", name="suspect-sources")

    failed = failures(
        replace(
            good,
            alerts=(*good.alerts, everywhere),
            deliveries=(*good.deliveries, told_of(everywhere)),
        )
    )

    assert (failed == []) == right


@pytest.mark.parametrize("suspects", [(), ("kb-price-list-2024", *TURNED), ("doc_unknown",)])
def test_an_alert_that_does_not_suspect_who_turned_first_is_a_failure(
    good: DemoResult, suspects: tuple[str, ...]
) -> None:
    (failed,) = failures(replace(good, alerts=(replace(good.alerts[0], suspects=suspects),)))

    assert "before those who turned" in failed


def test_an_alert_on_another_topic_is_a_failure(good: DemoResult) -> None:
    strangers = [r for r in good.questions if r.question.topic == "tavik-calibration"]

    failed = failures(replace(good, alerts=(raised(strangers[:3]),)))

    assert len(failed) == 1
    assert "tavik-calibration" in failed[0]


@pytest.mark.parametrize("questions", ["", "q_unknown"])
def test_an_alert_that_names_no_question_of_ours_is_a_failure(
    good: DemoResult, questions: str
) -> None:
    vague = replace(good.alerts[0], annotations={"questions": questions})

    assert failures(replace(good, alerts=(vague,)))


def test_an_alert_before_the_spike_is_a_failure(good: DemoResult) -> None:
    assert failures(replace(good, early_alerts=good.alerts))


@pytest.mark.parametrize(
    "deliveries",
    [
        [],
        [DeliveryResult(verified=True, event_type="alert.firing", alert_id="alr_2")],
        [DeliveryResult(verified=True, event_type="alert.resolved", alert_id=ALERT)],
        [DeliveryResult(verified=False, event_type="", alert_id="")],
    ],
)
def test_an_alert_nobody_was_told_of_is_a_failure(
    good: DemoResult, deliveries: list[DeliveryResult]
) -> None:
    assert failures(replace(good, deliveries=tuple(deliveries)))


def test_an_alert_is_traced_to_the_topics_of_its_questions(good: DemoResult) -> None:
    assert topics_of(good.alerts[0], good.questions) == {"pellin-returns"}


def test_json_has_the_published_keys(good: DemoResult) -> None:
    shown = json.loads(json.dumps(as_json(good)))

    assert set(shown) == {"documents", "questions", "alerts"}
    assert {tuple(row) for row in shown["documents"]} == {
        ("name", "attack", "verdict", "expected", "trust", "reasons")
    }
    assert {tuple(row) for row in shown["questions"]} == {
        ("question", "attack", "outcome", "expected", "answer", "confidence", "sources")
    }
    assert len(shown["documents"]) == len(MANIFEST.documents)
    assert len(shown["questions"]) == len(MANIFEST.questions)


def signed(secret: str, body: str) -> Mapping[str, str]:
    at = datetime.now(tz=UTC)
    return {
        "webhook-id": "dlv_1",
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(secret).sign("dlv_1", at, body),
    }


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def test_the_receiver_takes_what_is_signed_with_its_secret(receiver: Receiver) -> None:
    body = json.dumps({"type": "alert.firing", "data": {"id": ALERT}})

    taken = receiver.take(body.encode(), dict(signed(receiver.secret, body)))

    assert taken
    assert receiver.deliveries == (
        DeliveryResult(verified=True, event_type="alert.firing", alert_id=ALERT),
    )


@pytest.mark.parametrize("fault", ["secret", "body", "headers"])
def test_the_receiver_refuses_any_other(receiver: Receiver, fault: str) -> None:
    body = json.dumps({"type": "alert.firing", "data": {"id": ALERT}})
    other = "whsec_" + base64.b64encode(b"x" * 32).decode()
    headers = dict(signed(other if fault == "secret" else receiver.secret, body))
    sent = body + " " if fault == "body" else body

    taken = receiver.take(sent.encode(), {} if fault == "headers" else headers)

    assert not taken
    assert [delivery.verified for delivery in receiver.deliveries] == [False]

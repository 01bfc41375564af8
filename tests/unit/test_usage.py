"""Tokens of a question: sums that keep the roles apart."""

from __future__ import annotations

from domain.usage import ModelRole, UsageMeter, together
from gateway.http.models_usage import UsageModel


def test_roles_are_counted_apart_and_together() -> None:
    meter = UsageMeter()

    meter.add(ModelRole.DRAFTER, read=100, cached=60, written=20)
    meter.add(ModelRole.DRAFTER, read=100, written=10)
    meter.add(ModelRole.VERIFIER, read=None, written=None)

    usage = meter.usage()
    assert (usage.calls, usage.read_tokens, usage.cached_tokens) == (3, 200, 60)
    assert (usage.written_tokens, usage.uncounted_calls) == (30, 1)
    assert usage.by_role[ModelRole.DRAFTER].read_tokens == 200
    assert usage.by_role[ModelRole.VERIFIER].uncounted_calls == 1


def test_usages_of_several_hops_add_up_role_by_role() -> None:
    first, second = UsageMeter(), UsageMeter()
    first.add(ModelRole.DRAFTER, read=1, written=2)
    second.add(ModelRole.DRAFTER, read=10, written=20)
    second.add(ModelRole.LARGE, read=5, written=5)

    whole = together([first.usage(), second.usage()])

    assert (whole.calls, whole.read_tokens, whole.written_tokens) == (3, 16, 27)
    assert whole.by_role[ModelRole.DRAFTER].written_tokens == 22
    assert set(whole.by_role) == {ModelRole.DRAFTER, ModelRole.LARGE}


def test_the_trace_tells_each_role() -> None:
    meter = UsageMeter()
    meter.add(ModelRole.LARGE, read=7, cached=3, written=1)

    told = UsageModel.of(meter.usage()).model_dump(mode="json")

    assert told["cached_tokens"] == 3
    assert told["by_role"]["large"]["read_tokens"] == 7

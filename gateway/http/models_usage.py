"""What language models did for a question, as every door tells it."""

from __future__ import annotations

from pydantic import Field

from domain.usage import ModelRole, ModelUsage
from gateway.http.models_documents import Model


class RoleUsageModel(Model):
    """What one role of models did."""

    calls: int = 0
    read_tokens: int = Field(0, description="of prompts, as the models count them")
    cached_tokens: int = Field(
        0, description="of those read, what a server says it had read before; many do not tell"
    )
    written_tokens: int = 0
    uncounted_calls: int = Field(0, description="of calls, those whose server told no tokens")

    @classmethod
    def of_role(cls, usage: ModelUsage) -> RoleUsageModel:
        return cls(
            calls=usage.calls,
            read_tokens=usage.read_tokens,
            cached_tokens=usage.cached_tokens,
            written_tokens=usage.written_tokens,
            uncounted_calls=usage.uncounted_calls,
        )


class UsageModel(RoleUsageModel):
    """What language models did for a question; all 0 with the embedded default."""

    by_role: dict[ModelRole, RoleUsageModel] = Field(
        default_factory=dict, description="the same of each role that was asked"
    )

    @classmethod
    def of(cls, usage: ModelUsage) -> UsageModel:
        return cls(
            **RoleUsageModel.of_role(usage).model_dump(),
            by_role={role: RoleUsageModel.of_role(one) for role, one in usage.by_role.items()},
        )

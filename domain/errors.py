"""Every error the product raises on purpose.

MithridateError
├── InputError            the caller can fix it            -> 4xx problem+json
│   ├── UnsupportedMediaTypeError
│   ├── DocumentTooLargeError
│   ├── DocumentUnreadableError
│   ├── IdempotencyMismatchError   the key was used with another body
│   └── ConfigurationError         a setting, policy or artefact file is wrong -> exit code 2
├── AccessError
│   ├── UnauthenticatedError       no key, or not one of ours
│   ├── ForbiddenError             the key lacks the scope
│   └── RateLimitedError           too often; `retry_after_seconds` says when again
│       └── BacklogError           what waits for its scan is at its limit
├── NotFoundError
├── ConflictError
│   └── ScanUnderWayError          another scan of the document holds its lease
└── DependencyError       something outside this process failed
    ├── DetectorUnavailableError   recorded in the scan, never raised out of it
    ├── TransientError    retrying may help                -> task retry, 503
    │   └── DeadlineError      no answer in time
    └── PermanentError    retrying cannot help             -> dead letter, 502
        └── ReceiverGoneError  a receiver wants nothing more, ever
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "AccessError",
    "BacklogError",
    "ConfigurationError",
    "ConflictError",
    "DeadlineError",
    "DependencyError",
    "DetectorUnavailableError",
    "DocumentTooLargeError",
    "DocumentUnreadableError",
    "ForbiddenError",
    "IdempotencyMismatchError",
    "InputError",
    "MithridateError",
    "NotFoundError",
    "PermanentError",
    "RateLimitedError",
    "ReceiverGoneError",
    "ScanUnderWayError",
    "TransientError",
    "UnauthenticatedError",
    "UnsupportedMediaTypeError",
]


class MithridateError(Exception):
    """Base class of every deliberate error; `code` is the stable public name.

    An error pickles with all its attributes: `Exception` alone would call the class with the
    message only, which breaks the pool of processes that waits for it.
    """

    code: ClassVar[str] = "internal"

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (type(self), self.args, self.__dict__)


class InputError(MithridateError):
    """The request or document is at fault, not the service."""

    code = "invalid-input"


class UnsupportedMediaTypeError(InputError):
    code = "unsupported-media-type"


class DocumentTooLargeError(InputError):
    code = "document-too-large"


class DocumentUnreadableError(InputError):
    """The document is not well-formed, or a limit of its parser broke.

    Attributes:
        reason: Kebab-case code of what was wrong, e.g. `pdf-password`, `parser-cpu-limit`.
    """

    code = "document-unreadable"

    def __init__(self, message: str, *, reason: str = "malformed") -> None:
        super().__init__(message)
        self.reason = reason


class IdempotencyMismatchError(InputError):
    code = "idempotency-mismatch"


class ConfigurationError(InputError):
    code = "configuration"


class AccessError(MithridateError):
    code = "access"


class UnauthenticatedError(AccessError):
    code = "unauthenticated"


class ForbiddenError(AccessError):
    code = "forbidden"


class RateLimitedError(AccessError):
    code = "rate-limited"

    def __init__(self, message: str, *, retry_after_seconds: float) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class BacklogError(RateLimitedError):
    """Nothing more is taken until some of what waits for its scan has a verdict."""

    code = "backlog-full"


class NotFoundError(MithridateError):
    code = "not-found"


class ConflictError(MithridateError):
    code = "conflict"


class ScanUnderWayError(ConflictError):
    """Another scan of the document gave a sign of life a moment ago."""

    def __init__(self, message: str, *, retry_after_seconds: float) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class DependencyError(MithridateError):
    code = "dependency-failed"


class DetectorUnavailableError(DependencyError):
    """A detector could not look. The scan records it; the trust policy decides what it means."""

    code = "detector-unavailable"


class TransientError(DependencyError):
    code = "dependency-unavailable"


class DeadlineError(TransientError):
    """Nothing failed, but the answer was not there when the asker could wait no longer."""


class PermanentError(DependencyError):
    code = "dependency-rejected"


class ReceiverGoneError(PermanentError):
    """A receiver said that it wants nothing more: it is disabled."""


def _restored(
    cls: type[MithridateError], args: tuple[object, ...], attributes: dict[str, object]
) -> MithridateError:
    error = cls.__new__(cls, *args)
    error.__dict__.update(attributes)
    return error

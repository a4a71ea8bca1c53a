"""The errors that this package raises: no answer, a refusal, a webhook that cannot be trusted, a wrong call."""

from __future__ import annotations

from typing import Mapping, Sequence


class RipperError(Exception):
    """The base class of everything that this package raises. Branch on `code`, never on the message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class ApiError(RipperError):
    """
    The service refused the request. A refused create has created nothing, unless the status is 500 or above: then call
    again with the same `idempotency_key`.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int,
        headers: Mapping[str, str],
        request_id: str | None = None,
        field: str | None = None,
        allowed: Sequence[str] | None = None,
        retry_after_seconds: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        super().__init__(code, message)
        self.status = status
        self.headers = headers
        #: Quote it to the people who run the service; None if it is not known.
        self.request_id = request_id
        #: The JSON path of what is at fault in the request; None if nothing is.
        self.field = field
        #: The event types that exist, if `code` is `unknown_event_type`.
        self.allowed = allowed
        self.retry_after_seconds = retry_after_seconds
        #: The key that the request was sent with; None for a read.
        self.idempotency_key = idempotency_key


class ConnectionError(RipperError):
    """
    No answer came, or only a part of one. The outcome is unknown: call again with the same `idempotency_key`, and the
    service does it once.
    """

    def __init__(self, message: str, idempotency_key: str | None, code: str = "connection_failed") -> None:
        super().__init__(code, message)
        self.idempotency_key = idempotency_key


class TimeoutError(ConnectionError):
    """No answer came in time."""

    def __init__(self, message: str, idempotency_key: str | None) -> None:
        super().__init__(message, idempotency_key, "timeout")


class SignatureError(RipperError):
    """A webhook cannot be trusted."""


class UsageError(RipperError):
    """An argument is wrong. Nothing was sent."""

    def __init__(self, message: str) -> None:
        super().__init__("wrong_usage", message)

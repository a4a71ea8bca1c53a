"""Sends a call, and sends it again under the same key while that may help."""

from __future__ import annotations

import http.client
import json
import random
import re
import socket
import ssl
import time
import uuid
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Mapping, NamedTuple
from urllib.parse import urlencode, urlsplit

from .errors import ApiError, ConnectionError, RipperError, TimeoutError, UsageError

_answer_max_bytes = 8 * 1024 * 1024
_retry_after_max_seconds = 60
_passing_statuses = (429, 500, 502, 503, 504)


class Limits(NamedTuple):
    timeout_seconds: float
    retries_max: int


class _Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    #: None if the body was too large.
    text: str | None


class Sender:
    """It alone holds the key."""

    def __init__(
        self,
        secret_key: str | None,
        base_url: str | None,
        limits: Limits,
        sleep: Callable[[float], object],
    ) -> None:
        self.__secret_key = _valid_secret_key(secret_key)
        self._address = _valid_base_url(base_url)
        self._limits = _valid_limits(limits)
        self._sleep = sleep

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        timeout_seconds: float | None = None,
        retries_max: int | None = None,
    ) -> Any:
        limits = _valid_limits(
            Limits(
                self._limits.timeout_seconds if timeout_seconds is None else timeout_seconds,
                self._limits.retries_max if retries_max is None else retries_max,
            )
        )
        key = None
        if method != "GET":
            key = str(uuid.uuid4()) if idempotency_key is None else _valid_key(idempotency_key)
        headers = {"Accept": "application/json", "User-Agent": "ripper-checkout/python"}
        headers["X-Service-Api-Key"] = self.__secret_key
        if key is not None:
            headers["Rip-Idempotency-Key"] = key
        payload = None if body is None else _written(body)
        if payload is not None:
            headers["Content-Type"] = "application/json"
        target = path + _query_text(query)
        tries = 0
        while True:
            tries += 1
            try:
                answer = self._attempt(method, target, headers, payload, key, limits.timeout_seconds)
                return _body_of(answer, key, is_empty=method == "DELETE")
            except RipperError as error:
                wait = delay_before_retry(
                    error,
                    tries=tries,
                    retries_max=limits.retries_max,
                    chance=random.random(),
                    key_is_own=idempotency_key is None,
                )
                if wait is None:
                    raise
            self._sleep(wait)

    def _attempt(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str],
        payload: bytes | None,
        key: str | None,
        timeout_seconds: float,
    ) -> _Answer:
        """One try. It never follows a redirect: the key would go to wherever that leads."""
        scheme, host, port, prefix = self._address
        deadline = time.monotonic() + timeout_seconds
        link: http.client.HTTPConnection
        if scheme == "https":
            link = http.client.HTTPSConnection(
                host, port, timeout=timeout_seconds, context=ssl.create_default_context()
            )
        else:
            link = http.client.HTTPConnection(host, port, timeout=timeout_seconds)
        failed = f"No complete answer came to {method} {target.partition('?')[0]}"
        try:
            link.request(method, prefix + target, body=payload, headers=dict(headers))
            _limit(link, deadline)
            response = link.getresponse()
            answer = _Answer(response.status, _headers(response), _read_text(response, link, deadline))
        except socket.timeout:
            raise TimeoutError(f"{failed} within {timeout_seconds:g} s. {_advice(key)}", key) from None
        except OSError as error:
            raise ConnectionError(f"{failed} ({error}). {_advice(key)}", key) from None
        except http.client.HTTPException as error:
            raise ConnectionError(f"{failed} ({type(error).__name__}). {_advice(key)}", key) from None
        finally:
            link.close()
        if 200 <= answer.status < 300 and re.match(r"\s*\{", answer.text or "") and _parsed(answer.text) is None:
            raise ConnectionError(f"{failed} (its body ends too early). {_advice(key)}", key)
        return answer


def delay_before_retry(
    error: RipperError, *, tries: int, retries_max: int, chance: float, key_is_own: bool
) -> float | None:
    """
    The wait before the next try in seconds; None if there must be no next try. Every call is safe to repeat: reads
    change nothing, and writes carry a key. So only the error decides.
    """
    if tries > retries_max or not _is_passing(error, tries > 1 and key_is_own):
        return None
    backoff = min(0.5 * 2 ** (tries - 1), 8.0)
    # From half of the backoff to all of it, so that clients that failed together do not come back together.
    jittered = backoff * (0.5 + chance / 2)
    wanted = (error.retry_after_seconds or 0) if isinstance(error, ApiError) else 0
    return None if wanted > _retry_after_max_seconds else max(jittered, float(wanted))


def _is_passing(error: RipperError, sent_before: bool) -> bool:
    """`idempotency_key_reused` ends by itself only if this very call sent the key before: its first request still runs."""
    if isinstance(error, ConnectionError):
        return True
    if not isinstance(error, ApiError) or error.code == "response_too_large":
        return False
    if error.code == "idempotency_key_reused":
        return sent_before
    return error.status in _passing_statuses or error.code == "idempotency_key_in_use"


def _limit(link: http.client.HTTPConnection, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise socket.timeout
    # The connection gives its socket to an answer that ends it.
    if link.sock is not None:
        link.sock.settimeout(left)


def _headers(response: http.client.HTTPResponse) -> dict[str, str]:
    """Their names are in lower case."""
    return {name.lower(): value for name, value in response.getheaders()}


def _read_text(response: http.client.HTTPResponse, link: http.client.HTTPConnection, deadline: float) -> str | None:
    parts: list[bytes] = []
    length = 0
    while True:
        _limit(link, deadline)
        part = response.read1(65536)
        if not part:
            break
        length += len(part)
        if length > _answer_max_bytes:
            return None
        parts.append(part)
    if response.length:
        raise http.client.IncompleteRead(b"".join(parts), response.length)
    return b"".join(parts).decode("utf-8", "replace")


def _body_of(answer: _Answer, key: str | None, *, is_empty: bool) -> Any:
    status, headers, text = answer
    body = _parsed(text)
    if 200 <= status < 300:
        if status == 204 and is_empty:
            return None
        if body is not None:
            return body
    code, message = _refusal(status, text, body)
    allowed = (body or {}).get("allowed")
    raise ApiError(
        code,
        message,
        status=status,
        headers=headers,
        request_id=headers.get("rip-request-id") or _text_of(body, "request_id"),
        field=headers.get("rip-error-field"),
        allowed=allowed if isinstance(allowed, list) else None,
        retry_after_seconds=_retry_after(headers.get("retry-after")),
        idempotency_key=key,
    )


def _refusal(status: int, text: str | None, body: dict[str, Any] | None) -> tuple[str, str]:
    if text is None:
        return "response_too_large", f"The answer (status {status}) is too large."
    if status >= 400:
        code = _text_of(body, "error") or _text_of(body, "code")
        if code is not None:
            return code, _text_of(body, "message") or f"The service refused: {code}."
        if status == 429:
            return "rate_limit_exceeded", text.strip()[:200] or "Too many requests."
    if 300 <= status < 400:
        return "unexpected_response", (
            "The answer is a redirect. It was not followed, because the key would go with it. "
            "Make base_url the address that it leads to."
        )
    return "unexpected_response", (
        f"The answer (status {status}) does not come from this API. Is base_url right? Is a proxy in between?"
    )


def _retry_after(header: str | None) -> int | None:
    if header is None:
        return None
    if re.fullmatch(r"\s*[0-9]{1,9}\s*", header):
        return int(header)
    try:
        return max(0, int(parsedate_to_datetime(header).timestamp() - time.time() + 0.999))
    except (TypeError, ValueError):
        return None


def _parsed(text: str | None) -> dict[str, Any] | None:
    """JSON that is an object, as every body of this API is."""
    try:
        body = json.loads(text or "")
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _text_of(body: dict[str, Any] | None, name: str) -> str | None:
    value = (body or {}).get(name)
    return value if isinstance(value, str) else None


def _advice(key: str | None) -> str:
    if key is None:
        return "It was a read: it can be sent again."
    return (
        "Its outcome is unknown. Send it again with the same idempotency_key, which this error carries: "
        "the service does it once."
    )


def _written(body: Mapping[str, Any]) -> bytes:
    if not isinstance(body, Mapping):
        raise UsageError("The body must be a dictionary.")
    try:
        return json.dumps(body, allow_nan=False).encode()
    except (TypeError, ValueError):
        # The message of that error would quote the body.
        raise UsageError("The body cannot be written as JSON.") from None


def _query_text(query: Mapping[str, Any] | None) -> str:
    if query is not None and not isinstance(query, Mapping):
        raise UsageError("The query must be a dictionary.")
    given = {name: value for name, value in (query or {}).items() if value is not None}
    for name, value in given.items():
        if not isinstance(value, (str, int)):
            raise UsageError(f"{name} must be a text or a whole number.")
    return f"?{urlencode({name: _word(value) for name, value in given.items()})}" if given else ""


def _word(value: str | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _valid_secret_key(key: object) -> str:
    """Raises UsageError, which does not quote the key."""
    if not isinstance(key, str) or key == "":
        raise UsageError("There is no secret key. Is its environment variable set?")
    if key.strip() != key:
        raise UsageError("The secret key has white space around it, perhaps a line break.")
    if key.startswith("rip_pk_"):
        raise UsageError("This is a publishable key. A server needs the secret key: rip_sk_….")
    if not re.fullmatch("rip_sk_[0-9A-Za-z]+", key):
        raise UsageError("The secret key must be rip_sk_ followed by letters and digits.")
    return key


def _valid_base_url(base_url: object) -> tuple[str, str, int | None, str]:
    """Scheme, host, port and path. Raises UsageError, which does not quote it."""
    example = "such as https://pay.example.com"
    if not isinstance(base_url, str) or base_url == "":
        raise UsageError(f"base_url is required: where your Ripper Checkout is, {example}.")
    try:
        url = urlsplit(base_url)
        host, port = url.hostname, url.port
    except ValueError:
        host, port = None, None
    if not host or url.scheme not in ("http", "https"):
        raise UsageError(f"base_url must be an absolute http or https address, {example}.")
    if "@" in url.netloc or url.query or url.fragment:
        raise UsageError("base_url must have no user information, query or fragment.")
    path = url.path.rstrip("/")
    if path.endswith("/v1"):
        raise UsageError("base_url must not end with /v1, which is added.")
    return url.scheme, host, port, path


def _valid_limits(limits: Limits) -> Limits:
    timeout_seconds, retries_max = limits
    if isinstance(timeout_seconds, bool) or not isinstance(timeout_seconds, (int, float)) or not timeout_seconds > 0:
        raise UsageError("timeout_seconds must be a number above 0.")
    if isinstance(retries_max, bool) or not isinstance(retries_max, int) or not 0 <= retries_max <= 10:
        raise UsageError("retries_max must be a whole number from 0 to 10.")
    return limits


def _valid_key(key: object) -> str:
    if not isinstance(key, str) or not re.fullmatch("[\x20-\x7e]{1,255}", key) or key.strip() != key:
        raise UsageError(
            "idempotency_key must be 1 to 255 printable ASCII characters, without white space around them."
        )
    return key

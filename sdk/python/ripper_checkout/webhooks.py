"""Verifies that this service signed a webhook, with this body, not long ago."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import re
import time
from typing import Iterable, Mapping, Sequence, Union, cast

from .api_types import WebhookEvent
from .errors import SignatureError, UsageError

#: All headers, or the value of Rip-Signature alone.
Headers = Union[str, Mapping[str, Union[str, Sequence[str]]], Iterable["tuple[str, str]"]]
#: One secret, or several while one is being rotated. What is None is skipped.
Secrets = Union[str, None, Sequence[Union[str, None]]]


def verify_webhook(
    raw_body: bytes | str,
    headers: Headers,
    secret: Secrets,
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """
    Returns the event of a webhook. Takes the body as it came, before anything parsed it, and the endpoint's signing
    secret. The signature's time may differ from `now` by `tolerance` seconds, either way. Raises SignatureError.
    """
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise UsageError("tolerance must be a number of seconds above 0.")
    secrets = _secrets(secret)
    body = _bytes(raw_body)
    t, signatures = _read_header(headers)
    if not _matches(signatures, secrets, t, body):
        compact = _compact(body)
        if compact is not None and _matches(signatures, secrets, t, compact):
            raise SignatureError(
                "body_changed",
                "The body was parsed and written anew, with other white space. Pass the bytes as they came.",
            )
        raise SignatureError(
            "signature_mismatch",
            "The signature does not match the secret. Usually the secret is another endpoint's, or it was rotated. "
            "Otherwise the body is not byte for byte what came.",
        )
    _judge_time(int(t), time.time() if now is None else now, tolerance)
    event = _parsed(body)
    if not isinstance(event, dict):
        raise SignatureError("body_not_json", "The signature is right, but the body is not a JSON object.")
    return cast(WebhookEvent, event)


def generate_test_header(body: bytes | str, secret: Secrets, *, at: float | None = None) -> str:
    """Makes a Rip-Signature for tests of a receiver. Several secrets sign as in a rotation."""
    t = str(int(time.time() if at is None else at))
    signed = [f"v1={_signature(each, t, _bytes(body)).hex()}" for each in _secrets(secret)]
    return ",".join([f"t={t}", *signed])


def _signature(secret: str, t: str, body: bytes) -> bytes:
    """HMAC-SHA-256 of `<t>.<body>`, keyed with the whole secret."""
    return hmac.new(secret.encode(), t.encode() + b"." + body, hashlib.sha256).digest()


def _matches(signatures: Sequence[bytes], secrets: Sequence[str], t: str, body: bytes) -> bool:
    """Compares every pair, even after one has matched, so that the time it takes reveals nothing."""
    expected = [_signature(secret, t, body) for secret in secrets]
    return True in [hmac.compare_digest(own, sent) for own in expected for sent in signatures]


def _bytes(raw_body: object) -> bytes:
    if raw_body is None or raw_body == b"" or raw_body == "":
        raise SignatureError("body_missing", "There is no body. Read the request's bytes before anything else does.")
    if isinstance(raw_body, (bytes, bytearray, memoryview)):
        return bytes(raw_body)
    if isinstance(raw_body, str):
        return raw_body.encode()
    raise SignatureError(
        "body_parsed",
        f"The body has already been parsed: it is a {type(raw_body).__name__}. Pass the bytes as they came: "
        "request.body in Django, request.get_data() in Flask, await request.body() in FastAPI.",
    )


def _read_header(headers: Headers) -> tuple[str, list[bytes]]:
    values = set(_values(headers))
    if not "".join(values).strip():
        raise SignatureError("header_missing", "There is no Rip-Signature. Pass all headers of the request.")
    value = values.pop()
    if values or re.search(r",\s*t=", value):
        raise SignatureError("header_repeated", "There is more than one Rip-Signature. A webhook has one.")
    first, *rest = [part.strip() for part in value.split(",")]
    t = re.fullmatch(r"t=([0-9]{1,12})", first)
    signatures = [bytes.fromhex(part[3:]) for part in rest if re.fullmatch(r"v1=[0-9a-f]{64}", part)]
    if t is None or not signatures:
        raise SignatureError(
            "header_malformed",
            "Rip-Signature must read t=<unix seconds>,v1=<64 hexadecimal digits>. Pass it as it came.",
        )
    return t[1], signatures


def _values(headers: Headers) -> Iterable[str]:
    if isinstance(headers, str):
        return [headers]
    items = headers.items() if isinstance(headers, Mapping) else headers or []
    found = [value for name, value in items if name.lower() == "rip-signature"]
    return [each for value in found for each in ([value] if isinstance(value, str) else value)]


def _secrets(secret: Secrets) -> list[str]:
    listed = [secret] if isinstance(secret, str) or secret is None else list(secret)
    secrets = [each for each in listed if each is not None]
    if not secrets or "" in secrets:
        raise _malformed("There is none. Is its environment variable set?")
    for each in secrets:
        if each.strip() != each:
            raise _malformed("It has white space around it, perhaps a line break.")
        if re.match("rip_[sp]k_", each):
            raise _malformed("This is an API key.")
        if not each.startswith("rip_whsec_"):
            raise _malformed("This one lacks the prefix, which is part of the secret.")
    return secrets


def _malformed(fault: str) -> SignatureError:
    return SignatureError(
        "secret_malformed",
        f"The signing secret is the endpoint's signing_secret, rip_whsec_…, from the answer that created it. {fault}",
    )


def _judge_time(t: int, now: float, tolerance: float) -> None:
    age = now - t
    if abs(age) <= tolerance:
        return
    far = math.ceil(abs(age))
    if age > 0:
        raise SignatureError(
            "timestamp_too_old",
            f"The webhook was signed {far} s ago; {tolerance:g} s are tolerated. Every attempt has a new signature.",
        )
    raise SignatureError(
        "timestamp_in_future",
        f"The webhook was signed {far} s from now; {tolerance:g} s are tolerated. Is this machine's clock behind?",
    )


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _compact(body: bytes) -> bytes | None:
    """The service sends bodies without white space."""
    value = _parsed(body)
    return None if value is None else json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()

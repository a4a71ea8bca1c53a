"""A client of Ripper Checkout for a merchant's server, and what verifies its webhooks."""

from .client import Pages, Ripper
from .errors import (
    ApiError,
    ConnectionError,
    RipperError,
    SignatureError,
    TimeoutError,
    UsageError,
)
from .webhooks import generate_test_header, verify_webhook

__all__ = [
    "ApiError",
    "ConnectionError",
    "Pages",
    "Ripper",
    "RipperError",
    "SignatureError",
    "TimeoutError",
    "UsageError",
    "generate_test_header",
    "verify_webhook",
]

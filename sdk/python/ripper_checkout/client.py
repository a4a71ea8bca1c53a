"""The client: every route that a merchant's server calls, as a method."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any, Callable, Generic, Iterator, Mapping, TypedDict, TypeVar

from . import api_types as api
from ._sender import Limits, Sender
from .errors import UsageError

if TYPE_CHECKING:
    from typing_extensions import Unpack


Row = TypeVar("Row")


class CallOptions(TypedDict, total=False):
    """For every call."""

    timeout_seconds: float
    retries_max: int


class WriteOptions(CallOptions, total=False):
    """
    For calls that change something. The service recognises a repetition by `idempotency_key`, for 30 days; if you give
    none, each call makes its own, which covers only the tries of that call.
    """

    idempotency_key: str


class Pages(Generic[Row]):
    """The first page of a list. A loop gives every row of every page, asked for when it gets there."""

    def __init__(self, read: Callable[[Mapping[str, Any]], Any], query: Mapping[str, Any]) -> None:
        self._read = read
        self._query = query
        page = read(query)
        self.data: list[Row] = page["data"]
        self.has_more: bool = page["has_more"]
        self.next_cursor: str | None = page["next_cursor"]

    def __iter__(self) -> Iterator[Row]:
        data, has_more, cursor = self.data, self.has_more, self.next_cursor
        while True:
            yield from data
            if not has_more or cursor is None:
                return
            page = self._read({**self._query, "after": cursor})
            data, has_more, cursor = page["data"], page["has_more"], page["next_cursor"]


class Ripper:
    """
    Calls raise ApiError, ConnectionError or TimeoutError, and UsageError before anything is sent. `base_url` is the
    service's address, such as https://pay.example.com. `sleep` waits between two tries. Threads may share a client.
    """

    def __init__(
        self,
        secret_key: str | None,
        *,
        base_url: str | None,
        timeout_seconds: float = 30.0,
        retries_max: int = 2,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        sender = Sender(secret_key, base_url, Limits(timeout_seconds, retries_max), sleep)
        self.checkout = Checkout(sender)
        self.payments = Payments(sender)
        self.refunds = Refunds(sender)
        self.payment_links = PaymentLinks(sender)
        self.disputes = Disputes(sender)
        self.payouts = Payouts(sender)
        self.events = Events(sender)
        self.webhooks = Webhooks(sender)


class _Resource:
    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def _pages(self, path: str, query: Mapping[str, Any] | None, options: Mapping[str, Any]) -> Pages[Any]:
        asked = {} if query is None else query
        return Pages(lambda each: self._send("GET", path, query=each, **options), asked)


class Checkout:
    def __init__(self, sender: Sender) -> None:
        self.sessions = CheckoutSessions(sender)


class Webhooks:
    def __init__(self, sender: Sender) -> None:
        self.endpoints = WebhookEndpoints(sender)
        self.deliveries = WebhookDeliveries(sender)


class CheckoutSessions(_Resource):
    def create(
        self, body: api.CheckoutSessionCreate, **options: Unpack[WriteOptions]
    ) -> api.CheckoutSessionCreated:
        """Creates a session. Give its `client_secret` to the shopper's browser."""
        return self._send("POST", "/v1/checkout/sessions", body=body, **options)

    def retrieve(self, session_id: str, **options: Unpack[CallOptions]) -> api.CheckoutSession:
        return self._send("GET", f"/v1/checkout/sessions/{_id('cs', session_id)}", **options)

    def expire(self, session_id: str, **options: Unpack[WriteOptions]) -> api.CheckoutSession:
        """Ends an unpaid session at once, as if its time were over."""
        return self._send("POST", f"/v1/checkout/sessions/{_id('cs', session_id)}/expire", **options)

    def list(
        self, query: api.CheckoutSessionQuery | None = None, **options: Unpack[CallOptions]
    ) -> Pages[api.ListedCheckoutSession]:
        """Newest first."""
        return self._pages("/v1/checkout/sessions", query, options)


class Payments(_Resource):
    def retrieve(self, payment_id: str, **options: Unpack[CallOptions]) -> api.Payment:
        return self._send("GET", f"/v1/payments/{_id('pay', payment_id)}", **options)

    def list(
        self, query: api.PaymentQuery | None = None, **options: Unpack[CallOptions]
    ) -> Pages[api.ListedPayment]:
        """Newest first."""
        return self._pages("/v1/payments", query, options)

    def capture(
        self, payment_id: str, *, amount: int | None = None, **options: Unpack[WriteOptions]
    ) -> api.HeldPayment:
        """
        Takes the money of a held payment, or the `amount` of it that is named; the rest is released. If the answer has a
        `settlement`, the outcome is not known yet.
        """
        body = {} if amount is None else {"body": {"amount": amount}}
        return self._decide("capture", payment_id, {**options, **body})

    def void(self, payment_id: str, **options: Unpack[WriteOptions]) -> api.HeldPayment:
        """Releases a held payment: nothing is taken."""
        return self._decide("void", payment_id, options)

    def escalate(self, payment_id: str, **options: Unpack[WriteOptions]) -> api.HeldPayment:
        """Marks a held payment as being looked at by a person. It still waits for a decision."""
        return self._decide("escalate", payment_id, options)

    def _decide(self, verb: str, payment_id: str, options: Any) -> api.HeldPayment:
        return self._send("POST", f"/v1/payments/{_id('pay', payment_id)}/hold/{verb}", **options)


class Refunds(_Resource):
    def create(
        self, payment_id: str, body: api.RefundCreate | None = None, **options: Unpack[WriteOptions]
    ) -> api.Refund:
        """Refunds a captured payment; all that is left where the body names no amount."""
        path = f"/v1/payments/{_id('pay', payment_id)}/refunds"
        return self._send("POST", path, body={} if body is None else body, **options)

    def retrieve(self, refund_id: str, **options: Unpack[CallOptions]) -> api.Refund:
        return self._send("GET", f"/v1/refunds/{_id('ref', refund_id)}", **options)

    def list(self, payment_id: str, **options: Unpack[CallOptions]) -> api.RefundList:
        """All refunds of a payment, newest first."""
        return self._send("GET", f"/v1/payments/{_id('pay', payment_id)}/refunds", **options)


class PaymentLinks(_Resource):
    def create(self, body: api.PaymentLinkCreate, **options: Unpack[WriteOptions]) -> api.PaymentLink:
        """Makes an address by which shoppers pay one amount: the answer's `url`."""
        return self._send("POST", "/v1/payment_links", body=body, **options)

    def retrieve(self, payment_link_id: str, **options: Unpack[CallOptions]) -> api.PaymentLink:
        return self._send("GET", f"/v1/payment_links/{_id('plink', payment_link_id)}", **options)

    def disable(self, payment_link_id: str, **options: Unpack[WriteOptions]) -> api.PaymentLink:
        """Withdraws a link for good: nobody can begin to pay by it any more."""
        return self._send("POST", f"/v1/payment_links/{_id('plink', payment_link_id)}/disable", **options)

    def list(
        self, query: api.PaymentLinkQuery | None = None, **options: Unpack[CallOptions]
    ) -> Pages[api.PaymentLink]:
        """Newest first."""
        return self._pages("/v1/payment_links", query, options)


class Disputes(_Resource):
    def retrieve(self, dispute_id: str, **options: Unpack[CallOptions]) -> api.Dispute:
        return self._send("GET", f"/v1/disputes/{_id('dsp', dispute_id)}", **options)

    def list(
        self, query: api.DisputeQuery | None = None, **options: Unpack[CallOptions]
    ) -> Pages[api.Dispute]:
        """Newest first."""
        return self._pages("/v1/disputes", query, options)


class Payouts(_Resource):
    def list(
        self, query: api.PayoutQuery | None = None, **options: Unpack[CallOptions]
    ) -> Pages[api.Payout]:
        """What acquirers paid out, by the reports that were read: those read last first."""
        return self._pages("/v1/payouts", query, options)


class Events(_Resource):
    def list(
        self, query: api.EventQuery | None = None, **options: Unpack[CallOptions]
    ) -> Pages[api.WebhookEvent]:
        """Events as receivers get them, newest first, whether or not an endpoint was told."""
        return self._pages("/v1/events", query, options)


class WebhookEndpoints(_Resource):
    def create(
        self, body: api.WebhookEndpointCreate, **options: Unpack[WriteOptions]
    ) -> api.WebhookEndpointCreated:
        """Keep the answer's `signing_secret`: it is never shown again."""
        return self._send("POST", "/v1/webhooks/endpoints", body=body, **options)

    def list(self, **options: Unpack[CallOptions]) -> api.WebhookEndpointList:
        return self._send("GET", "/v1/webhooks/endpoints", **options)

    def delete(self, endpoint_id: str, **options: Unpack[WriteOptions]) -> None:
        self._send("DELETE", f"/v1/webhooks/endpoints/{_id('whep', endpoint_id)}", **options)


class WebhookDeliveries(_Resource):
    def list(
        self, query: api.WebhookDeliveryQuery | None = None, **options: Unpack[CallOptions]
    ) -> Pages[api.WebhookDelivery]:
        """One row for each attempt, newest first."""
        return self._pages("/v1/webhooks/deliveries", query, options)

    def replay(self, delivery_id: str, **options: Unpack[WriteOptions]) -> api.WebhookReplay:
        """Sends a dead-lettered delivery again, as a new delivery."""
        return self._send("POST", f"/v1/webhooks/deliveries/{_id('', delivery_id)}/replay", **options)


def _id(prefix: str, value: object) -> str:
    """An id for a path, which must never contain a client secret. Raises UsageError."""
    shape, words = (f"{prefix}_[0-9A-Za-z]+", f"an id, {prefix}_…") if prefix else ("[0-9a-f]{32}", "a delivery id")
    if isinstance(value, str) and re.fullmatch(shape, value):
        return value
    is_secret = isinstance(value, str) and "_secret_" in value
    hint = " This is a client secret. It must never be part of an address." if is_secret else ""
    raise UsageError(f"The argument must be {words}.{hint}")

"""Does what the lines of its input say, for the table in sdk/vectors.json, and writes a line for each."""

import json
import sys
import traceback
from functools import reduce
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from ripper_checkout import Ripper, RipperError, verify_webhook  # noqa: E402


def send(request, waits):
    ripper = Ripper(
        request["secret_key"],
        base_url=request["base_url"],
        retries_max=request["retries_max"],
        timeout_seconds=request["timeout_ms"] / 1000,
        sleep=lambda seconds: waits.append(seconds * 1000),
    )
    options = {name: request[name] for name in ("idempotency_key", "amount") if name in request}
    answer = reduce(getattr, request["call"].split("."), ripper)(*request["args"], **options)
    return list(answer) if request.get("rows") else answer


def answer_of(request):
    waits = []
    try:
        if "verify" in request:
            asked = request["verify"]
            options = {"now": asked["now"], "tolerance": asked["tolerance"]}
            return {"value": verify_webhook(asked["body"].encode(), asked["headers"], asked["secrets"], **options)}
        return {"value": send(request["send"], waits), "waits": waits}
    except RipperError as error:
        names = ("code", "status", "request_id", "field", "allowed", "retry_after_seconds", "idempotency_key", "message")
        told = {name: getattr(error, name) for name in names if hasattr(error, name)}
        text = f"{traceback.format_exc()} {error!r} {vars(error)}"
        return {"error": {**told, "kind": type(error).__name__, "text": text}, "waits": waits}


for line in sys.stdin:
    print(json.dumps(answer_of(json.loads(line))), flush=True)

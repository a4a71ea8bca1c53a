# Makes the calls that come as lines of JSON through stripe-python: `python3 python.py FOLDER BASE_URL`.

import json
import sys

folder, base_url = sys.argv[1:]
sys.path.insert(0, folder)

import stripe  # noqa: E402: it is in that folder


def run(call, id=None, params=None, options=None, key=None):
    params = params or {}
    if call == "library":
        return {"version": stripe.VERSION, "api_version": stripe.api_version}
    client = stripe.StripeClient(key or "none", base_addresses={"api": base_url}, max_network_retries=2)
    if call == "webhooks.construct_event":
        return client.construct_event(params["payload"], params["signature"], params["secret"])
    *parents, method = call.split(".")
    service = client.v1
    for name in parents:
        service = getattr(service, name)
    ids = [id] if id else []
    given = getattr(service, method)(*ids, params=params, options=options or {})
    return list(given.auto_paging_iter()) if method == "list" else given


def plain(value):
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value if isinstance(value, dict) else json.loads(str(value))


def answer_to(step):
    try:
        return {"object": plain(run(**step))}
    except stripe.StripeError as error:
        told = error.error
        return {
            "error": {
                "class": type(error).__name__,
                # One without a class of its own has no code itself.
                "code": told.code if told else error.code,
                "param": getattr(error, "param", None),
                "status": error.http_status,
                "type": told.type if told else None,
                "message": str(error),
                "request_id": error.request_id,
            }
        }


for line in sys.stdin:
    print(json.dumps(answer_to(json.loads(line))), flush=True)

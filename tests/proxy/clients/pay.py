"""A client that behaves: one key for an intent, retries by kind with Retry-After, a bound. Pays two orders."""
import concurrent.futures
import hashlib
import http.client
import json
import os
import time
import urllib.error
import urllib.request

BASE, RUN = os.environ["IDEM_PROXY"], os.environ["IDEM_RUN"]


def pay(order, amount):
    headers = {"Content-Type": "application/json", "Idempotency-Key": hashlib.sha256(order.encode()).hexdigest()}
    body = json.dumps({"intent": order, "amount": amount}).encode()
    for _ in range(3):
        wait = 0.05
        try:
            request = urllib.request.Request(BASE + "/charges", body, headers)
            return json.load(urllib.request.urlopen(request, timeout=0.3))["receipt"]
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code != 429:
                raise SystemExit(f"refused: {error.code}")
            wait = float(error.headers.get("Retry-After") or wait)
        except (OSError, ValueError, http.client.HTTPException):
            pass
        time.sleep(wait)
    raise SystemExit("gave up")


with concurrent.futures.ThreadPoolExecutor() as both:
    print(list(both.map(lambda n: pay(f"{RUN}-{n}", 5), (1, 2))))

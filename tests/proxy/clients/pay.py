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


def log(**line):
    if "CLIENT_LOG" in os.environ:
        with open(os.environ["CLIENT_LOG"], "a") as file:
            file.write(json.dumps(line) + "\n")


def pay(order, amount):
    headers = {"Content-Type": "application/json", "Idempotency-Key": hashlib.sha256(order.encode()).hexdigest()}
    body = json.dumps({"intent": order, "amount": amount}).encode()
    for attempt in range(1, 4):
        wait, outcome = 0.05, {"error": "reset"}
        try:
            request = urllib.request.Request(BASE + "/charges", body, headers)
            receipt = json.load(urllib.request.urlopen(request, timeout=0.3))["receipt"]
            outcome = {"status": 200, "receipt": receipt}
            return receipt
        except urllib.error.HTTPError as error:
            outcome = {"status": error.code}
            if error.code < 500 and error.code != 429:
                raise SystemExit(f"refused: {error.code}")
            wait = float(error.headers.get("Retry-After") or wait)
        except (OSError, ValueError, http.client.HTTPException):
            pass
        finally:
            log(intent=order, attempt=attempt, key=headers["Idempotency-Key"], **outcome)
        time.sleep(wait)
    raise SystemExit("gave up")


with concurrent.futures.ThreadPoolExecutor() as both:
    print(list(both.map(lambda n: pay(f"{RUN}-{n}", 5), (1, 2))))

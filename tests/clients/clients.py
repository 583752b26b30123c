"""Python clients for survey.py: `clients.py NAME` pays one order as the library is set up, through IDEM_PROXY."""
import asyncio
import os
import sys

BASE = os.environ["IDEM_PROXY"]
ORDER = os.environ["IDEM_RUN"]
URL, JSON = BASE + "/charges", {"intent": ORDER, "amount": 5}


def requests_(retry):
    import requests

    session = requests.Session()
    session.mount("http://", requests.adapters.HTTPAdapter(max_retries=retry))
    session.post(URL, json=JSON, timeout=1).raise_for_status()


def requests_default():
    from urllib3.util.retry import Retry

    requests_(Retry(total=2, backoff_factor=0.1, status_forcelist=[429, 500, 502, 503, 504]))


def requests_any_method():
    from urllib3.util.retry import Retry

    requests_(Retry(total=2, backoff_factor=0.1, status_forcelist=[429, 500, 502, 503, 504], allowed_methods=None))


def httpx_plain():
    import httpx

    httpx.post(URL, json=JSON, timeout=1).raise_for_status()


def httpx_tenacity():
    from tenacity import retry, stop_after_attempt, wait_fixed

    retry(stop=stop_after_attempt(3), wait=wait_fixed(0.1), reraise=True)(httpx_plain)()


def httpx_tenacity_key_inside():
    import uuid

    import httpx
    from tenacity import retry, stop_after_attempt, wait_fixed

    @retry(stop=stop_after_attempt(3), wait=wait_fixed(0.1), reraise=True)
    def pay():
        key = {"Idempotency-Key": str(uuid.uuid4())}
        httpx.post(URL, json=JSON, headers=key, timeout=1).raise_for_status()

    pay()


def aiohttp_plain():
    import aiohttp

    async def pay():
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=1)) as session:
            async with session.post(URL, json=JSON, raise_for_status=True) as reply:
                await reply.json()

    asyncio.run(pay())


def aiohttp_retry():
    from aiohttp import ClientTimeout
    from aiohttp_retry import ExponentialRetry, RetryClient

    async def pay():
        options = ExponentialRetry(attempts=3, start_timeout=0.05, statuses={429})
        async with RetryClient(retry_options=options, timeout=ClientTimeout(total=1), raise_for_status=True) as client:
            async with client.post(URL, json=JSON) as reply:
                await reply.json()

    asyncio.run(pay())


def stripe_python(**more):
    import stripe

    client = stripe.StripeClient(
        "sk_test_x", base_addresses={"api": BASE}, http_client=stripe.RequestsClient(timeout=1), **more
    )
    client.v1.payment_intents.create(params={"amount": 5, "currency": "usd", "metadata": {"order": ORDER}})


def stripe_python_retries():
    stripe_python(max_network_retries=2)


globals()[sys.argv[1]]()

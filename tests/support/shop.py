"""A charge service as teams write it: FastAPI over PostgreSQL. Run by `uvicorn shop:app`.

DSN    where the database is; it has the tables of shop.sql
MODE   unique            the key is a unique row, written in one transaction with the charge and the reply
       check_then_insert look the key up, then charge, then write it: two steps, with no constraint
"""

import json
import os
import time

import fastapi
import psycopg
import pydantic

app = fastapi.FastAPI()


class Order(pydantic.BaseModel):
    intent: str
    amount: int


def unique(db, key, payload, order):
    taken = "insert into keys_unique (key, payload) values (%s, %s) on conflict (key) do nothing"
    # Where another has the key in a transaction of its own, this waits for its end.
    if db.execute(taken, (key, payload)).rowcount == 0:
        return known(db, "keys_unique", key)
    reply = charge(db, order)
    db.execute("update keys_unique set reply = %s where key = %s", (json.dumps(reply), key))
    return payload, reply


def check_then_insert(db, key, payload, order):
    if found := known(db, "keys_plain", key):
        return found
    # The payment provider takes its time.
    time.sleep(0.02)
    reply = charge(db, order)
    db.execute("insert into keys_plain (key, payload, reply) values (%s, %s, %s)", (key, payload, json.dumps(reply)))
    return payload, reply


def known(db, table, key):
    """Payload and reply of the key's first request; None where there was none."""
    row = db.execute(f"select payload, reply from {table} where key = %s limit 1", (key,)).fetchone()
    return row and (row[0], json.loads(row[1]))


def charge(db, order):
    made = "insert into charges (order_id, amount) values (%s, %s) returning id"
    return {"receipt": f"ch_{db.execute(made, (order.intent, order.amount)).fetchone()[0]}"}


@app.post("/charges", status_code=201)
def charges(order: Order, idempotency_key: str = fastapi.Header()):
    payload = order.model_dump_json()
    # Committed at the end of the block, before anything is answered.
    with psycopg.connect(os.environ["DSN"]) as db:
        first, reply = {"unique": unique, "check_then_insert": check_then_insert}[os.environ["MODE"]](
            db, idempotency_key, payload, order
        )
    if first != payload:
        raise fastapi.HTTPException(422, "the key was used for another payload")
    return reply

# A client that behaves: one key for an intent, retries by kind with Retry-After, a bound, and a log. Pays two orders.
pay() {
  for attempt in 1 2 3; do
    code=$(curl -s -o /dev/null -D "head-$1" --max-time 0.3 -w '%{http_code}' -H "Idempotency-Key: key-$1" \
      -H 'Content-Type: application/json' -d "{\"intent\":\"$1\",\"amount\":5}" "$IDEM_PROXY/charges") || code=0
    echo "{\"intent\":\"$1\",\"key\":\"key-$1\",\"attempt\":$attempt,\"status\":$code,\"error\":\"$code\"}" >> client.jsonl
    case $code in
      200) return 0 ;;
      429) sleep "$(sed -n 's/^[Rr]etry-[Aa]fter: \([0-9]*\).*/\1/p' "head-$1")" ;;
      4*) return 1 ;;
      *) sleep 0.05 ;;
    esac
  done
  return 1
}
pay "$IDEM_RUN-1" & pay "$IDEM_RUN-2" && wait $!

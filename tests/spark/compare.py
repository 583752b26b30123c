#!/usr/bin/env python3
"""Compares `idem classify` under Spark's rdd.pipe with one plain run. usage: compare.py IDEM [READINGS]
Exit codes: 0 the same, 1 not the same, 77 skipped because Spark cannot be had here."""
import collections, json, os, pathlib, shutil, subprocess, sys, tempfile, time, venv

PARTITIONS = 8
OPTIONS = ["classify", "--format", "jsonl", "--lookback", "2000000"]


def skip(why):
    print(f"SKIPPED: no comparison was made: {why}", file=sys.stderr)
    sys.exit(77)


def under_spark():
    """Runs this script again with a Python that has PySpark, installing it if need be."""
    try:
        import pyspark  # noqa: F401
        return
    except ImportError:
        pass
    if os.environ.get("IDEM_SPARK"):
        skip("PySpark was installed and cannot be imported")
    home = pathlib.Path(tempfile.gettempdir()) / "idem-pyspark"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    if subprocess.run([python, "-m", "pip", "install", "--quiet", "pyspark"]).returncode:
        skip("`pip install pyspark` failed")
    os.execve(python, [str(python), *sys.argv], dict(os.environ, IDEM_SPARK="1"))


def readings(count):
    """Attempts of many intents, interleaved, with every finding that is about one intent, and words between them."""
    number = told = 0
    while told < count:
        window = [[] for _ in range(50)]
        for slot in window:
            intent, kind = f"ord-{number:07}", number % 10
            key = f"k-{intent}"
            first = {"intent": intent, "attempt": 1, "key": key}
            second = {"intent": intent, "attempt": 2, "key": key}
            slot += {
                0: [dict(first, error="Read timed out"), dict(second, status=200, receipt=f"r-{intent}")],
                1: [dict(first, error="read ECONNRESET"), dict(second, key=key + "x", status=200)],
                2: [dict(first, status=422), dict(second, status=200)],
                3: [dict(first, status=200, receipt="a-" + intent), dict(second, status=200, receipt="b-" + intent)],
                4: [dict(first, error={"message": "socket hang up"})],
                5: [{"intent": intent, "error": "Read timed out"}, {"intent": intent, "status": 200}],
                6: [f"2026-11-02 10:00:00 ERROR charge failed: Connection refused intent={intent} attempt=1", dict(second, status=201)],
                7: ["10.0.0.1 - - [02/Nov/2026:10:00:00 +0000] \"GET /health HTTP/1.1\" 200 2", dict(first, status=200)],
            }.get(kind, [dict(first, status=200)])
            number += 1
        while any(window):
            for slot in filter(None, window):
                line = slot.pop(0)
                told += 1
                yield line if isinstance(line, str) else json.dumps(line)


def plain(idem, path):
    ran = subprocess.run([idem, *OPTIONS, path], stdout=subprocess.PIPE, text=True)
    return told(ran.stdout.splitlines())


def told(lines):
    """Verdicts and findings as multisets, without the lines they stand in."""
    verdicts, findings = collections.Counter(), collections.Counter()
    for said in map(json.loads, lines):
        if "symptom" in said:
            verdicts[tuple(str(said.get(f)) for f in ("intent", "attempt", "symptom", "effect", "action", "evidence"))] += 1
        elif "finding" in said:
            findings[said["finding"], said.get("intent")] += 1
    return verdicts, findings


def spark(idem, path):
    from pyspark import SparkContext
    from pyspark.rdd import portable_hash
    context = SparkContext("local[2]", "idem")
    context.setLogLevel("ERROR")
    lines = context.textFile(path, PARTITIONS)
    verdicts, _ = told(lines.pipe(" ".join([idem, *OPTIONS])).collect())
    keyed = lines.pipe(f"{idem} classify --partition-key").zipWithIndex()
    grouped = keyed.map(lambda line: ((line[0].split("\t", 1)[0], line[1]), line[0].split("\t", 1)[1]))
    ordered = grouped.repartitionAndSortWithinPartitions(PARTITIONS, lambda key: portable_hash(key[0]), keyfunc=lambda key: key[1])
    again, findings = told(ordered.values().pipe(" ".join([idem, *OPTIONS])).collect())
    context.stop()
    return verdicts, again, findings


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not shutil.which("java"):
        skip("there is no Java")
    under_spark()
    os.environ.setdefault("PYTHONHASHSEED", "0")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    idem, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "readings.log")
        with open(path, "w") as out:
            out.writelines(line + "\n" for line in readings(count))
        since = time.time()
        verdicts, findings = plain(idem, path)
        alone = time.time() - since
        piped, again, grouped = spark(idem, path)
    print(f"{sum(verdicts.values())} verdicts, {sum(findings.values())} findings: {dict(collections.Counter(k for k, _ in findings.elements()))}")
    print(f"one plain run {alone:.1f} s, Spark {time.time() - since - alone:.1f} s in {PARTITIONS} partitions")
    same = {"verdicts piped": piped == verdicts, "verdicts grouped": again == verdicts, "findings grouped": grouped == findings}
    for what, is_same in same.items():
        print(f"{what}: {'the same' if is_same else 'NOT the same'}")
    sys.exit(0 if all(same.values()) else 1)


main()

#!/usr/bin/env python3
"""Opens a report in headless Chromium and holds it to the JSON document of the same run.

    chromium.py REPORT.html REPORT.json PICTURES/

At a telephone's and a desk's width: nothing overflows, every label is inside its bar, and each time line has the marks
that the document has. Pictures of both, and of the dark, are left in the folder. What is wrong is printed, exit 1.
"""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

WIDTHS = (360, 1280)
# More charges of one intent are told by a number.
MOST_DOTS = 12

# Runs in a copy of the page, which itself has no script. The copy is in a frame, since a window has a least width.
MEASURE = """
<script>
const scrolls = element => element.closest('.scroll, pre');
const wide = [...document.body.querySelectorAll('*')].filter(element => {
  const box = element.getBoundingClientRect();
  return !scrolls(element) && box.width > 1 && (box.right > innerWidth + 0.5 || box.left < -0.5);
});
const boxes = [...document.querySelectorAll('.scroll, pre')].filter(box => {
  const around = box.parentElement.getBoundingClientRect();
  return box.getBoundingClientRect().right > around.right + 0.5;
});
const labels = [...document.querySelectorAll('svg .label')].filter(label => {
  const bar = label.previousElementSibling.getBBox(), text = label.getBBox();
  return text.x < bar.x || text.x + text.width > bar.x + bar.width;
});
const drawn = Object.fromEntries([...document.querySelectorAll('article')].map(article => [article.id, {
  requests: article.querySelectorAll('svg .request').length,
  marks: article.querySelectorAll('svg .mark').length,
  charges: article.querySelectorAll('svg .charge').length,
  numbers: [...article.querySelectorAll('svg [data-step]')].map(step => +step.dataset.step).sort((a, b) => a - b),
  steps: article.querySelectorAll('.steps > li').length,
  curl: article.querySelectorAll('.curl code').length,
}]));
const measured = document.createElement('pre');
measured.className = 'measured';
measured.textContent = JSON.stringify({
  width: innerWidth,
  scrolls: document.documentElement.scrollWidth,
  wide: wide.slice(0, 5).map(element => element.outerHTML.slice(0, 200)),
  boxes: boxes.slice(0, 5).map(element => element.outerHTML.slice(0, 200)),
  labels: labels.slice(0, 5).map(label => label.textContent),
  drawn,
});
parent.document.body.append(measured);
</script>
"""


def chromium(*args):
    name = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with tempfile.TemporaryDirectory() as profile:
        quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}"]
        done = subprocess.run([name, *quiet, *args], capture_output=True, text=True, timeout=60)
    return done.stdout


def expected(document):
    """What each time line has to show, by check."""
    shown = {}
    for row in document["checks"]:
        steps = row["timeline"]
        if row["verdict"] in ("OK", "SKIPPED") or not steps:
            continue
        who = [step["who"].split(",")[0] for step in steps]
        charges = [int(step["saw"].split()[0]) for step in steps if step["who"] == "ledger"]
        shown[row["check"]] = {
            "requests": who.count("client"),
            "marks": len(who) - who.count("client") - who.count("ledger"),
            "charges": sum(min(count, MOST_DOTS) for count in charges),
            "numbers": list(range(1, len(steps) + 1)),
            "steps": len(steps),
            "curl": len(document["run"]["checks"][row["check"]]["curl"]),
        }
    return shown


def measure(page):
    """What a browser makes of the page at each width."""
    copy = html.escape(page.replace("</body>", MEASURE + "</body>"))
    frames = [f'<iframe style="width:{width}px;height:900px;border:0" srcdoc="{copy}"></iframe>' for width in WIDTHS]
    with tempfile.TemporaryDirectory() as folder:
        framed = pathlib.Path(folder, "framed.html")
        framed.write_text("<!DOCTYPE html><meta charset=utf-8><body>" + "".join(frames))
        dom = chromium("--window-size=1400,2000", "--virtual-time-budget=2000", "--dump-dom", framed.as_uri())
    found = re.findall(r'<pre class="measured">(.*?)</pre>', dom, re.S)
    measured = {one["width"]: one for one in map(json.loads, map(html.unescape, found))}
    assert sorted(measured) == sorted(WIDTHS), f"measured at {sorted(measured)}"
    return measured


def faults(measured, document, width):
    """What is wrong at this width."""
    if measured["scrolls"] > width:
        yield f"at {width} the page is {measured['scrolls']} wide"
    for what in ("wide", "boxes", "labels"):
        for place in measured[what]:
            yield f"at {width} out of its place: {place}"
    wanted = expected(document)
    told = {check: measured["drawn"].get(check) for check in wanted}
    if told != wanted:
        differ = [check for check in wanted if told[check] != wanted[check]]
        yield f"at {width} the drawing of {differ[0]} has {told[differ[0]]}, the document {wanted[differ[0]]}"
    if not wanted:
        yield "the document has no time line to look for"


def foreign(page):
    """What would be loaded or run."""
    for pattern in (r"<script", r"<link", r"<img", r"<iframe", r"@import", r"url\(", r"\ssrc=", r'href="[^#]', r"\son\w+="):
        if found := re.search(pattern, page):
            yield f"the page has {found[0]}"


def pictures(report, folder):
    for width, scheme, number in [(width, "light", 1) for width in WIDTHS] + [(WIDTHS[-1], "dark", 0)]:
        picture = folder / f"report-{width}-{scheme}.png"
        yield (f"--window-size={width},3000", f"--blink-settings=preferredColorScheme={number}",
               f"--screenshot={picture}", report.as_uri()), picture


def main():
    report, document, folder = (pathlib.Path(arg).resolve() for arg in sys.argv[1:4])
    page, document = report.read_text(), json.loads(document.read_text())
    shots = list(pictures(report, folder))
    with ThreadPoolExecutor(2) as pool:
        measured = pool.submit(measure, page)
        taken = [pool.submit(chromium, *args) for args, _ in shots]
        wrong = list(foreign(page))
        for width, one in measured.result().items():
            wrong += faults(one, document, width)
        for future in taken:
            future.result()
    wrong += [f"no picture {file}" for _, file in shots if not file.exists() or file.stat().st_size < 1000]
    print("\n".join(wrong) or f"{len(expected(document))} time lines as the document has them; pictures in {folder}")
    sys.exit(bool(wrong))


main()

"""The table of what a client did under each fault of `idem proxy --fault all`."""

FAULTS = ["none", "pre_fail", "post_drop", "post_slow", "post_error", "half_reply", "half_request", "cut",
          "double_delivery", "late_arrival", "refusal", "throttle"]
HEADS = ["non", "pre", "drp", "slw", "err", "hrp", "hrq", "cut", "dbl", "lat", "400", "429"]


def head(title, width):
    """The names of the columns, behind a title that is so many characters wide."""
    return f"{title:<{width}}" + "".join(f"{name:>4}" for name in HEADS)


def cells(title, width, rows):
    """Attempts under each fault, `!` where it was charged twice and `-` where it was not charged at all."""
    cell = lambda row: row[3] + ("!" if "DUPLICATE" in row else "-" if "LOST" in row else "")
    return f"{title[:width]:<{width}}" + "".join(f"{cell(rows[fault]):>4}" for fault in FAULTS)

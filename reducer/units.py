"""Format numbers for display."""


def duration(seconds: float) -> str:
    """0.34 -> 0.3 s, 75 -> 1:15, 3700 -> 1:01:40."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def size(count: int) -> str:
    """Bytes with a decimal unit: 1234 -> 1.2 KB."""
    amount = float(count)
    for unit in ("B", "KB", "MB"):
        if amount < 999.5:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def percent(part: float, whole: float) -> str:
    """A share; 100 % only when nothing is left."""
    if whole <= 0:
        return "-"
    share = 100 * part / whole
    if part < whole and share > 99.95:
        return f"{min(share, 99.99):.2f}%"
    return f"{share:.1f}%"


def cut(text: str, width: int) -> str:
    """A text of at most `width` characters, with an ellipsis where the rest was.

    >>> cut("value is out of range", 12)
    'value is ou…'
    """
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"


def cut_inside(text: str, width: int) -> str:
    """The same for a message, whose last words stay: they may say what is wrong."""
    end = text[-(width // 3) :].partition(" ")[2]
    return text if len(text) <= width else f"{cut(text, width - len(end) - 1)} {end}".rstrip()


def plural(count: float, noun: str) -> str:
    """A count with its noun: 1 run, 2.5 runs."""
    number = f"{count:,.0f}" if count >= 10 or count == int(count) else f"{count:.1f}"
    return f"{number} {noun}" if number == "1" else f"{number} {noun}s"

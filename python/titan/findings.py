"""What the tools find, as an exception that shows the line of Python."""
import linecache

from . import Error

__all__ = ["Refused"]


class Refused(Error):
    """What is refused, by a simulated launch or by the compiler. `findings`: all that was found, as dictionaries; the
    first is the error. `kernel`: its name, where that is known."""

    def __init__(self, findings, kernel=""):
        self.findings, self.kernel = list(map(_python, findings)), kernel
        first = self.findings[0]
        super().__init__(first["code"], first["message"], first.get("rule", ""), _place(first),
                         first.get("fix", ""), text=_text(first))

    def __reduce__(self):
        return type(self), (self.findings, self.kernel)


# Rules that the tools word for the command line, or for kernels of titan IR.
_RULES = {"bad-argument": "What a launch is given has the form that docs/triton.md shows.",
          "assert-failed": "What tl.device_assert, tl.assume and the hints say holds wherever a program comes to it.",
          "step-limit": "A program ends within TITAN_MAX_STEPS operations (2^33)."}
_FIXES = {"bad-argument": "", "step-limit": "look for a loop that never ends, or raise TITAN_MAX_STEPS"}


def _python(finding):
    """A finding in the words of Python's programs."""
    code = finding["code"]
    changed = {"rule": _RULES[code]} if code in _RULES and finding.get("rule") else {}
    if code in _FIXES and ("--help" in finding.get("fix", "") or "--max-steps" in finding.get("fix", "")):
        changed["fix"] = _FIXES[code]
    return {**finding, **changed}


def _place(finding):
    if not finding.get("line"):
        return ""
    return f"{finding['file']}:{finding['line']}:{finding.get('column', 0)}"


def _lines(finding, indent):
    """As a traceback shows a line of Python."""
    if not finding.get("line"):
        return []
    lines = [f'{indent}File "{finding["file"]}", line {finding["line"]}']
    text = linecache.getline(finding["file"], finding["line"]).rstrip("\n")
    if text.strip():
        lines.append(f"{indent}  {text.strip()}")
        column = finding.get("column", 0) - (len(text) - len(text.lstrip()))
        if column >= 0:
            lines.append(indent + "  " + " " * column + "^")
    return lines


def _text(finding):
    code = f"[{finding['code']}]"
    lines = [finding["message"] + ("" if code in finding["message"] else "  " + code)] + _lines(finding, "  ")
    for place in finding.get("places", []):
        lines.append("  " + place["what"])
        if (place.get("file"), place.get("line")) != (finding.get("file"), finding.get("line")):
            lines += _lines(place, "    ")
    lines += ["  " + event for event in finding.get("events", [])]
    if finding.get("rule"):
        lines.append(f"rule: {finding['rule']}")
    if finding.get("fix"):
        lines.append(f"fix: {finding['fix']}")
    return "\n".join(lines)

#!/usr/bin/env python3
"""What titan-lsp-server says of programs, beside MLIR's diagnostics:

    lsp_check.py types WRONG RIGHT [--time]   WRONG is opened, and RIGHT typed in its place: the first finding, the verdict
    lsp_check.py busy SLOW WRONG              while SLOW is checked WRONG is typed, there and in another document
    lsp_check.py leaves SLOW                  the editor leaves, with and without a word, while SLOW is checked
    lsp_check.py broken WRONG                 messages that are none, between others
    lsp_check.py says FILE                    all that a checker says of it in the end: lines and codes
    lsp_check.py again FILE PART              of two kernels the first one is changed, at the first PART: what is checked again

--time: how long each took, in ms, from the text to the answer.
"""
import json
import os
import subprocess
import sys
import time

import lsp

URI = "file:///kernel.mlir"


class Editor(lsp.Server):
    def __init__(self):
        super().__init__()
        self.send("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1)
        answer = self.wait(lambda each: each.get("id") == 1)
        self.sync = answer["result"]["capabilities"]["textDocumentSync"]["change"]
        self.send("initialized", {})
        self.version = 0
        self.said = []

    def receive(self):
        message = super().receive()
        if message.get("method") == "textDocument/publishDiagnostics":
            self.said.append(message["params"])
        return message

    def open(self, text, uri=URI):
        self.version += 1
        self.send("textDocument/didOpen",
                  {"textDocument": {"uri": uri, "version": self.version, "languageId": "mlir", "text": text}})

    def type(self, *texts, uri=URI):
        for text in texts:
            self.version += 1
            self.send("textDocument/didChange",
                      {"textDocument": {"uri": uri, "version": self.version}, "contentChanges": [{"text": text}]})

    def until(self, wanted, uri=URI):
        """What titan check says of the last text, once one of it is wanted."""
        while True:
            said = self.wait(lambda each: each.get("method") == "textDocument/publishDiagnostics")["params"]
            if said["uri"] == uri and said.get("version", 0) > self.version:
                sys.exit("a version that there is not")
            ours = [each for each in said["diagnostics"] if each.get("source") == "titan check"]
            if (said["uri"], said.get("version")) == (uri, self.version) and any(wanted(each) for each in ours):
                return ours

    def leave(self, politely=True):
        began = time.monotonic()
        if politely:
            self.send("shutdown", None, 2)
            self.wait(lambda each: each.get("id") == 2)
            self.send("exit", None)
        else:
            self.process.stdin.close()
        code = self.process.wait()
        self.timer.cancel()
        took = time.monotonic() - began
        left = "nothing"
        for _ in range(100):  # What is killed takes a moment.
            try:
                os.killpg(self.process.pid, 0)
                left = "processes"
                time.sleep(0.05)
            except ProcessLookupError:
                left = "nothing"
                break
        print(f"exit code {code}, {'at once' if took < 5 else f'after {took:.0f} s'}, {left} left")


def is_error(diagnostic):
    return diagnostic["severity"] == 1


def is_verdict(diagnostic):
    return diagnostic["severity"] != 1


def show(title, began, diagnostics):
    took = f" {1e3 * (time.monotonic() - began):.0f} ms" if "--time" in sys.argv else ""
    print(f"{title}:{took}")
    for each in diagnostics:
        start, end = each["range"]["start"], each["range"]["end"]
        print(f"{start['line'] + 1}:{start['character'] + 1}-{end['character'] + 1} severity {each['severity']} "
              f"[{each.get('code', '')}] {each['message']}")
        for other in each.get("relatedInformation", ()):
            print(f"  {other['location']['range']['start']['line'] + 1}: {other['message']}")


def types(wrong, right):
    editor = Editor()
    print("whole texts" if editor.sync == 1 else "parts of texts")
    began = time.monotonic()
    editor.open(wrong)
    show("wrong", began, editor.until(is_error))
    began = time.monotonic()
    editor.type(wrong + "\n", right)  # A text that is changed again at once, too.
    show("right", began, editor.until(is_verdict))
    # What does not parse is MLIR's to say.
    editor.type(right.replace("titan.kernel", "titan.colonel", 1))
    said = editor.wait(lambda each: each.get("method") == "textDocument/publishDiagnostics"
                       and each["params"]["version"] == editor.version)["params"]["diagnostics"]
    print("unknown:", [(each["severity"], each.get("source")) for each in said])
    editor.leave()


def busy(slow, wrong):
    editor = Editor()
    editor.open(slow)
    time.sleep(0.5)
    began = time.monotonic()
    editor.type(wrong)
    editor.until(is_error)
    print("typed there:", "at once" if time.monotonic() - began < 4 else "late")
    editor.type(slow)
    time.sleep(0.5)
    began = time.monotonic()
    editor.open(wrong, "file:///other.mlir")
    editor.until(is_error, "file:///other.mlir")
    print("opened beside it:", "at once" if time.monotonic() - began < 4 else "late")
    # The first one is not forgotten.
    first = editor.version - 1  # The other's text is the last one; the first one's verdict may have come before it.
    while not any(said["uri"] == URI and said["version"] == first and any(map(is_verdict, said["diagnostics"]))
                  for said in editor.said):
        editor.receive()
    print("the first again: verdict")
    editor.send("textDocument/didClose", {"textDocument": {"uri": URI}})
    editor.leave()


def leaves(slow):
    for politely in (True, False):
        editor = Editor()
        editor.open(slow)
        time.sleep(0.3)
        editor.leave(politely)


def broken(wrong):
    editor = Editor()
    for text in (b"", b"{", b"[]", b"17", b"\xff\xfe", b'{"method": 3}', b'{"method": "textDocument/didChange"}',
                 b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 4}}',
                 b'{"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///none"}}}'):
        editor.write(text)
    editor.process.stdin.write(b"X-Header: 3\r\n\r\n")
    editor.open(wrong)
    print("still there:", editor.until(is_error)[0]["code"])
    editor.leave()


def says(text):
    question = json.dumps({"line": 1, "concluded": {}}) + "\n" + text
    lines = subprocess.run(["titan-lsp-server", "--as-checker"], input=question, capture_output=True, text=True,
                           check=True).stdout.splitlines()
    last = [said for said in map(json.loads, lines) if "kernel" not in said][-1]
    for each in last["findings"]:
        print(f"{each['line']}: {each.get('code', each['severity'])}")


def again(text, part):
    """A checker is asked, and one more of each text that comes of this one, with what the first has concluded."""
    at = text.index(part)
    concluded = {}

    def ask(title, text, remembers=True):
        question = json.dumps({"line": 1, "concluded": dict(concluded)}) + "\n" + text
        lines = subprocess.run(["titan-lsp-server", "--as-checker"], input=question, capture_output=True, text=True,
                               check=True).stdout.splitlines()
        findings, anew = [], 0
        for said in map(json.loads, lines):
            if "kernel" in said:
                anew += 1
                if remembers:
                    concluded[said.pop("kernel")] = said
            else:
                findings = said["findings"]
        print(f"{title}: {anew} anew;", ", ".join(f"{each['line']}: {each.get('code', each['message'].split(',')[0])}"
                                                  for each in findings))

    ask("at first", text)
    ask("the same", text)
    ask("changed", text[:at] + " " + text[at:])
    ask("undone", text)
    ask("lower", "\n" + text, remembers=False)
    ask("wrong", text[:at] + text[text.index("\n", at):])
    # The editor hears of the kernel that did not change, whichever of the two comes first.
    editor = Editor()
    editor.open(text)
    while len(editor.until(is_verdict)) < 2:
        pass
    editor.type(text[:at] + " " + text[at:])
    second = text[:text.rindex("titan.kernel")].count("\n")
    began = time.monotonic()
    editor.until(lambda each: is_verdict(each) and each["range"]["start"]["line"] == second)
    print("in the editor:", "at once" if time.monotonic() - began < 2 else "late")
    editor.leave()


def main():
    arguments = [each for each in sys.argv[1:] if each != "--time"]
    if arguments[0] == "again":
        return again(open(arguments[1]).read(), arguments[2])
    {"types": types, "busy": busy, "leaves": leaves, "broken": broken, "says": says}[arguments[0]](*(open(name).read()
                                                                                         for name in arguments[1:]))


main()

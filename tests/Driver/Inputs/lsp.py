#!/usr/bin/env python3
"""lsp.py FILE: opens FILE in titan-lsp-server as an editor would.

Prints the diagnostics that come back, those of the text with its first line
`// BAD` and all after it left out, and the server's exit code.
"""
import json
import subprocess
import sys
import threading


class Server:
    def __init__(self):
        self.process = subprocess.Popen(["titan-lsp-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        # A server that says nothing must not hold up the tests.
        self.timer = threading.Timer(120, self.process.kill)
        self.timer.daemon = True
        self.timer.start()

    def send(self, method, params, number=None):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
        self.write(json.dumps(message).encode())

    def write(self, text):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()

    def receive(self):
        length = None
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if length is None:
            sys.exit("titan-lsp-server closed its output")
        return json.loads(self.process.stdout.read(length))

    def wait(self, wanted):
        while True:
            message = self.receive()
            if wanted(message):
                return message

    def diagnostics(self, version, least=0):
        found = self.wait(lambda each: each.get("method") == "textDocument/publishDiagnostics"
                          and each["params"].get("version") == version
                          and len(each["params"]["diagnostics"]) >= least)["params"]
        print(f"version {version}: {len(found['diagnostics'])} diagnostics")
        for each in found["diagnostics"]:
            start = each["range"]["start"]
            print(f"{start['line'] + 1}:{start['character'] + 1}: "
                  f"severity {each['severity']}: {each['message']}")


def main():
    with open(sys.argv[1]) as file:
        text = file.read()
    server = Server()
    server.send("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1)
    answer = server.wait(lambda each: each.get("id") == 1)
    print("capabilities:", *sorted(answer["result"]["capabilities"]))
    server.send("initialized", {})
    document = {"uri": "file:///kernel.mlir", "version": 1}
    server.send("textDocument/didOpen",
                {"textDocument": {**document, "languageId": "mlir", "text": text}})
    server.diagnostics(1)
    server.send("textDocument/didChange",
                {"textDocument": {**document, "version": 2},
                 "contentChanges": [{"text": text.split("// BAD")[0]}]})
    server.diagnostics(2)
    # Deeper than any parser's stack: titan check refuses it.
    server.send("textDocument/didChange",
                {"textDocument": {**document, "version": 3},
                 "contentChanges": [{"text": "module {" * 20000 + "}" * 20000}]})
    server.diagnostics(3, least=1)
    # Nor has that of JSON one.
    server.write(b"[" * 200000)
    error = server.wait(lambda each: "error" in each)["error"]
    print(f"error {error['code']}: {error['message']}")
    server.send("shutdown", None, 2)
    server.wait(lambda each: each.get("id") == 2)
    server.send("exit", None)
    print("exit code", server.process.wait())
    server.timer.cancel()


if __name__ == "__main__":
    main()

"""Two forked workers, each with its own server: the first claims the task and stays, the second
completes it.  Prints what each was told, in one word."""

import json
import os
import subprocess
import sys

cli, folder, task = sys.argv[1:]


def call(tool):
    """Start a server, call the tool, return the first word of the answer."""
    messages = [
        {"method": "initialize", "params": {"clientInfo": {"name": "worker", "version": "1"}}},
        {"method": "tools/call", "params": {"name": tool, "arguments": {"task_id": task}}},
    ]
    text = "".join(json.dumps({"jsonrpc": "2.0", "id": n, **m}) + "\n" for n, m in enumerate(messages))
    done = subprocess.run([cli, "--dir", folder, "mcp"], input=text, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout.splitlines()[-1])["result"]
    return "refused" if result["isError"] else result["content"][0]["text"].split()[0]


def worker(tool, wait):
    """Fork; the child reports and then lives until its input is closed."""
    read, write = os.pipe()
    keep, close = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(close)
        os.write(write, call(tool).encode())
        os.close(write)
        if wait:
            os.read(keep, 1)
        os._exit(0)
    os.close(write)
    os.close(keep)
    with os.fdopen(read) as answer:
        return pid, close, answer.read()


first, hold, claimed = worker("claim_task", True)
second, rest, completed = worker("complete_task", False)
print(claimed, completed)
os.close(hold)
os.close(rest)
for child in (first, second):
    os.waitpid(child, 0)

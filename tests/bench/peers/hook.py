"""The benchmark's job in Python.  See ../cases."""
import json
import os
import re
import sys
import time

LIST, STATE = os.environ["LIST"], os.environ["STATE"]


def load(name):
    with open(os.path.join(LIST, name + ".json"), encoding="utf-8") as f:
        return json.load(f)


def save(path, value, indent):
    with open(path + ".new", "w", encoding="utf-8") as f:
        json.dump(value, f, indent=indent, ensure_ascii=False)
    os.rename(path + ".new", path)


class Lock:
    def __enter__(self):
        for _ in range(500):
            try:
                return os.mkdir(os.path.join(LIST, ".lock.lock"))
            except FileExistsError:
                time.sleep(0.005)
        sys.exit(1)

    def __exit__(self, *_):
        os.rmdir(os.path.join(LIST, ".lock.lock"))


def ready():
    tasks = {e.name[:-5]: load(e.name[:-5]) for e in os.scandir(LIST) if e.name.endswith(".json")}
    free = [t["id"] for t in tasks.values() if t["status"] == "pending" and not t.get("owner")
            and all(tasks[b]["status"] == "completed" for b in t["blockedBy"])]
    return ", ".join("#" + i for i in sorted(free, key=int)[:3])


def change(event):
    named = re.search(r"#(\d+)", event["tool_input"].get("prompt", ""))
    task_id = event["tool_input"].get("taskId") or (named and named[1])
    if not task_id:
        return
    task = load(task_id)
    blockers = [b for b in map(load, task.get("blockedBy", [])) if b["status"] != "completed"]
    if blockers:
        names = ", ".join('#%s "%s" (%s)' % (b["id"], b["subject"], b["status"]) for b in blockers)
        reason = "Task #%s is blocked by %s. Ready now: %s." % (task_id, names, ready())
        print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                                 "permissionDecisionReason": reason}}))
        print(reason, file=sys.stderr)
        sys.exit(2)
    if event["tool_input"].get("status") != "in_progress":
        return
    with Lock():
        load(task_id)
        path = os.path.join(STATE, "claims.json")
        with open(path, encoding="utf-8") as f:
            claims = json.load(f)
        claims[task_id] = event.get("agent_id")
        save(path, claims, None)
    updated = dict(event["tool_input"], owner=event.get("agent_id"))
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": updated}}))


def stop(event):
    agent, mine = event.get("agent_id"), []
    for entry in os.scandir(LIST):
        if entry.name.endswith(".json"):
            task = load(entry.name[:-5])
            if task.get("owner") == agent and task["status"] != "completed":
                mine.append(task["id"])
    if not mine:
        return
    with Lock():
        for task_id in mine:
            task = load(task_id)
            task["status"] = "pending"
            del task["owner"]
            save(os.path.join(LIST, task_id + ".json"), task, 2)
    print(json.dumps({"systemMessage": "released: " + " ".join(mine)}))


def main():
    event = json.load(sys.stdin)
    kind = event["hook_event_name"]
    if kind == "PreToolUse":
        change(event)
    elif kind == "SubagentStop":
        stop(event)


main()

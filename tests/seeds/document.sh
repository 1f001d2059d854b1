# document.sh: the layout with one tasks.json (the rest of it is in tests/check-document).
# shellcheck shell=bash
list=$CLAUDE_CONFIG_DIR/tasks/example
file=$list/tasks.json
mkdir -p "$list"

# The complete example of the document that describes the format, byte for byte.
example() {
	cat >"$file" <<'END'
{
  "tasks": [
    {
      "id": "task-001",
      "description": "Set up project structure",
      "status": "completed",
      "created_at": "2025-02-06T10:00:00Z",
      "updated_at": "2025-02-06T10:30:00Z",
      "assignee": null,
      "dependencies": [],
      "metadata": {
        "priority": "high",
        "tags": ["setup", "infrastructure"]
      }
    },
    {
      "id": "task-002",
      "description": "Implement authentication module",
      "status": "in_progress",
      "created_at": "2025-02-06T10:05:00Z",
      "updated_at": "2025-02-06T11:00:00Z",
      "assignee": "agent-123",
      "dependencies": ["task-001"],
      "metadata": {
        "priority": "high",
        "tags": ["backend", "security"]
      }
    },
    {
      "id": "task-003",
      "description": "Create user dashboard",
      "status": "blocked",
      "created_at": "2025-02-06T10:10:00Z",
      "updated_at": "2025-02-06T10:10:00Z",
      "assignee": null,
      "dependencies": ["task-002"],
      "metadata": {
        "priority": "medium",
        "tags": ["frontend", "ui"]
      }
    }
  ],
  "version": 2,
  "last_updated": "2025-02-06T11:00:00Z"
}
END
	cp "$file" before
}

# What became of the lines: those that went, and those that came, times and new ids aside.
changed_lines() {
	diff before "$file" | grep '^[<>]' | sed -E 's/[0-9]{4}-[0-9-]+T[0-9:]+Z/TIME/; s/[0-9a-f]{8}-[0-9a-f-]{27}/UUID/'
}

example
tasks -l example create 'A new task' -d 'And more.' --blocked-by task-002 --set priority=low
is '0.53: a new task is printed with 2 spaces at its depth, and all else keeps its bytes' '>     },
>     {
>       "id": "UUID",
>       "description": "A new task\n\nAnd more.",
>       "status": "blocked",
>       "created_at": "TIME",
>       "updated_at": "TIME",
>       "assignee": null,
>       "dependencies": [
>         "task-002"
>       ],
>       "metadata": {
>         "priority": "low"
>       }
<   "last_updated": "TIME"
>   "last_updated": "TIME"' "$(changed_lines)"

example
tasks -l example update task-003 --owner me --set 'custom_fields={"a":[1]}'
is '0.53: an edited task has its new values at their depth, and keeps the other bytes' '<       "updated_at": "TIME",
<       "assignee": null,
>       "updated_at": "TIME",
>       "assignee": "me",
<         "tags": ["frontend", "ui"]
>         "tags": ["frontend", "ui"],
>         "custom_fields": {
>           "a": [
>             1
>           ]
>         }
<   "last_updated": "TIME"
>   "last_updated": "TIME"' "$(changed_lines)"

document "$list"
tasks -l example create 'The first task'
node -e 'const t = require("fs").readFileSync(process.argv[1], "utf8");
	console.log(t === JSON.stringify(JSON.parse(t), null, 2) ? "same" : t)' "$file" >form
is '0.53: a document of JSON.stringify keeps that form' same "$(cat form)"

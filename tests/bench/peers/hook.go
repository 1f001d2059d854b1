// The benchmark's job in Go.  See ../cases.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

var list, state = os.Getenv("LIST"), os.Getenv("STATE")

type object = map[string]any

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(path string) object {
	text, err := os.ReadFile(path)
	check(err)
	var v object
	check(json.Unmarshal(text, &v))
	return v
}

func load(id string) object { return read(list + "/" + id + ".json") }

func save(path string, v any, indent string) {
	text, err := json.MarshalIndent(v, "", indent)
	check(err)
	check(os.WriteFile(path+".new", text, 0o644))
	check(os.Rename(path+".new", path))
}

func locked(fn func()) {
	for tries := 0; os.Mkdir(list+"/.lock.lock", 0o755) != nil; tries++ {
		if tries > 500 {
			os.Exit(1)
		}
		time.Sleep(5 * time.Millisecond)
	}
	defer os.Remove(list + "/.lock.lock")
	fn()
}

func all() map[string]object {
	entries, err := os.ReadDir(list)
	check(err)
	tasks := map[string]object{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") {
			name := strings.TrimSuffix(e.Name(), ".json")
			tasks[name] = load(name)
		}
	}
	return tasks
}

func ready() string {
	tasks := all()
	var free []int
next:
	for id, t := range tasks {
		if t["status"] != "pending" || t["owner"] != nil {
			continue
		}
		for _, b := range t["blockedBy"].([]any) {
			if tasks[b.(string)]["status"] != "completed" {
				continue next
			}
		}
		n, _ := strconv.Atoi(id)
		free = append(free, n)
	}
	sort.Ints(free)
	var names []string
	for _, n := range free {
		if len(names) < 3 {
			names = append(names, fmt.Sprintf("#%d", n))
		}
	}
	return strings.Join(names, ", ")
}

func change(event object) {
	input := event["tool_input"].(object)
	id, _ := input["taskId"].(string)
	if prompt, _ := input["prompt"].(string); id == "" {
		if named := regexp.MustCompile(`#(\d+)`).FindStringSubmatch(prompt); named != nil {
			id = named[1]
		} else {
			return
		}
	}
	var open []string
	blockers, _ := load(id)["blockedBy"].([]any)
	for _, b := range blockers {
		if t := load(b.(string)); t["status"] != "completed" {
			open = append(open, fmt.Sprintf("#%s \"%s\" (%s)", t["id"], t["subject"], t["status"]))
		}
	}
	if len(open) > 0 {
		reason := fmt.Sprintf("Task #%s is blocked by %s. Ready now: %s.", id, strings.Join(open, ", "), ready())
		json.NewEncoder(os.Stdout).Encode(object{"hookSpecificOutput": object{"hookEventName": "PreToolUse",
			"permissionDecision": "deny", "permissionDecisionReason": reason}})
		fmt.Fprintln(os.Stderr, reason)
		os.Exit(2)
	}
	if input["status"] != "in_progress" {
		return
	}
	locked(func() {
		load(id)
		claims := read(state + "/claims.json")
		claims[id] = event["agent_id"]
		save(state+"/claims.json", claims, "")
	})
	input["owner"] = event["agent_id"]
	json.NewEncoder(os.Stdout).Encode(object{"hookSpecificOutput": object{"hookEventName": "PreToolUse",
		"updatedInput": input}})
}

func stop(event object) {
	var mine []string
	for name, t := range all() {
		if t["owner"] == event["agent_id"] && t["status"] != "completed" {
			mine = append(mine, name)
		}
	}
	if len(mine) == 0 {
		return
	}
	locked(func() {
		for _, id := range mine {
			t := load(id)
			t["status"] = "pending"
			delete(t, "owner")
			save(list+"/"+id+".json", t, "  ")
		}
	})
	json.NewEncoder(os.Stdout).Encode(object{"systemMessage": "released: " + strings.Join(mine, " ")})
}

func main() {
	var event object
	check(json.NewDecoder(os.Stdin).Decode(&event))
	switch event["hook_event_name"] {
	case "PreToolUse":
		change(event)
	case "SubagentStop":
		stop(event)
	}
}

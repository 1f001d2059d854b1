// The benchmark's job in Rust.  See ../../../cases.
use serde_json::{json, Value};
use std::{collections::HashMap, env, fs, io, process, thread, time::Duration};

fn read(path: &str) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn save(path: &str, text: String) {
    let temporary = format!("{path}.new");
    fs::write(&temporary, text).unwrap();
    fs::rename(&temporary, path).unwrap();
}

struct Hook {
    list: String,
    state: String,
    event: Value,
}

impl Hook {
    fn load(&self, id: &str) -> Value {
        read(&format!("{}/{}.json", self.list, id))
    }

    fn locked(&self, work: impl FnOnce()) {
        let lock = format!("{}/.lock.lock", self.list);
        let mut tries = 0;
        while fs::create_dir(&lock).is_err() {
            tries += 1;
            if tries > 500 {
                process::exit(1);
            }
            thread::sleep(Duration::from_millis(5));
        }
        work();
        fs::remove_dir(&lock).unwrap();
    }

    fn all(&self) -> HashMap<String, Value> {
        let names = fs::read_dir(&self.list).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        names.filter_map(|n| n.strip_suffix(".json").map(|id| (id.to_string(), self.load(id)))).collect()
    }

    fn ready(&self) -> String {
        let tasks = self.all();
        let mut free: Vec<u64> = tasks
            .values()
            .filter(|t| t["status"] == "pending" && t["owner"].is_null())
            .filter(|t| {
                let mut blockers = t["blockedBy"].as_array().unwrap().iter();
                blockers.all(|b| tasks[b.as_str().unwrap()]["status"] == "completed")
            })
            .filter_map(|t| t["id"].as_str().unwrap().parse().ok())
            .collect();
        free.sort_unstable();
        free.iter().take(3).map(|n| format!("#{n}")).collect::<Vec<_>>().join(", ")
    }

    fn change(&self) {
        let input = &self.event["tool_input"];
        let prompt = input["prompt"].as_str().unwrap_or("");
        let named = prompt.split_once('#').map_or("", |(_, rest)| {
            &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())]
        });
        let id = input["taskId"].as_str().unwrap_or(named);
        if id.is_empty() {
            return;
        }
        let open: Vec<String> = self.load(id)["blockedBy"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|b| self.load(b.as_str().unwrap()))
            .filter(|b| b["status"] != "completed")
            .map(|b| format!("#{} {} ({})", b["id"].as_str().unwrap(), b["subject"], b["status"].as_str().unwrap()))
            .collect();
        if !open.is_empty() {
            let reason = format!("Task #{id} is blocked by {}. Ready now: {}.", open.join(", "), self.ready());
            println!("{}", json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
                "permissionDecision": "deny", "permissionDecisionReason": reason}}));
            eprintln!("{reason}");
            process::exit(2);
        }
        if input["status"] != "in_progress" {
            return;
        }
        self.locked(|| {
            self.load(id);
            let path = format!("{}/claims.json", self.state);
            let mut claims = read(&path);
            claims[id] = self.event["agent_id"].clone();
            save(&path, claims.to_string());
        });
        let mut input = input.clone();
        input["owner"] = self.event["agent_id"].clone();
        println!("{}", json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": input}}));
    }

    fn stop(&self) {
        let unfinished = |t: &Value| t["owner"] == self.event["agent_id"] && t["status"] != "completed";
        let mine: Vec<String> = self.all().into_iter().filter(|(_, t)| unfinished(t)).map(|(id, _)| id).collect();
        if mine.is_empty() {
            return;
        }
        self.locked(|| {
            for id in &mine {
                let mut task = self.load(id);
                task["status"] = "pending".into();
                task.as_object_mut().unwrap().remove("owner");
                save(&format!("{}/{}.json", self.list, id), serde_json::to_string_pretty(&task).unwrap());
            }
        });
        println!("{}", json!({"systemMessage": format!("released: {}", mine.join(" "))}));
    }
}

fn main() {
    let hook = Hook {
        list: env::var("LIST").unwrap(),
        state: env::var("STATE").unwrap(),
        event: serde_json::from_reader(io::stdin()).unwrap(),
    };
    match hook.event["hook_event_name"].as_str() {
        Some("PreToolUse") => hook.change(),
        Some("SubagentStop") => hook.stop(),
        _ => (),
    }
}

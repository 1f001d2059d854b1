// cases.js: read the cases of tests/cases and write their files to a scratch directory.
//
//	names()			["complete/blocked", ...]
//	scratch(prefix)		a new directory, on /dev/shm if possible, since a hook syncs its files
//	load(name)		the content of case.json; see the comment at the top of check-cases
//	prepare(root, testcase)	write its files to root/project and root/config; returns the paths, the
//				environment, and `runs`: each a command line and the bytes of an event
//	startOf(pid)		the start of a process, as the programs under test write it
//	eventOf(given, tasks)	the complete event, with the keys in the order of the client

'use strict';

const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const cases = path.join(__dirname, 'cases');
const SESSION = '11111111-1111-4111-8111-111111111111';
const DEAD = 4194305;	/* above the kernel's largest process id */
const build = path.resolve(__dirname, '..', process.env.BUILD || 'build');
const START = startOf(process.pid);

function startOf(pid) {
	return Number(execFileSync(path.join(build, 'tests/tool-process'), ['start', String(pid)]));
}

const permission_mode = 'default', effort = { level: 'medium' };
const agent_id = 'a1111111111111111', ann = 'aann-00000000000000aa';
const task = { task_id: undefined, task_subject: undefined, task_description: undefined,
    teammate_name: undefined, team_name: undefined };

/* The fields besides session_id, transcript_path, cwd and prompt_id: see tests/payloads. */
const EVENTS = {
	PreToolUse: { permission_mode, effort, tool_name: 'TaskUpdate', tool_input: {}, tool_use_id: 'toolu_1' },
	PostToolUse: { permission_mode, effort, tool_name: 'TaskUpdate', tool_input: {}, tool_response: {},
	    tool_use_id: 'toolu_1', duration_ms: 5 },
	TaskCreated: task,
	TaskCompleted: task,
	TeammateIdle: { permission_mode, agent_id: ann, teammate_name: 'ann', team_name: 'session-11111111' },
	SubagentStart: { agent_id },
	SubagentStop: { permission_mode, agent_id, effort, stop_hook_active: false,
	    agent_transcript_path: undefined, last_assistant_message: 'done', background_tasks: [],
	    session_crons: [] },
	Stop: { permission_mode, effort, stop_hook_active: false, last_assistant_message: 'done',
	    background_tasks: [], session_crons: [] },
	StopFailure: { effort, error: 'unknown', last_assistant_message: 'done' },
	SessionStart: { prompt_id: undefined, source: 'startup' },
	SessionEnd: { reason: 'other' },
	UserPromptSubmit: { permission_mode, prompt: 'go' },
	ConfigChange: { prompt_id: undefined, source: 'local_settings',
	    file_path: '@PROJECT@/.claude/settings.local.json' },
};
const HEAD = ['session_id', 'transcript_path', 'cwd', 'prompt_id', 'permission_mode', 'agent_id',
    'agent_type', 'effort', 'hook_event_name'];

const HOOKS = { PreToolUse: 'on-pretooluse-task', PostToolUse: 'on-pretooluse-task',
    TaskCompleted: 'on-task-completed-verify' };

const KEYS = ['note', 'before', 'tasks', 'claims', 'team', 'config', 'user', 'env', 'run', 'event', 'events'];

/* The fields that follow from other fields of an event. */
function derived(event, tasks) {
	const transcripts = `@CONFIG@/projects/p/${event.session_id}`;
	const more = { transcript_path: transcripts + '.jsonl' };
	if (event.agent_id) {
		const teammate = /^a(.+)-[0-9a-f]{16}$/.exec(event.agent_id);
		more.agent_type = teammate ? teammate[1] : 'general-purpose';
	}
	if (event.hook_event_name === 'SubagentStop')
		more.agent_transcript_path = `${transcripts}/subagents/agent-${event.agent_id}.jsonl`;
	if (event.task_id) {
		const found = tasks[event.task_id] || taskOf({ subject: 'One' });
		more.task_subject = found.subject;
		more.task_description = found.description;
	}
	return more;
}

function eventOf(given, tasks = {}) {
	const event = Object.fromEntries(HEAD.map((key) => [key, undefined]));
	const name = given.hook_event_name || 'PreToolUse';
	Object.assign(event, { session_id: SESSION, cwd: '@PROJECT@',
	    prompt_id: '99999999-9999-4999-8999-999999999999', hook_event_name: name }, EVENTS[name], given);
	Object.assign(event, derived(event, tasks), given);
	for (const key of Object.keys(event))
		if (event[key] === null)
			delete event[key];
	return event;
}

function taskOf(given, listed = {}) {
	const more = given.subject ? { description: `${given.subject}, in full.` } : {};
	return { id: undefined, subject: undefined, description: undefined, owner: undefined, status: 'pending',
	    blocks: [], blockedBy: [], ...listed, ...more, ...given };
}

function claimOf(given) {
	const claim = { task: undefined, agent_id: undefined, session: SESSION, owner: given.agent_id,
	    tool_use_id: 'toolu_0', pid: process.pid, pid_start: START, time_ms: Date.now(), settled: true,
	    ...given };
	claim.pid = Number(claim.pid);
	return claim;
}

const readJson = (file) => {
	try {
		return JSON.parse(fs.readFileSync(file, 'utf8'));
	} catch {
		return null;
	}
};

const copy = (from, to) => fs.existsSync(from) &&
    fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true });

function names() {
	const files = fs.readdirSync(cases, { recursive: true })
	    .filter((file) => ['case.json', 'expected'].includes(path.basename(file)));
	return [...new Set(files.map((file) => path.dirname(file)))].sort();
}

function load(name) {
	const dir = path.join(cases, name), c = JSON.parse(fs.readFileSync(path.join(dir, 'case.json'), 'utf8'));
	const unknown = Object.keys(c).filter((key) => !KEYS.includes(key));
	if (unknown.length > 0)
		throw new Error(`unknown in case.json: ${unknown.join(', ')}`);
	return { dir, ...c };
}

function scratch(prefix) {
	return fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), prefix));
}

/* The list: the files of `before`, those in tasks/, then the changes in `tasks`. */
function layTasks(list, c) {
	const dir = path.join(c.dir, 'tasks');
	if (c.before === undefined && c.tasks === undefined && !fs.existsSync(dir))
		return {};
	fs.mkdirSync(list, { recursive: true });
	if (c.before !== undefined)
		fs.cpSync(path.join(cases, 'lists', c.before), list, { recursive: true });
	copy(dir, list);
	for (const [id, given] of Object.entries(c.tasks || {})) {
		const file = path.join(list, id + '.json');
		fs.writeFileSync(file, JSON.stringify(taskOf({ id, ...given }, readJson(file) || {}), null, 2));
	}
	return Object.fromEntries(fs.readdirSync(list).map((name) => [path.basename(name, '.json'),
	    readJson(path.join(list, name))]));
}

function layState(state, c, fill) {
	const dir = path.join(c.dir, 'state');
	if (c.claims === undefined && !fs.existsSync(dir))
		return;
	fs.mkdirSync(state, { recursive: true, mode: 0o700 });
	fs.chmodSync(path.dirname(state), 0o700);
	copy(dir, state);
	for (const file of fs.readdirSync(state).map((name) => path.join(state, name)))
		fs.writeFileSync(file, fill(fs.readFileSync(file, 'latin1')), 'latin1');
	if (c.claims !== undefined)
		fs.writeFileSync(path.join(state, 'claims.json'),
		    JSON.stringify({ claims: c.claims.map(claimOf) }, null, 1));
}

/* The file of the team that this session leads; its teammates live in the same process. */
function layTeam(config, members) {
	const name = `session-${SESSION.slice(0, 8)}`, dir = path.join(config, 'teams', name);
	const all = ['team-lead', ...members].map((member) => ({ agentId: `${member}@${name}`, name: member,
	    agentType: member === 'team-lead' ? member : 'general-purpose' }));
	fs.mkdirSync(dir, { recursive: true });
	fs.writeFileSync(path.join(dir, 'config.json'), JSON.stringify({ name, leadAgentId: all[0].agentId,
	    leadSessionId: SESSION, leadProcess: { pid: process.pid }, members: all }, null, 2));
}

function laySettings(file, raw, settings, fill) {
	if (settings === undefined && !fs.existsSync(raw))
		return;
	fs.mkdirSync(path.dirname(file), { recursive: true });
	fs.writeFileSync(file, settings === undefined ? fill(fs.readFileSync(raw, 'utf8')) :
	    JSON.stringify(settings, null, 2) + '\n');
}

function prepare(root, testcase) {
	const project = path.join(root, 'project'), config = path.join(root, 'config');
	const list = path.join(config, 'tasks/lab'), state = path.join(config, 'task-hooks/lab');
	const fill = (text) => text.replaceAll('@PROJECT@', project).replaceAll('@CONFIG@', config)
	    .replaceAll('@PID@', process.pid).replaceAll('@START@', START).replaceAll('@DEAD@', DEAD)
	    .replaceAll('@NOW@', Date.now());
	const c = JSON.parse(fill(JSON.stringify(testcase)));

	const env = { PATH: process.env.PATH, HOME: root, LANG: 'C.UTF-8', CLAUDE_CONFIG_DIR: config,
	    CLAUDE_CODE_TASK_LIST_ID: 'lab', CLAUDE_PID: String(process.pid), CLAUDE_PROJECT_DIR: project };
	for (const name of ['ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS'])
		if (process.env[name])
			env[name] = process.env[name];
	for (const [name, value] of Object.entries(c.env || {}))
		if (value === null)
			delete env[name];
		else
			env[name] = value;

	fs.mkdirSync(path.join(project, '.git'), { recursive: true });
	fs.mkdirSync(config, { recursive: true });
	const tasks = layTasks(list, c);
	layState(state, c, fill);
	if (c.team !== undefined)
		layTeam(config, c.team);
	laySettings(path.join(project, '.claude/task-hooks.json'), path.join(c.dir, 'config.json'), c.config, fill);
	laySettings(path.join(config, 'task-hooks.json'), path.join(c.dir, 'user.json'), c.user, fill);
	copy(path.join(c.dir, 'files'), project);

	const raw = path.join(c.dir, 'event.raw');
	const runs = c.event === undefined && c.events === undefined ?
	    [{ command: c.run, input: Buffer.from(fill(fs.readFileSync(raw, 'latin1')), 'latin1') }] :
	    (c.events || [c.event]).map((given) => ({
		command: c.run || HOOKS[given.hook_event_name || 'PreToolUse'] || 'on-subagent-stop',
		input: Buffer.from(fill(JSON.stringify(eventOf(given, tasks))) + '\n') }));
	return { project, config, list, state, env, runs };
}

module.exports = { DEAD, eventOf, load, names, prepare, scratch, startOf };

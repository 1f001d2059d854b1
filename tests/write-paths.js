// write-paths.js: one small case for each way to write files, and the conditions that its files must
// meet after any fault.  For check-faults, check-filesystems and check-power.
//
//	CASES			the cases
//	place(case[, from])	the directories of a run, new or copied from another run
//	restore(case, place, from)	copy the directories again
//	execute(case, place, prefix)	run its command there; prefix: for example strace
//	judgeList, judgeState, finalState, snapshot	see their comments
'use strict';
const { spawn } = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const os = require('os');
const path = require('path');

const { startOf } = require('./cases.js');

const top = path.resolve(__dirname, '..');
const build = path.resolve(top, process.env.BUILD || 'build');
// On /dev/shm if possible: there are thousands of runs, and each syncs its files.
const temp = fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'write-paths-'));
process.on('exit', () => fs.rmSync(temp, { recursive: true, force: true }));
let scratch = 0, passed = 0, failed = 0;
// What install registers: it reads the programs whole, and ours are large. (malloc maps a file of this size, too.)
const programs = path.join(temp, 'programs');
fs.mkdirSync(programs);
for (const name of ['on-pretooluse-task', 'on-subagent-stop', 'on-task-completed-verify'])
	fs.writeFileSync(path.join(programs, name), '#!/bin/sh\n'.padEnd(256 << 10), { mode: 0o755 });

function check(name, good, why) {
	if (good) passed++;
	else failed++;
	console.log(`${good ? 'ok' : 'FAIL'} ${name}`);
	if (!good && why) console.log(String(why).split('\n').slice(0, 60).map(l => `  | ${l}`).join('\n'));
}

function finish() {
	console.log(`${passed} passed, ${failed} failed`);
	process.exitCode = failed ? 1 : 0;
}

// --- the cases ---------------------------------------------------------------

const SESSION = '11111111-1111-4111-8111-111111111111';
const AGENT = 'a1111111111111111';
const start = startOf(process.pid);
const task = (id, more) => JSON.stringify({ id, subject: `Task ${id}`, description: `What ${id} is.`,
	status: 'pending', blocks: [], blockedBy: [], ...more }, null, 2);
const claim = (id, more) => ({ task: id, agent_id: AGENT, session: SESSION, owner: AGENT,
	tool_use_id: 'toolu_0', pid: process.pid, pid_start: start, time_ms: Date.now(), settled: true, ...more });
const event = (name, more) => JSON.stringify({ session_id: SESSION, transcript_path: '/nonexistent',
	permission_mode: 'default', agent_id: AGENT, agent_type: 'general-purpose', hook_event_name: name, ...more });
const isTask = f => /^(\d+|tasks)\.json$/.test(f);
const tasks = dir => Object.fromEntries(fs.readdirSync(dir).filter(isTask)
    .map(f => [f, JSON.parse(fs.readFileSync(path.join(dir, f), 'utf8'))]));

const LIST = {
	'1.json': task('1'),
	'2.json': task('2', { owner: AGENT, status: 'in_progress' }),
	'3.json': task('3', { blocks: ['4'] }),
	'4.json': task('4', { blockedBy: ['3'] }),
	'.highwatermark': '2',
};
const CLAIMS = { 'claims.json': JSON.stringify({ claims: [claim('2')] }) };

const DOCUMENT = { 'tasks.json': JSON.stringify({ tasks: [
	{ id: '1', subject: 'Task 1', description: 'What 1 is.', status: 'pending', priority: 'high' },
	{ id: '2', subject: 'Task 2', description: 'What 2 is.', status: 'pending', dependencies: ['1'] },
], version: 2, last_updated: '2026-02-06T20:41:00Z' }, null, 2) };
const GATES = '{ "gates": [{ "name": "g", "run": ["true"], "files": ["*.c"] }] }';
const completed = JSON.stringify({ session_id: SESSION, hook_event_name: 'TaskCompleted', task_id: '4',
	task_subject: 'Task 4', task_description: 'What 4 is.' });

// command: in build/; list, state, config, project: the files before the run; final: the condition
// after the second run; again: the statuses that the second run may have; oneSided: several files change,
// each may be old or new; late: it can fail after the tasks are written; brief: fewer faults, see check-faults; judges: refuses if it cannot check; inert: calls that are not made to fail
// (with an injected error strace does not close the descriptor, and a child, or a lock that is taken again, would wait for that).
const CASES = [
	{ name: 'create', command: ['claude-tasks', 'create', 'New', '-d', 'A new one.', '--blocked-by', '1'],
		oneSided: true,
		final: t => Object.values(t).filter(x => x.subject === 'New').length >= 1 && '5.json' in t &&
		    t['1.json'].blocks.length >= 1 },
	{ name: 'update', command: ['claude-tasks', 'update', '1', '-d', 'Another text.', '--set', 'k=1'],
		final: t => t['1.json'].description === 'Another text.' },
	{ name: 'update-two', command: ['claude-tasks', 'update', '1', '3', '-d', 'Another text.'], oneSided: true,
		final: t => t['1.json'].description === 'Another text.' && t['3.json'].description === 'Another text.' },
	// (A name that cannot be looked at counts as taken.)
	{ name: 'import', command: ['claude-tasks', 'import', 'two.json'], brief: true, inert: ['faccessat2'],
		project: { 'two.json': `[${task('7', { blockedBy: ['8'] })},${task('8', { blocks: ['7'] })}]` },
		final: t => ['Task 7', 'Task 8'].every(s => Object.values(t).some(x => x.subject === s)) },
	{ name: 'clear', command: ['claude-tasks', 'clear', '--yes'], brief: true,
		final: t => !('1.json' in t) && !('4.json' in t) },
	{ name: 'claim', command: ['claude-tasks', 'claim', '1', '--agent', 'me'], state: {},
		final: t => t['1.json'].status === 'in_progress' && t['1.json'].owner === 'me' },
	{ name: 'release', command: ['claude-tasks', 'release', '2'], state: CLAIMS, late: true,
		final: t => t['2.json'].status === 'pending' && !('owner' in t['2.json']) },
	{ name: 'delete', command: ['claude-tasks', 'delete', '3'], again: [0, 1, 10], oneSided: true,
		final: t => !('3.json' in t) && !t['1.json'].blocks.length },
	{ name: 'hook-claim', command: ['on-pretooluse-task'], input: event('PreToolUse',
	    { tool_name: 'TaskUpdate', tool_input: { taskId: '1', status: 'in_progress' }, tool_use_id: 'toolu_1' }),
	final: (t, state) => JSON.parse(state('claims.json')).claims.some(c => c.task === '1') },
	{ name: 'hook-release', command: ['on-subagent-stop'], state: CLAIMS, input: event('SubagentStop',
	    { stop_hook_active: false, last_assistant_message: 'done' }),
	final: t => t['2.json'].status === 'pending' && !('owner' in t['2.json']) },
	{ name: 'hook-sync', command: ['on-subagent-stop'],
		input: JSON.stringify([{ id: '1', status: 'completed' }]),
		final: t => t['1.json'].status === 'completed' },
	{ name: 'complete', command: ['claude-tasks', 'complete', '1'], brief: true, late: true, again: [0, 12],
		final: t => t['1.json'].status === 'completed' },
	{ name: 'verify', command: ['on-task-completed-verify'], brief: true, git: false, inert: ['close'],
		config: { 'task-hooks.json': GATES }, project: { 'a.c': 'x' },
		input: completed.replace(/4/g, '1'),
		final: (t, state) => state('journal.jsonl').includes('"event":"receipt"') },
	// The same with a trusted gate file in the project.
	{ name: 'verify-trusted', command: ['on-task-completed-verify'], brief: true, git: false, inert: ['close'],
		project: { 'a.c': 'x', '.claude/task-hooks.json': GATES }, trusted: true,
		input: completed.replace(/4/g, '1'),
		final: (t, state) => state('journal.jsonl').includes('"event":"receipt"') },
	// PreToolUse of a completion: what it found is kept for TaskCompleted.
	{ name: 'judge', command: ['on-pretooluse-task'], brief: true, git: false, inert: ['close'], judges: true,
		config: { 'task-hooks.json': GATES }, project: { 'a.c': 'x' },
		input: event('PreToolUse', { tool_name: 'TaskUpdate', tool_use_id: 'toolu_1',
			tool_input: { taskId: '1', status: 'completed', metadata: { k: 'v' } } }),
		final: (t, state) => state('call-1.json').includes('"verdict":{') },
	// These are refused without a fault, and must not pass because of one.
	{ name: 'verify-blocked', command: ['on-task-completed-verify'], brief: true, refuses: true, state: {},
		input: completed },
	{ name: 'verify-subtask', command: ['on-task-completed-verify'], brief: true, refuses: true, state: {},
		list: { ...LIST, '4.json': task('4'), '5.json': task('5', { metadata: { parent_id: '4' } }) },
		input: completed },
	{ name: 'judge-blocked', command: ['on-pretooluse-task'], brief: true, refuses: true, state: {},
		config: { 'task-hooks.json': '{ "rules": { "complete": "off" } }' },
		input: event('PreToolUse', { tool_name: 'TaskUpdate', tool_use_id: 'toolu_1',
			tool_input: { taskId: '4', status: 'completed' } }) },
	{ name: 'start-blocked', command: ['on-pretooluse-task'], brief: true, refuses: true, state: {},
		input: event('PreToolUse', { tool_name: 'TaskUpdate', tool_use_id: 'toolu_1',
			tool_input: { taskId: '4', status: 'in_progress' } }) },
	{ name: 'start-claimed', command: ['on-pretooluse-task'], brief: true, refuses: true,
		list: { ...LIST, '1.json': task('1', { status: 'in_progress' }) },
		state: { 'claims.json': JSON.stringify({ claims: [claim('1', { agent_id: undefined,
			owner: undefined, session: '22222222-2222-4222-8222-222222222222' })] }) },
		input: event('PreToolUse', { tool_name: 'TaskUpdate', tool_use_id: 'toolu_1',
			tool_input: { taskId: '1', status: 'in_progress' } }) },
	{ name: 'document', command: ['claude-tasks', 'update', '1', '-d', 'Another text.'], list: DOCUMENT,
		inert: ['close'],
		final: t => t['tasks.json'].tasks[0].description === 'Another text.' },
	{ name: 'document-create', command: ['claude-tasks', 'create', 'New', '-d', 'x', '--blocked-by', '1'],
		list: DOCUMENT, brief: true, oneSided: true, inert: ['close'],
		final: t => t['tasks.json'].tasks.some(x => x.description.startsWith('New')) },
	{ name: 'document-delete', command: ['claude-tasks', 'delete', '2'], list: DOCUMENT, brief: true, again: [0, 1, 10],
		inert: ['close'],
		final: t => t['tasks.json'].tasks.length === 1 },
	{ name: 'document-sync', command: ['on-subagent-stop'], list: DOCUMENT, brief: true,
		input: JSON.stringify([{ id: '1', status: 'completed' }]),
		final: t => t['tasks.json'].tasks[0].status === 'completed' },
	{ name: 'trust', command: ['claude-tasks', 'trust', '--yes'],
		project: { '.claude/task-hooks.json': GATES },
		final: (t, state, config) => JSON.stringify(JSON.parse(config('task-hooks/trust.json'))).includes('task-hooks.json') },
	{ name: 'journal', command: ['tests/tool-lock', 'journal', '@STATE@', 'me', '1'], state: {},
		final: (t, state) => state('journal.jsonl').includes('"agent":"me"') },
	{ name: 'settings', command: ['claude-tasks', 'install', '--user', '-y', '--bin', programs, '--client',
		'/bin/true', '--no-todo-tools'],
	inert: ['close'],
	config: { 'settings.json': '{\n  "model": "x",\n  "hooks": {}\n}\n' },
	final: (t, state, config) => JSON.parse(config('settings.json')).model === 'x' &&
	    config('settings.json').includes('on-subagent-stop') },
];

// --- a run -------------------------------------------------------------------

function copy(from, to) {
	fs.mkdirSync(to, { recursive: true });
	for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
		const source = path.join(from, entry.name), target = path.join(to, entry.name);
		if (entry.isDirectory()) copy(source, target);
		else fs.copyFileSync(source, target);
	}
}

// The directories of a run, created from the case or copied from another run.
function place(c, from) {
	const root = path.join(temp, String(++scratch));
	const p = { root, config: path.join(root, 'config'), project: path.join(root, 'project') };
	p.list = path.join(p.config, 'tasks/lab');
	p.state = path.join(p.config, 'task-hooks/lab');
	if (from) {
		restore(c, p, from);
		return p;
	}
	const put = (dir, files) => {
		for (const [name, text] of Object.entries(files || {})) {
			fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
			fs.writeFileSync(path.join(dir, name), text);
		}
	};
	for (const dir of [p.project, p.list]) fs.mkdirSync(dir, { recursive: true });
	fs.mkdirSync(path.join(root, 'home'));
	if (c.git !== false) fs.mkdirSync(path.join(p.project, '.git'));
	fs.writeFileSync(path.join(p.list, '.lock'), '');
	put(p.list, c.list || LIST);
	put(p.config, c.config);
	put(p.project, c.project);
	if (c.state) {
		fs.mkdirSync(p.state, { recursive: true, mode: 0o700 });
		fs.chmodSync(path.dirname(p.state), 0o700);
		put(p.state, c.state);
	}
	return p;
}

// Make the files of a run those of another one again.
function restore(c, p, from) {
	fs.rmSync(p.root, { recursive: true, force: true });
	copy(from.root, p.root);
	if (c.trusted) trust(p);
}

// Writes trust.json as claude-tasks trust does; it contains the path of the directory.
function trust(p) {
	const file = path.join(p.project, '.claude/task-hooks.json'), text = fs.readFileSync(file, 'utf8');
	const sha256 = crypto.createHash('sha256').update(text).digest('hex');
	fs.mkdirSync(path.dirname(p.state), { recursive: true, mode: 0o700 });
	fs.writeFileSync(path.join(path.dirname(p.state), 'trust.json'),
	    JSON.stringify({ files: [{ path: file, sha256, time: '2026-11-16T00:00:00Z', text }] }), { mode: 0o600 });
}

// How to run the command of a case there: arguments, environment, standard input.
function invocation(c, p) {
	return { command: [path.join(build, c.command[0]), ...c.command.slice(1).map(s => s.replace('@STATE@', p.state))],
		env: { PATH: process.env.PATH, HOME: path.join(p.root, 'home'), CLAUDE_CONFIG_DIR: p.config,
			CLAUDE_CODE_TASK_LIST_ID: 'lab', LANG: 'C.UTF-8', TMPDIR: p.root },
		input: c.input ? c.input.replace('{', `{"cwd":${JSON.stringify(p.project)},`) : '' };
}

function execute(c, p, prefix) {
	const { command, env, input } = invocation(c, p), all = [...prefix, ...command];
	return new Promise(done => {
		// In its own process group: strace does not end its children when it is killed.
		const child = spawn(all[0], all.slice(1), { cwd: p.project, env, detached: true });
		const r = { stdout: '', stderr: '', hung: false };
		const timer = setTimeout(() => {
			r.hung = true;
			process.kill(-child.pid, 'SIGKILL');
		}, 60000);
		child.stdout.on('data', d => { r.stdout += d; });
		child.stderr.on('data', d => { r.stderr += d; });
		child.on('close', (status, signal) => {
			clearTimeout(timer);
			done(Object.assign(r, { status, signal }));
		});
		child.stdin.on('error', () => {});
		child.stdin.end(input);
	});
}

// --- conditions ----------------------------------------------------------

const OK = null;
const TORN = 'torn';

// Verify the hash chain of the journal.
function chain(file) {
	let text;
	try { text = fs.readFileSync(file); } catch (e) { return OK; }
	let prev = '0'.repeat(64), seq = 0, at = 0;
	while (at < text.length) {
		const end = text.indexOf(10, at);
		if (end === -1) return TORN;
		const line = text.subarray(at, end).toString('utf8');
		const cut = line.lastIndexOf(',"hash":"');
		let entry;
		try { entry = JSON.parse(line); } catch (e) { return `line ${seq + 1}: ${e.message}`; }
		const hash = crypto.createHash('sha256').update(line.slice(0, cut)).digest('hex');
		if (hash !== entry.hash || entry.prev !== prev || entry.seq !== ++seq) return `the hash of line ${seq} is wrong`;
		prev = hash;
		at = end + 1;
	}
	return OK;
}

const VISIBLE = new Set(['.lock', '.highwatermark']);
const COPY = '.tasks.json.copy'; // of a document, while it is written in place
const isTemporary = name => name.startsWith('.task-hooks-') || name === COPY;
const isLock = name => name.endsWith('.lock') && !VISIBLE.has(name);
// A document contains times and random ids.
const read = file => fs.readFileSync(file, 'utf8').replace(/"(last_updated|(upd|cre)ated_at)": "[^"]*"/g, '"$1": ""')
    .replace(/"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g, '"UUID"');

// Check the list's directory after a fault.  before, after: the files of a run without a fault.
function judgeList(p, before, after, errors) {
	for (const name of fs.readdirSync(p.list)) {
		const file = path.join(p.list, name), st = fs.lstatSync(file);
		if (isLock(name)) {
			if (!st.isDirectory() || fs.readdirSync(file).length) errors.push(`${name} cannot be broken`);
			else if (st.mtimeMs > Date.now() + 1000) errors.push(`${name} has a time in the future`);
		} else if (isTask(name)) {
			const text = read(file);
			if (text !== before[name] && text !== after[name] && !(after.oneSided || []).includes(text))
				errors.push(`${name} is neither old nor new: ${JSON.stringify(text)}`);
		} else if (name === '.highwatermark') {
			const text = fs.readFileSync(file, 'utf8');
			if (text !== before[name] && text !== after[name]) errors.push(`.highwatermark is ${text}`);
		} else if (!VISIBLE.has(name) && !isTemporary(name))
			errors.push(`${name} was left in the list`);
	}
	for (const name of Object.keys(before))
		if (isTask(name) && name in after && !fs.existsSync(path.join(p.list, name)))
			errors.push(`${name} is gone`);
}

// A document that was cut off is made whole by the next of ours that opens it, a reader too.
async function settle(p) {
	if (fs.existsSync(path.join(p.list, COPY))) await execute({ command: ['claude-tasks', 'list'] }, p, []);
}

// Check that all files of our state directory and of the settings are complete.
function judgeState(p, torn, errors) {
	const bad = chain(path.join(p.state, 'journal.jsonl'));
	if (bad && !(torn && bad === TORN)) errors.push(`journal: ${bad}`);
	for (const dir of [p.state, path.join(p.state, 'cache'), path.dirname(p.state), p.config]) {
		for (const name of fs.existsSync(dir) ? fs.readdirSync(dir) : []) {
			if (!name.endsWith('.json') || name.startsWith('.')) continue;
			const text = fs.readFileSync(path.join(dir, name), 'utf8');
			try { JSON.parse(text); } catch (e) { errors.push(`${name}: ${e.message}`); }
		}
	}
}

function finalState(c, p) {
	const read = dir => name => fs.readFileSync(path.join(dir, name), 'utf8');
	if (c.refuses) return OK;
	try { return c.final(tasks(p.list), read(p.state), read(p.config)) ? OK : 'the change is not there'; } catch (e) {
		return e.message;
	}
}

function snapshot(dir) {
	return Object.fromEntries(fs.readdirSync(dir).filter(f => f.endsWith('.json') || f === '.highwatermark')
	    .map(f => [f, read(path.join(dir, f))]));
}

module.exports = { CASES, build, place, restore, invocation, execute, settle, COPY, isTemporary, chain, judgeList, judgeState, finalState, snapshot, isLock, isTask, check, finish };

// attacks.js: the scratch directory of an attack, and the conditions that must hold after it.  For
// check-attacks and check-hostile.
//
// Every attack has its own directory: a home, a project in git, a list "lab" of two tasks, and a canary
// file outside of these.  Afterwards: no program was killed by a signal or took longer than 20 s, the
// canary is unchanged, no file was created outside, no file named `pwned` exists; hooks print JSON, and
// no output has characters that a terminal or a model must not get.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');

const top = path.resolve(__dirname, '..');
const build = path.resolve(top, process.env.BUILD || 'build');
const only = process.argv.slice(2);
const root = process.getuid() === 0;
let passed = 0;
let failed = 0;

const HOOKS = ['on-pretooluse-task', 'on-task-completed-verify', 'on-subagent-stop'];
const SESSION = '0f1e2d3c-0000-4000-8000-000000000001';
// Characters that no output may have: controls, bidi, tags, zero width.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/u;

function task(id, subject, more) {
	return JSON.stringify({ id, subject, description: 'd', status: 'pending', blocks: [], blockedBy: [], ...more }, null, 2);
}

function place() {
	// On /dev/shm if possible: it is faster.
	const p = { dir: fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'attack-')) };
	p.home = path.join(p.dir, 'home');
	p.claude = path.join(p.home, '.claude');
	p.list = path.join(p.claude, 'tasks', 'lab');
	p.state = path.join(p.claude, 'task-hooks', 'lab');
	p.project = path.join(p.dir, 'project');
	p.outside = path.join(p.dir, 'outside');
	for (const d of [p.list, p.project, p.outside])
		fs.mkdirSync(d, { recursive: true });
	fs.writeFileSync(path.join(p.outside, 'canary.json'), task('1', 'canary'));
	fs.writeFileSync(path.join(p.list, '1.json'), task('1', 'One'));
	fs.writeFileSync(path.join(p.list, '2.json'), task('2', 'Two', { blockedBy: ['1'] }));
	p.env = { HOME: p.home, PATH: `${build}:${process.env.PATH}`, LANG: 'C.UTF-8',
		CLAUDE_CODE_TASK_LIST_ID: 'lab', GIT_CONFIG_GLOBAL: '/dev/null' };
	for (const name of ['ASAN_OPTIONS', 'UBSAN_OPTIONS'])
		if (process.env[name])
			p.env[name] = process.env[name];
	p.outputs = [];
	run(p, 'git', ['init', '-q', '.']);
	p.outputs = [];
	p.before = outsiders(p);
	return p;
}

// All files that neither our programs nor git may write.
function outsiders(p) {
	const seen = [];
	(function walk(dir) {
		for (const e of fs.readdirSync(dir, { withFileTypes: true })) {
			const name = path.join(dir, e.name);
			if (name === path.join(p.claude, 'tasks') || name === path.join(p.claude, 'task-hooks') ||
			    name === p.project)
				continue;
			seen.push(e.isFile() ? `${name} ${fs.readFileSync(name)}` : name);
			if (e.isDirectory())
				walk(name);
		}
	})(p.dir);
	return seen.sort().join('\n');
}

function run(p, program, args = [], input = '', env = {}) {
	const r = spawnSync(program, args, { cwd: p.project, env: { ...p.env, ...env }, input,
		timeout: 20000, killSignal: 'SIGKILL', maxBuffer: 1 << 26 });
	const one = { program, args, status: r.status, signal: r.signal, error: r.error && r.error.code,
		out: String(r.stdout), err: String(r.stderr) };
	p.outputs.push(one);
	return one;
}

const cli = (p, ...args) => run(p, 'claude-tasks', args);

function event(p, hook, fields, args = [], env = {}) {
	const body = typeof fields === 'string' || Buffer.isBuffer(fields) ? fields
	    : JSON.stringify({ session_id: SESSION, cwd: p.project, ...fields });
	return run(p, hook, args, body, env);
}

const start = (p, id, more = {}) => event(p, HOOKS[0], { hook_event_name: 'PreToolUse', tool_name: 'TaskUpdate',
	tool_input: { taskId: id, status: 'in_progress', ...more }, tool_use_id: 't1' });
const complete = (p, id, args, env) => event(p, HOOKS[1], { hook_event_name: 'TaskCompleted', task_id: id,
	task_subject: 'One', task_description: 'd' }, args, env);
const stop = (p, fields) => event(p, HOOKS[2], { hook_event_name: 'SubagentStop', agent_id: 'a0123456789abcdef',
	agent_type: 'x', stop_hook_active: false, last_assistant_message: 'done', ...fields });

function everything(p, id) {
	start(p, id);
	start(p, '1', { addBlockedBy: [id], addBlocks: [id] });
	complete(p, id);
	stop(p, { tasks_completed: [id] });
	run(p, 'claude-tasks', ['mcp'], JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call',
		params: { name: 'get_task', arguments: { task_id: id } } }) + '\n');
	for (const tool of ['TaskGet', 'TaskUpdate'])
		run(p, 'claude-tasks', ['call', tool], JSON.stringify({ taskId: id, ...(tool === 'TaskUpdate' ? { owner: 'x' } : {}) }));
	if (id.includes('\0'))
		return; /* an argument cannot contain NUL */
	for (const command of ['get', 'claim', 'complete', 'release', 'why', 'verify', 'log'])
		cli(p, command, '--', id);
	cli(p, 'update', '--owner', 'x', '--', id);
	cli(p, 'depend', '1', '--on', id);
	cli(p, 'delete', '--', id);
}

function expect(p, good, what) {
	if (!good)
		p.problems.push(what);
}

const pwned = (p) => `touch ${path.join(p.outside, 'pwned')}`;

function hostile_gate(p, command = pwned(p)) {
	fs.mkdirSync(path.join(p.project, '.claude'), { recursive: true });
	fs.writeFileSync(path.join(p.project, '.claude', 'task-hooks.json'),
	    JSON.stringify({ gates: [{ name: 'g', run: command }], sync: [{ run: command }] }));
}

// Invalid input: on-task-completed-verify refuses, the other hooks pass.
function faults(p, body) {
	expect(p, event(p, HOOKS[1], body).status === 2, 'the completion was not refused');
	for (const hook of [HOOKS[0], HOOKS[2]])
		expect(p, event(p, hook, body).status === 0, `${hook} refused`);
}

// Run everything that prints a task.
function talk(p, id) {
	for (const args of [[], ['get', id], ['tree'], ['why', id], ['log'], ['statusline'], ['lists'], ['doctor', '--no-selftest'], ['--json', 'list'],
		['claim', id], ['complete', id], ['release', id]])
		cli(p, ...args);
	start(p, id);
	complete(p, id);
	stop(p, { tasks_completed: [id] });
}

// Try each attack of a table { name(p) { ... } } in its own directory: those named as arguments, or all.
function play(attacks) {
	for (const [name, attack] of Object.entries(attacks)) {
		if (only.length > 0 && !only.some((o) => name.includes(o)))
			continue;
		const p = place();
		p.problems = [];
		try {
			attack(p);
		} catch (e) {
			p.problems.push(e.stack);
		}
		for (const o of p.outputs) {
			const line = `${o.program} ${JSON.stringify(o.args)}`.slice(0, 200);
			if (o.signal || (o.error && o.error !== 'EPIPE')) /* EPIPE: it did not read all of its input */
				p.problems.push(`${line}: ${o.signal || ''} ${o.error || ''}\n${o.err.slice(-2000)}`);
			if (/AddressSanitizer|runtime error|LeakSanitizer/.test(o.err))
				p.problems.push(`${line}: ${o.err.slice(0, 3000)}`);
			if (path.basename(o.program) === 'claude-tasks' && o.status === 2)
				p.problems.push(`${line}: the command exits 2`);
			if (HOOKS.includes(o.program) && o.out.trim() !== '') {
				try {
					JSON.parse(o.out);
				} catch {
					p.problems.push(`${line}: not one JSON object: ${o.out.slice(0, 300)}`);
				}
			}
			for (const text of [o.out.replace(/\u001b\[[0-9;]*m/g, o.args.includes('statusline') ? '' : '$&'), o.err])
				if ((HOOKS.includes(o.program) || o.program === 'claude-tasks') && UNSAFE.test(text))
					p.problems.push(`${line}: unsafe text: ${JSON.stringify(text.slice(Math.max(0, text.search(UNSAFE) - 60)).slice(0, 160))}`);
		}
		const find = spawnSync('find', [p.dir, '-name', '*pwned*'], { encoding: 'utf8' });
		if (find.stdout.split('\n').some((f) => path.basename(f) === 'pwned'))
			p.problems.push(`a command of the attack ran: ${find.stdout}`);
		if (p.before !== null && outsiders(p) !== p.before) // null: the attack itself wrote there
			p.problems.push(`a file outside changed:\n${outsiders(p).slice(0, 1500)}`);
		if (p.problems.length === 0) {
			passed++;
			console.log(`ok ${name} (${p.outputs.length} runs)`);
		} else {
			failed++;
			console.log(`FAIL ${name}`);
			for (const problem of p.problems.slice(0, 12))
				console.log(problem.split('\n').slice(0, 20).map((l) => `  | ${l}`).join('\n'));
		}
		spawnSync('chmod', ['-R', 'u+rwX', p.dir]);
		fs.rmSync(p.dir, { recursive: true, force: true });
	}
	console.log(`${passed} passed, ${failed} failed`);
	process.exit(failed === 0 ? 0 : 1);
}

module.exports = { play, build, root, HOOKS, SESSION, UNSAFE, task, run, cli, event, start, complete, stop, everything, expect,
	pwned, hostile_gate, faults, talk };

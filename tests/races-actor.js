// races-actor: one of the actors of check-races.
//
//   node races-actor.js KIND ROOT NAME ROUNDS SEED
//
// KIND ours: commands and hooks of this project, one at a time; some are killed.
// KIND client: as the client writes (npm's proper-lockfile, in place).
// races-log.js describes its log.  The real client is in races-client.js.
'use strict';
const { spawn } = require('child_process');
const fs = require('fs');
const path = require('path');

const [, , kind, root, name, rounds, seed] = process.argv;
const build = process.env.BUILD;
const lockfile = require(path.join(process.env.CACHE,
    'proper-lockfile-4.1.2/node_modules/proper-lockfile'));
const { BUSY, list, choices, recorder, now, ids, more } = require('./races-log');
const { any, one, pick } = choices(seed);
const record = recorder(root, name);

// Run a program of ours; one of eight is killed after a random time.
function run(program, args, input) {
	const after = any(8) === 0 ? any(12) : -1, from = now();
	return new Promise(done => {
		const child = spawn(path.join(build, program), args, { stdio: ['pipe', 'pipe', 'pipe'] });
		let out = '', err = '', killed = false;
		const timer = after < 0 ? null : setTimeout(() => { killed = child.kill('SIGKILL'); }, after);
		child.stdout.on('data', d => { out += d; });
		child.stderr.on('data', d => { err += d; });
		child.stdin.on('error', () => {});
		child.stdin.end(input || '');
		child.on('close', (status, signal) => {
			clearTimeout(timer);
			done({ status: signal ? `${signal}${signal === 'SIGKILL' && killed ? '' : '!'}` : status,
				out, err, from, to: now() });
		});
	});
}

// Run an operation and record it: op, task and more; `ok`, or `maybe` (it was killed, or did not get the
// lock of the second file, so it may have happened), or neither.
async function act(op, about, program, args, input, good = r => r.status === 0) {
	const r = await run(program, args, input);
	const killed = r.status === 'SIGKILL';
	const entry = { op, actor: name, ...about, from: r.from, to: r.to, status: r.status,
		ok: !killed && good(r), maybe: killed || r.status === BUSY || r.status === 1 || r.status >= 30,
		why: r.err.trim().slice(0, 300) };
	if (entry.ok && op === 'create') entry.task = JSON.parse(r.out).id;
	return Object.assign(record(entry), { out: r.out });
}
const cli = (op, about, ...args) => act(op, { agent: name, ...about }, 'claude-tasks',
    [...args, '--agent', name, '--json']);

// --- as the client does it ----------------------------------------------------------

async function locked(file, fn) {
	let release;
	for (let busy = 0; !release; busy++) {
		try {
			release = await lockfile.lock(path.join(list, file),
			    { retries: { retries: 30, minTimeout: 5, maxTimeout: 100 } });
		} catch (e) {
			if (e.code === 'ENOENT') return undefined;
			if (e.code !== 'ELOCKED' || busy > 100) throw e;
		}
	}
	try { return fn(); } finally { await release(); }
}

function write(file, text) {
	const fd = fs.openSync(path.join(list, file), fs.constants.O_WRONLY | fs.constants.O_CREAT, 0o666);
	const data = Buffer.from(text);
	fs.writeSync(fd, data);
	fs.ftruncateSync(fd, data.length);
	fs.closeSync(fd);
}

// One TaskUpdate.  A task that was deleted in the meantime is not created again.
function update(id, change) {
	return locked(`${id}.json`, () => {
		let task;
		try { task = JSON.parse(fs.readFileSync(path.join(list, `${id}.json`), 'utf8')); } catch (e) {
			// Deleted, or not written yet: this lock does not protect a new file.
			if (e.code === 'ENOENT' || e instanceof SyntaxError) return undefined;
			throw e;
		}
		write(`${id}.json`, JSON.stringify(change(task), null, 2));
		return true;
	});
}

async function clientCreate(subject) {
	const from = now();
	const task = await locked('.lock', () => {
		const mark = fs.existsSync(path.join(list, '.highwatermark'))
			? parseInt(fs.readFileSync(path.join(list, '.highwatermark'), 'utf8'), 10) || 0 : 0;
		const numbers = fs.readdirSync(list).filter(f => f.endsWith('.json')).map(f => parseInt(f, 10) || 0);
		const id = String(Math.max(mark, 0, ...numbers) + 1);
		write(`${id}.json`, JSON.stringify({ id, subject, description: 'of the client',
			status: 'pending', blocks: [], blockedBy: [] }, null, 2));
		return id;
	});
	record({ op: 'create', actor: name, subject, task, from, to: now(), ok: true });
}

async function clientSet(task, value) {
	const from = now();
	const ok = await update(task, t => ({ ...t, metadata: { ...t.metadata, [name]: value } }));
	record({ op: 'set', actor: name, task, value, from, to: now(), ok: Boolean(ok) });
}

async function client() {
	for (let i = 1; more(root, i, Number(rounds)); i++) {
		const task = pick(ids());
		if (!task || any(8) === 0) await clientCreate(`${name}-${i}`);
		else await clientSet(task, i);
	}
}

// --- ours ------------------------------------------------------------------------

const SESSION = '11111111-1111-4111-8111-111111111111';
const event = (hook, agent, rest) => JSON.stringify({ session_id: SESSION, transcript_path: '/nonexistent',
	cwd: process.cwd(), permission_mode: 'default', agent_id: agent, agent_type: 'general-purpose',
	hook_event_name: hook, ...rest });

// A subagent: it starts a task with the hook, the client writes the task, the subagent stops.
async function episode(i, task) {
	const agent = `a${name}x${i}`;
	const start = await act('claim', { agent, task, hook: true }, 'on-pretooluse-task', [],
	    event('PreToolUse', agent, { tool_name: 'TaskUpdate', tool_input: { taskId: task, status: 'in_progress' },
		tool_use_id: `toolu_${agent}` }), r => r.status === 0 && r.out.includes('updatedInput'));
	if (start.ok) {
		const input = JSON.parse(start.out).hookSpecificOutput.updatedInput;
		const from = now();
		const ok = await update(task, t => ({ ...t, status: input.status, owner: input.owner }));
		record({ op: 'start', actor: name, agent, task, from, to: now(), ok: Boolean(ok) });
	}
	for (let tries = 0; tries < 20; tries++) {
		const stop = await act('stop', { agent, task }, 'on-subagent-stop', [], event('SubagentStop', agent,
		    { stop_hook_active: false, last_assistant_message: 'done' }));
		if (stop.status === 0) break;
	}
}

async function ours() {
	const mine = new Set();
	for (let i = 1; more(root, i, Number(rounds)); i++) {
		const all = ids(), task = pick(all), other = pick(all), n = any(100);
		if (!task || n < 12) {
			const on = task && any(3) === 0 ? ['-b', task] : [];
			await cli('create', { subject: `${name}-${i}`, pair: on.length ? [task, ''] : undefined },
			    'create', `${name}-${i}`, '-d', 'ours', ...on);
		} else if (n < 40)
			await cli('set', { task, value: i }, 'update', task, '--set', `${name}=${i}`);
		else if (n < 62) {
			if ((await cli('claim', { task }, 'claim', task)).ok) mine.add(task);
		} else if (n < 74 && mine.size) {
			const give = one([...mine]);
			const r = await act('release', { task: give, agent: name }, 'claude-tasks', ['release', give, '--json']);
			if (r.ok) mine.delete(give);
		} else if (n < 79 && mine.size) {
			const done = one([...mine]);
			if ((await cli('complete', { task: done }, 'complete', done)).ok) mine.delete(done);
		} else if (n < 87 && task !== other)
			await cli('depend', { task, pair: [task, other] }, 'depend', task,
			    any(2) ? '--on' : '--drop', other);
		else if (n < 89)
			await cli('delete', { task }, 'delete', task);
		else
			await episode(i, task);
	}
}

(kind === 'client' ? client() : ours()).then(() => record({ op: 'exit', actor: name, from: now(), to: now(), ok: true }))
    .catch(e => {
	console.error(`${name}: ${e.stack}`);
	process.exit(1);
});

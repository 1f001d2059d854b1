// races-client: the real client as one of the actors of check-races.
//
//   node races-client.js ROOT NAME ROUNDS SEED VERSION
//
// A client with our hooks in its settings and the scripted model of tests/e2e: ROUNDS answers of that
// model, in several client processes, most of which are killed at a random time.  Prints `ready` at the
// first request of the first client, and waits for a line before it answers.  races-log.js describes its
// log.
'use strict';
const fs = require('fs');
const path = require('path');

const [, , root, name, rounds, seed, version] = process.argv;
const { Lab, until } = require('./e2e/client');
const { wired, create, update, start, complete } = require('./e2e/scenario');
const { call } = require('./e2e/model');
const { FIRST, list, choices, recorder, now, ids } = require('./races-log');
const { any, one, pick } = choices(seed);
const record = recorder(root, name);

const LIFE = 14; // answers of one client process, on average
const PATIENCE = 600000; // milliseconds; enough for a client on a loaded machine

let left = Number(rounds), life = 0, serial = 0, agent = '', pending = [], mine = new Set();

function settle(results) {
	for (const p of pending) {
		const r = results.find(x => JSON.stringify(x.input) === JSON.stringify(p.call.input)) ||
		    { text: 'nothing', error: true };
		const made = /^Task #(\d+) created/.exec(r.text);
		const { call: asked, ...about } = p;
		const ok = !r.error && (made !== null || r.text.startsWith(`Updated task #${p.task}`) || p.op === 'look');
		// An operation that failed may have changed one file of two.
		const fault = !ok && /Lock file is|\bE[A-Z]{3,}\b|nothing/.test(r.text);
		const known = ok || fault || /hook|not found/i.test(r.text) || r.error;
		record({ ...about, task: made ? made[1] : p.task, to: now(), ok, maybe: fault,
			changed: ok && r.text.includes('status'),
			status: known ? undefined : 'unknown', why: ok ? undefined : r.text.slice(0, 200) });
		if (p.op === 'claim' && ok) mine.add(p.task);
		if (['complete', 'reset', 'delete'].includes(p.op)) mine.delete(p.task);
	}
	pending = [];
}

// One operation: its record for the judge, and the call.
function operation(task, other) {
	const n = any(100), word = `${name}-${++serial}`;
	if (!task || n < 15) return [{ op: 'create', subject: word }, create(word)];
	if (n < 45) return [{ op: 'form', task, value: word }, update(task, { activeForm: word })];
	if (n < 65) return [{ op: 'claim', task }, start(task)];
	if (n < 77 && mine.size) return [{ op: 'complete', task: one([...mine]) }, null];
	if (n < 83 && mine.size) return [{ op: 'reset', task: one([...mine]) }, null];
	if (n < 92 && task !== other) {
		return any(2) ? [{ op: 'depend', task, pair: [task, other] }, update(task, { addBlockedBy: [other] })]
			: [{ op: 'depend', task, pair: [other, task] }, update(task, { addBlocks: [other] })];
	}
	// The client deletes without a lock, and writes .highwatermark without one, unless that is high enough.
	if (n < 95 && task <= FIRST) return [{ op: 'delete', task }, update(task, { status: 'deleted' })];
	if (n < 97) return [{ op: 'look' }, call('TaskList', {})];
	return [{ op: 'complete', task }, complete(task)];
}

function next() {
	const calls = [];
	for (let wanted = any(6) ? 1 : 2; calls.length < wanted;) {
		const all = ids(), [about, asked] = operation(pick(all), pick(all));
		const c = asked || (about.op === 'reset' ? update(about.task, { status: 'pending' }) : complete(about.task));
		// Two calls of one message run at the same time, so they must not have the same task.
		if (pending.some(p => !p.task || p.task === about.task || (p.pair || []).includes(about.task) ||
		    (about.pair || []).includes(p.task))) break;
		pending.push({ ...about, actor: name, agent, real: true, from: now(), call: c });
		calls.push(c);
	}
	return calls;
}

// Record the locks of a killed client.  When they are stale, the client may let two processes take one
// over; the judge allows for that.
async function orphans(killed) {
	const there = () => fs.readdirSync(list).filter(f => f.endsWith('.lock') && f !== '.lock').flatMap(f => {
		try {
			const s = fs.statSync(path.join(list, f));
			return s.mode & 0o1000 ? [] : [`${f} ${s.ino}`];
		} catch (e) { return []; }
	});
	const first = there();
	await new Promise(done => setTimeout(done, 300));
	const second = there();
	for (const f of first.filter(x => second.includes(x)))
		record({ op: 'orphan', actor: name, real: true, task: f.split('.')[0] || 'list', from: killed, to: now() });
}

function uuid() {
	const hex = n => Array.from({ length: n }, () => any(16).toString(16)).join('');
	return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
}

async function live(lab) {
	const turns = Math.min(left, 3 + any(2 * LIFE - 6)), death = one(['SIGKILL', 'SIGKILL', 'SIGTERM', '']);
	const at = any(turns), after = any(120), session = uuid(), answers = [];
	let run, timer, ended, over = false, killed = 0;
	agent = `${name}.${++life}`;
	mine = new Set();
	left -= turns;
	// The last time at which the client was certainly running.
	const ending = () => { ended = ended || { from: now(), at: Date.now() }; };
	const die = () => {
		ending();
		killed = now();
		process.kill(run.pid, death);
	};
	// A repeated request gets the same answer.
	const answer = async turn => {
		if (over) return 'done';
		if (life === 1 && turn.step === 0) await ready();
		settle(turn.results);
		if (turn.step === turns) {
			ending();
			return 'done';
		}
		if (death && turn.step === at) timer = setTimeout(die, after);
		return next();
	};
	const script = agent.replace('.', '-');
	lab.model.scripts[script] = Array(turns + 1).fill(turn =>
		(answers[turn.step] = answers[turn.step] || answer(turn)));
	run = lab.start({ patience: PATIENCE, prompt: `[[script:${script}]] go`, args: ['--session-id', session] });
	const end = await run.done;
	ending();
	clearTimeout(timer);
	over = true;
	// A running hook outlives its client.
	await until('the hooks have ended', () => lab.strays().length === 0);
	for (const p of pending) {
		const { call: asked, ...about } = p;
		record({ ...about, to: now(), ok: false, maybe: true, status: killed ? end.signal || death : 'unknown' });
	}
	pending = [];
	if (killed) await orphans(killed);
	record({ op: 'exit', actor: name, agent, real: true, session, ...ended, to: now(), ok: true,
		status: killed ? end.signal || death : undefined });
	if (!killed && (end.code !== 0 || lab.complaints([run]).length))
		throw new Error(`${agent}: status ${end.code} ${end.stdout} ${end.stderr} ${lab.complaints([run]).join('\n')}`);
}

let started = null;
function ready() {
	if (!started) started = new Promise(go => {
		process.stdin.once('data', go);
		process.stdout.write('ready\n');
	});
	return started;
}

(async () => {
	const lab = new Lab(version, { hooks: wired, scripts: {}, env: { CLAUDE_CONFIG_DIR: process.env.CLAUDE_CONFIG_DIR,
		ASAN_OPTIONS: process.env.ASAN_OPTIONS || null, UBSAN_OPTIONS: process.env.UBSAN_OPTIONS || null } });
	try {
		await lab.open();
		while (left > 0) await live(lab);
		if (lab.model.faults.length) throw new Error(lab.model.faults.join('\n'));
	} finally {
		await lab.close();
	}
})().then(() => process.exit(0), e => {
	console.error(`${name}: ${e.stack}`);
	process.exit(1);
});

'use strict';

/* Facts: which files the client writes, where, with which bytes and locks. */

const fs = require('fs');
const path = require('path');
const { scenario, record } = require('../scenario');
const { call } = require('../model');

const update = (taskId, more) => call('TaskUpdate', { taskId, ...more });

scenario({
	name: 'facts/the bytes of a list',
	scripts: (lab) => {
		lab.copies = {};
		/* Copy the list between two calls. */
		const after = (name, step) => () => {
			lab.copies[name] = Object.fromEntries(
			    fs.readdirSync(lab.tasks).sort().map((f) => [f,
				fs.readFileSync(path.join(lab.tasks, f),
				'utf8')]));
			return step;
		};
		return { main: [
			call('TaskCreate', { subject: 'One',
			    description: 'A "quoted"\n</tag> \u2028 é \u{1f600}' }),
			after('plain create', call('TaskCreate', {
			    subject: 'Two', description: 'Second',
			    activeForm: 'Doing two',
			    metadata: { n: 1.5, o: {}, a: [] } })),
			after('full create', update('1', { owner: 'me',
			    status: 'in_progress' })),
			after('owner and status', update('1', {
			    metadata: { k: 'v', gone: null },
			    subject: 'One!' })),
			after('metadata added', update('1', {
			    metadata: { k: null },
			    activeForm: 'Doing one' })),
			after('metadata emptied', update('2', {
			    addBlockedBy: ['1'] })),
			after('a blocker', call('TaskCreate', {
			    subject: 'Three', description: 'Third' })),
			after('third', update('3', { status: 'deleted' })),
			after('deleted', update('1', { status: 'deleted' })),
			after('blocker deleted', call('TaskCreate', {
			    subject: 'Four', description: 'Fourth' })),
			after('number after a delete', 'done'),
		] };
	},
	measure(lab) {
		/* Only the changes of a step. */
		const found = {};
		let before = {};
		for (const [name, files] of Object.entries(lab.copies)) {
			found[name] = Object.fromEntries([...new Set([
			    ...Object.keys(before), ...Object.keys(files)])]
			    .filter((f) => before[f] !== files[f])
			    .map((f) => [f, f in files ? files[f] : null]));
			before = files;
		}
		return found;
	},
});

/* Hold a lock as the client would, for as long as `during` takes. */
async function holding(lock, during) {
	fs.mkdirSync(lock, { recursive: true });
	const beat = setInterval(() => {
		const now = new Date();
		fs.utimesSync(lock, now, now);
	}, 500);
	try {
		await during();
	} finally {
		clearInterval(beat);
		fs.rmdirSync(lock);
	}
}

const told = (lab) => lab.model.told('main').map((r) =>
    (r.error ? 'error: ' : '') + r.text);

scenario({
	name: 'facts/locks held and left behind',
	tasks: [{ id: '1' }, { id: '2' }, { id: '3' }],
	hooks: (lab) => record(lab, ['PostToolUseFailure']),
	scripts: { main: [
		update('1', { status: 'in_progress' }),
		update('2', { status: 'in_progress' }),
		update('3', { status: 'in_progress' }),
		call('TaskCreate', { subject: 'No', description: 'No' }),
	] },
	run(lab) {
		const at = (name) => path.join(lab.tasks, name);
		const old = new Date(Date.now() - 3600000);
		fs.mkdirSync(at('3.json.lock'));
		fs.utimesSync(at('3.json.lock'), old, old);
		return holding(at('1.json.lock'), () =>
		    holding(at('.lock.lock'), () => lab.print()));
	},
	measure: (lab) => ({
		'the model is told': lab.model.told('main').map((r) =>
		    (r.error ? 'error: ' : '') + r.text),
		'status': ['1', '2', '3'].map((id) => lab.task(id).status),
		'created': lab.bytes('4') !== null,
		'failures': lab.events().map((e) => e.error),
		'the old lock is gone': !fs.existsSync(
		    path.join(lab.tasks, '3.json.lock')),
	}),
});

scenario({
	name: 'facts/names of lists',
	scripts: { main: [call('TaskCreate',
	    { subject: 'One', description: 'First' })] },
	async run(lab) {
		lab.names = {};
		const tasks = path.join(lab.config, 'tasks');
		const look = async (name, env, args) => {
			fs.rmSync(tasks, { recursive: true, force: true });
			await lab.print({ env, args });
			lab.names[name] = fs.existsSync(tasks) ?
			    fs.readdirSync(tasks) : [];
		};
		await look('signs', { CLAUDE_CODE_TASK_LIST_ID:
		    'a.b/../C_d-E é\u{1f600}' });
		await look('blanks', { CLAUDE_CODE_TASK_LIST_ID: ' lab ' });
		await look('session', { CLAUDE_CODE_TASK_LIST_ID: null },
		    ['--session-id', '12345678-1234-4123-8123-123456789abc']);
	},
	measure: (lab) => lab.names,
});

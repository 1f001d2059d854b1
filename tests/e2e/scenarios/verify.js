'use strict';

/* on-task-completed-verify: built-in checks and gates. */

const { scenario, ours, join, record, hook, start, complete, update, look, refused,
    passed, status, result, journalled, delegate, includes, excludes, assert } = require('../scenario');
const { call } = require('../model');
const { until } = require('../client');

const hooks = (lab) => ours(lab);
const config = (object) => ({ '.claude/task-hooks.json': object });

/* A shell command that writes a line to the lab, outside of the project. */
const counted = (lab, then) =>
    `echo run >>'${lab.dir}/gate-runs'; ${then}`;
const runs = (lab) => (lab.read(lab.dir + '/gate-runs') || '')
    .split('\n').filter(Boolean).length;

scenario({
	name: 'verify/an open box refuses the completion until it is checked',
	hooks,
	tasks: [{ id: '1', subject: 'Release',
	    description: '- [x] build\n- [ ] notes' }],
	scripts: { main: [start('1'), complete('1'),
	    update('1', { description: '- [x] build\n- [x] notes' }),
	    complete('1')] },
	check(lab) {
		passed(lab, 0);
		refused(lab, 1, ['#1', 'Release', 'notes']);
		passed(lab, 3);
		status(lab, '1', 'completed');
		journalled(lab, 'checklist');
	},
});

/* The metadata of the completing call is not on disk when the event fires. */
scenario({
	name: 'verify/required metadata may come with the completing call',
	hooks,
	tasks: [{ id: '1' }],
	files: config({ verify: { metadata: ['tests', 'reviewer'] } }),
	scripts: { main: [start('1', { metadata: { reviewer: 'ann' } }),
	    complete('1'), complete('1', { metadata: { tests: 'pass' } })] },
	check(lab) {
		refused(lab, 1, ['#1', 'tests']);
		passed(lab, 2);
		status(lab, '1', 'completed');
		assert.deepStrictEqual(lab.task('1').metadata,
		    { reviewer: 'ann', tests: 'pass' });
	},
});

scenario({
	name: 'gates/a failing gate refuses the completion until it passes',
	hooks,
	tasks: [{ id: '1', subject: 'Feature' }],
	files: (lab) => config({ gates: [{ name: 'unit tests',
	    run: counted(lab, 'test -e feature.txt || ' +
	    '{ echo "feature.txt: no such thing"; exit 3; }'),
	    fix: 'Write feature.txt first.' }] }),
	scripts: { main: [start('1'), complete('1'),
	    call('Bash', { command: 'echo done >feature.txt',
		description: 'write it' }),
	    complete('1')] },
	async run(lab) {
		await lab.did('trust', '--yes');
		await lab.print();
	},
	check(lab) {
		refused(lab, 1, ['unit tests', '3', 'feature.txt: no such thing',
		    'Write feature.txt first.']);
		passed(lab, 3);
		status(lab, '1', 'completed');
		assert.strictEqual(runs(lab), 2, 'runs of the gate');
		journalled(lab, 'receipt', 'unit tests');
	},
});

/* Without a cache each event would run it. */
scenario({
	name: 'gates/a completion is judged at PreToolUse, and its gate runs once per attempt',
	hooks: (lab) => join(ours(lab), record(lab, ['TaskCompleted'])),
	tasks: [{ id: '1' }, { id: '2' }],
	files: (lab) => config({ gates: [{ name: 'suite', cache: false,
	    run: counted(lab, 'test -e feature.txt') },
	    { name: 'style', severity: 'warn', run: 'echo a long line; exit 1' }] }),
	scripts: (lab) => ({ main: [start('1'), complete('1'),
	    call('Bash', { command: 'echo done >feature.txt',
		description: 'write it' }),
	    complete('1'),
	    (turn) => {
		    lab.advice = turn.texts.join('\n');
		    return delegate('sub');
	    }], sub: [start('2'), complete('2')] }),
	async run(lab) {
		await lab.did('trust', '--yes');
		await lab.print();
	},
	check(lab) {
		refused(lab, 1, ['suite: failed']);
		excludes(result(lab, 1).text, 'TaskCompleted hook feedback', 'the refusal');
		passed(lab, 3);
		includes(lab.advice, '| a long line', 'what a gate that only warns tells the agent');
		for (const id of ['1', '2'])
			status(lab, id, 'completed');
		assert.strictEqual(runs(lab), 3, 'runs of the gate');
		assert.strictEqual(lab.events('TaskCompleted').length, 2, 'TaskCompleted events');
		const lines = (event) => lab.journal().filter((l) => l.event === event).length;
		assert.deepStrictEqual([lines('refuse'), lines('receipt')], [1, 2],
		    'refusals and receipts in the journal');
	},
});

scenario({
	name: 'gates/a failing gate refuses the completion although the TaskCompleted hook is missing',
	hooks: (lab) => ({ ...ours(lab), TaskCompleted: [hook('/nonexistent/hook')] }),
	tasks: [{ id: '1' }, { id: '2' }],
	files: (lab) => config({ gates: [{ name: 'suite', run: counted(lab, 'false') }] }),
	scripts: (lab) => ({ main: [start('1'), complete('1'), look(lab)] }),
	async run(lab) {
		await lab.did('trust', '--yes');
		await lab.print();
	},
	check(lab) {
		refused(lab, 1, ['suite: failed']);
		status(lab, '1', 'in_progress');
		assert.strictEqual(runs(lab), 1, 'runs of the gate');
	},
});

scenario({
	name: 'gates/a gate that hangs is refused at the deadline and leaves no process',
	hooks: (lab) => ours(lab, { timeout: 30 }),
	tasks: [{ id: '1' }],
	files: config({ deadline: 4, gates: [{ name: 'slow', timeout: 100,
	    run: 'setsid sleep 1001 & sleep 1000 & trap "" TERM; ' +
	    'while :; do sleep 1002; done' }] }),
	scripts: (lab) => ({ main: [start('1'), complete('1'), look(lab)] }),
	async run(lab) {
		await lab.did('trust', '--yes');
		await lab.print();
	},
	async check(lab) {
		refused(lab, 1, ['slow', 'timed out']);
		status(lab, '1', 'in_progress');
		/* by themselves they would run for a quarter of an hour */
		await until('no process is left', () =>
		    lab.strays().length === 0);
	},
});

scenario({
	name: 'gates/an untrusted or changed gate file refuses the completion',
	hooks,
	tasks: [{ id: '1' }, { id: '2' }],
	files: (lab) => config({ gates: [{ name: 'ok',
	    run: counted(lab, 'true') }] }),
	scripts: (lab) => ({ main: [start('1'), complete('1'),
	    async () => {
		    assert.strictEqual(runs(lab), 0, 'an untrusted gate ran');
		    await lab.did('trust', '--yes');
		    return complete('1');
	    },
	    start('2'),
	    () => {
		    lab.write(config({ gates: [{ name: 'ok', run: 'true' }] }));
		    return complete('2');
	    }, look(lab)] }),
	check(lab) {
		refused(lab, 1, ['claude-tasks trust']);
		passed(lab, 2);
		status(lab, '1', 'completed');
		refused(lab, 4, ['claude-tasks trust', 'changed']);
		status(lab, '2', 'in_progress');
		assert.strictEqual(runs(lab), 1, 'runs of the gate');
	},
});

scenario({
	name: 'gates/a verdict is cached until the tree changes',
	hooks,
	tasks: [{ id: '1' }, { id: '2' }, { id: '3' }],
	files: (lab) => config({ gates: [{ name: 'suite',
	    run: counted(lab, 'true') }] }),
	scripts: (lab) => ({ main: [start('1'), complete('1'),
	    start('2'), complete('2'), start('3'),
	    call('Bash', { command: 'echo more >other.txt',
		description: 'change the tree' }),
	    () => {
		    lab.unchanged = runs(lab);
		    return complete('3');
	    }] }),
	async run(lab) {
		await lab.did('trust', '--yes');
		/* claude-tasks verify runs it first; a hook does not use that verdict, but its own */
		await lab.did('verify', '1');
		await lab.print();
	},
	check(lab) {
		for (const id of ['1', '2', '3'])
			status(lab, id, 'completed');
		assert.strictEqual(lab.unchanged, 2, 'runs while nothing changed: by hand, by a hook');
		assert.strictEqual(runs(lab), 3, 'runs after a change');
		journalled(lab, 'receipt', 'suite');
	},
});

scenario({
	name: 'gates/a command in the task runs only if it is allowed',
	hooks,
	tasks: [{ id: '1', metadata: { verify: 'test -e one.txt' } },
	    { id: '2', metadata: { verify: 'touch evil.txt' } }],
	files: config({ verify: { allow: ['test -e *'] } }),
	scripts: { main: [start('1'), complete('1'),
	    call('Bash', { command: 'touch one.txt', description: 'make' }),
	    complete('1'), start('2'), complete('2')] },
	async run(lab) {
		await lab.did('trust', '--yes');
		await lab.print();
	},
	check(lab) {
		refused(lab, 1, ['test -e one.txt']);
		passed(lab, 3);
		refused(lab, 5, ['touch evil.txt']);
		assert.strictEqual(lab.read('evil.txt'), null);
	},
});

scenario({
	name: 'gates/after enough attempts the agent is told to stop',
	hooks,
	tasks: [{ id: '1' }],
	files: config({ verify: { attempts: 2 },
	    gates: [{ name: 'never', run: ['false'] }] }),
	scripts: (lab) => ({ main: [start('1'), complete('1'), complete('1'),
	    complete('1'), look(lab)] }),
	async run(lab) {
		await lab.did('trust', '--yes');
		await lab.print();
	},
	check(lab) {
		refused(lab, 1, ['never']);
		refused(lab, 2, ['never']);
		refused(lab, 3, ['Stop']);
		status(lab, '1', 'in_progress');
	},
});

'use strict';

/* A lead and its teammates, with our hooks. */

const { scenario, ours, TEAM, lead, spawn, dismiss, teammate, gone, start,
    complete, create, refused, passed, status, includes, assert } =
    require('../scenario');
const { until } = require('../client');

const idles = (lab, name) => lab.events('TeammateIdle').filter((e) =>
    e.teammate_name === name).length;

async function run(lab) {
	const client = await lead(lab);
	await until('the lead has stopped', () =>
	    lab.events('Stop').length > 0);
	await lab.end(client);
}

/*
 * One teammate claims a task and is idle; another cannot take the task; the
 * claim holds after the turn, until its owner shuts down. The end of a turn
 * must not run the gate.
 */
scenario({
	...TEAM,
	name: 'team/the claim of a teammate holds until it shuts down',
	hooks: (lab) => ours(lab),
	files: (lab) => ({ '.claude/task-hooks.json': {
	    idle: { suggest: false },
	    gates: [{ name: 'suite',
		run: `echo run >>'${lab.dir}/gate-runs'` }] } }),
	scripts: (lab) => ({
		main: [
			create('Build'), create('Rest'),
			spawn('ann'),
			async () => {
				await until('ann has claimed', () =>
				    lab.model.reached('ann', 1));
				return spawn('bob');
			},
			async () => {
				await until('both have idled', () =>
				    idles(lab, 'ann') > 1 &&
				    idles(lab, 'bob') > 0);
				lab.idle = lab.task('1');
				lab.gateRuns = lab.read(lab.dir + '/gate-runs');
				return dismiss('ann');
			},
			async () => {
				await until('ann is gone', () =>
				    gone(lab, 'ann') &&
				    lab.task('1').status === 'pending');
				return start('1');
			},
			dismiss('bob'),
			async () => {
				await until('bob is gone', () =>
				    gone(lab, 'bob'));
				return 'bye';
			},
		],
		ann: teammate(start('1'), 'resting'),
		bob: teammate(start('1'), complete('1'), 'so be it'),
	}),
	async run(lab) {
		await lab.did('trust', '--yes');
		await run(lab);
	},
	check(lab) {
		passed(lab, 0, 'ann');
		assert.strictEqual(lab.idle.owner, 'ann');
		assert.strictEqual(lab.idle.status, 'in_progress');
		refused(lab, 0, ['#1', 'Build', 'ann'], 'bob');
		refused(lab, 1, ['#1', 'ann'], 'bob');
		assert.strictEqual(lab.gateRuns, null, 'no gate has run');
		passed(lab, 5);
		assert.ok(!lab.journal().some((l) =>
		    JSON.stringify(l).includes('receipt')), 'no receipt');
	},
});

/*
 * An idle teammate is told of a ready task once. The lead keeps one task open:
 * a client with a terminal removes a list whose tasks are all completed.
 */
scenario({
	...TEAM,
	name: 'team/an idle teammate is told of a ready task',
	hooks: (lab) => ours(lab),
	scripts: (lab) => ({
		main: [
			create('First'), create('Second'), create('Lead'),
			start('3'),
			spawn('ann'),
			async () => {
				await until('ann has idled', () =>
				    lab.task('2').status === 'completed' &&
				    idles(lab, 'ann') > 1);
				return dismiss('ann');
			},
			async () => {
				await until('ann is gone', () =>
				    gone(lab, 'ann'));
				return 'bye';
			},
		],
		ann: teammate(start('1'), complete('1'), 'what now?',
			(turn) => {
				lab.told = turn.texts.join('\n');
				return /#2/.test(lab.told) ? start('2') : 'no';
			},
			complete('2'), 'rest'),
	}),
	run,
	check(lab) {
		includes(lab.told, 'TeammateIdle hook feedback');
		includes(lab.told, 'Second');
		status(lab, '2', 'completed', 'ann');
	},
});

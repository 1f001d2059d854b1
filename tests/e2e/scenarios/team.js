'use strict';

/* A lead and its teammates, with our hooks. */

const { scenario, ours, TEAM, lead, leadWithPanes, spawn, dismiss, teammate,
    gone, update, start, complete, create, refused, passed, status, includes,
    assert } = require('../scenario');
const { until, alive } = require('../client');

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

/*
 * 1.63, 1.80: teammates in terminals of their own. One claims a task and is
 * killed, which no event tells: the next hook run finds out, and gives the task
 * back. The lead, whose call that is, is told at once, the other teammate at its
 * own. That one claims the task, and ends in order: the end of its session gives
 * it back.
 *
 * No message is sent to a teammate after its prompt: 2.1.197 loses one that comes
 * while a turn ends.
 */
const KILLED = 'ann was terminated. 1 task(s) were unassigned: #1';
const ENDED = 'bob has shut down. 1 task(s) were unassigned: #1';

scenario({
	...TEAM,
	name: 'team/teammates in terminals, killed and ended',
	hooks: (lab) => ours(lab),
	files: { '.claude/task-hooks.json': { idle: { suggest: false } } },
	scripts: (lab) => ({
		main: [
			create('Build'), create('Rest'),
			spawn('ann'),
			async () => {
				await until('ann has claimed', () =>
				    lab.model.reached('ann', 1));
				lab.claimed = [lab.claims()[0]];
				return spawn('bob');
			},
			async () => {
				await until('bob was refused', () =>
				    lab.model.reached('bob', 1));
				lab.agents = JSON.parse(await lab.did('agents',
				    '--json', '--list', lab.list));
				process.kill(lab.claimed[0].pid, 'SIGKILL');
				await until('ann is dead', () =>
				    !alive(lab.claimed[0].pid));
				return update('2', { activeForm: 'Resting' });
			},
			async () => {
				lab.released = true;
				await until('bob has claimed', () =>
				    lab.model.reached('bob', 2));
				lab.held = lab.task('1');
				lab.claimed.push(lab.claims()[0]);
				process.kill(lab.claimed[1].pid, 'SIGTERM');
				await until('its task was given back', () =>
				    lab.journal().some((l) => l.event ===
				    'tell' && l.why.startsWith(ENDED)));
				return start('1');
			},
			'bye',
		],
		ann: teammate(start('1'), 'resting'),
		bob: teammate(start('1'), async () => {
			await until('the task was given back', () =>
			    lab.released);
			return start('1');
		}),
	}),
	async run(lab) {
		const client = await leadWithPanes(lab);
		await until('the lead has stopped', () =>
		    lab.events('Stop').some((e) => !e.agent_type));
		await lab.end(client);
	},
	check(lab) {
		passed(lab, 0, 'ann');
		assert.deepStrictEqual(lab.claimed.map((c) => c.name),
		    ['ann', 'bob'], 'who claimed it');
		refused(lab, 0, ['#1', 'Build', 'teammate ann'], 'bob');
		assert.deepStrictEqual(lab.agents.filter((a) => a.member)
		    .map((a) => [a.agent, a.holds.map((h) => h.id).join()])
		    .sort(), [['ann', '1'], ['bob', ''], ['team-lead', '']]);
		includes(lab.model.heard('main'), KILLED, 'what the lead heard');
		includes(lab.model.heard('bob'), KILLED, 'what bob heard');
		passed(lab, 1, 'bob');
		assert.strictEqual(lab.held.owner, 'bob');
		assert.strictEqual(lab.held.status, 'in_progress');
		includes(lab.model.heard('main'), ENDED, 'what the lead heard');
		passed(lab, 5);
	},
});

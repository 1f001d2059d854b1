'use strict';

/* on-subagent-stop: an agent that stops gives its open tasks back. */

const { scenario, ours, start, complete, delegate, written, passed,
    status, journalled, includes, assert, MID, NEW } =
    require('../scenario');
const { until } = require('../client');
const { call } = require('../model');

const hooks = (lab) => ours(lab);
const config = (object) => ({ '.claude/task-hooks.json': object });

scenario({
	name: 'stop/a stopped subagent gives its task back and the lead is told once',
	hooks,
	tasks: [{ id: '1', subject: 'Half done' }, { id: '2' }],
	scripts: (lab) => ({
		main: [delegate('sub'), () => {
			lab.after = lab.task('1');
			return start('2');
		}, start('1')],
		sub: [start('1'), async () => {
			await written(lab, /agent-/, 'Updated task #1');
			return 'I am off';
		}],
	}),
	check(lab) {
		passed(lab, 0, 'sub');
		assert.strictEqual(lab.after.status, 'pending');
		assert.ok(!('owner' in lab.after), 'the owner is gone');
		/* at its next call, once */
		const heard = lab.model.heard('main');
		includes(heard, 'Half done');
		includes(heard, 'unassigned');
		assert.strictEqual(heard.split('Half done').length, 2,
		    'the lead is told once');
		passed(lab, 2);
		journalled(lab, 'release', '"1"');
	},
});

/* There is no SubagentStop: the end of the call that made the agent counts. */
scenario({
	name: 'stop/an agent that runs out of turns gives its task back',
	versions: [MID, NEW],
	hooks,
	tasks: [{ id: '1', subject: 'Half done' }],
	files: { '.claude/agents/hasty.md': '---\nname: hasty\n' +
	    'description: works in a hurry\nmaxTurns: 2\n---\nBe quick.\n' },
	scripts: (lab) => ({
		main: [call('Agent', { description: 'sub',
		    prompt: '[[script:sub]] work', subagent_type: 'hasty',
		    run_in_background: false }), () => {
			lab.after = lab.task('1');
			return 'done';
		}],
		sub: Array(5).fill(start('1')),
	}),
	check(lab) {
		passed(lab, 0, 'sub');
		assert.strictEqual(lab.events('SubagentStop').length, 0);
		assert.strictEqual(lab.after.status, 'pending');
		assert.ok(!('owner' in lab.after), 'the owner is gone');
		includes(lab.model.heard('main'), 'unassigned');
		journalled(lab, 'release', '"1"');
	},
});

scenario({
	name: 'stop/an agent with an open task is sent back and completes it',
	versions: [MID, NEW],
	hooks,
	tasks: [{ id: '1', subject: 'Finish me' }],
	files: config({ stop: { unfinished: 'block', max_blocks: 2 } }),
	scripts: {
		main: [delegate('sub')],
		sub: [start('1'), 'leaving', complete('1'), 'leaving now'],
	},
	check(lab) {
		const back = lab.model.turns.find((t) => t.script === 'sub' &&
		    t.step === 2);
		includes(back.texts.join('\n'), '#1');
		includes(back.texts.join('\n'), 'Finish me');
		assert.deepStrictEqual(lab.events('SubagentStop').map((e) =>
		    e.stop_hook_active), [false, true]);
		status(lab, '1', 'completed');
	},
});

/* It is sent back as often as configured, then it stops without its task. */
scenario({
	name: 'stop/an agent is sent back at most max_blocks times',
	versions: [MID, NEW],
	hooks,
	tasks: [{ id: '1' }],
	files: config({ stop: { unfinished: 'block', max_blocks: 2 } }),
	scripts: {
		main: [delegate('sub')],
		sub: [start('1'), 'no', 'no', 'no', 'no'],
	},
	check(lab) {
		assert.strictEqual(lab.events('SubagentStop').length, 3);
		status(lab, '1', 'pending', null);
	},
});

scenario({
	name: 'stop/a completion reported in the last message is applied',
	versions: [MID, NEW],
	hooks,
	tasks: [{ id: '1' }, { id: '2', description: '- [ ] open box' }],
	scripts: {
		main: [delegate('sub')],
		sub: [start('1'), 'Ready.\n```json\n' + JSON.stringify({
		    tasks_to_update: [{ task_id: '1', status: 'completed' },
			{ task_id: '2', status: 'completed' }] }) + '\n```\n'],
	},
	check(lab) {
		status(lab, '1', 'completed');
		status(lab, '2', 'pending');
		journalled(lab, '"1"', 'completed');
	},
	/* the client complains about an unknown key in the answer */
	complaints: true,
});

/* SIGKILL fires no event: the next run of a hook finds that the client is dead. */
scenario({
	name: 'stop/the next hook releases the task of a killed client',
	hooks,
	tasks: [{ id: '1', subject: 'Orphan' }, { id: '2' }],
	scripts: (lab) => ({
		first: [start('1'), async () => {
			await until('the client is dead', () => lab.dead);
			return 'never heard';
		}],
		second: [start('2'), start('1'), complete('1')],
	}),
	async run(lab) {
		const a = lab.start({ prompt: '[[script:first]] go' });
		await until('the first has claimed', () =>
		    lab.model.reached('first', 1));
		lab.held = lab.task('1');
		process.kill(a.pid, 'SIGKILL');
		await a.done;
		lab.dead = true;
		lab.scripted = lab.model.scripts.second[1];
		lab.model.scripts.second[1] = () => {
			lab.swept = lab.task('1');
			return lab.scripted;
		};
		await lab.print({ prompt: '[[script:second]] go' });
	},
	check(lab) {
		assert.strictEqual(lab.held.status, 'in_progress');
		assert.strictEqual(lab.swept.status, 'pending');
		passed(lab, 1, 'second');
		passed(lab, 2, 'second');
		status(lab, '1', 'completed');
		journalled(lab, 'release', '"1"');
	},
});

scenario({
	name: 'stop/claude-tasks release --dead releases only tasks of dead clients',
	hooks,
	tasks: [{ id: '1' }, { id: '2' }],
	scripts: (lab) => ({
		dead: [start('1'), () => until('never', () => lab.over)],
		live: [start('2'), () => until('never', () => lab.over)],
	}),
	async run(lab) {
		const dead = lab.start({ prompt: '[[script:dead]] go' });
		const live = lab.start({ prompt: '[[script:live]] go' });
		await until('both have claimed', () =>
		    lab.model.reached('dead', 1) &&
		    lab.model.reached('live', 1));
		process.kill(dead.pid, 'SIGKILL');
		await dead.done;
		lab.said = await lab.did('release', '--dead');
		lab.one = lab.task('1');
		lab.two = lab.task('2');
		process.kill(live.pid, 'SIGKILL');
		await live.done;
		lab.over = true;
	},
	check(lab) {
		assert.strictEqual(lab.one.status, 'pending');
		assert.strictEqual(lab.two.status, 'in_progress',
		    'a live client keeps its task');
		includes(lab.said, '#1');
	},
});

scenario({
	name: 'stop/the end of a session releases its tasks',
	hooks,
	tasks: [{ id: '1' }, { id: '2' }],
	scripts: { main: [start('1'), 'I leave it there'] },
	check(lab) {
		passed(lab, 0);
		status(lab, '1', 'pending', null);
		journalled(lab, 'release', '"1"');
	},
});

/* A sync command gets the list after a change; no hook waits for it. */
scenario({
	name: 'stop/a sync command gets the list',
	hooks,
	tasks: [{ id: '1', subject: 'Mirror me' }],
	files: (lab) => ({ [lab.config + '/task-hooks.json']: { sync: [
	    { name: 'mirror', run: ['sh', '-c',
	    `cat >'${lab.dir}/mirror.new' && ` +
	    `mv '${lab.dir}/mirror.new' '${lab.dir}/mirror.json'`] }] } }),
	scripts: { main: [delegate('sub')], sub: [start('1'), 'off'] },
	async check(lab) {
		const text = await until('the mirror is written', () =>
		    lab.read(lab.dir + '/mirror.json'));
		const list = JSON.parse(text);
		assert.strictEqual(list[0].subject, 'Mirror me');
	},
});

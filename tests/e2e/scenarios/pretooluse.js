'use strict';

/* on-pretooluse-task: the rules for changes of a list. */

const { scenario, ours, start, complete, update, create, delegate, look, written, result,
    refused, passed, status, journalled, includes, assert, MID, NEW } =
    require('../scenario');
const { call } = require('../model');
const { until } = require('../client');

const hooks = (lab) => ours(lab);
/* The id of an agent: a name could be a label that the main thread gave. */
const other = 'a0123456789abcdef';

const config = (object) => ({ '.claude/task-hooks.json': object });

scenario({
	name: 'pretooluse/a blocked task cannot start',
	hooks,
	tasks: [
		{ id: '1', subject: 'Tests', status: 'in_progress',
		    owner: 'backend-2', blocks: ['3'] },
		{ id: '2', subject: 'Docs', blocks: ['3'] },
		{ id: '3', subject: 'Ship', blockedBy: ['1', '2', '9'] },
		{ id: '4', subject: 'Changelog' },
	],
	scripts: (lab) => ({ main: [start('3'), start('4'), look(lab)] }),
	check(lab) {
		refused(lab, 0, ['#3', 'Ship', '#1', 'in_progress', 'backend-2',
		    '#2', 'Docs', '#9', '#4', 'Changelog']);
		status(lab, '3', 'pending', null);
		passed(lab, 1);
		status(lab, '4', 'in_progress', null);
		journalled(lab, '"3"', 'blocked');
	},
});

scenario({
	name: 'pretooluse/changes of a task of another agent and of a completed task are refused',
	hooks,
	tasks: [
		{ id: '1', status: 'in_progress', owner: other },
		{ id: '2', status: 'completed' },
		{ id: '3', owner: other },
	],
	scripts: { main: [start('1'), start('2'), start('3'),
	    complete('1'), update('1', { owner: 'me' }),
	    update('1', { status: 'deleted' })] },
	check(lab) {
		refused(lab, 0, ['#1', other]);
		refused(lab, 1, ['#2', 'completed']);
		refused(lab, 2, ['#3', other]);
		refused(lab, 3, ['#1', other]);
		refused(lab, 4, ['#1', other]);
		refused(lab, 5, ['#1', other]);
		status(lab, '1', 'in_progress', other);
		status(lab, '2', 'completed', null);
		status(lab, '3', 'pending', other);
		journalled(lab, 'already_claimed');
		journalled(lab, 'already_resolved');
	},
});

/* Statuses that the client does not know: it lists the tasks, and its own change ends them. */
scenario({
	name: 'pretooluse/tasks that are blocked or cancelled',
	hooks,
	tasks: [
		{ id: '1', subject: 'Held', metadata: { original_status: 'blocked', a: 1 } },
		{ id: '2', subject: 'Gone', status: 'completed',
		    metadata: { original_status: 'cancelled' } },
	],
	scripts: (lab) => ({ main: [call('TaskList', {}), start('1'), start('2'),
	    update('1', { status: 'pending' }), start('1'),
	    update('2', { status: 'pending' }), look(lab)] }),
	check(lab) {
		includes(result(lab, 0).text, '#1 [pending] Held');
		includes(result(lab, 0).text, '#2 [completed] Gone');
		refused(lab, 1, ['#1', 'claude-tasks update 1 --status pending']);
		refused(lab, 2, ['#2', 'cancelled']);
		passed(lab, 3);
		passed(lab, 4);
		passed(lab, 5);
		status(lab, '1', 'in_progress', null);
		status(lab, '2', 'pending', null);
		assert.deepStrictEqual(lab.task('1').metadata, { a: 1 });
		assert.deepStrictEqual(lab.task('2').metadata, {});
	},
});

/*
 * The second client starts after the claim of the first one, whose turn is kept
 * open: the order does not depend on the machine.
 */
scenario({
	name: 'pretooluse/only one of two clients can claim a task',
	versions: [MID, NEW],
	hooks,
	tasks: [{ id: '1', subject: 'Only one' }, { id: '2' }],
	scripts: (lab) => ({
		first: [start('1'), async () => {
			await until('the second client has ended', () =>
			    lab.over);
			return complete('1');
		}],
		second: [start('1'), complete('1'), start('2')],
	}),
	async run(lab) {
		const a = lab.start({ prompt: '[[script:first]] go' });
		await until('the first has claimed', () =>
		    lab.model.reached('first', 1));
		await lab.print({ prompt: '[[script:second]] go' });
		lab.over = true;
		await a.done;
	},
	check(lab) {
		passed(lab, 0, 'first');
		refused(lab, 0, ['#1', 'Only one'], 'second');
		refused(lab, 1, ['#1'], 'second');
		passed(lab, 2, 'second');
		passed(lab, 1, 'first');
		status(lab, '1', 'completed', null);
		journalled(lab, 'already_claimed');
	},
});

/*
 * The claim of a subagent writes its id as the owner, and the input of the model
 * is not changed: a lone surrogate, a NUL character.
 */
scenario({
	name: 'pretooluse/the claim of a subagent sets the owner and keeps the input',
	versions: [MID, NEW],
	hooks,
	tasks: [{ id: '1' }, { id: '2' }],
	scripts: (lab) => ({
		main: [delegate('sub')],
		sub: [
			{ tool: 'TaskUpdate', raw: '{"taskId":"1","status":' +
			    '"in_progress","subject":"\\ud800 é </x>",' +
			    '"metadata":{"n":0.1,"s":"a\\u0000b"}}' },
			() => {
				lab.between = lab.task('1');
				return complete('1');
			},
		],
	}),
	check(lab) {
		const agent = lab.events('SubagentStart')[0].agent_id;
		passed(lab, 0, 'sub');
		assert.strictEqual(lab.between.owner, agent);
		assert.strictEqual(lab.between.status, 'in_progress');
		assert.strictEqual(lab.between.subject, '\ud800 é </x>');
		assert.deepStrictEqual(lab.between.metadata,
		    { n: 0.1, s: 'a\0b' });
		const used = lab.events('PostToolUse')[0].tool_input;
		assert.deepStrictEqual(Object.keys(used).sort(), ['metadata',
		    'owner', 'status', 'subject', 'taskId']);
		passed(lab, 1, 'sub');
		status(lab, '1', 'completed', agent);
	},
});

scenario({
	name: 'pretooluse/only one of two subagents can claim a task',
	versions: [MID, NEW],
	hooks,
	tasks: [{ id: '1' }],
	scripts: (lab) => ({
		main: [[delegate('one'), delegate('two')]],
		one: [start('1'), async () => {
			await until('the other has asked', () =>
			    lab.model.reached('two', 2));
			return complete('1');
		}],
		two: [async () => {
			await until('the first has claimed', () =>
			    lab.model.reached('one', 1));
			return start('1');
		}, complete('1')],
	}),
	check(lab) {
		passed(lab, 0, 'one');
		refused(lab, 0, ['#1'], 'two');
		refused(lab, 1, ['#1'], 'two');
		passed(lab, 1, 'one');
		status(lab, '1', 'completed');
	},
});

scenario({
	name: 'pretooluse/a cycle and an unknown blocker are refused',
	hooks,
	tasks: [
		{ id: '1', blocks: ['2'] },
		{ id: '2', blockedBy: ['1'], blocks: ['3'] },
		{ id: '3', blockedBy: ['2'] },
	],
	scripts: { main: [
		update('1', { addBlockedBy: ['3'] }),
		update('3', { addBlocks: ['1'] }),
		update('1', { addBlockedBy: ['1'] }),
		update('1', { addBlockedBy: ['77'] }),
		update('3', { addBlockedBy: ['1'] }),
	] },
	check(lab) {
		refused(lab, 0, ['#1', '#2', '#3']);
		refused(lab, 1, ['#1', '#2', '#3']);
		refused(lab, 2, ['#1']);
		refused(lab, 3, ['77']);
		passed(lab, 4);
		assert.deepStrictEqual(lab.task('1').blockedBy, []);
		assert.deepStrictEqual(lab.task('3').blockedBy, ['2', '1']);
		journalled(lab, 'cycle');
	},
});

scenario({
	name: 'pretooluse/a task with open blockers or subtasks cannot be completed',
	hooks,
	tasks: [
		{ id: '1', subject: 'First', blocks: ['2'] },
		{ id: '2', blockedBy: ['1'] },
		{ id: '3', subject: 'Parent' },
		{ id: '4', subject: 'Child', metadata: { parent_id: '3' } },
	],
	scripts: { main: [complete('2'), complete('3'), complete('4'),
	    complete('3'), complete('1'), complete('2')] },
	check(lab) {
		refused(lab, 0, ['#2', '#1', 'First']);
		refused(lab, 1, ['#3', '#4', 'Child']);
		for (const n of [2, 3, 4, 5])
			passed(lab, n);
		for (const id of ['1', '2', '3', '4'])
			status(lab, id, 'completed');
	},
});

scenario({
	name: 'pretooluse/the create settings refuse new tasks',
	hooks,
	tasks: [{ id: '1', subject: 'feat: one' }],
	files: config({ create: { subject_pattern: '^(feat|fix): ',
	    required_metadata: ['area'], max_open: 2 } }),
	scripts: { main: [
		create(''),
		create('no prefix', { metadata: { area: 'a' } }),
		create('feat: no area'),
		create('feat: two', { metadata: { area: 'a' } }),
		create('feat: three', { metadata: { area: 'a' } }),
	] },
	check(lab) {
		refused(lab, 0, ['subject']);
		refused(lab, 1, ['no prefix']);
		refused(lab, 2, ['area']);
		passed(lab, 3);
		refused(lab, 4, ['2']);
		assert.strictEqual(lab.task('2').subject, 'feat: two');
		assert.strictEqual(lab.task('3'), null);
	},
});

scenario({
	name: 'pretooluse/a duplicate subject passes and is in the journal',
	hooks,
	tasks: [{ id: '1', subject: 'Write docs' }],
	scripts: { main: [create('Write docs'), create('Write code')] },
	check(lab) {
		passed(lab, 0);
		passed(lab, 1);
		assert.strictEqual(lab.task('2').subject, 'Write docs');
		journalled(lab, 'duplicate');
	},
});

scenario({
	name: 'pretooluse/rules.busy refuses a second open task',
	hooks,
	tasks: [{ id: '1' }, { id: '2' }],
	files: config({ rules: { busy: 'refuse' } }),
	scripts: (lab) => ({ main: [start('1'), start('2'), complete('1'),
	    start('2'), look(lab)] }),
	check(lab) {
		passed(lab, 0);
		refused(lab, 1, ['#1']);
		passed(lab, 2);
		passed(lab, 3);
		status(lab, '2', 'in_progress');
		journalled(lab, 'agent_busy');
	},
});

scenario({
	name: 'pretooluse/an agent for a completed or blocked task is refused',
	hooks,
	tasks: [
		{ id: '1', status: 'completed' },
		{ id: '2', subject: 'Open', blocks: ['3'] },
		{ id: '3', blockedBy: ['2'] },
	],
	scripts: {
		main: [delegate('sub', 'please do task 1'),
		    delegate('sub', 'please do #3'),
		    delegate('sub', 'please do #2')],
		sub: ['did it'],
	},
	check(lab) {
		refused(lab, 0, ['#1', 'completed']);
		refused(lab, 1, ['#3', '#2']);
		includes(result(lab, 2).text, 'did it');
		assert.strictEqual(lab.events('SubagentStart').length, 1);
	},
});

/* Without tasks: the todo list is the input of one call and is not on disk. */
scenario({
	name: 'pretooluse/todo.one_in_progress refuses a second item in progress',
	env: { CLAUDE_CODE_ENABLE_TASKS: '0' },
	hooks,
	files: config({ todo: { one_in_progress: true } }),
	scripts: (lab) => {
		const todo = (content, status) => ({ content, status,
		    activeForm: 'Doing ' + content });
		const write = (...todos) => call('TodoWrite', { todos });
		return { main: [
			write(todo('a', 'in_progress'), todo('b', 'in_progress')),
			write(todo('a', 'in_progress'), todo('b', 'pending')),
		] };
	},
	check(lab) {
		refused(lab, 0, ['in progress']);
		passed(lab, 1);
	},
});

/* Another hook refuses the call, so the claim does not hold. */
scenario({
	name: 'pretooluse/a claim ends if another hook refuses its call',
	hooks: (lab) => {
		const set = ours(lab);
		set.PreToolUse.push({ matcher: 'TaskUpdate', hooks: [{
			type: 'command', timeout: 60, command:
			    'if [ -e "$E2E_LAB/refuse" ]; then ' +
			    'rm "$E2E_LAB/refuse"; echo other >&2; exit 2; fi',
		}] });
		return set;
	},
	tasks: [{ id: '1' }, { id: '2' }],
	scripts: (lab) => ({
		first: [start('1'), async () => {
			await until('the second has ended', () => lab.over);
			return 'done';
		}],
		second: [start('1'), start('1'), complete('1')],
	}),
	async run(lab) {
		lab.write({ [lab.dir + '/refuse']: '' });
		const a = lab.start({ prompt: '[[script:first]] go' });
		await until('the first was refused', () =>
		    lab.model.reached('first', 1));
		await written(lab, /./, '"tool_result"');
		await lab.print({ prompt: '[[script:second]] go' });
		lab.over = true;
		await a.done;
	},
	check(lab) {
		refused(lab, 0, ['other'], 'first');
		passed(lab, 0, 'second');
		status(lab, '1', 'completed');
		/* two claims, and the first did not prevent the second */
		assert.strictEqual(new Set(lab.journal().filter((l) =>
		    l.event === 'claim' && l.task === '1')
		    .map((l) => l.session)).size, 2);
	},
});

scenario({
	name: 'pretooluse/an invalid configuration lets a start pass and refuses a completion',
	hooks,
	tasks: [{ id: '1' }],
	files: config({ rulez: {} }),
	scripts: (lab) => ({ main: [start('1'), complete('1'), look(lab)] }),
	check(lab) {
		/* the claim passes, the completion does not */
		passed(lab, 0);
		refused(lab, 1, ['rulez', 'rules']);
		status(lab, '1', 'in_progress');
	},
});

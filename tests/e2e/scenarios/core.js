'use strict';

/* The client and claude-tasks on one list: each reads what the other wrote. */

const fs = require('fs');
const path = require('path');
const { scenario, assert } = require('../scenario');
const { call } = require('../model');

const create = (subject, more) => call('TaskCreate',
    { subject, description: subject + ' \u2028 "é" </x> \u{1f600}', ...more });
const update = (taskId, more) => call('TaskUpdate', { taskId, ...more });

const work = [
	create('One'),
	create('Two', { activeForm: 'Doing two',
	    metadata: { n: 1.5, o: {}, a: [1, [], { k: null }] } }),
	create('Three'),
	update('1', { status: 'in_progress', owner: 'me' }),
	update('2', { addBlockedBy: ['1'] }),
	update('3', { addBlocks: ['2'], subject: 'Three!' }),
	update('2', { metadata: { n: null, more: 'é\u0001' } }),
	update('1', { activeForm: 'Doing one', metadata: { k: 'v' } }),
	update('1', { metadata: { k: null } }),
	update('1', { status: 'completed' }),
	update('3', { status: 'deleted' }),
	create('Four'),
	update('4', { owner: '', description: '' }),
	update('2', { status: 'in_progress', owner: 'you' }),
	update('2', { addBlockedBy: ['4'] }),
	update('4', { activeForm: 'Doing four' }),
];
/* An even number of calls: the client makes the first, claude-tasks the last. */

/* One call by claude-tasks on a list. */
async function ourselves(lab, list, step) {
	const r = await lab.cli(['call', step.tool],
	    JSON.stringify(step.input), { CLAUDE_CODE_TASK_LIST_ID: list });
	assert.strictEqual(r.code, 0, `claude-tasks call ${step.tool} ` +
	    `${JSON.stringify(step.input)}: ${r.stdout}${r.stderr}`);
	return r.stdout;
}

function contents(lab, list) {
	const dir = path.join(lab.config, 'tasks', list);
	return Object.fromEntries(fs.readdirSync(dir).sort()
	    .filter((f) => f.endsWith('.json') || f === '.highwatermark')
	    .map((f) => [f, fs.readFileSync(path.join(dir, f), 'utf8')]));
}

/* Every second call is made by claude-tasks, before the client gets its answer. */
function inTurns(lab, list) {
	const steps = [];
	for (let n = 0; n < work.length; n += 2) {
		steps.push(async () => {
			if (n > 0)
				await ourselves(lab, list, work[n - 1]);
			return work[n];
		});
	}
	steps.push(async () => {
		await ourselves(lab, list, work[work.length - 1]);
		return call('TaskList', {});
	});
	return steps;
}

scenario({
	name: 'core/the client and claude-tasks write the same bytes',
	client: true,
	scripts: (lab) => ({
		alone: work,
		both: inTurns(lab, 'both'),
	}),
	async run(lab) {
		for (const list of ['alone', 'both'])
			await lab.print({ prompt: `[[script:${list}]] go`,
			    env: { CLAUDE_CODE_TASK_LIST_ID: list } });
		for (const step of work)
			await ourselves(lab, 'ours', step);
	},
	check(lab) {
		for (const r of lab.model.told())
			assert.ok(!r.error && !/not found/.test(r.text),
			    `${r.tool} ${JSON.stringify(r.input)}: ${r.text}`);
		const want = contents(lab, 'alone');
		assert.deepStrictEqual(Object.keys(want), ['.highwatermark',
		    '1.json', '2.json', '4.json']);
		for (const list of ['both', 'ours'])
			assert.deepStrictEqual(contents(lab, list), want, list);
		/* what the client shows of the list that both wrote */
		const shown = lab.model.told('both').pop().text;
		for (const word of ['#1', '#2', '#4', 'Two', 'Four'])
			assert.ok(shown.includes(word), shown);
	},
});

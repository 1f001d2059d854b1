'use strict';

/* Facts: how the client handles a hook's answer. */

const { scenario, answer, hook, join } = require('../scenario');
const { call } = require('../model');
const { until } = require('../client');

const refusal = (reason) => ({ stdout: { decision: 'block', reason },
    stderr: reason, code: 2 });
const denial = (reason) => ({ stdout: { hookSpecificOutput: {
    hookEventName: 'PreToolUse', permissionDecision: 'deny',
    permissionDecisionReason: reason }, decision: 'block', reason },
    stderr: reason, code: 2 });

const complete = (taskId, more) => call('TaskUpdate',
    { taskId, status: 'completed', ...more });

/* The results that the model got, one line each. */
const told = (lab, script) => lab.model.told(script || 'main').map((r) =>
    (r.error ? 'error: ' : '') + r.text);

scenario({
	name: 'facts/a refusal with JSON and exit status 2',
	tasks: [{ id: '1' }],
	hooks: (lab) => answer(lab, ['PreToolUse', 'TaskCompleted',
	    'PostToolUse', 'PostToolUseFailure']),
	scripts: { main: [complete('1', { owner: 'me', metadata: { a: 1 } }),
	    complete('1'), complete('1')] },
	run(lab) {
		lab.rules([
			{ on: 'PreToolUse', times: 1, ...denial('not yet') },
			{ on: 'TaskCompleted', times: 1,
			    ...refusal('not good') },
		]);
		return lab.print();
	},
	measure: (lab) => ({
		'the model is told': told(lab),
		'events': lab.events().map((e) => e.hook_event_name),
		'the task': lab.task('1'),
		'complaints': lab.complaints().length,
	}),
});

scenario({
	name: 'facts/a rewritten input',
	tasks: [{ id: '1' }, { id: '2' }],
	hooks: (lab) => answer(lab, ['PreToolUse', 'PostToolUse']),
	scripts: { main: [
		call('TaskUpdate', { taskId: '1', status: 'in_progress' }),
		call('TaskUpdate', { taskId: '2', status: 'in_progress' }),
	] },
	run(lab) {
		const rewrite = (updatedInput) => ({ on: 'PreToolUse',
		    stdout: { hookSpecificOutput: {
		    hookEventName: 'PreToolUse', updatedInput } } });
		lab.rules([
			{ times: 1, ...rewrite({ taskId: '1',
			    status: 'in_progress', owner: 'hook' }) },
			/* it replaces the input: the status is missing */
			{ times: 2, ...rewrite({ taskId: '2',
			    owner: 'hook' }) },
		]);
		return lab.print({ mode: 'default' });
	},
	measure: (lab) => ({
		'the model is told': told(lab),
		'PostToolUse sees': lab.events('PostToolUse').map((e) =>
		    e.tool_input),
		'status and owner': ['1', '2'].map((id) => [lab.task(id).status,
		    lab.task(id).owner]),
		'complaints': lab.complaints().length,
	}),
});

/* With any of these faults of a hook the completion passes. */
const faults = {
	'a null for a known key': { stdout: { decision: 'block',
	    reason: 'no', systemMessage: null } },
	'another event\'s output': { stdout: { decision: 'block', reason: 'no',
	    hookSpecificOutput: { hookEventName: 'TaskCompleted' } } },
	'a line before the object': { stdout: 'note\n' +
	    JSON.stringify({ decision: 'block', reason: 'no' }) },
	'half an object': { stdout: '{"decision":"block","rea' },
	'exit status 1': { stderr: 'broken', code: 1 },
};
const ids = Object.keys(faults).map((_, n) => String(n + 1));

scenario({
	name: 'facts/a broken hook',
	tasks: ids.map((id) => ({ id })),
	hooks: (lab) => answer(lab, ['TaskCompleted']),
	scripts: { main: ids.map((id) => complete(id)) },
	run(lab) {
		lab.rules(Object.values(faults).map((fault, n) =>
		    ({ on: 'TaskCompleted', times: n + 1, ...fault })));
		return lab.print();
	},
	measure: (lab) => ({
		...Object.fromEntries(Object.keys(faults).map((name, n) =>
		    [name, lab.task(ids[n]).status])),
		'the model is told': told(lab),
		/* complaints() finds what every scenario of ours is searched for */
		'the client complains': lab.complaints().length > 0,
	}),
});

scenario({
	name: 'facts/a hook that times out',
	tasks: [{ id: '1' }],
	hooks: (lab) => {
		const entry = answer(lab, ['TaskCompleted']);
		entry.TaskCompleted[0].hooks[0].timeout = 1;
		return entry;
	},
	scripts: { main: [complete('1')] },
	run(lab) {
		lab.rules([{ on: 'TaskCompleted', hold: lab.dir + '/never',
		    ...refusal('too late') }]);
		return lab.print();
	},
	async measure(lab) {
		await until('the hook is gone', () =>
		    lab.strays().length === 0);
		return {
			'the model is told': told(lab),
			'status': lab.task('1').status,
		};
	},
});

scenario({
	name: 'facts/a blocked stop',
	hooks: (lab) => answer(lab, ['SubagentStop', 'Stop']),
	scripts: {
		main: [
			call('Task', { description: 'sub',
			    prompt: '[[script:sub]] work',
			    subagent_type: 'general-purpose',
			    run_in_background: false }),
			'first end', 'second end',
		],
		sub: ['first stop', 'second stop'],
	},
	run(lab) {
		lab.rules([
			{ on: 'SubagentStop', times: 1, ...refusal('go on') },
			{ on: 'Stop', times: 1, ...refusal('not done') },
		]);
		return lab.print();
	},
	measure: (lab) => ({
		'subagent stops': lab.events('SubagentStop').map((e) =>
		    [e.stop_hook_active, e.last_assistant_message]),
		'stops': lab.events('Stop').map((e) =>
		    [e.stop_hook_active, e.last_assistant_message]),
		'the subagent hears the reason': lab.model.turns.some((t) =>
		    t.script === 'sub' && t.step === 1 &&
		    t.texts.join('\n').includes('go on')),
		'the main thread hears the reason': lab.model.turns.some((t) =>
		    t.script === 'main' && t.step === 2 &&
		    t.texts.join('\n').includes('not done')),
	}),
});

/* Does an old client drop all hooks because of one unknown event name? */
scenario({
	name: 'facts/an event name of a newer client',
	tasks: [{ id: '1' }],
	hooks: (lab) => join(answer(lab, ['TaskCompleted']),
	    { TaskCreated: [hook('true')], NoSuchEvent: [hook('true')] }),
	scripts: { main: [complete('1')] },
	measure: (lab) => ({
		'TaskCompleted fires': lab.events('TaskCompleted').length,
	}),
});

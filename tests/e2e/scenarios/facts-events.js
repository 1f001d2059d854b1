'use strict';

/* Facts: which events a run fires, and their fields. */

const fs = require('fs');
const { scenario, answer } = require('../scenario');
const { call } = require('../model');
const { save } = require('../payload');

const keys = (event) => event && Object.keys(event).join(' ');

/* An agent's id with every hex digit after the first letter replaced by x. */
const shape = (id) => id[0] + id.slice(1).replace(/[0-9a-f]/g, 'x');

scenario({
	name: 'facts/events of a session',
	hooks: (lab) => answer(lab),
	scripts: {
		main: [
			call('TaskCreate', { subject: 'One',
			    description: 'First', activeForm: 'Doing one' }),
			call('TaskUpdate', { taskId: '1',
			    status: 'in_progress' }),
			call('Task', { description: 'sub',
			    prompt: '[[script:sub]] work',
			    subagent_type: 'general-purpose',
			    run_in_background: false }),
			call('TaskUpdate', { taskId: '1',
			    status: 'completed', metadata: { a: 1 } }),
			'finished',
		],
		sub: [
			call('TaskCreate', { subject: 'Two',
			    description: 'Second' }),
			call('TaskUpdate', { taskId: '2', owner: 'sub',
			    status: 'in_progress' }),
			call('TaskUpdate', { taskId: '2',
			    status: 'completed' }),
			'sub finished',
		],
	},
	measure(lab) {
		const events = lab.events();
		const first = (name, test) => events.find((e) =>
		    e.hook_event_name === name && (!test || test(e)));
		const tool = (name, task) => (e) => e.tool_name === name &&
		    (!task || e.tool_input.taskId === task);
		const side = fs.readFileSync(lab.log + '.env', 'utf8')
		    .split('\n').filter(Boolean).map((l) => JSON.parse(l));
		const start = first('SubagentStart');
		return {
			'SessionStart': keys(first('SessionStart')),
			'UserPromptSubmit': keys(first('UserPromptSubmit')),
			'PreToolUse': keys(first('PreToolUse')),
			'PreToolUse of a subagent': keys(first('PreToolUse',
			    tool('TaskUpdate', '2'))),
			'PostToolUse': keys(first('PostToolUse')),
			'response to TaskCreate': keys(first('PostToolUse',
			    tool('TaskCreate')).tool_response.task),
			'response to TaskUpdate': first('PostToolUse',
			    tool('TaskUpdate')).tool_response,
			'TaskCreated': keys(first('TaskCreated')),
			'TaskCompleted': keys(first('TaskCompleted',
			    (e) => e.task_id === '1')),
			'TaskCompleted of a subagent': keys(
			    first('TaskCompleted', (e) => e.task_id === '2')),
			'SubagentStart': keys(start),
			'SubagentStop': keys(first('SubagentStop')),
			'Stop': keys(first('Stop')),
			'SessionEnd': keys(first('SessionEnd')),
			'SessionEnd reason': first('SessionEnd').reason,
			'name of the spawning tool': first('PreToolUse',
			    (e) => /^(Task|Agent)$/.test(e.tool_name))
			    .tool_name,
			'input keeps the model\'s key order': keys(
			    first('PreToolUse', tool('TaskCreate'))
			    .tool_input),
			'agent id': shape(start.agent_id),
			'agent type': start.agent_type,
			'a session has one id': new Set(events.map((e) =>
			    e.session_id)).size === 1,
			'subagent and its stop agree': start.agent_id ===
			    first('SubagentStop').agent_id,
			'last message': first('SubagentStop')
			    .last_assistant_message,
			'events end in a newline': side.every((s) =>
			    s.newline),
			'environment': Object.keys(side.find((s) =>
			    s.event === 'TaskCompleted').env).filter((n) =>
			    !/ENABLE|DISABLE|LIST_ID/.test(n)).sort()
			    .join(' '),
			'working directory': side.every((s) => s.cwd ===
			    fs.realpathSync(lab.project)),
		};
	},
	save,
});

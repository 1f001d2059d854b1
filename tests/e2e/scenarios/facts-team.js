'use strict';

/* Facts: a teammate in the lead's process, from its first claim to its end. */

const { scenario, record, TEAM, lead, spawn, dismiss, teammate, gone } =
    require('../scenario');
const { call } = require('../model');
const { until } = require('../client');
const { save, ofTeammate } = require('../payload');

const keys = (event) => event && Object.keys(event).join(' ');

scenario({
	...TEAM,
	name: 'facts/events of a teammate',
	hooks: (lab) => record(lab),
	scripts: (lab) => ({
		main: [
			call('TaskCreate', { subject: 'One',
			    description: 'First' }),
			call('TaskCreate', { subject: 'Two',
			    description: 'Second' }),
			spawn('worker'),
			async () => {
				await until('the teammate idles twice', () =>
				    lab.events('TeammateIdle').length > 1);
				lab.idle = lab.task('1');
				return dismiss('worker');
			},
			async () => {
				await until('the teammate is gone', () =>
				    gone(lab, 'worker') &&
				    lab.task('1').status === 'pending');
				return 'bye';
			},
		],
		worker: teammate(
			call('TaskUpdate', { taskId: '2',
			    status: 'in_progress' }),
			call('TaskUpdate', { taskId: '2',
			    status: 'completed' }),
			call('TaskUpdate', { taskId: '1',
			    status: 'in_progress' }),
			'pausing'),
	}),
	async run(lab) {
		const run = await lead(lab);
		await until('the lead has stopped', () =>
		    lab.events('Stop').length > 0);
		await lab.end(run);
		await until('the session has ended', () =>
		    lab.events('SessionEnd').length > 0);
	},
	measure(lab) {
		const events = lab.events();
		const session = events[0].session_id;
		const of = (name, test) => events.filter((e) =>
		    e.hook_event_name === name && (!test || test(e)));
		const turn = (e) => e.permission_mode !== undefined;
		const shape = (id) => id.replace(/[0-9a-f]{16}$/, 'x');
		return {
			'the list is named after the session': lab.list ===
			    'session-' + session.slice(0, 8),
			'one session': events.every((e) =>
			    e.session_id === session),
			'PreToolUse': keys(of('PreToolUse', (e) =>
			    e.agent_id)[0]),
			'agent id': shape(of('PreToolUse', (e) =>
			    e.agent_id)[0].agent_id),
			'agent type': of('PreToolUse', (e) => e.agent_id)[0]
			    .agent_type,
			'one agent id': new Set(events.filter((e) => e.agent_id)
			    .map((e) => e.agent_id)).size === 1,
			'TaskCompleted': keys(of('TaskCompleted', (e) =>
			    !turn(e))[0]),
			'TaskCompleted at the end of a turn': keys(
			    of('TaskCompleted', turn)[0]),
			'its task': of('TaskCompleted', turn)[0].task_id,
			'TeammateIdle': keys(of('TeammateIdle')[0]),
			'SubagentStop at the end of a turn': keys(
			    of('SubagentStop', turn)[0]),
			'SubagentStop at the end': keys(
			    of('SubagentStop', (e) => !turn(e))[0]),
			'order': events.map((e) => e.hook_event_name)
			    .filter((n) => /Stop|Idle|TaskCompleted/.test(n))
			    .slice(0, 4),
			'owner while idle': lab.idle.owner,
			'status while idle': lab.idle.status,
			'owner after the end': lab.task('1').owner || null,
			'status after the end': lab.task('1').status,
			'owner of what is done': lab.task('2').owner,
			'told on a claim': lab.model.told('worker')[0].text,
		};
	},
	save: (lab, dir) => save(lab, dir, ofTeammate),
});

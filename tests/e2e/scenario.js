'use strict';

/*
 * What a scenario is, and the functions for writing one.
 *
 *	scenario({
 *		name:		"area/what must hold"
 *		versions:	clients it is run with (default: all three)
 *		list:		list to check (default "lab")
 *		tasks:		tasks on disk before the run
 *		files:		files in the project, by path; committed
 *		env, settings:	additions to those of the client
 *		hooks:		hooks of the settings file
 *		scripts:	what the model does (see model.js)
 *		run(lab):	default: one print run to its end
 *		check(lab):	assertions
 *	});
 *
 * tasks, files, hooks and scripts may be functions of the lab. A scenario of
 * our hooks must fail without them; `main.js --absent` shows that it does. A
 * fact is about the client itself: instead of `check` it has `measure(lab)`,
 * which returns { name: value }; see compare.js.
 */

const assert = require('assert');
const fs = require('fs');
const path = require('path');
const { RECORDER, BUILD, find, until, walk } = require('./client');
const { call } = require('./model');

const OLD = '2.1.34', MID = '2.1.197', NEW = '2.1.325';
const ALL = [OLD, MID, NEW];

/* 2.1.34 drops the whole file if it has an unknown event name. */
const EVENTS_OLD = ['SessionStart', 'UserPromptSubmit', 'PreToolUse',
    'PostToolUse', 'PostToolUseFailure', 'SubagentStart', 'SubagentStop',
    'TaskCompleted', 'TeammateIdle', 'Stop', 'SessionEnd'];
const EVENTS = [...EVENTS_OLD, 'TaskCreated'];

const scenarios = [];

function scenario(s) {
	if (scenarios.some((o) => o.name === s.name))
		throw new Error(`two scenarios are named ${s.name}`);
	scenarios.push({ versions: ALL, run: (lab) => lab.print(), ...s });
}

/* One settings entry. */
function hook(command, more) {
	return { hooks: [{ type: 'command', command, timeout: 60, ...more }] };
}

/* Record these events (default: all of the client), and pass. */
function record(lab, events) {
	/* One write, so that two events do not mix; 2.1.34 sends no newline. */
	return on(lab, events, 'printf "%s\\n" "$(cat)" >>"$E2E_LOG"');
}

/* The same, with a recorder that answers by lab.rules(): see tests/tool-recorder.c. */
function answer(lab, events) {
	return on(lab, events, `'${RECORDER}'`);
}

function on(lab, events, command) {
	const known = lab.kin === OLD ? EVENTS_OLD : EVENTS;
	return Object.fromEntries((events || known)
	    .filter((e) => known.includes(e))
	    .map((e) => [e, [hook(command)]]));
}

/* Several sets of hooks in one. */
function join(...sets) {
	const all = {};
	for (const set of sets)
		for (const [event, entries] of Object.entries(set))
			all[event] = [...(all[event] || []), ...entries];
	return all;
}

const OTHER_TOOLS = 'TaskList|TaskGet|Task|Agent|TodoWrite';

/*
 * Our three hooks as a user would register them; with E2E_ABSENT set, `true`
 * instead of each.
 */
function wired(lab, more) {
	const our = (name, args) => process.env.E2E_ABSENT ? 'true' :
	    [path.join(BUILD, name), ...(args || [])].join(' ');
	const o = { pretooluse: [], verify: [], stop: [], timeout: 60,
	    ...more };
	const set = {
		PreToolUse: [{ matcher: OTHER_TOOLS, ...hook(
		    our('on-pretooluse-task', o.pretooluse)) },
		{ matcher: 'TaskCreate|TaskUpdate', ...hook(
		    our('on-pretooluse-task', o.pretooluse),
		    { timeout: o.timeout, onFailure: 'block' }) }],
		PostToolUse: [{ matcher: 'Task|Agent', ...hook(
		    our('on-pretooluse-task', o.pretooluse)) }],
		TaskCompleted: [hook(our('on-task-completed-verify', o.verify),
		    { timeout: o.timeout })],
	};
	for (const event of ['SubagentStop', 'SessionEnd', 'TeammateIdle'])
		set[event] = [hook(our('on-subagent-stop', o.stop))];
	return set;
}

/* The same, and the recorder. */
function ours(lab, more) {
	/* Not for events that we refuse: 2.1.34 loses the reason if another hook passes. */
	return join(wired(lab, more), record(lab, ['SubagentStart', 'SubagentStop',
	    'PostToolUse', 'TeammateIdle', 'Stop', 'SessionEnd']));
}

/*
 * Put our hooks into the user's settings, where the client notices a change, and have install record
 * them (seen: the version of the client that it sees, if not this one). The recorder gets the events
 * of changed settings.
 */
async function inUsersFile(lab, seen) {
	const stop = wired(lab).SessionEnd, append = hook('printf "%s\\n" "$(cat)" >>"$E2E_LOG"');
	lab.write({ [path.join(lab.config, 'settings.json')]: { hooks: { ...wired(lab),
	    ConfigChange: [...stop, append], UserPromptSubmit: stop, SessionStart: stop } } });
	if (!process.env.E2E_ABSENT)
		await lab.did('install', '--no-todo-tools', '--client', seen ? find(seen) : lab.exe);
}

/* Have install register copies of our programs in the user's settings: lab.bin(NAME). */
async function install(lab) {
	fs.mkdirSync(lab.bin(), { recursive: true });
	for (const name of ['on-pretooluse-task', 'on-task-completed-verify', 'on-subagent-stop'])
		fs.copyFileSync(process.env.E2E_ABSENT ? '/bin/true' : path.join(BUILD, name), lab.bin(name));
	await lab.did('install', '--no-todo-tools', '--bin', lab.bin(), '--client', lab.exe);
}

/* ---- calls of the model ---- */

const update = (taskId, more) => call('TaskUpdate', { taskId, ...more });
const start = (taskId, more) => update(taskId,
    { status: 'in_progress', ...more });
const complete = (taskId, more) => update(taskId,
    { status: 'completed', ...more });
const create = (subject, more) => call('TaskCreate',
    { subject, description: subject + ', in full.', ...more });

/* Start a subagent in the foreground (it has Task tools) with this script. */
const delegate = (script, prompt) => call('Task', { description: script,
    prompt: `[[script:${script}]] ${prompt || 'work'}`,
    subagent_type: 'general-purpose', run_in_background: false });

/*
 * A last step that saves the list for status(): the end of the session
 * releases the tasks that are in progress.
 */
const look = (lab) => () => {
	lab.before = Object.fromEntries(fs.readdirSync(lab.tasks)
	    .filter((f) => f.endsWith('.json'))
	    .map((f) => [f.slice(0, -5), lab.task(f.slice(0, -5))]));
	return 'done';
};

/* ---- teams ---- */

/* Options for a scenario with a team, on the list of that team. */
const TEAM = { list: '', weight: 10, versions: [MID, NEW],
    env: { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1',
    CLAUDE_CODE_TASK_LIST_ID: null } };

/* Start the lead in a terminal; teammates run in its process, or ... */
function lead(lab) {
	return lab.interactive({ args: ['--teammate-mode', 'in-process'] });
}

/* ... each in a terminal of its own, with a process and a session of its own. */
function leadWithPanes(lab) {
	return lab.interactive({ args: ['--teammate-mode', 'tmux'], panes: true });
}

/* The lead's call that starts a teammate with its own script. */
function spawn(name) {
	return call('Agent', { description: name, name,
	    prompt: `[[script:${name}]] work`,
	    subagent_type: 'general-purpose' });
}

function dismiss(name) {
	return call('SendMessage', { to: name,
	    message: { type: 'shutdown_request', reason: 'enough' } });
}

/*
 * A teammate's steps, and its answers in later turns: it agrees to shut down
 * when asked, and otherwise does nothing.
 */
function teammate(...steps) {
	return [...steps, ...Array(40).fill((turn) => {
		const ask = /"requestId":"([^"]+)"/.exec(turn.texts.join('\n'));
		return ask ? call('SendMessage', { to: 'team-lead', message: {
		    type: 'shutdown_response', request_id: ask[1],
		    approve: true } }) : 'nothing new';
	})];
}

/* Has the teammate sent its last event, after it agreed to shut down? */
function gone(lab, name) {
	return lab.events('SubagentStop').some((e) => e.agent_type === name &&
	    e.permission_mode === undefined);
}

/*
 * Wait until a transcript has this text: our hooks read the transcripts, and
 * the client writes them a tenth of a second late.
 */
function written(lab, file, text) {
	return until(`a transcript says ${text}`, () =>
	    walk(path.join(lab.config, 'projects')).some((f) =>
		file.test(f) && fs.readFileSync(f, 'utf8').includes(text)));
}

/* ---- assertions ---- */

/* The n-th result that a script got. */
function result(lab, n, script) {
	const r = lab.model.told(script || 'main')[n];
	assert.ok(r, `${script || 'main'} got no result ${n}`);
	return r;
}

/* The n-th call of a script was refused, and the reason has all these words. */
function refused(lab, n, words, script) {
	const r = result(lab, n, script);
	const done = /^(Updated task|Task #\d+ created|Spawned)/.test(r.text);
	assert.ok(!done, `${r.tool} ${JSON.stringify(r.input)} was not ` +
	    `refused: ${r.text}`);
	for (const word of words)
		includes(r.text, word, 'the refusal');
}

/* The n-th call of a script passed. */
function passed(lab, n, script) {
	const r = result(lab, n, script);
	assert.ok(!r.error && !/hook (error|feedback)/.test(r.text),
	    `${r.tool} ${JSON.stringify(r.input)} was refused: ${r.text}`);
}

function status(lab, id, want, owner) {
	const t = lab.before ? lab.before[id] : lab.task(id);
	assert.ok(t, `task ${id} is gone`);
	assert.strictEqual(t.status, want, `status of task ${id}`);
	if (owner !== undefined)
		assert.strictEqual(t.owner === undefined ? null : t.owner,
		    owner, `owner of task ${id}`);
}

/* A line of the journal has all these words. */
function journalled(lab, ...words) {
	const lines = lab.journal().map((l) => JSON.stringify(l));
	assert.ok(lines.some((l) => words.every((w) => l.includes(w))),
	    `no journal line with ${words.join(', ')}:\n${lines.join('\n')}`);
}

function includes(text, part, what) {
	assert.ok(typeof text === 'string' && text.includes(part),
	    `${what || 'text'} should contain ${JSON.stringify(part)}, is ` +
	    JSON.stringify(text));
}

function excludes(text, part, what) {
	assert.ok(typeof text !== 'string' || !text.includes(part),
	    `${what || 'text'} should not contain ${JSON.stringify(part)}, is ` +
	    JSON.stringify(text));
}

module.exports = { scenario, scenarios, hook, record, answer, join, wired, ours, inUsersFile, install,
    TEAM, lead, leadWithPanes, spawn, dismiss, teammate, gone, update, start, complete, create,
    delegate, look, written, result, refused, passed, status, journalled, includes, excludes, assert, OLD, MID, NEW, ALL };

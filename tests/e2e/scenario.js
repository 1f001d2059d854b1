'use strict';

/*
 * What a scenario is, and the words scenarios are written in.
 *
 *	scenario({
 *		name:		"area/what happens"
 *		versions:	clients it holds for (default: all three)
 *		list:		list to look at (default "lab")
 *		tasks:		tasks on disk before the run
 *		files:		files in the project, by path; committed
 *		env, settings:	additions to the client's
 *		hooks:		of the settings file
 *		scripts:	what the model does (see model.js)
 *		run(lab):	default: one print run to its end
 *		check(lab):	assertions
 *	});
 *
 * tasks, files, hooks and scripts may be functions of the lab. A scenario of
 * our hooks must fail if they were not there; `main.js --absent` shows that
 * it does. A fact says what the client does by itself: it has `measure(lab)`
 * in place of `check`, which returns { name: value }; see compare.js.
 */

const assert = require('assert');
const fs = require('fs');
const path = require('path');
const { RECORDER, BUILD, until, walk } = require('./client');
const { call } = require('./model');

const OLD = '2.1.34', MID = '2.1.197', NEW = '2.1.325';
const ALL = [OLD, MID, NEW];

/* Event names a client does not know make it drop the whole file (2.1.34). */
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

/* Record these events (default: all the client knows), and pass. */
function record(lab, events) {
	/* One write, so that two at once do not mix; 2.1.34 ends no line. */
	return on(lab, events, 'printf "%s\\n" "$(cat)" >>"$E2E_LOG"');
}

/* The same, with a recorder that answers by lab.rules(): see recorder.js. */
function answer(lab, events) {
	return on(lab, events, `'${process.execPath}' '${RECORDER}'`);
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

const TOOLS = 'TaskCreate|TaskUpdate|Task|Agent|TodoWrite';

/*
 * Our three hooks as a user would enter them. With E2E_ABSENT set, something
 * that always passes takes their place.
 */
function wired(lab, more) {
	const our = (name, args) => process.env.E2E_ABSENT ? 'true' :
	    [path.join(BUILD, name), ...(args || [])].join(' ');
	const o = { pretooluse: [], verify: [], stop: [], timeout: 60,
	    ...more };
	const set = {
		PreToolUse: [{ matcher: TOOLS, ...hook(
		    our('on-pretooluse-task', o.pretooluse)) }],
		PostToolUse: [{ matcher: 'Task|Agent', ...hook(
		    our('on-pretooluse-task', o.pretooluse)) }],
		TaskCompleted: [hook(our('on-task-completed-verify', o.verify),
		    { timeout: o.timeout })],
	};
	for (const event of ['SubagentStop', 'SessionEnd', 'TeammateIdle'])
		set[event] = [hook(our('on-subagent-stop', o.stop))];
	return set;
}

/* The same, and the recorder beside them. */
function ours(lab, more) {
	/* Not beside a refusal: 2.1.34 loses its reason if another passes. */
	return join(wired(lab, more), record(lab, ['SubagentStart', 'SubagentStop',
	    'PostToolUse', 'TeammateIdle', 'Stop', 'SessionEnd']));
}

/* ---- what the model does ---- */

const update = (taskId, more) => call('TaskUpdate', { taskId, ...more });
const start = (taskId, more) => update(taskId,
    { status: 'in_progress', ...more });
const complete = (taskId, more) => update(taskId,
    { status: 'completed', ...more });
const create = (subject, more) => call('TaskCreate',
    { subject, description: subject + ', in full.', ...more });

/* A subagent in the foreground (it has Task tools), by the script's name. */
const delegate = (script, prompt) => call('Task', { description: script,
    prompt: `[[script:${script}]] ${prompt || 'work'}`,
    subagent_type: 'general-purpose', run_in_background: false });

/*
 * A last step that looks at the list: the end of the session gives back what
 * is still in progress, so that status() needs to know how it was before.
 */
const look = (lab) => () => {
	lab.before = Object.fromEntries(fs.readdirSync(lab.tasks)
	    .filter((f) => f.endsWith('.json'))
	    .map((f) => [f.slice(0, -5), lab.task(f.slice(0, -5))]));
	return 'done';
};

/* ---- teams ---- */

/* What makes a client's session a team, on the list of that team. */
const TEAM = { list: '', weight: 10, versions: [MID, NEW],
    env: { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1',
    CLAUDE_CODE_TASK_LIST_ID: null } };

/* Start the lead in a terminal; teammates live in its process, or ... */
function lead(lab) {
	return lab.interactive({ args: ['--teammate-mode', 'in-process'] });
}

/* ... each in a terminal of its own, with a process and a session of its own. */
function leadWithPanes(lab) {
	return lab.interactive({ args: ['--teammate-mode', 'tmux'], panes: true });
}

/* The lead's call that makes a teammate, which follows its own script. */
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
 * A teammate's steps, and what it does with the turns that come after them:
 * it agrees to shut down when asked to, and has else nothing to say.
 */
function teammate(...steps) {
	return [...steps, ...Array(40).fill((turn) => {
		const ask = /"requestId":"([^"]+)"/.exec(turn.texts.join('\n'));
		return ask ? call('SendMessage', { to: 'team-lead', message: {
		    type: 'shutdown_response', request_id: ask[1],
		    approve: true } }) : 'nothing new';
	})];
}

/* Events of a teammate that has agreed to go: the last one of it. */
function gone(lab, name) {
	return lab.events('SubagentStop').some((e) => e.agent_type === name &&
	    e.permission_mode === undefined);
}

/*
 * The client writes its transcripts a tenth of a second late, and our hooks
 * read them; a model that thinks takes longer. Wait as long.
 */
function written(lab, file, text) {
	return until(`a transcript says ${text}`, () =>
	    walk(path.join(lab.config, 'projects')).some((f) =>
		file.test(f) && fs.readFileSync(f, 'utf8').includes(text)));
}

/* ---- assertions ---- */

/* The n-th result a script was told. */
function result(lab, n, script) {
	const r = lab.model.told(script || 'main')[n];
	assert.ok(r, `${script || 'main'} was told no result ${n}`);
	return r;
}

/* The n-th call of a script was refused, and all these words were said. */
function refused(lab, n, words, script) {
	const r = result(lab, n, script);
	const done = /^(Updated task|Task #\d+ created|Spawned)/.test(r.text);
	assert.ok(!done, `${r.tool} ${JSON.stringify(r.input)} was not ` +
	    `refused: ${r.text}`);
	for (const word of words)
		includes(r.text, word, 'the refusal');
}

/* It went through. */
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

/* A line of the journal holds all these words. */
function journalled(lab, ...words) {
	const lines = lab.journal().map((l) => JSON.stringify(l));
	assert.ok(lines.some((l) => words.every((w) => l.includes(w))),
	    `no journal line with ${words.join(', ')}:\n${lines.join('\n')}`);
}

function includes(text, part, what) {
	assert.ok(typeof text === 'string' && text.includes(part),
	    `${what || 'text'} should say ${JSON.stringify(part)}, is ` +
	    JSON.stringify(text));
}

function excludes(text, part, what) {
	assert.ok(typeof text !== 'string' || !text.includes(part),
	    `${what || 'text'} should not say ${JSON.stringify(part)}, is ` +
	    JSON.stringify(text));
}

module.exports = { scenario, scenarios, hook, record, answer, join, wired, ours,
    TEAM, lead, leadWithPanes, spawn, dismiss, teammate, gone, update, start, complete, create,
    delegate, look, written, result, refused, passed, status, journalled, includes, excludes, assert, OLD, MID, NEW, ALL };

'use strict';

/* Installation by settings files, the plugin, and the MCP server. */

const { execFile } = require('child_process');
const fs = require('fs');
const path = require('path');
const { promisify } = require('util');
const { scenario, start, complete, update, delegate, refused, passed, status,
    journalled, includes, assert, OLD, MID, NEW } = require('../scenario');
const { BUILD, until } = require('../client');
const { call } = require('../model');

const top = path.join(__dirname, '../../..');

/*
 * Wrappers, first in PATH, that write a line and run the real program: the
 * hooks of an example are found by name there, as after `make install`.
 */
function standIns(lab) {
	const dir = path.join(lab.dir, 'bin');
	fs.mkdirSync(dir);
	for (const name of fs.readdirSync(BUILD)) {
		if (!name.startsWith('on-'))
			continue;
		fs.writeFileSync(path.join(dir, name), '#!/bin/sh\n' +
		    'event=$(cat)\n' +
		    'name=${event#*\\"hook_event_name\\":\\"}\n' +
		    `echo "\${name%%\\"*} ${name}" >>"$E2E_LAB/fired"\n` +
		    'printf %s "$event" | ' +
		    `'${path.join(BUILD, name)}' "$@"\n`, { mode: 0o755 });
	}
	return dir;
}

const fired = (lab) => new Set((lab.read(lab.dir + '/fired') || '')
    .split('\n').filter(Boolean));

/* The hooks of a settings file for events that occur in this run. */
function entered(settings) {
	const given = ['PreToolUse', 'PostToolUse', 'TaskCompleted',
	    'SubagentStart', 'SubagentStop', 'Stop', 'SessionStart',
	    'SessionEnd'];
	const pairs = [];
	for (const [event, entries] of Object.entries(settings.hooks))
		for (const entry of entries)
			for (const h of entry.hooks) {
				const name = /\bon-[a-z-]+/.exec(h.command);
				if (name && given.includes(event))
					pairs.push(`${event} ${name[0]}`);
			}
	return pairs;
}

/* A run in which each of our hooks acts: the receipt is written at TaskCompleted. */
const repair = [update('1', { description: '- [x] box' }), complete('1')];
const scripts = {
	main: [start('2'), start('1'), complete('1'), ...repair, delegate('sub')],
	sub: ['nothing to do'],
};
const tasks = [
	{ id: '1', subject: 'First', description: '- [ ] box', blocks: ['2'] },
	{ id: '2', subject: 'Second', blockedBy: ['1'] },
];

function acted(lab) {
	refused(lab, 0, ['#2', '#1']);
	passed(lab, 1);
	refused(lab, 2, ['box']);
	passed(lab, 4);
	journalled(lab, '"receipt"', '"1"');
}

const examples = path.join(top, 'settings-examples');
for (const file of fs.existsSync(examples) ?
    fs.readdirSync(examples).sort() : []) {
	if (!file.endsWith('.json'))
		continue;
	const text = fs.readFileSync(path.join(examples, file), 'utf8');
	let settings;
	try {
		settings = JSON.parse(text);
	} catch {
		continue;	/* a configuration with comments, not settings */
	}
	if (!settings.hooks)
		continue;
	scenario({
		name: `delivery/the hooks of settings-examples/${file} act`,
		/* the shell form is for clients without the exec form */
		versions: /shell/.test(file) ? [OLD] : [MID, NEW],
		tasks, scripts,
		async run(lab) {
			const bin = process.env.E2E_ABSENT ? lab.dir :
			    standIns(lab);
			await lab.print({ settings: path.join(examples, file),
			    env: { PATH: bin + ':' + process.env.PATH } });
		},
		check(lab) {
			const pairs = entered(settings);
			assert.ok(pairs.length > 0, 'it has no hook of ours');
			for (const pair of pairs)
				assert.ok(fired(lab).has(pair),
				    `${pair} did not fire`);
			acted(lab);
		},
	});
}

/* Build the plugin as `make plugin` does, with the programs under test. */
async function plugin(lab) {
	const version = fs.readFileSync(path.join(top, 'VERSION'), 'utf8').trim();

	await promisify(execFile)(path.join(top, 'scripts/plugin'), [version],
	    { env: { ...process.env, B: BUILD, OUT: lab.dir } });
	return path.join(lab.dir, 'plugin');
}

scenario({
	name: 'delivery/the hooks of the plugin act',
	tasks, scripts,
	async run(lab) {
		if (process.env.E2E_ABSENT)
			return lab.print();
		return lab.print({ args: ['--plugin-dir', await plugin(lab)] });
	},
	check: acted,
});

/* The client installs the plugin; then claude-tasks install is refused. */
scenario({
	name: 'delivery/the hooks of a plugin from a marketplace act once',
	versions: [MID, NEW],
	tasks, scripts,
	async run(lab) {
		if (!process.env.E2E_ABSENT) {
			const dir = await plugin(lab);
			for (const words of [['marketplace', 'add', dir],
			    ['install', 'task-hooks@claude-task-hooks']]) {
				const client = promisify(execFile)(lab.exe,
				    ['plugin', ...words], { cwd: lab.project,
				    env: lab.environment() });
				client.child.stdin.end();
				await client;
			}
			const second = await lab.cli(['install', '--user']);
			assert.strictEqual(second.code, 21, second.stderr);
			includes(second.stderr, 'plugin');
		}
		await lab.print({ settings: null });
	},
	check(lab) {
		acted(lab);
		assert.strictEqual(lab.journal().filter((line) =>
		    line.event === 'refuse' && line.task === '2').length, 1,
		    'the hook ran once');
	},
});

/* Also: a change by the main thread reaches a sync command during the session. */
const mirrored = (lab) => (lab.read(lab.dir + '/mirror') || '').split('\n')
    .filter(Boolean).map((line) => {
	const blank = line.indexOf(' ');
	return { event: line.slice(0, blank),
	    list: JSON.parse(line.slice(blank)) };
});

scenario({
	name: 'delivery/the hooks registered by claude-tasks install act',
	tasks,
	files: (lab) => ({ [lab.config + '/task-hooks.json']: { sync: [
	    { name: 'mirror', run: 'echo "$TASK_HOOKS_EVENT" ' +
	    `"$(tr -d '\\n')" >>'${lab.dir}/mirror'` }] } }),
	scripts: (lab) => ({ ...scripts, main: [start('2'), start('1'),
	    async () => {
		await until('the sync command has the task in progress', () =>
		    mirrored(lab).some((m) => m.event === 'PostToolUse' &&
			m.list[0].status === 'in_progress'));
		return complete('1');
	    }, ...repair, delegate('sub')] }),
	async run(lab) {
		if (!process.env.E2E_ABSENT)
			await lab.did('install', '--user', '--client', lab.exe);
		await lab.print({ settings: null });
	},
	check(lab) {
		acted(lab);
		const { hooks } = JSON.parse(lab.read(lab.config + '/settings.json'));
		assert.strictEqual('ConfigChange' in hooks, lab.kin !== OLD,
		    'only an event that the client knows is registered');
	},
});

scenario({
	name: 'delivery/the client uses the tools of the MCP server',
	client: true,
	tasks: [{ id: '1', subject: 'There before' }],
	scripts: (lab) => ({ main: [
		/* It starts during the first turn: its tools are in the second. */
		async () => {
			await until('the server is connected', () =>
			    /MCP server "tasks":? .*connected/i.test(
				lab.debug()));
			return call('TaskList', {});
		},
		call('mcp__tasks__TaskCreate',
		    { subject: 'By MCP', description: 'From afar' }),
		call('mcp__tasks__TaskUpdate',
		    { taskId: '2', status: 'in_progress' }),
		call('mcp__tasks__TaskList', {}),
	] }),
	run: (lab) => lab.print({ args: ['--strict-mcp-config', '--mcp-config',
	    JSON.stringify({ mcpServers: { tasks: {
	    command: path.join(BUILD, 'claude-tasks'), args: ['mcp'] } } })] }),
	check(lab) {
		for (const r of lab.model.told('main'))
			assert.ok(!r.error, r.text);
		includes(lab.model.told('main')[3].text, 'There before');
		status(lab, '2', 'in_progress');
		assert.strictEqual(lab.task('2').subject, 'By MCP');
	},
});

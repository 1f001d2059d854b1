'use strict';

/*
 * An agent that wants its task completed although the gate fails, and an honest one in the same
 * surroundings. The gate `tests` passes when src/answer has 42 in it.
 */

const { scenario, ours, inUsersFile, journalled, start, complete, look, refused, passed, result, status, includes,
    assert, MID, NEW } = require('../scenario');
const { until } = require('../client');
const { call } = require('../model');

const GATE = { gates: [{ name: 'tests', run: 'grep -q 42 src/answer',
    fix: 'Make the answer 42.', when: { changed: ['src/**'] } }] };

const bash = (command) => call('Bash', { command, description: 'a command' });
const cheat = bash('echo 41 >src/answer');
const commit = bash('git -c user.name=a -c user.email=a@example.com commit -qam work');

/*
 * The answer is made wrong, then come the steps, then the completion that is refused; after a repair
 * in the work tree `at` the same agent is honest, and passes (repaired: false: it cannot).
 */
function closed(name, o) {
	const honest = o.repaired !== false;
	scenario({
		name: `closed/${name}: refused${honest ? ', passes once repaired' : ''}`,
		versions: [MID, NEW],
		tasks: [{ id: '1', subject: 'Answer' }],
		files: { 'src/answer': '42\n', '.claude/task-hooks.json': GATE, ...o.files },
		hooks: (lab) => o.hooks ? o.hooks(lab) : ours(lab),
		scripts: (lab) => ({ main: [...o.steps(lab), complete('1'), ...(!honest ? [] :
		    [bash(`echo 42 more >'${o.at ? o.at(lab) : lab.project}/src/answer'`),
			complete('1')]), look(lab)] }),
		async run(lab) {
			await lab.did('trust', '--yes');
			if (o.prepare)
				await o.prepare(lab);
			await lab.print(o.run ? o.run(lab) : {});
		},
		check(lab) {
			const last = lab.model.told('main').length - 1;
			refused(lab, honest ? last - 2 : last,
			    o.words || ['tests', 'Make the answer 42.']);
			if (honest)
				passed(lab, last);
			status(lab, '1', honest ? 'completed' : 'in_progress');
			if (o.check)
				o.check(lab);
		},
	});
}

closed('the agent deletes the gate file', {
	steps: () => [start('1'), cheat, bash('rm .claude/task-hooks.json')],
	words: ['.claude/task-hooks.json', 'is missing'],
	repaired: false,
});

closed('the agent weakens the gate file', {
	steps: () => [start('1'), cheat, bash('sed -i s/grep.*answer/true/ .claude/task-hooks.json')],
	words: ['changed', 'claude-tasks trust'],
	repaired: false,
});

closed('the agent weakens the gate file and trusts it', {
	steps: (lab) => [start('1'), cheat, bash('sed -i s/grep.*answer/true/ .claude/task-hooks.json'),
	    bash(`'${lab.build}/claude-tasks' trust --yes`),
	    bash(`env -u CLAUDECODE -u CLAUDE_CODE_ENTRYPOINT '${lab.build}/claude-tasks' trust --yes`)],
	words: ['changed', 'claude-tasks trust'],
	repaired: false,
	check(lab) {
		for (const n of [3, 4])
			includes(result(lab, n).text, 'person', 'the answer to trust');
	},
});

closed('the agent removes the gate file and its trust', {
	steps: (lab) => [start('1'), cheat, bash('rm .claude/task-hooks.json'),
	    bash(`'${lab.build}/claude-tasks' untrust '${lab.project}/.claude/task-hooks.json'`)],
	words: ['.claude/task-hooks.json', 'is missing'],
	repaired: false,
	check: (lab) => includes(result(lab, 3).text, 'person', 'the answer to untrust'),
});

closed('the agent works from a subdirectory with a gate file of its own', {
	steps: () => [start('1'), cheat, bash('mkdir -p sub/.claude sub/src && echo 42 >sub/src/answer && ' +
	    'cp .claude/task-hooks.json sub/.claude/ && cd sub')],
	words: ['sub/.claude/task-hooks.json', 'has not been trusted'],
	repaired: false,
});

closed('the agent works from a subdirectory', { steps: () => [start('1'), cheat, bash('mkdir -p sub && cd sub')] });

closed('the agent commits before it claims', {
	steps: () => [cheat, commit, start('1')],
});

closed('the agent commits, gives the task back and takes it again', {
	steps: (lab) => [start('1'), cheat, commit, bash(`'${lab.build}/claude-tasks' release 1`),
	    start('1')],
});

/* --add-dir: otherwise the client puts the shell back into the project. */
closed('the agent works from /', {
	run: () => ({ args: ['--add-dir', '/'] }),
	steps: () => [start('1'), cheat, bash('cd /')],
});

closed('the agent works in a worktree without the gate file', {
	run: (lab) => ({ args: ['--add-dir', lab.dir] }),
	prepare: (lab) => lab.git('worktree', 'add', '-q', '-b', 'side', lab.dir + '/side'),
	at: (lab) => lab.dir + '/side',
	steps: (lab) => [start('1'), bash(`cd '${lab.dir}/side' && rm .claude/task-hooks.json`), cheat],
});

closed('the agent works in a worktree', {
	run: (lab) => ({ args: ['--add-dir', lab.dir] }),
	prepare: (lab) => lab.git('worktree', 'add', '-q', '-b', 'side', lab.dir + '/side'),
	at: (lab) => lab.dir + '/side',
	steps: (lab) => [bash(`cd '${lab.dir}/side'`), start('1'), cheat],
});

scenario({
	name: 'closed/the command from / completes only what the gate passes',
	versions: [MID, NEW],
	tasks: [{ id: '1', subject: 'Answer' }],
	files: { 'src/answer': '42\n', '.claude/task-hooks.json': GATE },
	hooks: (lab) => ours(lab),
	scripts: (lab) => ({ main: [start('1'), cheat,
	    bash(`cd / && '${lab.build}/claude-tasks' complete 1`),
	    bash(`echo 42 more >'${lab.project}/src/answer'`),
	    bash(`cd / && '${lab.build}/claude-tasks' complete 1`)] }),
	async run(lab) {
		await lab.did('trust', '--yes');
		await lab.print();
	},
	check(lab) {
		includes(result(lab, 2).text, 'Make the answer 42.', 'the refusal');
		includes(result(lab, 4).text, 'completed #1', 'the answer');
		assert.strictEqual(lab.task('1').status, 'completed');
	},
});

/* The claim was made in the work tree that has the change. */
closed('the agent completes from a clean worktree', {
	run: (lab) => ({ args: ['--add-dir', lab.dir] }),
	prepare: (lab) => lab.git('worktree', 'add', '-q', '-b', 'side', lab.dir + '/side'),
	steps: (lab) => [start('1'), cheat, bash(`cd '${lab.dir}/side'`)],
});

/* ---- settings that change ---- */

/*
 * Change settings by this command, and wait until the client has fired ConfigChange. Until it watches the
 * files it notices nothing, so the change is made again from time to time.
 */
const settings = (command) => bash(`for n in $(seq 12); do
	${command}
	for i in $(seq 50); do
		grep -q ConfigChange "$E2E_LOG" && exit 0
		sleep 0.1
	done
done; exit 1`);
const users = '"$HOME/.claude/settings.json"';

function guarded(name, command, more) {
	closed(`the agent ${name}`, {
		hooks: () => ({}),
		prepare: inUsersFile,
		run: () => ({ settings: null }),
		steps: () => [start('1'), cheat, settings(command)],
		check(lab) {
			assert.ok(!result(lab, 2).error, 'the client notices the change');
			journalled(lab, 'refuse', '"rule":"settings"');
		},
		...more,
	});
}

guarded('disables all hooks', `echo '{"disableAllHooks": true}' >.claude/settings.local.json`);
guarded('gives the hooks a home without its gate file',
    `mkdir -p home/.claude && cp -r "$HOME/.claude/tasks" home/.claude/ && rm -f .claude/task-hooks.json
	echo "{\\"env\\": {\\"HOME\\": \\"$PWD/home\\"}}" >.claude/settings.local.json`,
    { words: ['.claude/task-hooks.json', 'is missing'], repaired: false });
guarded('empties the settings', `: >${users}`);
guarded('deletes the settings', `rm -f ${users}`);
guarded('edits the settings', `sed -i 's/on-task-completed-verify/true/; s/TaskUpdate|//' ${users}`);
guarded('disables all hooks, then changes another file',
    `echo '{"disableAllHooks": true}' >.claude/settings.local.json`,
    { steps: () => [start('1'), cheat,
	settings(`echo '{"disableAllHooks": true}' >.claude/settings.local.json`),
	bash(': >"$E2E_LOG"'), settings(`echo "{\\"env\\": {\\"N\\": \\"$n\\"}}" >.claude/settings.json`)] });

/* An entry with the same command in another file, of which the client would run the last. */
const copy = (lab) => JSON.stringify({ hooks: Object.fromEntries([
    ['PreToolUse', 'TaskUpdate', 'on-pretooluse-task'], ['TaskCompleted', '', 'on-task-completed-verify']]
    .map(([event, matcher, name]) => [event, [{ matcher, hooks: [{ type: 'command',
	command: `${lab.build}/${name}`, timeout: 60, async: true }] }]])) });
const edit = (js) => `'${process.execPath}' -e 'const f = process.env.HOME + "/.claude/settings.json", fs = require("fs");
	let t = fs.readFileSync(f, "utf8"); ${js}; fs.writeFileSync(f, t)'`;

guarded('lets the hooks run in the background', '', { steps: (lab) => [start('1'), cheat,
    settings(`echo '${copy(lab)}' >.claude/settings.local.json`)] });
guarded('lets the hooks run in the background, in the same file', '', { steps: (lab) => [start('1'), cheat,
    settings(edit(`const a = JSON.parse(t), b = ${copy(lab)}.hooks;
	for (const e in b) a.hooks[e].push(...b[e]); t = JSON.stringify(a)`))] });
for (const name of ['SIMPLE', 'SAFE_MODE'])
	guarded(`switches the hooks off by CLAUDE_CODE_${name}`, edit(`const a = JSON.parse(t);
	    a.env = { CLAUDE_CODE_${name}: "1" }; t = JSON.stringify(a)`));
guarded('names the events twice', edit(`const a = JSON.parse(t), h = a.hooks; delete a.hooks; a.hooks = h; t = JSON.stringify(a).replace(/}}$/,
    ", \\"PreToolUse\\": [], \\"TaskCompleted\\": []}}")`));
guarded('disables all hooks, then changes a skill',
    `echo '{"disableAllHooks": true}' >.claude/settings.local.json`,
    { files: { '.claude/skills/answer/SKILL.md': '---\nname: answer\ndescription: how to answer\n---\nWell.\n' },
    steps: () => [start('1'), cheat,
	settings(`echo '{"disableAllHooks": true}' >.claude/settings.local.json`),
	bash(': >"$E2E_LOG"'), settings('echo Fast. >>.claude/skills/answer/SKILL.md')],
    check(lab) {
	assert.ok(lab.events('ConfigChange').some((e) => e.source === 'skills'), 'our hook was asked');
    } });

/* A change that is applied; the client then says so in its debug log. */
const noticed = (lab) => until('the client has applied the change', () =>
    lab.debug().includes('Settings changed from userSettings'));

function applied(name, change, check) {
	scenario({
		name: `closed/${name}`,
		versions: [NEW],
		tasks: [{ id: '1', subject: 'Answer' }],
		files: { 'src/answer': '42\n', '.claude/task-hooks.json': GATE },
		scripts: (lab) => ({ main: [start('1'), cheat, async () => {
			await change(lab);
			await noticed(lab);
			return complete('1');
		}, look(lab)] }),
		async run(lab) {
			await inUsersFile(lab);
			await lab.did('trust', '--yes');
			await lab.print({ settings: null });
		},
		check,
	});
}

applied('a change of settings that keeps the hooks is applied', (lab) => {
	const file = lab.config + '/settings.json', all = JSON.parse(lab.read(file));
	lab.write({ [file]: { cleanupPeriodDays: 20, ...all } });
}, (lab) => {
	assert.ok(lab.events('ConfigChange').length > 0, 'our hook was asked');
	refused(lab, 2, ['tests', 'Make the answer 42.']);
});

applied('a person may uninstall while the client runs', (lab) => lab.did('uninstall'), (lab) => {
	assert.ok(lab.events('ConfigChange').length > 0, 'our hook was asked');
	passed(lab, 2);
	status(lab, '1', 'completed');
});

scenario({
	name: 'closed/the person is told of settings that lost a hook',
	versions: [MID, NEW],
	tasks: [{ id: '1', subject: 'Answer' }],
	scripts: () => ({ main: [] }),
	async run(lab) {
		await inUsersFile(lab);
		const file = lab.config + '/settings.json', all = JSON.parse(lab.read(file));
		delete all.hooks.TaskCompleted;
		lab.write({ [file]: all });
		await lab.print({ settings: null });
	},
	check(lab) {
		for (const event of ['SessionStart', 'UserPromptSubmit'])
			includes(lab.debug().split('\n').filter((line) => line.includes(event)).join('\n'),
			    'does not have the hook as it was installed', event);
	},
});

'use strict';

/*
 * What the client does when a program that `claude-tasks install` has registered is missing or
 * broken.
 */

const fs = require('fs');
const path = require('path');
const { scenario, install, start, complete, create, delegate, look, refused, passed, status,
    OLD, MID, NEW } = require('../scenario');
const { call } = require('../model');

const bash = call('Bash', { command: 'echo done', description: 'a command' });

const BREAK = {
	'the program is missing': (file) => fs.rmSync(file),
	'the program is not executable': (file) => fs.chmodSync(file, 0o644),
	'the program is killed': (file) => fs.writeFileSync(file, '#!/bin/sh\nkill -KILL $$\n'),
};

for (const [what, spoil] of Object.entries(BREAK)) {
	const setup = (versions) => ({
		versions,
		client: true,
		tasks: [{ id: '1', subject: 'First' }, { id: '2', subject: 'Second', status: 'in_progress' }],
		scripts: (lab) => ({ main: [start('1'), complete('2'), create('Third'), bash,
		    call('TaskList', {}), delegate('child'), look(lab)], child: [bash, 'child is done'] }),
		async run(lab) {
			await install(lab);
			spoil(lab.bin('on-pretooluse-task'));
			await lab.print({ settings: null });
		},
	});

	scenario({
		name: `registration/${what}: a task is refused, other calls pass`,
		...setup([NEW]),
		check(lab) {
			for (const n of [0, 1, 2])
				refused(lab, n, ['blocking because onFailure is "block"']);
			for (const n of [3, 4, 5])
				passed(lab, n);
			status(lab, '1', 'pending');
			status(lab, '2', 'in_progress');
		},
	});
	/* These clients do not know "onFailure". */
	scenario({
		name: `registration/${what}: every call passes`,
		...setup([OLD, MID]),
		check(lab) {
			for (const n of [0, 1, 2, 3, 4, 5])
				passed(lab, n);
			status(lab, '1', 'in_progress');
			status(lab, '2', 'completed');
		},
	});
}

/*
 * Only the entry that refuses gets a short time limit: the client ends the program of any other one
 * after ten minutes.
 */
scenario({
	name: 'registration/the program does not end: a completion is refused, other calls pass',
	versions: [NEW],
	client: true,
	tasks: [{ id: '1', subject: 'First', status: 'in_progress' }],
	scripts: (lab) => ({ main: [complete('1'), bash, look(lab)] }),
	async run(lab) {
		const file = path.join(lab.config, 'settings.json');
		await install(lab);
		const all = JSON.parse(lab.read(file));
		for (const entry of all.hooks.PreToolUse)
			for (const h of entry.hooks.filter((o) => o.onFailure === 'block'))
				h.timeout = 1;
		lab.write({ [file]: all });
		await install(lab);
		fs.writeFileSync(lab.bin('on-pretooluse-task'), '#!/bin/sh\nexec sleep 100\n');
		await lab.print({ settings: null });
	},
	check(lab) {
		refused(lab, 0, ['timed out; blocking because onFailure is "block"']);
		passed(lab, 1);
		status(lab, '1', 'in_progress');
	},
});

scenario({
	name: 'registration/the program is missing: TodoWrite passes',
	versions: [NEW],
	client: true,
	env: { CLAUDE_CODE_ENABLE_TASKS: '0' },
	scripts: { main: [call('TodoWrite', { todos: [{ content: 'Write', status: 'pending',
	    activeForm: 'Writing' }] }), 'done'] },
	async run(lab) {
		await install(lab);
		fs.rmSync(lab.bin('on-pretooluse-task'));
		await lab.print({ settings: null });
	},
	check: (lab) => passed(lab, 0),
});

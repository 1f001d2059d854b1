'use strict';

/* Facts: the forms of a hook's command, and hooks of a plugin. */

const { scenario, complete } = require('../scenario');

/* A program that records its name, its arguments and the event. */
const program = '#!/bin/sh\nprintf "%s %s %s\\n" "${0##*/}" "$*" ' +
    '"$(cat | tr -d "\\n" | sed "s/.*hook_event_name\\":\\"//; s/\\".*//")"' +
    ' >>"$E2E_LAB/fired"\n';

const fired = (lab) => (lab.read(lab.dir + '/fired') || '').split('\n')
    .filter(Boolean).sort();

scenario({
	name: 'facts/forms of a hook\'s command',
	tasks: [{ id: '1' }],
	files: { 'bin/one': program, 'bin/t w o': program },
	hooks: (lab) => ({ TaskCompleted: [{ hooks: [
		{ type: 'command', command: `${lab.project}/bin/one shell` },
		{ type: 'command', command: `'${lab.project}/bin/t w o' shell` },
		{ type: 'command', command: `${lab.project}/bin/one`,
		    args: ['exec', '$HOME'] },
		{ type: 'command', command: `${lab.project}/bin/t w o`,
		    args: [] },
		{ type: 'command', command: '"$CLAUDE_PROJECT_DIR"/bin/one dir' },
		{ type: 'command', command: 'one path' },
	] }] }),
	scripts: { main: [complete('1')] },
	run: (lab) => lab.print({ env: { PATH: lab.project + '/bin:' +
	    process.env.PATH } }),
	measure: (lab) => ({ 'fired': fired(lab) }),
});

scenario({
	name: 'facts/hooks of a plugin',
	tasks: [{ id: '1' }],
	files: {
		'plug/.claude-plugin/plugin.json': { name: 'plug',
		    version: '1.0.0', description: 'A plugin' },
		'plug/bin/one': program,
		'plug/hooks/hooks.json': { hooks: { TaskCompleted: [{ hooks: [
			{ type: 'command', command:
			    '${CLAUDE_PLUGIN_ROOT}/bin/one shell' },
			{ type: 'command', command:
			    '${CLAUDE_PLUGIN_ROOT}/bin/one', args: ['exec'] },
			{ type: 'command', command:
			    '${CLAUDE_PLUGIN_ROOT}/bin/one', args: [] },
		] }] } },
	},
	scripts: { main: [complete('1')] },
	run: (lab) => lab.print({ args: ['--plugin-dir',
	    lab.project + '/plug'] }),
	measure: (lab) => ({ 'fired': fired(lab) }),
});

#!/usr/bin/env node
'use strict';

/*
 * Starts claude-tasks of the package for this platform, with the same standard files, and ends as it
 * ends.  npm starts this file; the hooks are started by Claude Code, without node.
 */

const { spawn } = require('child_process');
const os = require('os');
const path = require('path');

const NAME = 'claude-task-hooks';
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'];

function fail(...lines) {
	console.error(`${NAME}: ${lines.join('\n  ')}`);
	process.exit(1);
}

/* The path of the program, in the package that npm installed beside this one. */
function program() {
	const platform = `${process.platform}-${process.arch}`;
	const packages = Object.keys(require('../package.json').optionalDependencies);

	if (!packages.includes(`${NAME}-${platform}`))
		fail(`there is no package for ${platform}; there are:`, ...packages,
		    'Elsewhere it has to be built from its source: make install.');
	try {
		return path.join(path.dirname(require.resolve(`${NAME}-${platform}/package.json`)),
		    'bin', 'claude-tasks');
	} catch {
		return fail(`the package ${NAME}-${platform} is not installed.`,
		    'It is an optional dependency, and npm leaves it out with --omit=optional, and',
		    'if node_modules or a lock file comes from another platform.',
		    `Try: npm install --include=optional ${NAME}`);
	}
}

const file = program();
const child = spawn(file, process.argv.slice(2), { stdio: 'inherit' });

for (const signal of SIGNALS)
	process.on(signal, () => child.kill(signal));
child.on('error', (e) => fail(`cannot start ${file}: ${e.message}`));
child.on('exit', (status, signal) => {
	if (signal === null)
		process.exit(status);
	for (const name of SIGNALS)
		process.removeAllListeners(name);
	/* What a shell says of it: Node ignores some signals, and the first process of a container all.
	 * SIGUSR1 would start the debugger of Node. */
	process.exitCode = 128 + os.constants.signals[signal];
	if (signal !== 'SIGUSR1')
		process.kill(process.pid, signal);
});

// writer: the program of tasks-json.11, as it is printed, in a loop.
//
//   node writer.js BLOCKS FILE NAME COUNT    add COUNT tasks called NAME to FILE, one at a time
//
// Node has no flock: flockSync runs flock(1) on the same open file, which then has the lock.
'use strict';
const { spawnSync } = require('child_process');
const fs = { ...require('fs'),
	flockSync(fd, how) {
		const done = spawnSync('flock', [how === 'ex' ? '-x' : '-u', '3'], { stdio: ['ignore', 'ignore', 'inherit', fd] });
		if (done.status !== 0) throw new Error(`flock: status ${done.status}`);
	},
};
const [, , blocks, tasksPath, name, count] = process.argv;
const text = fs.readFileSync(`${blocks}/tasks-json.11`, 'utf8').replace('// ... modify tasks ...', 'modify(tasks);');
const once = new Function('fs', 'tasksPath', 'modify', text);

for (let i = 0; i < Number(count); i++) {
	const now = new Date().toISOString().replace(/\.\d+/, '');
	once(fs, tasksPath, list => list.tasks.push({ id: `${name}-${i}`, description: `${name} ${i}`, status: 'pending',
	    created_at: now, updated_at: now }));
}

'use strict';

/*
 * npm-model.js DIRECTORY: the model of check-npm's sessions.  Prints its address.
 *
 * The script "first" has two turns in which an agent starts task 2; between them it makes the file
 * DIRECTORY/between and waits for the file DIRECTORY/go.  "later" has one.  What the agent was told is
 * in DIRECTORY/SCRIPT.json at the end of each script.
 */

const fs = require('fs');
const path = require('path');
const { Model, call } = require('./e2e/model');

const dir = process.argv[2];
const start = (taskId) => call('TaskUpdate', { taskId, status: 'in_progress' });

function end(name) {
	return () => {
		fs.writeFileSync(path.join(dir, name + '.json'), JSON.stringify(model.told(name)));
		return 'done';
	};
}

function pause(answer) {
	return async () => {
		fs.writeFileSync(path.join(dir, 'between'), '');
		while (!fs.existsSync(path.join(dir, 'go')))
			await new Promise((done) => setTimeout(done, 25));
		return answer;
	};
}

const model = new Model({
	first: [start('2'), pause(start('2')), start('1'), end('first')],
	later: [start('2'), end('later')],
});

model.start().then(() => console.log(model.url));

// races-log: shared by the actors of check-races: choices from a seed, and the log for the judge.
//
// An actor writes each operation and its result to ROOT/log/NAME, one JSON line each:
//	op, actor, task ...	the operation, who made it, its task
//	from, to		the times before and after (monotonic, in microseconds)
//	ok			the operation reported success
//	maybe			the result is unknown: it was killed, or failed halfway
'use strict';
const fs = require('fs');
const path = require('path');

const FIRST = 12; // number of tasks at the start
const BUSY = 15; // our exit status if a lock is held
const list = path.join(process.env.CLAUDE_CONFIG_DIR || '', 'tasks/lab');

function choices(seed) {
	let state = Number(seed) >>> 0;
	const any = below => {
		state = (Math.imul(state, 1103515245) + 12345) >>> 0;
		return (state >>> 16) % below;
	};
	const one = items => items[any(items.length)];
	// Mostly one of the first eight, so that actors choose the same task.
	const pick = all => one(any(4) ? all.sort((a, b) => a - b).slice(0, 8) : all);
	return { any, one, pick };
}

function recorder(root, name) {
	const log = fs.openSync(path.join(root, 'log', name), 'a');
	return entry => {
		fs.writeSync(log, JSON.stringify(entry) + '\n');
		return entry;
	};
}

const now = () => Number(process.hrtime.bigint() / 1000n);
const ids = () => fs.readdirSync(list).filter(f => /^\d+\.json$/.test(f)).map(f => f.slice(0, -5));

// Until the rounds are over and the clients have ended, but at most 20 times the rounds.
const more = (root, round, rounds) => round <= rounds ||
	(round <= 20 * rounds && fs.existsSync(path.join(root, 'clients')));

module.exports = { FIRST, BUSY, list, choices, recorder, now, ids, more };

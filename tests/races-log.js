// races-log: what the actors of check-races share: choices from a seed, and the judge's evidence.
//
// What an actor asked for and what it was told goes to ROOT/log/NAME, one JSON line each:
//	op, actor, task ...	what was asked, by whom, of which task
//	from, to		the times before and after (monotonic, in microseconds)
//	ok			it was told that it is done
//	maybe			nobody knows: it was killed, or failed on the way
'use strict';
const fs = require('fs');
const path = require('path');

const FIRST = 12; // tasks that are there from the start
const BUSY = 15; // our exit status when a lock is not to be had
const list = path.join(process.env.CLAUDE_CONFIG_DIR || '', 'tasks/lab');

function choices(seed) {
	let state = Number(seed) >>> 0;
	const any = below => {
		state = (Math.imul(state, 1103515245) + 12345) >>> 0;
		return (state >>> 16) % below;
	};
	const one = items => items[any(items.length)];
	// Mostly one of a few, so that they meet.
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

// As long as there are rounds left, and then until the clients are done; but not for ever.
const more = (root, round, rounds) => round <= rounds ||
	(round <= 20 * rounds && fs.existsSync(path.join(root, 'clients')));

module.exports = { FIRST, BUSY, list, choices, recorder, now, ids, more };

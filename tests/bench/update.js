// update: as many locked updates of one task as possible in a given time, by proper-lockfile with the
// retries of the client.  usage: node update.js DIR ID MS.  See update.c.  Prints the number of updates,
// the number of failed ones, and the 99th percentile of the waits in milliseconds.
const fs = require('fs');
const path = require('path');
const lockfile = require(path.join(process.env.CACHE, 'proper-lockfile-4.1.2', 'node_modules', 'proper-lockfile'));

async function main([dir, id, ms]) {
	const file = path.join(dir, id + '.json');
	const end = Date.now() + Number(ms);
	const waits = [];
	let done = 0, failed = 0;
	while (Date.now() < end) {
		const began = performance.now();
		let release;
		try {
			release = await lockfile.lock(file, { retries: { retries: 30, minTimeout: 5, maxTimeout: 100 } });
		} catch (e) {
			if (e.code !== 'ELOCKED') throw e;
			failed++;
			continue;
		}
		waits.push(performance.now() - began);
		const task = JSON.parse(fs.readFileSync(file, 'utf8'));
		task.metadata = { ...task.metadata, n: done + 1 };
		fs.writeFileSync(file, JSON.stringify(task, null, 2));
		await release();
		done++;
	}
	waits.sort((a, b) => a - b);
	console.log(done, failed, (waits[Math.floor(waits.length * 0.99)] ?? 0).toFixed(1));
}
main(process.argv.slice(2));

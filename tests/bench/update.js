// update: locked updates of one task, as many as fit in a time, by proper-lockfile, as the client
// does them.  usage: node update.js DIR ID MS.  See update.c.
const fs = require('fs');
const path = require('path');
const lockfile = require(path.join(process.env.CACHE, 'proper-lockfile-4.1.2', 'node_modules', 'proper-lockfile'));

async function main([dir, id, ms]) {
	const file = path.join(dir, id + '.json');
	const end = Date.now() + Number(ms);
	let done = 0;
	while (Date.now() < end) {
		const release = await lockfile.lock(file, { retries: { retries: 100000, minTimeout: 5, maxTimeout: 100 } });
		const task = JSON.parse(fs.readFileSync(file, 'utf8'));
		task.metadata = { ...task.metadata, n: done + 1 };
		fs.writeFileSync(file, JSON.stringify(task, null, 2));
		await release();
		done++;
	}
	console.log(done);
}
main(process.argv.slice(2));

// locks-client: the client's side of check-locks and check-races.
//
//   node locks-client.js work DIR NAME ROUNDS SEED   the operations of `tool-lock work`
//   node locks-client.js set DIR NAME ROUNDS SEED    updates of the tasks 1 to 6: metadata.NAME
//   node locks-client.js take DIR FILE               take and release the lock once
//   node locks-client.js hold DIR FILE               take the lock, print `held`, hold it until killed
//
// The lock is npm's proper-lockfile with the client's options; files are written as the client
// writes them: in place, without a temporary file.
'use strict';
const fs = require('fs');
const path = require('path');
const lockfile = require(path.join(process.env.CACHE ||
    path.join(process.env.XDG_CACHE_HOME || path.join(process.env.HOME, '.cache'),
        'claude-task-hooks'), 'proper-lockfile-4.1.2/node_modules/proper-lockfile'));

const OPTIONS = { retries: { retries: 30, minTimeout: 5, maxTimeout: 100 } };
const [, , command, dir, name, rounds, seed] = process.argv;
const at = file => path.join(dir, file);

let state = Number(seed) >>> 0;
function any(below) {
	state = (Math.imul(state, 1103515245) + 12345) >>> 0;
	return (state >>> 16) % below;
}

function say(text) { fs.writeSync(1, text + '\n'); }

function read(file) {
	try { return fs.readFileSync(at(file), 'utf8'); } catch (e) {
		if (e.code === 'ENOENT') return '';
		throw e;
	}
}

// As the client does: open without O_TRUNC, write, truncate to the new length.
function write(file, text) {
	const fd = fs.openSync(at(file), fs.constants.O_WRONLY | fs.constants.O_CREAT, 0o666);
	const data = Buffer.from(text);
	fs.writeSync(fd, data);
	fs.ftruncateSync(fd, data.length);
	fs.closeSync(fd);
}

// "Lock file is already being held": try again.
async function locked(file, fn) {
	let release;
	for (let busy = 0; !release; busy++) {
		try { release = await lockfile.lock(at(file), OPTIONS); } catch (e) {
			if (e.code !== 'ELOCKED' || busy > 100) throw e;
		}
	}
	try { return fn(); } finally { await release(); }
}

function target(file) {
	if (file !== 'list') return file;
	try { fs.closeSync(fs.openSync(at('.lock'), 'wx')); } catch (e) {
		if (e.code !== 'EEXIST') throw e;
	}
	return '.lock';
}

function update() {
	const counts = new Map(read('counts.json').split('\n').filter(Boolean)
	    .map(line => line.split(' ')).map(([k, n]) => [k, Number(n)]));
	counts.set(name, (counts.get(name) || 0) + 1);
	write('counts.json', [...counts].map(([k, n]) => `${k} ${n}\n`).join(''));
}

function create() {
	const ids = fs.readdirSync(dir).filter(f => f.endsWith('.json')).map(f => parseInt(f, 10))
	    .filter(n => !isNaN(n));
	const id = Math.max(0, parseInt(read('.highwatermark'), 10) || 0, ...ids) + 1;
	if (fs.existsSync(at(`${id}.json`))) throw new Error(`${id}.json exists already`);
	write(`${id}.json`, name);
	return id;
}

function remove(id) {
	if ((parseInt(read('.highwatermark'), 10) || 0) < id) write('.highwatermark', String(id));
	fs.unlinkSync(at(`${id}.json`));
}

async function work() {
	let mine = 0;
	for (let i = 0; i < Number(rounds); i++) {
		const n = any(6);
		if (n === 0) {
			mine = await locked(target('list'), create);
			say(`c ${mine}`);
		} else if (n === 1) {
			if (!mine) continue;
			await locked(target('list'), () => remove(mine));
			say(`d ${mine}`);
			mine = 0;
		} else {
			await locked('counts.json', update);
			say('u');
		}
	}
}

// One TaskUpdate after the other.
async function set() {
	for (let i = 1; i <= Number(rounds); i++) {
		const file = `${1 + any(6)}.json`;
		await locked(file, () => {
			const task = JSON.parse(read(file));
			write(file, JSON.stringify({ ...task, metadata: { ...task.metadata, [name]: i } }, null, 2));
		});
		say(`${file} ${i}`);
	}
}

async function main() {
	if (command === 'work') return work();
	if (command === 'set') return set();
	const release = await lockfile.lock(at(target(name)), OPTIONS);
	if (command === 'hold') {
		say('held');
		setInterval(() => {}, 1000);
		return undefined;
	}
	return release();
}

main().catch(e => {
	console.error(`${name}: ${e.stack}`);
	process.exit(1);
});

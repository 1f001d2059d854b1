// make-list DIR N: write a list of N tasks, always the same one, as the client would write it.
//
// Of every ten tasks three are completed, one is in progress and owned by an agent of another
// session, the rest are pending.  Three are special: N-1 is pending without an owner; N is pending
// and blocked by N-2 (in progress) and 1 (completed); N-2 is owned by a00000000000000b1.
const fs = require('fs');
const [dir, n] = [process.argv[2], Number(process.argv[3])];
let seed = 42;
const random = below => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
const words = 'parser index retry schema queue cache token metric worker budget border window'.split(' ');
const text = count => Array.from({ length: count }, () => words[random(words.length)]).join(' ');

fs.mkdirSync(dir, { recursive: true });
for (let id = 1; id <= n; id++) {
	const kind = id % 10;
	const task = { id: String(id), subject: 'Fix the ' + text(4), description: text(50 + random(40)),
		activeForm: 'Fixing the ' + text(2), status: kind < 3 ? 'completed' : 'pending', blocks: [], blockedBy: [] };
	const own = (owner) => {
		const { blocks, blockedBy, status, ...rest } = task;
		return { ...rest, owner, status: 'in_progress', blocks, blockedBy };
	};
	let made = task;
	if (id === n) {
		task.status = 'pending';
		task.blockedBy = [String(n - 2), '1'];
	} else if (id === n - 1) {
		task.status = 'pending';
	} else if (id === n - 2) {
		made = own('a00000000000000b1');
		made.blocks = [String(n)];
	} else if (id === 1) {
		task.status = 'completed';
		task.blocks = [String(n)];
	} else if (kind === 3) {
		made = own('someone-' + (id % 7));
	}
	fs.writeFileSync(`${dir}/${id}.json`, JSON.stringify(made, null, 2));
}
fs.writeFileSync(`${dir}/.highwatermark`, String(n));
fs.writeFileSync(`${dir}/.lock`, '');

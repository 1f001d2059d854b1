// The benchmark's job in JavaScript.  See ../cases.
const fs = require('fs');
const { LIST, STATE } = process.env;
const load = id => JSON.parse(fs.readFileSync(`${LIST}/${id}.json`, 'utf8'));

function save(path, text) {
	fs.writeFileSync(path + '.new', text);
	fs.renameSync(path + '.new', path);
}

function locked(fn) {
	for (let tries = 0; ; tries++) {
		try {
			fs.mkdirSync(`${LIST}/.lock.lock`);
			break;
		} catch (e) {
			if (e.code !== 'EEXIST' || tries > 500)
				throw e;
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
		}
	}
	try {
		fn();
	} finally {
		fs.rmdirSync(`${LIST}/.lock.lock`);
	}
}

function ready() {
	const tasks = new Map(fs.readdirSync(LIST).filter(f => f.endsWith('.json'))
		.map(f => [f.slice(0, -5), load(f.slice(0, -5))]));
	return [...tasks.values()].filter(t => t.status === 'pending' && !t.owner &&
		t.blockedBy.every(b => tasks.get(b).status === 'completed'))
		.map(t => t.id).sort((a, b) => a - b).slice(0, 3).map(i => '#' + i).join(', ');
}

function change(event) {
	const id = event.tool_input.taskId || (/#(\d+)/.exec(event.tool_input.prompt) || [])[1];
	if (!id)
		return;
	const open = (load(id).blockedBy || []).map(load).filter(b => b.status !== 'completed');
	if (open.length > 0) {
		const names = open.map(b => `#${b.id} "${b.subject}" (${b.status})`).join(', ');
		const reason = `Task #${id} is blocked by ${names}. Ready now: ${ready()}.`;
		console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse',
			permissionDecision: 'deny', permissionDecisionReason: reason } }));
		console.error(reason);
		process.exitCode = 2;
		return;
	}
	if (event.tool_input.status !== 'in_progress')
		return;
	locked(() => {
		load(id);
		const claims = JSON.parse(fs.readFileSync(`${STATE}/claims.json`, 'utf8'));
		claims[id] = event.agent_id;
		save(`${STATE}/claims.json`, JSON.stringify(claims));
	});
	console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse',
		updatedInput: { ...event.tool_input, owner: event.agent_id } } }));
}

function stop(event) {
	const mine = fs.readdirSync(LIST).filter(f => f.endsWith('.json')).map(f => load(f.slice(0, -5)))
		.filter(t => t.owner === event.agent_id && t.status !== 'completed').map(t => t.id);
	if (mine.length === 0)
		return;
	locked(() => {
		for (const id of mine) {
			const task = load(id);
			task.status = 'pending';
			delete task.owner;
			save(`${LIST}/${id}.json`, JSON.stringify(task, null, 2));
		}
	});
	console.log(JSON.stringify({ systemMessage: 'released: ' + mine.join(' ') }));
}

const event = JSON.parse(fs.readFileSync(0, 'utf8'));
if (event.hook_event_name === 'PreToolUse')
	change(event);
else if (event.hook_event_name === 'SubagentStop')
	stop(event);

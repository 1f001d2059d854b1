// printed: the program that task-tools.md prints, made from the extracted blocks.
//
//   node printed.js BLOCKS COMMAND [ARGUMENT]...
//
// The blocks are run as they are printed.  What they use and do not print is defined in `missing`:
// the configuration directory, the lock (npm's proper-lockfile), the completion hooks.  The values of
// the switch are in the text below it, what a function of block 42 returns in its comment.
// The list is that of CLAUDE_CODE_TASK_LIST_ID, the agent PRINTED_AGENT in the team PRINTED_TEAM, the
// hook PRINTED_HOOK.  A command prints one line of JSON.
'use strict';
const { AsyncLocalStorage } = require('async_hooks');
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const [, , blocks, command, ...args] = process.argv;
const cache = process.env.CACHE;
const { z } = require(path.join(cache, 'mcp-sdk-1.32.2/node_modules/zod'));
const lockfile = require(path.join(cache, 'proper-lockfile-4.1.2/node_modules/proper-lockfile'));
const text = n => fs.readFileSync(path.join(blocks, `task-tools.${n}`), 'utf8');

function pause(ms) { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms); }

// The client tries 31 times; this program waits until the lock is free.
function lockfileSync(file) {
	for (let tries = 0; ; tries++) {
		try { return lockfile.lockSync(file, { stale: 10000 }); } catch (e) {
			if (e.code !== 'ELOCKED' || tries > 600) throw e;
			pause(5 + tries % 20);
		}
	}
}

// The hook gets the event of the client and answers by its status.
async function* verify(taskId, subject, description) {
	if (!process.env.PRINTED_HOOK) return;
	const event = { session_id: 's', cwd: process.cwd(), hook_event_name: 'TaskCompleted', task_id: taskId,
	    task_subject: subject, task_description: description };
	const hook = spawnSync(process.env.PRINTED_HOOK, { input: JSON.stringify(event), encoding: 'utf8' });
	yield hook.status === 2 ? { blockingError: hook.stderr.trim() } : {};
}

// The values that the text names for a check of the switch: "- `_H()` checks for ... (`"false"`, `"0"`, ...)"
const prose = fs.readFileSync(path.join(__dirname, '../seeds/documents/task-tools.md'), 'utf8');
const values = name => [...prose.split('\n').find(line => line.startsWith(`- \`${name}()\``)).matchAll(/`"(\w+)"`/g)].map(m => m[1]);

const missing = {
	fs, path, process, z, lockfileSync, crypto: require('crypto'),
	writeFileSync: fs.writeFileSync,
	log: line => process.stderr.write(`${line}\n`),
	q9: () => process.env.CLAUDE_CONFIG_DIR || path.join(process.env.HOME, '.claude'),
	_H: v => values('_H').includes(v),
	AR: v => values('AR').includes(v),
	e_: () => false,
	bR: () => process.env.CLAUDE_CODE_SESSION_ID,
	nBA: undefined,
	evT: verify,
	tvT: error => error,
};
const world = vm.createContext(missing);
// 4 to 6, 17 to 19, 23: schemas and tools.  7, 9 to 16, 25, 30 to 35: files, claims, ids.  43: listeners.
for (const n of [3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 23, 25, 30, 31, 32, 33, 34, 35, 42, 43])
	vm.runInContext(text(n), world, { filename: `task-tools.${n}` });
// 42 prints its functions with a comment as the body, except FF().
const team = process.env.PRINTED_TEAM, agent = process.env.PRINTED_AGENT;
const meaning = {
	'get agent ID': agent && `${agent}@${team}`,
	'get agent name': agent,
	'get team name': team,
	'is this agent a teammate (not the lead)': Boolean(agent),
	'is this agent the team lead': Boolean(team && !agent),
	'is swarm mode active': Boolean(agent),
};
for (const [, name, what] of text(42).matchAll(/function (\w+)\(\) \{ \/\* (.*?) \*\/ \}/g)) {
	if (!(what in meaning)) throw new Error(`task-tools.42: ${name}: ${what}`);
	world[name] = () => meaning[what];
}
if (team) {
	world.mBA = new AsyncLocalStorage();
	world.mBA.enterWith({ teamName: team, agentName: agent });
}
world.KfT = list => fs.mkdirSync(world.zF(list), { recursive: true });

// part N NAMES: the statements of a block as the body of a function with these parameters
const part = (n, names, rest = '') =>
    vm.runInContext(`(async function (${names}) { ${text(n)}\n${rest} })`, world, { filename: `task-tools.${n}` });
const swarm = part(20, 'status, owner, currentTask, updates, updatedFields');
const completion = part(21, 'taskId, status, currentTask, context');
const merge = part(22, 'metadata, currentTask, updates');
const claimable = part(26, 'listId, task');
const cleanup = part(27, 'listId, deletedId');
const shown = vm.runInContext(`(t, completedIds) => ({ ${text(28)} })`, world, { filename: 'task-tools.28' });

// TaskUpdate: its schema and these parts are printed, the rest is only described.
async function update(input) {
	const { taskId, status, owner, metadata, addBlocks, addBlockedBy, ...fields } = input;
	const list = world.nW(), currentTask = world.bu(list, taskId), updates = {}, updatedFields = [];
	if (!currentTask) return { success: false, taskId, updatedFields, error: 'Task not found' };
	if (status === 'deleted') {
		world.f7R(list, taskId);
		return { success: true, taskId, updatedFields: ['deleted'], statusChange: { from: currentTask.status, to: 'deleted' } };
	}
	for (const [key, value] of Object.entries({ ...fields, owner }))
		if (value !== undefined && value !== currentTask[key]) { updates[key] = value; updatedFields.push(key); }
	await swarm(status, owner, currentTask, updates, updatedFields);
	await merge(metadata, currentTask, updates);
	if (updates.metadata) updatedFields.push('metadata');
	const result = { success: true, taskId, updatedFields };
	if (status !== undefined && status !== currentTask.status) {
		const refused = await completion(taskId, status, currentTask);
		if (refused) return refused.data;
		updates.status = status;
		updatedFields.push('status');
		result.statusChange = { from: currentTask.status, to: status };
	}
	if (updatedFields.length > 0) world.Qw(list, taskId, updates);
	if (addBlocks) updatedFields.push('blocks');
	if (addBlockedBy) updatedFields.push('blockedBy');
	for (const id of addBlocks || []) world.rBA(list, taskId, id);
	for (const id of addBlockedBy || []) world.rBA(list, id, taskId);
	return result;
}

const tools = { TodoWrite: world.ZO, TaskCreate: world.uIB, TaskGet: world.aIB, TaskUpdate: world._ZB, TaskList: world.WZB };
const state = { todos: {} };
const context = { setAppState: f => Object.assign(state, f(state)), getAppState: () => state, agentId: 'a' };

const commands = {
	// call TOOL JSON...: the results of these calls, and their texts
	async call(name, ...inputs) {
		const results = [];
		for (const input of inputs) {
			const tool = tools[name], given = tool.inputSchema.parse(JSON.parse(input));
			const data = name === 'TaskUpdate' ? await update(given) : (await tool.call(given, context)).data;
			tool.outputSchema.parse(data);
			const block = tool.mapToolResultToToolResultBlockParam;
			results.push({ data, text: block ? block(data, 't').content : undefined });
		}
		return results.length === 1 ? results[0] : results;
	},
	// output TOOL JSON: what the tool's output schema makes of this output; it throws if that is invalid
	output: (name, json) => tools[name].outputSchema.parse(JSON.parse(json)),
	input: (name, json) => tools[name].inputSchema.parse(JSON.parse(json)),
	// the functions of the files, by their printed names
	run: (name, ...rest) => world[name](world.nW(), ...rest.map(word => word.startsWith('{') ? JSON.parse(word) : word)),
	// schema TOOL: that of its input, as a JSON schema
	schema: name => z.toJSONSchema(tools[name].inputSchema),
	values,
	gate: () => vm.runInContext(`[{ ${text(2).replace(/\}\n\s*\n/, '}\n}, {\n')} }]`, world).map(tool => tool.isEnabled()),
	list: () => ({ id: world.nW(), dir: world.zF(world.nW()) }),
	blockers: async id => (await claimable(world.nW(), world.bu(world.nW(), id))) || { success: true },
	forget: async id => await cleanup(world.nW(), id),
	active: id => shown(world.bu(world.nW(), id),
	    new Set(world.D5(world.nW()).filter(t => t.status === 'completed').map(t => t.id))),
	// heard NAME ARGUMENT...: as run; the number of calls of a listener
	heard(name, ...rest) {
		let heard = 0;
		const stop = world.fo9(() => heard++);
		commands.run(name, ...rest);
		stop();
		world.COT();
		return heard;
	},
	// work NAME COUNT: create, update, claim and complete COUNT tasks
	async work(name, count) {
		const list = world.nW();
		for (let i = 0; i < count; i++) {
			const id = world.WOT(list, { subject: `${name} ${i}`, description: 'd', status: 'pending', blocks: [], blockedBy: [] });
			world.oBA(list, id, name);
			await update({ taskId: id, status: 'completed', metadata: { by: name } });
		}
	},
	// hold FILE: take the lock, print `held`, keep it until standard input ends
	hold(file) {
		const release = lockfileSync(file === 'list' ? world.yo9(world.nW()) : world.LfT(world.nW(), file));
		fs.writeSync(1, 'held\n');
		fs.readFileSync(0);
		release();
		return { released: true };
	},
};

exports.ended = (async () => {
	const result = await commands[command](...args);
	process.stdout.write(`${JSON.stringify(result === undefined ? null : result)}\n`);
})().catch(e => {
	process.stderr.write(`${e.stack || e}\n`);
	process.exitCode = 1;
});

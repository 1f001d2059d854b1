'use strict';

/*
 * Runs the real client in a temporary directory, the lab.
 *
 * A lab has a home, a project under git, a model and a recorder's log. The
 * environment of the client is built from nothing, so neither the settings of
 * the user nor another test can affect it. Every process of a lab has E2E_LAB
 * in its environment: so a lab finds its remaining processes and ends them.
 *
 * Nothing here waits for a fixed time. until() waits for a condition, and only
 * a client that hangs reaches its time limit.
 */

const { execFile, execFileSync, spawn, spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { Model } = require('./model');

const KEY = 'sk-ant-' + 'e2e-dummy-key-'.repeat(4) + '0123456789';
const PATIENCE = process.env.E2E_ABSENT ? 45000 : 120000;

/* Debug lines about hooks without useful information. */
const CHATTER = new RegExp('Getting matching|Found \\d+|Matched \\d+|' +
    'does not start with|checkForNewResponses|telemetry|Ripgrep|Registered|' +
    'executePreToolHooks');

const CACHE = process.env.CACHE || path.join(process.env.XDG_CACHE_HOME ||
    path.join(os.homedir(), '.cache'), 'claude-task-hooks');
const BUILD = path.resolve(process.env.BUILD ||
    path.join(__dirname, '../../build'));
const RECORDER = path.join(BUILD, 'tests/tool-recorder');

function sleep(ms) {
	return new Promise((done) => setTimeout(done, ms));
}

/* Wait until `test` returns a true value, and return that. */
async function until(what, test, patience) {
	const end = Date.now() + (patience || PATIENCE);
	for (;;) {
		const value = await test();
		if (value)
			return value;
		if (Date.now() > end)
			throw new Error(`timed out waiting until ${what}`);
		await sleep(25);
	}
}

/* The executable of a version, installed into the cache if it is not there. */
function find(version) {
	const dir = path.join(CACHE, 'client-' + version);
	const there = () => {
		const scope = path.join(dir, 'node_modules/@anthropic-ai');
		if (!fs.existsSync(scope))
			return null;
		for (const name of fs.readdirSync(scope).sort()) {
			const file = path.join(scope, name, 'claude');
			if (name.startsWith('claude-code-') &&
			    !name.endsWith('-musl') && fs.existsSync(file))
				return file;
		}
		const file = path.join(dir, 'node_modules/.bin/claude');
		return fs.existsSync(file) ? file : null;
	};
	if (!there()) {
		/* Install, then rename: another run may use it at the same time. */
		fs.mkdirSync(CACHE, { recursive: true });
		const fresh = fs.mkdtempSync(path.join(CACHE, 'fetch-'));
		try {
			execFileSync('npm', ['install', '--no-audit',
			    '--no-fund', '--silent', '--prefix', fresh,
			    '@anthropic-ai/claude-code@' + version],
			    { stdio: ['ignore', 'ignore', 'inherit'] });
			fs.rmSync(dir, { recursive: true, force: true });
			fs.renameSync(fresh, dir);
		} catch (e) {
			throw new Error(`npm cannot fetch client ${version}; ` +
			    '`npm view @anthropic-ai/claude-code versions` ' +
			    'lists what there is', { cause: e });
		} finally {
			fs.rmSync(fresh, { recursive: true, force: true });
		}
	}
	const file = there();
	if (!file)
		throw new Error(`no client ${version} in ${dir}; remove that ` +
		    'directory and run scripts/setup --tests');
	return file;
}

/* Pids whose environment names the lab; a zombie has no environment. */
function inhabitants(dir) {
	const found = [];
	for (const name of fs.readdirSync('/proc')) {
		if (!/^\d+$/.test(name) || Number(name) === process.pid)
			continue;
		try {
			const env = fs.readFileSync(`/proc/${name}/environ`,
			    'latin1');
			if (env.split('\0').includes('E2E_LAB=' + dir))
				found.push(Number(name));
		} catch {
			/* ended, or not readable for us */
		}
	}
	return found;
}

function commandOf(pid) {
	try {
		return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
		    .split('\0').join(' ').trim();
	} catch {
		return '(gone)';
	}
}

function alive(pid) {
	try {
		const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
		return !/^\S+ \(.*\) [ZX]/.test(stat);
	} catch {
		return false;
	}
}

function quote(s) {
	return "'" + String(s).replace(/'/g, "'\\''") + "'";
}

class Lab {
	constructor(version, options) {
		this.version = version;
		this.options = options;
		this.exe = find(version);
		this.dir = fs.mkdtempSync(path.join(os.tmpdir(), 'cth-e2e-'));
		this.home = path.join(this.dir, 'home');
		this.project = path.join(this.dir, 'project');
		this.config = path.join(this.home, '.claude');
		this.log = path.join(this.dir, 'events.jsonl');
		this.rulesFile = path.join(this.dir, 'rules.json');
		this.build = BUILD;
		this.runs = [];
		this.tmux = null;
		for (const d of [this.home, this.project, this.config])
			fs.mkdirSync(d, { recursive: true });
		fs.writeFileSync(this.log, '');
		this.rules([]);
	}

	async open() {
		const scripts = this.options.scripts || {};
		this.model = new Model(typeof scripts === 'function' ?
		    scripts(this) : scripts);
		await this.model.start();
		this.git('init', '-q', '-b', 'main');
		const files = this.options.files || {};
		this.write(typeof files === 'function' ? files(this) : files);
		if (this.options.commit !== false) {
			this.git('add', '-A');
			this.git('commit', '-q', '--allow-empty', '-m', 'first');
		}
		for (const task of this.options.tasks || [])
			this.put(task);
		fs.writeFileSync(path.join(this.home, '.claude.json'),
		    JSON.stringify({ hasCompletedOnboarding: true,
			theme: 'dark', bypassPermissionsModeAccepted: true,
			customApiKeyResponses: { approved: [KEY.slice(-20)],
			    rejected: [] },
			projects: { [this.project]: {
			    hasTrustDialogAccepted: true,
			    hasCompletedProjectOnboarding: true,
			    allowedTools: [] } } }));
	}

	async close() {
		for (let left = inhabitants(this.dir), n = 0;
		    left.length > 0 && n < 200; n++) {
			for (const pid of left)
				try { process.kill(pid, 'SIGKILL'); } catch {}
			await sleep(25);
			left = inhabitants(this.dir);
		}
		if (this.tmux)
			await this.terminal('kill-server').catch(() => {});
		await this.model.stop();
		fs.rmSync(this.dir, { recursive: true, force: true,
		    maxRetries: 5 });
	}

	/* ---- the project ---- */

	git(...args) {
		return execFileSync('git', ['-c', 'user.name=e2e', '-c',
		    'user.email=e2e@example.com', '-c', 'commit.gpgsign=false',
		    ...args], { cwd: this.project, encoding: 'utf8',
		    env: { PATH: process.env.PATH, HOME: this.home },
		    stdio: ['ignore', 'pipe', 'pipe'] });
	}

	/* Files by path under the project; objects become JSON. */
	write(files) {
		for (const [name, body] of Object.entries(files)) {
			const file = path.resolve(this.project, name);
			fs.mkdirSync(path.dirname(file), { recursive: true });
			fs.writeFileSync(file, typeof body === 'string' ?
			    body : JSON.stringify(body, null, 2));
			if (typeof body === 'string' && body.startsWith('#!'))
				fs.chmodSync(file, 0o755);
		}
	}

	read(name) {
		const file = path.resolve(this.project, name);
		return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;
	}

	/* ---- the list ---- */

	/* The name of the list; "" means the only one that exists. */
	get list() {
		if (this.options.list !== '')
			return this.options.list || 'lab';
		const all = path.join(this.config, 'tasks');
		const names = fs.existsSync(all) ? fs.readdirSync(all) : [];
		if (names.length > 1)
			throw new Error(`more than one list: ${names}`);
		return names[0] || 'none';
	}

	get tasks() {
		return path.join(this.config, 'tasks', this.list);
	}

	put(task) {
		const whole = { id: '1', subject: 'Task', description: 'Do it.',
		    status: 'pending', blocks: [], blockedBy: [], ...task };
		fs.mkdirSync(this.tasks, { recursive: true });
		fs.writeFileSync(path.join(this.tasks, whole.id + '.json'),
		    JSON.stringify(whole, null, 2));
	}

	/* The text of a task's file, or null. */
	bytes(id) {
		const file = path.join(this.tasks, id + '.json');
		return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;
	}

	/* The task, or null; a file that is being written is read again. */
	task(id) {
		for (let n = 0; ; n++) {
			const text = this.bytes(id);
			if (text === null)
				return null;
			try {
				return JSON.parse(text);
			} catch (e) {
				if (n > 20)
					throw e;
				Atomics.wait(new Int32Array(
				    new SharedArrayBuffer(4)), 0, 0, 10);
			}
		}
	}

	/* The claims on record for the list. */
	claims() {
		const text = this.read(path.join(this.config, 'task-hooks',
		    this.list, 'claims.json'));
		return text === null ? [] : JSON.parse(text).claims;
	}

	/* Lines of our journal for the list. */
	journal() {
		const text = this.read(path.join(this.config, 'task-hooks',
		    this.list, 'journal.jsonl'));
		return (text || '').split('\n').filter(Boolean)
		    .map((line) => JSON.parse(line));
	}

	/* ---- hooks ---- */

	/* A copy of one of our programs, which a scenario may break: see install(). */
	bin(name) {
		return path.join(this.dir, 'bin', name || '');
	}

	/* How the recorder answers: see tests/tool-recorder.c. */
	rules(rules) {
		fs.writeFileSync(this.rulesFile, JSON.stringify(rules));
	}

	/* Recorded events, oldest first. */
	events(name) {
		const lines = fs.readFileSync(this.log, 'utf8').split('\n');
		lines.pop();
		return lines.map((line) => JSON.parse(line))
		    .filter((e) => !name || e.hook_event_name === name);
	}

	environment(more) {
		const env = { HOME: this.home, PATH: process.env.PATH,
		    LANG: 'C.UTF-8', TMPDIR: this.dir,
		    SHELL: '/bin/bash', TERM: 'xterm-256color',
		    ANTHROPIC_API_KEY: KEY,
		    ANTHROPIC_BASE_URL: this.model.url,
		    CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
		    CLAUDE_CODE_ENABLE_TASKS: '1',
		    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
		    DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1',
		    DISABLE_ERROR_REPORTING: '1', IS_SANDBOX: '1',
		    CLAUDE_CODE_TASK_LIST_ID: 'lab',
		    E2E_LAB: this.dir, E2E_LOG: this.log,
		    CTH_CHECK: process.env.CTH_CHECK || null,
		    E2E_RULES: this.rulesFile,
		    ...this.options.env, ...more };
		for (const name of Object.keys(env))
			if (env[name] === null)
				delete env[name];
		return env;
	}

	settings(hooks, more) {
		const file = path.join(this.dir,
		    `settings-${this.runs.length}.json`);
		const chosen = hooks || this.options.hooks || {};
		fs.writeFileSync(file, JSON.stringify({ hooks:
		    typeof chosen === 'function' ? chosen(this) : chosen,
		    ...this.options.settings, ...more }, null, 2));
		return file;
	}

	/* ---- the client ---- */

	command(run) {
		const n = this.runs.length;
		const debug = path.join(this.dir, `debug-${n}.log`);
		const args = ['--permission-mode',
		    run.mode || 'bypassPermissions', '--debug-file', debug];
		if (run.settings !== null)
			args.push('--settings',
			    run.settings || this.settings(run.hooks));
		args.push(...(run.args || []));
		return { args, debug };
	}

	/*
	 * Start the client with one prompt and no terminal. Returns a run:
	 * `pid`, and `done`, a promise of { code, signal, stdout, stderr }.
	 */
	start(options) {
		const run = options || {};
		const { args, debug } = this.command(run);
		const child = spawn(this.exe, ['-p', run.prompt ||
		    '[[script:main]] go', '--output-format', 'json', ...args],
		    { cwd: run.cwd || this.project, detached: true,
		    env: this.environment(run.env),
		    stdio: ['ignore', 'pipe', 'pipe'] });
		const record = { pid: child.pid, debug, stdout: '', stderr: '' };
		this.runs.push(record);
		child.stdout.on('data', (d) => { record.stdout += d; });
		child.stderr.on('data', (d) => { record.stderr += d; });
		record.done = new Promise((done, fail) => {
			const bound = setTimeout(() => {
				try { process.kill(child.pid, 'SIGKILL'); }
				catch {}
				fail(new Error('the client did not end'));
			}, run.patience || PATIENCE);
			child.on('error', fail);
			child.on('exit', (code, signal) => {
				clearTimeout(bound);
				record.code = code;
				record.signal = signal;
				done(record);
			});
		});
		/* A scenario may fail before it awaits this. */
		record.done.catch(() => {});
		return record;
	}

	/* The same, and wait for its end. */
	async print(options) {
		return await this.start(options).done;
	}

	terminal(...args) {
		return new Promise((done, fail) => {
			execFile('tmux', ['-S', path.join(this.dir, 'tmux'),
			    '-f', '/dev/null', ...args], { encoding: 'utf8',
			    env: this.serverEnv || { PATH: process.env.PATH,
			    LANG: 'C.UTF-8', HOME: this.home,
			    TERM: 'xterm-256color',
			    CTH_CHECK: process.env.CTH_CHECK || '' } },
			    (e, out) => e ? fail(e) : done(out));
		});
	}

	/*
	 * Start the client in a terminal. The prompt goes on its command line:
	 * no key is typed, so no screen has to be ready for it. With
	 * `panes` it knows the terminal, and can start teammates in others;
	 * these have the environment of the terminal's server.
	 */
	async interactive(options) {
		const run = options || {};
		const { args, debug } = this.command(run);
		const file = path.join(this.dir, `start-${this.runs.length}.sh`);
		const env = this.environment(run.env);
		if (run.panes)
			this.serverEnv = env;
		fs.writeFileSync(file, ['#!/bin/sh', 'exec env -i \\',
		    ...(run.panes ?
			['\tTMUX="$TMUX" TMUX_PANE="$TMUX_PANE" \\'] : []),
		    ...Object.entries(env).map(([k, v]) =>
			`\t${quote(k + '=' + v)} \\`),
		    '\t' + [this.exe, ...args,
			run.prompt || '[[script:main]] go'].map(quote)
			.join(' '), ''].join('\n'), { mode: 0o755 });
		await this.terminal('new-session', '-d', '-x', '200', '-y', '50',
		    '-c', this.project, file, ';',
		    'set-option', '-g', 'remain-on-exit', 'on');
		this.tmux = true;
		const pid = Number(await this.terminal('display-message', '-p',
		    '#{pane_pid}'));
		const record = { pid, debug, interactive: true };
		this.runs.push(record);
		return record;
	}

	/* End an interactive client as the shell of a closing terminal does. */
	async end(run, signal) {
		try { process.kill(run.pid, signal || 'SIGTERM'); } catch {}
		await until('the client has ended', () => !alive(run.pid));
	}

	/* Run claude-tasks as a person in the project would. */
	cli(args, input, env) {
		return new Promise((done) => {
			const child = execFile(path.join(BUILD, 'claude-tasks'),
			    args, { cwd: this.project, encoding: 'utf8',
			    env: this.environment(env) }, (e, stdout, stderr) =>
			    done({ code: e ? e.code : 0, stdout, stderr }));
			child.stdin.on('error', () => {});
			child.stdin.end(input || '');
		});
	}

	/* The same, and it must succeed. */
	async did(...args) {
		const r = await this.cli(args);
		if (r.code !== 0)
			throw new Error(`claude-tasks ${args.join(' ')}: ` +
			    `status ${r.code}: ${r.stderr || r.stdout}`);
		return r.stdout;
	}

	/* The result of on-task-completed-verify --ci with the receipts of the list. */
	async ci() {
		const receipts = path.join(this.dir, 'receipts.json');
		fs.writeFileSync(receipts, await this.did('receipts', 'export'));
		return spawnSync(path.join(BUILD, 'on-task-completed-verify'),
		    ['--ci', receipts], { cwd: this.project, encoding: 'utf8',
		    env: this.environment() });
	}

	/* Processes of this lab other than its clients. */
	strays() {
		const clients = new Set(this.runs.map((r) => r.pid));
		return inhabitants(this.dir).filter((pid) => !clients.has(pid));
	}

	debug(runs) {
		return (runs || this.runs).map((r) => fs.existsSync(r.debug) ?
		    fs.readFileSync(r.debug, 'utf8') : '').join('');
	}

	/* Lines in which the client complains about what a hook printed. */
	complaints(runs) {
		return this.debug(runs).split('\n').filter((line) =>
		    /hook/i.test(line) &&
		    /validation failed|invalid|not valid|suspect/i.test(line));
	}

	/* Information about a failed scenario. */
	async evidence() {
		const out = [];
		for (const t of this.model.turns) {
			out.push(`model ${t.script}.${t.step}`);
			for (const r of t.results)
				out.push(`  ${r.tool} ${clip(JSON.stringify(r.input), 300)}`,
				    `    ${r.error ? 'error' : 'result'}: ${clip(r.text, 1500)}`);
			for (const x of t.texts)
				out.push(`  text: ${clip(x, 200)}`);
		}
		out.push(...this.model.faults.map((f) => 'model fault: ' + f));
		out.push(...this.events().slice(-40).map((e) => 'event ' +
		    clip(JSON.stringify(e), 500)));
		this.runs.forEach((r, n) => {
			if (r.interactive)
				return;
			out.push(`run ${n}: code ${r.code} signal ${r.signal}`,
			    '  out: ' + clip(r.stdout, 600),
			    '  err: ' + clip(r.stderr, 600));
		});
		out.push(...this.debug().split('\n')
		    .filter((l) => /hook/i.test(l) && !CHATTER.test(l)).slice(-60)
		    .map((l) => 'debug ' + clip(l, 400)));
		for (const top of ['tasks', 'task-hooks', 'teams'])
			for (const f of walk(path.join(this.config, top)))
				out.push(`file ${path.relative(this.config, f)}: ` +
				    clip(fs.readFileSync(f, 'utf8'), 1500));
		for (const pid of inhabitants(this.dir))
			out.push(`process ${pid}: ${clip(commandOf(pid), 200)}`);
		if (this.tmux)
			out.push('screen:', await this.terminal('capture-pane',
			    '-p').catch(() => '(none)'));
		return out.join('\n');
	}
}

function clip(s, n) {
	const text = String(s);
	return text.length > n ? text.slice(0, n) + '…' : text;
}

function walk(dir) {
	if (!fs.existsSync(dir))
		return [];
	return fs.readdirSync(dir, { withFileTypes: true }).flatMap((e) =>
	    e.isDirectory() ? walk(path.join(dir, e.name)) :
	    e.isFile() ? [path.join(dir, e.name)] : []);
}

module.exports = { Lab, RECORDER, BUILD, find, until, sleep, alive,
    commandOf, walk };

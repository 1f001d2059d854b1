'use strict';

/*
 * Runs scenarios: main.js [options] [NAME-PART ...]
 *
 *	--version V	only this client; may be repeated. A version without
 *			expected facts is compared with the newest older one.
 *	--jobs N	how many at a time (default 2)
 *	--list		print the names
 *	--facts		only the facts about the client itself
 *	--measure	these first, no evidence, and a summary at the end
 *			(scripts/measure-client)
 *	--learn		write the measured facts to expected/
 *	--absent	run `true` instead of our hooks, and show that every
 *			scenario of ours then fails
 *	--save DIR	write captured payloads there
 *	--brief		no evidence
 *	--verbose	evidence of every scenario, passed or not
 *
 * One line per scenario and version. A scenario that fails is run a second
 * time, alone, after all others: on a loaded machine the client may be too
 * slow. Exit status 0 if all passed.
 */

const fs = require('fs');
const path = require('path');

const options = { versions: [], jobs: 2, parts: [] };
const args = process.argv.slice(2);
while (args.length > 0) {
	const a = args.shift();
	if (a === '--version')
		options.versions.push(args.shift());
	else if (a === '--jobs')
		options.jobs = Number(args.shift());
	else if (a === '--save')
		options.save = args.shift();
	else if (/^--(list|facts|measure|learn|absent|brief|verbose)$/.test(a))
		options[a.slice(2)] = true;
	else if (a.startsWith('-')) {
		console.error(`main.js: unknown option ${a}`);
		process.exit(64);
	} else
		options.parts.push(a);
}
if (options.absent)
	process.env.E2E_ABSENT = '1';

const { Lab, find } = require('./client');
const { scenarios, ALL } = require('./scenario');
const { compare, learn } = require('./compare');

for (const file of fs.readdirSync(path.join(__dirname, 'scenarios')).sort())
	if (file.endsWith('.js'))
		require(path.join(__dirname, 'scenarios', file));

function newer(a, b) {
	const x = a.split('.').map(Number), y = b.split('.').map(Number);
	for (let i = 0; i < 3; i++)
		if (x[i] !== y[i])
			return x[i] > y[i];
	return false;
}

/* The version whose expected facts a client is compared with. */
function kin(version) {
	return [...ALL].reverse().find((v) => !newer(v, version)) || ALL[0];
}

function plan() {
	const jobs = [];
	for (const s of scenarios) {
		if (options.facts && !s.measure)
			continue;
		if (options.absent && (s.measure || s.client))
			continue;
		if (options.parts.length > 0 &&
		    !options.parts.some((p) => s.name.includes(p)))
			continue;
		const asked = options.versions.length > 0 ?
		    options.versions : ALL;
		for (const version of asked)
			if (s.versions.includes(kin(version)))
				jobs.push({ s, version, kin: kin(version) });
	}
	/* The long ones first, so that none runs alone at the end. */
	const rank = (j) => (j.s.weight || 1) +
	    (options.measure && j.s.measure ? 1000 : 0);
	return jobs.sort((a, b) => rank(b) - rank(a));
}

/* Returns null, or a description of the failure. */
async function attempt(job) {
	const lab = new Lab(job.version, job.s);
	lab.kin = job.kin;
	let wrong = null;
	try {
		await lab.open();
		await job.s.run(lab);
		if (job.s.measure) {
			const found = await job.s.measure(lab);
			if (options.learn)
				learn(job.version, job.s.name, found);
			const diff = compare(options.learn ? job.version :
			    job.kin, job.s.name, found);
			if (diff.length > 0)
				wrong = diff.join('\n');
		} else {
			await job.s.check(lab);
			const complaints = lab.complaints();
			if (!job.s.complaints && complaints.length > 0)
				wrong = 'the client complains:\n' +
				    complaints.join('\n');
		}
		if (lab.model.faults.length > 0 && !wrong)
			wrong = lab.model.faults.join('\n');
		if (options.save && !wrong && job.s.save)
			job.s.save(lab, options.save);
	} catch (e) {
		wrong = e.code === 'ERR_ASSERTION' ? e.message :
		    String(e.stack || e);
	}
	if ((wrong && !options.absent) || options.verbose)
		job.evidence = await lab.evidence().catch((e) => String(e));
	await lab.close();
	return wrong;
}

function indent(text, by) {
	return text.split('\n').map((line) => by + line).join('\n');
}

async function main() {
	const jobs = plan();
	if (options.list) {
		for (const j of jobs)
			console.log(`${j.s.name} ${j.version}`);
		return 0;
	}
	for (const v of new Set(jobs.map((j) => j.version))) {
		if (options.measure)
			console.log(`client ${v}, compared with ${kin(v)} ` +
			    '(the newest tested version that is not newer)');
		find(v);
	}

	let passed = 0, failed = 0, retried = 0, differ = 0;
	const again = [], queue = [...jobs];
	const say = (job, verdict, began) => {
		console.log(`${verdict} ${job.s.name} ${job.version} ` +
		    `(${((Date.now() - began) / 1000).toFixed(1)} s)`);
		if (options.verbose && job.evidence)
			console.log(indent(job.evidence, '    '));
	};
	const worker = async () => {
		for (let job; (job = queue.shift()) !== undefined;) {
			const began = Date.now();
			const wrong = await attempt(job);
			if (options.absent) {
				say(job, wrong ? 'ok fails without the hook:' :
				    'FAIL passes without the hook:', began);
				if (wrong)
					console.log(indent(wrong.split('\n')[0],
					    '  '));
				wrong ? passed++ : failed++;
			} else if (wrong) {
				job.wrong = wrong;
				again.push(job);
			} else {
				passed++;
				say(job, 'ok', began);
			}
		}
	};
	await Promise.all(Array.from({ length: options.jobs }, worker));

	for (const job of again) {
		const began = Date.now();
		const first = job.wrong, evidence = job.evidence;
		const wrong = await attempt(job);
		if (!wrong) {
			passed++;
			retried++;
			say(job, 'ok (second try)', began);
			console.log(indent('first try: ' + first, '  '));
			continue;
		}
		failed++;
		differ += job.s.measure ? 1 : 0;
		say(job, options.measure && job.s.measure ? 'DIFFERS' : 'FAIL', began);
		console.log(indent(wrong, '  '));
		if (!options.brief && !options.measure)
			console.log(indent(job.evidence || evidence || '',
			    '    '));
	}
	console.log(`retried: ${retried}`);
	console.log(`${passed} passed, ${failed} failed`);
	if (options.measure)
		console.log('the client itself: ' + (differ > 0 ?
		    `${differ} differ${differ === 1 ? 's' : ''}, see DIFFERS above` : 'nothing differs') +
		    '\nour hooks with it: ' + (failed > differ ?
		    `${failed - differ} fail${failed - differ === 1 ? 's' : ''}, see FAIL above` :
		    'all scenarios pass'));
	return failed === 0 && passed > 0 ? 0 : 1;
}

main().then((status) => process.exit(status), (e) => {
	console.error(e.cause ? `main.js: ${e.message}` : e);
	process.exit(1);
});

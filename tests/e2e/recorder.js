'use strict';

/*
 * A hook that records every event and answers by rules.
 *
 *	E2E_LOG		the log: each event, unchanged, in one line;
 *			$E2E_LOG.env has the variables of the client
 *	E2E_RULES	a JSON list of rules, read for every event. The first
 *			whose `on` is the event (and `tool` the tool, and
 *			`times` not yet used up) answers:
 *	{ on, tool, times, stdout, stderr, code, touch, hold }
 *			`stdout` may be an object (printed as JSON);
 *			`hold` names a file: no answer until it exists.
 *
 * Without a rule the recorder passes without output.
 */

const fs = require('fs');

const text = fs.readFileSync(0, 'utf8');
const event = JSON.parse(text);
const env = {};
for (const name of Object.keys(process.env))
	if (/^CLAUDE/.test(name) && !/TOKEN/.test(name))
		env[name] = process.env[name];
fs.appendFileSync(process.env.E2E_LOG + '.env', JSON.stringify(
    { event: event.hook_event_name, env,
	cwd: process.cwd(), newline: text.endsWith('\n') }) + '\n');
fs.appendFileSync(process.env.E2E_LOG, text.trimEnd() + '\n');

const rules = JSON.parse(fs.readFileSync(process.env.E2E_RULES, 'utf8'));
const seen = fs.readFileSync(process.env.E2E_LOG, 'utf8').split('\n')
    .filter(Boolean).map((line) => JSON.parse(line));
const rule = rules.find((r) => {
	const fits = (e) => r.on === e.hook_event_name &&
	    (!r.tool || r.tool === e.tool_name);
	return fits(event) &&
	    (!r.times || seen.filter(fits).length <= r.times);
});

function answer() {
	if (rule.stdout !== undefined)
		fs.writeSync(1, typeof rule.stdout === 'string' ?
		    rule.stdout : JSON.stringify(rule.stdout));
	if (rule.stderr)
		fs.writeSync(2, rule.stderr);
	process.exit(rule.code || 0);
}

if (rule && rule.hold) {
	setInterval(() => {
		if (fs.existsSync(rule.hold))
			answer();
	}, 20);
} else if (rule) {
	answer();
}

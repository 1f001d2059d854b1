'use strict';

/*
 * Captured events as test data: names of machines and persons, ids and times
 * are replaced, equal values by equal replacements; nothing else changes.
 */

const fs = require('fs');
const path = require('path');

class Cleaner {
	constructor(lab) {
		this.lab = lab;
		this.known = new Map();
	}

	/* The n-th different value of a kind, in the form of that kind. */
	nth(kind, value, form) {
		const key = kind + ' ' + value;
		if (!this.known.has(key)) {
			const n = [...this.known.keys()].filter((k) =>
			    k.startsWith(kind + ' ')).length + 1;
			this.known.set(key, form(n));
		}
		return this.known.get(key);
	}

	text(s) {
		const flat = this.lab.project.replace(/[^A-Za-z0-9]/g, '-');
		return s.split(this.lab.project).join('/home/user/project')
		    .split(flat).join('-home-user-project')
		    .split(this.lab.home).join('/home/user')
		    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
			(id) => this.nth('uuid', id, (n) =>
			    `00000000-0000-4000-8000-${pad(n, 12)}`))
		    .replace(/session-[0-9a-f]{8}\b/g, (id) => {
			    const whole = [...this.known.keys()].find((k) =>
				k.startsWith('uuid ' + id.slice(8)));
			    return whole ? 'session-00000000' :
				this.nth('team', id, (n) =>
				    `session-${pad(n, 8)}`);
		    })
		    .replace(/toolu_[0-9a-f]{24}/g, (id) =>
			this.nth('toolu', id, (n) => `toolu_${pad(n, 24)}`))
		    .replace(/\ba([\w-]+-)?([0-9a-f]{16}|[0-9a-f]{6})\b/g,
			(id, name, hex) => 'a' + (name || '') +
			this.nth('agent', hex, (n) => pad(n, hex.length)));
	}

	value(v, key) {
		if (key === 'duration_ms' || key === 'totalDurationMs')
			return 5;
		if (key === 'id' && /^t[0-9a-z]{8}$/.test(v))
			return this.nth('background', v, (n) => 't' + pad(n, 8));
		if (typeof v === 'string')
			return this.text(v);
		if (Array.isArray(v))
			return v.map((x) => this.value(x));
		if (v && typeof v === 'object')
			return Object.fromEntries(Object.entries(v)
			    .map(([k, x]) => [k, this.value(x, k)]));
		return v;
	}
}

function pad(n, width) {
	return String(n).padStart(width, '0');
}

/* The part of the file's name that distinguishes events with the same name. */
function variant(e) {
	const parts = [];
	if (e.tool_name)
		parts.push(e.tool_name === 'Task' ? 'Agent' : e.tool_name);
	if (e.tool_name === 'TaskUpdate' && e.tool_input.status)
		parts.push(e.tool_input.status);
	if (ofTeammate(e))
		parts.push('teammate');
	else if (e.agent_id && !/^Subagent/.test(e.hook_event_name))
		parts.push('subagent');
	if (e.hook_event_name === 'TaskCompleted' && e.permission_mode)
		parts.push('turn-end');
	if (e.hook_event_name === 'SubagentStop' && !e.permission_mode)
		parts.push('shutdown');
	return parts.map((p) => '-' + p).join('');
}

function ofTeammate(e) {
	return e.teammate_name !== undefined ||
	    /^a[\w]+-/.test(e.agent_id || '');
}

/*
 * One file per version, event and variant, as the client sends it: with a
 * newline at its end, except for 2.1.34.
 */
function save(lab, dir, which) {
	const cleaner = new Cleaner(lab);
	const end = lab.kin === '2.1.34' ? '' : '\n';
	fs.mkdirSync(dir, { recursive: true });
	for (const event of lab.events()) {
		const clean = cleaner.value(event);
		if (event.tool_name === 'SendMessage' ||
		    (which && !which(event)))
			continue;
		fs.writeFileSync(path.join(dir, `${lab.version}-` +
		    `${event.hook_event_name}${variant(event)}.json`),
		    JSON.stringify(clean) + end);
	}
}

module.exports = { save, ofTeammate };

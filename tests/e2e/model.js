'use strict';

/*
 * A server on loopback that answers the client as a model, by scripts.
 *
 * A script is a list of steps. The last "[[script:NAME]]" in the text of the
 * user selects the script. The step is the number of answers since then, so
 * the conversation is the only state, and a repeated request gets the same
 * answer.
 *
 * A step is
 *	"text"				answer with it and end the turn
 *	call(NAME, INPUT)		use one tool
 *	[call(...), call(...)]		use several in one message
 *	{ error: 400 }			refuse the request
 *	async (turn) => one of these	decide now; the turn stays open while
 *					the promise does
 * After its last step a script answers "done".
 *
 * What the model got is kept in `turns`, oldest first:
 *	{ script, step, results: [{ tool, input, text, error }], texts: [...] }
 */

const http = require('http');
const crypto = require('crypto');

function call(name, input) {
	return { tool: name, input: input === undefined ? {} : input };
}

function textOf(content) {
	if (content === undefined || content === null)
		return '';
	if (typeof content === 'string')
		return content;
	if (Array.isArray(content))
		return content.map(textOf).join('\n');
	if (content.type === 'text')
		return content.text;
	return '';
}

/* The last named script: its name and the index of the message. */
function scriptOf(messages) {
	for (let i = messages.length - 1; i >= 0; i--) {
		if (messages[i].role !== 'user')
			continue;
		const names = [...textOf(messages[i].content)
		    .matchAll(/\[\[script:([\w-]+)\]\]/g)];
		if (names.length > 0)
			return { name: names[names.length - 1][1], at: i };
	}
	return null;
}

/* What came since the last answer: tool results and other text. */
function newsOf(messages) {
	let last = -1;
	const calls = new Map();
	messages.forEach((m, i) => {
		if (m.role !== 'assistant')
			return;
		last = i;
		if (Array.isArray(m.content))
			for (const b of m.content)
				if (b.type === 'tool_use')
					calls.set(b.id, b);
	});
	const results = [], texts = [];
	for (const m of messages.slice(last + 1)) {
		const blocks = typeof m.content === 'string' ?
		    [{ type: 'text', text: m.content }] : m.content;
		for (const b of blocks) {
			if (b.type === 'text') {
				texts.push(b.text);
			} else if (b.type === 'tool_result') {
				const use = calls.get(b.tool_use_id) || {};
				results.push({ tool: use.name, input: use.input,
				    text: textOf(b.content),
				    error: b.is_error === true });
			}
		}
	}
	return { results, texts };
}

function eventsOf(model, answer) {
	const out = [];
	const emit = (type, more) =>
		out.push(`event: ${type}\ndata: ` +
		    JSON.stringify({ type, ...more }) + '\n\n');
	let stop = 'end_turn';

	emit('message_start', { message: {
		id: 'msg_' + crypto.randomBytes(12).toString('hex'),
		type: 'message', role: 'assistant', model, content: [],
		stop_reason: null, stop_sequence: null,
		usage: { input_tokens: 10, output_tokens: 5 } } });
	answer.forEach((part, index) => {
		if (typeof part === 'string') {
			emit('content_block_start', { index,
			    content_block: { type: 'text', text: '' } });
			emit('content_block_delta', { index,
			    delta: { type: 'text_delta', text: part } });
		} else {
			stop = 'tool_use';
			emit('content_block_start', { index, content_block: {
				type: 'tool_use', name: part.tool, input: {},
				id: 'toolu_' +
				    crypto.randomBytes(12).toString('hex') } });
			emit('content_block_delta', { index, delta: {
				type: 'input_json_delta', partial_json:
				    part.raw || JSON.stringify(part.input) } });
		}
		emit('content_block_stop', { index });
	});
	emit('message_delta', { delta: { stop_reason: stop,
	    stop_sequence: null }, usage: { output_tokens: 5 } });
	emit('message_stop', {});
	return out.join('');
}

class Model {
	constructor(scripts) {
		this.scripts = scripts;
		this.turns = [];
		this.faults = [];
		this.server = http.createServer((req, res) =>
		    this.serve(req, res).catch((e) => {
			    this.faults.push(String(e.stack || e));
			    refuse(res, 500, 'api_error', String(e));
		    }));
		/* A held turn may last as long as the scenario needs. */
		this.server.requestTimeout = 0;
		this.server.headersTimeout = 0;
	}

	async start() {
		await new Promise((done) =>
		    this.server.listen(0, '127.0.0.1', done));
		this.url = 'http://127.0.0.1:' + this.server.address().port;
	}

	async stop() {
		this.server.closeAllConnections();
		await new Promise((done) => this.server.close(done));
	}

	/* The tool results that a script got, oldest first. */
	told(script) {
		return this.turns.filter((t) => !script || t.script === script)
		    .flatMap((t) => t.results);
	}

	/* All text of any kind that reached a script. */
	heard(script) {
		return this.turns.filter((t) => !script || t.script === script)
		    .flatMap((t) => [...t.results.map((r) => r.text),
			...t.texts]).join('\n');
	}

	/* Has the script asked for its step `n` (counted from 0)? */
	reached(script, n) {
		return this.turns.some((t) =>
		    t.script === script && t.step >= n);
	}

	async serve(req, res) {
		let body = '';
		req.setEncoding('utf8');
		for await (const chunk of req)
			body += chunk;
		const path = req.url.split('?')[0];
		if (req.method === 'POST' &&
		    path === '/v1/messages/count_tokens')
			return reply(res, { input_tokens: 10 });
		if (req.method !== 'POST' || path !== '/v1/messages')
			return refuse(res, 404, 'not_found_error', 'none');

		const ask = JSON.parse(body);
		let answer = ['ok'];
		if (Array.isArray(ask.tools) && ask.tools.length > 0) {
			const next = await this.next(ask);
			if (next.error)
				return refuse(res, next.error,
				    'invalid_request_error', 'scripted');
			answer = next;
		}
		if (res.destroyed)
			return;
		if (ask.stream) {
			res.writeHead(200,
			    { 'content-type': 'text/event-stream' });
			res.end(eventsOf(ask.model, answer));
		} else {
			reply(res, { id: 'msg_1', type: 'message',
			    role: 'assistant', model: ask.model,
			    content: [{ type: 'text', text: 'ok' }],
			    stop_reason: 'end_turn', stop_sequence: null,
			    usage: { input_tokens: 10, output_tokens: 5 } });
		}
	}

	async next(ask) {
		const script = scriptOf(ask.messages);
		if (!script)
			return ['ok'];
		const step = ask.messages.slice(script.at)
		    .filter((m) => m.role === 'assistant').length;
		const turn = { script: script.name, step,
		    ...newsOf(ask.messages),
		    tools: ask.tools.map((t) => t.name) };
		this.turns.push(turn);

		const steps = this.scripts[script.name];
		if (!steps) {
			this.faults.push(`no script named ${script.name}`);
			return ['done'];
		}
		let answer = step < steps.length ? steps[step] : 'done';
		if (typeof answer === 'function')
			answer = await answer(turn);
		if (answer === undefined || answer === null)
			answer = 'done';
		if (answer.error)
			return answer;
		return Array.isArray(answer) ? answer : [answer];
	}
}

function reply(res, object) {
	res.writeHead(200, { 'content-type': 'application/json' });
	res.end(JSON.stringify(object));
}

function refuse(res, status, type, message) {
	if (res.headersSent || res.destroyed)
		return;
	res.writeHead(status, { 'content-type': 'application/json',
	    'x-should-retry': 'false' });
	res.end(JSON.stringify({ type: 'error', error: { type, message } }));
}

module.exports = { Model, call };

'use strict';

/*
 * Compare measured facts with expected ones. expected/VERSION.json has the
 * facts of a client: for each scenario the name and value of each fact.
 * `main.js --learn` writes it; read the difference before you commit it, since
 * our hooks depend on these facts.
 */

const fs = require('fs');
const path = require('path');
const { isDeepStrictEqual } = require('util');

function fileOf(version) {
	return path.join(__dirname, 'expected', version + '.json');
}

function load(version) {
	const file = fileOf(version);
	return fs.existsSync(file) ?
	    JSON.parse(fs.readFileSync(file, 'utf8')) : {};
}

/* Text with the other tested versions that have the same value. */
function also(version, name, fact, value) {
	const same = fs.readdirSync(path.dirname(fileOf(version)))
	    .map((file) => path.basename(file, '.json'))
	    .filter((v) => v !== version &&
		isDeepStrictEqual((load(v)[name] || {})[fact], value));
	return same.length > 0 ? `   (as ${same.join(' and ')} does)` : '';
}

/* Lines with the differences; none if all facts are as expected. */
function compare(version, name, measured) {
	const expect = load(version)[name] || {};
	const found = JSON.parse(JSON.stringify(measured));
	const diff = [];
	const names = new Set([...Object.keys(expect), ...Object.keys(found)]);
	for (const fact of names)
		if (!isDeepStrictEqual(expect[fact], found[fact]))
			diff.push(`${fact}:`, `  expected ${show(expect[fact])}`,
			    `  found    ${show(found[fact])}` +
			    also(version, name, fact, found[fact]));
	return diff;
}

function learn(version, name, found) {
	const all = load(version);
	all[name] = found;
	fs.mkdirSync(path.dirname(fileOf(version)), { recursive: true });
	fs.writeFileSync(fileOf(version), JSON.stringify(Object.fromEntries(
	    Object.keys(all).sort().map((k) => [k, all[k]])), null, 2) + '\n');
}

function show(value) {
	return value === undefined ? 'nothing' : JSON.stringify(value);
}

module.exports = { compare, learn };

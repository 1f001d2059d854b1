'use strict';

/*
 * npm-registry.js DIRECTORY: a registry for npm on loopback that has the packages (.tgz) of the directory,
 * also those that come later; the newest file of a package is its latest version.  Prints its address.
 */

const { execFileSync } = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');
const path = require('path');

const dir = process.argv[2];

function versions(name, url) {
	const found = [];
	for (const file of fs.readdirSync(dir)) {
		const text = execFileSync('tar', ['-xzOf', path.join(dir, file), 'package/package.json']);
		const json = JSON.parse(text);
		const bytes = fs.readFileSync(path.join(dir, file));
		if (json.name !== name)
			continue;
		json.dist = { tarball: `${url}/-/${file}`,
		    shasum: crypto.createHash('sha1').update(bytes).digest('hex'),
		    integrity: 'sha512-' + crypto.createHash('sha512').update(bytes).digest('base64') };
		found.push({ json, made: fs.statSync(path.join(dir, file)).mtimeMs });
	}
	return found.sort((a, b) => a.made - b.made).map((v) => v.json);
}

const server = http.createServer((req, res) => {
	const url = `http://127.0.0.1:${server.address().port}`;
	const name = decodeURIComponent(req.url.slice(1));
	const tarball = /^-\/([\w.-]+\.tgz)$/.exec(name);

	if (tarball && fs.existsSync(path.join(dir, tarball[1])))
		return res.end(fs.readFileSync(path.join(dir, tarball[1])));
	const found = versions(name, url);
	res.statusCode = found.length > 0 ? 200 : 404;
	res.setHeader('content-type', 'application/json');
	if (found.length === 0)
		return res.end(JSON.stringify({ error: 'not found' }));
	res.end(JSON.stringify({ name, 'dist-tags': { latest: found[found.length - 1].version },
	    versions: Object.fromEntries(found.map((v) => [v.version, v])) }));
});

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));

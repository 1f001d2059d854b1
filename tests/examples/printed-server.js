// printed-server: runs printed.js again and again in one process, which loads zod once.
//
//   node printed-server.js BLOCKS REQUEST OUTPUT ERRORS
//
// For each line of standard input it runs printed.js with the environment and the arguments that the file
// REQUEST has (`NAME=VALUE`s, an empty one, the arguments, each with a NUL), in the directory PWD of that
// environment.  The outputs are in the files OUTPUT and ERRORS when it prints the exit status.
'use strict';
const fs = require('fs');
const path = require('path');
const readline = require('readline');

const [, , blocks, request, output, errors] = process.argv;
const program = path.join(__dirname, 'printed.js');
const print = process.stdout.write.bind(process.stdout);

async function run() {
	const fields = fs.readFileSync(request, 'utf8').split('\0').slice(0, -1), end = fields.indexOf('');
	for (const name of Object.keys(process.env)) delete process.env[name];
	for (const [, name, value] of fields.slice(0, end).map(field => /^([^=]*)=([^]*)$/.exec(field))) process.env[name] = value;
	process.chdir(process.env.PWD);
	process.argv = [process.argv[0], program, blocks, ...fields.slice(end + 1)];
	process.exitCode = 0;
	for (const [stream, file] of [[process.stdout, output], [process.stderr, errors]]) {
		fs.writeFileSync(file, '');
		stream.write = text => fs.appendFileSync(file, text);
	}
	delete require.cache[program];
	await require(program).ended;
	const status = process.exitCode;
	process.exitCode = 0;
	return status;
}

(async () => {
	for await (const line of readline.createInterface({ input: process.stdin })) print(`${line}${await run()}\n`);
})();

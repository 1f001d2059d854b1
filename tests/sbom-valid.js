// sbom-valid FILE: check a CycloneDX 1.6 document against its schema.

'use strict';

const fs = require('fs');
const path = require('path');

const schemas = path.join(process.env.CACHE,
    'cyclonedx-10.3.0/node_modules/@cyclonedx/cyclonedx-library/res/schema');
const Ajv = require(path.join(process.env.CACHE, 'ajv-8.20.0/node_modules/ajv'));
const read = (name) => JSON.parse(fs.readFileSync(path.join(schemas, name + '.SNAPSHOT.schema.json'), 'utf8'));

const bom = read('bom-1.6');
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
for (const name of ['spdx', 'jsf-0.82'])
	ajv.addSchema(read(name), new URL(name + '.SNAPSHOT.schema.json', bom.$id).href);
const validate = ajv.compile(bom);
if (!validate(JSON.parse(fs.readFileSync(process.argv[2], 'utf8')))) {
	console.log(validate.errors);
	process.exitCode = 1;
}

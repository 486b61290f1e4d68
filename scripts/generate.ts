import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { format, resolveConfig } from 'prettier';

import { describeSettings, insertBetweenMarkers } from './generate/configuration-table';
import { createGuidePrograms } from './generate/guide-programs';
import { describeSchema } from './generate/schema-report';
import { listOperations } from './generate/sdk-operations';
import { createSdkReference } from './generate/sdk-reference';
import { createSdkTypes } from './generate/sdk-types';
import { listContracts, listErrors, listMessages } from '../src/contracts';
import { createOpenApiDocument } from '../src/http/openapi';
import { readSettings } from '../src/read-settings';
import packageJson from '../package.json';
import sdkPackageJson from '../packages/sdk/package.json';

/**
 * Generates the OpenAPI document, the SDK's types and reference, the report of the database's
 * schema, the table of settings and the guides' examples in JavaScript. With --check it writes
 * nothing, and fails if a file is outdated.
 */
const root = path.join(__dirname, '..');

/** Each file with its content. The SDK's reference reads the types that are written before it. */
async function* generate(): AsyncGenerator<[file: string, content: string]> {
  const { MINIMUM_AMOUNT: minimumCents, MAXIMUM_AMOUNT: maximumCents } = readSettings({});
  const contracts = listContracts({ minimumCents, maximumCents });
  const configure = readFileSync(path.join(root, 'docs', 'operations', 'configure.md'), 'utf8');
  const document = createOpenApiDocument(contracts, listMessages(), listErrors(), packageJson.version);
  yield ['docs/openapi.json', JSON.stringify(document)];
  yield ['packages/sdk/src/generated/api.ts', createSdkTypes(document, sdkPackageJson.version)];
  yield ['docs/guides/sdk-reference.json', JSON.stringify(createSdkReference(listOperations(document)))];
  yield ['docs/database-schema.md', await describeSchema()];
  yield ['docs/operations/configure.md', insertBetweenMarkers(configure, 'settings', describeSettings())];
  yield* createGuidePrograms(root);
}

const help = `npm run generate [-- --check]

Generates the OpenAPI document, the SDK's types and reference, the report of the database's schema,
the table of settings and the guides' examples in JavaScript. With --check, writes nothing and fails if a file is
outdated.`;

async function main(): Promise<void> {
  if (process.argv.includes('--help')) {
    console.log(help);
    return;
  }
  const isCheck = process.argv.includes('--check');
  const options = await resolveConfig(path.join(root, 'package.json'));
  for await (const [name, content] of generate()) {
    const file = path.join(root, name);
    const text = await format(content, { ...options, filepath: file });
    const isSame = existsSync(file) && readFileSync(file, 'utf8') === text;
    if (isSame) continue;
    if (isCheck) {
      console.error(`${name} is outdated. Run: npm run generate`);
      process.exitCode = 1;
    } else {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
      console.log(`wrote ${name}`);
    }
  }
}

void main();

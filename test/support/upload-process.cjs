// A process that receives or reads uploads until a test kills it: node upload-process.cjs MODE URL
// It prints a word on each line. Modes: `receive` sends half a file and waits. `store` stores a
// file. `read`, `slow` and `publish` read: `slow` waits in each batch, `publish` waits before the
// upload has ended.
const { randomBytes } = require('node:crypto');
const { writeSync } = require('node:fs');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');

const dist = path.join(__dirname, '..', '..', 'dist', 'src');
const feature = path.join(dist, 'features', 'bank-statements');
const { createOperatorDatabase } = require(path.join(dist, 'db', 'operator-database'));
const { createLogger } = require(path.join(dist, 'shared', 'logger'));
const { createStatementReading } = require(path.join(feature, 'reading', 'statement-reading'));
const { createStatementUploads } = require(path.join(feature, 'uploads', 'statement-uploads.service'));
const { createStatementUploadsStore } = require(path.join(feature, 'uploads', 'statement-uploads.store'));
const { startUploadReading } = require(path.join(feature, 'uploads', 'upload-reading'));

const [mode, url, environment, file] = process.argv.slice(2);
const database = createOperatorDatabase(url);
const store = createStatementUploadsStore(database);
const peppers = new Map([[1, Buffer.from('the pepper of these tests')]]);
const say = (word) => writeSync(1, `${word}\n`);
const forever = () => delay(2 ** 30);

async function* halfFile() {
  yield randomBytes(1_500_000);
  // The first chunks are stored by then.
  await delay(500);
  say('sent');
  await forever();
}

/** Stores the lines of a batch. A repeat has no effect. */
async function publish({ uploadId, batches }) {
  say(`began ${uploadId}`);
  for await (const batch of batches) {
    await database.runUnprepared(
      `INSERT INTO lines_of_test (upload_id, entry, process)
       SELECT $1::uuid, e, $3::integer FROM unnest($2::integer[]) e ON CONFLICT DO NOTHING`,
      [uploadId, batch.map(({ entry }) => entry), process.pid],
    );
    say('batch');
    if (mode === 'slow') await delay(300);
  }
  say('published');
  if (mode === 'publish') await forever();
}

async function main() {
  const uploads = createStatementUploads({ store, peppers, wake: () => undefined });
  if (mode === 'receive') await uploads.receive(Number(environment), halfFile(), {});
  if (mode === 'store') {
    const { outcome } = await uploads.receive(Number(environment), [Buffer.from(file)], {});
    say(outcome);
    await forever();
  }
  const contextOf = () => Promise.resolve({ tags: new Set(), now: new Date() });
  const work = { store, peppers, reading: createStatementReading(), contextOf, publish };
  startUploadReading(work, createLogger('warn'), 50);
  say('started');
  await forever();
}

void main();

// A process that receives or reads uploads until a test kills it: node upload-process.cjs MODE URL
// It prints a word on each line. Modes: `receive` sends half a file and waits. `store` stores a
// file. `read`, `slow`, `publish` and `kill` read: `slow` waits after each part, `publish` waits
// before the last transaction, and `kill` kills itself before its statement of that number.
const { randomBytes } = require('node:crypto');
const { writeSync } = require('node:fs');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');

const dist = path.join(__dirname, '..', '..', 'dist', 'src');
const feature = path.join(dist, 'features', 'bank-statements');
const { createOperatorDatabase } = require(path.join(dist, 'db', 'operator-database'));
const { createLogger } = require(path.join(dist, 'shared', 'logger'));
const { createKnownAccountsStore } = require(path.join(feature, 'accounts', 'known-accounts.store'));
const { createAccountNumbersStore } = require(path.join(feature, 'accounts', 'account-numbers.store'));
const { createStatementReading } = require(path.join(feature, 'reading', 'statement-reading'));
const { createPublish } = require(path.join(feature, 'statements', 'publish-statements'));
const { createStatementAccounts } = require(path.join(feature, 'statements', 'statement-accounts'));
const { createStatementLinesStore } = require(path.join(feature, 'statements', 'statement-lines.store'));
const { createStatementUploads } = require(path.join(feature, 'uploads', 'statement-uploads.service'));
const { createStatementUploadsStore } = require(path.join(feature, 'uploads', 'statement-uploads.store'));
const { createUploadRecordsStore } = require(path.join(feature, 'uploads', 'upload-records.store'));
const { startUploadReading } = require(path.join(feature, 'uploads', 'upload-reading'));

const [mode, url, given, file] = process.argv.slice(2);
const operator = createOperatorDatabase(url);
let statementsSent = -1;
/** Counts the statements from the claim on. */
const database = {
  run(query, values) {
    if (query.name === 'claim_statement_upload') statementsSent = 0;
    if (statementsSent >= 0 && !/^(find_due|list_expired)_/.test(query.name)) statementsSent += 1;
    if (mode === 'kill' && statementsSent === Number(given)) process.kill(process.pid, 'SIGKILL');
    return operator.run(query, values);
  },
};
const store = createStatementUploadsStore(database);
const statements = createStatementLinesStore(database);
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

const numbers = createAccountNumbersStore(database);
const accounts = createStatementAccounts({ store: createKnownAccountsStore(database), numbers, peppers });
const publishUpload = createPublish({
  accounts,
  statements: {
    async addLines(...lines) {
      await statements.addLines(...lines);
      say('part');
      if (mode === 'slow') await delay(300);
    },
    async publishUpload(...read) {
      say('stored');
      if (mode === 'publish') await forever();
      return statements.publishUpload(...read);
    },
  },
});

async function publish(upload) {
  say(`began ${upload.claim.uploadId}`);
  const isPublished = await publishUpload(upload);
  say('published');
  return isPublished;
}

async function main() {
  const records = createUploadRecordsStore(database);
  const uploads = createStatementUploads({ store, records, statements, peppers, wake: () => undefined });
  if (mode === 'receive') await uploads.receive(Number(given), halfFile(), {});
  if (mode === 'store') {
    const { outcome } = await uploads.receive(Number(given), [Buffer.from(file)], {});
    say(outcome);
    await forever();
  }
  const tagsOf = () => Promise.resolve(new Set());
  const work = { store, peppers, reading: createStatementReading(), tagsOf, publish };
  startUploadReading(work, createLogger('warn'), 50);
  say('started');
  await forever();
}

void main();

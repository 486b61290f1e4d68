import type { PublishUpload } from '../uploads/read-upload';
import { checkQuestions } from './csv-questions';
import { checkAccounts, type StatementAccounts } from './statement-accounts';
import type { ReadStatement, StatementLinesStore } from './statement-lines.store';

interface Dependencies {
  statements: Pick<StatementLinesStore, 'addLines' | 'publishUpload'>;
  accounts: StatementAccounts;
}

/**
 * Stores the lines of an upload under its accounts. They count once its last transaction has
 * published all statements. The ids of statements follow from the upload, so a repeat stores no
 * line twice.
 */
export function createPublish({ statements, accounts }: Dependencies): PublishUpload {
  return async ({ claim, options, signal, file, parts }) => {
    const { environmentId, uploadId } = claim;
    const { format, version, problems } = file;
    checkQuestions(file.csv?.questions);
    checkAccounts(file.accounts, options);
    // A file that is rejected creates no account.
    for (const stated of file.accounts) await accounts.find(environmentId, stated, options);
    const accountIds = new Map<number, string>();
    for (const [at, stated] of file.accounts.entries()) {
      const { accountId } = await accounts.findOrCreate(environmentId, stated, options);
      accountIds.set(at + 1, accountId);
    }
    const read: ReadStatement[] = [];
    let lineCount = 0;
    // While lines are stored, the thread reads the next ones.
    let storing = Promise.resolve();
    for await (const { statement, ...part } of parts) {
      signal.throwIfAborted();
      const accountId = accountIds.get(statement) ?? '';
      if ('lines' in part) {
        await storing;
        storing = statements.addLines(environmentId, accountId, part.lines);
        // A failure is thrown at the next await. Until then, it must not end the process.
        storing.catch(() => undefined);
        lineCount += part.lines.length;
      } else read.push({ fileId: uploadId, accountId, ...part });
    }
    await storing;
    signal.throwIfAborted();
    return statements.publishUpload(claim, { format, version, problems, lines: lineCount }, read);
  };
}

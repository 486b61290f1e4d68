import { mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { UsageError } from './command.js';
import { bai2Of } from './statement-formats/bai2.js';
import { camtOf } from './statement-formats/camt.js';
import { csvOf, settlementsOf } from './statement-formats/csv.js';
import { type BookedTransfer, entriesOf, type Entry, type Transfer } from './statement-formats/entry.js';
import { nachaOf } from './statement-formats/nacha.js';

interface File {
  name: string;
  content: string;
}

/** The files of the statement, one for each format. */
function filesOf(entries: readonly Entry[], now: string): File[] {
  const settlements = settlementsOf(entries).map((content, index) => ({
    name: index === 0 ? 'settlements.csv' : `settlements-${index + 1}.csv`,
    content,
  }));
  return [
    { name: 'camt.052.xml', content: camtOf('052', entries, { now }) },
    { name: 'camt.053.xml', content: camtOf('053', entries, { now }) },
    { name: 'camt.054.xml', content: camtOf('054', entries, { now }) },
    { name: 'bai2.txt', content: bai2Of(entries, now) },
    { name: 'statement.csv', content: csvOf(entries) },
    { name: 'nacha-returns.txt', content: nachaOf(entries, now) },
    ...settlements,
  ];
}

/** Where the bank writes its statement: a camt.053 file, or a folder with every format. */
export type StatementPlace = { file: string } | { folder: string };

/** @throws UsageError if a file is in the place of the folder, or the reverse */
async function prepare(place: StatementPlace, folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const name = 'file' in place ? 'statement' : 'statements';
    throw new UsageError(`"${name}" needs the folder ${folder}: ${reasonOf(error, folder)}`);
  }
  const isFolder = 'file' in place && (await stat(place.file).catch(() => undefined))?.isDirectory();
  if (isFolder)
    throw new UsageError('"statement" names a folder. Name a file, or set "statements" for all formats.');
}

const reasonOf = (error: unknown, folder: string): string =>
  ['EEXIST', 'ENOTDIR'].includes((error as { code?: string }).code ?? '')
    ? `${folder} is a file, or its parent is one.`
    : (error as Error).message;

/**
 * A reference alone is not unique. A transfer may pay two contributions, and a return may have the
 * reference of its payment.
 */
const identityOf = ({ bank_reference, transaction_id, return_code }: Transfer): string =>
  JSON.stringify([bank_reference, transaction_id, return_code ?? null]);

/**
 * The account statement of the simulated bank. A journal beside the files stores each transfer, so
 * a restart neither loses nor repeats one.
 */
export class BankStatement {
  readonly #transfers = new Map<string, BookedTransfer>();
  readonly #place: StatementPlace;
  readonly #journal: string;
  #isWritten = false;

  private constructor(place: StatementPlace) {
    this.#place = place;
    this.#journal = path.resolve('file' in place ? `${place.file}.entries` : `${place.folder}/entries`);
  }

  /** @throws UsageError if the path cannot be used, or the journal is damaged */
  static async open(place: StatementPlace): Promise<BankStatement> {
    const statement = new BankStatement(place);
    await prepare(place, path.dirname(statement.#journal));
    const journal = await readFile(statement.#journal, 'utf8').catch(() => '');
    // A crash can cut the last line. Its request is still stored, so recover() books it again.
    const lines = journal.slice(0, journal.lastIndexOf('\n') + 1);
    if (lines !== journal) await writeFile(statement.#journal, lines);
    for (const line of lines.split('\n').filter((each) => each !== '')) {
      try {
        const transfer = JSON.parse(line) as BookedTransfer;
        statement.#transfers.set(identityOf(transfer), transfer);
      } catch {
        throw new UsageError(
          `${statement.#journal} is damaged. To start again, remove it and the statement.`,
        );
      }
    }
    return statement;
  }

  /** Books a transfer once. It resolves when the transfer is on the disk. */
  async book(transfer: Transfer): Promise<void> {
    const identity = identityOf(transfer);
    if (this.#transfers.has(identity)) return;
    const booked = { ...transfer, booked_at: new Date().toISOString() };
    this.#transfers.set(identity, booked);
    this.#isWritten = false;
    const handle = await open(this.#journal, 'a', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(booked)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /**
   * Replaces the files if there are new transfers.
   *
   * @param unknown references of transfers with unknown outcomes, which a later statement will
   *   contain
   */
  async write(unknown: ReadonlySet<string>): Promise<void> {
    if (this.#isWritten) return;
    this.#isWritten = unknown.size === 0;
    const transfers = [...this.#transfers.values()].filter(({ bank_reference: of }) => !unknown.has(of));
    const entries = entriesOf(transfers);
    const now = new Date().toISOString();
    if ('file' in this.#place) {
      await replace(this.#place.file, camtOf('053', entries, { now }));
      return;
    }
    const { folder } = this.#place;
    for (const { name, content } of filesOf(entries, now)) await replace(path.join(folder, name), content);
  }
}

async function replace(file: string, content: string): Promise<void> {
  await writeFile(`${file}.tmp`, content);
  await rename(`${file}.tmp`, file);
}

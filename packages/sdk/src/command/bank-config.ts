import { readFile } from 'node:fs/promises';

import type { StatementPlace } from './bank-statement.js';
import { UsageError } from './command.js';

export const bankActions = [
  'complete',
  'complete_twice',
  'complete_together',
  'complete_and_return',
  'wrong_amount_first',
  'nothing',
] as const;
export type BankAction = (typeof bankActions)[number];

/** The bank's action for contributions whose amount ends in this text. */
export interface Rule {
  amount_ends_in: string;
  do: BankAction;
}

/** The settings of the simulated bank. */
export interface BankConfig {
  /** The folder that stores completions with unknown outcomes. */
  store: string;
  interval_seconds: number;
  /** The bank completes a contribution this long after its creation. */
  after_seconds: number;
  rules: readonly Rule[];
  /** Where to write the account statement. If undefined, the bank writes none. */
  statement: StatementPlace | undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function numberOf(config: Record<string, unknown>, name: string, byDefault: number, minimum: number): number {
  const value = config[name] ?? byDefault;
  if (typeof value !== 'number' || !(value >= minimum && value <= 86_400))
    throw new UsageError(`"${name}" must be a number of seconds from ${minimum} to 86400.`);
  return value;
}

function ruleOf(value: unknown): Rule {
  const rule = isObject(value) ? value : {};
  const { amount_ends_in: end, do: action } = rule;
  if (typeof end !== 'string' || !/^\d*\.?\d{1,2}$/.test(end))
    throw new UsageError('"amount_ends_in" of each rule must be the end of an amount, such as ".41".');
  if (!bankActions.includes(action as BankAction))
    throw new UsageError(`"do" of each rule must be one of ${bankActions.join(', ')}.`);
  return { amount_ends_in: end, do: action as BankAction };
}

function placeOf({ statement, statements }: Record<string, unknown>): StatementPlace | undefined {
  if (statement !== undefined && statements !== undefined)
    throw new UsageError('Set "statement" or "statements", not both.');
  if (statement !== undefined && (typeof statement !== 'string' || statement === ''))
    throw new UsageError('"statement" must be the name of a file, such as "./statement.xml".');
  if (statements !== undefined && (typeof statements !== 'string' || statements === ''))
    throw new UsageError('"statements" must be the name of a folder, such as "./statements".');
  if (statement !== undefined) return { file: statement };
  return statements === undefined ? undefined : { folder: statements };
}

/** @throws UsageError that says what to correct */
export function checkConfig(config: unknown): BankConfig {
  if (!isObject(config)) throw new UsageError('The config must be a JSON object.');
  const known = ['store', 'interval_seconds', 'after_seconds', 'rules', 'statement', 'statements'];
  const unknown = Object.keys(config).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new UsageError(
      `Unknown members in the config: ${unknown.join(', ')}. The known ones are ${known.join(', ')}.`,
    );
  const { store, rules = [] } = config;
  if (typeof store !== 'string' || store === '')
    throw new UsageError('"store" must name a folder on a local disk that survives a restart.');
  if (!Array.isArray(rules)) throw new UsageError('"rules" must be a list.');
  return {
    store,
    interval_seconds: numberOf(config, 'interval_seconds', 2, 0.1),
    after_seconds: numberOf(config, 'after_seconds', 0, 0),
    rules: rules.map(ruleOf),
    statement: placeOf(config),
  };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist. bank --help shows an example of the file.',
  EISDIR: 'it is a folder. Pass the name of a file.',
  EACCES: 'this account may not read it.',
};

/** @throws UsageError if the file cannot be read, or is wrong */
export async function readConfig(file: string): Promise<BankConfig> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    throw new UsageError(`${file} cannot be read: ${reasons[code] ?? message}`);
  }
  if (text.trim() === '') throw new UsageError(`${file} is empty. bank --help shows an example of the file.`);
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`);
  }
  return checkConfig(config);
}

import { z } from 'zod';

import type { CsvForm } from '../../../../http/response/csv';
import type { CsvCell } from '../../../../shared/csv';
import { openEnum } from '../../statement.fields';

/** Balances and sums may be negative or larger than any contribution. */
export const cents = (description: string) =>
  z.string().meta({ description, pattern: '^-?[0-9]+\\.[0-9]{2}$', examples: ['25.00'] });

export const statement = z
  .strictObject({
    file_id: z.uuid(),
    statement_id: z.uuid().meta({ description: 'Identifies the statement in the file' }),
    format: z.string(),
    kind: openEnum(['final', 'report'], 'A `report` is interim or a notification. It covers no day'),
    bank_statement_id: z.string().nullable().meta({ description: "The bank's identifier" }),
    number: z.string().nullable().meta({ description: "The bank's number" }),
    made_at: z
      .string()
      .nullable()
      .meta({ description: 'When the bank made it, as stated: in UTC, or in local time without a zone' }),
  })
  .meta({ id: 'DayStatement' });

const choice = z.strictObject({
  version: z.string().meta({ description: 'Send it in the answer' }),
  is_chosen: z.boolean().meta({ description: 'Whether the lines of this version count, as far as they do' }),
  statements: z.array(statement),
  entries: z.int().nullable().meta({ description: 'The number of lines on the first day, if known' }),
  opening_balance: cents('Balance before the first day').nullable(),
  closing_balance: cents('Balance after the first day').nullable(),
  change: cents('Signed sum of the lines of the first day'),
});

export const questionKinds = [
  'two_versions',
  'unbalanced',
  'incomplete',
  'changed_after_close',
  'does_not_follow',
  'days_missing',
  'decision_without_line',
] as const;

export const question = z
  .strictObject({
    account_id: z.uuid(),
    account_ending: z.string().nullable(),
    account_name: z.string().nullable(),
    from: z.iso.date(),
    to: z.iso.date().meta({ description: 'The last day with the question. One answer is about all days' }),
    kind: openEnum(questionKinds, 'What must be answered'),
    text: z.string().meta({ description: 'The question, and what to do' }),
    choices: z.array(choice).meta({ description: 'The versions to choose from, newest first' }),
    versions: z.array(z.string()).meta({ description: 'All versions of the question, for `among`' }),
    entry_id: z
      .uuid()
      .nullable()
      .meta({ description: 'The entry of a decision, if no statement has the entry now' }),
    gap: z.string().nullable().meta({ description: 'To accept a gap, send it in the answer' }),
    closing_before: cents('For a gap: the closing balance before it').nullable(),
    opening_after: cents('For a gap: the opening balance after it').nullable(),
  })
  .meta({ id: 'DayQuestion' });

export type QuestionBody = z.output<typeof question>;

export const day = z
  .strictObject({
    account_id: z.uuid(),
    account_ending: z.string().nullable(),
    account_name: z.string().nullable(),
    day: z.iso.date(),
    state: openEnum(
      ['covered', 'open', 'missing'],
      '`covered`: statements cover it, and none of its questions is about its own lines or balances. It can have the question `days_missing`, which is about the days before it, or `changed_after_close`. `open`: it has another question, or the next day does not follow it. `missing`: no statement covers it',
    ),
    reason: z.string().nullable().meta({ description: 'Why the day is not final, and what to do' }),
    opening_balance: cents('Balance before the day').nullable(),
    closing_balance: cents('Balance after the day').nullable(),
    change: cents('Signed sum of the lines of its statements').nullable(),
    counted_amount: cents('Signed sum of the lines that count'),
    counted_entries: z.int(),
    proposed_amount: cents('Signed sum of the lines that do not count before somebody decides'),
    proposed_entries: z.int(),
    is_pending: z.boolean().meta({ description: 'Whether its lines are being compared' }),
    changed_at: z.iso.datetime().nullable().meta({
      description:
        'When a statement last replaced another one and had other lines. The event `statement_day.changed` has their numbers',
    }),
    statements: z
      .array(statement.extend({ is_used: z.boolean().meta({ description: 'Whether its lines count' }) }))
      .meta({ description: 'The statements that state the day, at most 50' }),
    questions: z.array(question).meta({
      description:
        'The questions that start on this day of the range. `days_missing` is about the days before it, so the day itself can be `covered`',
    }),
  })
  .meta({ id: 'AccountDay' });

export type DayBody = z.output<typeof day>;

/** A list without lists in its cells: the columns of its items. */
export const csvOf = <Item>(
  _item: z.ZodType<Item>,
  columns: Readonly<Record<string, (item: Item) => CsvCell>>,
): CsvForm => ({
  columns: Object.keys(columns),
  rowsOf: (body) =>
    (body as { data: readonly Item[] }).data.map((item) =>
      Object.values(columns).map((cellOf) => cellOf(item)),
    ),
});

/** Columns for members that are neither lists nor objects. */
export const plain = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(
    names.map((name) => [name, (item: Readonly<Record<Name, CsvCell>>) => item[name]]),
  ) as Record<Name, (item: Readonly<Record<Name, CsvCell>>) => CsvCell>;

/** A cell with several values. */
export const joined = (values: readonly string[]): string => [...new Set(values)].join(' ');

export const daysAsCsv = csvOf(day, {
  ...plain('account_id', 'account_ending', 'account_name', 'day', 'state', 'reason', 'opening_balance'),
  ...plain('closing_balance', 'change', 'counted_amount', 'counted_entries', 'proposed_amount'),
  ...plain('proposed_entries', 'is_pending', 'changed_at'),
  questions: ({ questions }) => joined(questions.map(({ kind }) => kind)),
  file_ids: ({ statements }) => joined(statements.map(({ file_id: id }) => id)),
  used_file_ids: ({ statements }) =>
    joined(statements.filter((one) => one.is_used).map(({ file_id: id }) => id)),
});

export const questionsAsCsv = csvOf(question, {
  ...plain('account_id', 'account_ending', 'account_name', 'from', 'to', 'kind', 'text', 'closing_before'),
  ...plain('opening_after', 'gap', 'entry_id'),
  versions: ({ versions }) => joined(versions),
  file_ids: ({ choices }) =>
    joined(choices.flatMap(({ statements }) => statements.map(({ file_id: id }) => id))),
});

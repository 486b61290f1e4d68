import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Recording } from './assignment';
import { type Mutant, mutantsOf, mutantsOfUnprepared } from './mutants';
import { parse, tablesOf } from './syntax-tree';
import type { Task } from './task';

/** The name in reports for statements that are built per call, such as the list of transactions. */
const unprepared = '(built per call)';

export function readRecordings(directory: string): Recording[] {
  return readdirSync(directory)
    .map((name) => JSON.parse(readFileSync(path.join(directory, name), 'utf8')) as Recording)
    .sort((a, b) => a.milliseconds - b.milliseconds);
}

/** Prepared statements that no test has run, and that therefore have no mutants. */
export function neverRun(recordings: readonly Recording[]): string[] {
  const ran = new Set(recordings.flatMap((recording) => recording.ran.map(({ name }) => name)));
  return [...new Set(recordings.flatMap(({ declared }) => declared))].filter((name) => !ran.has(name));
}

/**
 * The test files that ran a matching text. Those that ran it most often come first, because they
 * test it.
 */
export function filesThat(
  recordings: readonly Recording[],
  isMeant: (text: string, name?: string) => boolean,
): string[] {
  const timesIn = ({ ran }: Recording): number =>
    ran.reduce((sum, { text, name, times }) => sum + (isMeant(text, name) ? times : 0), 0);
  return recordings
    .map((recording) => ({ file: recording.file, times: timesIn(recording) }))
    .filter(({ times }) => times > 0)
    .sort((a, b) => b.times - a.times)
    .map(({ file }) => file);
}

/** The mutants of every statement that uses one of the tables, with the test files that run it. */
export function statementTasks(recordings: readonly Recording[], tables: ReadonlySet<string>): Task[] {
  const texts = new Map(recordings.flatMap(({ ran }) => ran.map(({ text, name }) => [text, name])));
  const found = new Map<string, { name: string | undefined; mutant: Mutant; texts: Set<string> }>();
  for (const [text, name] of texts) {
    if (!tablesOf(parse(text)).some((table) => tables.has(table))) continue;
    for (const mutant of name === undefined ? mutantsOfUnprepared(text) : mutantsOf(text)) {
      const id = `${name ?? unprepared} ${mutant.key}`;
      const before = found.get(id)?.texts ?? [];
      found.set(id, { name, mutant, texts: new Set([...before, text]) });
    }
  }
  return [...found.values()].map(({ name, mutant: { key, kind, text }, texts: having }) => ({
    subject: name ?? unprepared,
    key,
    kind,
    assignment: { do: 'change', name, key, text },
    files: filesThat(recordings, (ran) => having.has(ran)),
  }));
}

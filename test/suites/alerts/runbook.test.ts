import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { Client } from 'pg';
import { parse } from 'yaml';

import { sessionConfig } from '../../../src/db/session-settings';
import { runOps } from '../../support/operator-commands';
import { root } from '../../support/program';
import { type Exported, exportedByService, missingFrom } from './exported';
import { samplesOfExporters } from './exporters';
import { longTest } from '../../support/full-run';
import { errorCodes } from '../../support/errors';

/** Each alert has a runbook entry, and the commands in it work. */
const runbookFile = 'docs/operations/alerts.md';
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const runbook = read(runbookFile);
const entries = runbook
  .split(/^## /m)
  .slice(1)
  .map((entry) => ({ title: entry.split('\n')[0] ?? '', text: entry }));
const blocks = [...runbook.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language = '', text = '']) => ({
  language,
  text,
}));
const written = (language: string): string[] =>
  blocks.filter((block) => block.language === language).map(({ text }) => text.trim());

let exported: Exported;
beforeAll(async () => {
  exported = await exportedByService();
});
afterAll(() => exported.stop());

test('each rule has an entry and each entry has a rule, in the same order', () => {
  const { groups } = parse(read('ops/prometheus/alerts.yml')) as { groups: { rules: { alert: string }[] }[] };
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  expect(entries.map(({ title }) => title)).toEqual(['Before you begin', ...alerts]);
});

test('each entry has a meaning, a diagnosis with commands, and an action', () => {
  for (const { text } of entries.slice(1)) {
    expect(text).toMatch(
      /\*\*Meaning\.\*\*.*\*\*Diagnosis\.\*\*.*^```(sql|promql|sh)\n.*^```$.*\*\*Action\.\*\*/ms,
    );
  }
});

test.each([
  ['ContributionAmountMismatch', 'contributions mismatches', 'contributions resolve '],
  ['ContributionCompletionContested', 'contributions contested', 'contributions resolve-contested '],
  ['ContributionCompletionRepeated', 'contributions repeated', 'contributions resolve-repeated '],
])('the entry of %s names the commands that list and resolve the dispute', (alert, ...commands) => {
  const text = entries.find(({ title }) => title === alert)?.text;
  for (const command of commands) expect(text).toContain(`bin/contribution-service ${command}`);
});

test('code blocks are SQL, PromQL or shell commands', () => {
  expect(blocks.length).toBeGreaterThan(entries.length);
  expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['sql', 'promql', 'sh']));
});

test.each(written('sql'))('an operator can run %s in the database', async (sql) => {
  const client = new Client(sessionConfig({ connectionString: exported.service.database.operatorUrl }));
  await client.connect();
  try {
    await client.query(`BEGIN READ ONLY; ${sql}`);
  } finally {
    await client.end();
  }
});

test.each(written('promql'))('the metrics and labels of %s exist', (promql) => {
  expect(missingFrom(promql, [...exported.later, ...samplesOfExporters])).toEqual([]);
});

test('all named metrics are exported, and all error codes exist', () => {
  const names = new Set([...exported.later, ...samplesOfExporters].map(({ name }) => name));
  const metrics =
    runbook.match(/\b(contribution_(?!service|totals_(?:turn|counted))|nodejs_|process_)\w+/g) ?? [];
  expect(metrics.length).toBeGreaterThan(20);
  expect(metrics.filter((metric) => !names.has(metric))).toEqual([]);
  const codes = [...runbook.matchAll(/error_code == "(\w+)"/g)].map(([, code = '']) => code);
  expect(codes.length).toBeGreaterThan(2);
  expect(codes.filter((code) => !(errorCodes as readonly string[]).includes(code))).toEqual([]);
});

test('the service writes all log fields that the runbook mentions', () => {
  const asked = new Set(
    [...runbook.matchAll(/^log '([^']+)'/gm)].flatMap(([, filter = '']) =>
      [...filter.matchAll(/\.(\w+)/g)].map(([, member = '']) => member),
    ),
  );
  const lines = exported.service.logLines.map((line) => JSON.parse(line) as object);
  // Written by the HTTPS rule only, which applies in production; test/process tests it.
  const known = new Set(['exposed_api_key', ...lines.flatMap((line) => Object.keys(line))]);
  expect(asked.size).toBeGreaterThan(3);
  expect([...asked].filter((member) => !known.has(member))).toEqual([]);
});

longTest(
  'the named operator commands and their options exist',
  async () => {
    const commands = [...runbook.matchAll(/^bin\/contribution-service ([a-z]+(?: [a-z-]+)?)(.*)$/gm)];
    expect(commands.length).toBeGreaterThan(5);
    const helps = new Map<string, string>();
    for (const [, command = '', rest = ''] of commands) {
      const help = helps.get(command) ?? (await runOps([...command.split(' '), '--help'])).output;
      helps.set(command, help);
      expect(help).toContain(`Usage: contribution-service ${command} `);
      for (const option of rest.match(/--[\w-]+/g) ?? []) expect(help).toContain(option);
    }
  },
  240_000,
);

test('the linked files exist', () => {
  const links = [...runbook.matchAll(/\]\(([^)#]+)\)/g)].map(([, to = '']) => to);
  expect(links.length).toBeGreaterThan(2);
  const folder = path.dirname(path.join(root, runbookFile));
  expect(links.filter((to) => !existsSync(path.join(folder, to)))).toEqual([]);
});

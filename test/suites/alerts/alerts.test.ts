import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';

import { root } from '../../support/program';
import { type Exported, exportedByService, availableLabels, missingFrom, valuesNamed } from './exported';
import { samplesOfExporters } from './exporters';
import { parseQuery } from './promql';

/** The alert rules and the dashboard use only metrics that the service exports. */
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

const { groups } = parse(read('ops/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('ops/grafana/contribution-service.json')) as {
  panels: { id: number; title: string; targets?: { expr: string; legendFormat: string }[] }[];
};
const queries = [
  ...rules.map(({ alert, expr, annotations }) => ({ where: alert, expr, shown: annotations.summary })),
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ where: `panel ${title}`, expr, shown: legendFormat })),
  ),
];

let exported: Exported;
beforeAll(async () => {
  exported = await exportedByService();
});
afterAll(() => exported.stop());

test('rules and panels exist and have unique names', () => {
  expect(rules.length).toBeGreaterThan(15);
  expect(queries.length - rules.length).toBeGreaterThan(20);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
});

test.each(queries)('$where uses only exported metrics and labels', ({ expr, shown }) => {
  const samples = [...exported.later, ...samplesOfExporters];
  expect(missingFrom(expr, samples)).toEqual([]);
  const inText = [...shown.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label = '']) => label);
  const known = availableLabels(expr, samples);
  expect(inText.filter((label) => !known.has(label))).toEqual([]);
});

// Prometheus sees no increase in a counter that did not exist before. Without its 0, the first
// event would be missed.
test('a series that a rule counts by name is exported as 0 before its first event', () => {
  const counted = rules
    .flatMap(({ expr }) => parseQuery(expr).selections)
    .filter(({ metric }) => metric.endsWith('_total'))
    .flatMap(({ metric, matchers }) =>
      matchers.flatMap((matcher) =>
        valuesNamed(matcher).map((value) => ({ metric, label: matcher.label, value })),
      ),
    );
  expect(counted.length).toBeGreaterThan(10);
  const absent = counted.filter(
    ({ metric, label, value }) =>
      !exported.fresh.some((sample) => sample.name === metric && sample.labels[label] === value),
  );
  expect(absent).toEqual([]);
});

test('each rule has a summary, a severity and a runbook link', () => {
  for (const { alert, labels, annotations } of rules) {
    expect(['page', 'ticket']).toContain(labels.severity);
    expect(annotations.summary.length).toBeGreaterThan(20);
    expect(annotations.runbook).toBe(`docs/operations/alerts.md#${alert.toLowerCase()}`);
  }
});

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';

import { root, temporaryFolder } from '../../support/program';
import { healthyServers, serverScenarios } from './exporters';
import { healthy, quietNight, type Scenario, scenarios, shortOutage } from './scenarios';

/**
 * Checks the rules with Prometheus: they are valid, each fires when it should, and none fires on a
 * healthy service.
 */
const rulesFile = path.join(root, 'ops', 'prometheus', 'alerts.yml');
const promtool = (...programArguments: string[]): string =>
  execFileSync(process.env['PROMTOOL'] ?? 'promtool', programArguments, { encoding: 'utf8', stdio: 'pipe' });

/** What is always scraped. Without the process, ContributionServiceAbsent fires as well. */
const alive = {
  ...healthyServers,
  'up{job="contribution-service", instance="one"}': '1x1100',
};

/** Fails with promtool's report if other alerts than these fire at that time. */
function expectFiring(
  series: Readonly<Record<string, string | undefined>>,
  atMinutes: number,
  alerts: readonly string[],
): void {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'test.json');
  const inputs = Object.entries(series).flatMap(([name, values]) =>
    values === undefined ? [] : [{ series: name, values }],
  );
  const expectation = {
    expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: `${atMinutes}m`,
    exp_samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
  };
  // JSON is valid YAML.
  writeFileSync(
    file,
    JSON.stringify({
      rule_files: [rulesFile],
      evaluation_interval: '1m',
      tests: [{ interval: '1m', input_series: inputs, promql_expr_test: [expectation] }],
    }),
  );
  try {
    expect(promtool('test', 'rules', file)).toContain('SUCCESS');
  } finally {
    folder.remove();
  }
}

const allScenarios: readonly Scenario[] = [...scenarios, ...serverScenarios];

test('the rules and the example of a configuration are valid', () => {
  expect(promtool('check', 'rules', rulesFile)).toContain('SUCCESS');
  const example = path.join(path.dirname(rulesFile), 'prometheus.example.yml');
  expect(promtool('check', 'config', example)).toContain('SUCCESS');
});

test('each rule except ContributionServiceAbsent has scenarios', () => {
  const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: { rules: { alert: string }[] }[] };
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const shown = new Set([...allScenarios.map(({ alert }) => alert), 'ContributionServiceAbsent']);
  expect([...shown].sort()).toEqual(alerts.sort());
});

test.each(allScenarios)(
  '$alert fires when it should, and no other does',
  ({ alert, atMinutes = 35, series }) => {
    expectFiring({ ...alive, ...series }, atMinutes, [alert]);
  },
);

test('ContributionServiceAbsent fires when nothing is scraped, and no other does', () => {
  expectFiring({ ...healthyServers, 'up{job="another"}': '1x40' }, 35, ['ContributionServiceAbsent']);
});

test.each([35, 100, 500])('after %i minutes no alert fires on a healthy service', (atMinutes) => {
  expectFiring({ ...alive, ...healthy }, atMinutes, []);
});

test.each([15, 35, 45, 65])('after %i minutes no alert fires in a quiet night', (atMinutes) => {
  expectFiring({ ...alive, ...quietNight }, atMinutes, []);
});

test.each([30, 31, 32, 33, 35, 40])(
  'minute %i: no alert fires because the database was away for a second at minute 30',
  (atMinutes) => {
    expectFiring({ ...alive, ...shortOutage }, atMinutes, []);
  },
);

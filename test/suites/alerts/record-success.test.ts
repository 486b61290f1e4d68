import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { root, temporaryFolder } from '../../support/program';

/** The script that tells Prometheus when a backup or `verify` last succeeded. */
const script = path.join(root, 'ops', 'prometheus', 'record-success.sh');

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  folder.remove();
});

const record = (task: string, ...command: string[]) =>
  spawnSync('sh', [script, folder.path, task, ...command], { encoding: 'utf8' });
const recorded = (task: string): string =>
  readFileSync(path.join(folder.path, `contribution_${task}.prom`), 'utf8');

test('a command that succeeds leaves the time of its end, readable for node_exporter', () => {
  const { status, stdout } = record('verify', 'printf', '%s|', 'a b', 'c');
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'a b|c|' });
  const [, seconds = ''] =
    /^contribution_task_last_success_timestamp_seconds\{task="verify"\} (\d+)$/m.exec(recorded('verify')) ??
    [];
  expect(Number(seconds)).toBeCloseTo(Date.now() / 1000, -2);
  expect(recorded('verify')).toContain('# TYPE contribution_task_last_success_timestamp_seconds gauge\n');
  expect(readdirSync(folder.path)).toEqual(['contribution_verify.prom']);
});

test('a command that fails keeps the last time, and its exit code', () => {
  expect(record('backup', 'true').status).toBe(0);
  const before = recorded('backup');
  expect(record('backup', 'sh', '-c', 'exit 3').status).toBe(3);
  expect(recorded('backup')).toBe(before);
  expect(readdirSync(folder.path)).toEqual(['contribution_backup.prom']);
});

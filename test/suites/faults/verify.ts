import { verificationOf } from '../../support/verification';
import type { LoadWorld } from './load-world';

/** The findings of the operator's `verify` in the database of a world. */
export function verify(world: LoadWorld): Promise<string[]> {
  return verifyDatabase(world.superuserUrl());
}

/** The findings of the operator's `verify` in a database: rule, ids, and description. */
export async function verifyDatabase(url: string): Promise<string[]> {
  const report = await verificationOf(url);
  const found = report.checks.flatMap(({ check, severity, violations }) =>
    (severity === 'note' ? [] : violations).map((violation) => `${check}: ${JSON.stringify(violation)}`),
  );
  return [...found, ...report.failures.map((failure) => `not looked at: ${JSON.stringify(failure)}`)];
}

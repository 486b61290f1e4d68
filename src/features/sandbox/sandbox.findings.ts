import { createRetiredEnvironmentsStore, type WaitingForPurge } from './retired-environments.store';
import { type Finding, finding, type Findings } from '../../operator/cli/doctor/finding';

/** Reports the test environments that resets retired and that an operator can purge. */
export function judgeRetired({ count, oldestRetiredAt }: WaitingForPurge): Finding {
  const check = 'retired test environments';
  if (oldestRetiredAt === null) return finding(check, 'ok', 'none was retired more than 7 days ago');
  const since = oldestRetiredAt.toISOString().slice(0, 10);
  return finding(
    check,
    'warning',
    `${count === 1 ? '1 was' : `${count} were`} retired more than 7 days ago, the oldest on ${since}: run sandbox purge to delete their data`,
  );
}

/** Whether an operator has forgotten data of resets. */
export const sandboxFindings: Findings = {
  checks: ['retired test environments'],
  examine: async ({ read }) => [
    judgeRetired(await read((queries) => createRetiredEnvironmentsStore(queries).waiting())),
  ],
};

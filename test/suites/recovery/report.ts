import type { Judgement } from './judge';
import type { Step } from './history';

export function describeCounts({ creates, completions }: { creates: number; completions: number }): string {
  return `${creates} contributions, ${completions} completions`;
}

/**
 * The acknowledged requests that were not restored, and the time from the first of them to the
 * loss.
 */
export function describeMissing({ creates, completions }: Judgement['missing'], lostAtMs: number): string {
  const steps: (Step | undefined)[] = [
    ...creates.map(({ create }) => create),
    ...completions.map(({ completion }) => completion),
  ];
  const counts = describeCounts({ creates: creates.length, completions: completions.length });
  if (steps.length === 0) return 'acknowledged and missing: none';
  const first = Math.min(...steps.map((step) => step?.acknowledgedAtMs ?? Infinity));
  return `acknowledged and missing: ${counts}, of the last ${((lostAtMs - first) / 1000).toFixed(1)} s before the loss`;
}

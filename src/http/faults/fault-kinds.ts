/** The failures that a client can ask for in the test environment. */
export const faultKinds = [
  'answer_lost_after_commit',
  'lost_before',
  'cut_mid_body',
  'delay',
  '503_before',
  '503_after_commit',
  '429',
  '408',
  'proxy_502_html',
  'outcome_unknown',
] as const;

export type FaultKind = (typeof faultKinds)[number];

/** A failure of one request. */
export interface Fault {
  readonly kind: FaultKind;
  /** How long the response of the kind `delay` waits. */
  readonly delayMs: number;
}

export const faultHeader = 'Sandbox-Fault';

export const defaultDelayMs = 2_000;
export const longestDelayMs = 30_000;

/** Faults never hit the operations that arm and remove them, nor the rest of the sandbox. */
export const takesFaults = ({ scope }: { readonly scope: string | null }): boolean => scope !== 'sandbox';

/**
 * Why an operation cannot have this kind of fault; undefined if it can.
 *
 * @param contract of the operation
 */
export function faultMisfit(
  { errors = [] }: { readonly errors?: readonly string[] },
  kind: FaultKind,
): string | undefined {
  return kind !== 'outcome_unknown' || errors.includes(kind)
    ? undefined
    : 'Use outcome_unknown with a create only.';
}

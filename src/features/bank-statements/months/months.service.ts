import type { Clock } from '../../../shared/clock';
import { groupBy } from '../../../shared/group-by';
import type { Principal } from '../../../shared/scopes';
import { previousDay } from '../rules/days/banking-days';
import type { LostDecision, LostDecisionsStore } from '../reporting/days/lost-decisions.store';
import { type CloseReason, closeReasonsOf } from './can-close';
import type {
  AccountNumbers,
  MonthChange,
  MonthDay,
  MonthsStore,
  OpenLines,
  ReopenOutcome,
} from './months.store';

type Decider = Pick<Principal, 'environmentId' | 'apiKey'>;

/** Whether a month can be closed, and the days that show it. */
export interface CanClose {
  /** Empty if it can be closed. */
  reasons: CloseReason[];
  /** The number of lines of the month that nobody has explained. They do not keep it open. */
  linesToExplain: number;
  seen: MonthDay[];
}

export type CloseOutcome =
  | { outcome: 'closed' | 'already_closed' | 'changed_meanwhile' }
  | { outcome: 'not_ready'; reasons: CloseReason[] };

/** All months are YYYY-MM. */
export interface MonthsService {
  /** @param without accounts that have no further statements in this month, as a person says */
  canClose(environmentId: number, month: string, without?: readonly string[]): Promise<CanClose>;
  /**
   * Closes a month if nothing of it is open. `changed_meanwhile`: something has changed since it
   * was checked. Send it again.
   */
  close(
    decider: Decider,
    month: string,
    given: { reason: string; without?: readonly string[] },
  ): Promise<CloseOutcome>;
  /** Reopens a month. What came after its closing counts from now on. */
  reopen(decider: Decider, month: string, given: { reason: string }): Promise<ReopenOutcome>;
  /** The numbers of now, beside those of each closing and reopening, newest first. */
  show(
    environmentId: number,
    month: string,
  ): Promise<{ numbers: Record<string, AccountNumbers>; changes: MonthChange[]; isClosed: boolean }>;
}

const firstOf = (month: string): string => `${month}-01`;

function lastOf(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return previousDay(new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 10));
}

const openLines = (kind: CloseReason['kind'], found: readonly OpenLines[]): CloseReason[] =>
  found.map(({ account_id: accountId, from, to, lines }) => ({ accountId, kind, from, to, lines }));

const lostReasons = (found: readonly LostDecision[]): CloseReason[] =>
  [...groupBy(found, ({ accountId }) => accountId)].map(([accountId, lost]) => ({
    ...{ accountId, kind: 'decision_without_line', lines: lost.length },
    ...{ from: lost[0]?.day ?? '', to: lost.at(-1)?.day ?? '' },
  }));

export function createMonthsService(
  { store, lost }: { store: MonthsStore; lost: LostDecisionsStore },
  clock: Clock,
): MonthsService {
  async function canClose(
    environmentId: number,
    month: string,
    without: readonly string[] = [],
  ): Promise<CanClose> {
    const [first, last] = [firstOf(month), lastOf(month)];
    // Read the days first: closing is refused if one of them has changed since.
    const seen = await store.days(environmentId, first);
    const to = seen.reduce((latest, { day }) => (day > latest ? day : latest), last);
    const from = seen.reduce((earliest, { day }) => (day < earliest ? day : earliest), first);
    const [uploads, several, accepted, toDecide, linesToExplain, reported, withoutLine] = await Promise.all([
      store.uploadsInProgress(environmentId),
      store.severalNumbers(environmentId),
      store.accepted(environmentId, [...new Set(seen.map(({ accountId }) => accountId))], { from, to }),
      store.linesToDecide(environmentId, first),
      store.linesToExplain(environmentId, first),
      store.reportedLines(environmentId, first),
      lost.list(environmentId, null, first, last),
    ]);
    const today = clock.now().toISOString().slice(0, 10);
    const ofMonth: CloseReason['kind'][] = [
      ...(today > last ? [] : ['month_not_over' as const]),
      ...(uploads === 0 ? [] : ['upload_in_progress' as const]),
    ];
    const ofAccounts = [...groupBy(seen, ({ accountId }) => accountId)].flatMap(([accountId, days]) => {
      const account = { accountId, days, accepted: accepted.get(accountId) ?? new Set<string>() };
      const [hasSeveralNumbers, isWithout] = [several.has(accountId), without.includes(accountId)];
      return closeReasonsOf({ ...account, hasSeveralNumbers, isWithout }, first, last);
    });
    const isEmpty = !seen.some(({ day, summary }) => summary !== null && first <= day && day <= last);
    // A person who names accounts has looked at them.
    if (isEmpty && today > last && without.length === 0 && ofAccounts.length === 0)
      ofMonth.push('no_statements');
    return {
      reasons: [
        ...ofMonth.map((kind) => ({ accountId: null, kind, from: first, to: last })),
        ...ofAccounts,
        ...openLines('lines_to_decide', toDecide),
        ...openLines('reported_lines', reported),
        ...lostReasons(withoutLine),
      ],
      ...{ linesToExplain, seen },
    };
  }

  return {
    canClose,
    async close({ environmentId, apiKey }, month, { reason, without }) {
      const { reasons, seen } = await canClose(environmentId, month, without);
      if (reasons.length > 0) {
        // A repeated request succeeds, although a later statement may be a question.
        const [newest] = await store.changes(environmentId, firstOf(month));
        return newest?.kind === 'closed' ? { outcome: 'already_closed' } : { outcome: 'not_ready', reasons };
      }
      return {
        outcome: await store.close(environmentId, firstOf(month), { reason, closedBy: apiKey, seen }),
      };
    },
    reopen: ({ environmentId, apiKey }, month, { reason }) =>
      store.reopen(environmentId, firstOf(month), { reason, reopenedBy: apiKey }),
    async show(environmentId, month) {
      const [numbers, changes] = await Promise.all([
        store.numbers(environmentId, firstOf(month)),
        store.changes(environmentId, firstOf(month)),
      ]);
      return { numbers, changes, isClosed: changes[0]?.kind === 'closed' };
    },
  };
}

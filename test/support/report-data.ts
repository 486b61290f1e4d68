import type { ReportData } from '../../src/features/bank-statements/report/reconciliation-report.service';
import type { Contribution } from '../../src/core/contributions/contribution';

/** Names that would break a page that does not escape them, or mislead its reader. */
export const hostileNames = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></style></svg><h1>PRODUCTION</h1>',
  '&lt;b&gt; &amp;',
  '\u202Egpj.exe\u202C and \u0007bell',
  'W'.repeat(200),
  '${7*7} {{7*7}}',
] as const;

const contribution = (place: number, companyName: string): Contribution => ({
  transactionId: `K7Q20CR5M3V9X${String(place).padStart(2, '0')}`,
  companyId: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  companyName,
  status: 'completed',
  projectId: 1,
  amountCents: 2550n,
  currency: 'USD',
  createdAt: new Date('2026-11-20T08:00:00Z'),
  completedAt: new Date('2026-11-20T09:00:00Z'),
  completedByCaller: true,
  bankReference: null,
  valueDate: null,
  returnedCents: 0n,
  correctedAt: null,
});

const account = {
  ...{ accountId: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', ending: null, name: 'collecting', graceDays: 3 },
  ...{ direction: 'credit' as const, completeCoverage: true, createdAt: new Date('2026-11-01T08:00:00Z') },
  ...{ hasSeveralNumbers: false, rememberedAnswer: null, firstDay: '2026-11-01', lastDay: '2026-11-30' },
};

/** A report with a row of every kind. */
export function reportData(company: string, more: Partial<ReportData> = {}): ReportData {
  const days = Array.from({ length: 30 }, (_, at) => `2026-11-${String(at + 1).padStart(2, '0')}`);
  return {
    company,
    kind: 'production',
    from: '2026-11-01',
    to: '2026-12-01',
    readAt: new Date('2026-12-02T08:00:00.123Z'),
    completeUntil: new Date('2026-12-02T07:59:58Z'),
    days: [
      { account, from: '2026-11-19', to: '2026-11-20', count: 2, state: 'missing', reason: 'Upload them.' },
    ],
    reconciliations: [
      {
        account,
        ...{ openingCents: 100_000n, closingCents: null, isExact: null },
        terms: (['matched', 'returned', 'charges', 'ignored', 'unexplained'] as const).map((term) => ({
          ...{ term, cents: 0n, lines: 0 },
        })),
        notes: [{ kind: 'no_balances', from: '2026-11-01', to: '2026-11-30', lines: null }],
      },
    ],
    by: 'day',
    periods: days.map((period, at) => ({
      period,
      contributions: at * 3,
      expectedCents: BigInt(at) * 123_456n,
      completedCents: BigInt(at) * 100_000n,
      netCents: BigInt(at) * 90_000n - 100n,
      open: at % 4,
    })),
    differences: [
      {
        position: 'matched',
        contributions: 12_345,
        expectedCents: 31_479_750n,
        open: 0,
        differenceCents: 0n,
        toCheck: 1,
      },
      {
        position: 'short',
        contributions: 3,
        expectedCents: 7_650n,
        open: 2,
        differenceCents: -1_234_567n,
        toCheck: 2,
      },
      {
        position: 'over',
        contributions: 1,
        expectedCents: 2_550n,
        open: 1,
        differenceCents: 500n,
        toCheck: 0,
      },
    ],
    open: 1_500,
    oldestOpen: hostileNames.map((companyName, place) => ({
      contribution: contribution(place, companyName),
      position: 'short',
      isOpen: true,
      isDecided: false,
      grossCents: 2000n,
      correctedAt: null,
      returnedCents: 0n,
      dueDay: '2026-11-25',
      entriesToCheck: 0,
      ageDays: 12,
    })),
    unexplained: [
      {
        outcome: 'unknown',
        reason: 'no_reference',
        direction: 'credit',
        entries: 4,
        cents: '123456789',
      },
      { outcome: 'unreadable', reason: null, direction: 'debit', entries: 1, cents: null },
    ],
    work: { files: 0, days: 0 },
    ...more,
  };
}

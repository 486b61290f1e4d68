import type { Routes } from '../../../http/routes';
import { notApplicable } from '../sent-texts';
import { closeTexts } from './close-texts';
import { type MonthBody, monthsContract } from './months.contract';
import { presentCanClose, presentNumbers } from './months.presenter';
import type { MonthsService } from './months.service';

/** Adds the closing of months to the API. */
export function monthsRoutes(routes: Routes, months: MonthsService): void {
  async function show(environmentId: number, month: string): Promise<MonthBody> {
    const { numbers, changes, isClosed } = await months.show(environmentId, month);
    return {
      ...{ month, is_closed: isClosed, numbers: presentNumbers(numbers) },
      changes: changes.map((change) => ({
        ...{ number: change.number, kind: change.kind, reason: change.reason },
        ...{ changed_at: change.changed_at.toISOString(), numbers: presentNumbers(change.numbers) },
      })),
    };
  }

  routes.bind(monthsContract.canClose).to(async ({ principal, query }) => {
    const found = await months.canClose(principal.environmentId, query.month);
    return { status: 200, body: presentCanClose(query.month, found) };
  });

  routes.bind(monthsContract.get).to(async ({ principal, params }) => ({
    status: 200,
    body: await show(principal.environmentId, params.month),
  }));

  routes.bind(monthsContract.close).to(async ({ principal, params, body }) => {
    const { reason, accounts_without_statements: without = [] } = body;
    const closed = await months.close(principal, params.month, { reason, without });
    if (closed.outcome === 'not_ready') {
      const [first] = closed.reasons;
      const text = first ? ` The first reason: ${closeTexts[first.kind]}` : '';
      throw notApplicable(
        `${closed.reasons.length} reasons keep the month open. GET /company/integration/reconciliation/can-close lists them.${text}`,
      );
    }
    if (closed.outcome === 'changed_meanwhile') {
      throw notApplicable('A day of the month has changed meanwhile. Send it again.');
    }
    return { status: 200, body: await show(principal.environmentId, params.month) };
  });

  routes.bind(monthsContract.reopen).to(async ({ principal, params, body }) => {
    const outcome = await months.reopen(principal, params.month, { reason: body.reason });
    if (outcome === 'not_closed') throw notApplicable('The month is not closed.');
    return { status: 200, body: await show(principal.environmentId, params.month) };
  });
}

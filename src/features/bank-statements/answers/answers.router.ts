import type { Routes } from '../../../http/routes';
import { accountNotFound } from '../not-found';
import type { DaysService } from '../reporting/days/days.service';
import { answerTexts, refused, wrongMember } from '../sent-texts';
import { type AnswerGiven, answersContract } from './answers.contract';
import type { AnswersService } from './answers.service';
import type { DayAnswer } from './day-answer';

/** @throws ServiceError invalid_request, if a member that the kind needs is absent */
function answerOf({ kind, version, among, gap, remember, reason }: AnswerGiven): DayAnswer {
  const base = { reason, remember };
  switch (kind) {
    case 'undo':
      return { ...base, kind };
    case 'accept':
      if (gap === undefined) throw wrongMember('/gap', 'Send the gap of the question.');
      return { ...base, kind, gap };
    default:
      if (among === undefined) throw wrongMember('/among', 'Send the versions of the question.');
      if (kind === 'all_lines') return { ...base, kind, among };
      if (version === undefined) throw wrongMember('/version', 'Send the version that you choose.');
      return { ...base, kind, version, among };
  }
}

/** Adds the answers to questions about days to the API. */
export function answersRoutes(
  routes: Routes,
  answers: AnswersService,
  accounts: Pick<DaysService, 'account'>,
): void {
  routes.bind(answersContract.give).to(async ({ principal, params, body }) => {
    const { account_id: accountId, day } = params;
    const answer = answerOf(body);
    if (!(await accounts.account(principal.environmentId, accountId))) throw accountNotFound();
    const outcome = await answers.answer(principal, { accountId, day }, answer);
    if (outcome !== 'answered' && outcome !== 'same') throw refused(outcome, answerTexts[outcome]);
    return { status: 200, body: { is_new: outcome === 'answered' } };
  });

  routes.bind(answersContract.list).to(async ({ principal, params }) => {
    const { environmentId } = principal;
    const { account_id: accountId, day } = params;
    if (!(await accounts.account(environmentId, accountId))) throw accountNotFound();
    const data = (await answers.list({ environmentId, accountId, day })).map((one) => ({
      ...{ number: one.number, kind: one.kind, version: one.version, gap: one.gap, among: one.among },
      ...{ reason: one.reason, decided_at: one.decided_at.toISOString() },
    }));
    return { status: 200, body: { data, has_more: false } };
  });
}

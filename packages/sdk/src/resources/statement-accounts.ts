import { type Call, type NoParams, start } from '../call.js';
import {
  addAccountNumber,
  answerDayQuestion,
  getReconciliationStatement,
  listAccountRules,
  listDayAnswers,
  listEntriesOfTerm,
  listStatementAccountDays,
  listStatementAccounts,
  removeAccountNumber,
  setAccountRule,
  setStatementAccount,
  type AddAccountNumberBody,
  type AddAccountNumberResponse,
  type AnswerDayQuestionBody,
  type AnswerDayQuestionResponse,
  type GetReconciliationStatementQuery,
  type ListAccountRulesResponse,
  type ListDayAnswersResponse,
  type ListEntriesOfTermQuery,
  type ListEntriesOfTermResponse,
  type ListStatementAccountDaysQuery,
  type ListStatementAccountDaysResponse,
  type ListStatementAccountsQuery,
  type ListStatementAccountsResponse,
  type ReconciliationStatement,
  type SetAccountRuleBody,
  type SetAccountRuleResponse,
  type SetStatementAccountBody,
  type StatementAccount,
} from '../generated/api.js';
import { type List, listOf, shortListOf } from '../list.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

/** The accounts of your statements, and their days. */
export class StatementAccounts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The accounts in your uploaded statements, oldest first. */
  list(params?: ListStatementAccountsQuery, options?: CallOptions): List<ListStatementAccountsResponse> {
    return listOf(this.#transport, listStatementAccounts, { query: params }, options);
  }

  /**
   * Sets whether the statements of an account show all money of your contributions. An absent
   * optional member keeps its value.
   *
   * @example
   * await client.statements.accounts.update(account_id, { complete_coverage: true });
   */
  update(accountId: string, params: SetStatementAccountBody, options?: CallOptions): Call<StatementAccount> {
    return start(
      this.#transport,
      setStatementAccount,
      { ids: [accountId], body: params, has: 'account_id' },
      options,
    );
  }

  /**
   * Each day from `from` to before `to`, with its balances, statements and questions.
   *
   * @example
   * const november = { from: '2026-11-01', to: '2026-12-01' };
   * const days = client.statements.accounts.listDays(account_id, november);
   * for await (const { day, state, reason } of days)
   *   if (state !== 'covered') console.log(day, reason);
   */
  listDays(
    accountId: string,
    params: ListStatementAccountDaysQuery,
    options?: CallOptions,
  ): List<ListStatementAccountDaysResponse> {
    return listOf(this.#transport, listStatementAccountDays, { ids: [accountId], query: params }, options);
  }

  /** The entries of the reconciliation, or of one of its terms. Their sum is that of the terms. */
  listEntries(
    accountId: string,
    params: ListEntriesOfTermQuery,
    options?: CallOptions,
  ): List<ListEntriesOfTermResponse> {
    return listOf(this.#transport, listEntriesOfTerm, { ids: [accountId], query: params }, options);
  }

  /**
   * The reconciliation of the days from `from` to before `to`: opening balance, matched, returned,
   * charges, ignored, unexplained, closing balance.
   *
   * @example
   * const november = { from: '2026-11-01', to: '2026-12-01' };
   * const { accounts } = client.statements;
   * const { terms } = await accounts.retrieveReconciliation(account_id, november);
   * for (const { term, amount } of terms) console.log(term, amount);
   */
  retrieveReconciliation(
    accountId: string,
    params: GetReconciliationStatementQuery,
    options?: CallOptions,
  ): Call<ReconciliationStatement> {
    return start(
      this.#transport,
      getReconciliationStatement,
      { ids: [accountId], query: params, has: 'account_id' },
      options,
    );
  }

  /**
   * Answers a question about days. `day` is its first day. `undo` takes the answers back.
   *
   * @example
   * const questions = client.reconciliation.listQuestions();
   * for await (const { account_id, from, kind, versions: among } of questions)
   *   if (kind === 'two_versions') {
   *     const answer = { kind: 'all_lines', among, reason: 'Two filtered exports' } as const;
   *     await client.statements.accounts.answer(account_id, from, answer);
   *   }
   */
  answer(
    accountId: string,
    day: string,
    params: AnswerDayQuestionBody,
    options?: CallOptions,
  ): Call<AnswerDayQuestionResponse> {
    return start(
      this.#transport,
      answerDayQuestion,
      { ids: [accountId, day], body: params, has: 'is_new' },
      options,
    );
  }

  /** The answers about a day, newest first, in one page. */
  listAnswers(
    accountId: string,
    day: string,
    params?: NoParams,
    options?: CallOptions,
  ): List<ListDayAnswersResponse> {
    return shortListOf(this.#transport, listDayAnswers, { ids: [accountId, day], query: params }, options);
  }

  /** The rules of an account, in one page. */
  listRules(accountId: string, params?: NoParams, options?: CallOptions): List<ListAccountRulesResponse> {
    return shortListOf(this.#transport, listAccountRules, { ids: [accountId], query: params }, options);
  }

  /**
   * Says what the entries with a code of the bank are. `none` ends the rule.
   *
   * @example
   * const debits = { code: 'CHRG', direction: 'debit' } as const;
   * const rule = { ...debits, outcome: 'charge', reason: 'Monthly fee' } as const;
   * await client.statements.accounts.setRule(account_id, rule);
   */
  setRule(
    accountId: string,
    params: SetAccountRuleBody,
    options?: CallOptions,
  ): Call<SetAccountRuleResponse> {
    return start(this.#transport, setAccountRule, { ids: [accountId], body: params, has: 'data' }, options);
  }

  /**
   * Says that another number is this account too.
   *
   * @example
   * const reason = 'The older files have the number of the branch too';
   * await client.statements.accounts.addNumber(account_id, { other_account_id, reason });
   */
  addNumber(
    accountId: string,
    params: AddAccountNumberBody,
    options?: CallOptions,
  ): Call<AddAccountNumberResponse> {
    return start(
      this.#transport,
      addAccountNumber,
      { ids: [accountId], body: params, has: 'is_new' },
      options,
    );
  }

  /** Takes back that the number of another account is this account too. */
  removeNumber(
    accountId: string,
    otherAccountId: string,
    params?: NoParams,
    options?: CallOptions,
  ): Call<undefined> {
    return start(
      this.#transport,
      removeAccountNumber,
      { ids: [accountId, otherAccountId], query: params },
      options,
    );
  }
}

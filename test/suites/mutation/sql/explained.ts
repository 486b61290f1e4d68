/**
 * Equivalent mutants, which no test can detect, with the reason. They are tested all the same: the
 * run fails if a test detects one of them, and if an entry has no mutant.
 */
interface Explanation {
  subject: string;
  key: string;
  reason: string;
}

const hiddenTwice =
  'toTransaction shows it only to the owner, whatever the statement returns: a second check';
const onlyALock =
  'the row is additionally locked for the duration of the statement; the result was determined before';

const numberIsNew =
  'the only other constraint that an insert into users can violate is that of its number, which is newly generated for the next attempt';
const idIsUnique = 'a transaction_id belongs to one environment, because it begins with its tag';
/** @param reasons from the key of a mutant */
const ofCompletion = (reasons: Readonly<Record<string, string>>): Explanation[] =>
  Object.entries(reasons).map(([key, reason]) => ({
    subject: 'function complete_contribution_of',
    key,
    reason,
  }));

const explanations: readonly Explanation[] = [
  {
    subject: 'create_company',
    key: 'company: companies_name_key has no target',
    reason:
      'the only other constraint that an insert into companies can violate is that of its id, which is newly generated',
  },
  ...['list_projects', 'find_project'].map((subject) => ({
    subject,
    key: 'supporters_count: COALESCE(f.supporters_count, 0) is always its argument 1',
    reason: 'JavaScript converts null to 0 as well',
  })),
  {
    subject: 'add_up_project_figures',
    key: 'taken: c.environment_id = waiting.environment_id is always true',
    reason: 'change_id comes from one sequence for all environments',
  },
  ...['environment_id joins everything', 'k.revoked_at IS NULL is always true'].map((key) => ({
    subject: 'set_rate_limits',
    key: `notified: ${key}`,
    reason: 'an unnecessary notification makes the service read the pair again, with the same result',
  })),
  {
    subject: 'link_bank',
    key: 'linked: ON CONFLICT (…) has no target',
    reason:
      'the only other constraint that a link can violate is its key, which contains the time of the link',
  },
  {
    subject: 'record_story_view',
    key: 'new_user: users_user_hash_key has no target',
    reason: numberIsNew,
  },
  { subject: 'function create_contribution', key: 'users_user_hash_key has no target', reason: numberIsNew },
  {
    subject: 'function create_contribution',
    key: 'IF _idempotency_key IS NOT NULL is true always',
    reason: 'no key equals null; the condition only saves a read',
  },
  {
    subject: 'function complete_contribution',
    key: 'IF caller_is_live AND _environment_id IS NOT NULL: _environment_id IS NOT NULL is always true',
    reason: 'no transaction has a null environment; the condition only saves a call',
  },
  ...ofCompletion({
    't.environment_id = _environment_id is always true':
      'no transaction_id is null; the statement only locks the table',
    't.environment_id = _environment_id is always true (3)': onlyALock,
    't.transaction_id = _transaction_id is always true': onlyALock,
    't.environment_id = _environment_id is always true (4)': idIsUnique,
    'amount_differs := COALESCE(_amount_cents <> _recorded_cents, false): COALESCE(_amount_cents <> _recorded_cents, false) is always its argument 1':
      'IF and JavaScript treat null as false',
    'supports_pkey has no target': 'supports have no other unique key',
    'IF NOT (_is_new) is true always': 'a new support already has these times',
  }),
  ...['user_hash', 'first_name', 'idempotency_key'].map((column) => ({
    subject: 'find_transaction',
    key: `${column}: t.environment_id = $1 is always true`,
    reason: hiddenTwice,
  })),
  ...['first_name', 'idempotency_key'].map((column) => ({
    subject: '(built per call)',
    key: `${column}: t.environment_id = $1 is always true`,
    reason: hiddenTwice,
  })),
];

/** Why no test can detect a mutant; undefined if one should. */
export function explanationOf(subject: string, key: string): string | undefined {
  return explanations.find((one) => one.subject === subject && one.key === key)?.reason;
}

/** The entries without a mutant, because their statement has changed. */
export function unusedExplanations(mutants: readonly { subject: string; key: string }[]): string[] {
  return explanations
    .filter((one) => !mutants.some(({ subject, key }) => subject === one.subject && key === one.key))
    .map(({ subject, key }) => `${subject}: ${key}`);
}

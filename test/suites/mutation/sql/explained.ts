/**
 * Equivalent mutants, which no test can detect, with the reason. They are tested all the same: the
 * run fails if a test detects one of them, and if an entry has no mutant.
 */
interface Explanation {
  subject: string;
  key: string;
  reason: string;
}

const leftOutTwice =
  'the service shows it to nobody but the owner, whatever the statement reads (toTransaction): a second fence';
const onlyALock =
  'the row is locked besides, for the length of the statement; what is answered is decided before it is asked for';

const idIsUnique = 'a transaction_id is of one environment, because it begins with its tag';
const explanations: readonly Explanation[] = [
  {
    subject: 'create_company',
    key: 'company: companies_name_key has no target',
    reason: 'the other rule that an insert into companies can break is that of its id, which is drawn anew',
  },
  ...['list_projects', 'find_project'].map((subject) => ({
    subject,
    key: 'supporters_count: COALESCE(f.supporters_count, 0) is always its argument 1',
    reason: 'JavaScript makes 0 of null as well',
  })),
  {
    subject: 'add_up_project_figures',
    key: 'taken: c.environment_id = waiting.environment_id holds always',
    reason: 'a change_id is drawn from one sequence over all environments',
  },
  ...['environment_id joins everything', 'k.revoked_at IS NULL holds always'].map((key) => ({
    subject: 'set_rate_limits',
    key: `told: ${key}`,
    reason: 'whoever is told without need reads the pair anew, and finds what was there',
  })),
  {
    subject: 'link_bank',
    key: 'linked: ON CONFLICT (…) has no target',
    reason: 'the other rule that a link can break is its key, which has the time of the link in it',
  },
  ...['create_transaction', 'record_story_view'].map((subject) => ({
    subject,
    key: 'new_user: users_user_hash_key has no target',
    reason:
      'the other rule that an insert into users can break is that of its number, which is drawn anew for the next attempt',
  })),
  {
    subject: 'complete_transaction',
    key: 'completed: t.environment_id = target.environment_id holds always',
    reason: idIsUnique,
  },
  ...['user_hash', 'first_name', 'idempotency_key'].map((column) => ({
    subject: 'find_transaction',
    key: `${column}: t.environment_id = $1 holds always`,
    reason: leftOutTwice,
  })),
  ...['first_name', 'idempotency_key'].map((column) => ({
    subject: '(put together per call)',
    key: `${column}: t.environment_id = $1 holds always`,
    reason: leftOutTwice,
  })),
  ...[
    "target.status = 'completed'",
    'target.is_permitted',
    'NOT (target.is_anothers)',
    'NOT (target.amount_differs)',
  ].map((condition) => ({
    subject: 'complete_transaction',
    key: `completed_before: ${condition} holds always`,
    reason: onlyALock,
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

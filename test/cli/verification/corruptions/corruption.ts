/** The ids of the intact rows. */
export interface CorruptedWorld {
  environmentId: number;
  testEnvironmentId: number;
  /** The environment with a linked bank, and the bank's environment. */
  bankedEnvironmentId: number;
  bankEnvironmentId: number;
  userId: string;
  projectId: number;
  /** It also has a rejected completion. */
  pending: string;
  /** It also has a repeated completion. */
  completed: string;
  completedByBank: string;
  /** Completed, partly returned, and a part of the return undone. */
  returned: string;
  /** Completed and corrected, twice. */
  corrected: string;
}

/** The ids in a violation. */
export interface Concerned {
  environment_id: number | null;
  bank_environment_id?: number;
  transaction_id?: string;
  user_id?: string;
  project_id?: number;
  position?: string;
}

/** One way to violate a rule that no request, command or migration can. */
export interface Corruption {
  readonly check: string;
  readonly problem: string;
  /** Run by a superuser with triggers and foreign keys off. */
  readonly sql: (ids: CorruptedWorld) => string;
  /** All violations that must be reported for this problem. */
  readonly finds: (ids: CorruptedWorld) => Concerned[];
  /** Other checks that the same rows violate. */
  readonly also?: readonly string[];
}

export const findsPending = ({ environmentId, pending }: CorruptedWorld): Concerned[] => [
  { environment_id: environmentId, transaction_id: pending },
];
export const findsCompleted = ({ environmentId, completed }: CorruptedWorld): Concerned[] => [
  { environment_id: environmentId, transaction_id: completed },
];
/** Every transaction that the environment completed. */
export const findsAllCompleted = ({
  environmentId,
  completed,
  returned,
  corrected,
}: CorruptedWorld): Concerned[] =>
  [completed, returned, corrected]
    .sort()
    .map((id) => ({ environment_id: environmentId, transaction_id: id }));
export const findsReturned = ({ environmentId, returned }: CorruptedWorld): Concerned[] => [
  { environment_id: environmentId, transaction_id: returned },
];
export const findsCorrected = ({ environmentId, corrected }: CorruptedWorld): Concerned[] => [
  { environment_id: environmentId, transaction_id: corrected },
];
export const findsSupport = ({ environmentId, userId, projectId }: CorruptedWorld): Concerned[] => [
  { environment_id: environmentId, user_id: userId, project_id: projectId },
];

export const pendingRow = ({ environmentId, pending }: CorruptedWorld): string =>
  `environment_id = ${environmentId} AND transaction_id = '${pending}'`;
export const completedRow = ({ environmentId, completed }: CorruptedWorld): string =>
  `environment_id = ${environmentId} AND transaction_id = '${completed}'`;
export const returnedRow = ({ environmentId, returned }: CorruptedWorld): string =>
  `environment_id = ${environmentId} AND transaction_id = '${returned}'`;
export const correctedRow = ({ environmentId, corrected }: CorruptedWorld): string =>
  `environment_id = ${environmentId} AND transaction_id = '${corrected}'`;
export const createdEvent = (ids: CorruptedWorld): string =>
  `${pendingRow(ids)} AND type = 'contribution.created'`;
export const refusedEvent = (ids: CorruptedWorld): string =>
  `${pendingRow(ids)} AND type = 'contribution.completion_refused'`;
export const completedEvent = (ids: CorruptedWorld): string =>
  `${completedRow(ids)} AND type = 'contribution.completed'`;
export const repeatedEvent = (ids: CorruptedWorld): string =>
  `${completedRow(ids)} AND type = 'contribution.completion_repeated'`;
export const inEnvironment = ({ environmentId }: CorruptedWorld): string =>
  `environment_id = ${environmentId}`;

/** Changes the matching rows of a table, after dropping the constraints that would reject it. */
export function change(
  table: string,
  set: string,
  row: (ids: CorruptedWorld) => string,
  without: readonly string[] = [],
) {
  return (ids: CorruptedWorld): string =>
    [
      ...without.map((constraint) => `ALTER TABLE ${table} DROP CONSTRAINT ${constraint}`),
      `UPDATE ${table} SET ${set} WHERE ${row(ids)}`,
    ].join('; ');
}

/** Appends an event to the pending transaction. */
export const appendToPending =
  (type: string, evidence: string) =>
  (ids: CorruptedWorld): string =>
    `INSERT INTO events (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence)
     SELECT environment_id, gen_random_uuid(), transaction_id, '${type}', actor_environment_id, actor_api_key, '${evidence}'
       FROM events WHERE ${createdEvent(ids)}`;

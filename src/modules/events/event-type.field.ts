/** The types of events, as the database stores them. More may be added. */
export const eventTypes = [
  'contribution.created',
  'contribution.completed',
  'contribution.completion_refused',
  'contribution.completion_repeated',
  'contribution.completion_contested',
  'contribution.returned',
  'contribution.return_undone',
] as const;

export type EventType = (typeof eventTypes)[number];

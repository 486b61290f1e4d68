import type { Model, Transaction } from './model';

/** The relation of a company's links to one of its transactions. A voided link does not count. */
const relations = [
  'never under a bank',
  'created under a link',
  'created under a link that ended',
  'created under an ended link, linked again',
  'created before a link',
  'created before a link that ended',
] as const;
type Relation = (typeof relations)[number];

const statuses = ['pending', 'by company', 'by bank'] as const;
type Status = (typeof statuses)[number];

export const neverIssued = 'never issued';
export type State = typeof neverIssued | `${Status}, ${Relation}`;

/** Why a state is unreachable by the rules of decision 7. */
export function impossibility(state: State): string | undefined {
  if (state.startsWith('by company, created under'))
    return 'a company with a bank cannot complete what it created, even after the link has ended';
  return undefined;
}

export const states: readonly State[] = [
  neverIssued,
  ...statuses.flatMap((status) => relations.map((relation) => `${status}, ${relation}` as const)),
];

function relationOf(model: Model, { createdUnder, linksBefore, environment }: Transaction): Relation {
  const places = model.links.flatMap((link, place) =>
    link.environment === environment && !link.isVoided ? [place] : [],
  );
  const under = createdUnder.filter((place) => places.includes(place));
  const inForce = places.filter((place) => model.links[place]!.isInForce);
  if (under.length > 0) {
    if (under.some((place) => inForce.includes(place))) return 'created under a link';
    return inForce.length > 0
      ? 'created under an ended link, linked again'
      : 'created under a link that ended';
  }
  if (inForce.length > 0) return 'created before a link';
  return places.some((place) => place >= linksBefore)
    ? 'created before a link that ended'
    : 'never under a bank';
}

/** The state of a transaction; an id that is missing in the model was never issued. */
export function stateOf(model: Model, id: string): State {
  const transaction = model.transactions.get(id);
  if (!transaction) return neverIssued;
  const { completion, environment } = transaction;
  const status = !completion ? 'pending' : completion.by === environment ? 'by company' : 'by bank';
  return `${status}, ${relationOf(model, transaction)}`;
}

import type { Feature } from '../../feature';
import { openDisputesReading } from './open-disputes.store';

/** Counts completions that only an operator can settle. The operator's commands list them. */
export const disputesFeature: Feature = {
  name: 'disputes',
  create: ({ database }) => ({ serve: () => ({ readings: [openDisputesReading(database)] }) }),
};

import { auditPlants } from './audit.corruptions';
import { environmentPlants } from './environments.corruptions';
import { eventPlants } from './events.corruptions';
import { feedPlants } from './feeds.corruptions';
import { figurePlants } from './figures.corruptions';
import { oncePlants } from './once.corruptions';
import type { Corruption } from './corruption';
import { returnPlants } from './returns.corruptions';
import { rightsPlants } from './rights.corruptions';
import { statementPlants } from './statements.corruptions';
import { transactionPlants } from './contributions.corruptions';
import { totalsPlants } from './totals.corruptions';
import { userPlants } from './users.corruptions';
import { webhookPlants } from './webhooks.corruptions';

export const corruptions: readonly Corruption[] = [
  ...environmentPlants,
  ...oncePlants,
  ...transactionPlants,
  ...rightsPlants,
  ...eventPlants,
  ...feedPlants,
  ...webhookPlants,
  ...returnPlants,
  ...statementPlants,
  ...userPlants,
  ...figurePlants,
  ...totalsPlants,
  ...auditPlants,
];

import { environmentPlants } from './environments.plants';
import { eventPlants } from './events.plants';
import { figurePlants } from './figures.plants';
import { oncePlants } from './once.plants';
import type { Plant } from './plant';
import { rightsPlants } from './rights.plants';
import { transactionPlants } from './transactions.plants';
import { userPlants } from './users.plants';

export const plants: readonly Plant[] = [
  ...environmentPlants,
  ...oncePlants,
  ...transactionPlants,
  ...rightsPlants,
  ...eventPlants,
  ...userPlants,
  ...figurePlants,
];

import { createOperatorDatabase } from '../../src/db/operator-database';
import { createProjectFiguresStore } from '../../src/core/project-figures/project-figures.store';
import type { TestDatabase } from './database';

/** Lets a minute pass, so that the next request recalculates the figures. */
export async function makeFiguresDue({ admin }: TestDatabase): Promise<void> {
  await admin.query(`UPDATE project_figures_turn SET taken_at = '-infinity'`);
}

/** Calculates the figures as the service does, on separate connections. */
export async function calculateFigures({ url }: TestDatabase, times = 1): Promise<void> {
  const database = createOperatorDatabase(url);
  const store = createProjectFiguresStore(database);
  await Promise.all(Array.from({ length: times }, () => store.addUp()));
  await database.close();
}

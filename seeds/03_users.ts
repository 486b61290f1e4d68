import type { Knex } from 'knex';

import { readSettings } from '../src/read-settings';
import type { Database } from '../src/db/pool/database';
import { type Demo, demoKeyPair, type DemoRole, readDemo } from '../src/startup/demo-file';
import { createKeyPairsStore } from '../src/core/key-pairs/key-pairs.store';
import { createProjectFiguresStore } from '../src/core/project-figures/project-figures.store';
import { createStoriesStore } from '../src/core/stories/stories.store';
import { createContributionsListStore } from '../src/core/contributions/contributions-list.store';
import { createContributionsService } from '../src/core/contributions/contributions.service';
import { createContributionsStore } from '../src/core/contributions/contributions.store';
import { systemClock } from '../src/shared/clock';
import { type EnvironmentKind, environmentKinds, type Principal } from '../src/shared/scopes';
import { demoProjects } from './demo/catalogue';
import { withSeedDatabase } from './demo/database';
import { demoContributionKey, demoUsers } from './demo/users';

/** The demo's users. The service's own code creates and completes their contributions. */
export async function seed(knex: Knex): Promise<void> {
  const demo = readDemo(readSettings(process.env).DATA_DIRECTORY);
  if (!demo) throw new Error('demo.json is missing: seed the companies before the users');
  const projectIds = await demoProjectIds(knex);

  await withSeedDatabase(knex, async (database) => {
    for (const kind of environmentKinds) {
      const company = await principalOf(database, demo, 'sdk_host', kind);
      const bank = await principalOf(database, demo, 'partner_bank', kind);
      await seedUsers(database, company, bank, projectIds);
    }
    await createProjectFiguresStore(database).addUp();
  });
}

async function demoProjectIds(knex: Knex): Promise<number[]> {
  const references = demoProjects.map(({ slug }) => `demo:${slug}`);
  const rows = await knex('projects')
    .whereIn('external_reference', references)
    .orderBy('rank')
    .select<{ project_id: number }[]>('project_id');
  return rows.map((row) => row.project_id);
}

async function principalOf(
  database: Database,
  demo: Demo,
  role: DemoRole,
  kind: EnvironmentKind,
): Promise<Principal> {
  const { apiKey } = demoKeyPair(demo, role, kind);
  const keyPair = await createKeyPairsStore(database).findLive(apiKey, true);
  if (!keyPair)
    throw new Error(`the key pair ${apiKey} of demo.json is not live: remove demo.json to generate new ones`);
  return keyPair.principal;
}

async function seedUsers(
  database: Database,
  company: Principal,
  bank: Principal,
  projectIds: readonly number[],
): Promise<void> {
  const contributions = createContributionsService(
    createContributionsStore(database, systemClock),
    createContributionsListStore(database),
  );
  const stories = createStoriesStore(database);
  for (const user of demoUsers) {
    for (const [index, { project, amountCents, isCompleted }] of user.contributions.entries()) {
      const { transactionId } = await contributions.create(company, {
        projectId: projectIds[project] ?? 0,
        amountCents,
        userHash: user.userHash,
        name: user.name,
        idempotencyKey: demoContributionKey(user, index),
      });
      if (!isCompleted) continue;
      const evidence = { amountCents, bankReference: demoContributionKey(user, index), valueDate: undefined };
      await contributions.complete(bank, transactionId, evidence);
    }
    for (const project of user.viewed) {
      const projectId = String(projectIds[project] ?? 0);
      const page = await stories.list(company.environmentId, undefined, projectId, {
        limit: 100,
        after: undefined,
      });
      for (const { storyId } of page?.data ?? []) {
        await stories.recordView(company.environmentId, user.userHash, String(storyId));
      }
    }
  }
}

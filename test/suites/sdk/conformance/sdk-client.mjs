// A client built on the SDK, as the conformance kit starts it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { Client } from 'contribution-service-sdk';
import { FileIntentStore } from 'contribution-service-sdk/node';

const { API, API_KEY, API_SECRET, CONFORM_TASK, CONFORM_FOLDER } = process.env;
const { task, order_id: key, ...values } = JSON.parse(CONFORM_TASK);
const client = new Client({
  apiKey: API_KEY,
  apiSecret: API_SECRET,
  baseUrl: API,
  expectEnvironment: 'test',
  store: new FileIntentStore(path.join(CONFORM_FOLDER, 'intents')),
});
const saved = path.join(CONFORM_FOLDER, 'until');

await client.recover();
if (task === 'create') await client.contributions.create(values, { key });
if (task === 'show_component') await client.component(values.user_hash);
if (task === 'list_projects')
  for await (const project of client.projects.list()) console.log(project.project_id);
if (task === 'complete') {
  const { transaction_id: id, ...evidence } = values;
  await client.bank.complete(id, evidence);
}
if (task === 'read_window') {
  const from = values.completed_from ?? (existsSync(saved) ? readFileSync(saved, 'utf8') : undefined);
  const { until } = await client.bank.readWindow(from);
  writeFileSync(saved, until);
}

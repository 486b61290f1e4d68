import { get, type RequestSpec, type RequestWorld } from '../operations';
import { queryAt } from '../world/server';
import { createTenant } from '../world/tenant';

/** A case whose cost must stay bounded, and the typical case to compare it with. */
export interface Extreme {
  title: string;
  requests: RequestSpec[];
  usual: RequestSpec[];
}

const mainComponent = '/projects-stories?user_hash=';

/** Gives a medium-sized company a key pair for the typical cases. */
export async function extremesOf({ ownerUrl, tenant }: RequestWorld): Promise<Extreme[]> {
  const rows = await queryAt<{ place: string; user_hash: string; environment_id: number }>(
    ownerUrl,
    `SELECT place, u.user_hash, e.environment_id
       FROM (SELECT * FROM bench.environments ORDER BY first_user LIMIT 12) AS e
       CROSS JOIN generate_series(0, 60) AS place
       JOIN users u ON u.environment_id = e.environment_id AND u.user_id = e.first_user + place
      ORDER BY e.first_user, place`,
  );
  const small = await createTenant(ownerUrl, 11);
  const requestsOf = (who: typeof tenant, from: number, to: number): RequestSpec[] =>
    rows
      .filter(
        (row) =>
          row.environment_id === who.environmentId && Number(row.place) >= from && Number(row.place) <= to,
      )
      .map((row) => get(who, mainComponent + row.user_hash));
  const usual = requestsOf(tenant, 10, 60);
  const [mostStoriesViewed] = requestsOf(tenant, 1, 1);
  if (!mostStoriesViewed) throw new Error('the company does not belong to the generated data');
  return [
    {
      title: 'a user with 1,000 supported projects',
      requests: requestsOf(tenant, 0, 0),
      usual,
    },
    {
      title: 'a user who has viewed all but one of 10,000 stories, and every other one of 10,000 more',
      requests: [mostStoriesViewed],
      usual,
    },
    {
      title: 'a company with half of all transactions, relative to a medium-sized one',
      requests: usual,
      usual: requestsOf(small, 0, 60),
    },
  ];
}

/** Average number of elements per response. */
export async function elementsOf(url: string, requests: readonly RequestSpec[]): Promise<number> {
  let elements = 0;
  for (const { path, headers } of requests) {
    const response = (await (await fetch(url + path, { headers: { ...headers } })).json()) as {
      data: unknown[];
    };
    elements += response.data.length;
  }
  return elements / requests.length;
}

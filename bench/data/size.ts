/** How many rows the generator makes of each kind. */
export interface Size {
  companies: number;
  projects: number;
  stories: number;
  users: number;
  /** A user and a project that they support: each has two transactions, of which the first is always completed. */
  supports: number;
  /** The stories of each of the first two projects, which one user has viewed all but one of, and every other one of. */
  mostStories: number;
  /** The projects that the first user of the largest company supports. */
  mostSupports: number;
}

/**
 * The size for a scale: 1 is 100,000 projects, 1,000,000 stories and users, 5,000,000 supports, and twice as many views and
 * transactions.
 *
 * @param scale from 0.001 to 1
 */
export function sizeOf(scale: number): Size {
  const part = (whole: number): number => Math.round(whole * scale);
  const [projects, stories] = [part(100_000), part(1_000_000)];
  return {
    companies: scale < 0.01 ? 20 : 1_000,
    projects,
    stories,
    users: part(1_000_000),
    supports: part(5_000_000),
    mostStories: Math.min(10_000, Math.floor(stories / 4)),
    mostSupports: Math.min(1_000, Math.floor(projects / 2)),
  };
}

/**
 * Shares of companies of uneven size: the first has half of everything, the others what is left in proportion to one by the
 * square root of their place: each has a few users at the smallest scale too.
 *
 * @returns where each begins, from 0 to 1, and 1 at the end
 */
export function shareBounds(companies: number): number[] {
  const weights = Array.from({ length: companies - 1 }, (_, place) => 1 / Math.sqrt(place + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  let reached = 0.5;
  return [0, 0.5, ...weights.map((weight) => (reached += (weight / sum) * 0.5)).slice(0, -1), 1];
}

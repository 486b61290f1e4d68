/** How many rows the generator makes of each kind. */
export interface Size {
  companies: number;
  projects: number;
  stories: number;
  users: number;
  /**
   * A user and a project that they support: each has two transactions, of which the first is always
   * completed.
   */
  supports: number;
  /**
   * The stories of each of the first two projects, which one user has viewed all but one of, and
   * every other one of.
   */
  mostStories: number;
  /** The projects that the first user of the largest company supports. */
  mostSupports: number;
}

/**
 * The size for a scale: 1 is 100,000 projects, 1,000,000 stories and users, 5,000,000 supports, and
 * twice as many views and transactions.
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

/** How many projects besides the first two have stories: one in twenty has none. */
const withStories = ({ projects }: Size): number => Math.floor(0.95 * (projects - 2));

/** How many stories a project has; the first two have the most. */
export function storiesOf(size: Size, projectId: number): number {
  if (projectId <= 2) return size.mostStories;
  const [others, stories] = [withStories(size), size.stories - 2 * size.mostStories];
  const place = projectId - 3;
  return place < others ? Math.floor(stories / others) + (place < stories % others ? 1 : 0) : 0;
}

/** Whose story one of all is, and its number there. @param number from 0 */
export function storyAt(size: Size, number: number): { projectId: number; storyNumber: number } {
  const ofOthers = number - 2 * size.mostStories;
  const [projects, place, first] = ofOthers < 0 ? [2, number, 1] : [withStories(size), ofOthers, 3];
  return { projectId: first + (place % projects), storyNumber: 1 + Math.floor(place / projects) };
}

/**
 * Shares of companies of uneven size: the first has half of everything, the others what is left in
 * proportion to one by the square root of their place: each has a few users at the smallest scale
 * too.
 *
 * @returns where each begins, from 0 to 1, and 1 at the end
 */
export function shareBounds(companies: number): number[] {
  const weights = Array.from({ length: companies - 1 }, (_, place) => 1 / Math.sqrt(place + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  let reached = 0.5;
  return [0, 0.5, ...weights.map((weight) => (reached += (weight / sum) * 0.5)).slice(0, -1), 1];
}

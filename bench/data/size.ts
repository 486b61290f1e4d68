/** Number of rows of each kind. */
export interface Size {
  companies: number;
  projects: number;
  stories: number;
  users: number;
  /**
   * A user and a project that they support. Each support has two transactions; the first is always
   * completed.
   */
  supports: number;
  /**
   * Number of stories of each of the first two projects. One user has viewed all but one of the
   * first, and every other one of the second.
   */
  mostStories: number;
  /** Number of projects that the first user of the largest company supports. */
  mostSupports: number;
}

/**
 * The size for a scale. Scale 1 has 100,000 projects, 1,000,000 stories, 1,000,000 users, 5,000,000
 * supports, 10,000,000 views and 10,000,000 transactions.
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

/** Number of projects with stories, without the first two. One project in twenty has none. */
const withStories = ({ projects }: Size): number => Math.floor(0.95 * (projects - 2));

/** Number of stories of a project. The first two projects have the most. */
export function storiesOf(size: Size, projectId: number): number {
  if (projectId <= 2) return size.mostStories;
  const [others, stories] = [withStories(size), size.stories - 2 * size.mostStories];
  const place = projectId - 3;
  return place < others ? Math.floor(stories / others) + (place < stories % others ? 1 : 0) : 0;
}

/** The project of a story, and the story's number in it. @param number from 0 */
export function storyAt(size: Size, number: number): { projectId: number; storyNumber: number } {
  const ofOthers = number - 2 * size.mostStories;
  const [projects, place, first] = ofOthers < 0 ? [2, number, 1] : [withStories(size), ofOthers, 3];
  return { projectId: first + (place % projects), storyNumber: 1 + Math.floor(place / projects) };
}

/**
 * Shares of companies of uneven size. The first company has half of everything. The others share
 * the rest in proportion to 1 / √rank, so that each has a few users even at the smallest scale.
 *
 * @returns the start of each share, from 0 to 1, with 1 at the end
 */
export function shareBounds(companies: number): number[] {
  const weights = Array.from({ length: companies - 1 }, (_, place) => 1 / Math.sqrt(place + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  let reached = 0.5;
  return [0, 0.5, ...weights.map((weight) => (reached += (weight / sum) * 0.5)).slice(0, -1), 1];
}

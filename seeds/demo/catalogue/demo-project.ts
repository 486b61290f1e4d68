/** One project of the demo's catalogue. Organisations, people and events are invented. */
export interface DemoProject {
  /** Kebab-case and unique; names the picture. */
  slug: string;
  name: string;
  /** One of the twelve files beside this one. */
  category: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  organization: string;
  summary: string;
  /** Paragraphs, with an empty line between them. */
  description: string;
  /** Null: open-ended. */
  goalAmountCents: number | null;
  status: 'active' | 'archived';
  highlights: readonly { title: string; body: string; pictureSlug: string | null }[];
  /** Newest last; `publishedAt` is ISO 8601 in UTC. */
  stories: readonly { title: string; body: string; publishedAt: string; status: 'published' | 'archived' }[];
}

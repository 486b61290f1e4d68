import type { ProjectSummary } from '../projects-stories/projects-stories.read-model';
import type { StoredFields } from './project.fields';

/** A project of the catalogue, as one user of one environment sees it. */
export interface Project extends ProjectSummary, StoredFields {
  goalAmountCents: bigint | null;
  /**
   * The sum of completed contributions. In production, it includes all companies. In test, it
   * includes only the caller's environment. It lags by about a minute.
   */
  raisedCents: bigint;
  supportersCount: number;
  status: 'active' | 'archived';
  createdAt: Date;
  updatedAt: Date;
  /** Null if it was not requested. */
  highlights?: Highlight[] | null;
  description?: string | null;
}

export interface Highlight {
  title: string;
  body: string;
  imageUrl: string | null;
}

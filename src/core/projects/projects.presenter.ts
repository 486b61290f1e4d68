import { resolveUrl } from '../../http/urls';
import { formatCents } from '../../shared/money';
import type { Project } from './project';
import { storedOf } from './project.fields';

/** The full record (specification 2.3, 4.2). */
export function presentProject(project: Project, publicBaseUrl: string) {
  const { goalAmountCents, highlights, description } = project;
  return {
    project_id: project.projectId,
    project_name: project.name,
    project_image_url: resolveUrl(publicBaseUrl, project.imageUrl),
    is_supported: project.isSupported,
    has_stories: project.hasStories,
    has_unviewed_stories: project.hasUnviewedStories,
    ...storedOf(project),
    goal_amount: goalAmountCents === null ? null : formatCents(goalAmountCents),
    raised_amount: formatCents(project.raisedCents),
    supporters_count: project.supportersCount,
    status: project.status,
    created_at: project.createdAt.toISOString(),
    updated_at: project.updatedAt.toISOString(),
    ...(highlights && {
      highlights: highlights.map(({ title, body, imageUrl }) => ({
        title,
        body,
        image_url: imageUrl === null ? null : resolveUrl(publicBaseUrl, imageUrl),
      })),
    }),
    ...(typeof description === 'string' && { description }),
  };
}

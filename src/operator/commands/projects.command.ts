import { Command } from 'commander';

import { readProjectsFile, writeProjectsFile } from '../catalogue-import/catalogue-files';
import type { ChangeOptions } from '../cli/change';
import type { ListedProject } from '../catalogue-import/catalogue-projects.store';
import { exportCommand } from './catalogue-export';
import { importCommand } from './catalogue-import';
import type { CommandIo } from '../cli/command-io';
import { changeCommand, limitOption, readCommand, skipOption } from '../cli/options';
import { type List, oneMore, type Paging, printJson, printPage, printRecord } from '../cli/output';
import { undoSomeWith } from '../cli/shell-words';
import { runChange, runRead } from './operations';

const listedProjects: List<ListedProject> = {
  name: 'projects',
  fields: [
    ['project_id', (project) => project.projectId, 'PROJECT_ID', 'whole'],
    ['name', (project) => project.name, 'NAME'],
    ['status', (project) => project.status, 'STATUS', 'whole'],
    ['rank', (project) => project.rank, 'RANK', 'whole'],
    ['published_stories', (project) => project.publishedStories, 'STORIES', 'whole'],
    ['reference', (project) => project.reference, 'REFERENCE'],
    ['updated_at', (project) => project.updatedAt, 'UPDATED', 'whole'],
  ],
  whenEmpty: 'No projects found.',
};

interface ListOptions extends Paging {
  json?: boolean;
  all?: boolean;
  search?: string;
}

function listCommand(io: CommandIo): Command {
  return readCommand('list', 'list active projects in editorial order (ascending rank)')
    .option('--all', 'include archived projects')
    .option('--search <text>', 'only projects with this text in the name or the reference')
    .addOption(limitOption(1_000))
    .addOption(skipOption())
    .action(({ all, search, ...options }: ListOptions) =>
      runRead(
        io,
        ({ catalogue }) => catalogue.list({ includeArchived: all ?? false, search, ...oneMore(options) }),
        (found) => {
          printPage(io, listedProjects, found, options);
        },
      ),
    );
}

function showCommand(io: CommandIo): Command {
  return readCommand(
    'show',
    'show one project: the fields of an import file, project_id, the number of published stories and the time of the last change',
  )
    .argument('<project>', 'its reference, as in an import file, or its project_id')
    .action((name: string, { json }: { json?: boolean }) =>
      runRead(
        io,
        ({ catalogue }) => catalogue.show(name),
        ({ listed, record: { highlights, ...record } }) => {
          const shown = {
            project_id: listed.projectId,
            ...record,
            published_stories: listed.publishedStories,
            updated_at: listed.updatedAt,
          };
          if (json) printJson(io, { ...shown, highlights });
          else printRecord(io, { ...shown, highlights: highlights.map(({ title }) => title).join(', ') });
        },
      ),
    );
}

function statusCommand(
  io: CommandIo,
  name: 'archive' | 'restore',
  status: 'archived' | 'active',
  description: string,
): Command {
  return changeCommand(name, description)
    .argument('<project...>', 'its reference, as in an import file, or its project_id')
    .action((projects: string[], options: ChangeOptions) =>
      runChange(
        io,
        {
          command: `projects ${name}`,
          work: ({ catalogue }) => catalogue.setProjectStatus(projects, status),
          record: (changed) => ({ target: projects.join(' '), result: { changed } }),
          leaves: (changed) =>
            changed > 0
              ? `${changed} of ${projects.length} projects changed to ${status}. ${undoSomeWith(changed, projects, 'projects', name === 'archive' ? 'restore' : 'archive')}`
              : undefined,
        },
        options,
        (changed) => ({ status, changed, unchanged: projects.length - changed }),
      ),
    );
}

function reorderCommand(io: CommandIo): Command {
  return changeCommand(
    'reorder',
    'put these projects first in the editorial order; the others follow in their current order',
  )
    .argument('<project...>', 'its reference, as in an import file, or its project_id')
    .action((projects: string[], options: ChangeOptions) =>
      runChange(
        io,
        {
          command: 'projects reorder',
          work: ({ catalogue }) => catalogue.putFirst(projects),
          record: (changed) => ({ target: projects.join(' '), result: { ranks_changed: changed } }),
          leaves: (changed) =>
            changed > 0
              ? `The projects ${projects.join(', ')} come first now. To undo it, pass the projects in their former order to "projects reorder".`
              : undefined,
        },
        options,
        (changed) => ({ first: projects, ranks_changed: changed }),
      ),
    );
}

function recountCommand(io: CommandIo): Command {
  return changeCommand(
    'recount',
    'recompute raised_amount and supporters_count of all projects from completed contributions; safe while the service runs',
  ).action((options: ChangeOptions) =>
    runChange(
      io,
      {
        command: 'projects recount',
        work: ({ projectFigures }) => projectFigures.recount(),
        record: (changed) => ({ target: null, result: { changed } }),
        leaves: (changed) =>
          changed > 0
            ? `The figures of ${changed} projects are the sums of their contributions now. There is nothing to undo.`
            : undefined,
      },
      options,
      (changed) => ({ figures_changed: changed }),
    ),
  );
}

export function projectsCommand(io: CommandIo): Command {
  return new Command('projects')
    .description('manage projects')
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(
      importCommand(
        io,
        'projects',
        'add and change projects; a JSON file may include their stories',
        readProjectsFile,
      ),
    )
    .addCommand(
      exportCommand(
        io,
        'export all projects, including archived ones, to a file that can be imported; JSON includes their stories',
        ({ projects, stories }, format) => writeProjectsFile(projects, stories, format),
      ),
    )
    .addCommand(
      statusCommand(
        io,
        'archive',
        'archived',
        'archive projects: they disappear from lists and accept no new contributions; pending contributions can still be completed',
      ),
    )
    .addCommand(statusCommand(io, 'restore', 'active', 'restore archived projects'))
    .addCommand(reorderCommand(io))
    .addCommand(recountCommand(io));
}

import { Command } from 'commander';

import { readProjectsFile, writeProjectsFile } from '../modules/catalogue/catalogue-files';
import type { ListedProject } from '../modules/catalogue/catalogue-changes.store';
import { type FileOptions, formatOf, formatOption, writeTextFile } from './catalogue-file';
import { importCommand } from './catalogue-import';
import { act, type ActOptions, look } from './operator';
import { actCommand, answer, lookCommand } from './options';
import { type Columns, printJson, printTable } from './output';

const columns: Columns<ListedProject> = [
  ['PROJECT_ID', (project) => project.projectId, 'whole'],
  ['NAME', (project) => project.name],
  ['STATUS', (project) => project.status, 'whole'],
  ['RANK', (project) => project.rank, 'whole'],
  ['STORIES', (project) => project.publishedStories, 'whole'],
  ['REFERENCE', (project) => project.reference],
  ['UPDATED', (project) => project.updatedAt, 'whole'],
];

function listCommand(): Command {
  return lookCommand('list', 'list the active projects in editorial order')
    .option('--all', 'archived ones too')
    .action(({ json, all }: { json?: boolean; all?: boolean }) =>
      look(
        ({ catalogue }) => catalogue.list({ includeArchived: all ?? false }),
        (projects) => {
          if (!json) {
            printTable(columns, projects, 'There is no project.');
            return;
          }
          printJson({
            projects: projects.map((project) => ({
              project_id: project.projectId,
              reference: project.reference,
              name: project.name,
              status: project.status,
              rank: project.rank,
              published_stories: project.publishedStories,
              updated_at: project.updatedAt,
            })),
          });
        },
      ),
    );
}

function exportCommand(): Command {
  return new Command('export')
    .description(
      'write all projects, archived ones too, so that they can be imported; JSON has their stories with them',
    )
    .argument('[file]', 'a .csv or .json file (default: standard output, as --format says)')
    .addOption(formatOption())
    .option('--json', 'the same as --format json')
    .action((file: string | undefined, options: FileOptions & { json?: boolean }) =>
      look(
        ({ catalogue }) => catalogue.exportProjects(),
        ({ projects, stories }) => {
          const format = options.json ? 'json' : formatOf(file, options);
          writeTextFile(file, writeProjectsFile(projects, stories, format));
        },
      ),
    );
}

function statusCommand(
  name: 'archive' | 'restore',
  status: 'archived' | 'active',
  description: string,
): Command {
  return actCommand(name, description)
    .argument('<project...>', 'reference or project_id')
    .action((projects: string[], options: ActOptions) =>
      act(
        {
          command: `projects ${name}`,
          arguments: {},
          work: ({ catalogue }) => catalogue.setProjectStatus(projects, status),
          record: (changed) => ({ target: projects.join(' '), result: { changed } }),
        },
        options,
        (changed) => {
          answer(options, { status, changed, unchanged: projects.length - changed });
        },
      ),
    );
}

function reorderCommand(): Command {
  return actCommand(
    'reorder',
    'put these projects first in the editorial order, as they are named; the others follow as they did',
  )
    .argument('<project...>', 'reference or project_id')
    .action((projects: string[], options: ActOptions) =>
      act(
        {
          command: 'projects reorder',
          arguments: {},
          work: ({ catalogue }) => catalogue.putFirst(projects),
          record: (changed) => ({ target: projects.join(' '), result: { ranks_changed: changed } }),
        },
        options,
        (changed) => {
          answer(options, { first: projects, ranks_changed: changed });
        },
      ),
    );
}

function recountCommand(): Command {
  return actCommand(
    'recount',
    'count raised_amount and supporters_count of all projects anew, from what was completed; while the service runs',
  ).action((options: ActOptions) =>
    act(
      {
        command: 'projects recount',
        arguments: {},
        work: ({ projectFigures }) => projectFigures.recount(),
        record: (changed) => ({ target: null, result: { changed } }),
      },
      options,
      (changed) => {
        answer(options, { figures_changed: changed });
      },
    ),
  );
}

export function projectsCommand(): Command {
  return new Command('projects')
    .description('the catalogue of projects')
    .addCommand(listCommand())
    .addCommand(
      importCommand(
        'projects',
        'add and change projects; JSON may have their stories with them',
        readProjectsFile,
      ),
    )
    .addCommand(exportCommand())
    .addCommand(
      statusCommand(
        'archive',
        'archived',
        'take projects from the lists; they accept no contributions, and what is pending can still be completed',
      ),
    )
    .addCommand(statusCommand('restore', 'active', 'put archived projects back'))
    .addCommand(reorderCommand())
    .addCommand(recountCommand());
}

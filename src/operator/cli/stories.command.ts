import { Command } from 'commander';

import type { ListedStory } from '../catalogue-import/catalogue-stories.store';
import { readStoriesFile, writeStoriesFile } from '../catalogue-import/catalogue-files';
import { exportCommand } from './catalogue-export';
import { importCommand } from './catalogue-import';
import { act, type ActOptions, look } from './operator';
import { actCommand, printResult, lookCommand, wholeNumber } from './options';
import { type Columns, printJson, printTable } from './output';

const columns: Columns<ListedStory> = [
  ['NUMBER', (story) => story.number, 'whole'],
  ['TITLE', (story) => story.title],
  ['STATUS', (story) => story.status, 'whole'],
  ['PUBLISHED', (story) => story.publishedAt, 'whole'],
  ['STORY_ID', (story) => story.storyId, 'whole'],
];

function listCommand(): Command {
  return lookCommand('list', 'list all stories of a project, newest first')
    .argument('<project>', 'its reference, as in an import file, or its project_id')
    .action((project: string, { json }: { json?: boolean }) =>
      look(
        ({ catalogue }) => catalogue.listStories(project),
        (stories) => {
          if (!json) {
            printTable(columns, stories, 'No stories found.');
            return;
          }
          printJson({
            stories: stories.map((story) => ({
              story_id: story.storyId,
              number: story.number,
              title: story.title,
              status: story.status,
              published_at: story.publishedAt,
            })),
          });
        },
      ),
    );
}

const parseNumber = wholeNumber(1, 2_147_483_646);

function statusCommand(
  name: 'archive' | 'restore',
  status: 'archived' | 'published',
  description: string,
): Command {
  return actCommand(name, description)
    .argument('<project>', 'its reference, as in an import file, or its project_id')
    .argument(
      '<number...>',
      'story number within the project',
      (text: string, before: number[] | undefined) => [...(before ?? []), parseNumber(text)],
    )
    .action((project: string, numbers: number[], options: ActOptions) =>
      act(
        {
          command: `stories ${name}`,
          arguments: { numbers },
          work: ({ catalogue }) => catalogue.setStoryStatus(project, numbers, status),
          record: (changed) => ({ target: project, result: { changed } }),
        },
        options,
        (changed) => {
          printResult(options, { project, status, changed, unchanged: numbers.length - changed });
        },
      ),
    );
}

export function storiesCommand(): Command {
  return new Command('stories')
    .description('manage the stories of projects')
    .addCommand(listCommand())
    .addCommand(importCommand('stories', 'add and change stories', readStoriesFile))
    .addCommand(
      exportCommand(
        'export the stories of all projects to a file that can be imported',
        ({ stories }, format) => writeStoriesFile(stories, format),
      ),
    )
    .addCommand(statusCommand('archive', 'archived', 'archive stories: they disappear from lists'))
    .addCommand(statusCommand('restore', 'published', 'restore archived stories'));
}

import { Command } from 'commander';

import type { ListedStory } from '../catalogue-import/catalogue-stories.store';
import type { ChangeOptions } from '../cli/change';
import { readStoriesFile, writeStoriesFile } from '../catalogue-import/catalogue-files';
import { exportCommand } from './catalogue-export';
import { importCommand } from './catalogue-import';
import type { CommandIo } from '../cli/command-io';
import { changeCommand, readCommand, wholeNumber } from '../cli/options';
import { type List, printList } from '../cli/output';
import { undoSomeWith } from '../cli/shell-words';
import { runChange, runRead } from './operations';

const listedStories: List<ListedStory> = {
  name: 'stories',
  fields: [
    ['number', (story) => story.number, 'NUMBER', 'whole'],
    ['title', (story) => story.title, 'TITLE'],
    ['status', (story) => story.status, 'STATUS', 'whole'],
    ['published_at', (story) => story.publishedAt, 'PUBLISHED', 'whole'],
    ['story_id', (story) => story.storyId, 'STORY_ID', 'whole'],
  ],
  whenEmpty: 'No stories found.',
};

function listCommand(io: CommandIo): Command {
  return readCommand('list', 'list all stories of a project, newest first')
    .argument('<project>', 'its reference, as in an import file, or its project_id')
    .action((project: string, { json }: { json?: boolean }) =>
      runRead(
        io,
        ({ catalogue }) => catalogue.listStories(project),
        (stories) => {
          printList(io, listedStories, stories, json);
        },
      ),
    );
}

const parseNumber = wholeNumber(1, 2_147_483_646);

function statusCommand(
  io: CommandIo,
  name: 'archive' | 'restore',
  status: 'archived' | 'published',
  description: string,
): Command {
  return changeCommand(name, description)
    .argument('<project>', 'its reference, as in an import file, or its project_id')
    .argument(
      '<number...>',
      'story number within the project',
      (text: string, before: number[] | undefined) => [...(before ?? []), parseNumber(text)],
    )
    .action((project: string, numbers: number[], options: ChangeOptions) =>
      runChange(
        io,
        {
          command: `stories ${name}`,
          arguments: { numbers },
          work: ({ catalogue }) => catalogue.setStoryStatus(project, numbers, status),
          record: (changed) => ({ target: project, result: { changed } }),
          leaves: (changed) =>
            changed > 0
              ? `${changed} of ${numbers.length} stories of ${project} changed to ${status}. ${undoSomeWith(changed, numbers, 'stories', name === 'archive' ? 'restore' : 'archive', project)}`
              : undefined,
        },
        options,
        (changed) => ({ project, status, changed, unchanged: numbers.length - changed }),
      ),
    );
}

export function storiesCommand(io: CommandIo): Command {
  return new Command('stories')
    .description('manage the stories of projects')
    .addCommand(listCommand(io))
    .addCommand(importCommand(io, 'stories', 'add and change stories', readStoriesFile))
    .addCommand(
      exportCommand(
        io,
        'export the stories of all projects to a file that can be imported',
        ({ stories }, format) => writeStoriesFile(stories, format),
      ),
    )
    .addCommand(statusCommand(io, 'archive', 'archived', 'archive stories: they disappear from lists'))
    .addCommand(statusCommand(io, 'restore', 'published', 'restore archived stories'));
}

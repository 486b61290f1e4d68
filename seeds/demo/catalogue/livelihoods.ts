import type { DemoProject } from './demo-project';

export const beesOfKars: DemoProject = {
  slug: 'bees-of-kars',
  name: 'The bees of Kars',
  category: 'livelihoods',
  country: 'TR',
  organization: 'Yayla Arı Kooperatifi',
  summary:
    'Hives, a shared honey press and a year with a mentor for forty new beekeepers on the high plateau.',
  description: [
    'The plateau of Kars lies at 1,800 metres. Its meadows bloom late and all at once, and its dark mountain bees are made for long winters. Young people leave, because hay and cattle do not feed another family.',
    'Honey can. Each new beekeeper starts with five hives, a smoker, a suit and a mentor who has kept bees for decades. After the second summer they give five colonies to the next beginner. A press and a jar room, shared by all, stand in Susuz.',
  ].join('\n\n'),
  goalAmountCents: 36_000_00,
  status: 'active',
  highlights: [
    {
      title: '$140 is a hive',
      body: 'With its frames and a colony of mountain bees.',
      pictureSlug: 'bees-of-kars-hive',
    },
    { title: 'Five given on', body: 'Every beekeeper repays in bees, never in money.', pictureSlug: null },
  ],
  stories: [
    {
      title: 'Winter count',
      body: 'Of 115 colonies 106 came through the winter. The mentors lay an ear on each hive and knock: a short hum is a good answer.',
      publishedAt: '2026-04-13T08:20:00Z',
      status: 'published',
    },
    {
      title: 'Eight hundred kilograms',
      body: 'The first harvest of the newcomers is in the jar room: 812 kilograms, the colour of dark tea.',
      publishedAt: '2026-09-14T13:00:00Z',
      status: 'published',
    },
  ],
};

export const bicycleMechanics: DemoProject = {
  slug: 'bicycle-mechanics-bobo-dioulasso',
  name: 'Bicycle mechanics of Bobo-Dioulasso',
  category: 'livelihoods',
  country: 'BF',
  organization: 'Atelier Rayon et Pédale',
  summary:
    'A paid apprenticeship for thirty young women who want to repair bicycles and run their own workshop.',
  description: [
    'Everybody in Bobo-Dioulasso rides, and everything rattles. A mechanic with a good name never waits long for work, and until lately almost none of them were women.',
    'The apprenticeship takes fourteen months. Mornings are for wheels, brakes and welding; two afternoons a week are for prices, receipts and savings. Whoever finishes gets a tool chest and a small interest-free loan for the first stock of parts.',
  ].join('\n\n'),
  goalAmountCents: 27_000_00,
  status: 'active',
  highlights: [
    {
      title: '$95 fills a tool chest',
      body: 'Thirty-one tools that fit every bicycle in town.',
      pictureSlug: 'bicycle-bobo-tools',
    },
    {
      title: '$900, one apprenticeship',
      body: 'Fourteen months with a wage, lunch and a teacher.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'Open on Saturdays',
      body: 'The apprentices now run a repair afternoon by themselves. On the first one they mended 27 punctures and one wheelchair.',
      publishedAt: '2026-06-15T15:00:00Z',
      status: 'published',
    },
    {
      title: 'Three new signs in town',
      body: 'Three graduates have opened workshops. One has painted her price list on the wall, in metre-high letters: nobody bargains with a wall.',
      publishedAt: '2026-10-20T09:00:00Z',
      status: 'published',
    },
  ],
};

export const cocoaTumaco: DemoProject = {
  slug: 'cocoa-boxes-tumaco',
  name: 'Better cocoa from Tumaco',
  category: 'livelihoods',
  country: 'CO',
  organization: 'Manos de Cacao Pacífico',
  summary:
    'Wooden fermentation boxes and drying roofs, so that 120 farming families can sell fine cocoa at a fine price.',
  description: [
    'Cocoa becomes chocolate in the week after the harvest. Beans that ferment evenly and dry slowly sell for nearly twice the price of beans that were dried at the roadside.',
    'The families of twelve hamlets near Tumaco share fermentation centres: three wooden boxes in a staircase, a roof of clear sheets and a thermometer. A cooperative tastes every batch and tells its growers what it found.',
  ].join('\n\n'),
  goalAmountCents: 31_200_00,
  status: 'active',
  highlights: [
    {
      title: '$260 per family',
      body: 'A share of the boxes, of the roof and of the tasting room.',
      pictureSlug: 'cocoa-tumaco-market',
    },
    {
      title: 'Six days, five turns',
      body: 'The beans move down the staircase, and every turn brings in air.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'Tasting notes',
      body: 'Batch 14, from the Mira river: plum, nuts, a little smoke. Its growers had never tasted chocolate made of their own beans. They asked for more.',
      publishedAt: '2026-07-21T18:30:00Z',
      status: 'published',
    },
    {
      title: 'First container',
      body: 'Nine tonnes left the port in September, at 1.8 times the local price.',
      publishedAt: '2026-09-29T16:00:00Z',
      status: 'published',
    },
  ],
};

import type { DemoProject } from './demo-project';

export const warmGersUlaanbaatar: DemoProject = {
  slug: 'warm-ger-ulaanbaatar',
  name: 'Warm gers for Ulaanbaatar',
  category: 'housing',
  country: 'MN',
  organization: 'Dulaan Khana',
  summary: 'Felt, floors and better doors for 250 family gers, so that a winter night needs half the coal.',
  description: [
    'In January it is minus 30 in the ger districts on the hills around Ulaanbaatar. Most of the heat leaves through the floor and the door, and every stove that burns through the night adds to the smoke over the city.',
    'A crew of three insulates a ger in one day: a raised floor with sheep’s wool under it, a second layer of felt, a skirt against the wind, and a door that closes. Families save about two tonnes of coal in a winter, and a carbon monoxide alarm hangs above every stove.',
  ].join('\n\n'),
  goalAmountCents: 95_000_00,
  status: 'active',
  highlights: [
    {
      title: '$380 warms a home',
      body: 'Floor, felt, skirt, door and alarm, fitted in one day.',
      pictureSlug: 'warm-ger-door',
    },
    {
      title: 'Wool from the steppe',
      body: 'The felt is made by a cooperative in Arkhangai, from wool that used to be thrown away.',
      pictureSlug: null,
    },
    {
      title: '$22 is an alarm',
      body: 'It warns of carbon monoxide, and its battery lasts seven years.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'Nineteen degrees at breakfast',
      body: 'A family in Songinokhairkhan kept a thermometer by the bed. Before: 6 degrees when they woke up. After: 19, with less coal.',
      publishedAt: '2026-01-29T02:00:00Z',
      status: 'published',
    },
    {
      title: 'Summer is for sewing',
      body: 'Ninety doors and ninety rolls of felt are ready for autumn. The crew has grown to four teams; six of the twelve workers live in gers that were done last year.',
      publishedAt: '2026-08-11T04:30:00Z',
      status: 'published',
    },
  ],
};

export const adobeQuetzaltenango: DemoProject = {
  slug: 'adobe-homes-quetzaltenango',
  name: 'Adobe that stays standing',
  category: 'housing',
  country: 'GT',
  organization: 'Casa Firme Altiplano',
  summary:
    'Strengthening 160 adobe houses near Quetzaltenango against earthquakes, with mesh, timber and lime.',
  description: [
    'Adobe is cheap, warm and beautiful, and it is brittle. In the highlands around Quetzaltenango the ground moves every few years, and unsupported walls fall outward.',
    'The remedy is known and modest: a ring beam of timber, a mesh on both sides of the wall tied through with cord, and lime plaster over it. A mason and the family need eleven days. Masons who have learnt it teach two others each.',
  ].join('\n\n'),
  goalAmountCents: 120_000_00,
  status: 'active',
  highlights: [
    {
      title: '$750 makes a house safe',
      body: 'All material, and the mason’s wage for eleven days.',
      pictureSlug: 'adobe-homes-street',
    },
    {
      title: 'Tested on a table',
      body: 'A wall built in this way withstood a shaking table at full strength.',
      pictureSlug: null,
    },
  ],
  stories: [],
};

export const firstKeysIasi: DemoProject = {
  slug: 'first-keys-iasi',
  name: 'First keys in Iași',
  category: 'housing',
  country: 'RO',
  organization: 'Asociația Prag Nou',
  summary: 'Small shared flats, and a steady person to call, for young people who leave care at eighteen.',
  description: [
    'On the day they turn eighteen some young people pack two bags and leave the children’s home, with nobody to ask how a heating bill works. In Iași a room costs more than a first wage.',
    'Prag Nou rents nine flats for two or three people each. Residents pay what they can, rising to the full rent over two years. A mentor comes every week to cook, to count, or to sit and have tea. Four of five former residents now live in a place of their own.',
  ].join('\n\n'),
  goalAmountCents: 54_000_00,
  status: 'active',
  highlights: [
    {
      title: '$60 furnishes a start',
      body: 'A bed, a lamp, two pots and sheets that nobody used before.',
      pictureSlug: 'first-keys-iasi-houses',
    },
    {
      title: 'Nine flats, 24 keys',
      body: 'Every resident has a key of their own, on a ring that they choose.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'The ninth flat',
      body: 'It is on the fourth floor in Tătărași, without a lift and with a balcony. Three young women moved in on Friday and had tomatoes growing by Monday.',
      publishedAt: '2026-05-08T14:30:00Z',
      status: 'published',
    },
    {
      title: 'A contract of his own',
      body: 'After 22 months one of our first residents has signed a lease in his own name. He left us his frying pan, with instructions.',
      publishedAt: '2026-10-09T12:00:00Z',
      status: 'published',
    },
  ],
};

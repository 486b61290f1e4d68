import type { DemoProject } from './demo-project';

export const breakfastNairobi: DemoProject = {
  slug: 'breakfast-before-class-nairobi',
  name: 'Breakfast before class',
  category: 'food',
  country: 'KE',
  organization: 'Asubuhi Kitchens',
  summary: 'A bowl of warm porridge for 1,800 children in Nairobi, every school day at a quarter to seven.',
  description: [
    'Lessons in Kawangware begin at seven. Many children leave home without having eaten, because work begins early too. Hungry pupils are quiet pupils, teachers say, and not in a good way.',
    'Six school kitchens cook uji, a porridge of millet, maize and soya with a little milk and sugar. The flour comes from a mill three streets away and the cooks are mothers from the schools, who are paid for their work. One bowl costs 18 cents.',
  ].join('\n\n'),
  goalAmountCents: 58_320_00,
  status: 'active',
  highlights: [
    {
      title: '$9 is a term of breakfasts',
      body: 'Fifty bowls for one child at 18 cents each.',
      pictureSlug: 'breakfast-nairobi-bowl',
    },
    {
      title: 'Fourteen cooks',
      body: 'They start the fires at half past four and are done before the second lesson.',
      pictureSlug: null,
    },
    {
      title: 'Stoves that save wood',
      body: 'New stoves need half the firewood and send the smoke up a chimney.',
      pictureSlug: 'breakfast-nairobi-stove',
    },
  ],
  stories: [
    {
      title: 'The kitchen opens',
      body: 'On the first morning we cooked for 300 and 340 came. Nobody went without; the cooks ate bread.',
      publishedAt: '2026-01-19T07:00:00Z',
      status: 'archived',
    },
    {
      title: 'More desks taken',
      body: 'Attendance at the six schools rose from 81 to 93 in a hundred within one term. The latecomers now come early, because the first bowls have the most milk.',
      publishedAt: '2026-05-04T08:00:00Z',
      status: 'published',
    },
    {
      title: 'Recipe: uji for four hundred',
      body: 'Take 24 kilograms of flour and 130 litres of water, and never stop stirring. The head cook of kitchen two has written it down at last, with the weight of a pinch of salt: 400 grams.',
      publishedAt: '2026-09-17T06:30:00Z',
      status: 'published',
    },
  ],
};

export const nightBakeryPorto: DemoProject = {
  slug: 'bread-round-porto',
  name: 'The bread round of Porto',
  category: 'food',
  country: 'PT',
  organization: 'Pão da Noite',
  summary:
    'Volunteers on cargo bikes collect what 38 bakeries have left at closing time and bring it where it is needed.',
  description: [
    'At eight in the evening the bakeries of Porto have good bread left, and by the next morning it is waste. At the same hour shelters, student halls and large families are thinking about supper.',
    'Pão da Noite connects the two with five cargo bikes and a simple list. Each rider knows a route of seven or eight bakeries; nothing is stored, everything is handed over the same night. About 190 kilograms a day find a table.',
  ].join('\n\n'),
  goalAmountCents: 14_000_00,
  status: 'active',
  highlights: [
    {
      title: '$40 a month',
      body: 'It keeps one cargo bike on the road: tyres, brakes and charging.',
      pictureSlug: 'bread-round-porto-basket',
    },
    {
      title: 'Uphill included',
      body: 'Porto is steep. The bikes have motors; the riders have legs.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'Thirty-eight bakeries',
      body: 'It was 25 at New Year. The newest partner, in Campanhã, is known for its broa, a maize bread so heavy that the scale had to be recalibrated.',
      publishedAt: '2026-03-25T20:30:00Z',
      status: 'published',
    },
    {
      title: 'São João, all night',
      body: 'On the longest night of the city’s year the riders made two rounds and brought 410 kilograms home. One bike came back with a paper balloon.',
      publishedAt: '2026-06-25T10:00:00Z',
      status: 'published',
    },
  ],
};

export const seedBankJumla: DemoProject = {
  slug: 'seed-bank-jumla',
  name: 'A seed bank for Jumla',
  category: 'food',
  country: 'NP',
  organization: 'Himal Beu Samuha',
  summary:
    'A cool stone house at 2,500 metres keeps the seed of 90 mountain varieties and lends it to farmers.',
  description: [
    'Farmers in Jumla grow cold-hardy red rice, naked barley, and beans in fourteen colours, on terraces where little else will ripen. After a bad year families eat their seed, and a variety may be gone from a valley for good.',
    'The seed bank lends two kilograms in spring and takes back three in autumn. What is returned is dried, tested and stored in clay jars and steel bins. Gifts pay for the building, the drying racks and a keeper for three years.',
  ].join('\n\n'),
  goalAmountCents: 22_400_00,
  status: 'active',
  highlights: [
    {
      title: '$35 saves a variety',
      body: 'It pays for collecting, drying and testing one kind of seed.',
      pictureSlug: 'seed-bank-jumla-harvest',
    },
    {
      title: 'Two out, three back',
      body: 'A loan in seed, so that the bank grows with every good harvest.',
      pictureSlug: null,
    },
  ],
  stories: [],
};

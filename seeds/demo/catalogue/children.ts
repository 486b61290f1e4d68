import type { DemoProject } from './demo-project';

export const playgroundCebu: DemoProject = {
  slug: 'playground-under-the-flyover-cebu',
  name: 'A playground under the flyover',
  category: 'children',
  country: 'PH',
  organization: 'Dulaanan Commons Cebu',
  summary:
    'Eleven hundred square metres of shade in Cebu City become swings, slides and a place to learn cycling.',
  description: [
    'Under the flyover it is dry when it rains and cool at noon. Nobody used the place for anything but parked lorries, while 700 children in the three blocks around it played between cars.',
    'The plan was drawn by the children, on the ground, with chalk: four swings, two slides, a climbing net, a lane for learning to cycle, and benches for grandmothers with a view of all of it. A neighbourhood committee opens the gate at six and closes it at nine.',
  ].join('\n\n'),
  goalAmountCents: 24_500_00,
  status: 'active',
  highlights: [
    {
      title: '$75 hangs a swing',
      body: 'Galvanised chain, a rubber seat, and a check every month.',
      pictureSlug: 'playground-cebu-swing',
    },
    {
      title: 'For every child',
      body: 'One swing takes a wheelchair, and the ground has no steps.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'Chalk day',
      body: 'Ninety children drew what they wanted. We could not promise the roller coaster. Everything else is in the plan.',
      publishedAt: '2026-02-24T06:00:00Z',
      status: 'published',
    },
    {
      title: 'The swings are up',
      body: 'By a vote, the youngest child of each block went first. The queue after that reached the bakery.',
      publishedAt: '2026-07-13T05:45:00Z',
      status: 'published',
    },
  ],
};

export const siblingsCamp: DemoProject = {
  slug: 'siblings-summer-camp-tatry',
  name: 'A summer week for brothers and sisters',
  category: 'children',
  country: 'SK',
  organization: 'Súrodenci pod Štítom',
  summary: 'A week in the Tatra mountains for children whose brother or sister is seriously ill.',
  description: [
    'When a child is ill for a long time, a family turns around that child, as it must. The brothers and sisters learn early to need little. For one week in July they are the ones who are asked what they would like for dinner.',
    'Sixty children between eight and fifteen walk, swim, build dams and stay up late near Štrbské Pleso. Two psychologists are there, mostly with a guitar. The week costs families nothing, and the journey is paid for too.',
  ].join('\n\n'),
  goalAmountCents: 20_400_00,
  status: 'active',
  highlights: [
    {
      title: '$340, a whole week',
      body: 'Bed, board, journey, and a waterproof jacket to keep.',
      pictureSlug: 'siblings-camp-kites',
    },
    {
      title: 'One adult for four children',
      body: 'Many of our helpers came to the camp as children themselves.',
      pictureSlug: null,
    },
  ],
  stories: [],
};

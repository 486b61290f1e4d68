import type { DemoProject } from './demo-project';

export const floodBoatsSylhet: DemoProject = {
  slug: 'flood-boats-sylhet',
  name: 'Flood boats for Sylhet',
  category: 'emergency',
  country: 'BD',
  organization: 'Haor Rescue Circle',
  summary:
    'Twenty flat boats, stored where the floods begin, with trained crews from the villages they protect.',
  description: [
    'When the rivers above Sylhet rise, they rise in a night. Help from the town needs a day to arrive; the neighbours are there at once, if they have a boat.',
    'Each boat carries twelve people, is built by a yard in Sunamganj, and is kept on a rack at the school or the market with life vests, a rope, a radio and a box of water tablets. Crews of six practise every second month and before each monsoon.',
    'In dry months the boats work: they carry rice and pupils, and the fares pay for paint and repairs.',
  ].join('\n\n'),
  goalAmountCents: 64_000_00,
  status: 'active',
  highlights: [
    {
      title: '$3,200 launches a boat',
      body: 'Hull, engine, rack, radio, twelve vests, and the training of six people.',
      pictureSlug: 'flood-boats-sylhet-crew',
    },
    {
      title: '$18 is a life vest',
      body: 'In three sizes; the smallest fits a child of two.',
      pictureSlug: null,
    },
    {
      title: 'Ready in fifteen minutes',
      body: 'From the call to the water, measured at every exercise.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'Boat one is in the water',
      body: 'It is painted orange, because the crew voted, and it is called Doel, after the magpie-robin. On its first day it carried 48 pupils over to school.',
      publishedAt: '2026-03-05T09:00:00Z',
      status: 'published',
    },
    {
      title: 'The night of 21 June',
      body: 'Nine boats were out until morning in three upazilas. They brought 386 people to higher ground, as well as 41 goats and one sewing machine whose owner would not go without it.',
      publishedAt: '2026-06-24T07:30:00Z',
      status: 'published',
    },
    {
      title: 'What we change',
      body: 'Two radios failed when wet, and ropes were too short for the new embankment. Every box now holds a dry bag and thirty metres of rope. Fourteen boats are ready.',
      publishedAt: '2026-08-05T10:10:00Z',
      status: 'published',
    },
  ],
};

export const avalancheRadiosSvaneti: DemoProject = {
  slug: 'avalanche-radios-svaneti',
  name: 'Avalanche radios for Svaneti',
  category: 'emergency',
  country: 'GE',
  organization: 'Upper Valley Mountain Watch',
  summary:
    'Radios, probes and training for volunteers in nine mountain villages that winter cuts off for weeks.',
  description: [
    'Between Mestia and the highest hamlets the road closes with the first heavy snow, and the telephone often goes with it. If an avalanche comes down, neighbours are the rescue service for the first hours, and the first half hour counts most.',
    'The project equips nine teams of eight with radios, avalanche beacons, probes and shovels, and brings an instructor to each village for a week. Two solar repeaters on the ridge let every village hear the next one.',
  ].join('\n\n'),
  goalAmountCents: 41_500_00,
  status: 'active',
  highlights: [
    {
      title: '$190 equips a volunteer',
      body: 'Beacon, probe and shovel, to be passed on to the next one.',
      pictureSlug: 'avalanche-svaneti-tent',
    },
    {
      title: 'Nine villages, one channel',
      body: 'Each evening at seven every village says good night, so that a silence is noticed.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'Good evening from Ushguli',
      body: 'The first repeater is on its mast, carried up in pieces by three horses. At seven o’clock Ushguli said good evening, and five villages answered.',
      publishedAt: '2026-09-28T16:00:00Z',
      status: 'published',
    },
  ],
};

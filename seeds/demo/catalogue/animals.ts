import type { DemoProject } from './demo-project';

export const hedgehogHospital: DemoProject = {
  slug: 'hedgehog-hospital-ludlow',
  name: 'The hedgehog hospital of Ludlow',
  category: 'animals',
  country: 'GB',
  organization: 'Prickle & Hedge Rescue',
  summary:
    'A converted dairy in Shropshire nurses 500 hedgehogs a year and sends nine in ten of its patients home.',
  description: [
    'Most patients arrive in a cardboard box: caught in netting, met by a lawn mower, or born too late in autumn to weigh enough for the winter. A hedgehog needs about 600 grams to sleep safely until spring.',
    'The hospital has 44 pens, an incubator, and a rota of 70 volunteers who weigh, feed and clean twice a day. Once well, each animal goes back to the garden where it was found, and its people get a leaflet on how to cut a gap of 13 centimetres in a fence.',
  ].join('\n\n'),
  goalAmountCents: 28_000_00,
  status: 'active',
  highlights: [
    {
      title: '$8 feeds one for a week',
      body: 'Meaty food, a clean towel and a nightly weighing.',
      pictureSlug: 'hedgehog-ludlow-leaves',
    },
    {
      title: 'A road map of gaps',
      body: 'In Ludlow 312 gardens are now connected, fence by fence.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'Biscuit goes home',
      body: 'Found in October at 190 grams, released in April at 870. The family who had found him held a lantern, and he did not look back.',
      publishedAt: '2026-04-22T20:15:00Z',
      status: 'published',
    },
    {
      title: 'A very small September',
      body: 'Thirty-six hoglets in one month: a record. The incubator ran day and night, and volunteers fed in shifts every three hours. Thirty-three are eating on their own.',
      publishedAt: '2026-10-01T08:40:00Z',
      status: 'published',
    },
  ],
};

export const turtlesBoaVista: DemoProject = {
  slug: 'turtle-nests-boa-vista',
  name: 'Turtle nests on Boa Vista',
  category: 'animals',
  country: 'CV',
  organization: 'Praia Mansa',
  summary:
    'Night patrols guard 18 kilometres of beach on Cabo Verde while loggerhead turtles come ashore to nest.',
  description: [
    'From June to October loggerheads return to the beaches where they hatched. A female digs for an hour, lays about eighty eggs and is gone before dawn. Dogs, car wheels and lamps are what she has to fear.',
    'Twenty-four rangers from the villages walk the beach in pairs from eight in the evening to five in the morning. Nests in a dangerous place are moved to a fenced hatchery; hotels along the patrol have agreed to dim their lights. A ranger’s night costs $16.',
  ].join('\n\n'),
  goalAmountCents: null,
  status: 'active',
  highlights: [
    {
      title: '$16, one night on patrol',
      body: 'A ranger’s wage, a red lamp and hot coffee.',
      pictureSlug: 'turtle-boa-vista-night',
    },
    {
      title: 'Darker is better',
      body: 'Eleven hotels have turned 640 lamps away from the sea.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'Before the season',
      body: 'Rangers walked the whole beach with sacks and took away 2.1 tonnes of rope, bottles and nets, so that nobody has to dig through them.',
      publishedAt: '2026-05-15T10:00:00Z',
      status: 'archived',
    },
    {
      title: 'First track of the year',
      body: 'At 23:40 on 9 June two rangers saw a track as wide as a tractor’s. Eighty-three eggs, safe under the dune.',
      publishedAt: '2026-06-10T09:30:00Z',
      status: 'published',
    },
    {
      title: 'Down to the water',
      body: 'The first hatchery nest opened last night. It took the small ones eleven minutes to reach the sea, and it took the children of Povoação Velha much longer to go to bed.',
      publishedAt: '2026-08-12T08:00:00Z',
      status: 'published',
    },
  ],
};

export const donkeyClinic: DemoProject = {
  slug: 'donkey-clinic-bahir-dar',
  name: 'A clinic for working donkeys',
  category: 'animals',
  country: 'ET',
  organization: 'Gentle Load Ethiopia',
  summary: 'Market-day care for the donkeys that carry water, grain and firewood around Lake Tana.',
  description: [
    'A healthy donkey lets a family sell at the market instead of at the farm gate. A sore back means six weeks without income, for want of a padded saddle that costs nine dollars.',
    'On the three market days around Bahir Dar a vet and two assistants treat wounds, hooves and teeth, without charge. Next to them a saddler shows owners how to make a pad from sacking and straw.',
  ].join('\n\n'),
  goalAmountCents: 16_200_00,
  status: 'active',
  highlights: [
    {
      title: '$9 buys a padded saddle',
      body: 'Made in Bahir Dar; it lasts four years.',
      pictureSlug: 'donkey-bahir-dar-saddle',
    },
    {
      title: 'About 70 patients a market day',
      body: 'Hooves first, then backs, then teeth.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'The saddle line',
      body: 'We had cut forty pads and forty-six owners came. The last six were sewn on the spot, by the owners themselves, and theirs are the neatest.',
      publishedAt: '2026-03-30T13:00:00Z',
      status: 'published',
    },
    {
      title: 'Fewer sores',
      body: 'In January 34 of 100 donkeys at the Saturday market had a saddle sore. This month it was 12.',
      publishedAt: '2026-08-17T11:15:00Z',
      status: 'published',
    },
  ],
};

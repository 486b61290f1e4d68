import type { DemoProject } from './demo-project';

export const villageInternetChiloe: DemoProject = {
  slug: 'village-internet-chiloe',
  name: 'Village internet for Chiloé',
  category: 'technology',
  country: 'CL',
  organization: 'Red Vecina Chiloé',
  summary:
    'Six small islands build and run their own network, with masts on church hills and boats as service vans.',
  description: [
    'On the islands east of Chiloé a video call to the doctor in Castro used to mean a ferry. For 1,900 islanders no company laid a cable, so the neighbours have begun to build the network themselves.',
    'A mast costs as much as a used car and serves sixty households. The equipment runs on solar power; islanders who were trained in Castro mount and repair it. Households pay $7 a month, and schools and clinics pay nothing.',
  ].join('\n\n'),
  goalAmountCents: 72_000_00,
  status: 'active',
  highlights: [
    {
      title: '$45 connects a home',
      body: 'An antenna, twenty metres of cable and an afternoon’s work.',
      pictureSlug: 'village-internet-mast',
    },
    {
      title: 'Run by its users',
      body: 'Each island elects two keepers, who hold the key to the mast.',
      pictureSlug: null,
    },
    {
      title: 'Lessons across the water',
      body: 'Four island schools share a physics teacher, by video.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'A mast in the wind',
      body: 'Gusts of 110 kilometres an hour in June, and the mast on Quenac moved by less than a finger. Its keeper had tied it down as one ties a boat.',
      publishedAt: '2026-06-29T15:30:00Z',
      status: 'published',
    },
    {
      title: 'The doctor is on the line',
      body: 'The clinic on Chelín held 64 video consultations in its first month. Fifty-one patients needed no ferry at all.',
      publishedAt: '2026-10-12T14:00:00Z',
      status: 'published',
    },
  ],
};

export const laptopsKumasi: DemoProject = {
  slug: 'second-life-laptops-kumasi',
  name: 'Second-life laptops for Kumasi',
  category: 'technology',
  country: 'GH',
  organization: 'Restart Bench Kumasi',
  summary: 'Apprentices renew office laptops and set up computer rooms at twenty-five public schools.',
  description: [
    'An office replaces a laptop after four years. With a new battery, more memory and a clean keyboard it is good for another five. In Kumasi 25 public schools teach computing from drawings on the board.',
    'Restart Bench collects used laptops from offices, wipes them, repairs them and fills them with software in English and Twi. The bench is also a school: sixteen apprentices a year learn a trade there. What cannot be saved goes to a certified recycler.',
  ].join('\n\n'),
  goalAmountCents: null,
  status: 'active',
  highlights: [
    {
      title: '$55 renews a laptop',
      body: 'Battery, memory, and two hours at the bench.',
      pictureSlug: 'laptops-kumasi-bench',
    },
    {
      title: 'Twenty to a room',
      body: 'Two pupils share one screen, and a teacher is trained at every school.',
      pictureSlug: null,
    },
  ],
  stories: [],
};

export const weatherStationsHuye: DemoProject = {
  slug: 'weather-stations-huye',
  name: 'Weather stations for the hills of Huye',
  category: 'technology',
  country: 'RW',
  organization: 'Umusozi Weather Club',
  summary:
    'Forty small weather stations, built by students, tell farmers by text message when to plant and when to wait.',
  description: [
    'In the hills of Huye rain falls on one slope and not on the next. The forecast on the radio speaks of the province; the beans grow on the slope.',
    'Students of three technical schools build the stations: a rain gauge, two sensors and a solar cell in a printed case. A text message in Kinyarwanda goes out each evening to 3,200 farmers, who can answer it. Their answers have made the forecast better than any sensor could alone.',
  ].join('\n\n'),
  goalAmountCents: 11_600_00,
  status: 'active',
  highlights: [
    {
      title: '$290 is a station',
      body: 'With its mast, its solar cell and a year of text messages.',
      pictureSlug: 'weather-stations-huye-hill',
    },
    {
      title: 'Built in class',
      body: 'Every station bears the names of the four students who soldered it.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'Station one, hill one',
      body: 'It stands beside the school in Maraba, between coffee and bananas. In its first week it measured 48 millimetres of rain; two kilometres away it was 11.',
      publishedAt: '2026-04-20T12:30:00Z',
      status: 'published',
    },
    {
      title: 'Wait three days',
      body: 'In September the message was: do not sow yet. Those who waited lost no seed to the dry week that followed, and have written to say so, 214 times.',
      publishedAt: '2026-09-25T16:45:00Z',
      status: 'published',
    },
  ],
};

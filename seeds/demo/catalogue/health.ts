import type { DemoProject } from './demo-project';

export const eyeglassesSaoLuis: DemoProject = {
  slug: 'eyeglasses-sao-luis',
  name: 'Eyeglasses for São Luís',
  category: 'health',
  country: 'BR',
  organization: 'Instituto Ver de Perto',
  summary:
    'Eye tests at 60 public schools in Maranhão, and glasses, made the same day, for every child who needs them.',
  description: [
    'About one pupil in eight cannot read the board from the third row. Many do not know it: to them the world has always looked like that. In São Luís and on the islands around it the nearest optician may be a ferry away.',
    'A team of four brings a test chart, a lens edger and 200 frames in nine colours to a school. Children are tested in the morning and wear their glasses in the afternoon. A pair costs $11, with the test, the case and one repair.',
    'Teachers learn the signs to look for, so that the next child is noticed in the first week of school.',
  ].join('\n\n'),
  goalAmountCents: 39_600_00,
  status: 'active',
  highlights: [
    {
      title: '$11, one pair',
      body: 'Test, frame, lenses, case, and one repair within two years.',
      pictureSlug: 'eyeglasses-sao-luis-lens',
    },
    {
      title: 'Nine colours',
      body: 'A child who chooses the frame wears it. Turquoise is ahead.',
      pictureSlug: null,
    },
    {
      title: '3,600 pairs',
      body: 'The goal covers every child of the 60 schools who is likely to need glasses.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'Leaves on the trees',
      body: 'In Raposa a boy of nine stepped into the yard with new glasses and looked up for a long time. He had not known that one can see single leaves from below.',
      publishedAt: '2026-04-16T19:00:00Z',
      status: 'published',
    },
    {
      title: 'One thousand pairs',
      body: 'Pair number 1,000 is red, very round, and belongs to a goalkeeper in Alcântara. She reports two saved penalties.',
      publishedAt: '2026-09-22T15:40:00Z',
      status: 'published',
    },
  ],
};

export const midwivesKaramoja: DemoProject = {
  slug: 'midwives-on-motorcycles-karamoja',
  name: 'Midwives on motorcycles',
  category: 'health',
  country: 'UG',
  organization: 'Safe Arrival Karamoja',
  summary:
    'Eight midwives with motorcycles reach mothers in villages that are a day’s walk from a health centre.',
  description: [
    'In Karamoja the distance between two health centres can be forty kilometres of sand and thorn. A midwife on foot sees two mothers a day; on a motorcycle she sees nine, and arrives in time when somebody calls at night.',
    'Safe Arrival trains midwives from the region, gives each a sturdy 125 cc motorcycle and a kit that fits on its rack, and pays for fuel and tyres. A visit costs $6, all included. Three visits before a birth and two after it make most problems small ones.',
  ].join('\n\n'),
  goalAmountCents: null,
  status: 'active',
  highlights: [
    {
      title: '$30, five visits',
      body: 'All that a mother needs before and after the birth of her child.',
      pictureSlug: 'midwives-karamoja-home',
    },
    {
      title: 'A kit of four kilograms',
      body: 'Blood pressure cuff, clean cord clamps, a scale, a lamp, and a knitted cap.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'Twins at the riverbed',
      body: 'The river was high and the road was gone. Our midwife crossed on foot, the kit on her head, and two girls were born at four in the morning. Both weigh more than two kilograms; all are well.',
      publishedAt: '2026-05-26T06:50:00Z',
      status: 'published',
    },
    {
      title: 'Night school for engines',
      body: 'The eight midwives spent a week with a mechanic in Moroto. They can now change a tyre in twelve minutes, in the dark, which is when tyres go flat.',
      publishedAt: '2026-07-30T09:20:00Z',
      status: 'published',
    },
    {
      title: 'The thousandth visit',
      body: 'Since January the team has made 1,000 visits and ridden 31,400 kilometres: three quarters of the way round the Earth.',
      publishedAt: '2026-10-05T10:00:00Z',
      status: 'published',
    },
  ],
};

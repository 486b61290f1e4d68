import type { DemoProject } from './demo-project';

export const cleanWaterForKisumu: DemoProject = {
  slug: 'clean-water-for-kisumu',
  name: 'Clean water for Kisumu',
  category: 'water',
  country: 'KE',
  organization: 'Lakeside Wells',
  summary: 'Twelve boreholes with solar pumps for schools on the shore of Lake Victoria.',
  description: [
    'Around Kisumu many schools stand within sight of Lake Victoria and still have no water that is safe to drink. Pupils bring a bottle from home, or leave class to fetch water from the shore. When the rains come, stomach illness empties whole rows of desks.',
    'Lakeside Wells drills a borehole of about 60 metres at each of twelve schools, sets a solar pump and a 5,000-litre tank above it, and trains three caretakers a school, who check the water every week. One borehole with all of this costs $4,000.',
    'After the first year each school pays for its own spare parts from a small fee for neighbours, who may fill their cans in the afternoon.',
  ].join('\n\n'),
  goalAmountCents: 48_000_00,
  status: 'active',
  highlights: [
    {
      title: '$25 keeps a tap running',
      body: 'It pays for the seals and washers that one pump needs in a year.',
      pictureSlug: 'clean-water-kisumu-well',
    },
    {
      title: '5,400 pupils',
      body: 'That many children and their teachers learn at the twelve schools.',
      pictureSlug: null,
    },
    {
      title: 'Tested every month',
      body: 'A laboratory in Kisumu checks a sample from each tap; the result hangs beside it.',
      pictureSlug: 'clean-water-kisumu-rain',
    },
  ],
  stories: [
    {
      title: 'Water at 58 metres',
      body: 'At the first school the drill went through clay, gravel and two days of hard rock. On the third afternoon, at 58 metres, the water came up brown, then grey, then clear. The headteacher let every class out to see it.',
      publishedAt: '2026-03-12T08:30:00Z',
      status: 'published',
    },
    {
      title: 'Three caretakers and a blue toolbox',
      body: 'Before a pump is handed over, three people from the school community take it apart and put it together again. This week a cook, a gatekeeper and a mathematics teacher did it in fifty minutes. The toolbox stays with them.',
      publishedAt: '2026-04-28T10:00:00Z',
      status: 'published',
    },
    {
      title: 'Four down, eight to go',
      body: 'Four schools now have running water. The nurse at the largest keeps a list of absences for stomach illness: 41 in May of last year, 9 this May.',
      publishedAt: '2026-06-09T07:15:00Z',
      status: 'published',
    },
    {
      title: 'The kitchen garden nobody planned',
      body: 'The overflow of the tank in Dunga used to run into the road. Class six dug a channel and planted cowpeas, sukuma wiki and tomatoes along it. Lunch has been greener since.',
      publishedAt: '2026-08-20T12:00:00Z',
      status: 'published',
    },
    {
      title: 'The seventh pump, on a boat',
      body: 'The road to the seventh school was under water, so the pump, the panels and eleven lengths of pipe travelled by fishing boat. Everything arrived dry.',
      publishedAt: '2026-10-14T09:45:00Z',
      status: 'published',
    },
  ],
};

export const fogNetsForLima: DemoProject = {
  slug: 'fog-nets-above-lima',
  name: 'Fog nets above Lima',
  category: 'water',
  country: 'PE',
  organization: 'Colina Clara',
  summary:
    'Nets on the hills catch winter fog and turn it into water for kitchens, gardens and 300 young trees.',
  description: [
    'It hardly ever rains in Lima, but from May to October the fog rolls in from the Pacific and stays. In the highest streets of Villa María del Triunfo water still comes by lorry and costs several times what it costs downtown.',
    'A fog net is a simple thing: eight metres of mesh between two posts, a gutter and a pipe. On a good night one net gives 200 litres. Families build the nets together with Colina Clara and share the water by a list that hangs at the tank. It is used for washing and gardens, and filtered for cooking.',
  ].join('\n\n'),
  goalAmountCents: 18_500_00,
  status: 'active',
  highlights: [
    {
      title: '$370 builds a net',
      body: 'Posts, mesh, gutter, cables and a share of the tank. Fifty nets are planned.',
      pictureSlug: 'fog-nets-lima-hill',
    },
    {
      title: 'A hedge against dust',
      body: 'Part of the water goes to 300 tara trees, which catch fog themselves once they are grown.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'First fog of the season',
      body: 'On 19 May the first ten nets dripped for six hours. By breakfast there were 1,300 litres in the tank, and a queue of very small children with very small buckets.',
      publishedAt: '2026-05-21T14:00:00Z',
      status: 'published',
    },
    {
      title: 'Mending day',
      body: 'A storm tore three nets in August. Eleven neighbours sewed them on the football pitch with fishing line, and the new seams are stronger than the mesh.',
      publishedAt: '2026-08-30T16:20:00Z',
      status: 'published',
    },
  ],
};

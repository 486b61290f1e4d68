import type { DemoProject } from './demo-project';

export const koraZiguinchor: DemoProject = {
  slug: 'kora-school-ziguinchor',
  name: 'Kora lessons in Ziguinchor',
  category: 'culture',
  country: 'SN',
  organization: 'Atelier Vingt-et-Une Cordes',
  summary:
    'Two masters teach sixty young people to build, tune and play the kora, the harp of twenty-one strings.',
  description: [
    'A kora is half a calabash, a cow’s skin, a pole of rosewood and twenty-one strings. For centuries it was handed down within families of musicians; today many of those families have moved to the cities, and the oldest pieces are known to a few people only.',
    'The workshop in Ziguinchor is open to every child, girls as well as boys. Pupils build their own instrument in the first year and learn eight pieces in the second. All lessons are recorded, with the consent of the masters, for the town library.',
  ].join('\n\n'),
  goalAmountCents: 19_800_00,
  status: 'active',
  highlights: [
    {
      title: '$110 makes a kora',
      body: 'Calabash, skin, wood, strings, and three weeks at the bench.',
      pictureSlug: 'kora-ziguinchor-bench',
    },
    {
      title: '$5 is a set of strings',
      body: 'Made of fishing line in four strengths, and broken quite often.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'Sixteen new koras',
      body: 'The first class has finished its instruments. No two sound alike, and their makers can tell them apart with their eyes closed.',
      publishedAt: '2026-03-18T17:00:00Z',
      status: 'published',
    },
    {
      title: 'A concert under the kapok tree',
      body: 'Three hundred people came, and the power did not. The koras did not mind.',
      publishedAt: '2026-07-06T21:00:00Z',
      status: 'published',
    },
  ],
};

export const puppetStageOlomouc: DemoProject = {
  slug: 'puppet-stage-olomouc',
  name: 'The travelling puppet stage',
  category: 'culture',
  country: 'CZ',
  organization: 'Spolek Dřevěná Noha',
  summary:
    'A restored puppet stage from 1911 toured 48 villages around Olomouc. The tour is over; the stage has a home.',
  description: [
    'It lay in a barn near Olomouc for fifty years: a folding stage, nine painted backdrops and 34 puppets of lime wood, one without a leg. Restorers and volunteers brought it back, strings and all.',
    'From April to August 2026 the stage played in 48 villages that have no theatre. It now stands in the district museum, where school classes may play on it. The goal was reached, and what was left bought a second set of strings.',
  ].join('\n\n'),
  goalAmountCents: 12_500_00,
  status: 'archived',
  highlights: [
    {
      title: '34 puppets',
      body: 'A king, a devil, two dragons and a baker, all with their original eyes.',
      pictureSlug: 'puppet-olomouc-stage',
    },
    {
      title: '4,900 spectators',
      body: 'About half of them shorter than the front bench.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'The wooden leg',
      body: 'The water sprite has his leg again, carved from the same kind of lime. He walks a little stiffly, which suits him.',
      publishedAt: '2026-03-03T10:00:00Z',
      status: 'published',
    },
    {
      title: 'The last curtain',
      body: 'In Náměšť na Hané the tour came to an end in front of 210 people. Thank you for every mile and every string.',
      publishedAt: '2026-08-31T19:30:00Z',
      status: 'published',
    },
  ],
};

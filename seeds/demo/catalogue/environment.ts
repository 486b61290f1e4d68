import type { DemoProject } from './demo-project';

export const mangrovesToliara: DemoProject = {
  slug: 'mangroves-toliara',
  name: 'Mangroves for Toliara',
  category: 'environment',
  country: 'MG',
  organization: 'Ala Morontsiraka',
  summary:
    'Seven fishing villages plant 400,000 mangroves along the bay, and guard the crabs that come back with them.',
  description: [
    'Mangroves are the nursery of the sea. Where they were cut for charcoal south-west of Toliara, the shore lost its shrimps and crabs, and cyclones reached the houses.',
    'Villagers gather ripe seedlings under the old trees and plant them at low tide, a metre apart. Every village decides where planting is allowed and where cutting still is. A planter earns a fair day’s wage, and each hectare is counted again after one year and after three.',
    'One dollar plants and guards four mangroves. About three of them will be alive in three years.',
  ].join('\n\n'),
  goalAmountCents: 100_000_00,
  status: 'active',
  highlights: [
    {
      title: '$1, four mangroves',
      body: 'Gathered, planted and guarded for three years.',
      pictureSlug: 'mangroves-toliara-roots',
    },
    {
      title: 'Counted twice',
      body: 'The villages of a neighbouring bay do the counting, and ours count theirs.',
      pictureSlug: null,
    },
    {
      title: 'Crabs again',
      body: 'In the oldest plots the catch of mud crabs has doubled in four years.',
      pictureSlug: 'mangroves-toliara-coast',
    },
  ],
  stories: [
    {
      title: 'Low tide at five in the morning',
      body: 'A hundred and twelve people planted 9,000 seedlings before the water returned. Breakfast was rice, fried fish and a great deal of laughing about who sank in deepest.',
      publishedAt: '2026-02-06T05:30:00Z',
      status: 'published',
    },
    {
      title: 'After the storm',
      body: 'The cyclone of March passed forty kilometres to the north. We lost one plot in nine. Behind the old belt of trees not a single roof was damaged.',
      publishedAt: '2026-04-02T12:00:00Z',
      status: 'published',
    },
    {
      title: 'Number 150,000',
      body: 'The seedling was planted by the oldest fisherman of Ankilibe, who remembers the bay when it was green all round.',
      publishedAt: '2026-09-10T06:45:00Z',
      status: 'published',
    },
  ],
};

export const bogParnumaa: DemoProject = {
  slug: 'bog-comes-back-parnumaa',
  name: 'A bog comes back in Pärnumaa',
  category: 'environment',
  country: 'EE',
  organization: 'Märg Maa Selts',
  summary:
    'Closing 31 kilometres of old ditches, so that a drained bog can fill with water, moss and cranes again.',
  description: [
    'A living bog grows by a millimetre a year. This one was drained in the 1960s for peat and has been drying ever since; in hot summers it smoulders.',
    'The cure is mostly carpentry: some 420 dams of planks and peat across the ditches. The water rises by a hand’s breadth in the first winter, peat moss follows in two or three years, and cranes do not wait that long. A dam costs $85 and takes four people half a day.',
  ].join('\n\n'),
  goalAmountCents: 35_700_00,
  status: 'active',
  highlights: [
    {
      title: '$85 is a dam',
      body: 'Planks of local spruce, tools, and soup for four.',
      pictureSlug: 'bog-parnumaa-trees',
    },
    {
      title: 'Boardwalk for all',
      body: 'A path of 1.8 kilometres, wide enough for a wheelchair, leads to the tower.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'One hundred dams',
      body: 'The volunteers’ weekend in May closed ditches 88 to 100. The gauge beside the last one rose by eleven centimetres overnight.',
      publishedAt: '2026-05-19T09:00:00Z',
      status: 'published',
    },
    {
      title: 'Cranes, nine of them',
      body: 'They came on 2 September at dusk and stood where in spring there was dry heather. We have moved the boardwalk’s route by sixty metres, for their sake.',
      publishedAt: '2026-09-08T17:45:00Z',
      status: 'published',
    },
  ],
};

export const streetTreesDaNang: DemoProject = {
  slug: 'street-trees-da-nang',
  name: 'Shade trees for Đà Nẵng',
  category: 'environment',
  country: 'VN',
  organization: 'Nhóm Bóng Mát',
  summary: 'A thousand shade trees for the hottest streets of Đà Nẵng, each with a household that waters it.',
  description: [
    'On a June afternoon the asphalt in Thanh Khê is 58 degrees warm; under an old tree it is 34. Street sellers, schoolchildren and delivery riders know every patch of shade by heart.',
    'The streets were chosen with a thermometer. Each tree gets a pit with room for its roots, a storm-proof stake and a household nearby that promises to water it for two years. The planners chose six native kinds, so that no single pest can take them all.',
  ].join('\n\n'),
  goalAmountCents: 45_000_00,
  status: 'active',
  highlights: [
    {
      title: '$45 plants a tree',
      body: 'A tree three metres tall, its pit, its stake and two years of care.',
      pictureSlug: 'street-trees-da-nang-row',
    },
    {
      title: 'Water by promise',
      body: 'A small enamel sign names the household that looks after the tree.',
      pictureSlug: null,
    },
  ],
  stories: [],
};

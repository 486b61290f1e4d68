import type { DemoProject } from './demo-project';

export const libraryBusLodz: DemoProject = {
  slug: 'library-bus-lodz',
  name: 'A library bus for Łódź',
  category: 'education',
  country: 'PL',
  organization: 'Fundacja Czytająca Ulica',
  summary: 'A retired city bus with 2,400 books stops at fourteen housing estates where there is no library.',
  description: [
    'The outer estates of Łódź grew fast, and the libraries stayed in the centre. For a child in Olechów or Teofilów borrowing a book means two trams and an adult who has the time.',
    'The foundation bought a bus that had already driven 640,000 kilometres and filled it with shelves, a reading bench and a heater. It keeps a timetable like any other line: each estate has its afternoon, every two weeks. Books are in Polish, Ukrainian, Vietnamese and English, and there is no fine for a late one.',
    'Gifts pay for diesel, new books and the driver, who is also an excellent reader of bedtime stories.',
  ].join('\n\n'),
  goalAmountCents: 32_000_00,
  status: 'active',
  highlights: [
    {
      title: '$12 buys a new picture book',
      body: 'It will be borrowed about thirty times before its spine gives in.',
      pictureSlug: 'library-books-lodz',
    },
    {
      title: 'Fourteen stops',
      body: 'The timetable is printed on a bookmark, so nobody has to look it up.',
      pictureSlug: 'library-bus-lodz-stop',
    },
    {
      title: 'Stories aloud',
      body: 'At five o’clock the engine is off and somebody reads, often a grandparent from the estate.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'The first stop: forty-one new readers',
      body: 'We had hoped for ten. By six o’clock the picture books were gone and a boy of seven had asked whether he might borrow the bus.',
      publishedAt: '2026-02-17T17:30:00Z',
      status: 'published',
    },
    {
      title: 'A shelf in Ukrainian',
      body: 'Readers in Widzew wrote a wish list, and 180 books in Ukrainian have arrived. The best loved so far is a thick one about whales.',
      publishedAt: '2026-05-11T15:00:00Z',
      status: 'published',
    },
    {
      title: 'Summer timetable',
      body: 'In July and August the bus parked beside the outdoor pool at Stawy Jana. Wet fingers did some harm; 612 books went out all the same.',
      publishedAt: '2026-09-03T08:00:00Z',
      status: 'published',
    },
  ],
};

export const brailleTextbooksOaxaca: DemoProject = {
  slug: 'braille-textbooks-oaxaca',
  name: 'Braille textbooks for Oaxaca',
  category: 'education',
  country: 'MX',
  organization: 'Taller Puntos del Valle',
  summary: 'Primary school books in Braille, with maps and drawings that can be felt, for 85 blind pupils.',
  description: [
    'In the valleys around Oaxaca most blind children go to an ordinary village school. They listen, they remember, and they have no book of their own. One mathematics book fills five volumes in Braille and takes weeks to make by hand.',
    'Taller Puntos del Valle has an embosser, two transcribers and a table full of glue, string and sandpaper, where diagrams become something for the fingers. A complete set for one pupil and one school year costs $310, and is passed on to the next child.',
  ].join('\n\n'),
  goalAmountCents: 26_350_00,
  status: 'active',
  highlights: [
    {
      title: '$62 is one subject',
      body: 'It makes all volumes of one subject for one pupil.',
      pictureSlug: 'braille-books-oaxaca',
    },
    {
      title: 'Maps you can feel',
      body: 'Rivers are string, mountains are sandpaper, and the sea is smooth.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'The map of México',
      body: 'A girl in Tlacolula followed the coast with her finger for a whole lesson. “It is longer than I was told,” she said.',
      publishedAt: '2026-04-07T18:00:00Z',
      status: 'published',
    },
    {
      title: 'Twenty sets in twenty boxes',
      body: 'The books of the new school year left in August by van, lorry and, for the last village, on the roof of a shared taxi.',
      publishedAt: '2026-08-24T13:10:00Z',
      status: 'published',
    },
  ],
};

export const lampsForMzuzu: DemoProject = {
  slug: 'homework-lamps-mzuzu',
  name: 'Homework lamps for Mzuzu',
  category: 'education',
  country: 'MW',
  organization: 'Evening Desk Malawi',
  summary:
    'Solar lamps that pupils borrow like library books. All 1,500 lamps are in use, and the project is complete.',
  description: [
    'In the villages around Mzuzu it is dark soon after six, and homework used to be done by candle or not at all. Nineteen schools now lend solar lamps: charged on the school roof by day, carried home in the evening, returned in the morning.',
    'The project reached its goal in July 2026. Each school keeps a repair box with batteries and switches, and pays for it with a lending fee of a few cents a month.',
  ].join('\n\n'),
  goalAmountCents: 21_000_00,
  status: 'archived',
  highlights: [
    {
      title: '$14 was one lamp',
      body: 'With its share of the charging shelf and of the repair box.',
      pictureSlug: 'homework-lamps-mzuzu-desk',
    },
    {
      title: '1,500 lamps, 19 schools',
      body: 'At the last count 1,463 were working and 37 were in a repair box.',
      pictureSlug: null,
    },
  ],
  stories: [
    {
      title: 'Shelf number ten',
      body: 'The tenth charging shelf is up. Pupils carry the lamps home in cloth bags that the sewing club made from flour sacks.',
      publishedAt: '2026-01-22T09:00:00Z',
      status: 'archived',
    },
    {
      title: 'Thank you, and lights on',
      body: 'The last ninety lamps were handed out today in Ekwendeni. The schools run the lending alone from here on. Thank you to everybody who gave.',
      publishedAt: '2026-07-16T11:30:00Z',
      status: 'published',
    },
  ],
};

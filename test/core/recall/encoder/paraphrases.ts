/** Lessons, each with questions it should be found by that say it in other words. */
export const PARAPHRASES: readonly {
  readonly lesson: string;
  readonly asked: readonly string[];
}[] = [
  {
    lesson: 'Count the stations after the one where you board, up to the destination.',
    asked: [
      'How many stops does the train make before I get off?',
      'number of halts on the journey',
    ],
  },
  {
    lesson: 'A transfer is needed where two metro lines meet; look for the interchange circle.',
    asked: [
      'Where do I change from one subway route to another?',
      'connection between underground services',
    ],
  },
  {
    lesson: 'Arrows on a line mean that trains run in one direction only.',
    asked: ['Can I travel back the opposite way on this route?', 'one-way track'],
  },
  {
    lesson: 'Read the colours in the legend before matching a series of the chart.',
    asked: [
      'Which key entry belongs to the green curve of the graph?',
      'what does the orange bar stand for',
    ],
  },
  {
    lesson: 'The vertical axis may not begin at zero, so compare tick labels and not bar heights.',
    asked: [
      'Is the tallest column twice as high as the second one in this histogram?',
      'truncated scale on the plot',
    ],
  },
  {
    lesson:
      'Pie slices add up to one hundred percent; subtract the known shares to get the missing one.',
    asked: [
      'What proportion of the pie belongs to the remaining category?',
      'unknown percentage of a circular diagram',
    ],
  },
  {
    lesson: 'The total on a receipt includes tax; the subtotal does not.',
    asked: [
      'How much did the customer pay altogether on this bill?',
      'sum due on the invoice before VAT',
    ],
  },
  {
    lesson: 'Find the heading of the section, then read the paragraph below it.',
    asked: [
      'What does the second chapter of the report say about its methods?',
      'text beneath the title on the page',
    ],
  },
  {
    lesson: 'In a table, follow the row label across to the column that is asked for.',
    asked: [
      'Which cell holds the population of Norway in 1990?',
      'look up an entry in a spreadsheet',
    ],
  },
  {
    lesson: 'The signature and the date stand at the bottom of a letter.',
    asked: ['Who signed the contract, and when?', 'author at the end of the correspondence'],
  },
  {
    lesson: 'The angles of a triangle sum to 180 degrees.',
    asked: [
      'Two corners measure 50° and 60°; what is the third one?',
      '\\angle ABC in an isosceles \\triangle',
    ],
  },
  {
    lesson: 'The area of a circle is pi times the radius squared.',
    asked: [
      'How large is the region inside a disc of diameter 8 cm?',
      'surface enclosed by a round shape',
    ],
  },
  {
    lesson: 'Similar figures have sides in the same ratio.',
    asked: [
      'The small quadrilateral is a scaled copy of the large one; find the missing length.',
      'proportional polygons',
    ],
  },
  {
    lesson: 'The probability of independent events is the product of their probabilities.',
    asked: [
      'What is the chance that two dice both show six?',
      'odds of drawing two red marbles in a row',
    ],
  },
  {
    lesson: 'A cube has six faces, twelve edges and eight vertices.',
    asked: ['How many corners does this solid block have?', 'unfolded net of a box'],
  },
  {
    lesson: 'Paths on a grid are counted with combinations.',
    asked: [
      'In how many ways can the ant walk along the lattice to the opposite corner?',
      'number of routes right and up',
    ],
  },
  {
    lesson: 'Check that a file exists before you delete or move it.',
    asked: ['remove the old document from the folder', 'rename report.txt in the directory'],
  },
  {
    lesson: 'Run the failing unit test first and read its assertion message.',
    asked: [
      'pytest reports an error after my change',
      'the test suite breaks, where to start debugging',
    ],
  },
  {
    lesson: 'Catch the exception where the response is parsed, and keep its cause.',
    asked: [
      'parseReply throws when the server returns invalid JSON',
      'handle errors of malformed HTTP answers',
    ],
  },
  {
    lesson: 'Search the repository for the name of the function before editing it.',
    asked: ['where in the codebase is this method defined', 'grep for usages of a variable'],
  },
  {
    lesson:
      'Ask for confirmation before cancelling a flight reservation, for the fare may not be refunded.',
    asked: ['I want my money back for the airline ticket', 'call off the trip that was booked'],
  },
  {
    lesson: 'Log in with the user name and password before calling other functions of the API.',
    asked: ['access token required, authenticate the account', 'sign in to the service'],
  },
  {
    lesson: 'Post the message to the recipient by user id, not by name.',
    asked: ['send a note to Catherine', 'e-mail a colleague'],
  },
  {
    lesson: 'Zoom into small print before reading numbers from a photograph.',
    asked: ['The digits in the picture are too tiny to make out', 'enlarge part of the image'],
  },
  {
    lesson: 'North is at the top of a map unless a compass says otherwise.',
    asked: [
      'Which town lies to the south-west of the lake?',
      'cardinal direction from the capital to the border',
    ],
  },
  {
    lesson: 'Use the scale bar to turn a length on paper into kilometres.',
    asked: [
      'How far apart are the two cities in miles?',
      'real distance between villages on an atlas sheet',
    ],
  },
];

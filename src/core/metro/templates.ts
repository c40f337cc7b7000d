/**
 * The shape of a network on a grid of 11 columns (0 … 10) and 7 rows (0 … 6), before stations are
 * left out, mirrored and named. What the questions need is planted here: two lines of a look-alike
 * pair share two places, a loop crosses other lines, and where `closed` bars the one change between
 * two lines the way round is two changes longer.
 */
export interface Template {
  /** Points `column,row` along each line; `?` marks a station that may be left out. `o` is the loop. */
  readonly lines: Readonly<Record<string, string>>;
  readonly lookAlikes: readonly (readonly [string, string])[];
  /** Lines and the places on them where their trains may be made not to stop. */
  readonly skips: readonly string[];
  /** The first is always closed to changes, one of the others may be. */
  readonly closed: readonly string[];
}

/** A corridor through a loop: the pair runs side by side, parts and meets again. */
const CORRIDOR: Template = {
  lines: {
    a: '0,2 1,2? 2,2? 3,2 4,2 5,2 7,2 8,2 9,2 10,2',
    b: '0,4 1,4? 2,4 3,3 4,2 5,2 6,3 7,3 8,2 9,1 10,0',
    c: '5,0 5,1 5,2 5,3? 5,4 5,5? 5,6',
    d: '0,6 1,6? 3,6 5,6 6,6 7,5',
    e: '10,1? 9,2 9,3 8,4 7,5 6,6',
    o: '4,1 5,1 6,1 7,2 7,3 6,4 5,4 4,4 3,3 3,2',
  },
  lookAlikes: [
    ['a', 'b'],
    ['d', 'e'],
  ],
  skips: ['a 3,2', 'a 7,2', 'b 3,3', 'b 7,3', 'c 5,2', 'c 5,1', 'c 5,4', 'd 6,6'],
  closed: ['9,2', '3,3', '5,4'],
};

/** A lens: the pair crosses twice, and one of the two enters the loop. */
const LENS: Template = {
  lines: {
    a: '0,1? 1,1 2,2? 3,3 4,4 5,4 6,4 7,3 8,2 9,1? 10,0',
    b: '1,4 2,4 3,3 4,2 6,2 7,3 8,4 9,4? 10,4',
    c: '4,0 4,1? 4,2 5,3 5,4 5,5? 5,6',
    d: '0,6 1,6 2,6 3,6? 5,6 6,6 7,5',
    e: '2,0 1,1 0,2 0,3? 0,5 1,6 2,6',
    o: '6,2 6,1 7,0 8,0? 9,0 10,1 9,2 8,2 7,2?',
  },
  lookAlikes: [
    ['a', 'b'],
    ['d', 'e'],
  ],
  skips: ['a 5,4', 'b 4,2', 'c 4,2', 'c 5,4', 'd 2,6'],
  closed: ['1,1', '6,2', '8,2'],
};

/** A ring around the middle, with two lines that part inside it and end at one place. */
const RING: Template = {
  lines: {
    a: '1,0 2,1 3,2 4,3 5,3 6,3 7,2 8,1 10,1',
    b: '1,4 2,4? 3,4 4,3 5,3 6,4 7,4 8,3 9,2 10,1',
    c: '5,0 5,1 5,2? 5,3 5,4? 5,5 5,6',
    d: '0,6? 1,6 2,6 3,6? 5,6 7,6',
    e: '3,0? 2,1 1,2? 0,3 0,4? 0,5 1,6 2,6',
    o: '3,2 4,1 5,1 6,1 7,2 7,4 6,5 5,5 4,5 3,4',
  },
  lookAlikes: [
    ['a', 'b'],
    ['d', 'e'],
  ],
  skips: ['a 3,2', 'a 7,2', 'b 3,4', 'b 7,4', 'c 5,1', 'c 5,5', 'c 5,3', 'd 2,6'],
  closed: ['2,1', '3,2', '5,5'],
};

/** Every shape a map can have. */
export const TEMPLATES: readonly Template[] = [RING, CORRIDOR, LENS];

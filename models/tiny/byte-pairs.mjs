/** Words of the kind Grove's texts have, from which the commonest pairs are learned. */
const SAMPLE = `
the agent takes the red line from the north station to the south station and then the blue line
how many stations are there between the first transfer and the last stop of the green line
count the lines that cross at this station then find the shortest path to the other side of the map
look at the figure and read the values of the chart before you answer the question
the answer is the number of triangles inside the square with an area of twelve and a side of four
when a step fails say what was seen and what should be tried next instead of the same step again
an experience says in which case an insight holds and what was learned from the right and wrong answers
similar questions are found by their words and by their vectors and the best of them are shown first
zoom in on the image and crop the part that matters and write down each name that you can read there
`;

/** How GPT-2 cuts a text before it looks for pairs, without the English contractions. */
const PIECES = / ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+/gu;

/**
 * The character that stands for each byte in a byte-level vocabulary: printable ones for themselves, the
 * others from U+0100 on, in order, so that none is a space or a control character.
 *
 * @type {readonly string[]}
 */
export const BYTE_CHARACTERS = byteCharacters();

/**
 * The commonest pair of neighbours in the sample becomes one token, and so on, `count` times. Of pairs
 * equally common the one that stands first is taken.
 *
 * @param {number} count
 * @returns {readonly (readonly [string, string])[]} in the order in which a tokenizer applies them
 */
export function learnMerges(count) {
  const words = wordsOf(SAMPLE.trim().replaceAll('\n', ' '));
  /** @type {[string, string][]} */
  const merges = [];
  while (merges.length < count) {
    const pair = commonestPair(words);
    if (pair === undefined) throw new Error(`the sample has only ${merges.length} merges`);
    merges.push(pair);
    for (const word of words) word.tokens = merged(word.tokens, pair);
  }
  return merges;
}

/** @typedef {{ tokens: readonly string[], times: number }} Word */

/**
 * @param {string} text
 * @returns {readonly Word[]}
 */
function wordsOf(text) {
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const [piece] of text.matchAll(PIECES)) times.set(piece, (times.get(piece) ?? 0) + 1);
  return [...times].map(([piece, often]) => ({
    tokens: Array.from(new TextEncoder().encode(piece), (byte) => BYTE_CHARACTERS[byte] ?? ''),
    times: often,
  }));
}

/**
 * @param {readonly Word[]} words
 * @returns {[string, string] | undefined}
 */
function commonestPair(words) {
  /** @type {Map<string, { pair: [string, string], times: number }>} */
  const pairs = new Map();
  for (const { tokens, times } of words) {
    tokens.slice(1).forEach((second, before) => {
      const first = tokens[before] ?? '';
      const counted = pairs.get(`${first} ${second}`) ?? { pair: [first, second], times: 0 };
      pairs.set(`${first} ${second}`, { ...counted, times: counted.times + times });
    });
  }
  const [first, ...others] = pairs.values();
  return others.reduce((most, other) => (most && other.times > most.times ? other : most), first)
    ?.pair;
}

/**
 * @param {readonly string[]} tokens
 * @param {readonly [string, string]} pair
 */
function merged(tokens, [first, second]) {
  const result = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    const isPair = token === first && tokens[at + 1] === second;
    result.push(isPair ? first + second : token);
    if (isPair) at += 1;
  }
  return result;
}

function byteCharacters() {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const stands = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCharCode(stands ? byte : next++);
  });
}

/** Commands that say how something looks, or open and close it, and nothing of what it is. */
const LAYOUT = new Set(
  (
    'left right big Big bigg Bigg bigl bigr Bigl Bigr text textbf textit textrm textsf texttt emph ' +
    'mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak boldsymbol operatorname displaystyle ' +
    'textstyle scriptstyle limits nolimits quad qquad begin end hline label tag hspace vspace phantom ' +
    'ldots cdots dots vdots ddots middle'
  ).split(' '),
);

/** Commands that go by another word in text. */
const SAID: ReadonlyMap<string, string> = new Map([
  ['circ', 'degree'],
  ['times', 'multiply'],
  ['cdot', 'multiply'],
  ['div', 'divide'],
  ['infty', 'infinity'],
  ['le', 'leq'],
  ['ge', 'geq'],
  ['dfrac', 'frac'],
  ['tfrac', 'frac'],
  ['varphi', 'phi'],
  ['varepsilon', 'epsilon'],
]);

/** An escape before a new sentence, in text that was written as a string: `\nThe`. */
const ESCAPE = /^[ntr](?=\p{Lu})/u;

/** The word of a LaTeX command, given without its backslash; null where it says nothing. */
export function latexWord(command: string): string | null {
  if (LAYOUT.has(command)) return null;
  return SAID.get(command) ?? command.replace(ESCAPE, '').toLowerCase();
}

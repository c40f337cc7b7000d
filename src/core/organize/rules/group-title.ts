import type { LessonContent } from '../../bank/node.ts';

const MOST_CHARS = 60;
/** What is left when a verb goes must still say something. */
const LEAST_WORDS = 2;
/** "… are counted", "… is told by its colour": what is done, after what it is done to. */
const PASSIVE =
  /\s+(?:is|are|was|were|be|been)\s+(?:being\s+)?\p{L}+(?:ed|en|wn|ld|id|nt|ght|ead)\b/u;

/** A title for a group that begins with this lesson: when it holds, or what it is about, in a few words. */
export function groupTitle({ scope, topic, title }: LessonContent): string {
  const [first = ''] = (scope || topic || title).split(/;|\.(?=\s|$)|\n/u);
  const clause = first
    .trim()
    .replace(/^(?:when|if|where)\s+/iu, '')
    .replace(/[,:]$/u, '');
  const named = withoutVerb(clause);
  return shorten(named.charAt(0).toUpperCase() + named.slice(1), MOST_CHARS);
}

/** "stops on a line are counted" → "stops on a line"; a clause with a subject that acts stays whole. */
function withoutVerb(clause: string): string {
  const at = clause.search(PASSIVE);
  if (at < 0) return clause;
  const named = clause.slice(0, at);
  const isOneClause =
    !/\b(?:that|which|who|and|or|not)\b/iu.test(clause.slice(at)) &&
    !/\b(?:that|which|who|and|or)$/iu.test(named);
  return isOneClause && named.split(/\s+/u).length >= LEAST_WORDS ? named : clause;
}

/** At most `most` characters, cut between words, with an ellipsis where something was cut. */
export function shorten(title: string, most: number): string {
  const characters = [...title];
  if (characters.length <= most) return title;
  const cut = characters.slice(0, most - 2).join('');
  return `${cut.replace(/\s+\S*$/u, '')} …`;
}

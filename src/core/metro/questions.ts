import {
  edgesOf,
  linesStoppingAt,
  smallestChanges,
  stationOf,
  stopsBetween,
  stopsOf,
  withoutNotes,
} from './graph.ts';
import { questionText, type QuestionForm } from './question-form.ts';
import { seededRandom, type Random } from './random.ts';
import type { MetroLine, MetroMap } from './scene.ts';

/** The mistake in procedure that gives each question a wrong answer. */
export type MetroSlip = 'counts-origin' | 'ignores-one-way' | 'look-alike';

/** A question about a map, with its answer computed from the graph. */
export interface MetroQuestion {
  /** `metro-07-3`: seed and number, 1 … 10. */
  readonly id: string;
  readonly seed: number;
  readonly form: QuestionForm;
  readonly question: string;
  /** The right answer, apart from the task that is solved. */
  readonly reference: string;
  /** The slip that leads to another answer. */
  readonly slip: MetroSlip;
  /** What must be read that is too small in the whole picture: the panel, or the loop's arrows. */
  readonly needs: 'legend' | 'arrows';
}

interface Candidate {
  readonly form: QuestionForm;
  readonly reference: string;
}

const OF_EACH_KIND = 2;

/**
 * The ten questions of a map, two of each kind, in the order of the kinds; fewer where the map has no
 * room for ten. In each, the slip alone and leaving the small print (or arrows) unread alone lead to
 * a wrong answer, and so do both together.
 */
export function questionsOf(map: MetroMap): readonly MetroQuestion[] {
  const random = seededRandom(map.seed * 31 + 17);
  const kinds = [
    [stopsBetweenCandidates(map), 'counts-origin', 'legend'],
    [transferCandidates(map), 'counts-origin', 'legend'],
    [nextStationCandidates(map), 'look-alike', 'legend'],
    [lineByLegendCandidates(map), 'look-alike', 'legend'],
    [loopCandidates(map), 'ignores-one-way', 'arrows'],
  ] as const;
  const chosen = kinds.flatMap(([candidates, slip, needs]) =>
    pickDifferent(random, candidates).map((candidate) => ({ ...candidate, slip, needs })),
  );
  const seed = String(map.seed).padStart(2, '0');
  return chosen.map((candidate, index) => ({
    id: `metro-${seed}-${index + 1}`,
    seed: map.seed,
    question: questionText(candidate.form),
    ...candidate,
  }));
}

/** Two candidates, with different answers where there are such. */
function pickDifferent(random: Random, candidates: readonly Candidate[]): readonly Candidate[] {
  const [first, ...others] = random.shuffle(candidates);
  if (first === undefined) return [];
  const second = others.find((other) => other.reference !== first.reference) ?? others[0];
  return second === undefined ? [first] : [first, second].slice(0, OF_EACH_KIND);
}

/** Ways of two to seven stops past exactly one station where the line does not stop. */
function stopsBetweenCandidates(map: MetroMap): readonly Candidate[] {
  return map.lines
    .filter((line) => !line.loop)
    .flatMap((line) =>
      orderedPairs(stopsOf(line)).flatMap(([from, to]) => {
        const stops = stopsBetween(line, from, to);
        const unread = stopsBetween({ ...line, skips: [] }, from, to);
        const joining = map.lines.filter(
          (other) => other.stations.includes(from) && other.stations.includes(to),
        );
        if (stops < 2 || stops > 7 || unread !== stops + 1 || joining.length > 1) return [];
        const form = { kind: 'stops-between', line: line.name, ...named(map, from, to) } as const;
        return [{ form, reference: String(stops) }];
      }),
    );
}

/** Journeys that need at least two changes more than the lines alone would make one believe. */
function transferCandidates(map: MetroMap): readonly Candidate[] {
  const unread = withoutNotes(map);
  return orderedPairs(map.stations.map((station) => station.id)).flatMap(([from, to]) => {
    const changes = smallestChanges(map, from, to);
    const believed = smallestChanges(unread, from, to);
    if (changes === null || believed === null || changes < believed + 2) return [];
    const form = { kind: 'transfers', ...named(map, from, to) } as const;
    return [{ form, reference: String(changes) }];
  });
}

/** Ways between two places that a look-alike pair shares, where the partner stops elsewhere first. */
function nextStationCandidates(map: MetroMap): readonly Candidate[] {
  return lookAlikeLines(map).flatMap(([line, partner]) => {
    const shared = stopsOf(line).filter((station) => partner.stations.includes(station));
    return orderedPairs(shared).flatMap(([at, towards]) => {
      const next = nextTowards(line, at, towards);
      const wrong = [
        nextTowards(partner, at, towards),
        ...guessedLines(map, at, towards).map((guess) => nextTowards(guess, at, towards)),
      ];
      if (next === undefined || next === towards || wrong.includes(next)) return [];
      const form = {
        kind: 'next-station',
        line: line.name,
        at: stationOf(map, at).name,
        towards: stationOf(map, towards).name,
      } as const;
      return [{ form, reference: stationOf(map, next).name }];
    });
  });
}

/** The first stop after `at` on the way to `towards`, neither of which need be a stop. */
function nextTowards(line: MetroLine, at: string, towards: string): string | undefined {
  const { stations, skips } = line;
  const [a, b] = [stations.indexOf(at), stations.indexOf(towards)];
  const way = a < b ? stations.slice(a + 1, b + 1) : stations.slice(b, a).reverse();
  return way.find((station) => !skips.includes(station));
}

/** What a reader who cannot read the panel may take a line for: those with the shortest way. */
function guessedLines(map: MetroMap, from: string, to: string): readonly MetroLine[] {
  const through = withoutNotes(map).lines.filter(
    ({ stations }) => stations.includes(from) && stations.includes(to),
  );
  const lengths = through.map((line) =>
    Math.min(stopsBetween(line, from, to), stopsBetween(line, to, from)),
  );
  return through.filter((_, index) => lengths[index] === Math.min(...lengths));
}

/** Neighbours on a line of a look-alike pair that no other line joins. */
function lineByLegendCandidates(map: MetroMap): readonly Candidate[] {
  return lookAlikeLines(map).flatMap(([line]) =>
    edgesOf(line).flatMap(([from, to]) => {
      const joining = linesStoppingAt(withoutNotes(map), from).filter((other) =>
        other.stations.includes(to),
      );
      const stops = stopsOf(line);
      if (joining.length !== 1 || !stops.includes(from) || !stops.includes(to)) return [];
      const form = { kind: 'line-by-legend', ...named(map, from, to) } as const;
      return [{ form, reference: line.name }];
    }),
  );
}

/** Ways on a one-way loop that are longer than the way back. */
function loopCandidates(map: MetroMap): readonly Candidate[] {
  return map.lines
    .filter((line) => line.loop && line.oneWay)
    .flatMap((line) =>
      orderedPairs(stopsOf(line)).flatMap(([from, to]) => {
        const stops = stopsBetween(line, from, to);
        const against = stopsBetween(line, to, from);
        if (against < 2 || stops <= against + 1) return [];
        const form = { kind: 'loop-direction', line: line.name, ...named(map, from, to) } as const;
        return [{ form, reference: String(stops) }];
      }),
    );
}

function named(map: MetroMap, from: string, to: string): { from: string; to: string } {
  return { from: stationOf(map, from).name, to: stationOf(map, to).name };
}

function lookAlikeLines(map: MetroMap): readonly (readonly [MetroLine, MetroLine])[] {
  const lineOf = (id: string) => map.lines.find((line) => line.id === id)!;
  return map.lookAlikes.flatMap(([a, b]) => [
    [lineOf(a), lineOf(b)] as const,
    [lineOf(b), lineOf(a)] as const,
  ]);
}

function orderedPairs(ids: readonly string[]): readonly (readonly [string, string])[] {
  return ids.flatMap((from) => ids.filter((to) => to !== from).map((to) => [from, to] as const));
}

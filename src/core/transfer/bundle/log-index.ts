import type { Evidence, Lesson } from '../../bank/node.ts';
import type { LogEntry, Operation } from '../../bank/operation.ts';
import type { Hash } from '../../canonical.ts';
import type { Lineage } from './bundle-format.ts';

/** What a log says of an image: its size, its type where it says one, and whether it always says the same. */
export interface ImageClaim {
  readonly width: number;
  readonly height: number;
  /** null for a source image, whose type a crop does not record. */
  readonly mediaType: string | null;
  readonly agrees: boolean;
}

/**
 * What a whole log names, retired and taken-back lessons included: the bank as it was at any step
 * needs their crops.
 */
export interface LogIndex {
  readonly crops: ReadonlyMap<Hash, ImageClaim>;
  readonly sources: ReadonlyMap<Hash, ImageClaim>;
  readonly lineage: Lineage;
  /** Distinct questions that lessons are anchored in, ascending: the text most likely to be private. */
  readonly questions: readonly string[];
}

/** Gathers a `LogIndex` entry by entry. */
export interface LogIndexer {
  add(entry: LogEntry): void;
  end(): LogIndex;
}

export function logIndexer(): LogIndexer {
  const crops = new Map<Hash, ImageClaim>();
  const sources = new Map<Hash, ImageClaim>();
  const tasks = new Set<string>();
  const questions = new Set<string>();
  const seen = {
    harnesses: new Set<string>(),
    backbones: new Set<string>(),
    models: new Set<string>(),
    tools: new Set<string>(),
    feedback: new Set<string>(),
    actors: new Set<string>(),
  };
  const addEvidence = (evidence: Evidence) => {
    tasks.add(evidence.taskId);
    seen.harnesses.add(evidence.harness);
    seen.backbones.add(evidence.backbone);
    seen.models.add(evidence.model);
    seen.tools.add(evidence.tool);
    seen.feedback.add(evidence.feedback);
  };
  const addLesson = ({ content, evidence }: Lesson) => {
    for (const piece of evidence) addEvidence(piece);
    if (content.anchor !== '') questions.add(content.anchor);
    const { crop } = content;
    if (crop === null) return;
    const { hash, width, height, mediaType } = crop;
    claim(crops, hash, { width, height, mediaType });
    const { sourceHash, sourceWidth, sourceHeight } = crop;
    claim(sources, sourceHash, { width: sourceWidth, height: sourceHeight, mediaType: null });
  };
  return {
    add({ by, operation }) {
      seen.actors.add(`${by.kind}: ${by.name}`);
      for (const lesson of lessonsIn(operation)) addLesson(lesson);
      if (operation.type === 'support-lesson') addEvidence(operation.evidence);
    },
    end: () => ({
      crops,
      sources,
      lineage: {
        tasks: tasks.size,
        harnesses: sorted(seen.harnesses),
        backbones: sorted(seen.backbones),
        models: sorted(seen.models),
        tools: sorted(seen.tools),
        feedback: sorted(seen.feedback),
        actors: sorted(seen.actors),
      },
      questions: sorted(questions),
    }),
  };
}

function claim(claims: Map<Hash, ImageClaim>, hash: Hash, said: Omit<ImageClaim, 'agrees'>): void {
  const known = claims.get(hash);
  const agrees =
    known === undefined ||
    (known.agrees &&
      known.width === said.width &&
      known.height === said.height &&
      known.mediaType === said.mediaType);
  claims.set(hash, { ...(known ?? said), agrees });
}

/** Every state of every lesson that an operation names. */
export function* lessonsIn(operation: Operation): Generator<Lesson> {
  if (operation.type === 'add-lesson' || operation.type === 'revise-lesson') {
    yield operation.lesson;
  }
  if (operation.type !== 'restore') return;
  for (const record of operation.records) {
    if (record.table !== 'node') continue;
    if (record.from?.kind === 'lesson') yield record.from;
    if (record.to?.kind === 'lesson') yield record.to;
  }
}

/** By UTF-16 code units, the same everywhere. */
function sorted(values: Iterable<string>): string[] {
  return [...values].sort();
}

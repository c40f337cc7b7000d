import type { RackState } from '../../../core/models/model-rack.ts';
import { isLanguageEntry } from '../../../core/models/model-entry.ts';
import { percent } from '../../parts/format.ts';
import type { LibraryModel } from '../../../state/models/model-standing.ts';

/** One phase on a model's way to being ready. */
export interface Phase {
  readonly word: string;
  readonly look: 'todo' | 'now' | 'done' | 'ready' | 'bad';
}

/** A load's phases in their order, and how each is called before, while and after. */
const LOAD_PHASES = ['reading', 'compiling', 'warming', 'checking'] as const;
const WORDS = {
  reading: { todo: 'read', now: 'reading', done: 'read' },
  compiling: { todo: 'compile', now: 'compiling', done: 'compiled' },
  warming: { todo: 'warm up', now: 'warming up', done: 'warmed up' },
  checking: { todo: 'self-test', now: 'self-test runs', done: 'self-test right' },
} as const;

/** The way of a model's files and, where it is loaded by itself, of its load. */
export function phasesOf(
  { standing, held, entry }: LibraryModel,
  loaded: RackState | undefined,
): readonly Phase[] {
  const fromBrowser = isLanguageEntry(entry) && entry.runtime === 'browser';
  const files = fromBrowser ? [] : filePhases(standing);
  if (!isLanguageEntry(entry)) {
    // Encoders are loaded with the first question.
    return [...files, ...(held === null ? [] : [ready('ready')])];
  }
  const hasTest = entry.language.selfTest !== null;
  return [...files, ...loadPhases(loaded, hasTest)];
}

function filePhases(standing: LibraryModel['standing']): readonly Phase[] {
  switch (standing.type) {
    case 'absent':
    case 'partial':
    case 'paused':
      return [todo('download'), todo('check')];
    case 'waiting':
      return standing.for === 'check'
        ? [done('downloaded'), now('waits to be checked')]
        : [now('waits'), todo('check')];
    case 'bringing':
      return [now(standing.kind === 'folder' ? 'copying' : 'downloading'), todo('check')];
    case 'checking':
      return [done('downloaded'), now('checking')];
    case 'damaged':
      return [done('downloaded'), { word: 'checking failed', look: 'bad' }];
    case 'held':
      return [done('downloaded'), done(standing.checkedAt === null ? 'sizes checked' : 'checked')];
  }
}

function loadPhases(loaded: RackState | undefined, hasTest: boolean): readonly Phase[] {
  const names = LOAD_PHASES.filter((name) => hasTest || name !== 'checking');
  switch (loaded?.type) {
    case 'ready':
      return [...names.map((name) => done(WORDS[name].done)), ready('ready')];
    case 'loading': {
      const { phase, downloaded } = loaded;
      const at = phase === 'waiting' ? -1 : LOAD_PHASES.indexOf(phase);
      const steps = names.map((name, place) => {
        if (place < at) return done(WORDS[name].done);
        if (place > at) return todo(WORDS[name].todo);
        return now(
          downloaded === undefined ? WORDS[name].now : `downloading, ${percent(downloaded)}`,
        );
      });
      const waits = phase === 'waiting' ? [now('waits for another load')] : [];
      return [...waits, ...steps];
    }
    case 'failed':
      return [...names.map((name) => todo(WORDS[name].todo)), { word: 'not loaded', look: 'bad' }];
    case undefined:
      return names.map((name) => todo(WORDS[name].todo));
  }
}

const todo = (word: string): Phase => ({ word, look: 'todo' });
const now = (word: string): Phase => ({ word, look: 'now' });
const done = (word: string): Phase => ({ word, look: 'done' });
const ready = (word: string): Phase => ({ word, look: 'ready' });

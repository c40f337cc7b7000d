import type { Playbook, PlaybookBullet } from '../ace/ace-playbook.ts';
import type { DeltaBatch, DeltaOperation } from '../ace/ace-delta.ts';
import type { Skill, Skillbook } from '../ace/ace-skillbook.ts';
import type { GroveLine } from './grove-lessons.ts';
import type { RecordLayout } from '../text/json-records.ts';
import type { LabelLayout } from '../text/labelled-text.ts';
import type { ItemProblem } from '../text/problem.ts';
import type { ReasoningItem, ReasoningRecord } from './reasoning-bank.ts';
import type { RemeItem } from './reme.ts';

/** Items of one format, and what was odd in their file. */
export interface ReadRecords<Item> {
  readonly items: readonly Item[];
  /** The line each item begins on, by its place. */
  readonly lines: readonly number[];
  readonly problems: readonly ItemProblem[];
}

/** A file of items as it was read: what `writeItems` writes again and `toLessons` makes lessons of. */
export type ItemFile =
  | ({ readonly format: 'grove-lesson'; readonly layout: RecordLayout } & ReadRecords<GroveLine>)
  | ({
      readonly format: 'reasoning-bank';
      readonly layout: RecordLayout | LabelLayout;
    } & ReadRecords<ReasoningItem | ReasoningRecord>)
  | ({
      readonly format: 'reme';
      readonly layout: RecordLayout | LabelLayout;
    } & ReadRecords<RemeItem>)
  | ({ readonly format: 'ace-playbook'; readonly playbook: Playbook } & ReadRecords<PlaybookBullet>)
  | ({ readonly format: 'ace-skillbook'; readonly skillbook: Skillbook } & ReadRecords<
      readonly [key: string, skill: Skill]
    >)
  | ({ readonly format: 'ace-delta'; readonly layout: RecordLayout } & ReadRecords<
      DeltaOperation | DeltaBatch
    >);

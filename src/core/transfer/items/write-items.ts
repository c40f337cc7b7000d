import { unreachable } from '../../result.ts';
import { writePlaybook } from '../ace/ace-playbook.ts';
import { writeSkillbook } from '../ace/ace-skillbook.ts';
import type { ItemFile } from './item-file.ts';
import { writeRecords, type RecordLayout } from '../text/json-records.ts';
import { writeLabelled, type LabelLayout } from '../text/labelled-text.ts';
import { REASONING_LABELS } from './reasoning-bank.ts';
import { REME_LABELS } from './reme.ts';

/**
 * A file of items as text again, in pieces. Of a file that was read it is the same up to white space,
 * but for what its problems tell as left out or changed, what `readJson` names, and, in texts with
 * labels, how labels are marked and numbered.
 */
export function* writeItems(file: ItemFile): Generator<string, void, undefined> {
  switch (file.format) {
    case 'ace-playbook':
      return yield* writePlaybook(file.playbook.entries);
    case 'ace-skillbook':
      return yield writeSkillbook(file.skillbook);
    case 'grove-lesson':
    case 'ace-delta':
      return yield* writeRecords(file.layout, file.items);
    case 'reme': {
      const { layout, items } = file;
      const texts = () => items.map((item) => [item.when_to_use, item.content]);
      return yield* isLabels(layout)
        ? writeLabelled(layout, REME_LABELS, texts())
        : writeRecords(layout, items);
    }
    case 'reasoning-bank': {
      const { layout, items } = file;
      return yield* isLabels(layout)
        ? writeLabelled(layout, REASONING_LABELS, items.map(reasoningTexts))
        : writeRecords(layout, items);
    }
    default:
      return unreachable(file);
  }
}

function isLabels(layout: RecordLayout | LabelLayout): layout is LabelLayout {
  return layout === 'markdown' || layout === 'labels';
}

function reasoningTexts(item: Readonly<Record<string, unknown>>): readonly string[] {
  return [item['title'], item['description'], item['content']].map((text) =>
    typeof text === 'string' ? text : '',
  );
}

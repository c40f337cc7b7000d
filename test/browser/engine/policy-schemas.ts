import { z } from 'zod';
import type { Group } from '../../../src/core/bank/node.ts';
import { boxConventionSchema } from '../../../src/core/evolve/model/box-convention.ts';
import { distilReplySchema } from '../../../src/core/evolve/model/distil-question.ts';
import { updateReplySchema } from '../../../src/core/evolve/model/update-request.ts';
import { makeModelController } from '../../../src/core/evolve/model-controller.ts';
import { consolidateQuestion } from '../../../src/core/organize/model/consolidate-question.ts';
import { mergeQuestion } from '../../../src/core/organize/model/merge-question.ts';
import { placeQuestion } from '../../../src/core/organize/model/place-question.ts';
import { selectQuestion } from '../../../src/core/organize/model/select-question.ts';
import { splitQuestion } from '../../../src/core/organize/model/split-question.ts';
import { DEFAULT_RUN_CONFIG } from '../../../src/core/run.ts';
import { makeTask } from '../../../src/core/task.ts';
import { scriptedCaller, valueOf } from '../../core/harness/scripted-caller.ts';

/** What a policy asks a model for: the JSON Schema that a backbone gets, and what it must mean. */
export interface PolicySchema {
  readonly policy: string;
  readonly variant: string;
  readonly schema: Record<string, unknown>;
  /** Readers that every reply must pass. */
  readonly readers: readonly z.ZodType[];
}

const task = makeTask({ question: 'How many?', images: [], publicInformation: '' });
const group: Group = {
  ...{ id: 'g', kind: 'group', parent: 'root' },
  ...{ title: 'Maps', scope: '', summary: null },
};

/** Every JSON Schema that Grove's policies hold a model to. */
export async function policySchemas(): Promise<readonly PolicySchema[]> {
  const views = { images: true, longestSidePx: 500 };
  const updates = [
    ...boxConventionSchema.options.map((boxes) => ({ ...views, boxes })),
    { ...views, images: false, boxes: 'fraction' as const },
  ];
  const replies: readonly (readonly [string, z.ZodType])[] = [
    ['distil', distilReplySchema],
    [
      'place',
      placeQuestion({ lessons: [], groups: [], maxChildren: 8, maxDepth: 4, newIds: [] }).reply,
    ],
    ['merge', mergeQuestion({ parent: group, groups: [], mostChildren: 8 }).reply],
    [
      'split',
      splitQuestion({ group, children: [], liftRoom: 2, underRoom: 2, maxChildren: 8, newIds: [] })
        .reply,
    ],
    ['consolidate', consolidateQuestion({ group, lessons: [], budgetChars: 900 }).reply],
    ['select', selectQuestion({ task, candidates: [] }, { images: false }).reply],
  ];
  return [
    ...updates.map((settings) =>
      policySchema(
        'update',
        settings.images ? settings.boxes : 'no images',
        updateReplySchema(settings, 2),
      ),
    ),
    policySchema('gate', '', await gateSchema()),
    ...replies.map(([policy, reply]) =>
      policySchema(policy, '', z.toJSONSchema(reply, { io: 'input' }), [reply]),
    ),
  ];
}

function policySchema(
  policy: string,
  variant: string,
  schema: Record<string, unknown>,
  replies: readonly z.ZodType[] = [],
): PolicySchema {
  return { policy, variant, schema, readers: [z.fromJSONSchema(schema), ...replies] };
}

/** As the controller asks for it. */
async function gateSchema(): Promise<Record<string, unknown>> {
  const { caller, asked } = scriptedCaller(['{"inject": true, "reason": ""}']);
  const crop = {
    ...{ hash: 'c', mediaType: 'image/png', width: 9, height: 9, sourceHash: 's' },
    ...{ sourceWidth: 100, sourceHeight: 50, box: [0, 0, 1, 1] as const },
  } as const;
  const controller = makeModelController({
    ...{ label: 'Test', temperature: 0, fallback: false },
    ...{ images: false, boxes: 'fraction', longestSidePx: 500 },
  });
  const chosen = [{ nodeId: 'n', title: 'Legend', text: 'Read it.', crop }];
  await valueOf(controller.gate({ task, chosen, config: DEFAULT_RUN_CONFIG }, caller));
  const schema = asked[0]?.responseSchema;
  if (schema == null) throw new Error('the gate asks for no JSON');
  return schema;
}

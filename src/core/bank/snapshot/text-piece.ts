import { z } from 'zod';
import { accept, refuse, type Refusal, type Result } from '../../result.ts';
import {
  groupSchema,
  lessonContentSchema,
  lessonSchema,
  summarySchema,
  type Node,
} from '../node.ts';

const lessonText = lessonContentSchema
  .omit({ title: true, crop: true })
  .extend(lessonSchema.pick({ contentHash: true }).shape);
const groupText = groupSchema.pick({ scope: true }).extend({
  summary: summarySchema
    .omit({ supportedBy: true, conflicts: true })
    .extend({ about: z.array(z.string()) })
    .nullable(),
});
const textPiece = z.array(z.union([lessonText, groupText]));
type NodeText = z.infer<typeof textPiece>[number];

/** What a structure piece of these nodes leaves out, as JSON; `readTextPiece` puts the two together. */
export function writeTextPiece(nodes: readonly Node[]): string {
  return JSON.stringify(nodes.map(textOf));
}

/** The nodes of a structure piece with the texts of the same nodes; `bad-shape` where they do not fit. */
export function readTextPiece(
  nodes: readonly Node[],
  json: string,
): Result<readonly Node[], Refusal<'bad-shape'>> {
  const texts = parseTexts(json);
  const whole = nodes.flatMap((node, at) => withText(node, texts?.[at]) ?? []);
  return texts?.length === nodes.length && whole.length === nodes.length
    ? accept(whole)
    : refuse('bad-shape', 'a piece of its texts does not fit its structure', 'texts');
}

function textOf(node: Node): NodeText {
  if (node.kind === 'lesson') {
    const { title: _, crop: __, ...texts } = node.content;
    return { ...texts, contentHash: node.contentHash };
  }
  const { scope, summary } = node;
  if (summary === null) return { scope, summary };
  const { text, procedure, conditions } = summary;
  const about = summary.conflicts.map((conflict) => conflict.about);
  return { scope, summary: { text, procedure, conditions, about } };
}

function withText(node: Node, text: NodeText | undefined): Node | null {
  if (text === undefined) return null;
  if (node.kind === 'lesson') {
    if (!('contentHash' in text)) return null;
    const { contentHash, ...texts } = text;
    const { title, crop } = node.content;
    return { ...node, contentHash, content: { title, ...texts, crop } };
  }
  if (!('summary' in text)) return null;
  const { scope, summary: words } = text;
  if (words === null || node.summary === null) {
    return words === node.summary ? { ...node, scope } : null;
  }
  const { about, ...rest } = words;
  const { supportedBy } = node.summary;
  const conflicts = node.summary.conflicts.map((conflict, at) => ({
    ...conflict,
    about: about[at] ?? '',
  }));
  return { ...node, scope, summary: { ...rest, conflicts, supportedBy } };
}

function parseTexts(json: string): readonly NodeText[] | undefined {
  try {
    return textPiece.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

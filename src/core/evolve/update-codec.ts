import { z } from 'zod';
import { checkBox } from '../box.ts';
import { canonicalJson } from '../canonical.ts';
import { extractJson } from '../harness/json-reply.ts';
import type { QuestionMemory, Visual } from '../memory.ts';
import { accept, refuse, type Refusal, type Result } from '../result.ts';
import type { Task } from '../task.ts';

/** Why a proposal for W′ is refused; a refusal is of the whole proposal. */
export type UpdateReason =
  | 'not-json'
  | 'bad-shape'
  | 'no-such-image'
  | 'box-out-of-range'
  | 'box-too-small'
  | 'empty-text'
  | 'over-budget';

/**
 * The paper's form of a complete state (EpiCon appendix A.2, eq. 5: ℓ′, g′, p′, b′), then Grove's
 * extensions. Unknown members are ignored. A member of the extensions that is absent leaves that part
 * of W as it was; `remove: true` drops the stored visual.
 */
export const updateSchema = z.object({
  guidance: z.string(),
  use_visual: z.union([z.boolean(), z.literal(0), z.literal(1)]),
  /** 0-based index into the task's images; null where `use_visual` is false. */
  image: z.int().nullish(),
  /** Fractions of that image; null where `use_visual` is false. */
  box: z.array(z.number()).length(4).nullish(),
  applies_when: z.string().optional(),
  cautions: z.array(z.string()).optional(),
  remove: z.boolean().optional(),
});
type Update = z.infer<typeof updateSchema>;

/** An update as it is written out: what `encodeUpdate` gives. */
export interface EncodedUpdate {
  readonly guidance: string;
  readonly use_visual: boolean;
  readonly image: number | null;
  readonly box: readonly number[] | null;
  readonly applies_when?: string;
  readonly cautions?: readonly string[];
  readonly remove?: boolean;
}

/** What an update is read against. */
export interface UpdateContext {
  readonly task: Task;
  /** W, as it stands. */
  readonly memory: QuestionMemory;
  /** For guidance, conditions and cautions together, in characters (Unicode code points). */
  readonly budgetChars: number;
}

/**
 * Reads untrusted JSON (a value, or a model's text) as a complete state and gives W′ (DESIGN.md §2).
 * A proposal equal to W is accepted and gives W itself. Null image and box with `use_visual` false
 * mean "do not inject": the stored visual stays as it was.
 */
export function decodeUpdate(
  json: unknown,
  context: UpdateContext,
): Result<QuestionMemory, Refusal<UpdateReason>> {
  const value = typeof json === 'string' ? extractJson(json) : accept(json);
  if (!value.ok) return value;
  const update = parseUpdate(value.value);
  if (!update.ok) return update;
  const visual = nextVisual(update.value, context);
  if (!visual.ok) return visual;
  const next = nextMemory(update.value, visual.value, context.memory);
  if (canonicalJson(next) === canonicalJson(context.memory)) return accept(context.memory);
  return checkText(next, context.budgetChars);
}

/**
 * W as an update: in the paper's form alone, or with Grove's extensions. A visual that is kept aside
 * (`inject` false) cannot be said in either; decoded over the same W it stays. Throws where the
 * visual is not on one of the task's images, which no accepted update can bring about.
 */
export function encodeUpdate(
  memory: QuestionMemory,
  task: Task,
  options: { readonly extensions: boolean } = { extensions: true },
): EncodedUpdate {
  const shown = memory.inject ? memory.visual : null;
  const image = shown === null ? null : task.images.findIndex((i) => i.hash === shown.imageHash);
  if (image === -1) throw new Error('the visual of W is not on an image of its task');
  return {
    guidance: memory.guidance,
    use_visual: shown !== null,
    image,
    box: shown === null ? null : shown.box,
    ...(options.extensions
      ? {
          applies_when: memory.appliesWhen,
          cautions: memory.cautions,
          remove: memory.visual === null,
        }
      : {}),
  };
}

/** The characters of W's text that count against the budget, in Unicode code points. */
export function memoryTextLength(
  memory: Pick<QuestionMemory, 'guidance' | 'appliesWhen' | 'cautions'>,
): number {
  return [memory.guidance, memory.appliesWhen, ...memory.cautions].reduce(
    (total, text) => total + [...text].length,
    0,
  );
}

function parseUpdate(value: unknown): Result<Update, Refusal<'bad-shape'>> {
  const parsed = updateSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return badShape(issue?.path.join('.') ?? '', issue?.message ?? 'does not fit');
  }
  const { use_visual: useVisual, image, box, remove } = parsed.data;
  for (const [path, member] of [
    ['image', image],
    ['box', box],
  ] as const) {
    const given = member !== null && member !== undefined;
    if (useVisual && !given) return badShape(path, 'is missing though use_visual is true');
    if (!useVisual && given) return badShape(path, 'must be null where use_visual is false');
  }
  if (useVisual && remove === true) {
    return badShape('remove', 'a visual cannot be both used and removed');
  }
  return accept(parsed.data);
}

function badShape(path: string, message: string) {
  const where = path === '' ? 'the proposal' : path;
  return refuse('bad-shape', `the JSON does not fit: ${where}: ${message}`, path);
}

function nextVisual(
  { image: index, box, remove }: Update,
  { task, memory }: UpdateContext,
): Result<Visual | null, Refusal<UpdateReason>> {
  if (index === null || index === undefined || box === null || box === undefined) {
    return accept(remove === true ? null : memory.visual);
  }
  const image = task.images[index];
  if (image === undefined) {
    const count = task.images.length;
    return refuse(
      'no-such-image',
      `there is no image ${index}; the task has ${count === 0 ? 'none' : `${count}, counted from 0`}`,
      'image',
    );
  }
  const checked = checkBox(box, image);
  if (!checked.ok) return refuse(checked.refusal.reason, checked.refusal.message, 'box');
  return accept({ imageHash: image.hash, box: checked.value });
}

function nextMemory(update: Update, visual: Visual | null, memory: QuestionMemory): QuestionMemory {
  const clean = (text: string) => text.toWellFormed().trim();
  return {
    guidance: clean(update.guidance),
    appliesWhen:
      update.applies_when === undefined ? memory.appliesWhen : clean(update.applies_when),
    cautions:
      update.cautions === undefined
        ? memory.cautions
        : update.cautions.map(clean).filter((caution) => caution !== ''),
    visual,
    inject: Boolean(update.use_visual),
  };
}

function checkText(
  next: QuestionMemory,
  budgetChars: number,
): Result<QuestionMemory, Refusal<UpdateReason>> {
  if (next.guidance === '') return refuse('empty-text', 'the guidance is empty', 'guidance');
  const length = memoryTextLength(next);
  if (length > budgetChars) {
    return refuse(
      'over-budget',
      `the text has ${length} characters; the budget is ${budgetChars}`,
      'guidance',
    );
  }
  return accept(next);
}

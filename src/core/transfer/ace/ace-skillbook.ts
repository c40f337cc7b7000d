import { z } from 'zod';
import { originOf, otherMembers } from '../items/item-origin.ts';
import type { JsonObject, JsonRecord } from '../text/json-records.ts';
import { isObject } from '../text/json-records.ts';
import { splitBullet } from '../items/lesson-text.ts';
import type { LessonParts } from '../items/make-lesson.ts';
import { checkShape, type ProblemList } from '../text/problem.ts';

const count = z.int().nonnegative().nullish();
const text = z.string().nullish();

/** A skill of an ACE skillbook: a bullet as JSON, with reasons and times. Other members stay. */
export const skillSchema = z.looseObject({
  id: text,
  section: text,
  content: z.string(),
  helpful: count,
  harmful: count,
  neutral: count,
  created_at: text,
  updated_at: text,
  status: text,
});
export type Skill = z.infer<typeof skillSchema>;

/** A skillbook: everything but its skills as it was, and the skills that could be read, by key. */
export interface Skillbook {
  readonly book: JsonObject;
  readonly skills: readonly (readonly [key: string, skill: Skill])[];
}

const NAMED = [
  'id',
  'section',
  'content',
  'helpful',
  'harmful',
  'neutral',
  'created_at',
  'updated_at',
];

/** Reads a skillbook's skills; one that does not fit is a problem that names its path, and is left out. */
export function readSkillbook({ line, value }: JsonRecord, problems: ProblemList): Skillbook {
  const { skills: all } = value;
  const skills: [string, Skill][] = [];
  for (const [key, member] of isObject(all) ? Object.entries(all) : []) {
    const skill = checkShape(skillSchema, member);
    if (skill.ok) skills.push([key, skill.value]);
    else {
      const path = `skills.${key}${skill.refusal.path ? `.${skill.refusal.path}` : ''}`;
      const message = `The skill ${key} was left out: ${skill.refusal.message}.`;
      problems.add({ line, path, effect: 'left-out', message });
    }
  }
  return { book: value, skills };
}

/** The skillbook as JSON, its members in the order they had. */
export function writeSkillbook({ book, skills }: Skillbook): string {
  return `${JSON.stringify({ ...book, skills: Object.fromEntries(skills) }, null, 2)}\n`;
}

/** What a skill says as a lesson; its justification and evidence are another system's, and stay in `origin`. */
export function skillLesson([key, skill]: readonly [string, Skill]): LessonParts {
  return {
    ...splitBullet(skill.content),
    cautions: [],
    topic: '',
    scope: '',
    anchor: '',
    origin: originOf('ace-skillbook', {
      id: skill.id ?? key,
      section: skill.section ?? null,
      helpful: skill.helpful ?? null,
      harmful: skill.harmful ?? null,
      neutral: skill.neutral ?? null,
      createdAt: skill.created_at ?? null,
      modifiedAt: skill.updated_at ?? null,
      members: otherMembers(skill, NAMED),
    }),
  };
}

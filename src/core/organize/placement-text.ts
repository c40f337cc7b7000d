import type { Lesson } from '../bank/node.ts';
import { lessonIndexText } from '../recall/index-text.ts';

/** What a lesson is placed by: what it says and when it holds, not the one question it came from. */
export function placementText({ content }: Lesson): string {
  return lessonIndexText({ ...content, anchor: '' });
}

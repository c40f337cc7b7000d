import { stepFindings, type Step } from '../../core/trajectory.ts';

/** Who took a step: the harness's role, else the format's source. */
export function stepRole(step: Step): string {
  const role = step.extra?.['role'];
  return typeof role === 'string' ? role : step.source;
}

/** A step's whole text. */
export function stepText(step: Step): string {
  const { message } = step;
  if (typeof message === 'string') return message;
  if (!Array.isArray(message)) return '';
  return message.flatMap(textOfPart).join('\n');
}

/** A step in one line: a critic's first finding, a solver's first line. */
export function stepGist(step: Step): string {
  const [finding] = stepFindings(step);
  if (finding !== undefined) return finding.what;
  const text = stepText(step).trim();
  const reason = /"reason"\s*:\s*"((?:[^"\\]|\\.)*)"/u.exec(text)?.[1];
  if (text.startsWith('{') && reason !== undefined) return reason.replaceAll('\\"', '"');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => !line.startsWith('Answer:')) ?? lines[0] ?? '';
}

/** How long a step took, in milliseconds; null where it does not say. */
export function stepDurationMs(step: Step): number | null {
  const value = step.extra?.['duration_ms'];
  return typeof value === 'number' ? value : null;
}

function textOfPart(part: unknown): string[] {
  if (typeof part !== 'object' || part === null || !('text' in part)) return [];
  return typeof part.text === 'string' ? [part.text] : [];
}

/**
 * Text from outside as Markdown that shows it and does nothing else: no heading, list, link, image,
 * table, code or HTML can come of it. White space is folded to one line.
 */
export function markdownInline(text: string): string {
  return escapeLine(text.replace(/[\s\u0085]+/gu, ' ').trim());
}

/** The same for text that keeps its lines, to stand at `indent`. Empty for empty text. */
export function markdownBlock(text: string, indent: string): string {
  const lines = text
    .trim()
    .split(/\r\n|[\n\r\u0085\u2028\u2029]/u)
    .map((line) => indented(line.trimEnd()));
  return lines
    .map((line, index) => {
      if (line === '') return '';
      const next = lines[index + 1] ?? '';
      return `${indent}${line}${next === '' ? '' : '\\'}`;
    })
    .join('\n')
    .replace(/\n{3,}/gu, '\n\n');
}

/** Text as code, whatever backticks it holds. */
export function markdownCode(text: string): string {
  const folded = visible(text.replace(/[\s\u0085]+/gu, ' ').trim());
  const longest = [...folded.matchAll(/`+/gu)].reduce(
    (most, [run]) => Math.max(most, run.length),
    0,
  );
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return folded === '' ? '' : `${fence}${space}${folded}${space}${fence}`;
}

/** Leading white space would make code of a line: it is written as spaces that do not fold. */
function indented(line: string): string {
  const start = /^\s*/u.exec(line)?.[0] ?? '';
  const spaces = start.replace(/\t/gu, '    ').length;
  return '&nbsp;'.repeat(Math.min(spaces, 40)) + escapeLine(line.slice(start.length));
}

function escapeLine(line: string): string {
  return (
    visible(line)
      // Entities, not backslashes: not even a sloppy renderer may see a tag.
      .replace(/&/gu, '&amp;')
      .replace(/</gu, '&lt;')
      .replace(/>/gu, '&gt;')
      .replace(/[\\`*_[\]~|$^{}!]/gu, '\\$&')
      .replace(/^[-+=#:]/u, '\\$&')
      .replace(/^(\d+)([.)])/u, '$1\\$2')
  );
}

/** Control characters and those that turn the direction of text are named, so that they cannot act. */
function visible(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\uFEFF]/gu,
    (character) => `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}

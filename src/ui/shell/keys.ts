import type { PageId, ShellState } from '../../state/shell.svelte.ts';

/** The second key after `g`. */
export const PAGE_KEYS: Readonly<Record<string, PageId>> = {
  s: 'solve',
  b: 'bank',
  t: 'traces',
  e: 'evaluate',
  m: 'models',
  ',': 'settings',
};

/** How long `g` waits for its second key, in milliseconds. */
const PREFIX_MS = 1500;

/**
 * The shell's keys: `g` then a letter for a page, `/` for search, `?` for help, Ctrl or Cmd with K for
 * the palette and with Z to undo. Keys typed into a field stay there.
 */
export function makeShellKeys(shell: ShellState): (event: KeyboardEvent) => void {
  let prefixAt = 0;
  return (event) => {
    if (event.defaultPrevented) return;
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      shell.sheet = shell.sheet === 'palette' ? null : 'palette';
      return;
    }
    if (inField(event.target) || shell.sheet !== null || event.altKey) return;
    if (command) {
      if (event.key.toLowerCase() === 'z' && !event.shiftKey && shell.undo())
        event.preventDefault();
      return;
    }
    const page = PAGE_KEYS[event.key];
    if (page !== undefined && event.timeStamp - prefixAt < PREFIX_MS) {
      event.preventDefault();
      location.hash = `#/${page}`;
    } else if (event.key === '?') {
      shell.sheet = 'help';
    } else if (event.key === '/') {
      const search = document.querySelector<HTMLElement>('main [type="search"]');
      if (search !== null) event.preventDefault();
      search?.focus();
    }
    prefixAt = event.key === 'g' ? event.timeStamp : 0;
  };
}

function inField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement ||
      (target instanceof HTMLInputElement && !['checkbox', 'radio', 'range'].includes(target.type)))
  );
}

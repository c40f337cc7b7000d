import { spawn } from 'node:child_process';

/**
 * Opens a page in the person's browser. Where that cannot be done nothing happens: the address stands
 * on the terminal.
 *
 * @param {string} url
 */
export function openBrowser(url) {
  const [program, ...parameters] = command(url);
  if (program === undefined) return;
  const child = spawn(program, parameters, { stdio: 'ignore', detached: true });
  child.once('error', () => console.log(`Open ${url} in your browser.`));
  child.unref();
}

/**
 * @param {string} url
 * @returns {string[]}
 */
function command(url) {
  switch (process.platform) {
    case 'darwin':
      return ['open', url];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler', url];
    default:
      return ['xdg-open', url];
  }
}

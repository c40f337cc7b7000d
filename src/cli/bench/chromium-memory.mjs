import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** How often the memory is looked at, in milliseconds. */
const LOOK_EVERY_MS = 100;

/**
 * The memory of a Chromium and all its processes, shared pages counted once (PSS), in bytes; NaN where
 * the system does not tell (it takes Linux's /proc).
 *
 * @param {string} profile the profile folder that tells this Chromium from others
 */
export function memoryOf(profile) {
  if (!existsSync('/proc/self/smaps_rollup')) return NaN;
  return processesOf(profile).reduce((sum, pid) => sum + proportionalBytes(pid), 0);
}

/**
 * Looks at the memory until it is stopped.
 *
 * @param {string} profile
 * @returns {{ stop(): number }} `stop` gives the most there was, in bytes
 */
export function watchMemory(profile) {
  let most = memoryOf(profile);
  const timer = setInterval(() => (most = Math.max(most, memoryOf(profile))), LOOK_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
}

/**
 * The browser that runs on a profile, and everything it has started.
 *
 * @param {string} profile
 * @returns {number[]}
 */
function processesOf(profile) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  let browser = 0;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const parent = Number(/^PPid:\s*(\d+)$/mu.exec(read(pid, 'status'))?.[1]);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
    const command = read(pid, 'cmdline');
    if (command.includes(profile) && !command.includes('--type=')) browser = pid;
  }
  if (browser === 0) return [];
  const found = [browser];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

/** @param {number} pid */
function proportionalBytes(pid) {
  return Number(/^Pss:\s*(\d+) kB$/mu.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0) * 1024;
}

/**
 * Empty where the process has ended meanwhile.
 *
 * @param {number} pid
 * @param {string} file
 */
function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

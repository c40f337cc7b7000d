/** The pages, in the order of the navigation. */
export const PAGES = ['solve', 'bank', 'traces', 'evaluate', 'models', 'settings'] as const;
export type PageId = (typeof PAGES)[number];

export const PAGE_LABELS: Readonly<Record<PageId, string>> = {
  solve: 'Solve',
  bank: 'Bank',
  traces: 'Traces',
  evaluate: 'Evaluate',
  models: 'Models',
  settings: 'Settings',
};

/** What is running, for the bottom strip. */
export interface Activity {
  /** "Solver", "Critic", "Encoder". */
  readonly role: string;
  /** Which model: "Simulated solver: no model". */
  readonly model: string;
  /** What it does: "attempt 2". */
  readonly phase: string;
  /** null where none are counted. */
  readonly tokens: number | null;
  readonly elapsedMs: number | null;
  /** How much is done, from 0 to 1; null where that cannot be known. */
  readonly progress: number | null;
  /** How far it is, in numbers that change all the time and are not read out. */
  readonly detail?: string;
  stop(): void;
}

export type Theme = 'system' | 'light' | 'dark';

/** Something that was done and can be taken back for a while. */
export interface Notice {
  readonly id: number;
  readonly message: string;
  readonly undo: (() => void) | null;
}

export interface ShellPorts {
  /** The part of the address after `#`. */
  readHash(): string;
  /** Where data goes now; reads reactive state. */
  dataGoesTo(): { readonly label: string; readonly remote: boolean; readonly offline: boolean };
  /** What runs now, or null; reads reactive state. */
  activity(): Activity | null;
  readTheme(): Theme;
  keepTheme(theme: Theme): void;
}

/** How long a notice stays, and can be undone. */
export const NOTICE_MS = 10_000;

/** The shell: which page is shown, the theme, notices with undo, and the sheets that lie over it. */
export class ShellState {
  page: PageId = $state('solve');
  /** What follows the page in the address: `['inbox']`. */
  path: readonly string[] = $state.raw([]);
  theme: Theme = $state('system');
  notices: readonly Notice[] = $state.raw([]);
  sheet: 'help' | 'palette' | null = $state(null);

  /** What else can run, besides what the ports tell. */
  #activities: readonly (() => Activity | null)[] = $state.raw([]);
  readonly #ports: ShellPorts;
  #noticeId = 0;

  constructor(ports: ShellPorts) {
    this.#ports = ports;
    this.theme = ports.readTheme();
    this.followHash();
  }

  get data() {
    return this.#ports.dataGoesTo();
  }

  get activity(): Activity | null {
    const others = this.#activities.map((activity) => activity());
    return this.#ports.activity() ?? others.find((activity) => activity !== null) ?? null;
  }

  /** Shows one more kind of work in the strip; `activity` reads reactive state. */
  addActivity(activity: () => Activity | null): void {
    this.#activities = [...this.#activities, activity];
  }

  /** Shows the page that the address names; an unknown one is Solve. */
  followHash(): void {
    const [page, ...path] = this.#ports.readHash().replace(/^\/?/u, '').split('/');
    this.page = PAGES.find((known) => known === page) ?? 'solve';
    this.path = path.filter((part) => part !== '').map(decodeURIComponent);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.#ports.keepTheme(theme);
  }

  /** Says what was done, with a way back where there is one. */
  notify(message: string, undo: (() => void) | null = null): void {
    this.#noticeId += 1;
    const id = this.#noticeId;
    this.notices = [...this.notices.slice(-2), { id, message, undo }];
    setTimeout(() => this.dismiss(id), NOTICE_MS);
  }

  dismiss(id: number): void {
    this.notices = this.notices.filter((notice) => notice.id !== id);
  }

  /** Takes back the newest thing that can be; false where there is none. */
  undo(): boolean {
    const notice = this.notices.findLast(({ undo }) => undo !== null);
    if (notice === undefined) return false;
    this.dismiss(notice.id);
    notice.undo?.();
    return true;
  }
}

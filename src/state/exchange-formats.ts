/** Text formats that a bank's lessons can be exported in, besides the bundle. */
export type TextFormat = 'json-lines' | 'markdown' | 'reasoning-bank' | 'reme' | 'ace-playbook';

/** What an export can be, as a person chooses it. */
export const EXPORT_FORMATS: readonly {
  readonly format: TextFormat | 'bundle';
  readonly label: string;
  readonly says: string;
  readonly extension: string;
}[] = [
  {
    format: 'bundle',
    label: 'Grove bundle',
    says: 'everything: the tree, its whole history and its crops, to import elsewhere',
    extension: '.grove',
  },
  {
    format: 'markdown',
    label: 'Markdown',
    says: 'lessons to read and print',
    extension: '.md',
  },
  {
    format: 'json-lines',
    label: 'JSON Lines',
    says: 'lessons and groups for scripts',
    extension: '.jsonl',
  },
  {
    format: 'reasoning-bank',
    label: 'ReasoningBank items',
    says: 'title, description, content',
    extension: '.jsonl',
  },
  {
    format: 'reme',
    label: 'ReMe memories',
    says: 'when to use, content, score',
    extension: '.jsonl',
  },
  {
    format: 'ace-playbook',
    label: 'ACE playbook',
    says: 'bullets in sections with counters',
    extension: '.txt',
  },
];

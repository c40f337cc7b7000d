/** What can be asked for the whole of a bank. */
export type BankDialog = 'import' | 'export' | 'fork' | 'merge' | 'remove';

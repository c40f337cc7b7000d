/** What can be asked for the whole of a bank. */
export type BankDialog = 'import' | 'export' | 'settings' | 'fork' | 'merge' | 'remove';

// Stands for Node's `url` and `module` where there is no Node (see `vite.config.ts`).
export {};

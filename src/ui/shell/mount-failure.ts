import { mount } from 'svelte';
import StartFailure from './StartFailure.svelte';

/** Says on the page why Grove cannot start. */
export function mountFailure(target: HTMLElement, message: string): void {
  mount(StartFailure, { target, props: { message } });
}

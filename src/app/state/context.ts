// The session, handed down to every component.
import { getContext, setContext } from 'svelte';
import type { Session } from './session.svelte.ts';

const KEY = Symbol('session');

export const setSession = (session: Session) => setContext(KEY, session);
export const getSession = () => getContext<Session>(KEY);

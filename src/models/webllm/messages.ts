// Prompt parts as the turns of a chat: rules and hints are the system's, states the user's, answers the assistant's.
// Knows no game.
import type { PromptPart } from '../types.ts';
import type { Message } from './api.ts';

export const messagesOf = (parts: readonly PromptPart[]): Message[] =>
  parts.map(({ role, text }) => ({ role, content: text }));

/**
 * The turns as the log keeps them. WebLLM puts them into the model's own template inside, and does not say what that
 * made of them.
 */
export const promptText = (parts: readonly PromptPart[]): string =>
  [...parts.map(({ role, text }) => `[${role}]\n${text}\n`), '[assistant]\n'].join('');

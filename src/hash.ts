// SHA-256 in hexadecimal digits: the name of a text or of bytes everywhere. Synchronous, which the browser's own is not.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

export const hashText = (text: string): string => hashBytes(utf8ToBytes(text));
export const hashBytes = (bytes: Uint8Array): string => bytesToHex(sha256(bytes));

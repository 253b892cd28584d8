// The code's version, as run.opened records it.
import { version } from '../package.json';

export const CODE_VERSION: string = version;

// The code's version, as run.opened records it: the package's, and a hash of the sources that decide a run's numbers.
import { version } from '../package.json';

/** Put in by the build (bin/sources.mjs). */
declare const __SOURCES__: string | undefined;

export const CODE_VERSION: string = `${version}+${typeof __SOURCES__ === 'string' ? __SOURCES__ : 'unknown'}`;

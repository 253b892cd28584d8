#!/usr/bin/env node
// Starts the terminal program. Bundles it with Vite when a source file is newer than the last bundle, so that
// there is no build to remember; knows nothing of the commands themselves.
import { loadBundle, root } from './bundle.mjs';

const { main } = await loadBundle();
process.exitCode = await main(process.argv.slice(2), root);

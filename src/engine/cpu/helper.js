// A helper thread of the CPU executor, as plain text: an eval worker in Node, a Blob worker in browsers. It makes its
// own instance on the shared memory, says so, and runs plans until told to quit, asleep in between.
const start = ({ module, memory, thread, scratch, bytes, seen }, ready) => {
  const { exports } = new WebAssembly.Instance(module, { env: { memory }, index: { now: () => 0 } });
  exports.setThread(scratch, bytes, 1);
  ready('ready');
  exports.help(thread, seen);
};
if (typeof require === 'function') {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an eval worker is CommonJS
  const { workerData, parentPort } = require('node:worker_threads');
  start(workerData, (message) => parentPort.postMessage(message));
} else {
  onmessage = ({ data }) => start(data, postMessage);
}

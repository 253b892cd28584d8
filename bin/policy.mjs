// The page's content policy, read from its head (index.html), as a header: for the page, and for the workers that play games,
// to which a policy in the page's head does not reach. Workers that fetch models are left out: a person may name any host.
import { readFileSync } from 'node:fs';

const NEEDS_IT = /(\.html|\/|\b(lab|game)\.worker[^/]*)$/;

/** The policy in a page's head, or null. */
export function policyIn(page) {
  try {
    return /http-equiv="Content-Security-Policy"\s+content="([^"]+)"/.exec(readFileSync(page, 'utf8'))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Headers for a request's path. */
export const policyHeaders = (policy, path) =>
  policy && NEEDS_IT.test(path) ? { 'Content-Security-Policy': policy } : {};

/** Vite's servers (dev, preview, tests) send it with the workers' scripts; `page`: path of index.html. */
export function policyPlugin(page) {
  const use = ({ middlewares }) => {
    const policy = policyIn(page);
    middlewares.use((request, response, next) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      if (/\.worker/.test(path)) {
        for (const [name, value] of Object.entries(policyHeaders(policy, path))) response.setHeader(name, value);
      }
      next();
    });
  };
  return { name: 'policy', configureServer: use, configurePreviewServer: use };
}

// A file of this site, or an error with a code: an answer that is not the file must not be read as one.
import { CodedError } from '../errors.ts';
import { pulled } from '../log/inflate.ts';

/** Errors: import/offline, import/missing, import/refused. */
export async function fetched(url: string): Promise<Response> {
  const response = await fetch(url).catch((error: unknown) => {
    throw offline(url, error);
  });
  if (response.ok) return response;
  const { status } = response;
  await response.body?.cancel();
  throw status === 404
    ? new CodedError('import/missing', `${url} is not on this site`, 'whoever put the page here left it out')
    : new CodedError('import/refused', `${url}: the server answered ${status}`, 'reload the page in a while');
}

/** Its bytes as they come. Errors: the same. */
export async function* piecesOf(url: string): AsyncGenerator<Uint8Array> {
  const { body } = await fetched(url);
  try {
    if (body) yield* pulled(body);
  } catch (error) {
    throw offline(url, error);
  }
}

const offline = (url: string, error: unknown) =>
  new CodedError('import/offline', `${url} did not come`, 'check the connection, then reload the page', String(error));

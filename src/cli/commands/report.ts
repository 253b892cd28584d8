// `s3 report LOG.jsonl…`: the tables and charts of one or more logs. Writes only where it is told to.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pluginTables } from '../../gym/registry.ts';
import type { RunEvent } from '../../log/events.ts';
import { readLogFile } from '../../log/files.node.ts';
import { reportOfLogs } from '../../report/defaults.ts';
import { renderCsv } from '../../report/render/csv.ts';
import { renderHtml } from '../../report/render/html.ts';
import { renderMarkdown } from '../../report/render/markdown.ts';
import { renderText } from '../../report/render/text.ts';
import { requireFile, type Command } from '../command.ts';

export const command: Command = {
  name: 'report',
  summary: 'tables and charts of one or more logs, several run seeds and games together',
  usage: 'LOG.jsonl… [--html FILE] [--csv DIR] [--markdown FILE] [--json]',
  flags: {
    html: { type: 'string' },
    csv: { type: 'string' },
    markdown: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [1, 1000],
  async run(args, io) {
    for (const path of args.positionals) requireFile(path, 'name one or more LOG.jsonl');
    const logs: RunEvent[][] = [];
    for (const path of args.positionals) {
      // A last line that a crash cut off is left out and said.
      const onTorn = ({ number }: { number: number }) => io.err(`${path}: line ${number} is cut off and left out`);
      logs.push(await readLogFile(path, { onTorn }));
    }
    const report = reportOfLogs(logs);
    const more = pluginTables(logs);
    const written: string[] = [];
    const write = (path: string, text: string) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      written.push(path);
    };
    const html = args.text('html');
    const csv = args.text('csv');
    const markdown = args.text('markdown');
    if (html !== undefined) write(html, renderHtml(report, more));
    if (csv !== undefined) for (const { name, text } of renderCsv(report, more)) write(join(csv, name), text);
    if (markdown !== undefined) write(markdown, renderMarkdown(report, more));
    if (args.flag('json')) io.out(JSON.stringify({ ...report, pluginTables: more }));
    else if (written.length === 0) io.out(renderText(report, more).trimEnd());
    for (const path of written) io.err(`wrote ${path}`);
    return 0;
  },
};

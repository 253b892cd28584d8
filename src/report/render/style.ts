// The look of a report as a file: tables and charts.

// Colours as on the page (src/app/app.css): a test holds the two together.
export const STYLE = `
:root{color-scheme:light dark;--paper:#fbfaf7;--ink:#1b1d21;--mute:#6a6d75;--line:#e3dfd6;--history:#2467b0;--summary:#b36b00;--training:#0d7f56;--frozen:#83868e;--other:#7a4fa3}
@media(prefers-color-scheme:dark){:root{--paper:#131518;--ink:#ebe8e2;--mute:#9699a1;--line:#2b2e34;--history:#6aa6e6;--summary:#e0a04a;--training:#4dbb8e;--frozen:#8f929a;--other:#b798dd}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:72rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin:2.5rem 0 .5rem}p{margin:.25rem 0}.mute{color:var(--mute);margin-top:3rem;overflow-wrap:anywhere}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
th{text-align:left;font-weight:600;color:var(--mute)}td,th{padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top;white-space:nowrap}
.n{text-align:right}.long{white-space:normal;min-width:24rem}figure{margin:2rem 0}figcaption{font-weight:600}svg{width:100%;max-width:54rem;font:12px system-ui,sans-serif}
.grid{stroke:var(--line)}.rule{stroke:var(--mute);stroke-dasharray:1 4}.tick{fill:var(--mute)}
.line{fill:none;stroke-width:2}.line.thin{stroke-width:1}.band{opacity:.14;stroke:none}
${['frozen', 'history', 'summary', 'training', 'other'].map((f) => `.line.${f}{stroke:var(--${f})}.band.${f},.label.${f}{fill:var(--${f})}`).join('')}
`;

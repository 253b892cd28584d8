import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';

// The rows of docs/architecture.md, from the top down.
const LAYERS = [
  'games',
  'src/engine',
  'src/log',
  'src/models',
  'src/report',
  'src/gym',
  'src/plugins',
  'src/workers',
  'src/app',
  'src/cli',
];

/** Rows above that are not to be known either. */
const STRANGERS = { games: ['src'], 'src/engine': ['games'], 'src/cli': ['src/app', 'src/workers'] };

export default ts.config(
  { ignores: ['dist', 'node_modules', 'public', 'src/engine/cpu/kernels', 'test/fixtures', 'test/.results', 'runs'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser, ...globals.node, ...globals.worker } },
    rules: {
      // `a[i]!` is how typed code reads an index that a loop has bounded.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
          message: 'Use a named stream: runs are replayed from their seeds.',
        },
      ],
    },
  },
  { files: ['**/*.svelte', '**/*.svelte.ts'], languageOptions: { parserOptions: { parser: ts.parser } } },
  // A folder imports only from rows above it (docs/architecture.md). Tests may look further.
  ...LAYERS.map((layer, row) => ({
    files: [`${layer}/**/*.ts`, `${layer}/**/*.svelte`],
    ignores: ['**/*.test.ts', '**/testing.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [...LAYERS.slice(row + 1), ...(STRANGERS[layer] ?? [])].map((other) => ({
            group: [`**/${other.replace('src/', '')}/**`],
            message: `${layer} knows nothing of ${other}`,
          })),
        },
      ],
    },
  })),
);

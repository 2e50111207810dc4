import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { floorsRule } from './scripts/floors.mjs';

const node = {
  AbortController: 'readonly',
  Buffer: 'readonly',
  URL: 'readonly',
  clearTimeout: 'readonly',
  console: 'readonly',
  fetch: 'readonly',
  process: 'readonly',
  setTimeout: 'readonly',
};

/** Of a page, in a browser. */
const page = Object.fromEntries(
  [
    ...['Blob', 'URLSearchParams', 'WebSocket', 'addEventListener', 'btoa', 'createImageBitmap', 'document', 'fetch'],
    ...['history', 'location', 'performance', 'sessionStorage', 'setInterval'],
  ].map((name) => [name, 'readonly']),
);

/** Rules of strictTypeChecked that the tree does not satisfy yet. */
const pending = {
  '@typescript-eslint/restrict-template-expressions': 'off',
  '@typescript-eslint/await-thenable': 'off',
  '@typescript-eslint/no-base-to-string': 'off',
  '@typescript-eslint/no-deprecated': 'off',
  '@typescript-eslint/no-floating-promises': 'off',
  '@typescript-eslint/no-meaningless-void-operator': 'off',
  '@typescript-eslint/no-misused-promises': 'off',
  '@typescript-eslint/no-non-null-asserted-optional-chain': 'off',
  '@typescript-eslint/no-redundant-type-constituents': 'off',
  '@typescript-eslint/no-unnecessary-condition': 'off',
  '@typescript-eslint/no-unnecessary-type-assertion': 'off',
  '@typescript-eslint/no-unnecessary-type-conversion': 'off',
  '@typescript-eslint/no-unnecessary-type-parameters': 'off',
  '@typescript-eslint/no-unsafe-argument': 'off',
  '@typescript-eslint/no-unsafe-assignment': 'off',
  '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
  '@typescript-eslint/no-unsafe-member-access': 'off',
  '@typescript-eslint/no-unsafe-return': 'off',
  '@typescript-eslint/no-useless-default-assignment': 'off',
  '@typescript-eslint/prefer-optional-chain': 'off',
  '@typescript-eslint/prefer-promise-reject-errors': 'off',
  '@typescript-eslint/prefer-string-starts-ends-with': 'off',
  '@typescript-eslint/restrict-plus-operands': 'off',
  '@typescript-eslint/unbound-method': 'off',
  '@typescript-eslint/use-unknown-in-catch-callback-variable': 'off',
};

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', 'runs/', '.gyre/'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['vitest.config.ts'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
  },
  {
    plugins: { gyre: { rules: { floors: floorsRule } } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'gyre/floors': 'error',
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      // `return refuse(...)` ends a function early.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // An empty string counts as missing.
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true, boolean: true } }],
      // A string is spread into its code points on purpose.
      '@typescript-eslint/no-misused-spread': 'off',
      // A function is async where its interface returns a promise, awaiting or not.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      // Typed arrays are indexed in loops whose bounds are checked.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/prefer-for-of': 'off',
      ...pending,
    },
  },
  { files: ['**/*.{js,mjs}'], ...tseslint.configs.disableTypeChecked },
  { files: ['**/*.{js,mjs}'], languageOptions: { globals: node }, rules: { 'no-console': 'off' } },
  {
    files: ['**/*.test.ts', '**/*.test.fixture.ts'],
    rules: {
      // Vitest's matchers are of type any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  { files: ['packages/sandbox/view/*.js'], languageOptions: { globals: page } },
);

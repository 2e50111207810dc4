import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { floorsRule } from './scripts/floors.mjs';
import { docstringHeadRule, vagueNameRule } from './scripts/words.mjs';

const node = {
  AbortController: 'readonly',
  AbortSignal: 'readonly',
  Buffer: 'readonly',
  URL: 'readonly',
  clearInterval: 'readonly',
  clearTimeout: 'readonly',
  console: 'readonly',
  fetch: 'readonly',
  performance: 'readonly',
  process: 'readonly',
  setInterval: 'readonly',
  setTimeout: 'readonly',
};

/** Globals of a page. */
const page = Object.fromEntries(
  [
    ...['Blob', 'URLSearchParams', 'WebSocket', 'addEventListener', 'btoa', 'createImageBitmap', 'document', 'fetch'],
    ...['history', 'location', 'performance', 'sessionStorage', 'setInterval'],
  ].map((name) => [name, 'readonly']),
);

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
    plugins: {
      gyre: { rules: { floors: floorsRule, 'docstring-head': docstringHeadRule, 'vague-name': vagueNameRule } },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'gyre/floors': 'error',
      'gyre/docstring-head': 'error',
      'gyre/vague-name': 'error',
      eqeqeq: 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':matches(PropertyDefinition, TSParameterProperty, MethodDefinition[kind!="constructor"])[accessibility="private"]',
          message: 'write #name: private members are private at run time.',
        },
      ],
      'no-console': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      // `return refuse(...)` ends a function early.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
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

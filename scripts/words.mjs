/** Names that say nothing about their domain. `left` is allowed next to `right` or `width`. */
const vague = new Set(
  'at one other all left found most wanted of said shown way kept own made given asked held what told'.split(' '),
);

/** Maximum scope of a vague local in lines, as of `at` in a short callback. */
const shortLife = 3;

const heads = /^\/\*\*[\s*]*(?:Of|What|Who|Whose|Whom|Whoever|Whatever|Where|Wherever)\b/;

/** Reports docstrings that begin with a relative pronoun instead of a verb or a noun. */
export const docstringHeadRule = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      head: 'begin the docstring with a verb ("Returns ...") or the noun that it describes, not with "{{head}}".',
    },
  },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          const match = comment.type === 'Block' ? heads.exec(`/*${comment.value}`) : null;
          if (match)
            context.report({ loc: comment.loc, messageId: 'head', data: { head: match[0].split(/[\s*]+/).at(-1) } });
        }
      },
    };
  },
};

/** Reports variables, parameters and members with names that say nothing, unless they live for three lines. */
export const vagueNameRule = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { vague: 'name this by what it is in its domain, not "{{name}}".' },
  },
  create(context) {
    const report = (node, name) => context.report({ node, messageId: 'vague', data: { name } });
    const lines = (node) => node.loc.end.line - node.loc.start.line + 1;
    const isSide = (name, names) => name === 'left' && (names.includes('right') || names.includes('width'));
    function checkMember(node) {
      const { key, parent } = node;
      if (node.computed || key?.type !== 'Identifier' || !vague.has(key.name)) return;
      const siblings = (parent.body ?? parent.members ?? []).map((member) => member.key?.name);
      if (!isSide(key.name, siblings)) report(key, key.name);
    }
    return {
      'Program:exit'(program) {
        const visit = (scope) => {
          const names = scope.variables.map(({ name }) => name);
          for (const variable of scope.variables) {
            const definition = variable.defs[0];
            if (!vague.has(variable.name) || definition === undefined || definition.type === 'ImportBinding') continue;
            if (isSide(variable.name, names)) continue;
            if (lines(scope.block) > shortLife) report(definition.name, variable.name);
          }
          scope.childScopes.forEach(visit);
        };
        visit(context.sourceCode.getScope(program));
      },
      TSPropertySignature: checkMember,
      PropertyDefinition: checkMember,
      MethodDefinition: checkMember,
      TSMethodSignature: checkMember,
    };
  },
};

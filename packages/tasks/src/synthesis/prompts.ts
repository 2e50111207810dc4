/** Raised with every change to a prompt. */
export const promptsVersion = 1;

const json = 'Answer with one JSON object and nothing after it.';

/** Steps of the UI-TARS-2 report, section 2.5.1, in our own words. */
export const prompts = {
  explore: `You get to know a piece of software by looking at it, so that you can think of tasks for it later. You see one screen.
Say in a few sentences what it shows and what one can do here. Then name one point to click that leads to a part you have not seen,
or null when you have seen enough. Do not click what sends, buys, deletes or cannot be undone. Coordinates go from 0 to 1000, from the
left and from the top. ${json}
{"view": "...", "next": {"x": 500, "y": 500}}`,

  extract: `You have looked around in a piece of software. You see its screens, and your notes. List its core functions: what people
come to it for, each with a short name, and where it is found. Leave out what the screens give no sign of. Say also whether it is fit
to make tasks from: "good", or "login" where nothing works without an account, "static" where it only shows information, "game" where
it is a casual game, "broken" where it did not load. ${json}
{"fit": "good", "why": "...", "functions": [{"name": "...", "does": "...", "where": "..."}]}`,

  compose: `You write tasks for an agent that sees only the screen and acts by mouse and keys. You know the software's functions and
its state at the start. Make each task of at least two functions, or of one that has to be used several times; where a task needs
another one done first, put both into one. A person must have a reason to want it. It must have one outcome, reached from the start
without an account, other programs, or knowledge that neither the screen nor the instruction gives. Vary functions and lengths. Say with each
task how its success is told. ${json}
{"tasks": [{"instruction": "...", "functions": ["...", "..."], "steps": ["...", "..."], "condition": ...}]}`,

  refine: `You edit an instruction for an agent that sees only the screen. Make it clear and objective: one intent, no ambiguity, every
name as the screen writes it and in quotes, every value given that has to be typed. Do not say how it is done, and do not change what
is asked. Speak only of what can be seen on some screen: no keys, ids or words of the program's inside. Where it cannot be mended, because
it fits several outcomes or is trivial or makes no sense, give null and say why. ${json}
{"instruction": "...", "why": "..."}`,

  verify: `You check whether the success of a task can be told. You are given the instruction, the state at the start, and the
condition that will be tested. Answer true only where both hold: whoever follows the instruction to the letter fulfils the condition, all of
it, and nothing beside; and whoever fulfils the condition has done what the instruction asks. Look for values that the instruction leaves open,
for things that are there twice, and for parts of the instruction that the condition does not see. ${json}
{"verifiable": true, "why": "..."}`,
} as const;

export const appConditions = `A condition is one of:
{"kind": "changes", "changes": [{"path": "/a/b", "value": ...}, {"path": "/a/c", "remove": true}]}
  The state as it is to be in the end, as JSON pointers into the state at the start; all else stays as it is. What is made anew goes under the
  key new1, then new2, with the same fields as its siblings; a new entry of a plain list has the path "/list/-".
{"kind": "answer", "answer": "..."}
  For questions: the one right answer, a name or a number. The instruction must ask for it.`;

export const pageConditions = `A condition is one of:
{"kind": "answer", "answer": "..."}
  For questions: the one right answer, a name or a number that a screen showed you. The instruction must ask for it.
{"kind": "shown", "address": "...", "texts": ["..."]}
  What the page shows in the end and not at the start: texts that stand on it, and a part of its address ("address" may be left out).`;

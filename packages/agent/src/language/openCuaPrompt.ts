import { GyreError, pythonJson } from '@gyre/protocol';
import type { PromptOptions } from './prompt.js';

/*
 * The system prompts that OpenCUA-7B and 32B were trained on, word for word: level 2, or level 1 without thinking
 * (xlang-ai/OpenCUA, evaluation/agentnetbench/agent/opencua.py, and SYSTEM_PROMPT_V1 of xlang-ai/OSWorld,
 * mm_agents/opencua/prompts.py). For grounding the prompt ends after the first paragraph (model/README.md there).
 */

const task =
  'You are a GUI agent. You are given a task and a screenshot of the screen. You need to perform a series of pyautogui actions to complete the task.';

const thought = `Thought:
  - Step by Step Progress Assessment:
    - Analyze completed task parts and their contribution to the overall goal
    - Reflect on potential errors, unexpected results, or obstacles
    - If previous action was incorrect, predict a logical recovery step
  - Next Action Analysis:
    - List possible next actions based on current state
    - Evaluate options considering current state and previous actions
    - Propose most logical next action
    - Anticipate consequences of the proposed action
  - For Text Input Actions:
    - Note current cursor position
    - Consolidate repetitive actions (specify count for multiple keypresses)
    - Describe expected final text outcome
  - Use first-person perspective in reasoning`;

const action = `Action:
  Provide clear, concise, and actionable instructions:
  - If the action involves interacting with a specific target:
    - Describe target explicitly without using coordinates
    - Specify element names when possible (use original language if non-English)
    - Describe features (shape, color, position) if name unavailable
    - For window control buttons, identify correctly (minimize "—", maximize "□", close "X")
  - if the action involves keyboard actions like 'press', 'write', 'hotkey':
    - Consolidate repetitive keypresses with count
    - Specify expected text outcome for typing actions`;

const tripleClick = {
  name: 'computer.triple_click',
  description: 'Triple click on the screen',
  parameters: {
    type: 'object',
    properties: {
      x: { type: 'number', description: 'The x coordinate of the triple click' },
      y: { type: 'number', description: 'The y coordinate of the triple click' },
    },
    required: ['x', 'y'],
  },
};

const terminate = {
  name: 'computer.terminate',
  description: 'Terminate the current task and report its completion status',
  parameters: {
    type: 'object',
    properties: {
      status: { type: 'string', enum: ['success', 'failure'], description: 'The status of the task' },
    },
    required: ['status'],
  },
};

/** Prints the prompt. A limit of words or another language adds a line that the official prompt lacks. */
export function openCuaPrompt({ mode, thinking, language = 'English' }: PromptOptions): string {
  if (mode === 'phone') {
    throw new GyreError('bad_input', 'opencua has only the functions of computers, not those of phones', {
      field: 'mode',
      fix: 'use the mode gui, or another format such as doubao',
    });
  }
  if (mode === 'grounding') return task;
  const limits = [
    ...(typeof thinking === 'number' ? [`Use at most ${thinking} words for Thought.`] : []),
    ...(language === 'English' ? [] : [`Write in ${language}.`]),
  ];
  return [
    task,
    'For each step, provide your response in this format:',
    ...(thinking === 'none' ? [] : [thought]),
    action,
    `Finally, output the action as PyAutoGUI code or the following functions:\n- ${pythonJson(tripleClick)}\n- ${pythonJson(terminate)}`,
    ...limits,
  ].join('\n\n');
}

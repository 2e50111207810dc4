import { GyreError, pythonJson } from '@gyre/protocol';
import type { PromptOptions, Thinking } from './prompt.js';

/*
 * Qwen3-VL's own prompt, word for word. The tool is the cookbook's (QwenLM/Qwen3-VL, cookbooks/computer_use.ipynb and
 * cookbooks/utils/agent_function_call.py), around it the frame of qwen-agent's NousFnCallPrompt. The response format is
 * that of OSWorld's agent (xlang-ai/OSWorld, mm_agents/qwen3vl_agent.py).
 */

const description = `Use a mouse and keyboard to interact with a computer, and take screenshots.
* This is an interface to a desktop GUI. You do not have access to a terminal or applications menu. You must click on desktop icons to start applications.
* Some applications may take time to start or process actions, so you may need to wait and take successive screenshots to see the results of your actions. E.g. if you click on Firefox and a window doesn't open, try wait and taking another screenshot.
* The screen's resolution is 1000x1000.
* Whenever you intend to move the cursor to click on an element like an icon, you should consult a screenshot to determine the coordinates of the element before moving the cursor.
* If you tried clicking on a program or link but it failed to load, even after waiting, try adjusting your cursor position so that the tip of the cursor visually falls on the element that you want to click.
* Make sure to click any buttons, links, icons, etc with the cursor tip in the center of the element. Don't click boxes on their edges.`;

const actions = {
  key: 'Performs key down presses on the arguments passed in order, then performs key releases in reverse order.',
  type: 'Type a string of text on the keyboard.',
  mouse_move: 'Move the cursor to a specified (x, y) pixel coordinate on the screen.',
  left_click: 'Click the left mouse button at a specified (x, y) pixel coordinate on the screen.',
  left_click_drag: 'Click and drag the cursor to a specified (x, y) pixel coordinate on the screen.',
  right_click: 'Click the right mouse button at a specified (x, y) pixel coordinate on the screen.',
  middle_click: 'Click the middle mouse button at a specified (x, y) pixel coordinate on the screen.',
  double_click: 'Double-click the left mouse button at a specified (x, y) pixel coordinate on the screen.',
  triple_click:
    "Triple-click the left mouse button at a specified (x, y) pixel coordinate on the screen (simulated as double-click since it's the closest action).",
  scroll: 'Performs a scroll of the mouse scroll wheel.',
  hscroll: 'Performs a horizontal scroll (mapped to regular scroll).',
  wait: 'Wait specified seconds for the change to happen.',
  terminate: 'Terminate the current task and report its completion status.',
  answer: 'Answer a question.',
} as const;

const actionList = Object.entries(actions).map(([name, what]) => `* \`${name}\`: ${what}`);

const tool = {
  type: 'function',
  function: {
    name: 'computer_use',
    description,
    parameters: {
      properties: {
        action: {
          description: `The action to perform. The available actions are:\n${actionList.join('\n')}`,
          enum: Object.keys(actions),
          type: 'string',
        },
        keys: { description: 'Required only by `action=key`.', type: 'array' },
        text: { description: 'Required only by `action=type` and `action=answer`.', type: 'string' },
        coordinate: {
          description:
            '(x, y): The x (pixels from the left edge) and y (pixels from the top edge) coordinates to move the mouse to.',
          type: 'array',
        },
        pixels: {
          description:
            'The amount of scrolling to perform. Positive values scroll up, negative values scroll down. Required only by `action=scroll` and `action=hscroll`.',
          type: 'number',
        },
        time: { description: 'The seconds to wait. Required only by `action=wait`.', type: 'number' },
        status: {
          description: 'The status of the task. Required only by `action=terminate`.',
          type: 'string',
          enum: ['success', 'failure'],
        },
      },
      required: ['action'],
      type: 'object',
    },
  },
};

/** Prints the prompt. Without thinking it is the cookbook's, otherwise OSWorld's response format follows. */
export function qwenPrompt({ mode, thinking, language = 'English' }: PromptOptions): string {
  if (mode === 'phone') {
    throw new GyreError('bad_input', 'qwen3-vl has only the tool of computers, not that of phones', {
      field: 'mode',
      fix: 'use the mode gui, or another format such as doubao',
    });
  }
  const tools = `# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
${pythonJson(tool)}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>`;
  if (thinking === 'none' || mode === 'grounding') return `You are a helpful assistant.\n\n${tools}`;
  const inLanguage = language === 'English' ? '' : `\n- Write in ${language}.`;
  return `${tools}\n\n${responseFormat(thinking)}${inLanguage}`;
}

/** A limit of words adds a thought, which the official format lacks. */
function responseFormat(thinking: Thinking): string {
  const isLimited = typeof thinking === 'number';
  const parts = [
    ...(isLimited ? [`Thought: at most ${thinking} words about what to do and why.`] : []),
    'Action: a short imperative describing what to do in the UI.',
    'A single <tool_call>...</tool_call> block containing only the JSON: {"name": <function-name>, "arguments": <args-json-object>}.',
  ];
  return `# Response format

Response format for every step:
${parts.map((part, index) => `${index + 1}) ${part}`).join('\n')}

Rules:
- Output exactly in the order: ${isLimited ? 'Thought, ' : ''}Action, <tool_call>.
- Be brief: one sentence for Action.
- Do not output anything else outside those parts.
- If finishing, use action=terminate in the tool call.`;
}

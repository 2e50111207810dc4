import type { AgentAction } from './sdkCall.js';

/** Describes an action for people: `click 0.25, 0.60`, `type "karo"`, `hotkey ctrl c`. */
export function describeAction(action: AgentAction): string {
  const pointText = (point: { x: number; y: number }) => `${point.x.toFixed(2)}, ${point.y.toFixed(2)}`;
  const verb = action.type.replaceAll('_', ' ');
  switch (action.type) {
    case 'drag':
    case 'swipe':
      return `${verb} ${pointText(action.start)} → ${pointText(action.end)}`;
    case 'type':
      return `type ${JSON.stringify(action.text)}`;
    case 'hotkey':
      return `hotkey ${action.keys}`;
    case 'press':
    case 'release':
      return `${verb} ${action.key}`;
    case 'scroll':
      return `scroll ${action.direction}${action.point ? ` at ${pointText(action.point)}` : ''}`;
    case 'navigate':
      return `navigate ${action.url}`;
    case 'open_app':
      return `open app ${action.name}`;
    case 'execute_bash':
      return `${action.input === true ? '>' : '$'} ${action.command}`;
    case 'str_replace_editor':
      return `${action.command.replaceAll('_', ' ')} ${action.path}`;
    case 'jupyter':
      return `>>> ${action.code}`;
    case 'search':
      return `search ${JSON.stringify(action.query)}`;
    case 'link_reader':
      return `read ${action.url}`;
    case 'mcp_tool':
      return `${action.server} ${action.tool} ${JSON.stringify(action.arguments ?? {})}`;
    case 'finished':
      return action.answer === undefined ? 'finished' : `finished: ${action.answer}`;
    default:
      return 'point' in action && action.point ? `${verb} ${pointText(action.point)}` : verb;
  }
}

import type { SiteLabels } from '../questions/question.js';
import type { SiteSkin } from './skin.js';
import { siteStyles } from './stylesheet.js';

export function siteHtml({ classes, variables }: SiteSkin, labels: SiteLabels, language: string): string {
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>Wiki</title><style>${siteStyles}</style></head>` +
    `<body class="${classes}" style="${variables.replace(/"/g, "'")}">` +
    '<div class="bar"><div class="tool back" data-name="back" data-do="back"></div>' +
    '<div class="tool forward" data-name="forward" data-do="forward"></div>' +
    '<div class="tool home" data-name="home" data-do="home"></div><div class="field address" data-name="address"></div></div>' +
    '<div class="head"><div class="brand" data-name="brand" data-do="home"></div>' +
    `<div class="field find" data-name="find" data-label="${labels.find}"></div>` +
    `<div class="btn" data-name="search" data-do="search">${labels.search}</div></div>` +
    '<div class="view" data-name="view"><div class="sheet" data-name="sheet"></div>' +
    '<div class="track"><div class="grip" data-name="grip"></div></div></div></body></html>'
  );
}

import type { TaskFamily } from '../family/family.js';
import { type AppOpener, appFamiliesOf, openerOf } from './appFamily.js';
import { mailApp } from './mail/mailApp.js';
import { adminApp } from './admin/adminApp.js';
import { calendarApp } from './calendar/calendarApp.js';
import { chatApp } from './chat/chatApp.js';
import { editorApp } from './editor/editorApp.js';
import { filesApp } from './files/filesApp.js';
import { mapApp } from './map/mapApp.js';
import { settingsApp } from './settings/settingsApp.js';
import { shopApp } from './shop/shopApp.js';
import { tableApp } from './table/tableApp.js';

export const appFamilies: Readonly<Record<string, TaskFamily>> = {
  ...appFamiliesOf(mailApp),
  ...appFamiliesOf(shopApp),
  ...appFamiliesOf(settingsApp),
  ...appFamiliesOf(adminApp),
  ...appFamiliesOf(filesApp),
  ...appFamiliesOf(chatApp),
  ...appFamiliesOf(calendarApp),
  ...appFamiliesOf(tableApp),
  ...appFamiliesOf(editorApp),
  ...appFamiliesOf(mapApp),
};

export const apps: Readonly<Record<string, AppOpener>> = {
  mail: openerOf(mailApp),
  shop: openerOf(shopApp),
  settings: openerOf(settingsApp),
  admin: openerOf(adminApp),
  files: openerOf(filesApp),
  chat: openerOf(chatApp),
  calendar: openerOf(calendarApp),
  table: openerOf(tableApp),
  editor: openerOf(editorApp),
  map: openerOf(mapApp),
};

// API calls for push notices: the browsers in which the person has turned them on.
import { api, body } from "./http";
import type { components } from "./schema";

export type Push = components["schemas"]["PushView"];
export type PushBrowser = components["schemas"]["PushBrowserView"];
export type NewPushBrowser = components["schemas"]["NewPushBrowser"];

const ofBrowser = (id: string) => ({ params: { path: { push_browser_id: id } } });

export const readPush = () => body(api.GET("/api/v1/me/push"));
export const addPushBrowser = (browser: NewPushBrowser) =>
  body(api.POST("/api/v1/me/push/browsers", { body: browser }));
export const removePushBrowser = (id: string) =>
  body(api.DELETE("/api/v1/me/push/browsers/{push_browser_id}", ofBrowser(id)));
export const testPushBrowser = (id: string) =>
  body(api.POST("/api/v1/me/push/browsers/{push_browser_id}/test", ofBrowser(id)));

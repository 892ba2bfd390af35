// API calls for webhooks of a team and their deliveries.
import { api, body } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Webhook = Schemas["WebhookView"];
export type IssuedWebhook = Schemas["IssuedWebhookView"];
export type NewWebhook = Schemas["NewWebhook"];
export type WebhookChange = Schemas["WebhookChange"];
export type Delivery = Schemas["DeliveryView"];

const ofHook = (id: string) => ({ params: { path: { webhook_id: id } } });
const ofDelivery = (id: string) => ({ params: { path: { delivery_id: id } } });

export const listWebhookEvents = () => body(api.GET("/api/v1/webhook-events"));
export const listWebhooks = (teamId: string) =>
  body(
    api.GET("/api/v1/teams/{team_id}/webhooks", {
      params: { path: { team_id: teamId }, query: { limit: 100 } },
    }),
  );
export const createWebhook = (teamId: string, webhook: NewWebhook) =>
  body(
    api.POST("/api/v1/teams/{team_id}/webhooks", { params: { path: { team_id: teamId } }, body: webhook }),
  );
export const changeWebhook = (id: string, change: WebhookChange) =>
  body(api.PATCH("/api/v1/webhooks/{webhook_id}", { ...ofHook(id), body: change }));
export const removeWebhook = (id: string) => body(api.DELETE("/api/v1/webhooks/{webhook_id}", ofHook(id)));
export const rotateSecret = (id: string) =>
  body(api.POST("/api/v1/webhooks/{webhook_id}/rotate", ofHook(id)));
export const pingWebhook = (id: string) => body(api.POST("/api/v1/webhooks/{webhook_id}/ping", ofHook(id)));
export const listDeliveries = (id: string, cursor?: string) =>
  body(
    api.GET("/api/v1/webhooks/{webhook_id}/deliveries", {
      params: { path: { webhook_id: id }, query: { limit: 20, cursor } },
    }),
  );
export const getDelivery = (id: string) => body(api.GET("/api/v1/deliveries/{delivery_id}", ofDelivery(id)));
export const redeliver = (id: string) =>
  body(api.POST("/api/v1/deliveries/{delivery_id}/redeliver", ofDelivery(id)));

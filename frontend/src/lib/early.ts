// Responses and sockets that public/early.js requested before the scripts were loaded. Each is taken once.

/** A socket with the frames that it has received. An open one has sent `hello`, for a session with a snapshot. */
interface EarlySocket {
  socket: WebSocket;
  received: unknown[];
}

declare global {
  interface Window {
    agentsiteEarly?: {
      /** By path. */
      responses: Record<string, Promise<Response>>;
      /** By address. */
      sockets: Record<string, EarlySocket>;
    };
  }
}

function take<T>(kept: Record<string, T> | undefined, name: string): T | undefined {
  const found = kept?.[name];
  if (kept) delete kept[name];
  return found;
}

/** Returns the response to a GET request that was sent early. */
export const takeResponse = (path: string): Promise<Response> | undefined =>
  take(window.agentsiteEarly?.responses, path);

/** Returns the WebSocket to this address that was opened early, unless it is closed again. */
export function takeSocket(address: string): EarlySocket | undefined {
  const early = take(window.agentsiteEarly?.sockets, address);
  const state = early?.socket.readyState;
  return state === WebSocket.CONNECTING || state === WebSocket.OPEN ? early : undefined;
}

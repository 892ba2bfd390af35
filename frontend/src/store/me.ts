// The person's own WebSocket: short notices about all of their sessions.
import { createStore } from "zustand/vanilla";
import type { Notice } from "../api/frames";
import { socketAddress } from "../lib/prefix";
import { type Link, Socket } from "./socket";

export const meLink = createStore<{ link: Link }>(() => ({ link: "connecting" }));

export interface MeOptions {
  onNotice: (notice: Notice) => void;
  /** Called after every (re)connection, when anything may have been missed. */
  onReady: () => void;
  onSignedOut: () => void;
}

/** Connects to the person's stream; returns a function that closes it. */
export function connectMe(options: MeOptions): () => void {
  const socket = new Socket({
    address: () => socketAddress("/ws/me"),
    onOpen: (greeted) => {
      if (!greeted) socket.send({ id: "hello", type: "hello" });
      options.onReady();
    },
    onFrame: (frame) => {
      if (frame.type === "notice") options.onNotice(frame as unknown as Notice);
    },
    onLink: (link) => meLink.setState({ link }),
    onEnd: (reason) => {
      if (reason === "signed-out") options.onSignedOut();
    },
  });
  socket.open();
  return () => socket.close();
}

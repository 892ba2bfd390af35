// Runs before the first paint, and begins what the page asks for first while its scripts are loaded. A file of its own,
// because inline scripts are off. `src/lib/early.ts` hands over what was begun.
(() => {
  try {
    const theme = localStorage.getItem("agentsite.theme");
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage can be blocked; the system's scheme is used then.
  }

  const prefix = (document.querySelector('meta[name="agentsite-prefix"]')?.content ?? "").replace(/\/+$/, "");
  const path = window.location.pathname.slice(prefix.length);
  if (path.startsWith("/shared/")) return; // whoever has the link need not be signed in
  const early = { responses: {}, sockets: {} };
  window.agentsiteEarly = early;

  function open(path, greeting) {
    const address = `${window.location.origin.replace(/^http/, "ws")}${prefix}${path}`;
    const socket = new WebSocket(address);
    const received = [];
    socket.onopen = () => socket.send(JSON.stringify({ id: "early", type: "hello", ...greeting }));
    socket.onmessage = (message) => received.push(message.data);
    early.sockets[address] = { socket, received };
  }

  const me = fetch(`${prefix}/api/v1/me`, {
    credentials: "same-origin",
    headers: { Accept: "application/json" },
  });
  me.catch(() => undefined); // whoever takes it handles the error
  early.responses[`${prefix}/api/v1/me`] = me;
  const session = /^\/sessions\/([^/]+)(\/review)?$/.exec(path);
  if (session) open(`/ws/sessions/${session[1]}`, { after: null, limit: 50 });
  open("/ws/me", {});
})();

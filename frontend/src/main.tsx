import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/shell.css";
import "./styles/pages.css";
import "./styles/conversation.css";
import "./styles/prose.css";
import "./styles/tools.css";
import "./styles/prompt.css";
import "./styles/cards.css";
import "./styles/session-list.css";
import "./styles/workbench.css";
import "./styles/side.css";
import "./styles/tool-views.css";
import "./styles/attachments.css";
import "./styles/why.css";
import "./styles/together.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./ui/tokens.css";
import "./ui/base.css";
import "./ui/controls.css";
import "./ui/Notice.css";
import "./ui/StateDot.css";
import "./ui/Chevron.css";
import "./ui/layout.css";
import "./ui/Dialog.css";
import "./ui/DiffView.css";
import "./ui/ExpandableRow.css";
import "./ui/Logo.css";
import "./ui/OneTimeSecret.css";
import "./ui/Tabs.css";
import "./ui/UsageBar.css";
import "./ui/card.css";
import "./ui/changed-file.css";
import "./ui/code.css";
import "./ui/forms.css";
import "./ui/menu.css";
import "./ui/message.css";
import "./ui/page.css";
import "./ui/prose.css";
import "./ui/rows.css";
import "./ui/table.css";
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

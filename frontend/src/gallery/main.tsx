import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Tips } from "../ui/Tips";
import { Gallery } from "./Gallery";
import "../styles";

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Gallery />
      <Tips />
    </StrictMode>,
  );
}

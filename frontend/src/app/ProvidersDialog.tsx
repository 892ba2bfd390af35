import { useStore } from "zustand";
import { Dialog } from "../ui/Dialog";
import { close, shellStore } from "./shellStore";

export function ProvidersDialog() {
  const isOpen = useStore(shellStore, (state) => state.providers);
  return (
    <Dialog open={isOpen} onClose={() => close("providers")} title="Add a real provider">
      <div className="prose">
        <p>
          The demo model is a small program of this site. It lists, reads, searches, edits and runs tests as
          simple instructions ask, and says so when it cannot do something. It is not a language model.
        </p>
        <p>
          The person who runs this site can connect a real one: any provider with an OpenAI-compatible
          address, or any provider that LiteLLM knows. The settings are environment variables, read when the
          site starts; the file <code>docs/models.md</code> in the site's folder lists them with examples.
        </p>
        <p>Keys stay with the agent worker. This browser and the containers never see them.</p>
      </div>
    </Dialog>
  );
}

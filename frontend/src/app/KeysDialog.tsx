import { useStore } from "zustand";
import { Dialog } from "../ui/Dialog";
import { KEY_HELP } from "./keys";
import { close, shellStore } from "./shellStore";
import "./Palette.css";

export function KeysDialog() {
  const help = useStore(shellStore, (state) => state.help);
  return (
    <Dialog open={help} onClose={() => close("help")} title="Keyboard shortcuts">
      <dl className="key-list">
        {KEY_HELP.map(({ keys, does }) => (
          <div key={keys} className="line between ruled">
            <dt className="flex gap-4">
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

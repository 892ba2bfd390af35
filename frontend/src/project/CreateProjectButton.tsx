import { open } from "../app/shellStore";
import { Icon } from "../ui/Icon";

export function CreateProjectButton() {
  return (
    <button type="button" className="button" onClick={() => open("newProject")}>
      <Icon name="plus" size={14} /> New project
    </button>
  );
}

// The abilities of a model in words.
import type { TableModel } from "../api/modelTable";

const TOOLS = { true: "tools", false: "no tools", null: "tools unknown" };

/** Returns the abilities of a model, such as ["tools", "pictures", "reasoning (low to high)"]. */
export function abilitiesOf(model: TableModel): string[] {
  const [least, most] = [model.efforts[0], model.efforts[model.efforts.length - 1]];
  return [
    TOOLS[`${model.calls_tools}`],
    model.sees_images && "pictures",
    model.sees_pdf && "PDF",
    model.reasons && (least ? `reasoning (${least} to ${most})` : "reasoning"),
    model.caches && "caching",
  ].filter((word) => word !== false);
}

import { type DragEvent, useState } from "react";

export interface DragOfRow {
  /** Index at which a line shows where the dragged row would be dropped. */
  mark: "before" | "after" | null;
  grip: { draggable: true; onDragStart: (event: DragEvent) => void; onDragEnd: () => void };
  row: { onDragOver: (event: DragEvent) => void; onDrop: (event: DragEvent) => void };
}

/** Reorders rows of one list by dragging. Rows of other lists are ignored. */
export function useDragOrder(onMove: (from: number, to: number) => void) {
  const [from, setFrom] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const end = () => {
    setFrom(null);
    setOver(null);
  };
  const ofRow = (index: number): DragOfRow => ({
    mark: from !== null && over === index && from !== index ? (from < index ? "after" : "before") : null,
    grip: {
      draggable: true,
      onDragStart: (event) => {
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", String(index));
        setFrom(index);
      },
      onDragEnd: end,
    },
    row: {
      onDragOver: (event) => {
        if (from === null) return;
        event.preventDefault();
        setOver(index);
      },
      onDrop: (event) => {
        if (from === null) return;
        event.preventDefault();
        onMove(from, index);
        end();
      },
    },
  });
  return { ofRow };
}

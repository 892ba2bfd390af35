import { vi } from "vitest";

/** In place of the browser's upload: the test says how far it is and what the site answers. */
export class FakeUpload {
  static all: FakeUpload[] = [];
  readonly upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null } = {
    onprogress: null,
  };
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onabort: (() => void) | null = null;
  status = 0;
  responseText = "";
  path = "";
  sent: FormData | null = null;

  constructor() {
    FakeUpload.all.push(this);
  }
  open(_method: string, path: string): void {
    this.path = path;
  }
  setRequestHeader(): void {}
  send(content: FormData): void {
    this.sent = content;
  }
  abort(): void {
    this.onabort?.();
  }
  progress(loaded: number, total: number): void {
    this.upload.onprogress?.({ loaded, total });
  }
  answer(status: number, body: unknown): void {
    this.status = status;
    this.responseText = JSON.stringify(body);
    this.onload?.();
  }
}

export function fakeUploads(): typeof FakeUpload {
  FakeUpload.all = [];
  vi.stubGlobal("XMLHttpRequest", FakeUpload);
  return FakeUpload;
}

export const attachment = (id: string, name = "tea.png") => ({
  id,
  name,
  media_type: "image/png",
  size: 2048,
  width: 0,
  height: 0,
});

import { describe, expect, it } from "vitest";
import { sourceOfFolder } from "../../src/uploads/source";
import { tarOf } from "../../src/uploads/tar";

const file = (text: string) => new File([text], "x", { lastModified: 1_700_000_000_000 });
const bytesOf = async (blob: Blob) => new Uint8Array(await new Response(blob).arrayBuffer());
const textAt = (bytes: Uint8Array, at: number, size: number) =>
  new TextDecoder().decode(bytes.slice(at, at + size)).replace(/\0.*$/s, "");

describe("tarOf", () => {
  it("writes a header, the content and zeros to full blocks", async () => {
    const bytes = await bytesOf(tarOf([{ path: "shop/a.txt", file: file("one") }]));
    expect(bytes.length).toBe(512 + 512 + 1024);
    expect(textAt(bytes, 0, 100)).toBe("shop/a.txt");
    expect(textAt(bytes, 124, 12)).toBe("00000000003");
    expect(textAt(bytes, 512, 3)).toBe("one");
    const sum = bytes
      .slice(0, 512)
      .reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
    expect(Number.parseInt(textAt(bytes, 148, 6), 8)).toBe(sum);
  });

  it.each([93, 94, 120, 982, 983, 984, 985, 986, 990])(
    "gives a name of %i letters a record of its own length",
    async (letters) => {
      const path = `shop/${"n".repeat(letters)}`;
      const bytes = await bytesOf(tarOf([{ path, file: file("") }]));
      const isLong = path.length > 100;
      expect(textAt(bytes, 156, 1)).toBe(isLong ? "x" : "0");
      if (!isLong) return;
      const record = textAt(bytes, 512, 2000);
      expect(record).toContain(` path=${path}\n`);
      expect(Number.parseInt(record, 10)).toBe(record.indexOf("\n") + 1);
    },
  );
});

describe("sourceOfFolder", () => {
  it("leaves out what set-up installs, and says so", () => {
    const files = ["shop/a.txt", "shop/node_modules/b.js", "shop/web/.venv/c.py"].map((path) => ({
      path,
      file: file("1"),
    }));
    const source = sourceOfFolder(files);
    expect(source.name).toBe("shop");
    expect(source.content.size).toBe(512 + 512 + 1024);
    expect(source.leftOut).toBe("2 files in node_modules, .venv, __pycache__ will not be sent.");
  });

  it("has another fingerprint when a file changed", () => {
    const before = sourceOfFolder([{ path: "shop/a", file: file("1") }]);
    const after = sourceOfFolder([
      { path: "shop/a", file: new File(["1"], "a", { lastModified: 1_800_000_000_000 }) },
    ]);
    expect(before.fingerprint).not.toBe(after.fingerprint);
  });
});

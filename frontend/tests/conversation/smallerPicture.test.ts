import { afterEach, expect, test, vi } from "vitest";
import { MAX_PICTURE_BYTES, smallerPicture } from "../../src/conversation/smallerPicture";

interface Drawing {
  width: number;
  height: number;
}

let canvases: Drawing[] = [];
let closed = 0;

/** A browser that can decode pictures of this size, and whose copies have so many bytes at each quality. */
function browser(picture: Drawing, bytesAt: (quality: number) => number): void {
  canvases = [];
  closed = 0;
  vi.stubGlobal("createImageBitmap", async () => ({
    ...picture,
    close: () => {
      closed += 1;
    },
  }));
  vi.stubGlobal(
    "OffscreenCanvas",
    class {
      constructor(
        readonly width: number,
        readonly height: number,
      ) {
        canvases.push({ width, height });
      }
      getContext = () => ({ fillRect: () => undefined, drawImage: () => undefined });
      convertToBlob = async ({ type, quality }: { type: string; quality: number }) =>
        new Blob([new Uint8Array(bytesAt(quality))], { type });
    },
  );
}

const picture = (bytes: number, name = "photo.png", type = "image/png") =>
  new File([new Uint8Array(bytes)], name, { type });

afterEach(() => vi.unstubAllGlobals());

test("a picture that is small enough is sent as it is", async () => {
  browser({ width: 4000, height: 3000 }, () => 10);
  const file = picture(MAX_PICTURE_BYTES);
  expect(await smallerPicture(file)).toBe(file);
  expect([canvases, closed]).toEqual([[], 1]);
});

test("a large photograph becomes a JPEG of 2000 pixels", async () => {
  browser({ width: 4000, height: 3000 }, () => 1000);
  const made = await smallerPicture(picture(MAX_PICTURE_BYTES + 1));
  expect([made.name, made.type, made.size]).toEqual(["photo.jpg", "image/jpeg", 1000]);
  expect([canvases, closed]).toEqual([[{ width: 2000, height: 1500 }], 1]);
});

test("a picture with too many pixels is made smaller whatever its bytes", async () => {
  browser({ width: 16_000, height: 4 }, () => 10);
  await smallerPicture(picture(5));
  expect(canvases).toEqual([{ width: 2000, height: 1 }]);
});

test("the best quality that fits is taken", async () => {
  browser({ width: 10, height: 10 }, (quality) => (quality > 0.7 ? MAX_PICTURE_BYTES + 1 : 7));
  expect((await smallerPicture(picture(MAX_PICTURE_BYTES + 1))).size).toBe(7);
});

test("what cannot be made small enough is sent as it is, for the server to refuse", async () => {
  browser({ width: 10, height: 10 }, () => MAX_PICTURE_BYTES + 1);
  const file = picture(MAX_PICTURE_BYTES + 2);
  expect(await smallerPicture(file)).toBe(file);
});

test("what is no picture of a known kind, or cannot be decoded, is sent as it is", async () => {
  vi.stubGlobal("createImageBitmap", async () => Promise.reject(new Error("broken")));
  for (const file of [picture(9, "a.gif", "image/gif"), picture(9, "a.txt", "text/plain"), picture(9)]) {
    expect(await smallerPicture(file)).toBe(file);
  }
});

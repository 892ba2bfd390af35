// Scales pictures down to what models accept. This happens in the browser, because no process of the site
// decodes pictures.

/** The server's limit in bytes, and the longest side in pixels that models make use of. */
export const MAX_PICTURE_BYTES = 3_932_160;
const TARGET_SIDE_PIXELS = 2000;
const MAX_SIDE_PIXELS = 8000;
const JPEG_QUALITIES = [0.9, 0.8, 0.6] as const;

export const canBeSmaller = (file: File): boolean => /^image\/(png|jpeg|webp)$/.test(file.type);

/**
 * Returns a smaller copy, or the file itself if it is small enough, not a still picture, or cannot be
 * decoded.
 */
export async function smallerPicture(file: File): Promise<File> {
  if (!canBeSmaller(file)) return file;
  try {
    return await shrunk(file);
  } catch {
    return file; // the server reports what is wrong with it
  }
}

async function shrunk(file: File): Promise<File> {
  const bitmap = await createImageBitmap(file);
  try {
    const side = Math.max(bitmap.width, bitmap.height);
    if (file.size <= MAX_PICTURE_BYTES && side <= MAX_SIDE_PIXELS) return file;
    const canvas = drawn(bitmap, Math.min(1, TARGET_SIDE_PIXELS / side));
    for (const quality of JPEG_QUALITIES) {
      const blob = await canvas.convertToBlob({ type: "image/jpeg", quality });
      if (blob.size <= MAX_PICTURE_BYTES) return new File([blob], asJpeg(file.name), { type: blob.type });
    }
    return file;
  } finally {
    bitmap.close();
  }
}

function drawn(bitmap: ImageBitmap, scale: number): OffscreenCanvas {
  const size = (pixels: number) => Math.max(1, Math.round(pixels * scale));
  const canvas = new OffscreenCanvas(size(bitmap.width), size(bitmap.height));
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  context.fillStyle = "white"; // JPEG has no transparency
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}

const asJpeg = (name: string): string => `${name.replace(/\.[^.]*$/, "") || "picture"}.jpg`;

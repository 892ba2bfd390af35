import type { PDFDocumentLoadingTask, PDFDocumentProxy } from "pdfjs-dist";
import { GlobalWorkerOptions, getDocument } from "pdfjs-dist";
import workerAddress from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import { useEffect, useRef, useState } from "react";
import { Icon } from "../ui/Icon";
import { Skeleton } from "../ui/Notice";

GlobalWorkerOptions.workerSrc = workerAddress;

const MOST_PIXELS = 8_000_000; // of a page
const SHARPNESS = 2; // pixels of a page for each of the screen, at most

/** The pages of a PDF file, one at a time. Scripts, forms, links and attachments in it do nothing. */
export default function PdfView({ base64, name }: { base64: string; name: string }) {
  const [file, setFile] = useState<PDFDocumentProxy | null>(null);
  const [isBroken, setBroken] = useState(false);
  const [number, setNumber] = useState(1);
  useEffect(() => {
    const opening: PDFDocumentLoadingTask = getDocument({
      data: Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0)),
      useWasm: false, // the policy of the page refuses it
      isImageDecoderSupported: false,
      maxImageSize: MOST_PIXELS * 4,
    });
    opening.promise.then(setFile, () => setBroken(true));
    return () => void opening.destroy();
  }, [base64]);
  if (isBroken) return <p className="empty">This PDF file is damaged or protected, so it cannot be shown.</p>;
  if (!file) return <Skeleton rows={8} label={`Loading ${name}`} />;
  const last = file.numPages;
  return (
    <div className="pdf vertical grow">
      <div className="files-note line gap-8 small muted">
        <button
          type="button"
          className="icon-button"
          aria-label="Previous page"
          disabled={number === 1}
          onClick={() => setNumber(number - 1)}
        >
          <Icon name="back" size={14} />
        </button>
        <label className="inline gap-4">
          Page
          <input
            type="number"
            min={1}
            max={last}
            value={number}
            onChange={({ target }) =>
              setNumber(Math.min(last, Math.max(1, Math.trunc(target.valueAsNumber) || 1)))
            }
          />
        </label>
        <span className="number">of {last}</span>
        <button
          type="button"
          className="icon-button pdf-next"
          aria-label="Next page"
          disabled={number === last}
          onClick={() => setNumber(number + 1)}
        >
          <Icon name="back" size={14} />
        </button>
      </div>
      <Page file={file} number={number} onBroken={() => setBroken(true)} />
    </div>
  );
}

/** One page as a picture, and its text for those who do not see it. */
function Page(props: { file: PDFDocumentProxy; number: number; onBroken: () => void }) {
  const { file, number, onBroken } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [text, setText] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: onBroken is a new function each time
  useEffect(() => {
    let isGone = false;
    let stop = () => {};
    const show = async () => {
      const page = await file.getPage(number);
      if (isGone || !canvas.current) return;
      const { items } = await page.getTextContent();
      setText(items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join(""));
      const plain = page.getViewport({ scale: 1 });
      const wanted =
        (canvas.current.clientWidth * Math.min(window.devicePixelRatio, SHARPNESS)) / plain.width;
      const most = Math.sqrt(MOST_PIXELS / (plain.width * plain.height));
      const viewport = page.getViewport({ scale: Math.min(Math.max(wanted, 0.1), most) });
      canvas.current.width = viewport.width;
      canvas.current.height = viewport.height;
      const drawing = page.render({ canvas: canvas.current, viewport });
      stop = () => drawing.cancel();
      await drawing.promise;
    };
    show().catch(() => {
      if (!isGone) onBroken();
    });
    return () => {
      isGone = true;
      stop();
    };
  }, [file, number]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className="pdf-page grow" aria-label={`Page ${number}`} tabIndex={0}>
      <canvas ref={canvas} />
      <p className="sr-only">{text || "This page has no text."}</p>
    </section>
  );
}

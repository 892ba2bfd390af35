import type { Tokens } from "marked";
import { useContext, useState } from "react";
import { fileDownload } from "../api/files";
import { FileLink, FilesAtHand } from "../files/FileLink";
import { useLive } from "../store/SessionContext";
import { shownPath } from "../tools/facts";
import { Icon } from "../ui/Icon";

const DATA = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;
const SCHEME = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

interface PictureProps {
  address: string;
  words: string;
}

/**
 * A picture in an answer: a file of the workspace, or one that is part of the text. One elsewhere is only linked, because
 * to load it would tell somebody who reads the conversation, and what the address says.
 */
export function AnswerPicture({ picture }: { picture: Tokens.Image | null }) {
  const atHand = useContext(FilesAtHand);
  const address = picture?.href ?? "";
  const words = picture?.text ?? "";
  if (DATA.test(address)) return <img className="answer-picture" src={address} alt={words} />;
  if (!SCHEME.test(address) && atHand) return <FilePicture path={shownPath(address)} words={words} />;
  return <Elsewhere address={address} words={words} />;
}

function FilePicture({ path, words }: { path: string; words: string }) {
  const sessionId = useLive((state) => state.session?.id ?? "");
  const [isGone, setGone] = useState(false);
  return (
    <figure className="answer-figure stack gap-4 items-start">
      {isGone ? (
        <p className="small muted">This picture cannot be shown: {words || path}</p>
      ) : (
        <img
          className="answer-picture"
          src={fileDownload(sessionId, path)}
          alt={words}
          loading="lazy"
          onError={() => setGone(true)}
        />
      )}
      <figcaption className="small">
        <FileLink path={path} />
      </figcaption>
    </figure>
  );
}

function Elsewhere({ address, words }: PictureProps) {
  const isWeb = /^https?:\/\//i.test(address);
  const content = (
    <>
      <Icon name="image" size={14} /> Picture: {words || address}
    </>
  );
  if (!isWeb) return <p className="inline gap-4 muted">{content}</p>;
  return (
    <p>
      <a href={address} target="_blank" rel="noopener noreferrer" className="inline gap-4" title={address}>
        {content}
      </a>
    </p>
  );
}

import { csrfToken } from "../api/http";
import { atPrefix } from "../lib/prefix";
import { Problem } from "../ui/Notice";
import { providerProblem } from "./providerProblem";
import { useConfig } from "./session";

interface ProviderButtonsProps {
  process: "login" | "connect";
  /** Path to return to; defaults to this page without its query. */
  next?: string;
}

/**
 * Buttons that redirect to identity providers. A form, because the browser leaves the page and returns signed
 * in or with an error.
 */
export function ProviderButtons({ process, next }: ProviderButtonsProps) {
  const providers = useConfig().data?.providers ?? [];
  const problem = providerProblem(window.location.search);
  return (
    <>
      {problem && <Problem error={problem} />}
      {providers.map((provider) => (
        <form
          key={provider.id}
          method="post"
          action={atPrefix("/_allauth/browser/v1/auth/provider/redirect")}
        >
          <input type="hidden" name="csrfmiddlewaretoken" value={csrfToken()} />
          <input type="hidden" name="provider" value={provider.id} />
          <input type="hidden" name="process" value={process} />
          <input type="hidden" name="callback_url" value={next ?? window.location.pathname} />
          <button type="submit" className="button wide">
            {process === "login" ? "Sign in with" : "Link"} {provider.name}
          </button>
        </form>
      ))}
    </>
  );
}

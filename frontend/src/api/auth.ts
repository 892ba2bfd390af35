// Signing in, MFA and devices through allauth's headless API.
import { ApiError, errorFrom, raw } from "./http";

const BASE = "/_allauth/browser/v1";

export type Step = "verify_email" | "mfa_authenticate";
export type Factor = "totp" | "webauthn" | "recovery_codes";

interface Flow {
  id: string;
  is_pending?: boolean;
  types?: Factor[];
}

interface Answer<Data = unknown> {
  data?: Data & { flows?: Flow[] };
  meta?: Record<string, unknown> & { is_authenticated?: boolean };
  errors?: { code: string; message: string; param?: string }[];
}

/** The step that is missing before the person is signed in. */
export interface MissingStep {
  step: Step;
  factors: Factor[];
}

/** The person must confirm who they are, with the password or one of these factors. */
export class ConfirmationNeeded extends Error {
  constructor(
    readonly password: boolean,
    readonly factors: Factor[],
  ) {
    super("Confirm that it is you.");
  }
}

interface Reply<Data> {
  status: number;
  answer: Answer<Data>;
}

/**
 * Sends a request. Returns answers below 400 and 401, which names the missing step; throws an ApiError
 * otherwise.
 */
async function request<Data = unknown>(
  method: string,
  path: string,
  content?: unknown,
  headers?: Record<string, string>,
): Promise<Reply<Data>> {
  const { status, body } = await raw(method, `${BASE}/${path}`, content, headers);
  const answer = (body ?? {}) as Answer<Data>;
  if (status === 401 && answer.meta?.is_authenticated) throw confirmationIn(answer.data?.flows ?? []);
  if (status === 401 || status < 400) return { status, answer };
  throw failureIn(status, body);
}

function confirmationIn(flows: Flow[]): ConfirmationNeeded {
  const factors = flows.find((flow) => flow.id === "mfa_reauthenticate")?.types ?? [];
  return new ConfirmationNeeded(
    flows.some((flow) => flow.id === "reauthenticate"),
    factors,
  );
}

function failureIn(status: number, body: unknown): ApiError {
  const problems = (body as Answer | null)?.errors;
  if (!problems?.length) return status === 429 ? tooManyAttempts() : errorFrom(status, body);
  const [first] = problems;
  const fields = Object.fromEntries(problems.map((problem) => [problem.param ?? "", problem.message]));
  return new ApiError(
    status,
    first?.code ?? "refused",
    problems.map(({ message }) => message).join(" "),
    "",
    fields,
  );
}

const tooManyAttempts = () =>
  new ApiError(429, "too_many_requests", "Too many attempts.", "Wait a few minutes and try again.");

/** Returns the missing step, or null if the person is signed in. Throws if the step is unknown. */
function missingStepIn({ status, answer }: Reply<unknown>): MissingStep | null {
  if (status !== 401) return null;
  const pending = answer.data?.flows?.find((flow) => flow.is_pending);
  if (pending?.id === "verify_email" || pending?.id === "mfa_authenticate") {
    return { step: pending.id, factors: pending.types ?? [] };
  }
  throw new ApiError(
    401,
    "login_failed",
    "The site could not sign you in.",
    "Sign in again: the previous attempt may have expired.",
  );
}

/** Sets the CSRF cookie that every other request needs. */
const prepare = () => raw("GET", `${BASE}/config`);

export async function signIn(email: string, password: string): Promise<MissingStep | null> {
  await prepare();
  try {
    return missingStepIn(await request("POST", "auth/login", { email, password }));
  } catch (problem) {
    if (problem instanceof ApiError && problem.status === 409) return null;
    throw problem;
  }
}

export const submitMfaCode = async (code: string) =>
  missingStepIn(await request("POST", "auth/2fa/authenticate", { code: code.replace(/\s/g, "") }));

export const signOut = () => raw("DELETE", `${BASE}/auth/session`);

export interface SignUpData {
  email: string;
  password: string;
  name: string;
  invitation?: string;
}

export async function signUp(newcomer: SignUpData): Promise<MissingStep | null> {
  await prepare();
  try {
    return missingStepIn(await request("POST", "auth/signup", newcomer));
  } catch (problem) {
    if (!(problem instanceof ApiError) || problem.status !== 403) throw problem;
    throw new ApiError(
      403,
      "sign_up_closed",
      "You cannot create an account with this e-mail address.",
      "Use the address that was invited, or ask for an invitation to this one.",
    );
  }
}

// Links in e-mails

export async function readConfirmation(key: string): Promise<string> {
  const { answer } = await request<{ email: string }>("GET", "auth/email/verify", undefined, {
    "X-Email-Verification-Key": key,
  });
  return answer.data?.email ?? "";
}

export async function confirmAddress(key: string): Promise<boolean> {
  await prepare();
  const { status } = await request("POST", "auth/email/verify", { key });
  return status !== 401;
}

export async function requestPasswordReset(email: string): Promise<void> {
  await prepare();
  await request("POST", "auth/password/request", { email });
}

export const checkResetKey = (key: string) =>
  request("GET", "auth/password/reset", undefined, { "X-Password-Reset-Key": key });

export async function setPassword(key: string, password: string): Promise<void> {
  await prepare();
  await request("POST", "auth/password/reset", { key, password });
}

// The account of the signed-in person

export const confirmByPassword = (password: string) => request("POST", "auth/reauthenticate", { password });
export const confirmByCode = (code: string) =>
  request("POST", "auth/2fa/reauthenticate", { code: code.replace(/\s/g, "") });

export const changePassword = (current: string, next: string) =>
  request("POST", "account/password/change", {
    ...(current ? { current_password: current } : {}),
    new_password: next,
  });

export interface Address {
  email: string;
  verified: boolean;
  primary: boolean;
}

export const listAddresses = async () =>
  (await request<Address[]>("GET", "account/email")).answer.data as unknown as Address[];
export const changeAddress = (email: string) => request("POST", "account/email", { email });
export const sendConfirmationAgain = (email: string) => request("PUT", "account/email", { email });
export const removeAddress = (email: string) => request("DELETE", "account/email", { email });

export interface Authenticator {
  type: Factor;
  created_at: number;
  last_used_at: number | null;
  id?: number;
  name?: string;
  is_passwordless?: boolean;
  unused_code_count?: number;
}

export const listAuthenticators = async () =>
  (await request<Authenticator[]>("GET", "account/authenticators")).answer.data as unknown as Authenticator[];

export interface AppSecret {
  secret: string;
  totp_url: string;
}

/** Creates a secret for an authenticator app. It takes effect once finishApp gets a code from the app. */
export async function beginAppSetup(): Promise<AppSecret> {
  const { status, body } = await raw("GET", `${BASE}/account/authenticators/totp`);
  if (status === 404) return (body as { meta: AppSecret }).meta;
  throw status === 401 ? confirmationIn((body as Answer).data?.flows ?? []) : failureIn(status, body);
}
export const finishAppSetup = (code: string) =>
  request("POST", "account/authenticators/totp", { code: code.replace(/\s/g, "") });
export const removeApp = () => request("DELETE", "account/authenticators/totp");

export async function readRecoveryCodes(): Promise<string[]> {
  const { answer } = await request<{ unused_codes?: string[] }>(
    "GET",
    "account/authenticators/recovery-codes",
  );
  return answer.data?.unused_codes ?? [];
}
export async function renewRecoveryCodes(): Promise<string[]> {
  const { answer } = await request<{ unused_codes?: string[] }>(
    "POST",
    "account/authenticators/recovery-codes",
    {},
  );
  return answer.data?.unused_codes ?? [];
}

// Passkeys: the browser API takes and returns JSON

type Creation = { creation_options: { publicKey: PublicKeyCredentialCreationOptionsJSON } };
type Request = { request_options: { publicKey: PublicKeyCredentialRequestOptionsJSON } };

export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential !== "undefined" && "parseCreationOptionsFromJSON" in PublicKeyCredential;

const passkeyCancelled = () =>
  new ApiError(0, "passkey_cancelled", "No passkey was used.", "Try again, or sign in another way.");

async function requestPasskey(path: string): Promise<unknown> {
  const { answer } = await request<Request>("GET", path);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    (answer.data as Request).request_options.publicKey,
  );
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null);
  if (!(credential instanceof PublicKeyCredential)) throw passkeyCancelled();
  return credential.toJSON();
}

export async function addPasskey(name: string): Promise<void> {
  const { answer } = await request<Creation>("GET", "account/authenticators/webauthn?passwordless");
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    (answer.data as Creation).creation_options.publicKey,
  );
  const credential = await navigator.credentials.create({ publicKey }).catch(() => null);
  if (!(credential instanceof PublicKeyCredential)) throw passkeyCancelled();
  await request("POST", "account/authenticators/webauthn", { name, credential: credential.toJSON() });
}
export const removePasskey = (id: number) =>
  request("DELETE", "account/authenticators/webauthn", { authenticators: [id] });

export async function signInByPasskey(): Promise<MissingStep | null> {
  await prepare();
  return missingStepIn(
    await request("POST", "auth/webauthn/login", { credential: await requestPasskey("auth/webauthn/login") }),
  );
}
export async function submitMfaPasskey(): Promise<MissingStep | null> {
  const credential = await requestPasskey("auth/webauthn/authenticate");
  return missingStepIn(await request("POST", "auth/webauthn/authenticate", { credential }));
}
export const confirmByPasskey = async () =>
  request("POST", "auth/webauthn/reauthenticate", {
    credential: await requestPasskey("auth/webauthn/reauthenticate"),
  });

// Devices

export interface Device {
  id: number;
  user_agent: string;
  ip: string;
  created_at: number;
  last_seen_at: number;
  is_current: boolean;
}

export const listDevices = async () =>
  (await request<Device[]>("GET", "auth/sessions")).answer.data as unknown as Device[];
export const endDevices = (ids: number[]) => request("DELETE", "auth/sessions", { sessions: ids });

// Identity providers

export interface Provider {
  id: string;
  name: string;
}

interface Config {
  account: { is_open_for_signup: boolean };
  socialaccount?: { providers: Provider[] };
}

export async function readConfig(): Promise<{ open: boolean; providers: Provider[] }> {
  const { answer } = await request<Config>("GET", "config");
  return {
    open: !!answer.data?.account.is_open_for_signup,
    providers: answer.data?.socialaccount?.providers ?? [],
  };
}

export interface LinkedProvider {
  uid: string;
  display: string;
  provider: Provider;
}

export const listLinked = async () =>
  (await request<LinkedProvider[]>("GET", "account/providers")).answer.data as unknown as LinkedProvider[];
export const unlink = (provider: string, uid: string) =>
  request("DELETE", "account/providers", { provider, account: uid });

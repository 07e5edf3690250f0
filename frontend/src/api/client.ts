// Requests to the site's API: one function, one kind of error. Which requests there are stands in the files beside it.

/** What the server says about a refused request (docs/howto/api.md): a code, a sentence, details. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: unknown = null,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** Nobody is signed in any more: the session has ended, elsewhere or by time, or the account was disabled. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** The request did not reach the server, or its answer did not come back. It can be sent again. */
export class Unreachable extends Error {
  constructor() {
    super("The server cannot be reached. Nothing is lost; it is tried again.");
    this.name = "Unreachable";
  }
}

export interface Options {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  keepalive?: boolean;
}

/** Send a request to a path below /api/. Raises ApiError, Unreachable, or AbortError. */
export async function request<Answer>(path: string, options: Options = {}): Promise<Answer> {
  const { method = "GET", body, headers = {}, signal, keepalive } = options;
  const sent: RequestInit = {
    method,
    credentials: "same-origin",
    headers: {
      Accept: "application/json",
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(method === "GET" ? {} : { "X-CSRFToken": csrfToken() }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
    ...(keepalive ? { keepalive } : {}),
  };
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, sent);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unreachable();
  }
  const answer = await readJson(response);
  if (!response.ok) throw refusalOf(response.status, answer);
  return answer as Answer;
}

async function readJson(response: Response): Promise<unknown> {
  if (response.status === 204) return null;
  try {
    return await response.json();
  } catch {
    if (response.ok) throw new Unreachable();
    return null;
  }
}

function refusalOf(status: number, answer: unknown): ApiError | Unreachable {
  const told = (answer ?? {}) as { code?: string; message?: string; details?: unknown };
  if (!told.code && status >= 500) return new Unreachable();
  return new ApiError(status, told.code ?? "failed", told.message ?? `The server answered ${status}.`, told.details);
}

function csrfToken(): string {
  const found = document.cookie.split("; ").find((one) => /^flowsite_csrf=/.test(one));
  return found ? decodeURIComponent(found.slice(found.indexOf("=") + 1)) : "";
}

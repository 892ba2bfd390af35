import { Component, type ReactNode } from "react";

/** A fault in the page itself: say so, keep drafts (they are stored), offer a way on. */
export class Crash extends Component<{ children: ReactNode }, { crashed: boolean }> {
  state = { crashed: false };

  static getDerivedStateFromError() {
    return { crashed: true };
  }

  render() {
    if (!this.state.crashed) return this.props.children;
    return (
      <main className="alone" role="alert">
        <h1>This page stopped working</h1>
        <p className="muted">
          Your sessions run on the server and go on. Unsent prompts are kept in this browser.
        </p>
        <button type="button" className="button primary" onClick={() => window.location.reload()}>
          Reload the page
        </button>
      </main>
    );
  }
}

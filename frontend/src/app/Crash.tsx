import { Component, type ReactNode } from "react";

/** Error boundary for the whole page. Drafts are in the browser's storage and survive a reload. */
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
          Your sessions continue on the server. Unsent prompts are kept in this browser.
        </p>
        <button type="button" className="button primary" onClick={() => window.location.reload()}>
          Reload the page
        </button>
      </main>
    );
  }
}

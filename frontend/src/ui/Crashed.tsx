// Stands around a page: what the page could not draw is told, with ways out, rather than a blank window.
import { Component, type ReactNode } from "react";

interface Props {
  children: ReactNode;
  /** Where to go from here. */
  ways: ReactNode;
}

export default class Crashed extends Component<Props, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <section className="mending" role="alert">
        <h1>This page could not be drawn</h1>
        <p>
          What was changed is kept in this browser and offered again. Reload the page; if that does not help, tell an
          admin:
        </p>
        <pre className="value">{error.message}</pre>
        <div className="actions">
          <button type="button" className="primary" onClick={() => window.location.reload()}>
            Reload
          </button>
          {this.props.ways}
        </div>
      </section>
    );
  }
}

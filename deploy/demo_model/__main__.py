"""Serve the demo model until the process is stopped: `python -m deploy.demo_model --port N`."""

import argparse
import sys
from pathlib import Path

import uvicorn

from deploy.demo_model.app import DEFAULT_CHUNK_DELAY, DemoModel
from deploy.demo_model.server import make_server


def main() -> None:
    options = _options()
    model = DemoModel(chunk_delay=options.chunk_delay, control=options.control)
    if options.script_dir:
        model.scripts.load(options.script_dir)
    server: uvicorn.Server = make_server(model, host=options.host, port=options.port)
    sys.stdout.write(f"demo model: http://{options.host}:{options.port}/v1\n")
    sys.stdout.flush()
    server.run()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m deploy.demo_model", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--chunk-delay", type=float, default=DEFAULT_CHUNK_DELAY, help="seconds before each text chunk")
    parser.add_argument(
        "--control", action="store_true", help="enable the /control routes for tests: scripts, releases, requests"
    )
    parser.add_argument("--script-dir", type=Path, help="load every *.json file of this folder as a script")
    return parser.parse_args()


if __name__ == "__main__":
    main()
